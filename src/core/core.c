/* core.c - inputs record facts; settle() alone moves the run, and only downwards. */
#include "core/core.h"
#include "base/err.h"
#include "base/mem.h"
#include "core/json.h"
#include "core/json_path.h"
#include "core/life.h"

#include <inttypes.h>
#include <stdio.h>

/* --- The life of a run -------------------------------------------------------------------- */

static void enter(struct core *core, enum core_phase phase)
{
    assert(phase == core->phase + 1);
    core->phase = phase;
}

static unsigned bit(enum core_order order)
{
    return 1U << (unsigned)order;
}

static void say_stop(struct core *core, uint64_t grace_ms)
{
    struct frame frame = {.type = FRAME_STOP,
                          .number = grace_ms < INT32_MAX ? grace_ms : INT32_MAX};

    if (!core->heard || core->mute || core->stopped)
        return;
    core->stopped = true;
    if (errand__say(core, frame, SPAN_EMPTY) != ERRAND_OK)
        errand__warn(core, "no memory left at home to say stop");
}

void errand__climb_to(struct core *core, enum ladder_rung rung)
{
    assert(core->phase == CORE_LEAVING);
    core->rung = rung;
    core->rung_us = core->now_us;
    if (rung == RUNG_GIVE_UP)
        return;
    const struct rung *step = errand__ladder_rung(rung);
    if (step->order == CORE_ORDER_KILL)
        core->orders = 0;
    if (step->order != CORE_ORDER_NONE)
        core->orders |= bit(step->order);
    if (step->says_stop)
        say_stop(core, errand__limit_of(core, step->patience));
}

/* A program that finished, or is to be stopped, is asked; one that overran is told. */
static void leave(struct core *core)
{
    errand__say_drop(core);
    if (!core->opened || core->exited || core->lost)
        return;
    bool heeds = core->heard && !core->mute;
    /* What closed its output is on its way out: its exit code and last words are worth a wait. */
    bool asks =
        core->leaving ||
        (heeds && (core->done || core->cancels > 0 || core->outcome.kind == ERRAND_KIND_ABORT));
    errand__climb_to(core, asks ? RUNG_ASK : RUNG_TELL);
}

/* All that was sent has been heard, and taken. */
static bool heard_out(const struct core *core)
{
    return core->lent == 0 && !errand__hear_ready(core);
}

static bool gone(const struct core *core)
{
    if (!heard_out(core))
        return false;
    if (!core->opened || core->lost || core->closed || core->rung == RUNG_GIVE_UP)
        return true;
    return core->exited && (core->eof || core->believed);
}

/* The end of the pipe, or of the process, without a done is a terminal fact too; but only once
 * everything in the pipe was read. */
static void conclude(struct core *core)
{
    if (!core->decided && (core->eof || core->believed || core->closed) && heard_out(core))
        errand__decide_exit(core);
}

/* Walks the run as far down its life as the facts allow. */
static void descend(struct core *core)
{
    conclude(core);
    switch (core->phase) {
    case CORE_OPENING:
        if (!core->opened && !core->decided)
            return;
        enter(core, CORE_BOOTING);
        FALLTHROUGH;
    case CORE_BOOTING:
        if (!core->heard && !core->decided)
            return;
        enter(core, CORE_RUNNING);
        FALLTHROUGH;
    case CORE_RUNNING:
        if (!core->decided)
            return;
        enter(core, CORE_LEAVING);
        leave(core);
        FALLTHROUGH;
    case CORE_LEAVING:
        if (!gone(core))
            return;
        errand__hear_rest(core);
        core->gone_us = core->closing_us = core->now_us;
        core->orders = bit(CORE_ORDER_CLOSE);
        enter(core, CORE_CLOSING);
        FALLTHROUGH;
    case CORE_CLOSING:
        if (!core->closed && !core->given_up)
            return;
        errand__outcome_finish(core);
        enter(core, CORE_ENDED);
        FALLTHROUGH;
    case CORE_ENDED:
        return;
    }
}

/* Also what is to be said goes on its way; and where there is no memory for that, the run ends. */
static void settle(struct core *core)
{
    bool decided = core->decided;

    descend(core);
    errand__say_segments(core);
    if (core->decided != decided)
        descend(core);
}

/* --- Birth and death ---------------------------------------------------------------------- */

