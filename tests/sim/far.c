/* far.c - writes a script. */
#include "far.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct page {
    char *text;
    size_t len;
};

static void put(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct page *page, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    int len = vsnprintf(page->text + page->len, FAR_SCRIPT_MAX - page->len, format, args);
    va_end(args);
    if (len < 0 || (size_t)len >= FAR_SCRIPT_MAX - page->len)
        abort();
    page->len += (size_t)len;
}

static void put_quoted(struct page *page, const char *text, size_t len)
{
    put(page, "\"");
    for (size_t i = 0; i < len; i++)
        put(page, "\\x%02x", (unsigned char)text[i]);
    put(page, "\"");
}

static void put_manners(struct page *page, const struct plan *plan)
{
    if (plan->file)
        put(page, "delivery file\n");
    if (plan->open_ms > 0)
        put(page, "open after %" PRId64 "ms\n", plan->open_ms);
    if (plan->fate == PLACE_OPEN_FAILS)
        put(page, "open fails no such place\n");
    if (plan->fate == PLACE_REFUSES)
        put(page, "refuse no more processes\n");
    put(page, "%s%s%s%s%s", plan->ignore_stop ? "ignore stop\n" : "",
        plan->ignore_term ? "ignore term\n" : "", plan->ignore_kill ? "ignore kill\n" : "",
        plan->hold_pipe ? "hold pipe\n" : "", plan->never_close ? "never close\n" : "");
    put(page, "leave after %" PRId64 "ms\ndie after %" PRId64 "ms\n", plan->leave_ms, plan->die_ms);
    if (plan->close_ms > 0)
        put(page, "close after %" PRId64 "ms\n", plan->close_ms);
    if (plan->cut > 0)
        put(page, "cut %u every %" PRId64 "us\n", plan->cut, plan->cut_every_us);
    if (plan->cut_at > 0)
        put(page, "cut at %u\n", plan->cut_at);
    if (plan->take > 0)
        put(page, "take %u every %" PRId64 "us\n", plan->take, plan->take_every_us);
}

static void put_await(struct page *page, const struct plan *plan, const struct model *model,
                      unsigned i)
{
    const struct host_call *call = &plan->calls[i];

    put(page, "await reply %" PRIu64, call->id);
    if (!model->loose && model->fates[i] == FATE_OK)
        put(page, " ok%s%s", call->reply[0] == '\0' ? "" : " ", call->reply);
    else if (!model->loose && model->fates[i] == FATE_ERROR)
        put(page, " error");
    put(page, "\n");
}

static void put_terminal(struct page *page, const struct plan *plan, const struct far_step *step)
{
    static const char *const codes[] = {"node_not_found", "node_too_old", "node_not_run",
                                        "stdin_eaten",    "stdin_closed", "bad_digest",
                                        "runner_broken"};

    switch ((int)step->act) {
    case FAR_DONE_OK:
        put(page, "done ok %s\n", step->text);
        for (unsigned i = 0; i < step->number; i++)
            put(page, "left %u %u late\n", step->number, i);
        break;
    case FAR_DONE_TWICE:
        put(page, "done ok %s\ndone ok \"no\"\nraw \"rubbish\\n\"\n", step->text);
        break;
    case FAR_DONE_ERROR:
        put(page, "done error {\"kind\":\"exception\",\"code\":\"thrown\",\"message\":\"%s\"}\n",
            step->text);
        break;
    case FAR_EXIT:
        put(page, "exit %u\n", step->number);
        break;
    case FAR_KILLED:
        put(page, "killed %u\n", step->number);
        break;
    case FAR_EOF:
        put(page, "eof\n");
        break;
    case FAR_GARBAGE:
        put(page, "raw \"free at last\\n\\x00\\xff\"\n");
        break;
    case FAR_TORN:
        put(page, "raw \"log info 20\\n\\\"abc\"\nexit 0\n");
        break;
    case FAR_HUGE:
        put(page, "raw \"call 1 0 0 4503599627370496\\n\"\nraw \"x\" times 3000\n");
        break;
    case FAR_FLOOD:
        put(page, "flood 300 100\n");
        break;
    case FAR_LOSE:
        put(page, "lose the cable was pulled\n");
        break;
    case FAR_BAD_INDEX:
        put(page, "call next %d %d {}\n", step->number % 2 == 0 ? PLAN_SPACES : 0,
            step->number % 2 == 0 ? 0 : PLAN_FUNCTIONS);
        break;
    case FAR_BAD_ID:
        put(page, "frame call %" PRIu64 " 0 0 | {}\n", plan->calls[plan->calls_count - 1].id);
        break;
    case FAR_BAD_JSON:
        put(page, "call next 0 0 {\"a\":01}\n");
        break;
    case FAR_BAD_KIND:
        put(page, "done error {\"kind\":\"excuse\",\"code\":\"thrown\",\"message\":\"\"}\n");
        break;
    case FAR_FAIL:
        put(page, "fail %s for some reason\n", codes[step->number % COUNT(codes)]);
        break;
    case FAR_BAD_VERSION:
        put(page, "hello {\"protocol\":77}\n");
        break;
    case FAR_BOOT_NOISE:
        put(page, "raw \"motd\\n\" times 2000\n");
        break;
    }
}

static void put_step(struct page *page, const struct plan *plan, const struct model *model,
                     const struct far_step *step)
{
    switch ((int)step->act) {
    case FAR_WAIT:
        put(page, "+%" PRId64 "ms\n", step->ms);
        break;
    case FAR_START:
        put(page, "start\n%s", plan_wants(plan) ? "want\n" : "");
        break;
    case FAR_BANNER:
        put(page, "banner %.*s\n", (int)step->text_len, step->text);
        break;
    case FAR_HELLO:
        put(page, "hello\n");
        break;
    case FAR_LOG:
        put(page, "log info ");
        put_quoted(page, step->text, step->text_len);
        put(page, "\n");
        break;
    case FAR_ITEM:
        put(page, "item %s\n", step->text);
        break;
    case FAR_STORE:
        put(page, "store %s\n", step->text);
        break;
    case FAR_NOISE:
        put(page, "noise ");
        put_quoted(page, step->text, step->text_len);
        put(page, "\n");
        break;
    case FAR_STATS:
        put(page, "stats {\"busy_ms\":1}\n");
        break;
    case FAR_BEAT:
        put(page, "beat 0\n");
        break;
    case FAR_LEFT:
        put(page, "left 3 %u early\n", step->number);
        break;
    case FAR_HANG:
        put(page, "hang\n");
        break;
    case FAR_CALL: {
        const struct host_call *call = &plan->calls[step->number];
        put(page, "call %" PRIu64 " %u %u %s\n", call->id, call->space, call->function, call->args);
        break;
    }
    case FAR_AWAIT:
        put_await(page, plan, model, step->number);
        break;
    default:
        put_terminal(page, plan, step);
        break;
    }
}

/* NOLINTNEXTLINE(readability-non-const-parameter): it is written to. */
void far_write(const struct plan *plan, const struct model *model, char script[FAR_SCRIPT_MAX])
{
    struct page page = {script, 0};

    put_manners(&page, plan);
    for (size_t i = 0; i < plan->steps_count; i++)
        put_step(&page, plan, model, &plan->steps[i]);
}
