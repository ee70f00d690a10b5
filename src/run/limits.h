/* limits.h - what each limit is called, its default, and what may stand in it. */
#ifndef ERRAND_LIMITS_H
#define ERRAND_LIMITS_H

#include "base/base.h"

/* given, completed: no zero stands for a default any more, but lease_ms 0, which is off.
 * road_lease_ms is the place's own. given may be NULL. EINVAL names the limit that makes no
 * sense, ENOSYS a struct newer than this library. */
errand_status errand__limits_complete(errand_limits *out, const errand_limits *given,
                                      uint64_t road_lease_ms, errand_error *err) ERRAND_CHECKED;

#endif
