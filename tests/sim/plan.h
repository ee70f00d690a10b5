/* plan.h - what will happen in one made-up run: the far side, the host, the limits.
 *
 * Drawn from a seed. model.c says what must come of it, far.c writes it down as the script of a
 * fake place, world.c plays it. All times are whole milliseconds. */
#ifndef ERRAND_TEST_PLAN_H
#define ERRAND_TEST_PLAN_H

#include "base/base.h"
#include "chance.h"

enum {
    PLAN_ACTS_MAX = 40,
    PLAN_CALLS_MAX = 12,
    PLAN_TEXT_MAX = 160,
    PLAN_SPACES = 2,
    PLAN_FUNCTIONS = 2
};

enum far_act {
    FAR_WAIT,  /* ms. */
    FAR_START, /* The process runs. */
    FAR_BANNER,
    FAR_HELLO,
    FAR_LOG,
    FAR_ITEM,
    FAR_NOISE,
    FAR_STATS,
    FAR_BEAT,
    FAR_LEFT, /* number: whose. */
    FAR_CALL,
    FAR_AWAIT, /* The answer to call. */
    FAR_STORE, /* Directly before the end. */
    /* Terminal, each the last act. */
    FAR_DONE_OK,
    FAR_DONE_ERROR,
    FAR_DONE_TWICE,
    FAR_EXIT,   /* number. */
    FAR_KILLED, /* number. */
    FAR_EOF,
    FAR_HANG,
    FAR_GARBAGE,
    FAR_TORN, /* Half a frame, then exit. */
    FAR_HUGE,
    FAR_FLOOD,
    FAR_LOSE,
    FAR_BAD_INDEX,
    FAR_BAD_ID,
    FAR_BAD_JSON,
    FAR_BAD_KIND,
    FAR_FAIL, /* number: which code. */
    FAR_BAD_VERSION,
    FAR_BOOT_NOISE
};

struct far_step {
    enum far_act act;
    int64_t ms;
    unsigned number; /* Exit code, signal, call, log. */
    char text[PLAN_TEXT_MAX];
    size_t text_len;
};

enum host_act { HOST_REPLY, HOST_REJECT, HOST_REPLY_BIG, HOST_NEVER, HOST_HOLD, HOST_HOLD_RESUME };

struct host_call {
    uint64_t id;
    unsigned space, function;
    char args[PLAN_TEXT_MAX];  /* JSON text, or empty. */
    char reply[PLAN_TEXT_MAX]; /* JSON text, or empty; or the message. */
    enum host_act act;
    int64_t after_ms;  /* From the call to the first thing done about it. */
    int64_t then_ms;   /* HOLD, HOLD_RESUME: from there to the reply; -1: never. */
    int64_t resume_ms; /* HOLD_RESUME: from the hold to the resume, before the reply. */
    bool twice;        /* Answered once more, in vain. */
};

/* One or two breaks of the way to the process. */
struct plan_break {
    bool planned;
    bool to_far; /* With a piece from home, and not with a byte to it. */
    uint64_t at, again;
    bool twice, arrives;
    int64_t away_ms; /* Until it is found again; -1: never. */
};

enum place_fate { PLACE_OPENS, PLACE_OPEN_FAILS, PLACE_REFUSES };

struct plan {
    uint64_t seed;
    bool gentle; /* No fault at all. */
    errand_limits limits;
    bool file; /* delivery. */
    enum place_fate fate;
    int64_t open_ms; /* Until the place is open. */
    struct far_step steps[PLAN_ACTS_MAX];
    size_t steps_count;
    struct host_call calls[PLAN_CALLS_MAX];
    size_t calls_count;
    /* How the far side behaves. */
    unsigned cut, cut_at, take;
    int64_t cut_every_us, take_every_us; /* Either makes times uncertain. */
    bool ignore_stop, ignore_term, ignore_kill, hold_pipe, never_close;
    int64_t leave_ms, die_ms, close_ms;
    struct plan_break broken;
    /* What the host does besides. */
    int64_t cancel_ms, cancel_again_ms; /* -1: never. */
    int64_t free_ms;                    /* -1: after the end. */
};

/* Whether the far side asks for the runner first. */
bool plan_wants(const struct plan *plan);
void plan_draw(struct plan *plan, uint64_t seed);

#endif