static errand_status fill_outbox(struct core *core)
{
    struct frame frame = {.type = FRAME_BOOT, .size = core->setup.boot.len};
    char header[FRAME_HEADER_MAX + 2];
    const errand_span parts[] = {core->setup.head,
                                 span_of(header, errand__frame_write(header, &frame)),
                                 core->setup.boot, SPAN_LITERAL("\n"), core->setup.tail};
    errand_status status = ERRAND_OK;
    size_t len = 0;

    for (size_t i = 0; i < COUNT(parts); i++)
        len += parts[i].len;
    status = errand__buf_reserve(&core->outbox, len);
    for (size_t i = 0; i < COUNT(parts) && status == ERRAND_OK; i++)
        status = errand__say_raw(core, parts[i]);
    core->setup.head = core->setup.boot = core->setup.tail = SPAN_EMPTY;
    return status;
}

static size_t inbox_max(const errand_limits *limits)
{
    const uint64_t rest = FRAME_HEADER_MAX + 2 + LIFE_CHUNK_MAX;

    return limits->frame_bytes > SIZE_MAX / 2 - rest ? SIZE_MAX / 2
                                                     : (size_t)(limits->frame_bytes + rest);
}

errand_status errand__core_new(struct core **out, const struct core_setup *setup, int64_t now_us,
                               errand_error *err)
{
    struct core *core = errand__mem_new(1, sizeof(*core));

    *out = NULL;
    if (core == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "core: no memory");
    assert(setup->assets_count <= CORE_ASSETS_MOST);
    core->setup = *setup;
    core->now_us = core->born_us = now_us;
    core->exit_code = -1;
    core->outcome.code = "";
    errand__segments_init(&core->segments, setup->reattaches ? setup->limits.replay_bytes : 0,
                          setup->mark);
    errand__buf_init(&core->inbox, inbox_max(&setup->limits));
    errand__buf_init(&core->text, SIZE_MAX / 2);
    /* Behind boot: one answer each for as many calls as may be open, of twice frame_bytes. */
    errand__buf_init(&core->outbox, SIZE_MAX / 2);
    errand__ledger_init(&core->ledger, setup->limits.output_bytes);
    errand__logs_init(&core->logs, setup->limits.output_bytes);
    errand__items_init(&core->items, setup->limits.output_bytes);
    errand__noise_init(&core->noise, setup->limits.boot_noise_bytes, setup->limits.noise_bytes);
    errand__calls_init(&core->calls, errand__limit_us(setup->limits.call_ms),
                       errand__limit_us(setup->limits.approval_ms), setup->limits.call_records);
    if (fill_outbox(core) != ERRAND_OK) {
        errand__core_free(core);
        return errand__fail(err, ERRAND_ENOMEM, 0, "core: no memory for the program");
    }
    *out = core;
    return ERRAND_OK;
}

void errand__core_free(struct core *core)
{
    if (core == NULL)
        return;
    errand__buf_deinit(&core->inbox);
    errand__buf_deinit(&core->text);
    errand__buf_deinit(&core->kept);
    errand__buf_deinit(&core->outbox);
    errand__segments_deinit(&core->segments);
    errand__logs_deinit(&core->logs);
    errand__items_deinit(&core->items);
    errand__noise_deinit(&core->noise);
    errand__calls_deinit(&core->calls);
    errand__mem_free(core->warnings.lines);
    errand__mem_free(core->fault_text);
    errand__mem_free(core->stats);
    errand__mem_free(core->store);
    errand__mem_free(core->reason);
    errand__mem_free(core);
}

/* --- What happened ------------------------------------------------------------------------ */

static void at(struct core *core, int64_t now_us)
{
    assert(now_us >= core->now_us);
    core->now_us = now_us;
}

/* Too late to be of use once the run is on its way out: then it is cleared up unseen. */
static void note_opened(struct core *core)
{
    if (core->opened || core->phase != CORE_OPENING)
        return;
    core->opened = true;
    core->opened_us = core->now_us;
}

void errand__core_opened(struct core *core, int64_t now_us)
{
    at(core, now_us);
    note_opened(core);
    settle(core);
}

static void take_in(struct core *core, errand_span bytes)
{
    if (core->deaf)
        return;
    if (errand__buf_push(&core->inbox, bytes) == ERRAND_OK)
        return;
    core->deaf = true;
    errand__decide_memory(core);
}

/* Bytes of the stream proper. Hello may still stand in the inbox, in front of them. */
static void take_in_stream(struct core *core, errand_span bytes)
{
    const struct segments *segments = &core->segments;

    if (!core->heard && !core->decided) {
        if (core->behind_hello == 0 && !errand__greet_waits(core)) {
            errand__refuse(core, "a segment before hello",
                           span_of(segments->line, segments->line_len));
            return;
        }
        core->behind_hello += bytes.len;
    }
    take_in(core, bytes);
}

