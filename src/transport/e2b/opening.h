/* opening.h - from a template or an id to a sandbox that runs. */
#ifndef ERRAND_E2B_OPENING_H
#define ERRAND_E2B_OPENING_H

#include "transport/e2b/control.h"
#include "transport/e2b/diary.h"
#include "transport/e2b/patience.h"

struct e2b_opening {
    struct e2b_control *control;
    struct e2b_sandbox *sandbox; /* What comes of it. */
    struct e2b_diary *diary;
    struct bell *bell;
    enum e2b_verb verb;
    struct e2b_exchange *exchange; /* NULL: none under way. */
    struct e2b_patience patience;
    int64_t again_us; /* When it is asked again; TIME_NEVER: it is under way. */
    bool began;
    bool made; /* A sandbox of ours exists, or may. */
    struct e2b_failure failure;
};

/* OK: the sandbox is known; AGAIN; negative: failure says why. */
errand_status errand__e2b_opening_step(struct e2b_opening *opening, int64_t now_us) ERRAND_CHECKED;
int64_t errand__e2b_opening_due(const struct e2b_opening *opening);
void errand__e2b_opening_deinit(struct e2b_opening *opening);

#endif
