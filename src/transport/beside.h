/* beside.h - a file on this machine that stands under its name only once it is complete. */
#ifndef ERRAND_BESIDE_H
#define ERRAND_BESIDE_H

#include "base/base.h"

struct beside {
    int fd; /* -1: not open. */
    char *path;
    char *temporary; /* In the same folder; NULL: nothing is there. */
};

/* Makes an empty file beside path, which is copied. 0, or an errno: EISDIR where a folder has that
 * name, EINVAL where a device, a pipe or a socket has it, or a link leads to one. On failure there
 * is nothing to deinit. */
int errand__beside_open(struct beside *beside, const char *path);
/* 0 or an errno. */
int errand__beside_write(struct beside *beside, errand_span bytes);
/* Gives it its permission bits and its name. 0 or an errno, those of errand__beside_open() too. */
int errand__beside_finish(struct beside *beside, uint32_t mode);
/* Takes away what was not finished. */
void errand__beside_deinit(struct beside *beside);

#endif
