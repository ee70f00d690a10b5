/* world.h - the clock and the waiting of a loop: real, or made up for tests. */
#ifndef ERRAND_WORLD_H
#define ERRAND_WORLD_H

#include "base/base.h"

struct world {
    bool made_up; /* Time jumps to the next due instant instead of passing. */
    int64_t made_up_us;
};

int64_t errand__world_now_us(const struct world *world);

/* A loop in made-up time: it starts at 0 and never sleeps. For errand/fake.h. */
errand_status errand__loop_new_made_up(errand_loop **out, errand_error *err) ERRAND_CHECKED;

#endif
