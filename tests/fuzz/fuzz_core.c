/* Any story: the first byte of the input chooses limits, then each step is one byte that says
 * what happens and one that says how much. Every story ends with silence, and silence must
 * bring END, once, last, within 20 ticks. */
#include "fuzz.h"

#include "base/err.h"
#include "core/core.h"

#define MARK "00112233445566778899aabbccddeeff"

enum { TICKS_MAX = 20 };

struct story {
    struct core *core;
    const uint8_t *at, *end;
    int64_t now_us;
    bool ended, reattaches;
    unsigned ends;
    uint64_t last_call;
};

static const char hello[] =
    "hello " MARK " 131\n"
    "{\"protocol\":1,\"node\":\"v22.4.1\",\"pid\":4711,\"group\":4711,\"digest\":"
    "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"}\n";

static struct core_setup setup_of(uint8_t choice)
{
    static const char *const functions[] = {"f", "g", NULL};
    static const struct core_space spaces[] = {{"tools", functions, 2}};
    static const struct core_asset assets[] = {{{"a", 1}, {"\"x\"", 3}}, {{"b", 1}, {"7", 1}}};
    const bool small = (choice & 1) != 0;

    return (struct core_setup){
        .limits = {.size = sizeof(errand_limits),
                   .open_ms = 100,
                   .boot_ms = 100,
                   .wall_ms = (choice & 2) != 0 ? ERRAND_UNLIMITED : 1000,
                   .compute_ms = 1000,
                   .idle_ms = (choice & 4) != 0 ? 50 : 500,
                   .call_ms = (choice & 8) != 0 ? 30 : 600,
                   .approval_ms = 70,
                   .leave_ms = 10,
                   .kill_grace_ms = 20,
                   .reap_ms = 30,
                   .close_ms = 40,
                   .lease_ms = (choice & 16) != 0 ? 300 : 0,
                   .output_bytes = small ? 40 : 4096,
                   .frame_bytes = 8192,
                   .noise_bytes = small ? 10 : 1000,
                   .boot_noise_bytes = small ? 50 : 1000,
                   .heap_mb = 512,
                   .rss_mb = 2048,
                   .calls = small ? 5 : 1000,
                   .calls_open = small ? 3 : 100,
                   .call_records = 4,
                   .replay_bytes = small ? 16 : 4096},
        .mark = SPAN_LITERAL(MARK),
        .boot = SPAN_LITERAL("{}"),
        .runner = (choice & 32) != 0 ? SPAN_LITERAL("RUNNER") : SPAN_EMPTY,
        .assets = assets,
        .assets_count = COUNT(assets),
        .spaces = spaces,
        .spaces_count = COUNT(spaces),
        .collect_logs = (choice & 64) != 0,
        .reattaches = (choice & 128) != 0,
    };
}

static void touch(errand_span bytes)
{
    volatile char sum = 0;

    for (size_t i = 0; i < bytes.len; i++)
        sum = (char)(sum ^ bytes.ptr[i]);
}

static void look_at_end(const errand_outcome *end)
{
    touch(end->value);
    touch(end->message);
    touch(end->stack);
    touch(end->error);
    touch(end->noise);
    touch(end->stats);
    for (size_t i = 0; i < end->logs_count; i++)
        touch(end->logs[i].text);
    for (size_t i = 0; i < end->items_count; i++) {
        touch(end->items[i].json);
        MUST(end->items[i].type != NULL && end->items[i].logs_before <= end->logs_total);
    }
    touch(end->store);
    MUST(end->items_count <= end->items_total);
    MUST(end->store.len == 0 || end->kind == ERRAND_KIND_VALUE);
    for (size_t i = 0; i < end->warnings_count; i++)
        touch(span_text(end->warnings[i]));
    MUST(end->warnings_count <= 65);
    MUST(end->calls_count <= 4);
    MUST(end->logs_kept <= end->logs_total);
    MUST(end->kind == ERRAND_KIND_VALUE || end->code[0] != '\0');
    MUST(end->timing.open_us >= 0 && end->timing.boot_us >= 0 && end->timing.run_us >= 0 &&
         end->timing.drain_us >= 0);
}

static void look_at(struct story *story, const errand_event *event)
{
    MUST(!story->ended);
    switch (event->type) {
    case ERRAND_EVENT_STARTED:
        touch(event->as.started.hello);
        touch(event->as.started.node);
        break;
    case ERRAND_EVENT_LOG:
        touch(event->as.log.json);
        touch(event->as.log.text);
        break;
    case ERRAND_EVENT_ITEM:
        touch(event->as.item.json);
        break;
    case ERRAND_EVENT_CALL:
        MUST(event->as.call.id > story->last_call);
        story->last_call = event->as.call.id;
        touch(event->as.call.args);
        break;
    case ERRAND_EVENT_CALL_OVER:
        MUST(event->as.call_over.id <= story->last_call);
        break;
    case ERRAND_EVENT_NOISE:
        touch(event->as.noise);
        break;
    case ERRAND_EVENT_END:
        story->ended = true;
        story->ends++;
        look_at_end(event->as.end);
        break;
    case ERRAND_EVENT_TRANSFER_OVER:
    case ERRAND_EVENT_PLACE_CLOSED:
    case ERRAND_EVENT_ASK:
    case ERRAND_EVENT_ANSWER:
        MUST(false);
    }
}

