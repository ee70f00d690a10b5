/* road.h - inside of the road: its connections, those that wait for a channel, its orders. */
#ifndef ERRAND_SSH_ROAD_H
#define ERRAND_SSH_ROAD_H

#include <errand/transport.h>

#include "base/base.h"
#include "transport/bell.h"
#include "transport/ssh/dial.h"
#include "transport/ssh/diary.h"
#include "transport/ssh/link.h"
#include "transport/ssh/order.h"
#include "transport/ssh/sftp.h"
#include "transport/ssh/target.h"
#include "transport/ssh/vault.h"

struct ssh_run;

struct ssh_road {
    errand_road base;
    struct ssh_target target;
    struct ssh_vault vault;
    struct ssh_dial *dial; /* Or NULL. */
    struct ssh_link *links;
    size_t links_count;
    struct ssh_run *runs; /* All processes that exist, the youngest first. */
    struct ssh_order *orders;
    struct ssh_sftp sftp;
    int poll_fd;      /* An epoll of all that the road waits for. */
    struct bell bell; /* For what a process did to the road. */
    bool opened, closing, leaving;
    int64_t now_us; /* As it was told last. */
    int64_t close_due_us;
    int64_t redial_us; /* Not before. */
    unsigned redials;  /* In vain, one after the other. */
    const char *code;  /* Of open's failure. */
    struct ssh_diary diary;
    char fact[SSH_DIARY_LINE]; /* That was handed out last. */
};

/* Gets a turn soon. */
void errand__ssh_road_wake(struct ssh_road *road);
/* Whoever listens on that connection looks again. */
void errand__ssh_road_tell(struct ssh_road *road, const struct ssh_link *link);
/* The same, if anything was heard since the last time; but for one who looks by itself. Whatever
 * calls libssh2 may hear something, for anybody. */
void errand__ssh_road_settle(struct ssh_road *road, struct ssh_link *link,
                             const struct ssh_run *but);
/* Gives a waiting run a channel, where there is one. */
void errand__ssh_road_serve(struct ssh_road *road, struct ssh_run *run, int64_t now_us);

#endif
