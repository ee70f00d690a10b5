/* advice.h - how far a run got that ended with some code, and what to do about it. */
#ifndef ERRAND_ADVICE_H
#define ERRAND_ADVICE_H

#include "base/base.h"

enum stage {
    STAGE_NAME, /* Of ssh and sandboxes, as are the next three. */
    STAGE_CONNECTION,
    STAGE_HOST_KEY, /* Of a sandbox's API: its certificate. */
    STAGE_LOGIN,    /* There: the key. */
    STAGE_CLIENT,   /* Of containers; of sandboxes: the template. */
    STAGE_DAEMON,   /* Of containers; of sandboxes: the service inside. */
    STAGE_START,
    STAGE_SHELL,
    STAGE_NODE,
    STAGE_PROGRAM
};

struct advice {
    enum stage stage;
    const char *words;
};

/* code NULL: a program failed where another one had run. */
struct advice advice_for(const char *address, const char *code);
/* What the stages on the way to a place are called, by their number; NULL: not on that way. */
const char *const *advice_stages(const char *address);

#endif