static void drain(struct story *story)
{
    errand_event event;

    while (errand__core_event(story->core, &event))
        look_at(story, &event);
    MUST(story->ended || errand__core_thirsty(story->core));
    while (errand__core_order(story->core) != CORE_ORDER_NONE)
        continue;
}

static uint8_t take(struct story *story)
{
    return story->at == story->end ? 0 : *story->at++;
}

static errand_span take_bytes(struct story *story)
{
    size_t len = take(story);
    size_t left = (size_t)(story->end - story->at);

    len = len < left ? len : left;
    errand_span bytes = span_of(story->at, len);
    story->at += len;
    return bytes;
}

static void send_some(struct story *story, uint8_t most)
{
    errand_span bytes = errand__core_outbox(story->core);

    touch(bytes);
    /* A piece goes as a whole. */
    errand__core_sent(story->core, bytes.len < most || story->reattaches ? bytes.len : most);
}

/* Two of the numbers that a way takes at once are none, where it may break. */
static void use_way(struct story *story, uint8_t how)
{
    enum { DROP = 255, ATTACH = 254 };

    if (story->reattaches && how == DROP)
        errand__core_dropped(story->core, story->now_us, SPAN_LITERAL("gone"));
    else if (story->reattaches && how == ATTACH)
        errand__core_attached(story->core, story->now_us);
    else
        send_some(story, how);
}

static void answer(struct story *story, uint8_t how)
{
    uint64_t call = how % 8;

    if ((how & 16) != 0)
        (void)!errand__core_hold(story->core, story->now_us, call, (how & 32) != 0, NULL);
    else
        (void)!errand__core_answer(
            story->core, story->now_us, call, (how & 32) != 0,
            (how & 64) != 0 ? SPAN_LITERAL("{\"message\":\"m\"}") : SPAN_LITERAL("[1]"), NULL);
}

static void lose(struct story *story)
{
    errand_error why = {0};

    (void)errand__fail(&why, ERRAND_EIO, 0, "road: gone");
    errand__core_lost(story->core, story->now_us, NULL, &why);
}

static void step(struct story *story)
{
    struct core *core = story->core;

    switch (take(story) % 14) {
    case 0:
    case 1:
        errand__core_out(core, story->now_us, take_bytes(story));
        break;
    case 2:
        errand__core_out(core, story->now_us, SPAN_LITERAL(hello));
        break;
    case 3:
        errand__core_opened(core, story->now_us);
        break;
    case 4:
        errand__core_err(core, story->now_us, take_bytes(story));
        break;
    case 5:
        errand__core_eof(core, story->now_us);
        break;
    case 6:
        errand__core_exited(core, story->now_us, take(story), 0);
        break;
    case 7:
        errand__core_closed(core, story->now_us, SPAN_EMPTY);
        break;
    case 8:
        lose(story);
        break;
    case 9:
        errand__core_cancel(core, story->now_us, take_bytes(story));
        break;
    case 10:
    case 11:
        story->now_us += (int64_t)take(story) * 1000;
        errand__core_tick(core, story->now_us);
        break;
    case 12:
        answer(story, take(story));
        break;
    default:
        use_way(story, take(story));
        break;
    }
}

/* To the next instant at which silence is news. */
static void wait_for_due(struct story *story)
{
    int64_t due_us = errand__core_due(story->core);

    MUST(due_us != TIME_NEVER);
    story->now_us = due_us > story->now_us ? due_us : story->now_us;
    errand__core_tick(story->core, story->now_us);
    /* What was due is done: no busy loop. */
    MUST(errand__core_due(story->core) > story->now_us);
    drain(story);
}

static void fall_silent(struct story *story)
{
    unsigned ticks = 0;

    /* What is pinged or called may be due before the run is; without a wall, neither need be. */
    errand__core_cancel(story->core, story->now_us, SPAN_EMPTY);
    drain(story);
    for (; !story->ended && ticks < TICKS_MAX; ticks++)
        wait_for_due(story);
    MUST(story->ended);
    MUST(story->ends == 1);
    MUST(errand__core_due(story->core) == TIME_NEVER);
    MUST(errand__core_calls_open(story->core) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct story story = {.at = data, .end = data + size};
    struct core_setup setup = setup_of(take(&story));
    errand_error err = {0};

    story.reattaches = setup.reattaches;
    MUST(errand__core_new(&story.core, &setup, 0, &err) == ERRAND_OK);
    while (story.at < story.end) {
        step(&story);
        drain(&story);
    }
    fall_silent(&story);
    errand__core_free(story.core);
    return 0;
}
