/* hear.c - what the far side said, one frame at a time, straight from the inbox.
 *
 * Nothing is decoded before it is asked for and nothing is copied but what differs from what
 * travelled. Every frame is checked as if an enemy had sent it. */
#include "base/mem.h"
#include "core/json.h"
#include "core/life.h"

#include <inttypes.h>

/* --- Frames ------------------------------------------------------------------------------- */

static errand_span payload_of(const struct core *core, const struct frame *frame)
{
    return span_head(span_after(errand__inbox_unread(core), frame->header_len),
                     (size_t)frame->size);
}

static bool deliver_log(struct core *core, const struct frame *frame, errand_span json,
                        errand_event *out)
{
    out->type = ERRAND_EVENT_LOG;
    out->as.log.level = frame->level;
    out->as.log.json = json;
    return errand__inbox_text(core, json, &out->as.log.text);
}

/* How many bytes of text the first len bytes of its JSON stand for. false: no memory. */
static bool head_of(struct core *core, errand_span json, size_t len, size_t *text_len)
{
    errand_span text = SPAN_EMPTY;

    if (len > 2 && !errand__inbox_text(core, span_head(json, len), &text))
        return false;
    *text_len = text.len;
    return true;
}

static bool collect(struct core *core, const errand_event *event, bool in_head, size_t headed)
{
    if (!core->setup.collect_logs)
        return true;
    return errand__logs_add(&core->logs, event->as.log.level, event->as.log.text, in_head,
                            headed) != ERRAND_ENOMEM;
}

static bool keep_log(struct core *core, const struct frame *frame, errand_span json,
                     struct ledger_entry entry, errand_event *out)
{
    size_t headed = 0;

    if (core->setup.collect_logs && !head_of(core, json, entry.headed, &headed))
        return false;
    if (!entry.fits) {
        /* What the head keeps of it is a string of its own: it gets its quote. */
        json.len = entry.headed;
        *((char *)(uintptr_t)json.ptr + json.len - 1) = '"';
    }
    return deliver_log(core, frame, json, out) && collect(core, out, entry.headed > 0, headed);
}

static bool hear_log(struct core *core, const struct frame *frame, errand_event *out)
{
    errand_span json = errand__json_trim(payload_of(core, frame));

    if (!errand__json_valid(json, NULL) || json.ptr[0] != '"') {
        errand__refuse(core, "a log that is no JSON string", errand__inbox_unread(core));
        return false;
    }
    core->outcome.logs_total++;
    core->word_us = core->now_us;
    struct ledger_entry entry = errand__ledger_log(&core->ledger, json);
    bool heard = entry.fits || entry.headed > 2;
    if (heard && !keep_log(core, frame, json, entry, out)) {
        heard = false;
        if (!core->decided)
            errand__decide_memory(core);
    }
    if (!entry.fits && !core->decided)
        errand__decide_output(core);
    return heard;
}

static bool hear_item(struct core *core, const struct frame *frame, errand_event *out)
{
    errand_span json = errand__json_trim(payload_of(core, frame));
    const char *why = "an item that is no JSON text";
    errand_item *item = &out->as.item;

    item->type = errand__json_valid(json, NULL) ? errand__item_type(json, &why) : NULL;
    if (item->type == NULL) {
        errand__refuse(core, why, errand__inbox_unread(core));
        return false;
    }
    out->type = ERRAND_EVENT_ITEM;
    item->json = json;
    item->logs_before = core->ledger.logs;
    core->outcome.items_total++;
    core->word_us = core->now_us;
    errand__ledger_item(&core->ledger, frame->size);
    if (!core->setup.collect_logs || errand__items_add(&core->items, item) != ERRAND_ENOMEM)
        return true;
    if (!core->decided)
        errand__decide_memory(core);
    return false;
}

static bool index_right(const struct core *core, const struct frame *frame)
{
    return frame->space < core->setup.spaces_count &&
           frame->function < core->setup.spaces[frame->space].functions_count;
}

/* The limit that one more call would break, or NULL. */
static const char *over_calls(const struct core *core)
{
    const errand_limits *limits = &core->setup.limits;

    if (core->calls.total >= limits->calls)
        return "calls";
    /* To a runner a call is open until it has read the answer, which is later. */
    return core->calls.open + core->answers >= limits->calls_open ? "calls_open" : NULL;
}

