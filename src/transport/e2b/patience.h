/* patience.h - how often the same is tried, and how long between. */
#ifndef ERRAND_E2B_PATIENCE_H
#define ERRAND_E2B_PATIENCE_H

#include "transport/e2b/error.h"

struct e2b_patience {
    unsigned tries;
    int64_t until_us; /* Never past it; TIME_NEVER: no such bound. */
    uint32_t seed;    /* So that many don't come at once. */
};

void errand__e2b_patience_init(struct e2b_patience *patience, int64_t until_us);
/* When to try again; TIME_NEVER: not any more. */
int64_t errand__e2b_patience_again(struct e2b_patience *patience, const struct e2b_failure *failure,
                                   int64_t now_us);
/* The same for what may be repeated whatever happened. */
int64_t errand__e2b_patience_next(struct e2b_patience *patience, int64_t now_us);

#endif
