/* plan.c - draws a plan. Swarm testing: each world has its own few kinds of faults, since all of
 * them at once hide one another. */
#include "plan.h"

#include <stdio.h>

struct swarm {
    bool times, cuts, slow_input, slow_output, stubborn, pipe, closing, cancels, clocks, caps,
        holds, frees;
};

static const char *const pieces[] = {
    "a",        "Z9", " ",     "{",         "}", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
    "\xc3\xa9", ":",  "hello", "done ok 2", "0", "boot 2",       "[1,2]",
};

static void draw_text(struct chance *chance, char *text, size_t *len, int64_t most)
{
    int64_t count = chance_range(chance, 0, most);

    *len = 0;
    for (int64_t i = 0; i < count; i++) {
        const char *piece = pieces[chance_next(chance) % COUNT(pieces)];
        size_t piece_len = strlen(piece);
        if (*len + piece_len + 1 >= PLAN_TEXT_MAX)
            break;
        memcpy(text + *len, piece, piece_len);
        *len += piece_len;
    }
    text[*len] = '\0';
}

/* A JSON text of one line, or nothing. */
static void draw_json(struct chance *chance, char *json)
{
    char text[PLAN_TEXT_MAX];
    size_t len = 0;

    draw_text(chance, text, &len, 12);
    switch (chance_next(chance) % 6) {
    case 0:
        json[0] = '\0';
        break;
    case 1:
        (void)snprintf(json, PLAN_TEXT_MAX, "%d", (int)chance_range(chance, -1000, 1000));
        break;
    case 2:
        (void)snprintf(json, PLAN_TEXT_MAX, "9.223372036854776e18");
        break;
    case 3:
        (void)snprintf(json, PLAN_TEXT_MAX, "{\"a\":[null,true,\"\\ud83d\\u0000\"]}");
        break;
    case 4:
        (void)snprintf(json, PLAN_TEXT_MAX, "[[[]],{},%.*s1e-7]", (int)(len % 2), "-");
        break;
    default:
        (void)snprintf(json, PLAN_TEXT_MAX, "\"%.*s\"", (int)(len < 150 ? len : 150), text);
        break;
    }
}

static void draw_swarm(struct chance *chance, struct swarm *swarm)
{
    bool *flags[] = {&swarm->times,    &swarm->cuts, &swarm->slow_input, &swarm->slow_output,
                     &swarm->stubborn, &swarm->pipe, &swarm->closing,    &swarm->cancels,
                     &swarm->clocks,   &swarm->caps, &swarm->holds,      &swarm->frees};
    static const unsigned percents[] = {60, 50, 8, 8, 35, 20, 25, 30, 45, 30, 40, 4};

    for (size_t i = 0; i < COUNT(flags); i++)
        *flags[i] = chance_percent(chance, percents[i]);
}

/* --- Limits ------------------------------------------------------------------------------- */

static void draw_limits(struct plan *plan, struct chance *chance, const struct swarm *swarm)
{
    errand_limits *limits = &plan->limits;

    *limits = (errand_limits)ERRAND_LIMITS_INIT;
    if (swarm->times) {
        limits->leave_ms = (uint64_t)chance_range(chance, 20, 900);
        limits->kill_grace_ms = (uint64_t)chance_range(chance, 20, 900);
        limits->reap_ms = (uint64_t)chance_range(chance, 20, 900);
        limits->close_ms = (uint64_t)chance_range(chance, 20, 900);
    }
    if (swarm->clocks) {
        if (chance_percent(chance, 60))
            limits->wall_ms = (uint64_t)chance_range(chance, 100, 3000);
        if (chance_percent(chance, 40))
            limits->boot_ms = (uint64_t)chance_range(chance, 50, 1500);
        if (chance_percent(chance, 30))
            limits->idle_ms = (uint64_t)chance_range(chance, 80, 1500);
        if (chance_percent(chance, 40))
            limits->call_ms = (uint64_t)chance_range(chance, 50, 600);
        if (chance_percent(chance, 40))
            limits->approval_ms = (uint64_t)chance_range(chance, 50, 900);
        if (chance_percent(chance, 20))
            limits->open_ms = (uint64_t)chance_range(chance, 50, 900);
    }
    if (swarm->caps) {
        limits->output_bytes = (uint64_t)chance_range(chance, 4, 700);
        limits->frame_bytes = 1024;
        if (chance_percent(chance, 30))
            limits->call_records = (uint64_t)chance_range(chance, 1, 3);
    }
}