static bool hear_call(struct core *core, const struct frame *frame, errand_event *out)
{
    errand_span args = payload_of(core, frame);

    if (args.len > 0 && !errand__json_valid(args, NULL)) {
        errand__refuse(core, "a call whose argument is no JSON text", errand__inbox_unread(core));
        return false;
    }
    const struct core_space *space = &core->setup.spaces[frame->space];
    const errand_call_record record = {.id = frame->number,
                                       .space = space->name,
                                       .function = space->functions[frame->function],
                                       .args_bytes = args.len};
    if (errand__calls_open(&core->calls, core->now_us, &record) != ERRAND_OK) {
        errand__decide_memory(core);
        return false;
    }
    core->word_us = core->now_us;
    out->type = ERRAND_EVENT_CALL;
    out->as.call.id = record.id;
    out->as.call.space_index = (size_t)frame->space;
    out->as.call.function_index = (size_t)frame->function;
    out->as.call.space = record.space;
    out->as.call.function = record.function;
    out->as.call.args = args;
    return true;
}

static void hear_need(struct core *core, const struct frame *frame)
{
    const struct core_asset *assets = core->setup.assets;
    size_t at = 0;

    while (at < core->setup.assets_count && !span_equal(frame->name, assets[at].name))
        at++;
    bool ours = at < core->setup.assets_count;
    unsigned asset = ours ? 1U << at : 0;
    if (++core->needs > LIFE_NEEDS_MAX || (core->needed & asset) != 0) {
        errand__refuse(core, "a need once too often", errand__inbox_unread(core));
        return;
    }
    core->needed |= asset;
    const struct frame answer = {.type = FRAME_ASSET, .name = frame->name};
    if (errand__say(core, answer, ours ? assets[at].payload : SPAN_LITERAL("null")) != ERRAND_OK)
        errand__decide_memory(core);
}

static void hear_stats(struct core *core, const struct frame *frame)
{
    errand_span stats = payload_of(core, frame);

    if (!errand__json_valid(stats, NULL) || !errand__json_is_object(stats)) {
        errand__refuse(core, "stats that are no object", errand__inbox_unread(core));
        return;
    }
    core->has_stats = true;
    core->stats = errand__mem_copy(stats.ptr, stats.len);
    if (core->stats == NULL && !core->decided)
        errand__decide_memory(core);
}

static void hear_store(struct core *core, const struct frame *frame)
{
    errand_span store = payload_of(core, frame);
    const char *why = "a store that is no JSON text";

    if (!errand__json_valid(store, NULL) || !errand__stored_check(errand__json_trim(store), &why)) {
        errand__refuse(core, why, errand__inbox_unread(core));
        return;
    }
    core->has_store = true;
    core->store = errand__mem_copy(store.ptr, store.len);
    if (core->store == NULL)
        errand__decide_memory(core);
}

/* The inbox becomes what is kept; what stands behind the frame moves on. */
static errand_span keep_payload(struct core *core, const struct frame *frame)
{
    errand_span payload = payload_of(core, frame);
    errand_span rest = span_after(errand__inbox_unread(core), (size_t)errand__frame_len(frame));

    core->kept = core->inbox;
    errand__buf_init(&core->inbox, core->kept.max);
    if (errand__buf_push(&core->inbox, rest) != ERRAND_OK)
        errand__inbox_shut(core);
    return payload;
}

static void hear_value(struct core *core, const struct frame *frame)
{
    if (frame->size > 0 && !errand__json_valid(payload_of(core, frame), NULL)) {
        errand__refuse(core, "a value that is no JSON text", errand__inbox_unread(core));
        return;
    }
    errand__decide_value(core, keep_payload(core, frame));
}

static void hear_fault(struct core *core, const struct frame *frame)
{
    errand_span payload = payload_of(core, frame);
    struct fault fault;
    const char *why = "an error that is no JSON text";

    if (!errand__json_valid(payload, NULL) || !errand__fault_read(payload, &fault, &why)) {
        errand__refuse(core, why, payload);
        return;
    }
    if (fault.kind == ERRAND_KIND_ABORT) {
        errand__refuse(core, "an abort that nobody asked for", payload);
        return;
    }
    payload = keep_payload(core, frame);
    errand__decide_fault(core, &fault, payload);
}

