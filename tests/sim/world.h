/* world.h - plays some plans at once, in one loop in made-up time, and watches. */
#ifndef ERRAND_TEST_WORLD_H
#define ERRAND_TEST_WORLD_H

#include "far.h"

enum { WORLD_RUNS_MAX = 3 };

struct world_options {
    bool crumbs; /* Both streams byte by byte. */
    bool trace;  /* Tells on stdout. */
};

/* true: every invariant held and what the model foresaw came. story: a hash of all that was
 * told, without the noise, which comes in other pieces in crumbs. */
bool world_play(uint64_t seed, const struct world_options *options, uint64_t *story);

#endif
