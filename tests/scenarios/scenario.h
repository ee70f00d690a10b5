/* scenario.h - one scenario file: options, what the host does, the far side, what must come.
 *
 *     # What it shows.
 *     limits wall=2s output=4KiB
 *     functions weather echo        (of the namespace tools; these are the default)
 *     runs 3                        (started at once on one place; default 1)
 *     collect                       (logs into the outcome)
 *     whole                         (not run again in crumbs: it is large)
 *     steady WHY                    (not run over a way that breaks, which would be seen)
 *     host:
 *     on call 1 after 50ms reply it {"t":21}
 *     at 300ms cancel enough
 *     far:
 *     ...the script of a fake place...
 *     expect:
 *     ...the story, as story.c tells it...
 */
#ifndef ERRAND_TEST_SCENARIO_H
#define ERRAND_TEST_SCENARIO_H

#include "base/base.h"

enum { RULES_MAX = 64, FUNCTIONS_MAX = 16, RUNS_MAX = 64 };

enum trigger { ON_TIME, ON_STARTED, ON_LOG, ON_NOISE, ON_CALL, ON_OVER, ON_END };

enum act {
    ACT_REPLY,
    ACT_REJECT,
    ACT_HOLD,
    ACT_RESUME,
    ACT_CANCEL,
    ACT_FREE,
    ACT_START, /* One more run. */
    ACT_CLOSE  /* The place. */
};

struct rule {
    enum trigger trigger;
    bool any;      /* ON_CALL, ON_OVER: whichever. */
    uint64_t call; /* Of the trigger. */
    int64_t after_us;
    enum act act;
    bool it;           /* The act is about the trigger's call. */
    uint64_t about;    /* Or about this one. */
    uint64_t times;    /* Of a reply: a string of so many x. */
    char *text;        /* JSON, message or reason; NUL-terminated. */
    char *name, *code; /* Of a rejection; or NULL. */
};

struct scenario {
    char *bytes; /* The file; what is below points into it. */
    size_t len;
    size_t expect_at; /* Where its last section begins. */
    errand_limits limits;
    char *functions[FUNCTIONS_MAX + 1];
    struct rule rules[RULES_MAX];
    size_t rules_count;
    unsigned runs;
    bool collect, whole, steady;
    char *far; /* The script. */
};

/* On failure prints what is wrong and returns false; deinit is still due. */
bool scenario_load(struct scenario *scenario, const char *path);
void scenario_deinit(struct scenario *scenario);
/* The story that the file expects. */
const char *scenario_expected(const struct scenario *scenario);
bool scenario_rewrite(const struct scenario *scenario, const char *path, const char *story);

#endif
