/* lock.h - that the file of --store belongs to one run at a time. */
#ifndef ERRAND_LOCK_H
#define ERRAND_LOCK_H

#include "base/base.h"

#include <limits.h>

struct lock {
    char path[PATH_MAX + 8];
    int fd; /* -1: not held. */
};

/* real: the file behind symbolic links; shown: as it was given. EINVAL: another run has it. */
errand_status lock_take(struct lock *lock, const char *real, const char *shown,
                        errand_error *err) ERRAND_CHECKED;
void lock_leave(struct lock *lock);

#endif
