/* check.c - what a run did, as text. */
#include "check.h"

#include "scenario.h"

#include <ctype.h>
#include <inttypes.h>

/* Longer payloads are shown by head, length and hash. */
enum { SHOWN_MAX = 300, SHOWN_HEAD = 60, CALLS_SHOWN = 12, LOGS_SHOWN = 20 };

/* --- Spans ----------------------------------------------------------------------------------- */

static uint64_t hash(errand_span bytes)
{
    uint64_t sum = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < bytes.len; i++)
        sum = (sum ^ (unsigned char)bytes.ptr[i]) * UINT64_C(1099511628211);
    return sum;
}

static errand_span shown_head(errand_span bytes)
{
    size_t len = SHOWN_HEAD;
    while (len > 0 && ((unsigned char)bytes.ptr[len] & 0xC0) == 0x80)
        len--;
    return span_head(bytes, len);
}

static void put_raw(FILE *to, errand_span bytes)
{
    for (size_t i = 0; i < bytes.len; i++) {
        unsigned char byte = (unsigned char)bytes.ptr[i];
        if (byte < 0x20 || byte == 0x7F)
            (void)fprintf(to, "\\x%02x", byte);
        else
            (void)fputc(byte, to);
    }
}

static void put_escaped(FILE *to, errand_span text)
{
    (void)fputc('"', to);
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        if (byte == '\n')
            (void)fputs("\\n", to);
        else if (byte == '\t')
            (void)fputs("\\t", to);
        else if (byte == '"' || byte == '\\')
            (void)fprintf(to, "\\%c", byte);
        else if (byte < 0x20 || byte == 0x7F)
            (void)fprintf(to, "\\u%04x", byte);
        else
            (void)fputc(byte, to);
    }
    (void)fputc('"', to);
}

static void put_length(FILE *to, errand_span bytes)
{
    (void)fprintf(to, " (%zu bytes, %016" PRIx64 ")", bytes.len, hash(bytes));
}

void check_bytes(FILE *to, errand_span bytes)
{
    if (bytes.len <= SHOWN_MAX) {
        put_raw(to, bytes);
        return;
    }
    put_raw(to, shown_head(bytes));
    put_length(to, bytes);
}

void check_text(FILE *to, errand_span text)
{
    if (text.len <= SHOWN_MAX) {
        put_escaped(to, text);
        return;
    }
    put_escaped(to, shown_head(text));
    put_length(to, text);
}

/* --- The ending ------------------------------------------------------------------------------ */

static void put_field(FILE *to, const char *label, errand_span text)
{
    if (text.len == 0)
        return;
    (void)fprintf(to, "  %s ", label);
    check_text(to, text);
    (void)fputc('\n', to);
}

static void put_value(FILE *to, const errand_outcome *end)
{
    if (end->value.len == 0) {
        (void)fputs(end->kind == ERRAND_KIND_VALUE ? "  no value\n" : "", to);
        return;
    }
    (void)fputs("  value ", to);
    check_bytes(to, end->value);
    (void)fputc('\n', to);
}

static void put_calls(FILE *to, const errand_outcome *end)
{
    static const char *const words[] = {[ERRAND_CALL_OK] = "ok",
                                        [ERRAND_CALL_ERROR] = "error",
                                        [ERRAND_CALL_CANCELLED] = "cancelled"};
    if (end->calls_total == 0)
        return;
    (void)fputs("  calls", to);
    size_t tally[COUNT(words)] = {0};
    for (size_t i = 0; i < end->calls_count; i++) {
        const errand_call_record *call = &end->calls[i];
        tally[call->status]++;
        if (end->calls_total <= CALLS_SHOWN)
            (void)fprintf(to, "%s %" PRIu64 " %s", i == 0 ? "" : ",", call->id,
                          words[call->status]);
    }
    if (end->calls_total > CALLS_SHOWN)
        (void)fprintf(to, " %" PRIu64 ": ok %zu, error %zu, cancelled %zu", end->calls_total,
                      tally[ERRAND_CALL_OK], tally[ERRAND_CALL_ERROR],
                      tally[ERRAND_CALL_CANCELLED]);
    (void)fputc('\n', to);
}

static void put_logs(FILE *to, const errand_outcome *end, unsigned show)
{
    if (end->logs_kept != end->logs_total || (show & SHOW_LOGS) != 0)
        (void)fprintf(to, "  kept %" PRIu64 " of %" PRIu64 " logs\n", end->logs_kept,
                      end->logs_total);
    if ((show & SHOW_LOGS) == 0)
        return;
    for (size_t i = 0; i < end->logs_count && i < LOGS_SHOWN; i++) {
        (void)fprintf(to, "  - %s ", end->logs[i].level);
        check_text(to, end->logs[i].text);
        (void)fputc('\n', to);
    }
}

static void put_items(FILE *to, const errand_outcome *end, unsigned show)
{
    if ((show & SHOW_LOGS) != 0 && end->items_total > 0)
        (void)fprintf(to, "  kept %zu of %" PRIu64 " items\n", end->items_count, end->items_total);
    for (size_t i = 0; i < end->items_count && i < LOGS_SHOWN; i++) {
        (void)fprintf(to, "  - %s behind %" PRIu64 ": ", end->items[i].type,
                      end->items[i].logs_before);
        check_bytes(to, end->items[i].json);
        (void)fputc('\n', to);
    }
    if (end->store.len == 0)
        return;
    (void)fputs("  store ", to);
    check_bytes(to, end->store);
    (void)fputc('\n', to);
}

