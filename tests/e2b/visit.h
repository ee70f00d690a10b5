/* visit.h - one program to a sandbox and back, and all that came of it. */
#ifndef E2B_TEST_VISIT_H
#define E2B_TEST_VISIT_H

#include "base/base.h"

enum { VISIT_TEXT = 1024, VISIT_FACTS = 16 * 1024 };

struct visit {
    /* What to do. */
    const char *address;
    errand_e2b_options e2b;
    errand_limits limits;
    const char *node;
    const char *program;
    /* When the program calls home.now(), before it is answered. */
    void (*at_call)(void);
    /* What came of it. */
    errand_status status; /* Of errand_execute(). */
    errand_kind kind;
    char code[64], value[VISIT_TEXT], message[VISIT_TEXT], warning[VISIT_TEXT];
    bool unknown, abandoned, retryable, may_be_running;
    int64_t retry_after_ms;
    uint64_t drops;
    char facts[VISIT_FACTS]; /* Of the area e2b. */
    size_t facts_len;
};

/* With the defaults of everything; the test server is where the environment leads. */
struct visit visit_to(const char *address, const char *program);
void visit_go(struct visit *visit);
/* Goes, and fails the test unless the value is text; or the code is, and words stand in the
 * message. */
void visit_brings(struct visit *visit, const char *text);
void visit_fails(struct visit *visit, const char *code, const char *words);

#endif
