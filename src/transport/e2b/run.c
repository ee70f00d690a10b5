/* run.c - starts, reads, feeds and clears up a process in a sandbox; attaches to it again when its
 * stream breaks. Whether that is the end of a run is not decided here. */
#include "transport/e2b/run.h"

#include "base/err.h"
#include "base/mem.h"
#include "transport/brand.h"
#include "transport/e2b/road.h"
#include "transport/e2b/signals.h"

#include <poll.h>
#include <stdio.h>

enum {
    START_US = 30 * 1000 * 1000,    /* How long a start is tried that was refused. */
    LEASE_US = 45 * 1000 * 1000,    /* How long a stream is tried to be had again. */
    PAUSE_US = 200 * 1000,          /* From one stream to the next, at least. */
    LOOK_BOOT_US = 3 * 1000 * 1000, /* From the start to the first look, where nothing is heard. */
    LOOK_FIRST_US = 600 * 1000,  /* From the last word to a look: before anybody gets impatient. */
    CLOSE_US = 5 * 1000 * 1000,  /* For a start that may still come. */
    SEARCH_US = 2 * 1000 * 1000, /* A request may be on its way that long. */
    EVENTS_MOST = 64             /* A turn of what nobody listens to any more. */
};

/* A session of its own, where the shell does not lead one already. */
static const char wrap[] =
    "if read -r l 2>/dev/null </proc/$$/stat;then set -- ${l##*\") \"};"
    "[ \"$3\" = $$ ]||{ command -v setsid >/dev/null&&exec setsid /bin/sh -c \"$0\";};fi;"
    "exec /bin/sh -c \"$0\"";

static struct e2b_run *run_of(errand_process *self)
{
    return (struct e2b_run *)(void *)self;
}

static void note(struct e2b_run *run, const char *what, const char *words)
{
    errand__e2b_diary_note_process(&run->road->diary, run->pid, what, words);
}

/* --- Failing ---------------------------------------------------------------------------------- */

static void fail(struct e2b_run *run, const char *code, const errand_error *why)
{
    run->stage = E2B_RUN_FAILED;
    run->code = code;
    run->failure.error = *why;
    note(run, "lost", why->text);
}

static void fail_words(struct e2b_run *run, const char *code, const char *words)
{
    struct e2b_failure failure;

    errand__e2b_error_set(&failure, code, words);
    run->failure = failure;
    fail(run, code, &failure.error);
}

/* A process is lost; it is asked whether its sandbox is, too. */
static void probe(struct e2b_run *run)
{
    run->stage = E2B_RUN_PROBING;
    errand__e2b_probe_begin(&run->probe, &run->road->control, &run->road->envd, &run->bell);
    errand__e2b_road_push(run->road);
}

static void judge(struct e2b_run *run, int64_t now_us)
{
    enum e2b_verdict verdict = errand__e2b_probe_look(&run->probe, now_us);

    if (verdict == E2B_VERDICT_NONE)
        return;
    errand__e2b_probe_deinit(&run->probe);
    switch (verdict) {
    case E2B_VERDICT_NONE:
        break;
    case E2B_VERDICT_DEAD:
        run->road->dead = true;
        if (errand__e2b_road_expired(run->road))
            fail_words(run, "sandbox_expired", "the sandbox came to its end, and all in it did");
        else
            fail_words(run, "sandbox_gone", "the sandbox is not there any more");
        break;
    case E2B_VERDICT_PAUSED:
        fail_words(run, "sandbox_gone", "the sandbox was paused");
        break;
    case E2B_VERDICT_ALIVE:
    case E2B_VERDICT_UNKNOWN:
        fail(run, run->asked ? "lost" : run->failure.code, &run->failure.error);
        break;
    }
}

/* --- Starting --------------------------------------------------------------------------------- */

static void start(struct e2b_run *run)
{
    const char *args[] = {"-c", wrap, run->line, NULL};
    const struct e2b_start wish = {.cmd = "/bin/sh", .args = args, .input = true};

    run->again_us = TIME_NEVER;
    run->stage = E2B_RUN_STARTING;
    run->asked = true;
    errand__e2b_stream_deinit(&run->stream);
    errand__e2b_stream_init(&run->stream, &run->road->envd,
                            errand__e2b_envd_start(&run->road->envd, &wish, true, &run->bell));
    errand__e2b_road_push(run->road);
}

