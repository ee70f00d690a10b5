/* play.h - plays a scenario over the real driver, in made-up time. */
#ifndef ERRAND_TEST_PLAY_H
#define ERRAND_TEST_PLAY_H

#include "ferry.h"
#include "scenario.h"
#include "story.h"

struct manner {
    bool crumbs;         /* Byte by byte. */
    struct ferry *ferry; /* Over a way that breaks; or NULL. */
};

/* true: it came to its end; story tells how, also of breaches of transport.h. */
bool play(const struct scenario *scenario, struct manner manner, struct story *story);

#endif
