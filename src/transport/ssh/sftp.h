/* sftp.h - the file service of a host: one channel of a place, opened when the first file is
 * to be carried and shared by all that are on their way.
 *
 * Speaks SFTP version 3 itself: libssh2 1.10 can't replace a file by renaming, does one thing at a
 * time, and can't say that a host has none. Knows no file; which request belongs to which is in
 * its number. */
#ifndef ERRAND_SSH_SFTP_H
#define ERRAND_SSH_SFTP_H

#include <errand/transport.h>

#include "base/base.h"
#include "transport/sftp.h"

struct ssh_road;
struct ssh_file;

enum ssh_sftp_state {
    SSH_SFTP_OFF,     /* Not begun, or ended. */
    SSH_SFTP_OPENING, /* Until it has told its version. */
    SSH_SFTP_UP,
    SSH_SFTP_NONE /* This host has none, or none that will do. */
};

enum { SSH_SFTP_LEFT_MOST = 64 };

struct ssh_sftp {
    struct ssh_road *road;
    errand_process *process; /* NULL: OFF or NONE. */
    struct ssh_file *files;  /* Those that use it, the youngest first. */
    size_t files_count;
    uint32_t numbers; /* Of files, the last one. */
    enum ssh_sftp_state state;
    bool opened, broken; /* broken: it ends at the next turn. */
    int listed_fd;       /* In the road's epoll; -1: none. */
    int64_t due_us;      /* Of opening. */
    struct buf out, in;
    char *room; /* For reading. */
    char *left_behind[SSH_SFTP_LEFT_MOST];
    size_t left_count;
};

void errand__ssh_sftp_init(struct ssh_sftp *sftp, struct ssh_road *road);
/* Nothing of it is left over there either, sooner or later. */
void errand__ssh_sftp_deinit(struct ssh_sftp *sftp);
/* The file hears of it until it leaves. Opens it where need be. */
errand_status errand__ssh_sftp_join(struct ssh_sftp *sftp, struct ssh_file *file,
                                    errand_error *err) ERRAND_CHECKED;
void errand__ssh_sftp_leave(struct ssh_sftp *sftp, struct ssh_file *file);
/* Sends, hears and hands out what there is. */
void errand__ssh_sftp_turn(struct ssh_sftp *sftp, int64_t now_us);
/* Somebody waits for a channel: it gives up its own unless a file uses it. true: it did. */
bool errand__ssh_sftp_yield(struct ssh_sftp *sftp);
/* Queues a request. kind: below SSH_SFTP_KINDS; the answer comes to the file with it. */
enum { SSH_SFTP_KINDS = 128 };
uint32_t errand__ssh_sftp_id(const struct ssh_file *file, unsigned kind);
void errand__ssh_sftp_push(struct ssh_sftp *sftp, struct sftp_writer *writer, errand_span data);
/* More of a file's bytes would only wait. */
bool errand__ssh_sftp_is_full(const struct ssh_sftp *sftp);
/* Asks for something whose answer nobody waits for. */
void errand__ssh_sftp_close_handle(struct ssh_sftp *sftp, errand_span handle);
void errand__ssh_sftp_remove(struct ssh_sftp *sftp, const char *path);
/* What a lost road left over there; removed when the service is up again. path is taken. */
void errand__ssh_sftp_leave_behind(struct ssh_sftp *sftp, char *path);

#endif
