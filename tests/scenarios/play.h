/* play.h - plays a scenario over the real driver, in made-up time. */
#ifndef ERRAND_TEST_PLAY_H
#define ERRAND_TEST_PLAY_H

#include "scenario.h"
#include "story.h"

/* true: it came to its end; story tells how, also of breaches of transport.h. */
bool play(const struct scenario *scenario, bool crumbs, struct story *story);

#endif