/* --- The far side ------------------------------------------------------------------------- */

static struct far_step *add(struct plan *plan, enum far_act act)
{
    struct far_step *step = &plan->steps[plan->steps_count++];

    assert(plan->steps_count <= PLAN_ACTS_MAX);
    *step = (struct far_step){.act = act};
    return step;
}

static void add_wait(struct plan *plan, struct chance *chance, int64_t most)
{
    add(plan, FAR_WAIT)->ms = chance_range(chance, 1, most);
}

static void draw_host_call(struct plan *plan, struct chance *chance, const struct swarm *swarm)
{
    struct host_call *call = &plan->calls[plan->calls_count];
    uint64_t last = plan->calls_count == 0 ? 0 : call[-1].id;

    *call = (struct host_call){
        .id = last + (uint64_t)(chance_percent(chance, 80) ? 1 : chance_range(chance, 1, 1000000)),
        .space = (unsigned)(chance_next(chance) % PLAN_SPACES),
        .function = (unsigned)(chance_next(chance) % PLAN_FUNCTIONS),
        .after_ms = chance_range(chance, 0, chance_percent(chance, 20) ? 900 : 120),
        .then_ms = -1,
        .twice = chance_percent(chance, 15),
    };
    draw_json(chance, call->args);
    draw_json(chance, call->reply);
    unsigned dice = (unsigned)(chance_next(chance) % 100);
    if (swarm->holds && dice < 45) {
        call->act = dice < 30 ? HOST_HOLD : HOST_HOLD_RESUME;
        call->resume_ms = chance_range(chance, 1, 400);
        call->then_ms = dice % 7 == 0 ? -1 : call->resume_ms + chance_range(chance, 1, 400);
    } else if (dice < 60) {
        call->act = HOST_REJECT;
        (void)snprintf(call->reply, sizeof(call->reply), "no %u", dice);
    } else if (swarm->caps && dice < 70) {
        call->act = HOST_REPLY_BIG;
    } else if (dice > 93 && !plan->gentle) {
        call->act = HOST_NEVER;
    } else {
        call->act = HOST_REPLY;
    }
    plan->calls_count++;
}

/* Never empty: a noise of nothing is no step. */
static void add_text(struct plan *plan, struct chance *chance, enum far_act act)
{
    struct far_step *step = add(plan, act);

    draw_text(chance, step->text, &step->text_len, act == FAR_LOG ? 20 : 10);
    if (act == FAR_NOISE) {
        step->text[step->text_len++] = '!';
        step->text[step->text_len] = '\0';
    }
}

static void add_item(struct plan *plan, struct chance *chance)
{
    struct far_step *step = add(plan, FAR_ITEM);
    char text[PLAN_TEXT_MAX];
    size_t len = 0;

    draw_text(chance, text, &len, 10);
    if (chance_percent(chance, 70))
        (void)snprintf(step->text, sizeof(step->text), "{\"type\":\"text\",\"text\":\"%.*s\"}",
                       (int)(len < 120 ? len : 120), text);
    else
        (void)snprintf(step->text, sizeof(step->text),
                       "{\"type\":\"file\",\"mimeType\":\"text/plain\",\"encoding\":\"base64\","
                       "\"data\":\"%.*s\",\"byteLength\":%d}",
                       (int)(len / 10 * 4), "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVph",
                       (int)(len / 10 * 3));
    step->text_len = strlen(step->text);
}

static void add_store(struct plan *plan, struct chance *chance)
{
    struct far_step *step = add(plan, FAR_STORE);
    int64_t number = chance_range(chance, 0, 100000);

    (void)snprintf(step->text, sizeof(step->text), "{\"set\":{\"a\":%d},\"delete\":[%s]}",
                   (int)number, number % 2 == 0 ? "\"b\"" : "");
    step->text_len = strlen(step->text);
}

static void add_call(struct plan *plan, struct chance *chance, const struct swarm *swarm,
                     unsigned *awaited)
{
    add(plan, FAR_CALL)->number = (unsigned)plan->calls_count;
    draw_host_call(plan, chance, swarm);
    if (!chance_percent(chance, 40))
        return;
    *awaited = (unsigned)plan->calls_count;
    add(plan, FAR_AWAIT)->number = *awaited - 1;
}

