/* timers.h - which of many sources is due first: a heap of instants. */
#ifndef ERRAND_TIMERS_H
#define ERRAND_TIMERS_H

#include "base/base.h"

/* Lives in what has to be woken. */
struct timer {
    int64_t due_us;
    size_t at; /* Place in the heap plus 1; 0: in none. */
};

struct timers {
    struct timer **heap;
    size_t count, room;
};

void errand__timers_deinit(struct timers *timers);
/* Makes room for one timer more, so that setting it can't fail. */
errand_status errand__timers_reserve(struct timers *timers, size_t count) ERRAND_CHECKED;
/* TIME_NEVER takes it out. */
void errand__timers_set(struct timers *timers, struct timer *timer, int64_t due_us);
/* NULL: none is set. */
struct timer *errand__timers_first(const struct timers *timers);

#endif
