/* child.h - a child of ours as a process of a road. */
#ifndef ERRAND_CHILD_H
#define ERRAND_CHILD_H

#include <errand/transport.h>

#include "base/base.h"

/* Starts argv (NULL-terminated, borrowed for the call), as spawn.h says. A command that can't be
 * run is told of by next. */
errand_status errand__child_new(errand_process **out, const char *const *argv,
                                errand_error *err) ERRAND_CHECKED;

/* The same of a jail, apart as spawn.h says. All that it starts dies when it does, by the kernel:
 * who is met on his way to that is no news. */
errand_status errand__child_new_jailed(errand_process **out, const char *const *argv,
                                       errand_error *err) ERRAND_CHECKED;

#endif