static void put_fault(FILE *to, const errand_outcome *end, unsigned show)
{
    put_field(to, "name", end->name);
    put_field(to, "message", end->message);
    if (end->line != 0)
        (void)fprintf(to, "  at %" PRIu32 ":%" PRIu32 "\n", end->line, end->column);
    if (end->limit != NULL)
        (void)fprintf(to, "  limit %s\n", end->limit);
    if ((show & SHOW_HINT) != 0)
        put_field(to, "hint", end->hint);
    if ((show & SHOW_STACK) != 0)
        put_field(to, "stack", end->stack);
    if ((show & SHOW_ERROR) != 0 && end->error.len != 0) {
        (void)fputs("  error ", to);
        check_bytes(to, end->error);
        (void)fputc('\n', to);
    }
}

static void put_end(FILE *to, const errand_outcome *end, unsigned show)
{
    (void)fprintf(to, "end %s%s%s\n", errand_kind_name(end->kind), end->code[0] == '\0' ? "" : " ",
                  end->code);
    put_value(to, end);
    put_fault(to, end, show);
    put_calls(to, end);
    put_logs(to, end, show);
    put_items(to, end, show);
    put_field(to, "noise", end->noise);
    for (size_t i = 0; i < end->warnings_count; i++)
        put_field(to, "warning", span_text(end->warnings[i]));
    if (end->abandoned)
        (void)fputs("  abandoned\n", to);
    if (end->outcome_unknown)
        (void)fputs("  outcome unknown\n", to);
    (void)fprintf(to, "  exit %d\n", errand_outcome_exit_code(end));
}

/* --- Events ---------------------------------------------------------------------------- */

static bool plain_name(const char *name)
{
    for (const char *at = name; *at != '\0'; at++)
        if (!isalnum((unsigned char)*at) && *at != '_' && *at != '$')
            return false;
    return *name != '\0';
}

static void put_call(FILE *to, const errand_event *event)
{
    (void)fprintf(to, "call %" PRIu64 " %s.", event->as.call.id, event->as.call.space);
    if (plain_name(event->as.call.function))
        (void)fputs(event->as.call.function, to);
    else
        put_escaped(to, span_text(event->as.call.function));
    if (event->as.call.args.len != 0)
        (void)fputc(' ', to);
    check_bytes(to, event->as.call.args);
    (void)fputc('\n', to);
}

void check_event(FILE *to, const errand_event *event, unsigned show)
{
    switch (event->type) {
    case ERRAND_EVENT_LOG:
        (void)fprintf(to, "log %s ", event->as.log.level);
        check_bytes(to, event->as.log.json);
        (void)fputc('\n', to);
        return;
    case ERRAND_EVENT_ITEM:
        (void)fprintf(to, "item %s ", event->as.item.type);
        check_bytes(to, event->as.item.json);
        (void)fputc('\n', to);
        return;
    case ERRAND_EVENT_CALL:
        put_call(to, event);
        return;
    case ERRAND_EVENT_CALL_OVER:
        (void)fprintf(to, "over %" PRIu64 " %s\n", event->as.call_over.id, event->as.call_over.why);
        return;
    case ERRAND_EVENT_END:
        put_end(to, event->as.end, show);
        return;
    case ERRAND_EVENT_STARTED: /* Tells of the machine. */
    case ERRAND_EVENT_NOISE:   /* Comes in any pieces; the outcome has it whole. */
    case ERRAND_EVENT_TRANSFER_OVER:
    case ERRAND_EVENT_PLACE_CLOSED:
    case ERRAND_EVENT_ASK:
    case ERRAND_EVENT_ANSWER:
        return;
    }
}

/* --- Matching -------------------------------------------------------------------------- */

static errand_span line_at(const char *text)
{
    return span_of(text, strcspn(text, "\n"));
}

static const char *after_line(const char *text)
{
    text += strcspn(text, "\n");
    return *text == '\n' ? text + 1 : text;
}

/* want with stars against got, without recursion: the last star gives way. */
static bool line_matches(errand_span want, errand_span got)
{
    const errand_span star = SPAN_LITERAL("<*>");
    size_t w = 0, g = 0, star_w = SIZE_MAX, star_g = 0;
    while (g < got.len || w < want.len) {
        if (span_starts(span_after(want, w), star)) {
            w += star.len;
            star_w = w;
            star_g = g;
        } else if (w < want.len && g < got.len && want.ptr[w] == got.ptr[g]) {
            w++;
            g++;
        } else if (star_w != SIZE_MAX && star_g < got.len) {
            w = star_w;
            g = ++star_g;
        } else {
            return false;
        }
    }
    return true;
}

bool check_matches(const char *expected, const char *got)
{
    const char *want = expected;
    const char *star_want = NULL;
    const char *star_got = NULL;
    while (*got != '\0' || *want != '\0') {
        if (span_is(line_at(want), "...")) {
            want = after_line(want);
            star_want = want;
            star_got = got;
        } else if (*want != '\0' && *got != '\0' && line_matches(line_at(want), line_at(got))) {
            want = after_line(want);
            got = after_line(got);
        } else if (star_want != NULL && *star_got != '\0') {
            star_got = after_line(star_got);
            want = star_want;
            got = star_got;
        } else {
            return false;
        }
    }
    return true;
}
