/* trace.h - one line for one fact, to whoever asked for it. */
#ifndef ERRAND_TRACE_H
#define ERRAND_TRACE_H

#include "run/plan.h"

void errand__trace(const struct plan *plan, int64_t now_us, const char *area, const char *format,
                   ...) __attribute__((format(printf, 4, 5)));

#endif
