/* world.c - the host of a simulated world, and what must hold in every one of them:
 *
 * I1 exactly one END. I2 in bounded time. I3 nothing after it. I4 transport.h is kept (watch.c);
 * an answer is taken once. I5 the far side hears boot first, then only answers to its own
 * questions (watch.c and the fake itself). I6 what was said arrives, byte for byte. I7 told
 * before killed, with its grace. I8 no busy loop (watch.c, and turns here). I9 abandoned only
 * when true. I10 one seed, one story (sim.c). I11 no warning is told twice. I12 over a way that
 * breaks nothing is lost, else the run is, and says so. And the model is right. */
#include "world.h"

#include "ferry.h"
#include "transport/fake/fake.h"
#include "watch.h"

#include <errand/fake.h>
#include <errand/transport.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { ACTS_MAX = 256, TURNS_MAX = 200000, WORDS_MOST = 3000 };

enum world_act { WORLD_ANSWER, WORLD_AGAIN, WORLD_HOLD, WORLD_RESUME, WORLD_CANCEL, WORLD_FREE };

struct pending {
    int64_t at_us;
    enum world_act act;
    unsigned run;
    size_t call;
    bool done;
};

struct actor {
    struct world *world;
    unsigned number;
    struct plan plan;
    struct model model;
    struct watch watch;
    struct ferry ferry;
    errand_place *place;
    errand_run *run;
    unsigned ends;
    bool freed, place_closed, closed_told, started;
    int64_t end_us, stop_us, term_us, kill_us; /* -1: not seen. */
    size_t logs_seen, items_seen, calls_seen;
    uint64_t story;
    struct {
        bool made, answered, over;
    } calls[PLAN_CALLS_MAX];
};

struct world {
    uint64_t seed;
    struct world_options options;
    errand_loop *loop;
    struct actor actors[WORLD_RUNS_MAX];
    unsigned actors_count;
    struct pending pending[ACTS_MAX];
    size_t pending_count;
    bool failed;
};

/* --- Telling --------------------------------------------------------------------------- */

static void fail(struct actor *actor, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void fail(struct actor *actor, const char *format, ...)
{
    va_list args;

    (void)fprintf(stderr, "seed %" PRIu64 ", run %u: ", actor->world->seed, actor->number);
    va_start(args, format);
    (void)vfprintf(stderr, format, args);
    va_end(args);
    (void)fprintf(stderr, "\n");
    actor->world->failed = true;
}

/* A story each: which of two runs is told of first at one instant is nobody's promise. */
static void mix(struct actor *actor, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < len; i++)
        actor->story = (actor->story ^ at[i]) * 0x100000001b3u;
}

static void mix_number(struct actor *actor, uint64_t number)
{
    mix(actor, &number, sizeof(number));
}

static void mix_span(struct actor *actor, errand_span span)
{
    mix_number(actor, span.len);
    mix(actor, span.ptr, span.len);
}

