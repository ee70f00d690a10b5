/* play.c - starts the runs, does what the rules say when they say it, and writes down the rest. */
#include "play.h"

#include "base/mem.h"
#include "transport/fake/fake.h"
#include "watch.h"

#include <errand/fake.h>
#include <errand/transport.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { ACTS_MAX = 4096, TURNS_MAX = 2000000 };

struct pending {
    int64_t at_us;
    unsigned run; /* From 1; 0: every one that was started. */
    const struct rule *rule;
    uint64_t call; /* The trigger's. */
    bool done;
};

struct player {
    const struct scenario *scenario;
    struct story *story;
    struct watch watch;
    errand_loop *loop;
    errand_place *place;
    errand_run *runs[RUNS_MAX + 1]; /* From 1. */
    unsigned started, going;
    bool closing, closed;
    struct pending pending[ACTS_MAX];
    size_t pending_count;
};

static void far_told(void *ctx, int64_t at_us, unsigned process, const char *what)
{
    struct player *player = ctx;
    story_add(player->story, "%s far %u %s\n", story_time(at_us), process, what);
}

static bool complain(struct player *player, const char *what, const errand_error *error)
{
    story_add(player->story, "%s: %s\n", what, error->text);
    return false;
}

/* --- What the host does ------------------------------------------------------------------- */

static bool start_run(struct player *player)
{
    const struct scenario *scenario = player->scenario;
    const errand_namespace space = {.name = "tools",
                                    .functions = (const char *const *)scenario->functions};
    errand_run_options options = ERRAND_RUN_OPTIONS_INIT;
    errand_error error = {0};

    if (player->started == RUNS_MAX)
        return false;
    options.program = SPAN_LITERAL("return 1");
    options.namespaces = &space;
    options.namespaces_count = 1;
    options.limits = &scenario->limits;
    options.collect_logs = scenario->collect;
    unsigned number = ++player->started;
    options.user = &player->runs[number];
    if (errand_run_start(&player->runs[number], player->place, &options, &error) != ERRAND_OK)
        return complain(player, "start", &error);
    player->going++;
    return true;
}

static errand_status reply_long(errand_run *run, uint64_t call, uint64_t times, errand_error *err)
{
    size_t len = (size_t)times + 2;
    char *text = malloc(len);

    if (text == NULL)
        abort();
    memset(text, 'x', len);
    text[0] = text[len - 1] = '"';
    errand_status status = errand_run_reply(run, call, span_of(text, len), err);
    free(text);
    return status;
}

static errand_status answer(errand_run *run, const struct rule *rule, uint64_t call,
                            errand_error *err)
{
    switch ((int)rule->act) {
    case ACT_REPLY:
        return rule->times > 0 ? reply_long(run, call, rule->times, err)
                               : errand_run_reply(run, call, span_text(rule->text), err);
    case ACT_REJECT:
        return errand_run_reject(run, call, rule->text, rule->name, rule->code, SPAN_EMPTY, err);
    case ACT_HOLD:
        return errand_run_hold(run, call, err);
    case ACT_RESUME:
        return errand_run_resume(run, call, err);
    }
    return ERRAND_EINVAL;
}

static void act_on_run(struct player *player, const struct pending *pending, unsigned number)
{
    static const char *const names[] = {"reply", "reject", "hold", "resume"};
    const struct rule *rule = pending->rule;
    errand_run *run = player->runs[number];
    errand_error error = {0};
    const char *now = story_time(errand_loop_now_us(player->loop));

    if (run == NULL)
        return;
    if (rule->act == ACT_CANCEL) {
        story_add(player->story, "%s host %u cancel\n", now, number);
        errand_run_cancel(run, rule->text[0] == '\0' ? NULL : rule->text);
        return;
    }
    if (rule->act == ACT_FREE) {
        story_add(player->story, "%s host %u free\n", now, number);
        errand_run_free(run);
        player->runs[number] = NULL;
        player->going--;
        return;
    }
    uint64_t call = rule->it ? pending->call : rule->about;
    errand_status status = answer(run, rule, call, &error);
    story_add(player->story, "%s host %u %s %" PRIu64 ": %s\n", now, number, names[rule->act], call,
              errand_status_name(status));
}

static void perform(struct player *player, struct pending *pending)
{
    pending->done = true;
    if (pending->rule->act == ACT_START) {
        story_add(player->story, "%s host start\n", story_time(errand_loop_now_us(player->loop)));
        (void)start_run(player);
        return;
    }
    if (pending->rule->act == ACT_CLOSE) {
        story_add(player->story, "%s host close\n", story_time(errand_loop_now_us(player->loop)));
        player->closing = true;
        errand_place_close(player->place);
        return;
    }
    if (pending->run != 0) {
        act_on_run(player, pending, pending->run);
        return;
    }
    unsigned started = player->started;
    for (unsigned i = 1; i <= started; i++)
        act_on_run(player, pending, i);
}

static void plan(struct player *player, const struct rule *rule, unsigned run, uint64_t call)
{
    if (player->pending_count == ACTS_MAX)
        return;
    int64_t from_us = rule->trigger == ON_TIME ? 0 : errand_loop_now_us(player->loop);
    player->pending[player->pending_count++] =
        (struct pending){from_us + rule->after_us, run, rule, call, false};
}

/* NULL: none. */
static struct pending *first_pending(struct player *player)
{
    struct pending *first = NULL;

