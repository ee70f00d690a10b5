/* signals.h - what is done to a process in a sandbox from outside of its streams: it is told to go,
 * and where nothing is heard of it, it is looked whether it is there.
 *
 * Whether it is to go, or gone, is not decided here. */
#ifndef ERRAND_E2B_SIGNALS_H
#define ERRAND_E2B_SIGNALS_H

#include "transport/e2b/run.h"

/* In place of one that is under way. */
void errand__e2b_signals_order(struct e2b_run *run, enum e2b_order_kind kind);
/* Does what is due of what was asked for by run->term and run->kill, and looks. */
void errand__e2b_signals_carry_out(struct e2b_run *run, int64_t now_us);
/* It was heard now, and is looked for after so long a silence. */
void errand__e2b_signals_look_after(struct e2b_run *run, int64_t now_us, int64_t wait_us);
/* Whether run->look_us is waited for. */
bool errand__e2b_signals_may_look(const struct e2b_run *run);

#endif
