/* ask.h - the question on the terminal before a tool runs. */
#ifndef ERRAND_ASK_H
#define ERRAND_ASK_H

#include "cli/jobs.h"

struct ask {
    int tty;        /* -1: there is no terminal; everything is denied. */
    uint64_t shown; /* The call that stands on the terminal; 0: none. */
    char line[64];  /* What was typed for it. */
    size_t len;
};

/* wanted: some tool is to be asked for. */
void ask_init(struct ask *ask, bool wanted);
/* Shows the next question, or takes the answer to it. */
void ask_step(struct ask *ask, struct jobs *jobs, struct print *print);
void ask_deinit(struct ask *ask);

#endif