static bool hear_frame(struct core *core, const struct frame *frame, errand_event *out)
{
    switch (frame->type) {
    case FRAME_LOG:
        return hear_log(core, frame, out);
    case FRAME_ITEM:
        return hear_item(core, frame, out);
    case FRAME_CALL:
        return hear_call(core, frame, out);
    case FRAME_NEED:
        hear_need(core, frame);
        return false;
    case FRAME_BEAT:
        return false;
    case FRAME_STATS:
        hear_stats(core, frame);
        return false;
    case FRAME_STORE:
        hear_store(core, frame);
        return false;
    case FRAME_DONE:
        if (frame->ok)
            hear_value(core, frame);
        else
            hear_fault(core, frame);
        return false;
    case FRAME_LEFT:
        errand__note_left(core, frame);
        return false;
    case FRAME_BOOT:
    case FRAME_REPLY:
    case FRAME_STOP:
    case FRAME_PING:
    case FRAME_ASSET: /* The reader knows them from home alone. */
        return false;
    }
    return false;
}

/* --- Frames that are not taken in whole --------------------------------------------------- */

static enum frame_found next_frame(const struct core *core, struct frame *frame, const char **why)
{
    return errand__frame_read(errand__inbox_unread(core), FRAME_FROM_RUNNER,
                              core->setup.limits.frame_bytes, frame, why);
}

/* After the decision: what is shown, and stats, are still welcome until done, as far as they fit.
 */
static bool welcome_late(const struct core *core, const struct frame *frame)
{
    if (core->done || core->late_done)
        return false;
    if (frame->type == FRAME_STATS)
        return !core->has_stats && frame->size <= LIFE_STATS_MAX;
    if (frame->type == FRAME_ITEM)
        return errand__ledger_has_room(&core->ledger, frame->size);
    return frame->type == FRAME_LOG &&
           frame->size < errand__ledger_left(&core->ledger); /* And its comma. */
}

/* More than an honest runner says in view of what is left of the ledger. */
static bool over_ledger(const struct core *core, const struct frame *frame)
{
    uint64_t left = errand__ledger_left(&core->ledger);

    if (frame->type == FRAME_LOG)
        return frame->size > left + LIFE_LOG_OVER_MAX;
    if (frame->type == FRAME_ITEM) /* It is never cut. */
        return !errand__ledger_has_room(&core->ledger, frame->size);
    if (frame->type != FRAME_DONE)
        return false;
    return frame->size > (frame->ok ? left : left + LIFE_FAULT_REST_MAX);
}

/* Why a frame is none whatever its payload may be, or NULL. */
static const char *wrong_header(const struct core *core, const struct frame *frame)
{
    if (frame->type == FRAME_STORE && core->has_store)
        return "a store for the second time";
    if (frame->type == FRAME_STORE && frame->size > STORED_BYTES_MAX)
        return "a store over its size";
    if (frame->type == FRAME_STATS && core->has_stats)
        return "stats for the second time";
    if (frame->type == FRAME_STATS && frame->size > LIFE_STATS_MAX)
        return "stats over their size";
    if (frame->type != FRAME_CALL)
        return NULL;
    if (!index_right(core, frame))
        return "a call of what boot did not list";
    if (frame->number <= core->calls.last_id)
        return "a call whose id does not rise";
    const char *limit = over_calls(core);
    if (limit == NULL)
        return NULL;
    return strcmp(limit, "calls") == 0 ? "more calls than the limit"
                                       : "more calls at once than the limit";
}

/* Whether the header alone tells what to do, so that no payload is waited for. */
static bool header_suffices(const struct core *core, const struct frame *frame)
{
    return core->decided ? !welcome_late(core, frame)
                         : wrong_header(core, frame) != NULL || over_ledger(core, frame);
}

/* A runner that was stopped says so, with its stats before: that is no news. */
static bool expected_late(const struct core *core, const struct frame *frame)
{
    if (frame->type == FRAME_BEAT && frame->number <= core->pings)
        return true;
    if (core->done || core->late_done)
        return false;
    return frame->type == FRAME_BEAT || frame->type == FRAME_NEED || frame->type == FRAME_STATS ||
           frame->type == FRAME_STORE || (frame->type == FRAME_DONE && !frame->ok);
}

static void refuse_header(struct core *core, const struct frame *frame)
{
    const char *limit = frame->type == FRAME_CALL ? over_calls(core) : NULL;

    errand__refuse(core, wrong_header(core, frame), errand__inbox_unread(core));
    if (limit != NULL)
        core->outcome.limit = limit;
}

/* "done ok" and the like. */
static const char *second_word(const struct frame *frame)
{
    if (frame->type != FRAME_DONE)
        return "frame";
    return frame->ok ? "ok" : "error";
}

/* Nothing more can come. */
static bool silent(const struct core *core)
{
    return core->eof || core->believed || core->closed || core->lost;
}