static void draw_body(struct plan *plan, struct chance *chance, const struct swarm *swarm)
{
    int64_t count = chance_range(chance, 0, 14);
    bool quiet = plan->limits.idle_ms != 0; /* What is a word is not for the model to know. */
    bool stats = false;
    unsigned awaited = 0;

    for (int64_t i = 0; i < count && plan->steps_count < PLAN_ACTS_MAX - 8; i++) {
        unsigned dice = (unsigned)(chance_next(chance) % 100);
        if (dice < 25) {
            add_wait(plan, chance, 250);
        } else if (dice < 43) {
            add_text(plan, chance, FAR_LOG);
        } else if (dice < 50) {
            add_item(plan, chance);
        } else if (dice < 60 && !quiet) {
            add_text(plan, chance, FAR_NOISE);
        } else if (dice < 64 && !quiet && !stats) {
            stats = true;
            add(plan, FAR_STATS);
        } else if (dice < 68 && !quiet) {
            add(plan, FAR_BEAT);
        } else if (dice < 71 && !quiet) {
            add(plan, FAR_LEFT)->number = dice;
        } else if (plan->calls_count < PLAN_CALLS_MAX) {
            add_call(plan, chance, swarm, &awaited);
        }
    }
    /* Often all that were not awaited yet are awaited at last. */
    for (; awaited < plan->calls_count && plan->steps_count < PLAN_ACTS_MAX - 6; awaited++)
        add(plan, FAR_AWAIT)->number = awaited;
}

static void draw_ending(struct plan *plan, struct chance *chance)
{
    static const enum far_act endings[] = {
        FAR_DONE_OK,    FAR_DONE_OK,    FAR_DONE_OK,  FAR_DONE_OK,  FAR_DONE_OK, FAR_DONE_ERROR,
        FAR_DONE_ERROR, FAR_DONE_TWICE, FAR_EXIT,     FAR_KILLED,   FAR_EOF,     FAR_HANG,
        FAR_HANG,       FAR_GARBAGE,    FAR_TORN,     FAR_HUGE,     FAR_FLOOD,   FAR_LOSE,
        FAR_BAD_INDEX,  FAR_BAD_ID,     FAR_BAD_JSON, FAR_BAD_KIND,
    };
    static const unsigned codes[] = {0, 1, 7, 91, 134};
    static const unsigned signals[] = {9, 11, 15};
    enum far_act act = plan->gentle ? FAR_DONE_OK : endings[chance_next(chance) % COUNT(endings)];

    if (act == FAR_BAD_ID && plan->calls_count == 0)
        act = FAR_BAD_INDEX;
    add_wait(plan, chance, 200);
    if (chance_percent(chance, 25))
        add_store(plan, chance);
    struct far_step *step = add(plan, act);
    step->number = act == FAR_KILLED ? signals[chance_next(chance) % COUNT(signals)]
                                     : codes[chance_next(chance) % COUNT(codes)];
    draw_json(chance, step->text);
    if (act == FAR_DONE_ERROR)
        (void)snprintf(step->text, sizeof(step->text), "broken %u times", step->number);
    step->text_len = strlen(step->text);
    if (act == FAR_FLOOD && (plan->limits.output_bytes == 0 || plan->limits.output_bytes > 9000)) {
        plan->limits.output_bytes = (uint64_t)chance_range(chance, 1000, 9000);
        plan->limits.frame_bytes = 9000;
    }
}

/* true: it comes to hello. */
static bool draw_boot(struct plan *plan, struct chance *chance)
{
    unsigned dice = plan->gentle ? 99 : (unsigned)(chance_next(chance) % 100);

    if (dice < 6) {
        add_wait(plan, chance, 300);
        if (dice < 2)
            add(plan, FAR_LOSE);
        else if (dice < 4)
            add(plan, FAR_HANG);
    }
    add(plan, FAR_START);
    if (dice < 4)
        return false;
    add_wait(plan, chance, chance_percent(chance, 15) ? 2000 : 100);
    if (chance_percent(chance, 30)) {
        struct far_step *step = add(plan, FAR_BANNER);
        draw_text(chance, step->text, &step->text_len, 20);
        if (chance_percent(chance, 50))
            add_wait(plan, chance, 20);
    }
    static const enum far_act endings[] = {FAR_FAIL, FAR_BAD_VERSION, FAR_EXIT,      FAR_KILLED,
                                           FAR_LOSE, FAR_HANG,        FAR_BOOT_NOISE};
    if (dice < 20) {
        struct far_step *step = add(plan, endings[chance_next(chance) % COUNT(endings)]);
        step->number = step->act == FAR_KILLED ? 11 : (unsigned)(dice % 7);
        if (step->act == FAR_BOOT_NOISE)
            plan->limits.boot_noise_bytes = (uint64_t)chance_range(chance, 500, 5000);
        return false;
    }
    add(plan, FAR_HELLO);
    return true;
}

