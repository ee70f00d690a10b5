/* patience.c - twice as long each time, up to a few seconds, by a third more or less. */
#include "transport/e2b/patience.h"

#include <sys/random.h>

enum { FIRST_US = 150 * 1000, LONGEST_US = 4 * 1000 * 1000, TRIES_MOST = 12, DOUBLINGS_MOST = 5 };

void errand__e2b_patience_init(struct e2b_patience *patience, int64_t until_us)
{
    *patience = (struct e2b_patience){.until_us = until_us, .seed = 1};
    (void)!getrandom(&patience->seed, sizeof(patience->seed), GRND_NONBLOCK);
}

static int64_t shaken(struct e2b_patience *patience, int64_t wait_us)
{
    patience->seed = patience->seed * 1664525U + 1013904223U;
    return wait_us * (int64_t)(200 + (patience->seed >> 16) % 200) / 300;
}

int64_t errand__e2b_patience_next(struct e2b_patience *patience, int64_t now_us)
{
    unsigned doublings = patience->tries < DOUBLINGS_MOST ? patience->tries : DOUBLINGS_MOST;
    int64_t wait_us = (int64_t)FIRST_US << doublings;

    wait_us = shaken(patience, wait_us < LONGEST_US ? wait_us : LONGEST_US);
    patience->tries++;
    return now_us + wait_us > patience->until_us ? TIME_NEVER : now_us + wait_us;
}

int64_t errand__e2b_patience_again(struct e2b_patience *patience, const struct e2b_failure *failure,
                                   int64_t now_us)
{
    if (!failure->retryable || failure->unsure || patience->tries >= TRIES_MOST)
        return TIME_NEVER;
    int64_t at_us = errand__e2b_patience_next(patience, now_us);
    int64_t least_us = now_us + failure->after_us;

    at_us = at_us < least_us ? least_us : at_us;
    return at_us > patience->until_us ? TIME_NEVER : at_us;
}
