/* run.h - one process on a host: a channel, its group's number, and the end of both. */
#ifndef ERRAND_SSH_RUN_H
#define ERRAND_SSH_RUN_H

#include <errand/transport.h>

#include "base/base.h"
#include "base/buf.h"
#include "transport/bell.h"
#include "transport/brand.h"
#include "transport/ssh/link.h"
#include "transport/ssh/order.h"
#include "transport/ssh/tell.h"

struct ssh_road;

struct ssh_run {
    errand_process base;
    struct ssh_run *next; /* Of the road. */
    struct ssh_road *road;
    struct bell bell;
    bool waits;            /* The driver sleeps on the bell. */
    struct ssh_link *link; /* NULL: has no channel yet, or no more. */
    LIBSSH2_CHANNEL *raw;
    const char *request; /* Of the channel: "exec" or "subsystem". */
    char *command;
    struct ssh_tell tell; /* The number of its group. */
    char brand[BRAND_TEXT];
    bool started, confirmed;
    bool opened, told_eof, told_exit, ended; /* ended: the host closed the channel. */
    int exit_code, exit_signal;
    unsigned turn; /* Which of both streams is asked first. */
    unsigned reads_after_death;
    int64_t quiet_us;   /* It has gone: until then what it wrote may still be on the way. */
    bool blocked;       /* Not all could be sent. */
    size_t owed;        /* What libssh2 was given and did not take: no less may follow. */
    struct buf rest[2]; /* Heard and not yet told, after the end. */
    bool term, kill;    /* Ordered, and not carried out yet. */
    bool closing, cleared, closed;
    struct ssh_order *order;
    int64_t close_due_us;
    errand_error failure;
    const char *code;
    bool left;       /* Something of it may be left, */
    char words[200]; /* as these say. */
};

errand_status errand__ssh_run_new(errand_process **out, struct ssh_road *road,
                                  const errand_launch *launch, errand_error *err) ERRAND_CHECKED;
/* What the host offers by a name, such as "sftp": it tells no number, and gets no signals. */
errand_status errand__ssh_run_new_subsystem(errand_process **out, struct ssh_road *road,
                                            const char *name, errand_error *err) ERRAND_CHECKED;
/* raw is the run's from now on; the command goes out at once. */
void errand__ssh_run_start(struct ssh_run *run, struct ssh_link *link, LIBSSH2_CHANNEL *raw);
/* It will never have a channel, or has lost it. */
void errand__ssh_run_fail(struct ssh_run *run, const errand_error *why, const char *code);
void errand__ssh_run_wake(struct ssh_run *run);
/* Neither a channel nor a reason not to have one. */
bool errand__ssh_run_is_waiting(const struct ssh_run *run);

#endif