static void take_in_segments(struct core *core, errand_span bytes)
{
    struct segments *segments = &core->segments;
    const char *why = NULL;
    errand_span part = SPAN_EMPTY;

    /* Also of who is no longer believed: without an agreement, stop would not reach it. */
    while (bytes.len > 0) {
        switch (errand__segments_take(segments, &bytes, &part, &why)) {
        case SEGMENTS_NOTHING:
            break;
        case SEGMENTS_BYTES:
            take_in_stream(core, part);
            break;
        case SEGMENTS_BESIDE: /* Noise and hello come before the first segment. */
            if (!segments->begun && !core->heard)
                take_in(core, part);
            break;
        case SEGMENTS_BAD:
            errand__refuse(core, why, span_of(segments->line, segments->line_len));
            break;
        }
    }
    core->dropped = core->dropped && !segments->agreed;
}

void errand__core_out(struct core *core, int64_t now_us, errand_span bytes)
{
    at(core, now_us);
    assert(core->lent == 0);
    note_opened(core); /* What speaks runs. */
    core->life_us = now_us;
    core->outcome.bytes_received += core->phase < CORE_ENDED ? bytes.len : 0;
    if (core->phase > CORE_LEAVING || core->eof)
        return;
    if (errand__segments_on(&core->segments))
        take_in_segments(core, bytes);
    else
        take_in(core, bytes);
    settle(core);
}

void errand__core_err(struct core *core, int64_t now_us, errand_span bytes)
{
    at(core, now_us);
    note_opened(core);
    core->life_us = now_us;
    if (core->phase >= CORE_ENDED)
        return;
    core->outcome.bytes_received += bytes.len;
    errand__add_noise(core, bytes);
    settle(core);
}

void errand__core_eof(struct core *core, int64_t now_us)
{
    at(core, now_us);
    core->eof = true;
    settle(core);
}

void errand__core_exited(struct core *core, int64_t now_us, int code, int signal)
{
    at(core, now_us);
    if (!core->exited && core->phase < CORE_ENDED) {
        core->exited = true;
        core->exited_us = now_us;
        core->exit_code = code;
        core->exit_signal = signal;
    }
    settle(core);
}

void errand__core_closed(struct core *core, int64_t now_us, errand_span warning)
{
    at(core, now_us);
    if (warning.len > 0)
        errand__warn(core, "%.*s", (int)span_head(warning, LIFE_WARNING_LEN).len, warning.ptr);
    core->closed = true;
    settle(core);
}

void errand__core_closed_in_part(struct core *core, int64_t now_us, errand_span warning)
{
    core->remains = true;
    errand__core_closed(core, now_us, warning);
}

/* Of an ending that was decided by something else it says nothing. */
static void heed(struct core *core, const errand_error *why)
{
    if (core->decided)
        return;
    core->may_work_later = why->retryable != 0;
    core->later_ms = why->retry_after_ms;
}

void errand__core_lost(struct core *core, int64_t now_us, const char *code, const errand_error *why)
{
    const struct ending ending = {ERRAND_KIND_WORKER_EXIT, code == NULL ? "lost" : code, NULL,
                                  NULL};

    at(core, now_us);
    /* Told a second time, or while the far side is being cleared: no answer will come. */
    core->given_up = core->lost || core->phase >= CORE_CLOSING;
    bool again = core->lost;
    core->lost = true;
    if (!again) {
        heed(core, why);
        errand__decide_text(core, &ending, span_text(why->text));
    }
    settle(core);
}

static void lose_stream(struct core *core, errand_span why)
{
    errand_error error = {.status = ERRAND_EIO};

    (void)snprintf(error.text, sizeof(error.text), "the stream broke: %.*s",
                   (int)span_head(why, LIFE_WARNING_LEN).len, why.ptr);
    errand__core_lost(core, core->now_us, NULL, &error);
}

void errand__core_dropped(struct core *core, int64_t now_us, errand_span why)
{
    at(core, now_us);
    if (core->phase > CORE_LEAVING || core->lost)
        return;
    /* What the shell and stage-0 read has no numbers: nobody knows how much of it has come. */
    if (!errand__segments_on(&core->segments) || !core->opened || core->raw_left > 0) {
        lose_stream(core, why);
        return;
    }
    core->outcome.drops++;
    errand__segments_dropped(&core->segments);
    if (!core->heard && !core->deaf)
        errand__greet_anew(core);
    core->dropped_us = core->dropped ? core->dropped_us : now_us;
    core->dropped = true;
    settle(core);
}

