/* ssh_order.h - a short command on the host, beside a run: a signal to its group. */
#ifndef ERRAND_SSH_ORDER_H
#define ERRAND_SSH_ORDER_H

#include "base/base.h"
#include "transport/ssh_link.h"

enum ssh_order_kind {
    SSH_ORDER_TERM,
    SSH_ORDER_KILL,
    SSH_ORDER_CLEAR /* KILL, and waits until nobody of the group is left. */
};

enum ssh_order_end {
    SSH_ORDER_GOING,
    SSH_ORDER_DONE,
    SSH_ORDER_STAYS, /* CLEAR: somebody is left. */
    SSH_ORDER_FAILED /* It could not be carried out. */
};

struct ssh_order {
    struct ssh_order *next;
    struct ssh_link *link; /* NULL: it is gone. */
    LIBSSH2_CHANNEL *raw;  /* NULL: waits for one. */
    bool owned;            /* Somebody waits for its end. */
    bool confirmed;
    enum ssh_order_end end;
    int64_t due_us;
    char command[400];
};

/* pid: that of a process whose group bears its number. NULL: no memory. */
struct ssh_order *errand__ssh_order_new(struct ssh_link *link, enum ssh_order_kind kind,
                                        int64_t pid, int64_t now_us);
/* A step. true: it has come to its end. */
bool errand__ssh_order_step(struct ssh_order *order, int64_t now_us);
void errand__ssh_order_free(struct ssh_order *order);

#endif
