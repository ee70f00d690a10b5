/* breaks.h - plays a scenario over a way that breaks, here and there and everywhere. */
#ifndef ERRAND_TEST_BREAKS_H
#define ERRAND_TEST_BREAKS_H

#include "scenario.h"
#include "story.h"

/* From here on: at every byte of what is short. Before it is a few of them, others of each turn. */
void breaks_everywhere(void);
/* turn: a number of this scenario's own. true: wherever the way broke, once or twice and in either
 * direction, the story was the one that was told without; else the first other one is printed. */
bool breaks_change_nothing(const struct scenario *scenario, unsigned turn,
                           const struct story *story);
/* How many stories were told so far. */
unsigned breaks_played(void);

#endif