static bool may_speak_json(const struct e2b_run *run)
{
    const struct e2b_road *road = run->road;

    return road->config.codec == ERRAND_E2B_CODEC_AUTO && !run->stream.json &&
           strcmp(run->stream.failure.code, "codec_refused") == 0;
}

/* Nobody knows whether it runs: it is looked for among those that do, since what may have started
 * is never started again. */
static void search(struct e2b_run *run)
{
    run->stage = E2B_RUN_SEARCHING;
    run->again_us = TIME_NEVER;
    errand__e2b_exchange_free(run->list);
    run->list = errand__e2b_envd_list(&run->road->envd, &run->bell);
    errand__e2b_road_push(run->road);
}

static void start_failed(struct e2b_run *run, int64_t now_us)
{
    struct e2b_failure *failure = &run->stream.failure;

    run->failure = *failure;
    if (may_speak_json(run)) {
        note(run, "the server has no binary codec", "");
        run->road->envd.json = true;
        start(run);
        return;
    }
    if (failure->unsure && run->mark[0] != '\0') {
        note(run, "it is not known whether it was started", failure->error.text);
        errand__e2b_patience_init(&run->patience, now_us + SEARCH_US);
        search(run);
        return;
    }
    run->asked = failure->unsure;
    run->again_us = errand__e2b_patience_again(&run->patience, failure, now_us);
    if (run->again_us != TIME_NEVER) {
        note(run, "not started, once more soon", failure->error.text);
        run->stage = E2B_RUN_WAITING;
        return;
    }
    if (strcmp(failure->code, "sandbox_gone") == 0)
        probe(run);
    else
        fail(run, failure->code, &failure->error);
}

static void attach(struct e2b_run *run);

static void search_on(struct e2b_run *run, int64_t now_us)
{
    errand_error why = {0};

    if (run->again_us <= now_us)
        search(run);
    if (run->list == NULL || !run->list->over || run->again_us != TIME_NEVER)
        return;
    if (errand__e2b_envd_worked(run->list))
        run->pid = errand__e2b_envd_find(&run->road->envd, run->list, span_text(run->mark));
    if (run->pid != 0) {
        note(run, "it runs", "");
        if (strcmp(run->failure.code, "silent") == 0) {
            fail(run, "no_answer", &run->failure.error); /* Another stream would say no more. */
            return;
        }
        errand__e2b_patience_init(&run->patience, now_us + LEASE_US);
        attach(run);
        return;
    }
    run->again_us = errand__e2b_patience_next(&run->patience, now_us);
    if (run->again_us != TIME_NEVER)
        return;
    (void)errand__fail(&why, ERRAND_EIO, 0, "%.200s; whether it was started is not known",
                       run->failure.error.text);
    run->failure.error = why;
    probe(run);
}

/* --- Losing the stream, and having it again --------------------------------------------------- */

static void attach(struct e2b_run *run)
{
    run->again_us = TIME_NEVER;
    run->stage = E2B_RUN_ATTACHING;
    errand__e2b_stream_deinit(&run->stream);
    errand__e2b_stream_init(&run->stream, &run->road->envd,
                            errand__e2b_envd_connect(&run->road->envd, run->pid, &run->bell));
    errand__e2b_road_push(run->road);
}

static void say_dropped(struct e2b_run *run, const errand_error *why)
{
    run->say_dropped = true;
    run->say_attached = false;
    (void)snprintf(run->words, sizeof(run->words), "%s", why->text);
    note(run, "dropped", why->text);
}

/* At once, but a stream that breaks as soon as it is there is not asked for without a pause. */
static void drop(struct e2b_run *run, int64_t now_us)
{
    int64_t least_us = run->had_us + PAUSE_US;

    run->failure = run->stream.failure;
    errand__e2b_input_forget(&run->input);
    errand__e2b_patience_init(&run->patience, now_us + LEASE_US);
    run->stage = E2B_RUN_DROPPED;
    run->again_us = now_us > least_us ? now_us : least_us;
    say_dropped(run, &run->failure.error);
}

