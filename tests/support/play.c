/* play.c - see play.h. Takes its memory outside the countdown of base/mem.h. */
#include "play.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct core_setup play_setup(void)
{
    static const char *const functions[] = {"weather", "add", NULL};
    static const struct core_space spaces[] = {{"tools", functions, 2}};

    return (struct core_setup){
        .limits = {.size = sizeof(errand_limits),
                   .open_ms = 60000,
                   .boot_ms = 30000,
                   .wall_ms = 600000,
                   .compute_ms = 60000,
                   .idle_ms = ERRAND_UNLIMITED,
                   .call_ms = ERRAND_UNLIMITED,
                   .approval_ms = 3600000,
                   .leave_ms = 1000,
                   .kill_grace_ms = 2000,
                   .reap_ms = 5000,
                   .close_ms = 10000,
                   .lease_ms = 0,
                   .output_bytes = UINT64_C(64) << 20,
                   .frame_bytes = UINT64_C(256) << 20,
                   .noise_bytes = UINT64_C(1) << 20,
                   .boot_noise_bytes = UINT64_C(256) << 10,
                   .heap_mb = 512,
                   .rss_mb = 2048,
                   .calls = 10000000,
                   .calls_open = 65536,
                   .call_records = 10000},
        .mark = SPAN_LITERAL(PLAY_MARK),
        .boot = SPAN_LITERAL("{}"),
        .spaces = spaces,
        .spaces_count = COUNT(spaces),
    };
}

void play_init(struct play *play, const struct core_setup *setup)
{
    errand_error err = {0};

    *play = (struct play){0};
    if (errand__core_new(&play->core, setup, 0, &err) != ERRAND_OK)
        play->core = NULL;
}

void play_deinit(struct play *play)
{
    errand__core_free(play->core);
    free(play->text);
    *play = (struct play){0};
}

static void append(struct play *play, const char *bytes, size_t len)
{
    if (play->len + len + 1 > play->room) {
        play->room = (play->len + len + 1) * 2;
        play->text = realloc(play->text, play->room);
        if (play->text == NULL)
            abort();
    }
    if (len > 0)
        memcpy(play->text + play->len, bytes, len);
    play->len += len;
    play->text[play->len] = '\0';
}

