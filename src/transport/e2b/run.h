/* run.h - one process in a sandbox: its streams, its signals, its end, and what is done where
 * the way to it breaks. */
#ifndef ERRAND_E2B_RUN_H
#define ERRAND_E2B_RUN_H

#include <errand/transport.h>

#include "transport/e2b/input.h"
#include "transport/e2b/order.h"
#include "transport/e2b/probe.h"
#include "transport/e2b/stream.h"

struct e2b_road;

enum e2b_run_stage {
    E2B_RUN_WAITING,   /* To be started. */
    E2B_RUN_STARTING,  /* Asked for; not yet told to run. */
    E2B_RUN_SEARCHING, /* Whether it was started is looked for. */
    E2B_RUN_LIVE,
    E2B_RUN_DROPPED,   /* Without a stream; a new one is to be asked for. */
    E2B_RUN_ATTACHING, /* Asked for. */
    E2B_RUN_PROBING,   /* Why there will be none. */
    E2B_RUN_ENDED,     /* Its end is known. */
    E2B_RUN_FAILED     /* The road is lost. */
};

enum { E2B_RUN_WORDS = 512 };

struct e2b_run {
    errand_process base;
    struct e2b_run *next;
    struct e2b_road *road;
    struct bell bell;
    char *line;
    char mark[E2B_ORDER_MARK + 1];
    enum e2b_run_stage stage;
    struct e2b_stream stream;
    struct e2b_input input;
    struct e2b_patience patience;
    struct e2b_exchange *list;   /* Of SEARCHING. */
    struct e2b_exchange *signal; /* To the leader, through the service. */
    struct e2b_probe probe;
    struct e2b_order *order;
    int64_t again_us;     /* Of WAITING, SEARCHING and DROPPED. */
    int64_t had_us;       /* Since when LIVE. */
    int64_t signal_us;    /* When the service is to kill the leader; TIME_NEVER: not. */
    int64_t look_us;      /* When it is looked whether the leader is there; TIME_NEVER: not. */
    int64_t look_wait_us; /* From one look to the next. */
    int64_t close_due_us;
    uint32_t pid; /* 0: not known. */
    bool opened, told_eof, told_exit, term, kill, term_sent, kill_sent, closing, cleared, closed;
    bool asked; /* It may have been started. */
    bool left;  /* Something of it may be left, when it is done with. */
    bool say_dropped, say_attached, say_killed;
    int exit_code, exit_signal;
    struct e2b_failure failure;
    const char *code;
    char words[E2B_RUN_WORDS]; /* Of DROPPED or CLOSED. */
};

errand_status errand__e2b_run_new(errand_process **out, struct e2b_road *road,
                                  const errand_launch *launch, errand_error *err) ERRAND_CHECKED;

#endif
