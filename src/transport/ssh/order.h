/* order.h - what a run wants of the warden: a signal to its group. */
#ifndef ERRAND_SSH_ORDER_H
#define ERRAND_SSH_ORDER_H

#include "base/base.h"
#include "transport/ssh/link.h"

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
    struct ssh_link *link;
    unsigned id;
    bool owned;  /* Somebody waits for its end, and frees it then. */
    bool listed; /* The road looks after it. */
    int strays;  /* CLEAR: how many had left the group, and were killed. */
    enum ssh_order_end end;
    int64_t due_us;
};

/* Tells the warden of the link at once. pid: of a process whose group bears its number. brand: of
 * those that CLEAR also looks for, or "". NULL: no memory. */
struct ssh_order *errand__ssh_order_new(struct ssh_link *link, enum ssh_order_kind kind,
                                        int64_t pid, const char *brand, int64_t now_us);
/* Whether it has come to its end, by an answer, for want of time or with its link. */
bool errand__ssh_order_is_over(struct ssh_order *order, int64_t now_us);
/* The answer to that link's order of that number. */
void errand__ssh_order_answered(struct ssh_order *orders, const struct ssh_link *link, unsigned id,
                                int status);

#endif
