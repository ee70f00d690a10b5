/* deadlines.c - every limit of time in one table, from which both what is due and what comes of
 * it are read, so that the two can't disagree. */
#include "core/json.h"
#include "core/life.h"
#include "core/utf8.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

struct deadline {
    size_t field;  /* Of errand_limits; how long it may take. */
    int64_t parts; /* That long, divided by this. */
    /* Since when; TIME_NEVER: this clock stands still. */
    int64_t (*since_us)(const struct core *core);
    void (*pass)(struct core *core, const struct deadline *deadline);
    struct ending ending; /* For pass_ending(). */
    const char *text;
};

/* --- Since when --------------------------------------------------------------------------- */

/* Before a terminal fact; and an exit that has been told is one, but for what the pipe holds. */
static bool ticking(const struct core *core)
{
    return !core->decided && !core->exited && !core->done_waits;
}

static int64_t opening(const struct core *core)
{
    return core->phase == CORE_OPENING && ticking(core) ? core->born_us : TIME_NEVER;
}

static int64_t booting(const struct core *core)
{
    return core->phase == CORE_BOOTING && ticking(core) ? core->opened_us : TIME_NEVER;
}

static int64_t running(const struct core *core)
{
    if (!core->opened || !ticking(core) || core->calls.holding.on)
        return TIME_NEVER;
    return core->opened_us + core->calls.holding.sum_us;
}

static int64_t idling(const struct core *core)
{
    if (core->phase != CORE_RUNNING || !ticking(core) || core->calls.open > 0)
        return TIME_NEVER;
    return core->word_us;
}

static int64_t silent(const struct core *core)
{
    if (core->phase != CORE_RUNNING || !ticking(core) || core->setup.limits.lease_ms == 0 ||
        core->dropped)
        return TIME_NEVER;
    return core->life_us;
}

/* A runner that heard nothing for so long has gone. */
static int64_t apart(const struct core *core)
{
    if (!core->dropped || !ticking(core) || core->setup.limits.lease_ms == 0)
        return TIME_NEVER;
    return core->dropped_us;
}

static int64_t unpinged(const struct core *core)
{
    if (core->phase != CORE_RUNNING || !ticking(core) || core->setup.limits.lease_ms == 0)
        return TIME_NEVER;
    return core->ping_us;
}

static int64_t lingering(const struct core *core)
{
    return core->exited && !core->eof && !core->believed && core->phase <= CORE_LEAVING
               ? core->exited_us
               : TIME_NEVER;
}

static bool climbing(const struct core *core, enum ladder_rung rung)
{
    return core->phase == CORE_LEAVING && core->rung == rung && !core->exited && !core->lost;
}

static int64_t asked(const struct core *core)
{
    return climbing(core, RUNG_ASK) ? core->rung_us : TIME_NEVER;
}

static int64_t told(const struct core *core)
{
    return climbing(core, RUNG_TELL) ? core->rung_us : TIME_NEVER;
}

static int64_t killed(const struct core *core)
{
    return climbing(core, RUNG_KILL) ? core->rung_us : TIME_NEVER;
}

static int64_t closing(const struct core *core)
{
    return core->phase == CORE_CLOSING && !core->closed && !core->given_up ? core->closing_us
                                                                           : TIME_NEVER;
}

/* --- What comes of it --------------------------------------------------------------------- */

static void pass_ending(struct core *core, const struct deadline *deadline)
{
    /* What is in the inbox already came in time. */
    core->done_waits = errand__hear_done_waits(core);
    if (core->done_waits)
        return;
    errand__decide(core, &deadline->ending, "%s (%" PRIu64 "ms)", deadline->text,
                   errand__limit_of(core, deadline->field));
}

static void pass_boot(struct core *core, const struct deadline *deadline)
{
    errand_span head = errand__json_trim(errand__noise_head(&core->noise));

    if (head.len == 0) {
        pass_ending(core, deadline);
        return;
    }
    char clean[NOISE_HEAD_MAX];
    errand__decide(core, &deadline->ending, "%s (%" PRIu64 "ms); what it printed begins: %.*s",
                   deadline->text, errand__limit_of(core, deadline->field),
                   (int)errand__utf8_clean_line(clean, sizeof(clean), head), clean);
}

static void pass_ping(struct core *core, const struct deadline *deadline)
{
    (void)deadline;
    core->ping_us = core->now_us;
    /* What waits to be sent shows as well that home is alive, and must not pile up. */
    if (errand__buf_peek(&core->outbox).len > 0)
        return;
    struct frame frame = {.type = FRAME_PING, .number = ++core->pings};
    if (errand__say(core, frame, SPAN_EMPTY) != ERRAND_OK)
        errand__decide_memory(core);
}

static void pass_linger(struct core *core, const struct deadline *deadline)
{
    (void)deadline;
    core->believed = true;
    errand__warn(core, "the process exited and something still holds its output open");
}

static void pass_rung(struct core *core, const struct deadline *deadline)
{
    (void)deadline;
    errand__climb_to(core, core->rung + 1);
}

