/* input.h - bytes for a process's standard input: in order, one request at a time, and none
 * sent twice unless it is certain that the first had not arrived. */
#ifndef ERRAND_E2B_INPUT_H
#define ERRAND_E2B_INPUT_H

#include "transport/e2b/envd.h"
#include "transport/e2b/patience.h"

enum e2b_input_news {
    E2B_INPUT_QUIET,
    E2B_INPUT_ROOM,   /* It takes bytes again. */
    E2B_INPUT_GONE,   /* The process takes none any more; it takes and drops all. */
    E2B_INPUT_UNKNOWN /* What was on its way may have arrived or not. It takes bytes again. */
};

struct e2b_input {
    const struct e2b_envd *envd;
    struct bell *bell;
    struct e2b_exchange *exchange; /* NULL: none under way. */
    struct e2b_patience patience;
    struct buf held;  /* What it carries. */
    int64_t again_us; /* When it is sent again; TIME_NEVER: not waiting for that. */
    uint32_t pid;
    bool gone;
    struct e2b_failure failure; /* Of UNKNOWN. */
};

void errand__e2b_input_init(struct e2b_input *input, const struct e2b_envd *envd,
                            struct bell *bell);
void errand__e2b_input_deinit(struct e2b_input *input);
/* Takes a prefix, maybe none. */
size_t errand__e2b_input_send(struct e2b_input *input, errand_span bytes);
enum e2b_input_news errand__e2b_input_turn(struct e2b_input *input, int64_t now_us);
/* Whatever was on its way may have arrived or not; nobody waits for it any more. */
void errand__e2b_input_forget(struct e2b_input *input);
int64_t errand__e2b_input_due(const struct e2b_input *input);

#endif