/* It was told to go, and it has gone; how, nobody heard. */
static void end_unheard(struct e2b_run *run)
{
    run->stage = E2B_RUN_ENDED;
    run->exit_code = -1;
    run->exit_signal = 0;
    note(run, "gone, and how is not known", "");
}

static void attach_failed(struct e2b_run *run, int64_t now_us)
{
    const struct e2b_failure *failure = &run->stream.failure;
    bool gone = strcmp(failure->code, "not_found") == 0;

    if (gone && (run->term_sent || run->kill_sent)) {
        end_unheard(run);
        return;
    }
    run->again_us = failure->retryable && !gone ? errand__e2b_patience_next(&run->patience, now_us)
                                                : TIME_NEVER;
    if (run->again_us != TIME_NEVER) {
        run->stage = E2B_RUN_DROPPED;
        return;
    }
    run->failure = *failure;
    if (gone)
        errand__e2b_error_set(&run->failure, "lost",
                              "the process ended while the way to it was broken, and how is not "
                              "known");
    run->failure.not_found = gone;
    probe(run);
}

static void stream_over(struct e2b_run *run, int64_t now_us)
{
    switch (run->stage) {
    case E2B_RUN_STARTING:
        start_failed(run, now_us);
        break;
    case E2B_RUN_LIVE:
        drop(run, now_us);
        break;
    case E2B_RUN_ATTACHING:
        attach_failed(run, now_us);
        break;
    case E2B_RUN_WAITING:
    case E2B_RUN_SEARCHING:
    case E2B_RUN_DROPPED:
    case E2B_RUN_PROBING:
    case E2B_RUN_ENDED:
    case E2B_RUN_FAILED:
        break;
    }
}

/* --- Running ---------------------------------------------------------------------------------- */

static void look_after_input(struct e2b_run *run, int64_t now_us)
{
    enum e2b_input_news news = errand__e2b_input_turn(&run->input, now_us);

    if (news != E2B_INPUT_UNKNOWN || run->stage != E2B_RUN_LIVE)
        return;
    /* The stream itself may be fine: what was on its way is all that may be lost. */
    say_dropped(run, &run->input.failure.error);
    run->say_attached = true;
}

static bool tell(struct e2b_run *run, errand_notice_type type, errand_notice *out)
{
    (void)run;
    *out = (errand_notice){.type = type, .exit_code = -1};
    return true;
}

static void note_end(struct e2b_run *run, const struct e2b_event *event)
{
    errand__e2b_event_exit(event, &run->exit_code, &run->exit_signal);
    run->stage = E2B_RUN_ENDED;
    run->input.gone = true;
    errand__e2b_diary_note(&run->road->diary, "process %u: ended with %d, signal %d",
                           (unsigned)run->pid, run->exit_code, run->exit_signal);
}

/* true: *out is a notice. */
static bool begin(struct e2b_run *run, const struct e2b_event *event, errand_notice *out)
{
    bool first = !run->opened;

    run->stage = E2B_RUN_LIVE;
    run->had_us = run->road->now_us;
    errand__e2b_signals_look_after(run, run->had_us, first ? LOOK_BOOT_US : LOOK_FIRST_US);
    run->pid = event->pid != 0 ? event->pid : run->pid;
    run->input.pid = run->pid;
    note(run, first ? "started" : "attached", "");
    if (run->closing)
        return false;
    run->opened = true;
    return tell(run, first ? ERRAND_NOTICE_OPENED : ERRAND_NOTICE_ATTACHED, out);
}

static bool hear(struct e2b_run *run, const struct e2b_event *event, errand_notice *out)
{
    switch (event->type) {
    case E2B_EVENT_NONE:
        return false;
    case E2B_EVENT_START:
        return run->stage != E2B_RUN_LIVE && begin(run, event, out);
    case E2B_EVENT_OUT:
    case E2B_EVENT_ERR:
        if (event->bytes.len == 0 || run->stage != E2B_RUN_LIVE)
            return false;
        errand__e2b_signals_look_after(run, run->road->now_us, LOOK_FIRST_US);
        *out = (errand_notice){.type = event->type == E2B_EVENT_OUT ? ERRAND_NOTICE_OUT
                                                                    : ERRAND_NOTICE_ERR,
                               .bytes = event->bytes};
        return true;
    case E2B_EVENT_END:
        note_end(run, event);
        return false;
    }
    return false;
}

