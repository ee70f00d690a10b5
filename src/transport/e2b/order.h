/* order.h - a short shell over there that signals a group, or clears up after it: the
 * sandbox's own service reaches the leader alone. */
#ifndef ERRAND_E2B_ORDER_H
#define ERRAND_E2B_ORDER_H

#include "transport/e2b/chore.h"

enum e2b_order_kind {
    E2B_ORDER_TERM,
    E2B_ORDER_KILL,
    E2B_ORDER_CLEAR, /* Kills whatever is left, and says who that was. */
    E2B_ORDER_LOOK   /* Whether the leader is there. */
};

enum e2b_order_end {
    E2B_ORDER_GOING,
    E2B_ORDER_DONE,  /* CLEAR: nobody is left. Otherwise the signal was sent. */
    E2B_ORDER_STAYS, /* Somebody is left, although killed. */
    E2B_ORDER_FAILED /* Nobody could look. */
};

enum { E2B_ORDER_WORDS = 400, E2B_ORDER_MARK = 16 };

struct e2b_order {
    struct e2b_order *next; /* Of the road, which tends all of them. */
    struct bell *owner;     /* Rung at the end; NULL: nobody waits for it. */
    enum e2b_order_kind kind;
    enum e2b_order_end end;
    bool disowned;   /* Nobody will look at it any more. */
    bool leaderless; /* There was no leader, or one that has only not been waited for. */
    struct e2b_chore chore;
    char words[E2B_ORDER_WORDS]; /* What it said: who had left the group. */
};

/* mark: whoever has it among its words belongs to it as well; may be empty. bell: rung at news.
 * NULL: no memory. */
struct e2b_order *errand__e2b_order_new(const struct e2b_envd *envd, enum e2b_order_kind kind,
                                        uint32_t pid, const char *mark, struct bell *bell);
/* One step; true: it is over. */
bool errand__e2b_order_turn(struct e2b_order *order, int64_t now_us);
int64_t errand__e2b_order_due(const struct e2b_order *order);
void errand__e2b_order_free(struct e2b_order *order);

#endif
