/* story.c - an event is one line; an outcome is a few, and says nothing of what is as usual. */
#include "story.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { LONG_TEXT = 120 };

void story_deinit(struct story *story)
{
    free(story->text);
    *story = (struct story){.text = NULL};
}

void story_add(struct story *story, const char *format, ...)
{
    va_list args;
    va_list again;

    va_start(args, format);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (len < 0)
        abort();
    if (story->room - story->len <= (size_t)len) {
        story->room = (story->len + (size_t)len + 1) * 2;
        story->text = realloc(story->text, story->room);
        if (story->text == NULL)
            abort();
    }
    (void)vsnprintf(story->text + story->len, (size_t)len + 1, format, again);
    va_end(again);
    story->len += (size_t)len;
}

const char *story_time(int64_t us)
{
    static char ring[8][32];
    static unsigned at;
    char *text = ring[at++ % COUNT(ring)];

    if (us % 1000 == 0)
        (void)snprintf(text, sizeof(ring[0]), "%" PRId64 "ms", us / 1000);
    else
        (void)snprintf(text, sizeof(ring[0]), "%" PRId64 "us", us);
    return text;
}

/* Bytes on one line: what is not printable as \xHH, the middle of what is long left out. */
static void add_bytes(struct story *story, const char *name, errand_span bytes)
{
    if (bytes.len == 0)
        return;
    story_add(story, "%s", name);
    for (size_t i = 0; i < bytes.len; i++) {
        unsigned char byte = (unsigned char)bytes.ptr[i];
        if (bytes.len > LONG_TEXT && i == LONG_TEXT / 2) {
            i = bytes.len - LONG_TEXT / 4;
            story_add(story, "[...%zu bytes in all...]", bytes.len);
            byte = (unsigned char)bytes.ptr[i];
        }
        if (byte == '\n')
            story_add(story, "\\n");
        else if (byte < 0x20 || byte == 0x7f)
            story_add(story, "\\x%02x", byte);
        else
            story_add(story, "%c", byte);
    }
    story_add(story, "\n");
}

static void add_nonzero(struct story *story, const char *name, uint64_t value)
{
    if (value != 0)
        story_add(story, "    %s %" PRIu64 "\n", name, value);
}

static void add_calls(struct story *story, const errand_outcome *outcome)
{
    static const char *const states[] = {"ok", "error", "cancelled"};

    for (size_t i = 0; i < outcome->calls_count; i++) {
        const errand_call_record *call = &outcome->calls[i];
        story_add(story,
                  "    call %" PRIu64 " %s.%s %s at %s took %s held %s bytes %" PRIu64 " %" PRIu64
                  "\n",
                  call->id, call->space, call->function, states[call->status],
                  story_time(call->began_us), story_time(call->took_us), story_time(call->held_us),
                  call->args_bytes, call->reply_bytes);
    }
    if (outcome->calls_total != outcome->calls_count)
        add_nonzero(story, "calls in all", outcome->calls_total);
}

static void add_process(struct story *story, const errand_outcome *outcome)
{
    if (outcome->exit_signal != 0)
        story_add(story, "    process killed %d\n", outcome->exit_signal);
    else if (outcome->exit_code >= 0)
        story_add(story, "    process exited %d\n", outcome->exit_code);
    if (outcome->abandoned)
        story_add(story, "    abandoned\n");
    if (outcome->outcome_unknown)
        story_add(story, "    outcome unknown\n");
}

static void add_output(struct story *story, const errand_outcome *outcome)
{
    add_bytes(story, "    stats ", outcome->stats);
    if (outcome->logs_total != 0)
        story_add(story, "    logs %" PRIu64 " of %" PRIu64 "\n", outcome->logs_kept,
                  outcome->logs_total);
    for (size_t i = 0; i < outcome->logs_count; i++) {
        story_add(story, "    log %s", outcome->logs[i].level);
        add_bytes(story, " ", outcome->logs[i].text);
        if (outcome->logs[i].text.len == 0)
            story_add(story, "\n");
    }
    if (outcome->items_total != 0)
        story_add(story, "    items %" PRIu64 "\n", outcome->items_total);
    for (size_t i = 0; i < outcome->items_count; i++) {
        story_add(story, "    item %s behind %" PRIu64 " logs", outcome->items[i].type,
                  outcome->items[i].logs_before);
        add_bytes(story, " ", outcome->items[i].json);
    }
    add_bytes(story, "    store ", outcome->store);
    if (outcome->noise_total != 0)
        story_add(story, "    noise of %" PRIu64 " bytes, kept %zu\n", outcome->noise_total,
                  outcome->noise.len);
    add_bytes(story, "    noise ", outcome->noise);
    for (size_t i = 0; i < outcome->warnings_count; i++)
        story_add(story, "    warning %s\n", outcome->warnings[i]);
}

