/* model.h - what must come of a plan, worked out without a core. */
#ifndef ERRAND_TEST_MODEL_H
#define ERRAND_TEST_MODEL_H

#include "plan.h"

enum fate { FATE_OPEN, FATE_OK, FATE_ERROR, FATE_CANCELLED, FATE_NEVER_MADE };

struct model {
    /* Two things fall on one instant, or bytes take time: kind and times are not foretold. */
    bool loose;
    errand_kind kind; /* Before it was abandoned, if it was. */
    const char *code;
    bool abandoned;
    int64_t decided_ms, end_ms;
    enum fate fates[PLAN_CALLS_MAX];
    uint64_t output_left;     /* For the text of an ending that home words. */
    size_t logs, items;       /* That came before the end. */
    size_t calls;             /* That were made. */
    bool left;                /* Somebody had escaped, as was said before the end. */
    bool finished;            /* Asked to leave, not told. */
    int64_t term_ms, kill_ms; /* When that order must come; -1: never. */
};

void model_foresee(const struct plan *plan, struct model *model);

#endif
