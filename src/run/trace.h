/* trace.h - one line for one fact, to whoever asked for it. */
#ifndef ERRAND_TRACE_H
#define ERRAND_TRACE_H

#include "run/plan.h"

#include <errand/transport.h>

void errand__trace(const struct plan *plan, int64_t now_us, const char *area, const char *format,
                   ...) __attribute__((format(printf, 4, 5)));
void errand__trace_notice(const struct plan *plan, int64_t now_us, const errand_notice *notice);
void errand__trace_event(const struct plan *plan, int64_t now_us, const errand_event *event);

#endif