static void pass_close(struct core *core, const struct deadline *deadline)
{
    (void)deadline;
    core->given_up = true;
}

#define FIELD(name) offsetof(errand_limits, name)

static const struct deadline deadlines[] = {
    {FIELD(open_ms),
     1,
     opening,
     pass_ending,
     {ERRAND_KIND_WORKER_EXIT, "open_timeout", "open_ms", NULL},
     "the place did not open"},
    {FIELD(boot_ms),
     1,
     booting,
     pass_boot,
     {ERRAND_KIND_WORKER_EXIT, "boot_timeout", "boot_ms", NULL},
     "the runner did not speak"},
    {FIELD(wall_ms),
     1,
     running,
     pass_ending,
     {ERRAND_KIND_TIMEOUT, "wall_timeout", "wall_ms", NULL},
     "wall-clock ceiling reached"},
    {FIELD(idle_ms),
     1,
     idling,
     pass_ending,
     {ERRAND_KIND_TIMEOUT, "idle_timeout", "idle_ms", NULL},
     "no call in flight and no word for too long"},
    {FIELD(lease_ms),
     1,
     silent,
     pass_ending,
     {ERRAND_KIND_WORKER_EXIT, "lost", "lease_ms", NULL},
     "nothing was heard of the runner"},
    {FIELD(lease_ms),
     1,
     apart,
     pass_ending,
     {ERRAND_KIND_WORKER_EXIT, "lost", "lease_ms", NULL},
     "the stream broke and was not found again"},
    {FIELD(lease_ms), 3, unpinged, pass_ping, {0}, NULL},
    {FIELD(leave_ms), 1, lingering, pass_linger, {0}, NULL},
    {FIELD(leave_ms), 1, asked, pass_rung, {0}, NULL},
    {FIELD(kill_grace_ms), 1, told, pass_rung, {0}, NULL},
    {FIELD(reap_ms), 1, killed, pass_rung, {0}, NULL},
    {FIELD(close_ms), 1, closing, pass_close, {0}, NULL},
};

/* --- Reading the table -------------------------------------------------------------------- */

int64_t errand__limit_us(uint64_t ms)
{
    return ms > (uint64_t)INT64_MAX / 1000 ? TIME_NEVER : (int64_t)ms * 1000;
}

uint64_t errand__limit_of(const struct core *core, size_t field)
{
    uint64_t value;

    memcpy(&value, (const char *)&core->setup.limits + field, sizeof(value));
    return value;
}

static int64_t due_us(const struct core *core, const struct deadline *deadline)
{
    int64_t since = deadline->since_us(core);
    int64_t span = errand__limit_us(errand__limit_of(core, deadline->field));

    if (since == TIME_NEVER || span == TIME_NEVER)
        return TIME_NEVER;
    span /= deadline->parts;
    return span > TIME_NEVER - since ? TIME_NEVER : since + span;
}

/* Of two at the same instant, the one further up in the table. */
static const struct deadline *earliest(const struct core *core, int64_t *when)
{
    const struct deadline *found = NULL;

    *when = TIME_NEVER;
    for (size_t i = 0; i < COUNT(deadlines); i++) {
        int64_t due = due_us(core, &deadlines[i]);
        if (due < *when) {
            *when = due;
            found = &deadlines[i];
        }
    }
    return found;
}

static bool calls_tick(const struct core *core)
{
    return core->phase == CORE_RUNNING && ticking(core);
}

int64_t errand__deadlines_due(const struct core *core)
{
    int64_t when;

    (void)earliest(core, &when);
    return calls_tick(core) && core->calls.due_us < when ? core->calls.due_us : when;
}

/* Rejects the calls that waited too long; the run goes on. */
static void expire_calls(struct core *core)
{
    const char *why;
    struct call *call;
    size_t at = 0;

    while ((call = errand__calls_expired(&core->calls, core->now_us, &at, &why)) != NULL) {
        char json[96];
        const errand_limits *limits = &core->setup.limits;
        if (call->held)
            (void)snprintf(json, sizeof(json),
                           "{\"message\":\"nobody decided within %" PRIu64 "ms (approval_ms)\"}",
                           limits->approval_ms);
        else
            (void)snprintf(json, sizeof(json),
                           "{\"message\":\"no answer within %" PRIu64 "ms (call_ms)\"}",
                           limits->call_ms);
        if (errand__say_rejection(core, call->id, why, json) != ERRAND_OK) {
            errand__decide_memory(core);
            return;
        }
        errand__calls_over(&core->calls, call, core->now_us, ERRAND_CALL_ERROR, why);
        core->word_us = core->now_us;
    }
}

bool errand__deadlines_pass(struct core *core)
{
    int64_t when;
    const struct deadline *deadline = earliest(core, &when);

    if (calls_tick(core) && core->calls.due_us <= core->now_us && core->calls.due_us <= when) {
        expire_calls(core);
        return true;
    }
    if (deadline == NULL || when > core->now_us)
        return false;
    deadline->pass(core, deadline);
    return true;
}
