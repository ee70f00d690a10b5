/* signals.c - the group is reached by an order, its leader by the service, in that order. */
#include "transport/e2b/signals.h"

#include "transport/e2b/road.h"

enum {
    SIGNAL_US = 300 * 1000,         /* From the kill of the group to that of the leader. */
    LATE_US = 2 * 1000 * 1000,      /* The same, where nothing is heard of the former. */
    LOOK_MOST_US = 15 * 1000 * 1000 /* From look to look; each is twice as far. */
};

void errand__e2b_signals_order(struct e2b_run *run, enum e2b_order_kind kind)
{
    errand__e2b_road_disown(run->road, run->order);
    run->order = errand__e2b_road_order(run->road, kind, run->pid, run->mark, &run->bell);
}

/* An exit is told by the service once the pipes are closed. Where somebody holds them who outlives
 * the leader, nothing is heard any more: so after a while of silence it is looked. */
bool errand__e2b_signals_may_look(const struct e2b_run *run)
{
    return run->stage == E2B_RUN_LIVE && run->order == NULL && !run->term && !run->kill &&
           run->signal_us == TIME_NEVER && !run->stream.exchange->reading_paused;
}

static void look(struct e2b_run *run, int64_t now_us)
{
    if (!errand__e2b_signals_may_look(run) || now_us < run->look_us)
        return;
    run->look_us = TIME_NEVER;
    errand__e2b_diary_note_process(&run->road->diary, run->pid,
                                   "silent: looked whether it is there", "");
    errand__e2b_signals_order(run, E2B_ORDER_LOOK);
}

void errand__e2b_signals_look_after(struct e2b_run *run, int64_t now_us, int64_t wait_us)
{
    run->look_us = now_us + wait_us;
    run->look_wait_us = wait_us < LOOK_MOST_US / 2 ? 2 * wait_us : LOOK_MOST_US;
}

/* A word that came meanwhile was on its way when it was looked. */
static void take_look(struct e2b_run *run, int64_t now_us)
{
    if (run->look_us != TIME_NEVER)
        return;
    if (run->order->leaderless) {
        errand__e2b_diary_note_process(&run->road->diary, run->pid,
                                       "its leader has gone, and its pipes are held", "");
        run->signal_us = now_us;
    } else {
        errand__e2b_signals_look_after(run, now_us, run->look_wait_us);
    }
}

/* The service lets go of pipes that others hold, and so tells the end of a leader. */
static void look_after_order(struct e2b_run *run, int64_t now_us)
{
    const struct e2b_order *answer = run->order;

    if (answer == NULL || answer->end == E2B_ORDER_GOING || run->closing)
        return;
    if (answer->kind == E2B_ORDER_LOOK)
        take_look(run, now_us);
    else if (answer->kind == E2B_ORDER_KILL)
        run->signal_us = answer->end == E2B_ORDER_DONE ? now_us + SIGNAL_US : now_us;
    else if (answer->leaderless)
        run->signal_us = now_us;
    errand__e2b_road_disown(run->road, steal(&run->order));
}

void errand__e2b_signals_carry_out(struct e2b_run *run, int64_t now_us)
{
    if (run->pid == 0 || run->stage == E2B_RUN_ENDED || run->closing)
        return;
    if (run->kill && !run->kill_sent) {
        run->kill_sent = run->term_sent = true;
        run->signal_us = now_us + LATE_US;
        errand__e2b_signals_order(run, E2B_ORDER_KILL);
    }
    if (run->term && !run->term_sent) {
        run->term_sent = true;
        errand__e2b_signals_order(run, E2B_ORDER_TERM);
    }
    look_after_order(run, now_us);
    look(run, now_us);
    if (run->signal_us > now_us)
        return;
    run->signal_us = TIME_NEVER;
    errand__e2b_exchange_free(run->signal);
    run->signal = errand__e2b_envd_signal(&run->road->envd, run->pid, 9, &run->bell);
    errand__e2b_road_push(run->road);
}