static bool has_stream(const struct e2b_run *run)
{
    return run->stage == E2B_RUN_STARTING || run->stage == E2B_RUN_LIVE ||
           run->stage == E2B_RUN_ATTACHING;
}

static bool read_on(struct e2b_run *run, int64_t now_us, errand_notice *out)
{
    struct e2b_event event;

    while (has_stream(run)) {
        switch (errand__e2b_stream_next(&run->stream, now_us, &event)) {
        case E2B_STREAM_QUIET:
            return false;
        case E2B_STREAM_OVER:
            stream_over(run, now_us);
            return false;
        case E2B_STREAM_EVENT:
            if (hear(run, &event, out))
                return true;
            break;
        }
    }
    return false;
}

static bool tell_end(struct e2b_run *run, errand_notice *out)
{
    if (run->stage != E2B_RUN_ENDED)
        return false;
    if (!run->told_eof) {
        run->told_eof = true;
        return tell(run, ERRAND_NOTICE_EOF, out);
    }
    if (run->told_exit)
        return false;
    run->told_exit = true;
    *out = (errand_notice){
        .type = ERRAND_NOTICE_EXITED, .exit_code = run->exit_code, .exit_signal = run->exit_signal};
    return true;
}

static bool tell_of_the_way(struct e2b_run *run, errand_notice *out)
{
    if (run->say_dropped) {
        run->say_dropped = false;
        *out = (errand_notice){.type = ERRAND_NOTICE_DROPPED, .bytes = span_text(run->words)};
        return true;
    }
    if (!run->say_attached || run->stage != E2B_RUN_LIVE)
        return false;
    run->say_attached = false;
    return tell(run, ERRAND_NOTICE_ATTACHED, out);
}

static void move_on(struct e2b_run *run, int64_t now_us)
{
    if (run->stage == E2B_RUN_WAITING && now_us >= run->again_us)
        start(run);
    if (run->stage == E2B_RUN_SEARCHING)
        search_on(run, now_us);
    if (run->stage == E2B_RUN_DROPPED && now_us >= run->again_us)
        attach(run);
    if (run->stage == E2B_RUN_PROBING)
        judge(run, now_us);
}

/* Told to go before it began: it never will. */
static bool tell_cancelled(struct e2b_run *run, errand_notice *out)
{
    if (run->stage != E2B_RUN_WAITING || (!run->term && !run->kill))
        return false;
    if (!run->opened) {
        run->opened = true;
        return tell(run, ERRAND_NOTICE_OPENED, out);
    }
    run->stage = E2B_RUN_ENDED;
    run->exit_code = -1;
    run->told_eof = true;
    return tell_end(run, out);
}

static errand_status next_running(struct e2b_run *run, int64_t now_us, errand_notice *out)
{
    look_after_input(run, now_us);
    if (tell_cancelled(run, out))
        return ERRAND_OK;
    move_on(run, now_us);
    if (tell_of_the_way(run, out) || read_on(run, now_us, out) || tell_of_the_way(run, out))
        return ERRAND_OK;
    errand__e2b_signals_carry_out(run, now_us);
    return tell_end(run, out) ? ERRAND_OK : ERRAND_AGAIN;
}

/* --- Closing ---------------------------------------------------------------------------------- */

static void judge_order(struct e2b_run *run)
{
    const char *names = run->order->words;

    switch (run->order->end) {
    case E2B_ORDER_GOING:
        return;
    case E2B_ORDER_DONE:
        if (names[0] != '\0')
            (void)snprintf(run->words, sizeof(run->words), "killed what had left the group: %s",
                           names);
        break;
    case E2B_ORDER_STAYS:
        run->left = true;
        (void)snprintf(run->words, sizeof(run->words),
                       "somebody of it is left in the sandbox, although killed%s%s",
                       names[0] == '\0' ? "" : ": ", names);
        break;
    case E2B_ORDER_FAILED:
        run->left = true;
        (void)snprintf(run->words, sizeof(run->words),
                       "nobody could look whether its group is gone from the sandbox");
        break;
    }
    errand__e2b_road_disown(run->road, steal(&run->order));
    run->cleared = true;
}

