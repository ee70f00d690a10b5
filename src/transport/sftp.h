/* sftp.h - packets of SFTP, version 3: how they are written and read. */
#ifndef ERRAND_SFTP_H
#define ERRAND_SFTP_H

#include "base/base.h"
#include "base/buf.h"

enum sftp_type {
    SFTP_INIT = 1,
    SFTP_VERSION = 2,
    SFTP_OPEN = 3,
    SFTP_CLOSE = 4,
    SFTP_READ = 5,
    SFTP_WRITE = 6,
    SFTP_FSETSTAT = 10,
    SFTP_REMOVE = 13,
    SFTP_STAT = 17,
    SFTP_STATUS = 101,
    SFTP_HANDLE = 102,
    SFTP_DATA = 103,
    SFTP_ATTRS = 105,
    SFTP_EXTENDED = 200,
    SFTP_EXTENDED_REPLY = 201
};

enum sftp_status {
    SFTP_OK = 0,
    SFTP_EOF = 1,
    SFTP_NO_SUCH_FILE = 2,
    SFTP_PERMISSION_DENIED = 3,
    SFTP_FAILURE = 4,
    SFTP_BAD_MESSAGE = 5
};

#define SFTP_POSIX_RENAME "posix-rename@openssh.com" /* Replaces what stands there. */
#define SFTP_STATVFS      "statvfs@openssh.com"

enum { SFTP_OF_VERSION = 3, SFTP_TO_READ = 0x01, SFTP_TO_WRITE = 0x02, SFTP_TO_MAKE = 0x28 };

enum {
    SFTP_PIECE = 32 * 1024, /* Every server takes and gives that many bytes of a file at once. */
    SFTP_HEAD_MOST = 9000,  /* What is in front of them: two paths and a few numbers. */
    SFTP_PACKET_MOST = 256 * 1024,
    SFTP_HANDLE_MOST = 256
};

/* --- Writing --------------------------------------------------------------------------------- */

struct sftp_writer {
    size_t len;
    char bytes[SFTP_HEAD_MOST];
};

/* id: of the request; of INIT it is the version. */
void errand__sftp_begin(struct sftp_writer *writer, enum sftp_type type, uint32_t id);
/* What is put must fit: paths are bounded. */
void errand__sftp_put_u32(struct sftp_writer *writer, uint32_t number);
void errand__sftp_put_u64(struct sftp_writer *writer, uint64_t number);
void errand__sftp_put_text(struct sftp_writer *writer, errand_span text);
/* Queues the packet; with data, which is its last string, if data is not empty. */
errand_status errand__sftp_push(struct sftp_writer *writer, errand_span data,
                                struct buf *to) ERRAND_CHECKED;

/* --- Reading --------------------------------------------------------------------------------- */

struct sftp_reader {
    errand_span rest;
    bool torn; /* More was asked for than there is; from then on all is 0 or empty. */
};

uint8_t errand__sftp_take_u8(struct sftp_reader *reader);
uint32_t errand__sftp_take_u32(struct sftp_reader *reader);
uint64_t errand__sftp_take_u64(struct sftp_reader *reader);
errand_span errand__sftp_take_text(struct sftp_reader *reader);

/* What came for a request, behind its number. */
struct sftp_answer {
    unsigned kind; /* Of the request; what it stands for is the asker's. */
    unsigned type; /* enum sftp_type, if the far side is honest. */
    struct sftp_reader reader;
};

struct sftp_attrs {
    bool has_size, has_mode;
    uint64_t size;
    uint32_t mode; /* With the kind of the file. */
};
struct sftp_attrs errand__sftp_take_attrs(struct sftp_reader *reader);

/* OK: packet is the first one of bytes, without its length; AGAIN: not whole yet; negative: that
 * is none. */
errand_status errand__sftp_split(errand_span bytes, errand_span *packet);

#endif
