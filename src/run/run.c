/* run.c - carries orders, bytes and notices between a core and a process, and time to both.
 *
 * It decides nothing: what may happen is the core's, how it is done the transport's. */
#include "run/run.h"

#include "base/err.h"
#include "base/mem.h"
#include "run/loop.h"
#include "run/place.h"
#include "run/trace.h"

#include <errno.h>
#include <sys/random.h>

/* --- Launching ------------------------------------------------------------------------------ */

static void lose(errand_run *run, int64_t now_us, const char *code, const errand_error *why)
{
    errand__trace(&run->plan, now_us, "place", "lost: %s", why->text);
    errand__record_lost(&run->record, now_us, code, why);
    errand__core_lost(run->core, now_us, code, why);
    run->lost = true;
}

static void launch_when_open(errand_run *run, int64_t now_us)
{
    errand_place *place = run->place;
    errand_error error = {0};

    if (run->launched || place->state == PLACE_OPENING)
        return;
    run->launched = true;
    if (place->state != PLACE_OPEN) {
        if (place->state == PLACE_FAILED)
            error = place->error;
        else
            (void)errand__fail(&error, ERRAND_ESTATE, 0, "place: %s is closed", place->name);
        lose(run, now_us, place->state == PLACE_FAILED ? place->error_code : "place_failed",
             &error);
        return;
    }
    errand_launch launch = {.line = run->launch.line, .mark = run->mark};
    errand__trace(&run->plan, now_us, "place", "launched on %s", place->name);
    errand__trace(&run->plan, now_us, "boot", "launched a line of %zu bytes, the runner by %s",
                  strlen(launch.line), place->delivery == ERRAND_DELIVERY_FILE ? "file" : "stdin");
    if (place->road->ops->launch(place->road, &launch, now_us, &run->process, &error) !=
        ERRAND_OK) {
        run->process = NULL;
        lose(run, now_us, "spawn_failed", &error);
    }
}

/* --- Carrying ------------------------------------------------------------------------------- */

static enum errand_stop stop_of(enum core_order order)
{
    switch (order) {
    case CORE_ORDER_NONE:
    case CORE_ORDER_TERM:
        return ERRAND_STOP_TERM;
    case CORE_ORDER_KILL:
        return ERRAND_STOP_KILL;
    case CORE_ORDER_CLOSE:
        return ERRAND_STOP_CLOSE;
    }
    return ERRAND_STOP_CLOSE;
}

static void nothing_left(errand_run *run, int64_t now_us)
{
    errand__record_closed(&run->record, now_us, false, SPAN_EMPTY);
    errand__core_closed(run->core, now_us, SPAN_EMPTY);
    run->silent = true;
}

/* true: something was ordered, which may have moved the core. */
static bool carry_orders(errand_run *run, int64_t now_us)
{
    enum core_order order;
    bool carried = false;

    while ((order = errand__core_order(run->core)) != CORE_ORDER_NONE) {
        errand_error error = {0};
        carried = true;
        errand__trace(&run->plan, now_us, "exec", "ordered %s",
                      order == CORE_ORDER_TERM   ? "TERM"
                      : order == CORE_ORDER_KILL ? "KILL"
                                                 : "CLOSE");
        if (order == CORE_ORDER_CLOSE) {
            run->close_asked = true;
            run->launched = true; /* What was never launched never will be. */
        }
        if (run->process == NULL) {
            if (order == CORE_ORDER_CLOSE)
                nothing_left(run, now_us);
            continue;
        }
        if (run->lost && order != CORE_ORDER_CLOSE)
            continue;
        if (run->process->ops->stop(run->process, stop_of(order), now_us, &error) < 0 && !run->lost)
            lose(run, now_us, NULL, &error);
    }
    return carried;
}

/* true: something was taken, or the road is lost. */
static bool carry_out(errand_run *run, int64_t now_us)
{
    bool carried = false;

    while (run->process != NULL && !run->lost) {
        errand_span bytes = errand__core_outbox(run->core);
        errand_error error = {0};
        size_t taken = 0;
        if (bytes.len == 0)
            return carried;
        if (run->process->ops->send(run->process, bytes, &taken, &error) < 0) {
            lose(run, now_us, NULL, &error);
            return true;
        }
        if (taken == 0)
            return carried;
        carried = true;
        errand__trace(&run->plan, now_us, "wire", "sent %zu bytes of %zu", taken, bytes.len);
        errand__record_sent(&run->record, now_us, taken);
        errand__core_sent(run->core, taken);
    }
    return carried;
}

/* true: the core may have moved. */
static bool carry(errand_run *run, int64_t now_us)
{
    bool ordered = carry_orders(run, now_us);
    return carry_out(run, now_us) || ordered;
}

