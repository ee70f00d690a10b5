/* retell.h - a recorded run once more, through the driver, on the fake place in made-up time. */
#ifndef CONFORMANCE_RETELL_H
#define CONFORMANCE_RETELL_H

#include "scenario.h"

/* Whether a fake far side that says what the recorded one said, with the tools of the scenario
 * at home, gives the same text; says where not. */
bool retold_agrees(errand_span record, const char *text, const struct scenario *scenario);

#endif
