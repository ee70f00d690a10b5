/* warden.h - a shell on the host that waits for orders: one channel of a connection, one login
 * shell with its startup files, for all signals to all runs there. */
#ifndef ERRAND_SSH_WARDEN_H
#define ERRAND_SSH_WARDEN_H

#include "base/base.h"
#include "base/buf.h"

#include <libssh2.h>

enum { SSH_WARDEN_LINE = 64, SSH_WARDEN_ROOM = 1024, SSH_WARDEN_TRIES = 3 };
/* What is added to the number of those that had left a group and were killed. */
enum { SSH_WARDEN_STRAYS = 100 };

struct ssh_warden {
    LIBSSH2_CHANNEL *raw; /* NULL: none. */
    bool confirmed;
    bool up;        /* It listens to nobody but us now. */
    size_t fed;     /* Of the lines that startup files may read. */
    unsigned tried; /* Channels that ended by themselves. */
    struct buf out;
    char room[SSH_WARDEN_ROOM]; /* What was read and not looked at. */
    size_t room_at, room_len;
    char line[SSH_WARDEN_LINE]; /* What it says, until it is whole. */
    size_t line_len;
    size_t noise; /* Bytes since it last said anything that is an answer. */
};

void errand__ssh_warden_init(struct ssh_warden *warden);
void errand__ssh_warden_deinit(struct ssh_warden *warden);
/* raw is its channel from now on. */
void errand__ssh_warden_start(struct ssh_warden *warden, LIBSSH2_CHANNEL *raw);
/* kind: "C" clears the group of pid, and kills who bears the brand (or ""); others are names of
 * signals. false: no room. It may be said before the warden has a channel. */
bool errand__ssh_warden_tell(struct ssh_warden *warden, unsigned id, const char *kind, int64_t pid,
                             const char *brand);
/* Sends what is to be sent. true: *id and *status are the next answer. */
bool errand__ssh_warden_next(struct ssh_warden *warden, unsigned *id, int *status);
/* It has come to an end that nobody wanted: its channel is to be given back. */
bool errand__ssh_warden_is_over(struct ssh_warden *warden);

#endif
