/* wire.h - a libssh2 session and its bytes on the way to and from the network.
 *
 * What libssh2 sends is always taken whole, and waits here: so it never keeps a half-sent packet,
 * beside which 1.10 refuses every other write. Knows no channel and no login. One thread at a
 * time. */
#ifndef ERRAND_SSH_WIRE_H
#define ERRAND_SSH_WIRE_H

#include "base/base.h"
#include "base/buf.h"
#include "transport/ssh/patience.h"
#include "transport/ssh/proxy.h"

#include <libssh2.h>

enum { SSH_WIRE_SAID = 120 };

struct ssh_wire {
    LIBSSH2_SESSION *session;
    int in, out;              /* The same for a socket of ours. */
    struct ssh_proxy proxy;   /* Or none. */
    struct buf waiting;       /* To be sent. */
    uint64_t heard;           /* Bytes, all together. */
    uint64_t may_hear;        /* Bytes until libssh2 is told to come again later. */
    bool deaf;                /* It was told so. */
    bool broken;              /* Nothing comes and nothing goes any more. */
    int failure;              /* Why, as errno; 0: the other side hung up. */
    char said[SSH_WIRE_SAID]; /* Its reason, as one printable line; "": none. */
    void *login;              /* Of who logs in: for libssh2's callbacks. */
};

/* Takes the descriptors and the proxy, also on failure; in and out may be the same. */
errand_status errand__ssh_wire_new(struct ssh_wire **out, int in, int out_fd,
                                   const struct ssh_proxy *proxy, errand_error *err) ERRAND_CHECKED;
/* Sends what waits, as far as the network takes it. */
void errand__ssh_wire_flush(struct ssh_wire *wire);
/* A turn begins: how many bytes may be heard in it. */
void errand__ssh_wire_turn(struct ssh_wire *wire, uint64_t may_hear);
/* Whether so much waits that more of a program's bytes should not be added. */
bool errand__ssh_wire_is_full(const struct ssh_wire *wire);
/* "connection reset by peer", "the host closed the connection", "the host says: …"; with a proxy,
 * its last words. In room. */
const char *errand__ssh_wire_why(struct ssh_wire *wire, char *room, size_t room_len);
/* For a thread that may block: until something can be heard or sent. */
enum ssh_waited errand__ssh_wire_wait(struct ssh_wire *wire, const struct ssh_patience *patience);
/* Never waits for the other side. */
void errand__ssh_wire_free(struct ssh_wire *wire);

#endif