void errand__core_attached(struct core *core, int64_t now_us)
{
    at(core, now_us);
    /* Into half a boot message no resumption is said: it would be read as a part of it. */
    if (core->segments.cut && !core->mute &&
        errand__segments_attached(&core->segments) != ERRAND_OK)
        errand__decide_memory(core);
    settle(core);
}

void errand__core_cancel(struct core *core, int64_t now_us, errand_span reason)
{
    static const struct ending ending = {ERRAND_KIND_ABORT, "cancelled", NULL, NULL};

    at(core, now_us);
    core->cancels += core->cancels < 2 ? 1U : 0U;
    core->done_waits = core->done_waits || (!core->decided && errand__hear_done_waits(core));
    /* An exit that has been told came first. */
    if (!core->decided && !core->exited && !core->done_waits)
        errand__decide_text(core, &ending, reason.len == 0 ? SPAN_LITERAL("cancelled") : reason);
    settle(core);
    if (core->cancels < 2)
        return;
    core->believed = core->believed || core->exited;
    if (core->phase == CORE_LEAVING && core->opened && !core->exited && !core->lost &&
        core->rung < RUNG_KILL)
        errand__climb_to(core, RUNG_KILL);
    settle(core);
}

void errand__core_tick(struct core *core, int64_t now_us)
{
    at(core, now_us);
    settle(core);
    while (errand__deadlines_pass(core))
        settle(core);
}

/* --- What the caller says ----------------------------------------------------------------- */

static struct call *open_call(struct core *core, uint64_t id)
{
    return core->decided ? NULL : errand__calls_find(&core->calls, id);
}

static errand_status not_open(uint64_t id, errand_error *err)
{
    return errand__fail(err, ERRAND_ESTATE, 0, "call: %" PRIu64 " is not open", id);
}

static errand_status check_answer(const struct core *core, bool ok, errand_span json,
                                  errand_error *err)
{
    size_t wrong;
    size_t lossy = SIZE_MAX;

    if (json.len > 0 && !errand__json_valid_exact(json, &wrong, &lossy))
        return errand__fail(err, ERRAND_EINVAL, 0, "reply: no JSON text at byte %zu", wrong);
    if (!ok && (json.len == 0 || !errand__json_is_object(json)))
        return errand__fail(err, ERRAND_EINVAL, 0, "reply: an error must be an object");
    if (core->setup.exact_integers && lossy != SIZE_MAX)
        return errand__json_lossy(err, "reply", json, lossy);
    return ERRAND_OK;
}

/* The call is rejected, with what json and code say, in place of the answer of that size. */
static errand_status reject_instead(struct core *core, struct call *call, const char *code,
                                    const char *json, uint64_t size, errand_error *err)
{
    if (errand__say_rejection(core, call->id, code, json) != ERRAND_OK)
        return errand__fail(err, ERRAND_ENOMEM, 0, "reply: no memory");
    errand__calls_answered(&core->calls, call, core->now_us, ERRAND_CALL_ERROR, size);
    return ERRAND_ELIMIT;
}

static errand_status refuse_large(struct core *core, struct call *call, uint64_t size,
                                  errand_error *err)
{
    uint64_t limit = core->setup.limits.frame_bytes;
    char json[160];

    (void)snprintf(json, sizeof(json),
                   "{\"message\":\"the reply is too large\",\"data\":{\"size\":%" PRIu64
                   ",\"limit\":%" PRIu64 "}}",
                   size, limit);
    errand_status status = reject_instead(core, call, "value_too_large", json, size, err);
    if (status != ERRAND_ELIMIT)
        return status;
    return errand__fail(err, ERRAND_ELIMIT, 0,
                        "reply: %" PRIu64 " bytes are over frame_bytes (%" PRIu64 ")", size, limit);
}

/* A far side that asks and does not read must not fill our memory with answers. */
static errand_status refuse_unread(struct core *core, struct call *call, uint64_t size,
                                   errand_error *err)
{
    errand_status status =
        reject_instead(core, call, "queue_full",
                       "{\"message\":\"too many bytes of answers wait to be read\"}", size, err);
    if (status != ERRAND_ELIMIT)
        return status;
    return errand__fail(err, ERRAND_ELIMIT, 0,
                        "reply: answers of frame_bytes (%" PRIu64 ") wait to be read",
                        core->setup.limits.frame_bytes);
}