    for (size_t i = 0; i < player->pending_count; i++) {
        struct pending *each = &player->pending[i];
        if (!each->done && (first == NULL || each->at_us < first->at_us))
            first = each;
    }
    return first;
}

static void perform_due(struct player *player, bool all)
{
    struct pending *first;

    while ((first = first_pending(player)) != NULL &&
           (all || first->at_us <= errand_loop_now_us(player->loop)))
        perform(player, first);
}

/* --- What the library tells ------------------------------------------------------------ */

static enum trigger trigger_of(const errand_event *event, uint64_t *call)
{
    switch (event->type) {
    case ERRAND_EVENT_STARTED:
        return ON_STARTED;
    case ERRAND_EVENT_LOG:
    case ERRAND_EVENT_ITEM:
        return ON_LOG;
    case ERRAND_EVENT_CALL:
        *call = event->as.call.id;
        return ON_CALL;
    case ERRAND_EVENT_CALL_OVER:
        *call = event->as.call_over.id;
        return ON_OVER;
    case ERRAND_EVENT_NOISE:
        return ON_NOISE;
    case ERRAND_EVENT_END:
        return ON_END;
    case ERRAND_EVENT_TRANSFER_OVER:
    case ERRAND_EVENT_PLACE_CLOSED:
    case ERRAND_EVENT_ASK:
    case ERRAND_EVENT_ANSWER:
        break;
    }
    return ON_TIME;
}

static void take_event(struct player *player, const errand_event *event)
{
    uint64_t call = 0;
    unsigned run = 0;

    if (event->run != NULL)
        run = (unsigned)((errand_run **)errand_run_user(event->run) - player->runs);
    story_event(player->story, event, run);
    if (event->type == ERRAND_EVENT_END)
        player->going--;
    if (event->type == ERRAND_EVENT_PLACE_CLOSED)
        player->closed = true;
    enum trigger trigger = trigger_of(event, &call);
    for (size_t i = 0; i < player->scenario->rules_count && trigger != ON_TIME; i++) {
        const struct rule *rule = &player->scenario->rules[i];
        if (rule->trigger == trigger && (rule->any || rule->call == call))
            plan(player, rule, run, call);
    }
}

static int timeout_of(struct player *player)
{
    const struct pending *first = first_pending(player);

    if (first == NULL)
        return -1;
    int64_t left_us = first->at_us - errand_loop_now_us(player->loop);
    return (int)((left_us + 999) / 1000);
}

static bool over(struct player *player)
{
    return player->going == 0 && (!player->closing || player->closed);
}

static bool turn(struct player *player)
{
    const errand_event *event = NULL;
    errand_error error = {0};

    perform_due(player, false);
    if (over(player))
        perform_due(player, true); /* Too late for time to pass; not too late to be wrong. */
    if (over(player))
        return false;
    errand_status status = errand_loop_next(player->loop, timeout_of(player), &event, &error);
    if (status < 0)
        return complain(player, "loop", &error);
    if (status == ERRAND_OK)
        take_event(player, event);
    return true;
}

/* --- The whole ------------------------------------------------------------------------- */

static bool open_place(struct player *player, struct manner manner)
{
    errand_error error = {0};
    errand_road *road = NULL;

    player->watch = (struct watch){.tell = far_told, .ctx = player, .crumbs = manner.crumbs};
    if (errand_fake_loop_new(&player->loop, &error) != ERRAND_OK)
        return complain(player, "loop", &error);
    player->watch.loop = player->loop;
    if (errand__fake_road_new(&road, player->scenario->far, &error) != ERRAND_OK)
        return complain(player, "script", &error);
    road = watch_road_new(road, &player->watch);
    if (manner.ferry != NULL)
        road = ferry_road_new(road, manner.ferry);
    if (errand_place_open_road(&player->place, player->loop, road, "fake", NULL, &error) !=
        ERRAND_OK)
        return complain(player, "place", &error);
    return true;
}

static void clear(struct player *player)
{
    for (unsigned i = 1; i <= player->started; i++)
        errand_run_free(player->runs[i]);
    errand_place_free(player->place);
    errand_loop_free(player->loop);
    if (player->watch.fault[0] != '\0')
        story_add(player->story, "BREACH %s\n", player->watch.fault);
}

bool play(const struct scenario *scenario, struct manner manner, struct story *story)
{
    struct player *player = calloc(1, sizeof(*player));
    bool ok = player != NULL;

    if (!ok)
        abort();
    player->scenario = scenario;
    player->story = story;
    ok = open_place(player, manner);
    for (unsigned i = 0; ok && i < scenario->runs; i++)
        ok = start_run(player);
    for (size_t i = 0; ok && i < scenario->rules_count; i++) {
        if (scenario->rules[i].trigger == ON_TIME)
            plan(player, &scenario->rules[i], 0, 0);
    }
    unsigned turns = 0;
    while (ok && turns < TURNS_MAX && turn(player))
        turns++;
    if (turns == TURNS_MAX)
        story_add(story, "NO END\n");
    clear(player);
    if (manner.ferry != NULL && manner.ferry->fault[0] != '\0')
        story_add(story, "BREACH %s\n", manner.ferry->fault);
    story_hide_marks(story);
    ok = ok && player->watch.fault[0] == '\0' && turns < TURNS_MAX;
    free(player);
    return ok;
}
