/* core.h - the life of a run as a pure state machine.
 *
 * In: what happened, and when. Out: bytes to send, orders for the transport, events for the
 * caller, and the instant at which silence becomes news. Nothing in src/core reads a clock, a
 * descriptor or a random number; ci/check-pure-core proves it from the object files.
 *
 * Inputs record facts; one function, which only descends, moves the run as far as the facts
 * allow. The first cause of an ending wins, in one place.
 */
#ifndef ERRAND_CORE_H
#define ERRAND_CORE_H

#include "base/base.h"

struct core;

enum core_phase {
    CORE_OPENING, /* Waits for the process. */
    CORE_BOOTING, /* Waits for the runner's first word. */
    CORE_RUNNING, /* Waits for a terminal fact. */
    CORE_LEAVING, /* Climbs the ladder until the process has gone. */
    CORE_CLOSING, /* Waits for the far side to be cleared. */
    CORE_ENDED    /* The outcome stands. */
};

enum core_order { CORE_ORDER_NONE, CORE_ORDER_TERM, CORE_ORDER_KILL, CORE_ORDER_CLOSE };

/* One namespace as the program knows it; for records and events. Borrowed for the core's life. */
struct core_space {
    const char *name;
    const char *const *functions;
    size_t functions_count;
};

/* What answers "need NAME". Borrowed for the core's life. */
struct core_asset {
    errand_span name;
    errand_span payload; /* Of an asset frame: JSON text. */
};

/* No runner needs more things than that; and of as many one knows what it had. */
enum { CORE_ASSETS_MOST = 16 };

/* Everything a core is told at its start. Spans and spaces are borrowed for the core's life,
 * but head, boot and tail, which are copied into the outbox. */
struct core_setup {
    errand_limits limits; /* Complete: no zero stands for a default. ERRAND_UNLIMITED: off;
                             lease_ms 0: off. */
    errand_span mark;     /* What hello, fail and want carry. */
    errand_span head;     /* Goes out first, as it is: lines for the shell, and with
                             delivery = stdin the packed runner. */
    errand_span boot;     /* Payload of the boot frame, which follows the head. */
    errand_span tail;     /* Goes out behind the boot frame, as it is. */
    errand_span runner;   /* What answers "want MARK": the packed runner, as it is. */
    const struct core_asset *assets;
    size_t assets_count; /* At most CORE_ASSETS_MOST. */
    const struct core_space *spaces;
    size_t spaces_count;
    bool collect_logs;   /* And items. */
    bool exact_integers; /* Answers with an integer that a double may not hold are refused. */
    bool reattaches;     /* The way may break and be found again: both streams go in segments. */
    bool offline;        /* The program is to have no network: hello tells whether it has none. */
    bool cut_off;        /* The place is known to have none. */
};

errand_status errand__core_new(struct core **out, const struct core_setup *setup, int64_t now_us,
                               errand_error *err) ERRAND_CHECKED;
void errand__core_free(struct core *core);

/* --- What happened. now_us never goes back. ----------------------------------------------- */

void errand__core_opened(struct core *core, int64_t now_us);
/* Only after errand__core_event() said that there is none: earlier bytes may still be borrowed. */
void errand__core_out(struct core *core, int64_t now_us, errand_span bytes);
void errand__core_err(struct core *core, int64_t now_us, errand_span bytes);
void errand__core_eof(struct core *core, int64_t now_us);
void errand__core_exited(struct core *core, int64_t now_us, int code, int signal);
/* Answers the order CLOSE, also where there was no process to clear. warning: one line or empty. */
void errand__core_closed(struct core *core, int64_t now_us, errand_span warning);
/* The same, but that something of it may be left. */
void errand__core_closed_in_part(struct core *core, int64_t now_us, errand_span warning);
/* The road is gone, or never came to be. why->text becomes the message; that it may work later
 * is told on where nothing was heard of the runner. code: NULL for "lost",
 * or another word of docs/embedding.md, such as "spawn_failed"; copied. A second time, or once
 * CLOSE was ordered: nobody will answer it. */
void errand__core_lost(struct core *core, int64_t now_us, const char *code,
                       const errand_error *why);
/* The way to the process broke, and may be found again; attached says so. Only as out: when no
 * event is left. Where nothing can be resumed, the road is lost. why: one line or empty. */
void errand__core_dropped(struct core *core, int64_t now_us, errand_span why);
void errand__core_attached(struct core *core, int64_t now_us);
/* The second time skips the ladder's patience. */
void errand__core_cancel(struct core *core, int64_t now_us, errand_span reason);
/* No clock overtakes a whole done that stands among frames not yet taken as events. */
void errand__core_tick(struct core *core, int64_t now_us);

/* --- What the caller says ----------------------------------------------------------------- */

/* ok: json is a JSON text or empty. Not ok: an object {message, name?, code?, data?}. Errors as
 * errand_run_reply(). */
errand_status errand__core_answer(struct core *core, int64_t now_us, uint64_t call, bool ok,
                                  errand_span json, errand_error *err) ERRAND_CHECKED;
errand_status errand__core_hold(struct core *core, int64_t now_us, uint64_t call, bool held,
                                errand_error *err) ERRAND_CHECKED;

/* --- What to do about it ------------------------------------------------------------------ */

/* false: none for now. run and place of the event are left NULL. Borrowed until the next
 * errand__core_event(), _out() or _err(); the outcome until errand__core_free(). END comes
 * once, last. */
bool errand__core_event(struct core *core, errand_event *out);
/* Each order is handed out once; NONE: nothing to order. Ask until NONE. */
enum core_order errand__core_order(struct core *core);
/* Bytes for the process's stdin. Empty once they would no longer be read. A road that reattaches
 * takes them, from the first word of the runner on, as a whole or not at all. */
errand_span errand__core_outbox(const struct core *core);
void errand__core_sent(struct core *core, size_t count);
/* Whether more OUT and ERR should be read: false while frames wait to be taken as events. */
bool errand__core_thirsty(const struct core *core);
/* When tick() must be called at the latest; TIME_NEVER: nothing to wait for. */
int64_t errand__core_due(const struct core *core);
enum core_phase errand__core_phase(const struct core *core);
const char *errand__core_phase_name(enum core_phase phase);
size_t errand__core_calls_open(const struct core *core);

#endif
