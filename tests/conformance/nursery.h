/* nursery.h - runs a function in a child and tells which of its descendants outlived it.
 *
 * The parent is the reaper of all orphans below it, so that whatever a run leaves behind, in
 * whatever session, ends up as its child and can be seen.
 */
#ifndef CONFORMANCE_NURSERY_H
#define CONFORMANCE_NURSERY_H

#include "base/base.h"

#include <sys/types.h>

/* Whether a process lives: exists and is no zombie. */
bool process_lives(pid_t pid);
/* Command line of a process, words joined by blanks; empty where it cannot be read. */
char *process_words(pid_t pid);
/* How many living children a process has; pids: the first max of them. */
size_t children_of(pid_t parent, pid_t *pids, size_t max);
/* Reaps what has died and returns how many living children this process has, after waiting for
 * them to vanish at most patience_ms; pids: the first max of them. */
size_t children_left(int patience_ms, pid_t *pids, size_t max);
/* Makes this process the reaper of orphans below it. */
void nursery_adopt(void);
/* Exit code of work in a child; adopted orphans are reaped meanwhile. The caller looks at
 * children_left() afterwards. */
int nursery_run(int (*work)(void *ctx), void *ctx);

#endif