static void hand_over(errand_run *run, int64_t now_us, const errand_notice *notice)
{
    struct core *core = run->core;

    errand__trace_notice(&run->plan, now_us, notice);
    errand__record_notice(&run->record, now_us, notice);
    switch (notice->type) {
    case ERRAND_NOTICE_OPENED:
        errand__core_opened(core, now_us);
        break;
    case ERRAND_NOTICE_OUT:
        errand__core_out(core, now_us, notice->bytes);
        break;
    case ERRAND_NOTICE_ERR:
        errand__core_err(core, now_us, notice->bytes);
        break;
    case ERRAND_NOTICE_EOF:
        errand__core_eof(core, now_us);
        break;
    case ERRAND_NOTICE_EXITED:
        errand__core_exited(core, now_us, notice->exit_code, notice->exit_signal);
        break;
    case ERRAND_NOTICE_CLOSED:
        if (notice->left != 0)
            errand__core_closed_in_part(core, now_us, notice->bytes);
        else
            errand__core_closed(core, now_us, notice->bytes);
        run->silent = true;
        break;
    case ERRAND_NOTICE_DROPPED:
        errand__core_dropped(core, now_us, notice->bytes);
        break;
    case ERRAND_NOTICE_ATTACHED:
        errand__core_attached(core, now_us);
        break;
    }
}

/* A road of somebody else's may not know why. */
static const char *code_of(errand_process *process)
{
    const errand_process_ops *ops = process->ops;

    if (ops->size < offsetof(errand_process_ops, code) + sizeof(ops->code) || ops->code == NULL)
        return NULL;
    return ops->code(process);
}

static bool may_listen(const errand_run *run)
{
    return run->process != NULL && !run->silent && (!run->lost || run->close_asked) &&
           errand__core_thirsty(run->core);
}

/* true: something was heard. */
static bool carry_in(errand_run *run, int64_t now_us)
{
    errand_scratch scratch = {run->loop->scratch, sizeof(run->loop->scratch)};
    errand_notice notice = {0};
    errand_error error = {0};

    if (!may_listen(run))
        return false;
    errand_status status = run->process->ops->next(run->process, now_us, scratch, &notice, &error);
    if (status == ERRAND_OK)
        hand_over(run, now_us, &notice);
    if (status < 0) {
        bool began = errand__core_phase(run->core) > CORE_OPENING;
        const char *code = code_of(run->process);
        run->silent = run->lost;
        lose(run, now_us, code != NULL || began ? code : "spawn_failed", &error);
    }
    return status != ERRAND_AGAIN;
}

/* --- Turns ------------------------------------------------------------------------------------ */

static void trace_phase(errand_run *run, int64_t now_us)
{
    enum core_phase phase = errand__core_phase(run->core);

    if (phase != run->traced)
        errand__trace(&run->plan, now_us, "core", "went from %s to %s",
                      errand__core_phase_name(run->traced), errand__core_phase_name(phase));
    run->traced = phase;
}

static bool hand_out(errand_run *run, int64_t now_us, errand_event *event)
{
    if (run->ended || run->paused || !errand__core_event(run->core, event))
        return false;
    errand__record_event(&run->record, now_us);
    event->run = run;
    event->place = run->place;
    errand__trace_event(&run->plan, now_us, event);
    if (event->type == ERRAND_EVENT_END) {
        run->ended = true;
        run->loop->busy--;
        errand__place_run_ended(run->place);
    }
    return true;
}

static void tick_when_due(errand_run *run, int64_t now_us)
{
    if (errand__core_due(run->core) > now_us)
        return;
    errand__record_tick(&run->record, now_us);
    errand__core_tick(run->core, now_us);
}

static bool run_turn(struct source *source, int64_t now_us, errand_event *event)
{
    errand_run *run = (errand_run *)(void *)source;

    while (!run->ended) {
        tick_when_due(run, now_us);
        launch_when_open(run, now_us);
        (void)carry(run, now_us);
        trace_phase(run, now_us);
        if (hand_out(run, now_us, event))
            return true;
        /* In looking for an event the core may have come to a decision. */
        if (carry(run, now_us))
            continue;
        if (run->paused || !carry_in(run, now_us))
            break;
    }
    return false;
}

static size_t run_wants(struct source *source, struct pollfd *fds, size_t fds_max, int64_t *due_us)
{
    errand_run *run = (errand_run *)(void *)source;
    int64_t process_due_us = TIME_NEVER;
    size_t count = 0;

    *due_us = TIME_NEVER;
    if (run->ended)
        return 0;
    *due_us = errand__core_due(run->core);
    if (run->process != NULL && !run->silent && (!run->lost || run->close_asked)) {
        bool reading = !run->paused && errand__core_thirsty(run->core);
        bool writing = errand__core_outbox(run->core).len > 0;
        count =
            run->process->ops->wants(run->process, reading, writing, fds, fds_max, &process_due_us);
    }
    if (process_due_us < *due_us && !run->paused)
        *due_us = process_due_us;
    return count;
}

static const struct source_ops run_source = {.turn = run_turn, .wants = run_wants};

/* --- Life ------------------------------------------------------------------------------ */