static void add_timing(struct story *story, const errand_timing *timing)
{
    story_add(story, "    timing open %s boot %s run %s waiting %s held %s drain %s\n",
              story_time(timing->open_us), story_time(timing->boot_us), story_time(timing->run_us),
              story_time(timing->waiting_us), story_time(timing->held_us),
              story_time(timing->drain_us));
}

static void add_end(struct story *story, const errand_outcome *outcome)
{
    story_add(story, "end %s%s%s, exit %d\n", errand_kind_name(outcome->kind),
              outcome->code[0] == '\0' ? "" : " ", outcome->code,
              errand_outcome_exit_code(outcome));
    if (outcome->limit != NULL)
        story_add(story, "    limit %s\n", outcome->limit);
    add_bytes(story, "    value ", outcome->value);
    add_bytes(story, "    name ", outcome->name);
    add_bytes(story, "    message ", outcome->message);
    add_bytes(story, "    stack ", outcome->stack);
    add_bytes(story, "    hint ", outcome->hint);
    if (outcome->line != 0)
        story_add(story, "    place %u:%u\n", outcome->line, outcome->column);
    add_bytes(story, "    error ", outcome->error);
    add_process(story, outcome);
    add_calls(story, outcome);
    add_output(story, outcome);
    add_timing(story, &outcome->timing);
}

/* The mark is drawn anew for each run. */
void story_hide_marks(struct story *story)
{
    enum { MARK_LEN = 32 };
    static const char digits[] = "0123456789abcdef";
    size_t kept = 0;

    for (size_t i = 0; i < story->len;) {
        size_t hex = strspn(story->text + i, digits);
        if (hex == MARK_LEN) {
            memcpy(story->text + kept, "MARK", 4);
            kept += 4;
            i += hex;
            continue;
        }
        hex = hex == 0 ? 1 : hex;
        memmove(story->text + kept, story->text + i, hex);
        kept += hex;
        i += hex;
    }
    story->len = kept;
    if (story->text != NULL)
        story->text[kept] = '\0';
}

void story_event(struct story *story, const errand_event *event, unsigned run)
{
    story_add(story, "%s run %u ", story_time(event->at_us), run);
    switch (event->type) {
    case ERRAND_EVENT_STARTED:
        story_add(story, "started %.*s %" PRId64 "\n", (int)event->as.started.node.len,
                  event->as.started.node.ptr, event->as.started.pid);
        break;
    case ERRAND_EVENT_LOG:
        story_add(story, "log %s", event->as.log.level);
        add_bytes(story, " ", event->as.log.text);
        if (event->as.log.text.len == 0)
            story_add(story, "\n");
        break;
    case ERRAND_EVENT_CALL:
        story_add(story, "call %" PRIu64 " %s.%s", event->as.call.id, event->as.call.space,
                  event->as.call.function);
        add_bytes(story, " ", event->as.call.args);
        if (event->as.call.args.len == 0)
            story_add(story, "\n");
        break;
    case ERRAND_EVENT_ITEM:
        story_add(story, "item %s", event->as.item.type);
        add_bytes(story, " ", event->as.item.json);
        break;
    case ERRAND_EVENT_CALL_OVER:
        story_add(story, "call over %" PRIu64 " %s\n", event->as.call_over.id,
                  event->as.call_over.why);
        break;
    case ERRAND_EVENT_NOISE:
        story_add(story, "noise");
        add_bytes(story, " ", event->as.noise);
        break;
    case ERRAND_EVENT_END:
        add_end(story, event->as.end);
        break;
    case ERRAND_EVENT_TRANSFER_OVER:
    case ERRAND_EVENT_PLACE_CLOSED:
        story_add(story, "place closed\n");
        break;
    case ERRAND_EVENT_ASK:
    case ERRAND_EVENT_ANSWER:
        story_add(story, "an answer, which no run tells\n");
        break;
    }
}
