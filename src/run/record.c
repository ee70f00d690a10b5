/* record.c - writes; knows neither files nor what becomes of a record. */
#include "run/record.h"

#include <stdarg.h>
#include <stdio.h>

enum { RECORD_LINE_MOST = 1024 };

void errand__record_init(struct record *record, errand_record_fn write, void *ctx)
{
    *record = (struct record){write, ctx};
}

static void put_line(struct record *record, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void put_line(struct record *record, const char *format, ...)
{
    char line[RECORD_LINE_MOST];
    va_list args;

    va_start(args, format);
    int len = vsnprintf(line, sizeof(line) - 1, format, args);
    va_end(args);
    assert(len >= 0);
    assert((size_t)len < sizeof(line) - 1); /* Numbers and fixed words alone. */
    line[len] = '\n';
    record->write(record->ctx, span_of(line, (size_t)len + 1));
}

static void put_payload(struct record *record, errand_span bytes)
{
    if (bytes.len > 0)
        record->write(record->ctx, bytes);
    record->write(record->ctx, SPAN_LITERAL("\n"));
}

static void put_limits(struct record *record, const errand_limits *limits)
{
    const uint64_t *values =
        (const uint64_t *)(const void *)((const char *)limits + sizeof(size_t));
    size_t count = (sizeof(*limits) - sizeof(size_t)) / sizeof(*values);

    for (size_t i = 0; i < count; i++)
        put_line(record, "limit %llu", (unsigned long long)values[i]);
}

void errand__record_setup(struct record *record, int64_t now_us, const struct core_setup *setup)
{
    if (record->write == NULL)
        return;
    put_line(record, RECORD_TITLE);
    put_limits(record, &setup->limits);
    put_line(record, "mark %.*s", (int)setup->mark.len, setup->mark.ptr);
    put_line(record, "sizes %zu %zu %zu %zu", setup->head.len, setup->boot.len, setup->tail.len,
             setup->runner.len);
    for (size_t i = 0; i < setup->assets_count; i++) {
        const struct core_asset *asset = &setup->assets[i];
        put_line(record, "asset %zu %zu", asset->payload.len, asset->name.len);
        put_payload(record, asset->name);
    }
    put_line(record, "collect %d", setup->collect_logs ? 1 : 0);
    put_line(record, "reattaches %d", setup->reattaches ? 1 : 0);
    if (setup->offline)
        put_line(record, "offline %d", setup->cut_off ? 1 : 0);
    for (size_t i = 0; i < setup->spaces_count; i++) {
        const struct core_space *space = &setup->spaces[i];
        put_line(record, "space %zu", strlen(space->name));
        put_payload(record, span_text(space->name));
        for (size_t j = 0; j < space->functions_count; j++) {
            put_line(record, "function %zu", strlen(space->functions[j]));
            put_payload(record, span_text(space->functions[j]));
        }
    }
    put_line(record, "begin %lld", (long long)now_us);
}

static void put_bytes(struct record *record, int64_t now_us, const char *verb, errand_span bytes)
{
    put_line(record, "%lld %s %zu", (long long)now_us, verb, bytes.len);
    put_payload(record, bytes);
}

void errand__record_notice(struct record *record, int64_t now_us, const errand_notice *notice)
{
    if (record->write == NULL)
        return;
    switch (notice->type) {
    case ERRAND_NOTICE_OPENED:
        put_line(record, "%lld opened", (long long)now_us);
        break;
    case ERRAND_NOTICE_OUT:
        put_bytes(record, now_us, "out", notice->bytes);
        break;
    case ERRAND_NOTICE_ERR:
        put_bytes(record, now_us, "err", notice->bytes);
        break;
    case ERRAND_NOTICE_EOF:
        put_line(record, "%lld eof", (long long)now_us);
        break;
    case ERRAND_NOTICE_EXITED:
        put_line(record, "%lld exited %d %d", (long long)now_us, notice->exit_code,
                 notice->exit_signal);
        break;
    case ERRAND_NOTICE_CLOSED:
        errand__record_closed(record, now_us, notice->left != 0, notice->bytes);
        break;
    case ERRAND_NOTICE_DROPPED:
        put_bytes(record, now_us, "dropped", notice->bytes);
        break;
    case ERRAND_NOTICE_ATTACHED:
        put_line(record, "%lld attached", (long long)now_us);
        break;
    }
}

void errand__record_closed(struct record *record, int64_t now_us, bool in_part, errand_span warning)
{
    if (record->write != NULL)
        put_bytes(record, now_us, in_part ? "closed-in-part" : "closed", warning);
}

void errand__record_lost(struct record *record, int64_t now_us, const char *code,
                         const errand_error *why)
{
    if (record->write == NULL)
        return;
    put_line(record, "%lld lost %s %d %d %lld %zu", (long long)now_us, code == NULL ? "-" : code,
             (int)why->status, why->retryable != 0 ? 1 : 0, (long long)why->retry_after_ms,
             strlen(why->text));
    put_payload(record, span_text(why->text));
}

void errand__record_cancel(struct record *record, int64_t now_us, errand_span reason)
{
    if (record->write != NULL)
        put_bytes(record, now_us, "cancel", reason);
}

void errand__record_event(struct record *record, int64_t now_us)
{
    if (record->write != NULL)
        put_line(record, "%lld event", (long long)now_us);
}

void errand__record_tick(struct record *record, int64_t now_us)
{
    if (record->write != NULL)
        put_line(record, "%lld tick", (long long)now_us);
}

void errand__record_sent(struct record *record, int64_t now_us, size_t count)
{
    if (record->write != NULL)
        put_line(record, "%lld sent %zu", (long long)now_us, count);
}

void errand__record_answer(struct record *record, int64_t now_us, uint64_t call, bool ok,
                           errand_span json)
{
    if (record->write == NULL)
        return;
    put_line(record, "%lld answer %llu %s %zu", (long long)now_us, (unsigned long long)call,
             ok ? "ok" : "error", json.len);
    put_payload(record, json);
}

void errand__record_hold(struct record *record, int64_t now_us, uint64_t call, bool held)
{
    if (record->write != NULL)
        put_line(record, "%lld hold %llu %d", (long long)now_us, (unsigned long long)call,
                 held ? 1 : 0);
}
