/* chore.h - a short shell over there: what it was told, what it said, how it ended. */
#ifndef ERRAND_E2B_CHORE_H
#define ERRAND_E2B_CHORE_H

#include "transport/e2b/patience.h"
#include "transport/e2b/stream.h"

enum e2b_chore_end {
    E2B_CHORE_GOING,
    E2B_CHORE_EXITED,
    E2B_CHORE_FAILED /* It is not known whether it ran. */
};

enum { E2B_CHORE_SAID = 8 * 1024, E2B_CHORE_WORDS = 5, E2B_CHORE_LAST = 160 };

struct e2b_chore {
    const struct e2b_envd *envd;
    struct bell *bell;
    const char *script;               /* Borrowed; may be run twice without harm. */
    char *words[E2B_CHORE_WORDS + 1]; /* $0, $1, …; NULL-terminated. */
    enum e2b_chore_end end;
    struct e2b_stream stream;
    struct e2b_patience patience;
    int64_t again_us;          /* When it is tried again; TIME_NEVER: it is under way. */
    int64_t due_us;            /* When it has taken too long. */
    int exit_code;             /* -1: unknown. */
    struct buf said;           /* Its stdout, as far as there is room. */
    char last[E2B_CHORE_LAST]; /* The last line of its stderr. */
    size_t last_len;
    struct e2b_failure failure; /* Of FAILED. */
};

/* words: at most E2B_CHORE_WORDS, NULL-terminated. false: no memory; it is to be deinitialised all
 * the same. */
bool errand__e2b_chore_init(struct e2b_chore *chore, const struct e2b_envd *envd,
                            const char *script, const char *const *words, struct bell *bell);
void errand__e2b_chore_deinit(struct e2b_chore *chore);
/* Within so much time from now. */
void errand__e2b_chore_begin(struct e2b_chore *chore, int64_t now_us, int64_t timeout_us);
/* One step; true: it is over. */
bool errand__e2b_chore_turn(struct e2b_chore *chore, int64_t now_us);
int64_t errand__e2b_chore_due(const struct e2b_chore *chore);

#endif