static void trace(const struct world *world, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void trace(const struct world *world, const char *format, ...)
{
    va_list args;

    if (!world->options.trace)
        return;
    va_start(args, format);
    (void)vprintf(format, args);
    va_end(args);
    (void)printf("\n");
}

static double ms_of(int64_t us)
{
    return (double)us / 1000;
}

static void far_told(void *ctx, int64_t at_us, unsigned process, const char *what)
{
    struct actor *actor = ctx;

    (void)process;
    trace(actor->world, "%10.3f run %u   far %s", ms_of(at_us), actor->number, what);
    mix(actor, what, strlen(what));
    mix_number(actor, (uint64_t)at_us);
    if (strncmp(what, "stop", 4) == 0)
        actor->stop_us = at_us;
    else if (strcmp(what, "TERM") == 0)
        actor->term_us = at_us;
    else if (strcmp(what, "KILL") == 0)
        actor->kill_us = at_us;
    else if (strcmp(what, "closed") == 0)
        actor->closed_told = true;
}

/* --- The host -------------------------------------------------------------------------- */

static void plan_act(struct world *world, int64_t at_us, enum world_act act, unsigned run,
                     size_t call)
{
    if (world->pending_count == ACTS_MAX)
        abort();
    world->pending[world->pending_count++] = (struct pending){at_us, act, run, call, false};
}

static void plan_call(struct actor *actor, size_t i, int64_t now_us)
{
    const struct host_call *call = &actor->plan.calls[i];
    struct world *world = actor->world;
    int64_t first_us = now_us + call->after_ms * 1000;
    int64_t answer_us = first_us;

    if (call->act == HOST_NEVER)
        return;
    if (call->act == HOST_HOLD || call->act == HOST_HOLD_RESUME) {
        plan_act(world, first_us, WORLD_HOLD, actor->number, i);
        if (call->act == HOST_HOLD_RESUME)
            plan_act(world, first_us + call->resume_ms * 1000, WORLD_RESUME, actor->number, i);
        if (call->then_ms < 0)
            return;
        answer_us += call->then_ms * 1000;
    }
    plan_act(world, answer_us, WORLD_ANSWER, actor->number, i);
    if (call->twice)
        plan_act(world, answer_us + 1000, WORLD_AGAIN, actor->number, i);
}

static errand_status reply_big(struct actor *actor, uint64_t id, errand_error *err)
{
    size_t len = (size_t)actor->plan.limits.frame_bytes + 1;
    char *text = malloc(len);

    if (text == NULL)
        abort();
    memset(text, 'x', len);
    text[0] = text[len - 1] = '"';
    errand_status status = errand_run_reply(actor->run, id, span_of(text, len), err);
    free(text);
    return status;
}

static errand_status give_answer(struct actor *actor, size_t i)
{
    const struct host_call *call = &actor->plan.calls[i];
    errand_error error;

    if (call->act == HOST_REJECT)
        return errand_run_reject(actor->run, call->id, call->reply, "Error", "no", SPAN_EMPTY,
                                 &error);
    if (call->act == HOST_REPLY_BIG)
        return reply_big(actor, call->id, &error);
    return errand_run_reply(actor->run, call->id, span_text(call->reply), &error);
}

/* I4: an answer is taken once, while the call is open. */
static void check_status(struct actor *actor, size_t i, errand_status status)
{
    bool open = actor->calls[i].made && !actor->calls[i].answered && !actor->calls[i].over &&
                actor->ends == 0;
    bool taken = status == ERRAND_OK || status == ERRAND_ELIMIT;

    if (taken && !open)
        fail(actor, "I4: an answer to call %zu was taken, which is not open", i);
    if (!taken && status != ERRAND_ESTATE)
        fail(actor, "I4: an answer to call %zu: %s", i, errand_status_name(status));
}

static void act_on_call(struct actor *actor, enum world_act act, size_t i)
{
    uint64_t id = actor->plan.calls[i].id;
    errand_status status = ERRAND_ESTATE;
    errand_error error;

    if (act == WORLD_HOLD)
        status = errand_run_hold(actor->run, id, &error);
    else if (act == WORLD_RESUME)
        status = errand_run_resume(actor->run, id, &error);
    else
        status = give_answer(actor, i);
    trace(actor->world, "%10.3f run %u   host %s call %" PRIu64 ": %s",
          ms_of(errand_loop_now_us(actor->world->loop)), actor->number,
          act == WORLD_HOLD     ? "holds"
          : act == WORLD_RESUME ? "resumes"
                                : "answers",
          id, errand_status_name(status));
    check_status(actor, i, status);
    if ((act == WORLD_ANSWER || act == WORLD_AGAIN) && status != ERRAND_ESTATE)
        actor->calls[i].answered = true;
}

static void act(struct world *world, struct pending *pending)
{
    struct actor *actor = &world->actors[pending->run];

    pending->done = true;
    if (actor->freed)
        return;
    switch (pending->act) {
    case WORLD_CANCEL:
        trace(world, "%10.3f run %u   host cancels", ms_of(pending->at_us), actor->number);
        errand_run_cancel(actor->run, NULL);
        break;
    case WORLD_FREE:
        trace(world, "%10.3f run %u   host frees", ms_of(pending->at_us), actor->number);
        errand_run_free(actor->run);
        actor->run = NULL;
        actor->freed = true;
        break;
    case WORLD_ANSWER:
    case WORLD_AGAIN:
    case WORLD_HOLD:
    case WORLD_RESUME:
        act_on_call(actor, pending->act, pending->call);
        break;
    }
}

static struct pending *first_pending(struct world *world)
{
    struct pending *first = NULL;

    for (size_t i = 0; i < world->pending_count; i++) {
        struct pending *each = &world->pending[i];
        if (!each->done && (first == NULL || each->at_us < first->at_us))
            first = each;
    }
    return first;
}

/* --- What arrives ---------------------------------------------------------------------- */

/* I6: the next log that the plan says. Its last may be cut by the ledger. */
static void check_log(struct actor *actor, errand_span text)
{
    size_t at = 0;

    for (size_t i = 0; i < actor->plan.steps_count; i++) {
        const struct far_step *step = &actor->plan.steps[i];
        if (step->act != FAR_LOG || at++ != actor->logs_seen)
            continue;
        errand_span said = span_of(step->text, step->text_len);
        bool whole = span_equal(said, text);
        bool cut = actor->plan.limits.output_bytes != 0 && span_starts(said, text);
        if (!whole && !cut)
            fail(actor, "I6: log %zu arrived as '%.*s'", at, (int)text.len, text.ptr);
        actor->logs_seen++;
        return;
    }
    if (actor->plan.steps[actor->plan.steps_count - 1].act != FAR_FLOOD)
        fail(actor, "I6: a log that was never said");
}

/* I6: the next item that the plan says, whole; late ones may lack. It stands behind the logs that
 * were told. */
static void check_item(struct actor *actor, const errand_item *item)
{
    size_t at = 0;

    if (item->logs_before != actor->logs_seen)
        fail(actor, "I6: an item behind %" PRIu64 " logs, and %zu were told", item->logs_before,
             actor->logs_seen);
    for (size_t i = 0; i < actor->plan.steps_count; i++) {
        const struct far_step *step = &actor->plan.steps[i];
        if (step->act != FAR_ITEM || at++ < actor->items_seen)
            continue;
        if (!span_equal(item->json, span_of(step->text, step->text_len)))
            continue;
        actor->items_seen = at;
        return;
    }
    fail(actor, "I6: an item that was never said: %.*s", (int)item->json.len, item->json.ptr);
}

static void check_call(struct actor *actor, const errand_event *event)
{
    size_t i = actor->calls_seen++;

    if (i >= actor->plan.calls_count) {
        fail(actor, "I6: a call that was never made");
        return;
    }
    const struct host_call *call = &actor->plan.calls[i];
    if (event->as.call.id != call->id || event->as.call.space_index != call->space ||
        event->as.call.function_index != call->function ||
        !span_is(event->as.call.args, call->args))
        fail(actor, "I6: call %zu arrived otherwise", i);
    actor->calls[i].made = true;
    plan_call(actor, i, event->at_us);
}

static void take_over(struct actor *actor, uint64_t id)
{
    for (size_t i = 0; i < actor->plan.calls_count; i++) {
        if (actor->plan.calls[i].id != id)
            continue;
        if (!actor->calls[i].made || actor->calls[i].answered || actor->calls[i].over)
            fail(actor, "I4: call %zu is over, and was not open", i);
        actor->calls[i].over = true;
        return;
    }
    fail(actor, "I4: a call is over that was never made");
}

/* --- The end --------------------------------------------------------------------------- */

static void check_records(struct actor *actor, const errand_outcome *outcome)
{
    const struct model *model = &actor->model;

    if (outcome->calls_total != model->calls)
        fail(actor, "model: %zu calls, and there were %" PRIu64, model->calls,
             outcome->calls_total);
    for (size_t i = 0; i < outcome->calls_count && i < actor->plan.calls_count; i++) {
        static const enum fate fates[] = {FATE_OK, FATE_ERROR, FATE_CANCELLED};
        if (fates[outcome->calls[i].status] != model->fates[i])
            fail(actor, "model: call %zu ends as %d, and it was %d", i, (int)model->fates[i],
                 (int)fates[outcome->calls[i].status]);
    }
}

/* I7, and when which order must come. */
static void check_ladder(struct actor *actor)
{
    const struct model *model = &actor->model;
    int64_t term_us = model->term_ms < 0 ? -1 : model->term_ms * 1000;
    int64_t kill_us = model->kill_ms < 0 ? -1 : model->kill_ms * 1000;

    if (term_us >= 0 && actor->term_us != term_us)
        fail(actor, "I7: TERM at %.3f, not at %.3f", ms_of(actor->term_us), ms_of(term_us));
    if (actor->kill_us != kill_us)
        fail(actor, "I7: KILL at %.3f, not at %.3f", ms_of(actor->kill_us), ms_of(kill_us));
}

static void check_model(struct actor *actor, const errand_outcome *outcome)
{
    const struct model *model = &actor->model;
    /* An ending that says what failed keeps its word. */
    bool abandoned = model->abandoned && model->kind != ERRAND_KIND_WORKER_EXIT;
    const char *code = abandoned ? "abandoned" : model->code;
    errand_kind kind = abandoned ? ERRAND_KIND_WORKER_EXIT : model->kind;

    /* A text that home words counts as well, and may not fit: output-limit beats the kind. */
    bool worded = model->kind == ERRAND_KIND_TIMEOUT || model->kind == ERRAND_KIND_WORKER_EXIT ||
                  model->kind == ERRAND_KIND_ABORT;
    if (!abandoned && worded && model->output_left < WORDS_MOST &&
        outcome->kind == ERRAND_KIND_OUTPUT_LIMIT) {
        kind = ERRAND_KIND_OUTPUT_LIMIT;
        code = "output_limit";
    } else if (model->abandoned && worded && model->output_left < WORDS_MOST &&
               strcmp(outcome->code, "abandoned") == 0) {
        kind = ERRAND_KIND_WORKER_EXIT;
        code = "abandoned";
    }
    if (outcome->kind != kind || strcmp(outcome->code, code) != 0)
        fail(actor, "model: %s %s, and it was %s %s (%.*s)", errand_kind_name(kind), code,
             errand_kind_name(outcome->kind), outcome->code, (int)outcome->message.len,
             outcome->message.len == 0 ? "" : outcome->message.ptr);
    if (actor->end_us != model->end_ms * 1000)
        fail(actor, "model: ends at %" PRId64 ", and it was %.3f", model->end_ms,
             ms_of(actor->end_us));
    if (outcome->items_total < model->items)
        fail(actor, "model: %zu items, and there were %" PRIu64, model->items,
             outcome->items_total);
    if (outcome->logs_total < model->logs)
        fail(actor, "model: %zu logs, and there were %" PRIu64, model->logs, outcome->logs_total);
    check_records(actor, outcome);
    check_ladder(actor);
}

/* I11. What the far side repeats is one line, and who had escaped is one too. */
static void check_warnings(struct actor *actor, const errand_outcome *outcome)
{
    static const char killed[] = "killed what had left the group: ";
    size_t named = 0;

    for (size_t i = 0; i < outcome->warnings_count; i++) {
        named += strncmp(outcome->warnings[i], killed, sizeof(killed) - 1) == 0;
        for (size_t j = 0; j < i; j++) {
            if (strcmp(outcome->warnings[i], outcome->warnings[j]) == 0)
                fail(actor, "I11: twice: %s", outcome->warnings[i]);
        }
    }
    if (named > 1 || (!actor->model.loose && actor->model.left && named == 0))
        fail(actor, "I11: %zu warnings name who had escaped", named);
}

static int64_t bound_us(const struct actor *actor)
{
    const errand_limits *limits = &actor->plan.limits;
    int64_t ms = 60000 + 600000 + 3600000 * PLAN_CALLS_MAX + 1000 + 2000 + 5000 + 10000;

    (void)limits;
    return ms * 1000;
}

static size_t steps_of(const struct plan *plan, enum far_act act)
{
    size_t count = 0;

    for (size_t i = 0; i < plan->steps_count; i++)
        count += plan->steps[i].act == act;
    return count;
}

/* What was stored comes with a value and with nothing else; and before a value, every item. */
static void check_items_and_store(struct actor *actor, const errand_outcome *outcome)
{
    errand_span said = SPAN_EMPTY;

    for (size_t i = 0; i < actor->plan.steps_count; i++) {
        const struct far_step *step = &actor->plan.steps[i];
        if (step->act == FAR_STORE && outcome->kind == ERRAND_KIND_VALUE)
            said = span_of(step->text, step->text_len);
    }
    if (!span_equal(outcome->store, said))
        fail(actor, "I6: another store");
    if (outcome->kind == ERRAND_KIND_VALUE &&
        outcome->items_total != steps_of(&actor->plan, FAR_ITEM))
        fail(actor, "I6: a value, and of %zu items came %" PRIu64, steps_of(&actor->plan, FAR_ITEM),
             outcome->items_total);
}

static void check_value(struct actor *actor, const errand_outcome *outcome)
{
    const struct far_step *last = &actor->plan.steps[actor->plan.steps_count - 1];

    if (outcome->kind == ERRAND_KIND_VALUE &&
        !span_equal(outcome->value, span_of(last->text, last->text_len)))
        fail(actor, "I6: another value");
    check_items_and_store(actor, outcome);
    /* I9. A process that never was leaves nothing. */
    if (outcome->abandoned && actor->closed_told)
        fail(actor, "I9: abandoned, and it was cleared");
    if (!outcome->abandoned && !actor->closed_told && actor->watch.launched > 0 &&
        actor->plan.fate == PLACE_OPENS)
        fail(actor, "I9: not abandoned, and nobody cleared it");
    if (actor->kill_us >= 0 && actor->term_us < 0 && actor->plan.cancel_again_ms < 0)
        fail(actor, "I7: killed, and never told");
}

/* I12. Order, and that nothing comes twice, is seen by check_log(), check_call() and the fake. */
static void check_breaks(struct actor *actor, const errand_outcome *outcome)
{
    const struct plan *plan = &actor->plan;
    bool lost = strcmp(outcome->code, "lost") == 0;

    if (outcome->drops > actor->ferry.breaks)
        fail(actor, "I12: %u breaks, and %u were told of", actor->ferry.breaks,
             (unsigned)outcome->drops);
    if (outcome->kind == ERRAND_KIND_VALUE &&
        (actor->logs_seen != steps_of(plan, FAR_LOG) || actor->calls_seen != plan->calls_count))
        fail(actor, "I12: a value, and of what was said before %zu logs, %zu calls arrived",
             actor->logs_seen, actor->calls_seen);
    if (lost && actor->started && !outcome->outcome_unknown)
        fail(actor, "I12: lost, and the outcome is not said to be unknown");
    for (size_t i = 0; i < outcome->calls_count && i < plan->calls_count; i++) {
        /* Neither is one whose time was up. */
        bool answered = actor->calls[i].answered;
        if (lost && outcome->calls[i].status == (answered ? ERRAND_CALL_CANCELLED : ERRAND_CALL_OK))
            fail(actor, "I12: lost, and call %zu is told otherwise", i);
    }
}

static void take_end(struct actor *actor, const errand_event *event)
{
    const errand_outcome *outcome = event->as.end;

    actor->end_us = event->at_us;
    actor->ends++;
    trace(actor->world, "%10.3f run %u END %s %s, foreseen %s %s%s at %" PRId64 "%s",
          ms_of(event->at_us), actor->number, errand_kind_name(outcome->kind), outcome->code,
          errand_kind_name(actor->model.kind), actor->model.code,
          actor->model.abandoned ? ", abandoned" : "", actor->model.end_ms,
          actor->model.loose ? " (loosely)" : "");
    if (event->at_us > bound_us(actor))
        fail(actor, "I2: ended only at %.3f", ms_of(event->at_us));
    check_value(actor, outcome);
    check_warnings(actor, outcome);
    if (actor->plan.broken.planned)
        check_breaks(actor, outcome);
    if (!actor->model.loose)
        check_model(actor, outcome);
    mix_number(actor, (uint64_t)outcome->kind);
    mix(actor, outcome->code, strlen(outcome->code));
    mix_span(actor, outcome->value);
    mix_number(actor, outcome->logs_kept);
    mix_number(actor, (uint64_t)outcome->timing.drain_us);
}

static struct actor *actor_of(struct world *world, const errand_event *event)
{
    for (unsigned i = 0; i < world->actors_count; i++) {
        if (world->actors[i].place == event->place)
            return &world->actors[i];
    }
    abort();
}

static void take_event(struct world *world, const errand_event *event)
{
    struct actor *actor = actor_of(world, event);

    if (event->type != ERRAND_EVENT_PLACE_CLOSED && actor->ends > 0)
        fail(actor, "%s", event->type == ERRAND_EVENT_END ? "I1: a second END" : "I3: after END");
    if (event->type != ERRAND_EVENT_NOISE) {
        mix_number(actor, (uint64_t)event->type);
        mix_number(actor, (uint64_t)event->at_us);
    }
    switch (event->type) {
    case ERRAND_EVENT_STARTED:
        if (actor->started)
            fail(actor, "I12: started twice");
        actor->started = true;
        break;
    case ERRAND_EVENT_NOISE:
    case ERRAND_EVENT_ASK:
    case ERRAND_EVENT_ANSWER:
        break;
    case ERRAND_EVENT_LOG:
        trace(world, "%10.3f run %u log", ms_of(event->at_us), actor->number);
        mix_span(actor, event->as.log.text);
        check_log(actor, event->as.log.text);
        break;
    case ERRAND_EVENT_ITEM:
        trace(world, "%10.3f run %u item", ms_of(event->at_us), actor->number);
        mix_span(actor, event->as.item.json);
        check_item(actor, &event->as.item);
        break;
    case ERRAND_EVENT_CALL:
        trace(world, "%10.3f run %u call %" PRIu64, ms_of(event->at_us), actor->number,
              event->as.call.id);
        mix_span(actor, event->as.call.args);
        check_call(actor, event);
        break;
    case ERRAND_EVENT_CALL_OVER:
        trace(world, "%10.3f run %u call %" PRIu64 " over: %s", ms_of(event->at_us), actor->number,
              event->as.call_over.id, event->as.call_over.why);
        take_over(actor, event->as.call_over.id);
        break;
    case ERRAND_EVENT_END:
        take_end(actor, event);
        break;
    case ERRAND_EVENT_TRANSFER_OVER:
    case ERRAND_EVENT_PLACE_CLOSED:
        if (actor->place_closed)
            fail(actor, "I1: the place closed twice");
        actor->place_closed = true;
        break;
    }
}

/* --- The whole ------------------------------------------------------------------------- */

static errand_road *over_ferry(struct actor *actor, errand_road *road)
{
    const struct plan_break *broken = &actor->plan.broken;

    if (!broken->planned)
        return road;
    actor->ferry = (struct ferry){
        .side = broken->to_far ? FERRY_FAR : FERRY_HOME,
        .at = broken->at,
        .twice = broken->twice,
        .again = broken->again,
        .arrives = broken->arrives,
        .away_us = broken->away_ms < 0 ? TIME_NEVER : broken->away_ms * 1000,
    };
    trace(actor->world, "--- breaks at %s %" PRIu64 "%s, away %" PRId64 "ms",
          broken->to_far ? "piece" : "byte", broken->at, broken->twice ? " and again" : "",
          broken->away_ms);
    return ferry_road_new(road, &actor->ferry);
}

static void start(struct world *world, struct actor *actor)
{
    static char script[FAR_SCRIPT_MAX];
    static const char *const functions[] = {"one", "two", NULL};
    static const errand_namespace spaces[] = {{.name = "first", .functions = functions},
                                              {.name = "second", .functions = functions}};
    errand_run_options options = ERRAND_RUN_OPTIONS_INIT;
    errand_road *road = NULL;
    errand_error error = {0};

    far_write(&actor->plan, &actor->model, script);
    trace(world, "--- run %u%s\n%s---", actor->number, actor->model.loose ? " (loose)" : "",
          script);
    actor->watch =
        (struct watch){.tell = far_told,
                       .ctx = actor,
                       .loop = world->loop,
                       .crumbs = world->options.crumbs && actor->plan.broken.away_ms == 0};
    if (errand__fake_road_new(&road, script, &error) != ERRAND_OK) {
        (void)fprintf(stderr, "%s\n%s\n", error.text, script);
        abort();
    }
    options.program = SPAN_LITERAL("return 1");
    options.namespaces = spaces;
    options.namespaces_count = COUNT(spaces);
    options.limits = &actor->plan.limits;
    road = over_ferry(actor, watch_road_new(road, &actor->watch));
    if (errand_place_open_road(&actor->place, world->loop, road, "fake", NULL, &error) !=
            ERRAND_OK ||
        errand_run_start(&actor->run, actor->place, &options, &error) != ERRAND_OK)
        abort();
    if (actor->plan.cancel_ms >= 0)
        plan_act(world, actor->plan.cancel_ms * 1000, WORLD_CANCEL, actor->number, 0);
    if (actor->plan.cancel_again_ms >= 0)
        plan_act(world, actor->plan.cancel_again_ms * 1000, WORLD_CANCEL, actor->number, 0);
    if (actor->plan.free_ms >= 0)
        plan_act(world, actor->plan.free_ms * 1000, WORLD_FREE, actor->number, 0);
}

static bool all_over(const struct world *world)
{
    for (unsigned i = 0; i < world->actors_count; i++) {
        if (world->actors[i].ends == 0 && !world->actors[i].freed)
            return false;
    }
    return true;
}

static bool all_closed(const struct world *world)
{
    for (unsigned i = 0; i < world->actors_count; i++) {
        if (!world->actors[i].place_closed)
            return false;
    }
    return true;
}

static errand_status turn(struct world *world, bool until_due)
{
    const errand_event *event = NULL;
    errand_error error = {0};
    const struct pending *first = first_pending(world);
    int timeout_ms = -1;

    if (until_due && first != NULL)
        timeout_ms = (int)((first->at_us - errand_loop_now_us(world->loop) + 999) / 1000);
    errand_status status = errand_loop_next(world->loop, timeout_ms, &event, &error);
    if (status == ERRAND_OK)
        take_event(world, event);
    if (status < 0)
        fail(&world->actors[0], "I2: the loop says %s", error.text);
    return status;
}

/* The host acts and the loop turns until every run has ended. */
static void play_out(struct world *world)
{
    unsigned turns = 0;

    while (!all_over(world) && !world->failed) {
        struct pending *first;
        while ((first = first_pending(world)) != NULL &&
               first->at_us <= errand_loop_now_us(world->loop))
            act(world, first);
        if (all_over(world))
            break;
        (void)turn(world, true);
        if (++turns > TURNS_MAX)
            fail(&world->actors[0], "I8: %u turns", turns);
    }
    /* Too late: nothing may come of it. */
    for (size_t i = 0; i < world->pending_count && !world->failed; i++) {
        if (!world->pending[i].done)
            act(world, &world->pending[i]);
    }
    while (!world->failed && turn(world, true) == ERRAND_OK) {
    }
}

static void close_up(struct world *world)
{
    for (unsigned i = 0; i < world->actors_count; i++)
        errand_place_close(world->actors[i].place);
    for (unsigned i = 0; i < 1000 && !all_closed(world) && !world->failed; i++)
        (void)turn(world, false);
    for (unsigned i = 0; i < world->actors_count; i++) {
        struct actor *actor = &world->actors[i];
        if (!world->failed && !actor->place_closed)
            fail(actor, "I1: the place never closed");
        errand_run_free(actor->run);
        errand_place_free(actor->place);
        if (actor->watch.alive > 0)
            fail(actor, "I4: a process was never freed");
        if (actor->watch.fault[0] != '\0')
            fail(actor, "I4: %s", actor->watch.fault);
        if (actor->ferry.fault[0] != '\0')
            fail(actor, "I4: %s", actor->ferry.fault);
    }
    errand_loop_free(world->loop);
}

bool world_play(uint64_t seed, const struct world_options *options, uint64_t *story)
{
    struct world *world = calloc(1, sizeof(*world));
    errand_error error;

    if (world == NULL || errand_fake_loop_new(&world->loop, &error) != ERRAND_OK)
        abort();
    world->seed = seed;
    world->options = *options;
    *story = 0;
    world->actors_count = seed % 5 == 0 ? 3 : seed % 5 == 1 ? 2 : 1;
    for (unsigned i = 0; i < world->actors_count; i++) {
        struct actor *actor = &world->actors[i];
        actor->world = world;
        actor->number = i;
        actor->story = 0xcbf29ce484222325u;
        actor->end_us = actor->stop_us = actor->term_us = actor->kill_us = -1;
        plan_draw(&actor->plan, seed * WORLD_RUNS_MAX + i);
        model_foresee(&actor->plan, &actor->model);
        start(world, actor);
    }
    play_out(world);
    close_up(world);
    for (unsigned i = 0; i < world->actors_count; i++)
        *story = *story * 31 + world->actors[i].story;
    bool ok = !world->failed;
    free(world);
    return ok;
}