static errand_status answer(struct core *core, uint64_t call, bool ok, errand_span json,
                            errand_error *err)
{
    struct call *open = open_call(core, call);
    if (open == NULL)
        return not_open(call, err);
    errand_status status = check_answer(core, ok, json, err);
    if (status != ERRAND_OK)
        return status;
    core->word_us = core->now_us;
    if (json.len > core->setup.limits.frame_bytes)
        return refuse_large(core, open, json.len, err);
    if (json.len > 0 && errand__say_unread(core) >= core->setup.limits.frame_bytes)
        return refuse_unread(core, open, json.len, err);
    struct frame frame = {.type = FRAME_REPLY, .number = call, .ok = ok};
    if (errand__say(core, frame, json) != ERRAND_OK)
        return errand__fail(err, ERRAND_ENOMEM, 0, "reply: no memory");
    errand__calls_answered(&core->calls, open, core->now_us,
                           ok ? ERRAND_CALL_OK : ERRAND_CALL_ERROR, json.len);
    return ERRAND_OK;
}

errand_status errand__core_answer(struct core *core, int64_t now_us, uint64_t call, bool ok,
                                  errand_span json, errand_error *err)
{
    at(core, now_us);
    errand_status status = answer(core, call, ok, json, err);
    errand__say_segments(core);
    return status;
}

errand_status errand__core_hold(struct core *core, int64_t now_us, uint64_t call, bool held,
                                errand_error *err)
{
    at(core, now_us);
    struct call *open = open_call(core, call);
    if (open == NULL)
        return not_open(call, err);
    errand__calls_hold(&core->calls, open, now_us, held);
    return ERRAND_OK;
}

/* --- What to do about it ------------------------------------------------------------------ */

/* The last event is no longer borrowed. */
static void give_back(struct core *core)
{
    errand__buf_consume(&core->inbox, core->lent);
    core->lent = 0;
    errand__buf_consume(&core->text, errand__buf_peek(&core->text).len);
    errand__noise_give_back(&core->noise);
}

static bool take_noise(struct core *core, errand_event *out)
{
    out->as.noise = errand__noise_lend(&core->noise);
    out->type = ERRAND_EVENT_NOISE;
    return out->as.noise.len > 0;
}

static bool take_over(struct core *core, errand_event *out)
{
    out->type = ERRAND_EVENT_CALL_OVER;
    return errand__calls_take_over(&core->calls, &out->as.call_over.id, &out->as.call_over.why);
}

static bool take_end(struct core *core, errand_event *out)
{
    if (core->phase != CORE_ENDED || core->ended_told)
        return false;
    core->ended_told = true;
    out->type = ERRAND_EVENT_END;
    out->as.end = &core->outcome;
    return true;
}

static bool told_all(const struct core *core)
{
    return errand__buf_peek(&core->noise.fresh).len == 0 && core->calls.overs == 0;
}

bool errand__core_event(struct core *core, errand_event *out)
{
    give_back(core);
    *out = (errand_event){.at_us = core->now_us};
    do {
        if (take_noise(core, out) || take_over(core, out))
            return true;
        bool heard = errand__hear(core, out);
        settle(core);
        if (heard)
            return true;
    } while (!told_all(core));
    return take_end(core, out);
}

enum core_order errand__core_order(struct core *core)
{
    static const enum core_order orders[] = {CORE_ORDER_TERM, CORE_ORDER_KILL, CORE_ORDER_CLOSE};

    for (size_t i = 0; i < COUNT(orders); i++) {
        if ((core->orders & bit(orders[i])) != 0) {
            core->orders &= ~bit(orders[i]);
            return orders[i];
        }
    }
    return CORE_ORDER_NONE;
}

bool errand__core_thirsty(const struct core *core)
{
    return core->phase != CORE_ENDED && core->lent == 0 && told_all(core) &&
           !errand__hear_ready(core);
}

int64_t errand__core_due(const struct core *core)
{
    return errand__deadlines_due(core);
}

enum core_phase errand__core_phase(const struct core *core)
{
    return core->phase;
}

const char *errand__core_phase_name(enum core_phase phase)
{
    switch (phase) {
    case CORE_OPENING:
        return "opening";
    case CORE_BOOTING:
        return "booting";
    case CORE_RUNNING:
        return "running";
    case CORE_LEAVING:
        return "leaving";
    case CORE_CLOSING:
        return "closing";
    case CORE_ENDED:
        return "ended";
    }
    return "unknown";
}

size_t errand__core_calls_open(const struct core *core)
{
    return core->calls.open;
}
