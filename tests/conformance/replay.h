/* replay.h - a recorded run once more, through the core alone. */
#ifndef CONFORMANCE_REPLAY_H
#define CONFORMANCE_REPLAY_H

#include "scenario.h"

/* Whether the record gives the same text again, as it is and, where they come in no segments, with
 * the far side's bytes cut anew; says where not. */
bool replay_agrees(errand_span record, const char *text, const struct scenario *scenario);

#endif
