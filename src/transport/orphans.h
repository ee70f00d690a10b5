/* orphans.h - children that were killed and that nobody waits for any more.
 *
 * A process takes a moment to die after SIGKILL, and a library neither blocks for it nor leaves a
 * zombie in its host. So who is not dead yet when its owner goes waits here for the next call. */
#ifndef ERRAND_ORPHANS_H
#define ERRAND_ORPHANS_H

#include <sys/types.h>

struct orphan {
    struct orphan *next;
    pid_t pid;
};

/* Any thread. orphan is a block of its own and is taken. */
void errand__orphans_take(struct orphan *orphan, pid_t pid);
/* Any thread. Reaps who is dead by now; waits at most so long for the others. */
void errand__orphans_bury(int patience_ms);

#endif
