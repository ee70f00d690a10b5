/* file.h - the far end of one file on a host: by the host's file service, and through a shell
 * where there is none. */
#ifndef ERRAND_SSH_FILE_H
#define ERRAND_SSH_FILE_H

#include <errand/transport.h>

#include "base/base.h"
#include "transport/bell.h"
#include "transport/sftp.h"

struct ssh_road;

enum ssh_file_stage {
    SSH_FILE_WAITING,  /* For the service. */
    SSH_FILE_ASKING,   /* What stands there; a put also makes its file beside it. */
    SSH_FILE_OPENING,  /* Get. */
    SSH_FILE_CARRYING, /* Bytes. */
    SSH_FILE_NAMING,   /* Put: all bytes are there. */
    SSH_FILE_CLEARING, /* It failed. */
    SSH_FILE_OVER
};

/* So many requests for bytes are under way at once. */
enum { SSH_FILE_PIECES = 64 };

/* Of a get, those between first and first + count, in a ring, are asked for or heard. */
struct ssh_file_piece {
    bool flying;
    uint64_t offset;
    uint32_t want, have;
    char *bytes; /* Get. */
};

struct ssh_file {
    errand_carrier base;
    struct ssh_file *next; /* Of those that use the service. */
    struct ssh_road *road;
    errand_carrier *inner; /* Through a shell; NULL: not yet, or not at all. */
    uint32_t number;
    struct bell bell;
    bool joined, detour;
    errand_cargo cargo;
    char *path, *temporary; /* temporary: of a put. */
    bool standing;          /* It may be there. */
    char handle[SFTP_HANDLE_MOST];
    size_t handle_len;
    bool has_handle, asked_beyond, told_ready, told_over;
    enum ssh_file_stage stage;
    uint64_t asked, done;  /* Bytes: sent or asked for; taken over there or handed on here. */
    uint64_t steps;        /* Requests under way that are no pieces, a bit a kind. */
    unsigned pieces_going; /* Of pieces. */
    struct ssh_file_piece pieces[SSH_FILE_PIECES];
    size_t first, count;
    bool lent;         /* The first piece is with the driver until next is called again. */
    bool vague;        /* It failed, and why has to be asked for. */
    int64_t clear_us;  /* How long it may take to clear up. */
    const char *code;  /* NULL: nothing went wrong. */
    errand_error lost; /* What the road said, with code. */
};

errand_status errand__ssh_file_new(errand_carrier **out, struct ssh_road *road,
                                   const errand_cargo *cargo, errand_error *err) ERRAND_CHECKED;

/* What the service tells those that use it; their requests stand in talk.h. */
void errand__ssh_file_wake(struct ssh_file *file);
/* It has left; the host has no such service. */
void errand__ssh_file_detour(struct ssh_file *file);
/* It has left; the service is lost. why may be NULL. */
void errand__ssh_file_lose(struct ssh_file *file, const char *code, const errand_error *why);

#endif
