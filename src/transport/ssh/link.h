/* link.h - one connection that is logged in, and its channels.
 *
 * Opens channels one after another, keeps one or two in hand, closes what was given back, and
 * finds out when nobody is there any more. Knows no run. Never blocks. */
#ifndef ERRAND_SSH_LINK_H
#define ERRAND_SSH_LINK_H

#include "base/base.h"
#include "transport/ssh/dial.h"
#include "transport/ssh/warden.h"
#include "transport/ssh/wire.h"

enum {
    SSH_LINK_CHANNELS = 10, /* MaxSessions of most hosts. */
    SSH_WINDOW = 2 * 1024 * 1024
};

enum ssh_use { SSH_USE_SPARE, SSH_USE_RUN, SSH_USE_WARDEN, SSH_USE_DYING };

struct ssh_channel {
    LIBSSH2_CHANNEL *raw; /* NULL: the place is free. */
    enum ssh_use use;
};

struct ssh_link {
    struct ssh_link *next;
    struct ssh_wire *wire;
    struct ssh_channel channels[SSH_LINK_CHANNELS];
    size_t wanted;    /* Channels that somebody waits for. */
    bool keeps;       /* A run was here: keep some in hand. */
    bool opening;     /* libssh2 is about it. */
    bool full;        /* The host refused one; until another is closed, or for a while. */
    unsigned refused; /* One after the other. */
    bool fertile;     /* It has opened a channel. */
    int64_t born_us;
    int64_t retry_us;
    bool pinging;                   /* A sign of life was asked for. */
    bool read_listed, write_listed; /* In the road's epoll. */
    uint64_t told;                  /* Bytes that were heard when those who listen were told. */
    unsigned orders;                /* Given so far. */
    struct ssh_warden warden;
    uint64_t heard; /* Bytes, when it was looked last. */
    int64_t heard_us, ping_us;
    int64_t alive_us, dead_us;
    errand_error failure; /* Once it is dead. */
};

/* dialled->wire is taken, also on failure. */
errand_status errand__ssh_link_new(struct ssh_link **out, const struct ssh_dialled *dialled,
                                   int64_t now_us, errand_error *err) ERRAND_CHECKED;
/* Does what can be done. */
void errand__ssh_link_turn(struct ssh_link *link, int64_t now_us);
/* A channel in hand for a run, or NULL. The second goes to the warden. */
LIBSSH2_CHANNEL *errand__ssh_link_take(struct ssh_link *link);
/* How many more runs will fit without another being over. */
size_t errand__ssh_link_room(const struct ssh_link *link);
/* It is closed, now or later; NULL is fine. */
void errand__ssh_link_give_back(struct ssh_link *link, LIBSSH2_CHANNEL *raw);
bool errand__ssh_link_is_dead(const struct ssh_link *link);
/* It died without a channel, soon after it was made: another would be no better. */
bool errand__ssh_link_is_in_vain(const struct ssh_link *link, int64_t now_us);
/* Nothing more can be done with it; notes why. */
void errand__ssh_link_fail(struct ssh_link *link);
int64_t errand__ssh_link_due(const struct ssh_link *link, int64_t now_us);
/* Whether any channel can be read at all. */
bool errand__ssh_link_listens(const struct ssh_link *link);
/* No run has a channel. */
bool errand__ssh_link_is_idle(const struct ssh_link *link);
void errand__ssh_link_free(struct ssh_link *link);

#endif
