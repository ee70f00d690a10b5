/* world.c - the one clock of the library. */
#include "run/world.h"

#include <time.h>

int64_t errand__world_now_us(const struct world *world)
{
    struct timespec now;

    if (world->made_up)
        return world->made_up_us;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}