/* What would be no news whole is none in part. */
static void tell_torn(struct core *core)
{
    struct frame frame;
    const char *why;

    if (core->skip > 0 || next_frame(core, &frame, &why) != FRAME_FOUND)
        errand__warn(core, "the last frame was torn");
    else if (!core->decided || !expected_late(core, &frame))
        errand__warn(core, "the last frame was torn: %s %s, of %" PRIu64 " bytes came %zu",
                     errand__frame_name(frame.type), second_word(&frame), frame.size,
                     errand__inbox_unread(core).len - frame.header_len);
}

/* What of it has come, or is to come, is forgotten. */
static void pass_over(struct core *core, const struct frame *frame)
{
    if (!core->decided) {
        core->done = frame->type == FRAME_DONE;
        errand__decide_output(core);
    } else if (frame->type == FRAME_LEFT) {
        errand__note_left(core, frame);
    } else if (silent(core) && errand__inbox_unread(core).len < errand__frame_len(frame)) {
        tell_torn(core);
        errand__inbox_shut(core);
        return;
    } else if (!expected_late(core, frame)) {
        errand__warn(core, "after the end: %s %s", errand__frame_name(frame->type),
                     second_word(frame));
    }
    if (frame->type == FRAME_LOG)
        core->outcome.logs_total++;
    if (frame->type == FRAME_ITEM)
        core->outcome.items_total++;
    core->late_done = core->late_done || frame->type == FRAME_DONE;
    core->outcome.frames_received++;
    core->skip = errand__frame_len(frame);
}

/* --- One after another -------------------------------------------------------------------- */

static bool hear_next_frame(struct core *core, errand_event *out)
{
    errand_span bytes = errand__inbox_unread(core);
    struct frame frame;
    const char *why;

    if (next_frame(core, &frame, &why) == FRAME_BAD) {
        errand__refuse(core, why, span_head(bytes, FRAME_HEADER_MAX));
        return false;
    }
    if (!core->decided && wrong_header(core, &frame) != NULL) {
        refuse_header(core, &frame);
        return false;
    }
    if (header_suffices(core, &frame)) {
        pass_over(core, &frame);
        return false;
    }
    size_t len = (size_t)errand__frame_len(&frame);
    if (frame.has_payload && bytes.ptr[len - 1] != '\n') {
        errand__refuse(core, "a payload that does not end where its header says", bytes);
        return false;
    }
    core->outcome.frames_received++;
    bool event = hear_frame(core, &frame, out);
    if (event)
        core->lent += len;
    else if (!core->deaf && frame.type != FRAME_DONE)
        errand__buf_consume(&core->inbox, len);
    return event;
}

static void forget(struct core *core)
{
    size_t len = errand__inbox_unread(core).len;
    size_t part = core->skip < len ? (size_t)core->skip : len;

    errand__buf_consume(&core->inbox, part);
    core->skip -= part;
}

bool errand__hear(struct core *core, errand_event *out)
{
    assert(core->lent == 0);
    while (errand__hear_ready(core)) {
        if (core->skip > 0)
            forget(core);
        else if (core->heard ? hear_next_frame(core, out) : errand__greet(core, out))
            return true;
    }
    return false;
}

bool errand__hear_ready(const struct core *core)
{
    errand_span bytes = errand__inbox_unread(core);
    struct frame frame;
    const char *why;

    if (core->deaf || bytes.len == 0)
        return false;
    if (core->skip > 0)
        return true;
    if (!core->heard)
        return errand__greet_ready(core, bytes);
    enum frame_found found = next_frame(core, &frame, &why);
    if (found != FRAME_FOUND)
        return found == FRAME_BAD;
    return header_suffices(core, &frame) || bytes.len >= errand__frame_len(&frame);
}

bool errand__hear_done_waits(const struct core *core)
{
    errand_span bytes = errand__inbox_unread(core);
    struct frame frame;
    const char *why;

    if (!core->heard || core->deaf || core->skip > 0)
        return false;
    while (errand__frame_read(bytes, FRAME_FROM_RUNNER, core->setup.limits.frame_bytes, &frame,
                              &why) == FRAME_FOUND &&
           errand__frame_len(&frame) <= bytes.len) {
        if (frame.type == FRAME_DONE)
            return true;
        bytes = span_after(bytes, (size_t)errand__frame_len(&frame));
    }
    return false;
}

void errand__hear_rest(struct core *core)
{
    errand_span rest = errand__inbox_unread(core);

    assert(core->lent == 0);
    if (core->deaf)
        return;
    if (!core->heard)
        errand__add_noise(core, rest);
    else if (rest.len > 0 || core->skip > 0)
        tell_torn(core);
    errand__inbox_shut(core);
}
