/* execute.c - all in one call, for those who have no loop.
 *
 * A thread of ours keeps the run going; the caller's own thread runs the handlers, so that a
 * slow one stops neither clocks nor pings. Between them stands a mailbox with a cap: when it is
 * full the run is paused, and the far side feels that nobody listens. */
#include "base/err.h"
#include "base/mem.h"
#include "run/mailbox.h"
#include "run/run.h"
#include "run/sized.h"

#include <signal.h>

/* A few large arguments may wait; more would only be stored twice. */
enum { EXECUTE_MAILBOX_BYTES = 1024 * 1024 };

struct errand_execution {
    errand_loop *loop;
    errand_place *place;
    errand_run *run;
    errand_handlers handlers;
    struct mailbox mailbox;
    bool paused; /* The thread's own. */
    const errand_outcome *outcome;
    errand_error error; /* Of the loop itself. */
};

/* --- The thread that keeps the run going ---------------------------------------------------- */

static void post(errand_execution *execution, const errand_event *event)
{
    bool full = false;

    if (errand__mailbox_put(&execution->mailbox, event, &full) != ERRAND_OK)
        errand_run_cancel(execution->run, "out of memory at home");
    if (full) {
        execution->paused = true;
        errand__run_pause(execution->run, true);
    }
}

/* The handlers wake the loop once there is room. That wake can't be missed: it stays noted
 * until errand_loop_next() returns without an event, and only then it is asked here. */
static void go_on_when_drained(errand_execution *execution)
{
    if (!execution->paused || !errand__mailbox_has_room(&execution->mailbox))
        return;
    execution->paused = false;
    errand__run_pause(execution->run, false);
}

static void take_event(errand_execution *execution, const errand_event *event)
{
    switch (event->type) {
    case ERRAND_EVENT_LOG:
    case ERRAND_EVENT_CALL:
    case ERRAND_EVENT_CALL_OVER:
    case ERRAND_EVENT_NOISE:
    case ERRAND_EVENT_ASK:
    case ERRAND_EVENT_ITEM:
        post(execution, event);
        break;
    case ERRAND_EVENT_END:
        execution->outcome = event->as.end;
        errand_place_close(execution->place);
        break;
    case ERRAND_EVENT_STARTED:
    case ERRAND_EVENT_TRANSFER_OVER:
    case ERRAND_EVENT_PLACE_CLOSED:
    case ERRAND_EVENT_ANSWER:
        break;
    }
}

static void *keep_going(void *ctx)
{
    errand_execution *execution = ctx;
    const errand_event *event = NULL;
    bool closed = false;

    while (!closed) {
        errand_status status = errand_loop_next(execution->loop, -1, &event, &execution->error);
        if (status < 0)
            break;
        if (event == NULL) {
            go_on_when_drained(execution);
            continue;
        }
        closed = event->type == ERRAND_EVENT_PLACE_CLOSED;
        take_event(execution, event);
    }
    errand__mailbox_close(&execution->mailbox);
    return NULL;
}

/* Signals of the process are its owner's: none should land on our thread. */
static errand_status start_thread(errand_execution *execution, pthread_t *thread, errand_error *err)
{
    sigset_t all;
    sigset_t before;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = pthread_create(thread, NULL, keep_going, execution);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure != 0)
        return errand__fail(err, ERRAND_EIO, failure, "execute: no thread");
    return ERRAND_OK;
}

/* --- The caller's thread ---------------------------------------------------------------------- */

static void refuse_call(errand_run *run, uint64_t call)
{
    (void)!errand_run_reject(run, call, "nobody at home answers calls", NULL, "no_handler",
                             SPAN_EMPTY, NULL);
}

static void handle_ask(errand_execution *execution, const errand_ask *ask)
{
    const errand_handlers *handlers = &execution->handlers;

    if (handlers->ask != NULL)
        handlers->ask(handlers->ctx, execution->place, ask);
    else
        (void)!errand_place_answer(execution->place, ask->id, NULL, NULL);
}

