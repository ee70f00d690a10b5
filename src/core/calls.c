/* calls.c - one array by rising id, searched by halves; what is gone stays as a gap until gaps
 * are the larger part. */
#include "core/calls.h"
#include "base/mem.h"

enum { CALLS_ROOM_FIRST = 8, GAPS_MIN = 32 };

int64_t errand__stretch_us(const struct stretch *stretch, int64_t now_us)
{
    return stretch->sum_us + (stretch->on ? now_us - stretch->since_us : 0);
}

static void stretch_turn(struct stretch *stretch, bool on, int64_t now_us)
{
    if (stretch->on == on)
        return;
    stretch->sum_us = errand__stretch_us(stretch, now_us);
    stretch->since_us = now_us;
    stretch->on = on;
}

void errand__calls_init(struct calls *calls, int64_t call_us, int64_t approval_us,
                        uint64_t records_max)
{
    *calls = (struct calls){.call_us = call_us,
                            .approval_us = approval_us,
                            .records_max = records_max,
                            .due_us = TIME_NEVER};
}

void errand__calls_deinit(struct calls *calls)
{
    errand__mem_free(calls->items);
    errand__mem_free(calls->records);
    calls->items = NULL;
    calls->records = NULL;
}

static void *grown(void *items, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return items;
    size_t more = *room == 0 ? CALLS_ROOM_FIRST : *room * 2;
    void *block = errand__mem_resize(items, more * size);
    if (block != NULL)
        *room = more;
    return block;
}

/* Moves what is not gone together. */
static void close_gaps(struct calls *calls)
{
    size_t kept = 0;

    if (calls->gone < GAPS_MIN || calls->gone < calls->count / 2)
        return;
    for (size_t i = 0; i < calls->count; i++) {
        if (calls->items[i].state != CALL_GONE)
            calls->items[kept++] = calls->items[i];
    }
    calls->count = kept;
    calls->gone = 0;
    calls->over_at = 0;
}

static int64_t after(int64_t since_us, int64_t span_us)
{
    return span_us > TIME_NEVER - since_us ? TIME_NEVER : since_us + span_us;
}

static int64_t due(const struct calls *calls, const struct call *call)
{
    if (call->state != CALL_OPEN)
        return TIME_NEVER;
    if (call->held)
        return after(call->held_since_us, calls->approval_us);
    return after(after(call->began_us, calls->call_us), call->held_us);
}

static void note_due(struct calls *calls, const struct call *call)
{
    int64_t when = due(calls, call);

    if (when < calls->due_us)
        calls->due_us = when;
}

errand_status errand__calls_open(struct calls *calls, int64_t now_us,
                                 const errand_call_record *record)
{
    assert(record->id > calls->last_id);
    close_gaps(calls);
    struct call *items = grown(calls->items, calls->count, &calls->room, sizeof(*items));
    if (items == NULL)
        return ERRAND_ENOMEM;
    calls->items = items;
    struct call call = {.id = record->id, .began_us = now_us, .record = SIZE_MAX};
    if (calls->records_count < calls->records_max) {
        errand_call_record *records =
            grown(calls->records, calls->records_count, &calls->records_room, sizeof(*records));
        if (records == NULL)
            return ERRAND_ENOMEM;
        calls->records = records;
        call.record = calls->records_count++;
        records[call.record] = *record;
        records[call.record].status = ERRAND_CALL_CANCELLED;
        records[call.record].began_us = now_us;
    }
    calls->items[calls->count++] = call;
    calls->last_id = record->id;
    calls->total++;
    calls->open++;
    stretch_turn(&calls->waiting, true, now_us);
    note_due(calls, &call);
    return ERRAND_OK;
}

struct call *errand__calls_find(struct calls *calls, uint64_t id)
{
    size_t low = 0;
    size_t high = calls->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (calls->items[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == calls->count || calls->items[low].id != id || calls->items[low].state != CALL_OPEN)
        return NULL;
    return &calls->items[low];
}

void errand__calls_hold(struct calls *calls, struct call *call, int64_t now_us, bool held)
{
    if (call->held == held)
        return;
    if (held) {
        call->held_since_us = now_us;
        calls->held++;
    } else {
        call->held_us += now_us - call->held_since_us;
        calls->held--;
    }
    call->held = held;
    stretch_turn(&calls->holding, calls->held > 0, now_us);
    note_due(calls, call);
}

/* Closes an open call's books. */
static void finish(struct calls *calls, struct call *call, int64_t now_us,
                   errand_call_status status, uint64_t reply_bytes)
{
    assert(call->state == CALL_OPEN);
    errand__calls_hold(calls, call, now_us, false);
    calls->open--;
    stretch_turn(&calls->waiting, calls->open > 0, now_us);
    if (call->record == SIZE_MAX)
        return;
    errand_call_record *record = &calls->records[call->record];
    record->status = status;
    record->took_us = now_us - call->began_us;
    record->held_us = call->held_us;
    record->reply_bytes = reply_bytes;
}

void errand__calls_answered(struct calls *calls, struct call *call, int64_t now_us,
                            errand_call_status status, uint64_t reply_bytes)
{
    finish(calls, call, now_us, status, reply_bytes);
    call->state = CALL_GONE;
    calls->gone++;
}

void errand__calls_over(struct calls *calls, struct call *call, int64_t now_us,
                        errand_call_status status, const char *why)
{
    size_t at = (size_t)(call - calls->items);

    finish(calls, call, now_us, status, 0);
    call->state = CALL_OVER;
    calls->overs++;
    call->why = why;
    if (at < calls->over_at)
        calls->over_at = at;
}

void errand__calls_end(struct calls *calls, int64_t now_us)
{
    for (size_t i = 0; i < calls->count; i++) {
        if (calls->items[i].state == CALL_OPEN)
            errand__calls_over(calls, &calls->items[i], now_us, ERRAND_CALL_CANCELLED, "ended");
    }
    calls->due_us = TIME_NEVER;
}

bool errand__calls_take_over(struct calls *calls, uint64_t *id, const char **why)
{
    for (; calls->over_at < calls->count; calls->over_at++) {
        struct call *call = &calls->items[calls->over_at];
        if (call->state != CALL_OVER)
            continue;
        call->state = CALL_GONE;
        calls->gone++;
        calls->overs--;
        *id = call->id;
        *why = call->why;
        return true;
    }
    return false;
}

struct call *errand__calls_expired(struct calls *calls, int64_t now_us, size_t *at,
                                   const char **why)
{
    if (*at == 0 && now_us < calls->due_us)
        return NULL;
    for (; *at < calls->count; (*at)++) {
        struct call *call = &calls->items[*at];
        if (due(calls, call) <= now_us) {
            *why = call->held ? "approval_timeout" : "call_timeout";
            return call;
        }
    }
    calls->due_us = TIME_NEVER;
    for (size_t i = 0; i < calls->count; i++)
        note_due(calls, &calls->items[i]);
    return NULL;
}