/* What it still says goes by. */
static void discard(struct e2b_run *run, int64_t now_us)
{
    errand_notice notice;

    for (int i = 0; i < EVENTS_MOST && read_on(run, now_us, &notice); i++)
        continue;
    if (run->stage == E2B_RUN_SEARCHING)
        search_on(run, now_us);
}

static bool may_have_begun(const struct e2b_run *run)
{
    return run->asked && !run->road->dead;
}

static void clear(struct e2b_run *run, int64_t now_us)
{
    if (run->order != NULL && run->order->kind == E2B_ORDER_CLEAR)
        return judge_order(run);
    if (run->pid != 0) {
        errand__e2b_signals_order(run, E2B_ORDER_CLEAR);
        run->cleared = run->left = run->order == NULL;
        return;
    }
    bool waits = run->stage == E2B_RUN_STARTING || run->stage == E2B_RUN_SEARCHING;
    if (waits && now_us < run->close_due_us)
        return;
    run->cleared = run->left = true;
    (void)snprintf(run->words, sizeof(run->words),
                   "nobody could look whether it was started in the sandbox");
}

static errand_status next_closing(struct e2b_run *run, int64_t now_us, errand_notice *out)
{
    if (may_have_begun(run) && !run->cleared) {
        discard(run, now_us);
        if (may_have_begun(run))
            clear(run, now_us);
        else
            run->cleared = true; /* It was refused. */
        if (!run->cleared)
            return ERRAND_AGAIN;
    }
    run->closed = true;
    errand__e2b_stream_deinit(&run->stream);
    run->stage = E2B_RUN_ENDED;
    *out = (errand_notice){
        .type = ERRAND_NOTICE_CLOSED, .bytes = span_text(run->words), .left = run->left};
    return ERRAND_OK;
}

/* --- The contract ----------------------------------------------------------------------------- */

static errand_status run_next(errand_process *self, int64_t now_us, errand_scratch scratch,
                              errand_notice *out, errand_error *err)
{
    struct e2b_run *run = run_of(self);

    (void)scratch; /* Bytes are lent from where they were decoded. */
    errand__bell_calm(&run->bell);
    run->road->now_us = run->road->http.now_us = now_us;
    if (run->closed)
        return ERRAND_AGAIN;
    if (run->closing)
        return next_closing(run, now_us, out);
    errand_status status =
        run->stage == E2B_RUN_FAILED ? ERRAND_AGAIN : next_running(run, now_us, out);
    if (status == ERRAND_AGAIN && run->stage == E2B_RUN_FAILED)
        return errand__e2b_error_give(&run->failure, err);
    return status;
}

static errand_status run_send(errand_process *self, errand_span bytes, size_t *taken,
                              errand_error *err)
{
    struct e2b_run *run = run_of(self);

    (void)err;
    *taken = 0;
    if (run->told_exit || run->closing || run->stage == E2B_RUN_ENDED) {
        *taken = bytes.len;
        return ERRAND_OK;
    }
    look_after_input(run, run->road->now_us);
    if (run->stage != E2B_RUN_LIVE || run->say_dropped || run->say_attached) {
        errand__bell_ring(run->say_dropped ? &run->bell : NULL);
        return ERRAND_OK;
    }
    *taken = errand__e2b_input_send(&run->input, bytes);
    if (*taken == 0)
        return ERRAND_OK;
    if (run->look_us != TIME_NEVER) /* It may be an answer to what is waited for. */
        errand__e2b_signals_look_after(run, run->road->now_us, LOOK_FIRST_US);
    errand__e2b_road_push(run->road);
    return ERRAND_OK;
}