static void draw_manners(struct plan *plan, struct chance *chance, const struct swarm *swarm)
{
    if (swarm->cuts) {
        plan->cut = (unsigned)chance_range(chance, 1, 40);
        if (chance_percent(chance, 40))
            plan->cut_at = (unsigned)chance_range(chance, 1, 600);
        if (swarm->slow_output)
            plan->cut_every_us = chance_range(chance, 1, 3) * 1000;
        plan->take = (unsigned)chance_range(chance, 1, 3000);
        if (swarm->slow_input)
            plan->take_every_us = chance_range(chance, 1, 3) * 1000;
    }
    if (swarm->stubborn) {
        plan->ignore_stop = chance_percent(chance, 60);
        plan->ignore_term = chance_percent(chance, 60);
        plan->ignore_kill = chance_percent(chance, 40);
    }
    if (swarm->times) {
        plan->leave_ms = chance_percent(chance, 50) ? chance_range(chance, 0, 1200) : 0;
        plan->die_ms = chance_percent(chance, 50) ? chance_range(chance, 0, 1200) : 0;
    }
    plan->hold_pipe = swarm->pipe;
    if (swarm->closing) {
        plan->never_close = chance_percent(chance, 40);
        plan->close_ms = chance_range(chance, 0, 1200);
    }
}

bool plan_wants(const struct plan *plan)
{
    return plan->file && plan->seed % 3 == 0;
}

/* Half of them take no time, and must change nothing. */
static void draw_break(struct plan *plan, struct chance *chance)
{
    struct plan_break *broken = &plan->broken;
    unsigned dice = (unsigned)(chance_next(chance) % 100);

    *broken = (struct plan_break){
        .planned = true,
        .to_far = chance_percent(chance, 40),
        .twice = chance_percent(chance, 50),
        .arrives = chance_percent(chance, 50),
    };
    broken->at =
        (uint64_t)(broken->to_far ? chance_range(chance, 1, 8) : chance_range(chance, 0, 900));
    broken->again =
        (uint64_t)(broken->to_far ? chance_range(chance, 1, 3) : chance_range(chance, 0, 200));
    if (dice >= 50)
        broken->away_ms = dice < 92 ? chance_range(chance, 1, 700) : -1;
    plan->limits.replay_bytes = UINT64_C(64) << 10;
    plan->limits.lease_ms = (uint64_t)chance_range(chance, 300, 2000);
}

void plan_draw(struct plan *plan, uint64_t seed)
{
    struct chance chance = {seed * 0x2545f4914f6cdd1du + 1};
    struct swarm swarm = {false};

    *plan = (struct plan){.seed = seed, .cancel_ms = -1, .cancel_again_ms = -1, .free_ms = -1};
    plan->gentle = chance_percent(&chance, 30);
    if (!plan->gentle)
        draw_swarm(&chance, &swarm);
    draw_limits(plan, &chance, &swarm);
    plan->file = chance_percent(&chance, 25);
    if (chance_percent(&chance, 30))
        plan->open_ms = chance_range(&chance, 0, 700);
    if (!plan->gentle && chance_percent(&chance, 4))
        plan->fate = chance_percent(&chance, 50) ? PLACE_OPEN_FAILS : PLACE_REFUSES;
    if (draw_boot(plan, &chance)) {
        draw_body(plan, &chance, &swarm);
        draw_ending(plan, &chance);
    }
    draw_manners(plan, &chance, &swarm);
    if (swarm.cancels) {
        plan->cancel_ms = chance_range(&chance, 0, 1500);
        if (chance_percent(&chance, 40))
            plan->cancel_again_ms = plan->cancel_ms + chance_range(&chance, 0, 800);
    }
    if (swarm.frees)
        plan->free_ms = chance_range(&chance, 0, 1500);
    /* A want that is lost is not said again: then there is no runner, and nothing to see. */
    if (!plan_wants(plan) && chance_percent(&chance, 30))
        draw_break(plan, &chance);
}