static void handle(errand_execution *execution, const errand_event *event)
{
    const errand_handlers *handlers = &execution->handlers;

    if (event->type == ERRAND_EVENT_LOG && handlers->log != NULL)
        handlers->log(handlers->ctx, event->as.log.level, event->as.log.text);
    if (event->type == ERRAND_EVENT_ITEM && handlers->item != NULL)
        handlers->item(handlers->ctx, &event->as.item);
    if (event->type == ERRAND_EVENT_NOISE && handlers->noise != NULL)
        handlers->noise(handlers->ctx, event->as.noise);
    if (event->type == ERRAND_EVENT_CALL_OVER && handlers->call_over != NULL)
        handlers->call_over(handlers->ctx, execution->run, event->as.call_over.id,
                            event->as.call_over.why);
    if (event->type == ERRAND_EVENT_ASK)
        handle_ask(execution, &event->as.ask);
    if (event->type != ERRAND_EVENT_CALL)
        return;
    if (handlers->call == NULL) {
        refuse_call(execution->run, event->as.call.id);
        return;
    }
    errand_call call = {
        .id = event->as.call.id,
        .space_index = event->as.call.space_index,
        .function_index = event->as.call.function_index,
        .space = event->as.call.space,
        .function = event->as.call.function,
        .args = event->as.call.args,
    };
    handlers->call(handlers->ctx, execution->run, &call);
}

static void handle_all(errand_execution *execution)
{
    for (;;) {
        bool drained = false;
        struct letter *letter = errand__mailbox_take(&execution->mailbox, &drained);
        if (letter == NULL)
            return;
        if (drained)
            errand_loop_wake(execution->loop);
        handle(execution, &letter->event);
        errand__mem_free(letter);
    }
}

static errand_status run_to_its_end(errand_execution *execution, errand_error *err)
{
    pthread_t thread;
    errand_status status = start_thread(execution, &thread, err);

    if (status != ERRAND_OK)
        return status;
    if (execution->handlers.started != NULL)
        execution->handlers.started(execution->handlers.ctx, execution->run);
    handle_all(execution);
    (void)pthread_join(thread, NULL);
    if (execution->outcome != NULL)
        return ERRAND_OK;
    if (err != NULL)
        *err = execution->error;
    return execution->error.status;
}

static errand_status prepare(errand_execution *execution, const char *address,
                             const errand_place_options *place_options,
                             const errand_run_options *run_options, const errand_handlers *handlers,
                             errand_error *err)
{
    errand_status status = ERRAND_OK;

    errand__mailbox_init(&execution->mailbox, EXECUTE_MAILBOX_BYTES);
    execution->handlers = (errand_handlers)ERRAND_HANDLERS_INIT;
    if (handlers != NULL)
        status = errand__sized_copy(&execution->handlers, sizeof(execution->handlers), handlers,
                                    "handlers", err);
    if (status == ERRAND_OK)
        status = errand_loop_new(&execution->loop, err);
    if (status == ERRAND_OK)
        status = errand_place_open(&execution->place, execution->loop, address, place_options, err);
    if (status == ERRAND_OK)
        status = errand_run_start(&execution->run, execution->place, run_options, err);
    return status;
}

errand_status errand_execute(errand_execution **out, const char *address,
                             const errand_place_options *place_options,
                             const errand_run_options *run_options, const errand_handlers *handlers,
                             errand_error *err)
{
    errand__err_clear(err);
    *out = NULL;
    errand_execution *execution = errand__mem_new(1, sizeof(*execution));
    if (execution == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "execute: out of memory");
    errand_status status = prepare(execution, address, place_options, run_options, handlers, err);
    if (status == ERRAND_OK)
        status = run_to_its_end(execution, err);
    if (status != ERRAND_OK) {
        errand_execution_free(execution);
        return status;
    }
    *out = execution;
    return ERRAND_OK;
}

const errand_outcome *errand_execution_outcome(const errand_execution *execution)
{
    return execution == NULL ? NULL : execution->outcome;
}

void errand_execution_free(errand_execution *execution)
{
    if (execution == NULL)
        return;
    errand_run_free(execution->run);
    errand_place_free(execution->place);
    errand_loop_free(execution->loop);
    errand__mailbox_deinit(&execution->mailbox);
    errand__mem_free(execution);
}
