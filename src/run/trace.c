/* trace.c - facts without payloads: what is traced may be shown to anyone. */
#include "run/trace.h"

#include <stdarg.h>
#include <stdio.h>

enum { TRACE_LINE_MOST = 512 };

void errand__trace(const struct plan *plan, int64_t now_us, const char *area, const char *format,
                   ...)
{
    char line[TRACE_LINE_MOST];

    if (plan->trace == NULL)
        return;
    va_list args;
    va_start(args, format);
    int len = vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    if (len < 0)
        return;
    errand_span span = {line, (size_t)len < sizeof(line) ? (size_t)len : sizeof(line) - 1};
    plan->trace(plan->trace_ctx, now_us, area, span);
}