static errand_status draw_mark(errand_run *run, errand_error *err)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char chance[LAUNCH_MARK_LEN / 2];

    if (getrandom(chance, sizeof(chance), 0) != (ssize_t)sizeof(chance))
        return errand__fail(err, ERRAND_EIO, errno, "run: no random bytes");
    for (size_t i = 0; i < sizeof(chance); i++) {
        run->mark[2 * i] = digits[chance[i] >> 4];
        run->mark[2 * i + 1] = digits[chance[i] & 15];
    }
    return ERRAND_OK;
}

static errand_status make_core(errand_run *run, int64_t now_us, errand_error *err)
{
    AUTO_FREE char *boot = NULL;
    size_t boot_len = 0;
    errand_status status = errand__plan_boot(&run->plan, &boot, &boot_len, err);
    if (status != ERRAND_OK)
        return status;

    struct core_setup setup = {
        .limits = run->plan.limits,
        .mark = span_of(run->mark, LAUNCH_MARK_LEN),
        .head = span_of(run->launch.head, run->launch.head_len),
        .boot = span_of(boot, boot_len),
        .tail = span_of(run->launch.tail, run->launch.tail_len),
        .runner = errand__runner,
        .assets = errand__assets,
        .assets_count = errand__assets_count,
        .spaces = run->plan.spaces,
        .spaces_count = run->plan.spaces_count,
        .collect_logs = run->plan.collect_logs,
        .exact_integers = run->plan.values == ERRAND_VALUES_STRICT,
        .reattaches = run->plan.reattaches,
        .offline = run->plan.network == ERRAND_NETWORK_OFF,
        .cut_off = run->place->cut_off,
    };
    status = errand__core_new(&run->core, &setup, now_us, err);
    if (status != ERRAND_OK)
        return status;
    errand__record_setup(&run->record, now_us, &setup);
    /* All of it stands in the core's outbox now; of a thousand runs each keeps little. */
    errand__launch_forget_bytes(&run->launch);
    errand__plan_forget_program(&run->plan);
    return ERRAND_OK;
}

static errand_status fill_in(errand_run *run, const errand_run_options *options, int64_t now_us,
                             errand_error *err)
{
    const errand_place *place = run->place;
    errand_status status = errand__plan_init(&run->plan, options, place->road->ops->lease_ms, err);

    if (status == ERRAND_OK)
        status = draw_mark(run, err);
    run->plan.reattaches = place->reattaches;
    const struct launch_wishes wishes = {
        .file = place->delivery == ERRAND_DELIVERY_FILE,
        .node = place->node,
        .heap_mb = run->plan.limits.heap_mb,
        .offline = run->plan.network == ERRAND_NETWORK_OFF,
    };
    if (status == ERRAND_OK)
        status = errand__launch_init(&run->launch, run->mark, &wishes, err);
    if (status != ERRAND_OK)
        return status;
    errand__record_init(&run->record, run->plan.record, run->plan.record_ctx);
    return make_core(run, now_us, err);
}

static void free_parts(errand_run *run)
{
    if (run->process != NULL)
        run->process->ops->free(run->process);
    errand__core_free(run->core);
    errand__launch_deinit(&run->launch);
    errand__plan_deinit(&run->plan);
    errand__mem_free(run);
}

static errand_status start(errand_run **out, errand_place *place, const errand_run_options *options,
                           errand_error *err)
{
    if (place->close_asked)
        return errand__fail(err, ERRAND_ESTATE, 0, "place: %s is closed", place->name);
    errand_run *run = errand__mem_new(1, sizeof(*run));
    if (run == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "run: out of memory");
    run->loop = place->loop;
    run->place = place;
    errand_status status = fill_in(run, options, errand__loop_now(run->loop), err);
    if (status == ERRAND_OK && errand__loop_add(run->loop, &run->source, &run_source) != ERRAND_OK)
        status = errand__fail(err, ERRAND_ENOMEM, 0, "run: out of memory");
    if (status != ERRAND_OK) {
        free_parts(run);
        return status;
    }
    run->next_of_place = place->runs;
    place->runs = run;
    place->runs_going++;
    run->loop->busy++;
    errand__loop_ready(&run->source);
    *out = run;
    return ERRAND_OK;
}

errand_status errand_run_start(errand_run **out, errand_place *place,
                               const errand_run_options *options, errand_error *err)
{
    errand__err_clear(err);
    *out = NULL;
    if (place == NULL)
        return errand__fail(err, ERRAND_EINVAL, 0, "run: no place was given");
    errand__loop_lock(place->loop);
    errand_status status = start(out, place, options, err);
    errand__loop_unlock(place->loop);
    return status;
}

void errand_run_free(errand_run *run)
{
    if (run == NULL)
        return;
    errand_loop *loop = run->loop;
    errand_place *place = run->place;

    errand__loop_lock(loop);
    if (!run->ended) {
        loop->busy--;
        errand__place_run_ended(place);
    }
    LIST_DROP(place->runs, run, next_of_place);
    errand__loop_remove(&run->source);
    free_parts(run);
    errand__loop_unlock(loop);
}