static void write_line(struct play *play, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void write_line(struct play *play, const char *format, ...)
{
    char *line = NULL;
    va_list args;

    va_start(args, format);
    int len = vasprintf(&line, format, args);
    va_end(args);
    if (len < 0)
        abort();
    append(play, line, (size_t)len);
    append(play, "\n", 1);
    free(line);
}

#define TEXT(span) (int)(span).len, (span).len == 0 ? "" : (span).ptr

static void write_end(struct play *play, const errand_outcome *end)
{
    play->end = end;
    play->ends++;
    write_line(play, "end %s %s%s%s%s", errand_kind_name(end->kind), end->code,
               end->limit == NULL ? "" : " ", end->limit == NULL ? "" : end->limit,
               end->outcome_unknown ? " unknown" : "");
    write_line(play, "value %.*s", TEXT(end->value));
    write_line(play, "message %.*s", TEXT(end->message));
    write_line(play, "stack %.*s", TEXT(end->stack));
    for (size_t i = 0; i < end->logs_count; i++)
        write_line(play, "kept %s %.*s", end->logs[i].level, TEXT(end->logs[i].text));
    for (size_t i = 0; i < end->items_count; i++)
        write_line(play, "item kept %s after %" PRIu64 ": %.*s", end->items[i].type,
                   end->items[i].logs_before, TEXT(end->items[i].json));
    if (end->items_total > 0)
        write_line(play, "items %zu/%" PRIu64, end->items_count, end->items_total);
    if (end->store.len > 0)
        write_line(play, "store %.*s", TEXT(end->store));
    for (size_t i = 0; i < end->calls_count; i++)
        write_line(play, "record %" PRIu64 " %s.%s %d", end->calls[i].id, end->calls[i].space,
                   end->calls[i].function, (int)end->calls[i].status);
    for (size_t i = 0; i < end->warnings_count; i++)
        write_line(play, "warning %s", end->warnings[i]);
    write_line(play, "logs %" PRIu64 "/%" PRIu64 " frames %" PRIu64, end->logs_kept,
               end->logs_total, end->frames_received);
    write_line(play, "noise %.*s", TEXT(end->noise));
}

static void write_event(struct play *play, const errand_event *event)
{
    switch (event->type) {
    case ERRAND_EVENT_STARTED:
        write_line(play, "started %.*s %" PRId64, TEXT(event->as.started.node),
                   event->as.started.pid);
        break;
    case ERRAND_EVENT_LOG:
        write_line(play, "log %s %.*s %.*s", event->as.log.level, TEXT(event->as.log.json),
                   TEXT(event->as.log.text));
        break;
    case ERRAND_EVENT_CALL:
        write_line(play, "call %" PRIu64 " %s.%s %.*s", event->as.call.id, event->as.call.space,
                   event->as.call.function, TEXT(event->as.call.args));
        break;
    case ERRAND_EVENT_CALL_OVER:
        write_line(play, "over %" PRIu64 " %s", event->as.call_over.id, event->as.call_over.why);
        break;
    case ERRAND_EVENT_ITEM:
        write_line(play, "item %s after %" PRIu64 ": %.*s", event->as.item.type,
                   event->as.item.logs_before, TEXT(event->as.item.json));
        break;
    case ERRAND_EVENT_NOISE:
        /* How it is cut depends on how it came. */
        play->noise_len += event->as.noise.len;
        break;
    case ERRAND_EVENT_END:
        write_end(play, event->as.end);
        break;
    case ERRAND_EVENT_TRANSFER_OVER:
    case ERRAND_EVENT_PLACE_CLOSED:
    case ERRAND_EVENT_ASK:
    case ERRAND_EVENT_ANSWER:
        abort();
    }
}

static void take_orders(struct play *play)
{
    static const char letters[] = "-TKC";
    enum core_order order;

    while ((order = errand__core_order(play->core)) != CORE_ORDER_NONE) {
        if (play->orders_len + 1 < sizeof(play->orders))
            play->orders[play->orders_len++] = letters[order];
    }
}

static void take_outbox(struct play *play)
{
    errand_span bytes;

    while ((bytes = errand__core_outbox(play->core)).len > 0) {
        size_t part = sizeof(play->sent) - 1 - play->sent_len;
        part = part < bytes.len ? part : bytes.len;
        memcpy(play->sent + play->sent_len, bytes.ptr, part);
        play->sent_len += part;
        play->sent[play->sent_len] = '\0';
        errand__core_sent(play->core, bytes.len);
    }
}

void play_drain(struct play *play)
{
    errand_event event;

    while (errand__core_event(play->core, &event))
        write_event(play, &event);
    take_orders(play);
    take_outbox(play);
}

void play_opened(struct play *play)
{
    errand__core_opened(play->core, play->now_us);
    play_drain(play);
}

void play_out_bytes(struct play *play, errand_span bytes)
{
    errand__core_out(play->core, play->now_us, bytes);
    play_drain(play);
}

void play_out(struct play *play, const char *text)
{
    play_out_bytes(play, span_text(text));
}

void play_err(struct play *play, const char *text)
{
    errand__core_err(play->core, play->now_us, span_text(text));
    play_drain(play);
}

void play_eof(struct play *play)
{
    errand__core_eof(play->core, play->now_us);
    play_drain(play);
}

void play_exited(struct play *play, int code, int signal)
{
    errand__core_exited(play->core, play->now_us, code, signal);
    play_drain(play);
}

void play_closed(struct play *play)
{
    errand__core_closed(play->core, play->now_us, SPAN_EMPTY);
    play_drain(play);
}

void play_cancel(struct play *play, const char *reason)
{
    errand__core_cancel(play->core, play->now_us, span_text(reason));
    play_drain(play);
}

void play_pass(struct play *play, int64_t ms)
{
    int64_t until_us = play->now_us + ms * 1000;

    while (errand__core_due(play->core) <= until_us) {
        int64_t due_us = errand__core_due(play->core);
        play->now_us = due_us > play->now_us ? due_us : play->now_us;
        errand__core_tick(play->core, play->now_us);
        play_drain(play);
    }
    play->now_us = until_us;
    errand__core_tick(play->core, play->now_us);
    play_drain(play);
}

void play_start(struct play *play)
{
    play_opened(play);
    play_out(play, PLAY_HELLO);
}

void play_frame(struct play *play, const char *words, const char *payload)
{
    char *frame = NULL;

    if (asprintf(&frame, "%s %zu\n%s\n", words, strlen(payload), payload) < 0)
        abort();
    play_out(play, frame);
    free(frame);
}

void play_over(struct play *play)
{
    play_eof(play);
    play_exited(play, 0, 0);
    play_closed(play);
}

unsigned play_silence(struct play *play, unsigned ticks_max)
{
    for (unsigned ticks = 0; ticks < ticks_max; ticks++) {
        play_drain(play);
        if (play->ends > 0 || errand__core_due(play->core) == TIME_NEVER)
            return ticks;
        int64_t due_us = errand__core_due(play->core);
        play->now_us = due_us > play->now_us ? due_us : play->now_us;
        errand__core_tick(play->core, play->now_us);
    }
    play_drain(play);
    return ticks_max;
}
