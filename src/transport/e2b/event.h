/* event.h - what a stream of a sandbox's process says, in whichever codec it said it. */
#ifndef ERRAND_E2B_EVENT_H
#define ERRAND_E2B_EVENT_H

#include "base/base.h"

enum e2b_event_type {
    E2B_EVENT_NONE, /* Something newer than this client, or a sign of life. */
    E2B_EVENT_START,
    E2B_EVENT_OUT,
    E2B_EVENT_ERR,
    E2B_EVENT_END
};

struct e2b_event {
    enum e2b_event_type type;
    uint32_t pid;      /* START. */
    errand_span bytes; /* OUT, ERR; borrowed. */
    /* END. What stood there, as it stood there. */
    bool has_code, exited;
    int32_t exit_code;
    errand_span status, error;
};

/* How a process came to its end, whichever shape its end event has. -1 and 0: unknown. */
void errand__e2b_event_exit(const struct e2b_event *end, int *exit_code, int *exit_signal);

#endif