static errand_status run_stop(errand_process *self, errand_stop how, int64_t now_us,
                              errand_error *err)
{
    struct e2b_run *run = run_of(self);

    (void)err;
    run->road->now_us = run->road->http.now_us = now_us;
    if (run->closing)
        return ERRAND_OK;
    switch (how) {
    case ERRAND_STOP_TERM:
        run->term = true;
        break;
    case ERRAND_STOP_KILL:
        run->kill = true;
        break;
    case ERRAND_STOP_CLOSE:
        run->closing = true;
        run->close_due_us = now_us + CLOSE_US;
        run->words[0] = '\0';
        errand__e2b_input_deinit(&run->input);
        break;
    }
    if (how != ERRAND_STOP_CLOSE)
        errand__e2b_signals_carry_out(run, now_us);
    errand__bell_ring(&run->bell);
    return ERRAND_OK;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t run_due(const struct e2b_run *run)
{
    int64_t due_us = run->again_us;

    if (run->closing)
        return run->order == NULL ? run->close_due_us : TIME_NEVER;
    if (errand__e2b_signals_may_look(run))
        due_us = least(due_us, run->look_us);
    if (has_stream(run))
        due_us = least(due_us, errand__e2b_stream_due(&run->stream));
    if (run->stage == E2B_RUN_PROBING)
        due_us = least(due_us, run->probe.due_us);
    return least(due_us, least(errand__e2b_input_due(&run->input), run->signal_us));
}

static size_t run_wants(errand_process *self, int reading, int writing, struct pollfd *fds,
                        size_t fds_max, int64_t *due_us)
{
    struct e2b_run *run = run_of(self);

    *due_us = TIME_NEVER;
    if (run->closed || (!reading && !(writing && run->opened)))
        return 0;
    if (reading)
        *due_us = run_due(run);
    if (fds_max > 0)
        fds[0] = (struct pollfd){run->bell.fd, POLLIN, 0};
    return 1;
}

static void run_free(errand_process *self)
{
    struct e2b_run *run = run_of(self);

    if (run == NULL)
        return;
    LIST_DROP(run->road->runs, run, next);
    if (run->order != NULL)
        errand__e2b_road_disown(run->road, run->order);
    if (run->pid != 0 && !run->closed && !run->closing)
        errand__e2b_road_disown(run->road, errand__e2b_road_order(run->road, E2B_ORDER_KILL,
                                                                  run->pid, run->mark, NULL));
    errand__e2b_stream_deinit(&run->stream);
    errand__e2b_input_deinit(&run->input);
    errand__e2b_probe_deinit(&run->probe);
    errand__e2b_exchange_free(run->list);
    errand__e2b_exchange_free(run->signal);
    errand__bell_ring(&run->road->bell);
    errand__bell_deinit(&run->bell);
    errand__mem_free(run->line);
    errand__mem_free(run);
}

static const char *run_code(errand_process *self)
{
    return run_of(self)->code;
}

static const errand_process_ops run_ops = {.size = sizeof(errand_process_ops),
                                           .next = run_next,
                                           .send = run_send,
                                           .stop = run_stop,
                                           .wants = run_wants,
                                           .free = run_free,
                                           .code = run_code};

errand_status errand__e2b_run_new(errand_process **out, struct e2b_road *road,
                                  const errand_launch *launch, errand_error *err)
{
    struct e2b_run *run = errand__mem_new(1, sizeof(*run));

    *out = NULL;
    if (run == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "e2b: no memory");
    run->base.ops = &run_ops;
    run->road = road;
    run->again_us = run->road->now_us;
    run->signal_us = run->look_us = TIME_NEVER;
    errand__e2b_input_init(&run->input, &road->envd, &run->bell);
    errand__e2b_patience_init(&run->patience, road->now_us + START_US);
    run->line = errand__brand_line(launch->mark, launch->line);
    if (launch->mark != NULL)
        (void)snprintf(run->mark, sizeof(run->mark), "%.*s", E2B_ORDER_MARK, launch->mark);
    if (!errand__bell_init(&run->bell) || run->line == NULL) {
        errand__bell_deinit(&run->bell);
        errand__mem_free(run->line);
        errand__mem_free(run);
        return errand__fail(err, ERRAND_ENOMEM, 0, "e2b: no memory or no descriptor");
    }
    run->next = road->runs;
    road->runs = run;
    *out = &run->base;
    return ERRAND_OK;
}
