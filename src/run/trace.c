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

void errand__trace_notice(const struct plan *plan, int64_t now_us, const errand_notice *notice)
{
    switch (notice->type) {
    case ERRAND_NOTICE_OPENED:
        errand__trace(plan, now_us, "exec", "process started");
        break;
    case ERRAND_NOTICE_OUT:
        errand__trace(plan, now_us, "exec", "read %zu bytes of its output", notice->bytes.len);
        break;
    case ERRAND_NOTICE_ERR:
        errand__trace(plan, now_us, "exec", "read %zu bytes of its raw output", notice->bytes.len);
        break;
    case ERRAND_NOTICE_EOF:
        errand__trace(plan, now_us, "exec", "its output ended");
        break;
    case ERRAND_NOTICE_EXITED:
        errand__trace(plan, now_us, "exec", "process exited: code %d, signal %d", notice->exit_code,
                      notice->exit_signal);
        break;
    case ERRAND_NOTICE_CLOSED:
        errand__trace(plan, now_us, "exec", "cleared what was left of it");
        break;
    case ERRAND_NOTICE_DROPPED:
        errand__trace(plan, now_us, "exec", "the stream broke: %.*s", (int)notice->bytes.len,
                      notice->bytes.ptr);
        break;
    case ERRAND_NOTICE_ATTACHED:
        errand__trace(plan, now_us, "exec", "the stream is there again");
        break;
    }
}

/* Functions by their number, since a name may be any text. */
void errand__trace_event(const struct plan *plan, int64_t now_us, const errand_event *event)
{
    switch (event->type) {
    case ERRAND_EVENT_STARTED:
        errand__trace(plan, now_us, "boot", "runner spoke: pid %lld",
                      (long long)event->as.started.pid);
        break;
    case ERRAND_EVENT_LOG:
        errand__trace(plan, now_us, "wire", "heard log %s, %zu bytes", event->as.log.level,
                      event->as.log.json.len);
        break;
    case ERRAND_EVENT_CALL:
        errand__trace(plan, now_us, "wire",
                      "heard call %llu of function %zu in space %zu, %zu bytes",
                      (unsigned long long)event->as.call.id, event->as.call.function_index,
                      event->as.call.space_index, event->as.call.args.len);
        break;
    case ERRAND_EVENT_ITEM:
        errand__trace(plan, now_us, "wire", "heard item %s, %zu bytes", event->as.item.type,
                      event->as.item.json.len);
        break;
    case ERRAND_EVENT_CALL_OVER:
        errand__trace(plan, now_us, "wire", "call %llu was over: %s",
                      (unsigned long long)event->as.call_over.id, event->as.call_over.why);
        break;
    case ERRAND_EVENT_END:
        errand__trace(plan, now_us, "run", "ended as %s%s%s", errand_kind_name(event->as.end->kind),
                      event->as.end->code[0] == '\0' ? "" : ", ", event->as.end->code);
        break;
    case ERRAND_EVENT_NOISE: /* Told as what was read. */
    case ERRAND_EVENT_PLACE_CLOSED:
    case ERRAND_EVENT_ANSWER:
    case ERRAND_EVENT_ASK:
    case ERRAND_EVENT_TRANSFER_OVER:
        break;
    }
}
