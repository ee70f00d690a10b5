/* ladder.h - how a process is made to go: a table of rungs, each with an order and a patience. */
#ifndef ERRAND_LADDER_H
#define ERRAND_LADDER_H

#include "core/core.h"

enum ladder_rung { RUNG_ASK, RUNG_TELL, RUNG_KILL, RUNG_GIVE_UP };

struct rung {
    enum core_order order;
    bool says_stop;  /* Sends the frame too, as long as the far side may still read it. */
    size_t patience; /* Offset of a field of errand_limits. */
    const char *limit;
};

/* Not of RUNG_GIVE_UP, which has nothing to do and nothing to wait for. */
const struct rung *errand__ladder_rung(enum ladder_rung rung);

#endif
