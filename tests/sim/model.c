/* model.c - the rules of time and of endings once more, as a list of things to come.
 *
 * Independent of the core on purpose: it is short because it knows everything in advance. */
#include "model.h"

#include <stdio.h>

#define NEVER INT64_MAX

struct call_state {
    bool open, held;
    int64_t made, held_since, held_sum;
    int64_t hold_at, resume_at, answer_at; /* NEVER: no. */
};

struct course {
    const struct plan *plan;
    struct model *model;
    errand_limits limits; /* Without zeros. */
    struct call_state calls[PLAN_CALLS_MAX];
    size_t at;      /* The next step of the far side. */
    int64_t far_at; /* When it is done; NEVER: it is blocked. */
    bool started, heard, exited, decided, lost, eof_done;
    int64_t now, opened, word;
    int64_t holding_since, holding_sum; /* Union of holds. */
    unsigned holding, open;
    uint64_t output;
    int64_t exit_at;         /* NEVER: not by itself. */
    int64_t last_host;       /* When the host did something last. */
    int64_t lose_at, eof_at; /* After the decision, if nothing stops the far side. */
};

static uint64_t or_standard(uint64_t value, uint64_t standard)
{
    return value == 0 ? standard : value;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void complete(errand_limits *limits)
{
    limits->open_ms = or_standard(limits->open_ms, 60000);
    limits->boot_ms = or_standard(limits->boot_ms, 30000);
    limits->wall_ms = or_standard(limits->wall_ms, 600000);
    limits->approval_ms = or_standard(limits->approval_ms, 3600000);
    limits->leave_ms = or_standard(limits->leave_ms, 1000);
    limits->kill_grace_ms = or_standard(limits->kill_grace_ms, 2000);
    limits->reap_ms = or_standard(limits->reap_ms, 5000);
    limits->close_ms = or_standard(limits->close_ms, 10000);
    limits->output_bytes = or_standard(limits->output_bytes, UINT64_C(64) << 20);
    limits->frame_bytes = or_standard(limits->frame_bytes, UINT64_C(256) << 20);
}

static void decide(struct course *course, errand_kind kind, const char *code, bool finished)
{
    if (course->decided)
        return;
    course->decided = true;
    course->model->kind = kind;
    course->model->code = code;
    course->model->finished = finished && course->heard;
    course->model->decided_ms = course->now;
}

/* --- Calls -------------------------------------------------------------------------------- */

static void release(struct course *course, struct call_state *call)
{
    if (!call->held)
        return;
    call->held = false;
    call->held_sum += course->now - call->held_since;
    if (--course->holding == 0)
        course->holding_sum += course->now - course->holding_since;
}

static void hold(struct course *course, struct call_state *call)
{
    call->held = true;
    call->held_since = course->now;
    if (course->holding++ == 0)
        course->holding_since = course->now;
}

static void answer(struct course *course, size_t i, bool ok)
{
    struct call_state *call = &course->calls[i];

    release(course, call);
    call->open = false;
    call->hold_at = call->resume_at = call->answer_at = NEVER;
    course->open--;
    course->word = course->now;
    course->model->fates[i] = ok ? FATE_OK : FATE_ERROR;
}

static void make_call(struct course *course, size_t i)
{
    const struct host_call *host = &course->plan->calls[i];
    struct call_state *call = &course->calls[i];
    int64_t first = course->now + host->after_ms;

    *call = (struct call_state){.open = true,
                                .made = course->now,
                                .hold_at = NEVER,
                                .resume_at = NEVER,
                                .answer_at = NEVER};
    if (host->act == HOST_HOLD || host->act == HOST_HOLD_RESUME) {
        call->hold_at = first;
        if (host->act == HOST_HOLD_RESUME)
            call->resume_at = first + host->resume_ms;
        if (host->then_ms >= 0)
            call->answer_at = first + host->then_ms;
    } else if (host->act != HOST_NEVER) {
        call->answer_at = first;
    }
    course->open++;
    course->word = course->now;
    course->model->fates[i] = FATE_OPEN;
    course->model->calls++;
}

/* --- Clocks ---------------------------------------------------------------------------- */

enum clock { CLOCK_NONE, CLOCK_OPEN, CLOCK_BOOT, CLOCK_WALL, CLOCK_IDLE, CLOCK_CALL };

static void sooner(int64_t at, enum clock clock, int64_t *first, enum clock *which, bool *tie)
{
    if (at == *first && at != NEVER)
        *tie = true;
    if (at < *first) {
        *first = at;
        *which = clock;
        *tie = false;
    }
}

static int64_t call_clock(const struct course *course, size_t i)
{
    const struct call_state *call = &course->calls[i];

    if (!call->open)
        return NEVER;
    if (call->held)
        return call->held_since + (int64_t)course->limits.approval_ms;
    return course->limits.call_ms == 0
               ? NEVER
               : call->made + call->held_sum + (int64_t)course->limits.call_ms;
}

static int64_t first_clock(const struct course *course, enum clock *which, size_t *call, bool *tie)
{
    const errand_limits *limits = &course->limits;
    int64_t first = NEVER;

    *which = CLOCK_NONE;
    if (!course->started)
        sooner((int64_t)limits->open_ms, CLOCK_OPEN, &first, which, tie);
    else if (!course->heard)
        sooner(course->opened + (int64_t)limits->boot_ms, CLOCK_BOOT, &first, which, tie);
    if (course->started && course->holding == 0)
        sooner(course->opened + (int64_t)limits->wall_ms + course->holding_sum, CLOCK_WALL, &first,
               which, tie);
    if (course->heard && course->open == 0 && limits->idle_ms != 0)
        sooner(course->word + (int64_t)limits->idle_ms, CLOCK_IDLE, &first, which, tie);
    for (size_t i = 0; i < course->plan->calls_count; i++) {
        int64_t before = first;
        sooner(call_clock(course, i), CLOCK_CALL, &first, which, tie);
        if (first < before)
            *call = i;
    }
    return first;
}

static void pass_clock(struct course *course, enum clock which, size_t call)
{
    switch (which) {
    case CLOCK_NONE:
        break;
    case CLOCK_OPEN:
        decide(course, ERRAND_KIND_WORKER_EXIT, "open_timeout", false);
        break;
    case CLOCK_BOOT:
        decide(course, ERRAND_KIND_WORKER_EXIT, "boot_timeout", false);
        break;
    case CLOCK_WALL:
        decide(course, ERRAND_KIND_TIMEOUT, "wall_timeout", false);
        break;
    case CLOCK_IDLE:
        decide(course, ERRAND_KIND_TIMEOUT, "idle_timeout", false);
        break;
    case CLOCK_CALL:
        answer(course, call, false);
        break;
    }
}

/* --- The host -------------------------------------------------------------------------- */

static int64_t first_host(const struct course *course, size_t *call)
{
    int64_t first = NEVER;

    for (size_t i = 0; i < course->plan->calls_count; i++) {
        const struct call_state *state = &course->calls[i];
        int64_t next = least(state->hold_at, least(state->resume_at, state->answer_at));
        if (state->open && next < first) {
            first = next;
            *call = i;
        }
    }
    return first;
}

static void do_host(struct course *course, size_t i)
{
    const struct host_call *host = &course->plan->calls[i];
    struct call_state *call = &course->calls[i];

    course->last_host = course->now;
    if (call->hold_at == course->now) {
        call->hold_at = NEVER;
        hold(course, call);
    } else if (call->resume_at == course->now) {
        call->resume_at = NEVER;
        release(course, call);
    } else {
        answer(course, i, host->act != HOST_REJECT && host->act != HOST_REPLY_BIG);
    }
}

/* --- The far side ---------------------------------------------------------------------- */

/* As the fake writes a log: quotes, backslashes and control bytes are escaped. */
static uint64_t log_cost(const struct far_step *step)
{
    uint64_t cost = 2;

    for (size_t i = 0; i < step->text_len; i++) {
        unsigned char byte = (unsigned char)step->text[i];
        cost += byte == '"' || byte == '\\' ? 2 : byte < 0x20 ? 6 : 1;
    }
    return cost;
}

static bool fits(struct course *course, uint64_t cost)
{
    course->output += cost;
    return course->output <= course->limits.output_bytes;
}

static void say_entry(struct course *course, size_t *count, uint64_t cost)
{
    course->word = course->now;
    uint64_t comma = course->model->logs + course->model->items > 0 ? 1 : 0;
    ++*count;
    if (!fits(course, cost + comma))
        decide(course, ERRAND_KIND_OUTPUT_LIMIT, "output_limit", false);
}

/* A pipe that is held has leave_ms to say more; until then calls are answered, and no clock runs.
 */
static void linger(struct course *course)
{
    const struct plan *plan = course->plan;
    int64_t until = course->now + (int64_t)course->limits.leave_ms;
    size_t call = 0;
    int64_t host_at;

    while ((host_at = first_host(course, &call)) <= until) {
        course->model->loose |= host_at == until;
        course->now = host_at;
        do_host(course, call);
    }
    if (plan->cancel_again_ms >= course->exit_at && plan->cancel_again_ms <= until)
        course->model->loose = true;
    course->now = until;
}

static void leave_by_itself(struct course *course, bool out_of_memory)
{
    course->exit_at = course->now;
    course->exited = true;
    if (course->plan->hold_pipe)
        linger(course);
    decide(course, ERRAND_KIND_WORKER_EXIT, out_of_memory ? "out_of_memory" : "runner_exited",
           true);
}

static const char *fail_code(unsigned number)
{
    static const char *const codes[] = {"node_not_found", "node_too_old", "node_not_run",
                                        "stdin_eaten",    "stdin_closed", "bad_digest",
                                        "runner_broken"};
    return codes[number % COUNT(codes)];
}

static void end_far(struct course *course, const struct far_step *step)
{
    switch ((int)step->act) {
    case FAR_DONE_OK:
    case FAR_DONE_TWICE:
        if (fits(course, step->text_len))
            decide(course, ERRAND_KIND_VALUE, "", true);
        else
            decide(course, ERRAND_KIND_OUTPUT_LIMIT, "output_limit", true);
        break;
    case FAR_DONE_ERROR:
        if (fits(course, step->text_len + 2))
            decide(course, ERRAND_KIND_EXCEPTION, "thrown", true);
        else
            decide(course, ERRAND_KIND_OUTPUT_LIMIT, "output_limit", true);
        break;
    case FAR_EXIT:
        leave_by_itself(course, step->number == 134);
        break;
    case FAR_TORN:
    case FAR_KILLED:
        leave_by_itself(course, false);
        break;
    case FAR_EOF:
        course->eof_done = true;
        decide(course, ERRAND_KIND_WORKER_EXIT, "runner_exited", true);
        break;
    case FAR_LOSE:
        course->lost = true;
        decide(course, ERRAND_KIND_WORKER_EXIT, course->started ? "lost" : "spawn_failed", false);
        break;
    case FAR_FLOOD:
        decide(course, ERRAND_KIND_OUTPUT_LIMIT, "output_limit", false);
        break;
    case FAR_FAIL:
        decide(course, ERRAND_KIND_WORKER_EXIT, fail_code(step->number), false);
        break;
    case FAR_BAD_VERSION:
        decide(course, ERRAND_KIND_WORKER_EXIT, "protocol_version", false);
        break;
    case FAR_BOOT_NOISE:
        decide(course, ERRAND_KIND_WORKER_EXIT, "boot_noise", false);
        break;
    case FAR_GARBAGE:
    case FAR_HUGE:
    case FAR_BAD_INDEX:
    case FAR_BAD_ID:
    case FAR_BAD_JSON:
    case FAR_BAD_KIND:
        decide(course, ERRAND_KIND_WORKER_EXIT, "protocol", false);
        break;
    }
}

/* When the step that comes next is done. */
static void look_ahead(struct course *course)
{
    const struct plan *plan = course->plan;

    course->far_at = NEVER;
    if (course->at == plan->steps_count)
        return;
    const struct far_step *step = &plan->steps[course->at];
    if (step->act == FAR_HANG)
        return;
    if (step->act == FAR_AWAIT && course->calls[step->number].open)
        return;
    course->far_at = course->now + (step->act == FAR_WAIT ? step->ms : 0);
}

static void do_step(struct course *course)
{
    const struct far_step *step = &course->plan->steps[course->at++];

    switch ((int)step->act) {
    case FAR_START:
        course->started = true;
        course->opened = course->now;
        break;
    case FAR_HELLO:
        course->heard = true;
        course->word = course->now;
        break;
    case FAR_LOG:
        say_entry(course, &course->model->logs, log_cost(step));
        break;
    case FAR_ITEM:
        say_entry(course, &course->model->items, step->text_len);
        break;
    case FAR_CALL:
        make_call(course, step->number);
        break;
    case FAR_LEFT:
        course->model->left = true;
        break;
    case FAR_WAIT:
    case FAR_AWAIT:
    case FAR_BANNER:
    case FAR_NOISE:
    case FAR_STATS:
    case FAR_BEAT:
    case FAR_STORE:
        break;
    default:
        end_far(course, step);
        break;
    }
    look_ahead(course);
}

/* --- The whole ------------------------------------------------------------------------- */

/* The next thing that happens. */
static void step_course(struct course *course)
{
    const struct plan *plan = course->plan;
    enum clock which;
    size_t clock_call = 0;
    size_t host_call = 0;
    bool tie = false;
    int64_t clock_at = first_clock(course, &which, &clock_call, &tie);
    int64_t host_at = first_host(course, &host_call);
    int64_t cancel_at = plan->cancel_ms >= course->now ? plan->cancel_ms : NEVER;
    int64_t first = least(least(clock_at, host_at), least(course->far_at, cancel_at));

    /* What falls on one instant as a clock or a cancel may come before or after it. */
    if ((first == clock_at &&
         (tie || clock_at == host_at || clock_at == course->far_at || clock_at == cancel_at)) ||
        (first == cancel_at && (cancel_at == host_at || cancel_at == course->far_at)))
        course->model->loose = true;
    course->now = first;
    if (first == cancel_at)
        decide(course, ERRAND_KIND_ABORT, "cancelled", true);
    else if (first == clock_at)
        pass_clock(course, which, clock_call);
    else if (first == host_at)
        do_host(course, host_call);
    else
        do_step(course);
    if (course->far_at == NEVER)
        look_ahead(course);
}

/* What the far side does of its own accord once nobody answers it any more. */
static void follow_on(struct course *course)
{
    const struct plan *plan = course->plan;
    int64_t at = course->far_at;

    course->lose_at = course->eof_at = NEVER;
    if (at == NEVER || course->exited)
        return;
    for (size_t i = course->at; i < plan->steps_count; i++) {
        const struct far_step *step = &plan->steps[i];
        if (i > course->at && step->act == FAR_WAIT)
            at += step->ms;
        /* Calls that are made from now on stay open for good. */
        if (step->act == FAR_HANG ||
            (step->act == FAR_AWAIT && course->model->fates[step->number] != FATE_OK &&
             course->model->fates[step->number] != FATE_ERROR))
            return;
        if (step->act == FAR_LOSE)
            course->lose_at = at;
        if (step->act == FAR_EOF)
            course->eof_at = at;
        if (step->act == FAR_EXIT || step->act == FAR_KILLED || step->act == FAR_TORN)
            course->exit_at = at;
    }
}

/* When the process has gone, from the decision on; NEVER: it has not. */
static int64_t climb(struct course *course)
{
    const struct plan *plan = course->plan;
    const errand_limits *limits = &course->limits;
    struct model *model = course->model;
    int64_t decided = model->decided_ms;
    int64_t exit_at = course->exit_at;

    if (course->exited)
        return exit_at;
    if (course->heard && !plan->ignore_stop) {
        model->loose |= exit_at == decided + plan->leave_ms;
        exit_at = least(exit_at, decided + plan->leave_ms);
    }
    int64_t term = decided + (model->finished ? (int64_t)limits->leave_ms : 0);
    int64_t kill = term + (int64_t)limits->kill_grace_ms;
    if (plan->cancel_again_ms >= decided)
        kill = least(kill, plan->cancel_again_ms);
    if (exit_at == term || exit_at == kill || plan->cancel_again_ms == term)
        model->loose = true;
    if (exit_at > term && term < kill) {
        model->term_ms = term;
        if (!plan->ignore_term)
            exit_at = least(exit_at, term + plan->die_ms);
    }
    if (exit_at == kill)
        model->loose = true;
    if (exit_at > kill) {
        model->kill_ms = kill;
        if (!plan->ignore_kill)
            exit_at = kill;
        if (exit_at == kill + (int64_t)limits->reap_ms)
            model->loose = true;
        if (exit_at > kill + (int64_t)limits->reap_ms) {
            model->end_ms = kill + (int64_t)limits->reap_ms;
            return NEVER;
        }
    }
    return exit_at;
}

/* When a pipe that is held is no longer waited for: a second cancel has no patience. */
static int64_t end_of_patience(struct course *course, int64_t exited)
{
    int64_t again = course->plan->cancel_again_ms;
    int64_t until = exited + (int64_t)course->limits.leave_ms;

    if (again >= exited && again <= until && course->model->decided_ms <= again) {
        course->model->loose |= again == exited || again == until;
        return again;
    }
    return until;
}

/* The road is lost while the process is on its way out. */
static void lose_on_the_way(struct course *course)
{
    struct model *model = course->model;

    model->loose |= course->lose_at == model->end_ms || course->lose_at == model->term_ms ||
                    course->lose_at == model->kill_ms;
    model->end_ms = course->lose_at;
    if (model->term_ms > course->lose_at)
        model->term_ms = -1;
    if (model->kill_ms > course->lose_at)
        model->kill_ms = -1;
    model->abandoned = course->plan->close_ms == 0;
}

static void foresee_end(struct course *course)
{
    const struct plan *plan = course->plan;
    const errand_limits *limits = &course->limits;
    struct model *model = course->model;
    model->end_ms = model->decided_ms;
    if (course->lost && plan->close_ms == 0) {
        model->abandoned = true; /* Nor can it be cleared. */
        return;
    }
    follow_on(course);
    if (course->started && !course->lost) {
        int64_t gone = climb(course);
        int64_t acts_until = gone == NEVER ? model->end_ms : gone;
        if (gone != NEVER && plan->hold_pipe && !course->eof_done && course->eof_at > gone)
            gone = end_of_patience(course, gone);
        if (gone != NEVER)
            model->end_ms = gone;
        if (course->lose_at <= acts_until) {
            lose_on_the_way(course);
            if (model->abandoned)
                return;
        }
    }
    /* A far side that is cleared late is not cleared. */
    model->abandoned = plan->never_close || plan->close_ms > (int64_t)limits->close_ms;
    if (plan->close_ms == (int64_t)limits->close_ms && !plan->never_close)
        model->loose = true;
    model->end_ms += model->abandoned ? (int64_t)limits->close_ms : plan->close_ms;
}

/* Before there is a process. true: there will be none. */
static bool foresee_place(struct course *course)
{
    const struct plan *plan = course->plan;
    struct model *model = course->model;
    int64_t open_ms = (int64_t)course->limits.open_ms;
    int64_t cancel = plan->cancel_ms < 0 ? NEVER : plan->cancel_ms;

    course->now = least(least(open_ms, cancel), plan->open_ms);
    model->loose =
        (open_ms == course->now) + (cancel == course->now) + (plan->open_ms == course->now) > 1;
    if (course->now == cancel)
        decide(course, ERRAND_KIND_ABORT, "cancelled", true);
    else if (course->now == open_ms)
        decide(course, ERRAND_KIND_WORKER_EXIT, "open_timeout", false);
    else if (plan->fate == PLACE_OPEN_FAILS)
        decide(course, ERRAND_KIND_WORKER_EXIT, "place_failed", false);
    else if (plan->fate == PLACE_REFUSES)
        decide(course, ERRAND_KIND_WORKER_EXIT, "spawn_failed", false);
    model->end_ms = course->now;
    return course->decided;
}

void model_foresee(const struct plan *plan, struct model *model)
{
    struct course course = {
        .plan = plan, .model = model, .limits = plan->limits, .exit_at = NEVER, .last_host = -1};
    size_t call = 0;

    *model = (struct model){.code = "", .term_ms = -1, .kill_ms = -1};
    for (size_t i = 0; i < PLAN_CALLS_MAX; i++)
        model->fates[i] = FATE_NEVER_MADE;
    complete(&course.limits);
    course.output = 2;
    if (!foresee_place(&course)) {
        look_ahead(&course);
        while (!course.decided)
            step_course(&course);
        /* An answer in the instant of the end may come before or after it. */
        model->loose |= course.last_host == model->decided_ms ||
                        first_host(&course, &call) == model->decided_ms;
        foresee_end(&course);
    }
    model->output_left =
        course.output < course.limits.output_bytes ? course.limits.output_bytes - course.output : 0;
    for (size_t i = 0; i < plan->calls_count; i++) {
        if (model->fates[i] == FATE_OPEN)
            model->fates[i] = FATE_CANCELLED;
    }
    if (plan->cut_every_us > 0 || plan->take_every_us > 0)
        model->loose = true;
    /* A break that takes no time changes nothing, but for what comes instead of hello. */
    if (plan->broken.planned && (plan->broken.away_ms != 0 || !course.heard))
        model->loose = true;
}
