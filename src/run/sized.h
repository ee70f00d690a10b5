/* sized.h - structs that begin with their size and grow at the end. */
#ifndef ERRAND_SIZED_H
#define ERRAND_SIZED_H

#include "base/base.h"

/* Copies from, which begins with its size, over out of out_size bytes, whose own size stays.
 * EINVAL: from was not set up by its _INIT. ENOSYS: it is newer than this library, and uses
 * what this library does not know. what names it in the error. */
errand_status errand__sized_copy(void *out, size_t out_size, const void *from, const char *what,
                                 errand_error *err) ERRAND_CHECKED;

#endif
