/* cmd_run.c - errand run: one place, one run, and everything that has to be waited for at once.
 *
 * The library's loop is one descriptor among those of tools, signals and the terminal. While
 * its readers are behind, nothing more is taken from anywhere but signals: that is how a slow
 * reader slows the program down, and Ctrl-C works all the same. */
#include "base/err.h"
#include "base/mem.h"
#include "cli/areas.h"
#include "cli/ask.h"
#include "cli/cmd.h"
#include "cli/ending.h"
#include "cli/items_dir.h"
#include "cli/need.h"
#include "cli/record.h"
#include "cli/request.h"
#include "cli/say.h"
#include "cli/secret.h"
#include "cli/signals.h"
#include "cli/store.h"
#include "cli/text.h"

#include <stdio.h>
#include <unistd.h>

enum {
    EVENTS_A_TURN = 256, /* Before signals and tools get their turn. */
    OTHER_FDS = 6,       /* Loop, signals, terminal (twice), standard output and error. */
    FRAME_BYTES = 256 * 1024 * 1024
};

/* What is being waited for. */
enum stage { STAGE_PUT, STAGE_RUN, STAGE_GET, STAGE_CLOSE };

struct session {
    struct request request;
    enum stage stage;
    const errand_outcome *outcome; /* Of the run, from its end until it is freed. */
    struct print print;
    struct keeper keeper;
    struct record record;
    struct items_dir items;
    struct store store;
    struct ask ask;
    struct secret secret;
    struct jobs jobs;
    sigset_t mask;
    int signal_fd;
    errand_loop *loop;
    errand_place *place;
    errand_run *run;
    int64_t began_us;
    uint64_t calls;
    int signals_seen, first_signal;
    bool ended, place_closed;
    bool output_lost; /* Standard output takes nothing more. */
    bool loop_broken;
    int exit_code;
};

/* --- What the library tells ------------------------------------------------------------------- */

/* "sandbox: ID of TEMPLATE, …": whoever asked for it to be kept wants to know which one it is. */
static void note_sandbox(struct session *session, errand_span line)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    const errand_span head = SPAN_LITERAL("sandbox: ");
    char text[PRINT_SANDBOX] = "";

    if (!request_keeps_sandbox(&session->request) || !span_starts(line, head))
        return;
    line = span_after(line, head.len);
    memcpy(text, line.ptr, line.len < sizeof(text) - 1 ? line.len : sizeof(text) - 1);
    size_t len = strspn(text, letters);
    (void)snprintf(session->print.sandbox, sizeof(session->print.sandbox), "%.*s", (int)len, text);
}

static void trace(void *ctx, int64_t at_us, const char *area, errand_span line)
{
    struct session *session = ctx;
    struct print *print = &session->print;

    if (strcmp(area, "e2b") == 0)
        note_sandbox(session, line);
    if (session->request.traces == NULL)
        return;
    if (!areas_hold(session->request.traces, area) || sink_is_full(&print->err))
        return;
    status_hide(&print->status, &print->err);
    text_format(&print->err.queue, "%s%10.3f ms %-5s ", print->status.mid_line ? "\n" : "",
                (double)(at_us - session->began_us) / 1000.0, area);
    text_guarded(&print->err.queue, line);
    text_words(&print->err.queue, "\n");
    print->status.mid_line = false;
}

/* The run stays: its value may yet be on its way to a reader. */
static void close_place(struct session *session)
{
    session->stage = STAGE_CLOSE;
    errand_place_close(session->place);
}

/* What the program gave and could not be kept here fails the run, which did all that it should. */
static bool kept_all(struct session *session, const errand_outcome *outcome)
{
    bool stored = store_write(&session->store, outcome->store);

    if (!stored)
        print_note(&session->print, "%s", session->store.why.text);
    return stored && !session->request.files.failed && !session->items.failed;
}

static void keep_item(struct session *session, const errand_event *event)
{
    struct item_view item;

    item_look(event->as.item.json, &item);
    const char *file = items_dir_keep(&session->items, &item);
    print_item(&session->print, event, &item, file);
    if (session->items.failed && !session->items.told)
        print_note(&session->print, "%s", session->items.why.text);
    session->items.told = session->items.failed;
}

/* All that was asked for has been done, or will not be. */
static void conclude(struct session *session, const errand_outcome *outcome, int64_t at_us)
{
    session->ended = true;
    secret_deinit(&session->secret);
    session->exit_code = ending_code(outcome);
    if (!kept_all(session, outcome) && session->exit_code == EXIT_FINE)
        session->exit_code = EXIT_PLACE;
    /* A run that we cancelled since nobody reads it has nothing more to say. */
    if (!session->output_lost)
        print_end(&session->print, outcome, at_us, session->exit_code);
    close_place(session);
}

/* Without what was to be there, the program does not run. */
static void conclude_unstarted(struct session *session, int64_t at_us)
{
    errand_outcome outcome =
        ending_unstarted("put_failed", span_text(session->request.files.error));

    if (session->first_signal != 0 || session->output_lost) {
        outcome.kind = ERRAND_KIND_ABORT;
        outcome.code = "cancelled";
        outcome.message = span_text(ending_reason(session->first_signal));
    }
    conclude(session, &outcome, at_us);
}

static errand_status start_run(struct session *session, errand_error *err);

static void run_after_puts(struct session *session, int64_t at_us)
{
    errand_error err = {0};

    if (session->request.files.failed || session->first_signal != 0 || session->output_lost) {
        conclude_unstarted(session, at_us);
        return;
    }
    session->stage = STAGE_RUN;
    errand_status status = start_run(session, &err);
    if (status == ERRAND_OK)
        return;
    print_note(&session->print, "%s", err.text);
    session->ended = true;
    session->exit_code = ending_code_of_status(status);
    close_place(session);
}

/* Goes on to the next stage where the files of this one are done with. */
static void step_files(struct session *session, int64_t at_us)
{
    if (session->stage == STAGE_PUT && files_are_over(&session->request.files))
        run_after_puts(session, at_us);
    else if (session->stage == STAGE_GET && files_are_over(&session->request.files))
        conclude(session, session->outcome, at_us);
}

static void on_end(struct session *session, const errand_event *event)
{
    session->outcome = event->as.end;
    session->jobs.run = NULL;
    jobs_end(&session->jobs, session->signals_seen > 1);
    session->stage = STAGE_GET;
    /* Who cancels by a signal waits for nothing more. */
    if (session->first_signal != 0 || session->output_lost) {
        conclude(session, event->as.end, event->at_us);
        return;
    }
    files_start(&session->request.files, false, session->place, &session->print, event->at_us);
    step_files(session, event->at_us);
}

static void on_file(struct session *session, const errand_event *event)
{
    if (files_event(&session->request.files, event, &session->print))
        step_files(session, event->at_us);
}

static void on_event(struct session *session, const errand_event *event)
{
    switch (event->type) {
    case ERRAND_EVENT_STARTED:
    case ERRAND_EVENT_LOG:
    case ERRAND_EVENT_NOISE:
        print_event(&session->print, event);
        break;
    case ERRAND_EVENT_ITEM:
        keep_item(session, event);
        break;
    case ERRAND_EVENT_CALL:
        session->calls++;
        print_event(&session->print, event);
        jobs_call(&session->jobs, event);
        break;
    case ERRAND_EVENT_CALL_OVER:
        jobs_call_over(&session->jobs, event);
        break;
    case ERRAND_EVENT_END:
        on_end(session, event);
        break;
    case ERRAND_EVENT_PLACE_CLOSED:
        session->place_closed = true;
        break;
    case ERRAND_EVENT_ASK:
        secret_ask(&session->secret, session->place, &event->as.ask, &session->print);
        break;
    case ERRAND_EVENT_TRANSFER_OVER:
        on_file(session, event);
        break;
    case ERRAND_EVENT_ANSWER: /* Of replays alone. */
        break;
    }
}

/* Whether there may be more events right now. */
static bool take_events(struct session *session)
{
    for (int i = 0; i < EVENTS_A_TURN; i++) {
        const errand_event *event = NULL;
        errand_error err = {0};
        if (print_is_full(&session->print) && session->signals_seen == 0)
            return false;
        errand_status status = errand_loop_next(session->loop, 0, &event, &err);
        if (status < 0) {
            print_note(&session->print, "%s", err.text);
            session->loop_broken = true;
            session->exit_code = ending_code_of_status(status);
        }
        if (status != ERRAND_OK)
            return false;
        on_event(session, event);
    }
    return true;
}

/* --- Waiting ---------------------------------------------------------------------------------- */

static void cancel(struct session *session, const char *reason)
{
    if (session->stage == STAGE_RUN)
        errand_run_cancel(session->run, reason);
    if (session->stage == STAGE_PUT || session->stage == STAGE_GET)
        files_cancel(&session->request.files, session->place);
}

static void take_signals(struct session *session)
{
    for (int number = signals_next(session->signal_fd); number != 0;
         number = signals_next(session->signal_fd)) {
        session->signals_seen++;
        if (session->first_signal == 0)
            session->first_signal = number;
        cancel(session, ending_reason(number));
        if (session->signals_seen > 1)
            jobs_end(&session->jobs, true);
    }
}

static void look_after_output(struct session *session)
{
    const struct sink *out = &session->print.out;

    print_flush(&session->print);
    if (out->failed_errno == 0 || session->output_lost)
        return;
    session->output_lost = true;
    print_note(&session->print, "standard output: %s", strerrordesc_np(out->failed_errno));
    cancel(session, "standard output can't be written");
}

static void show_status(struct session *session, int64_t now_us)
{
    if (session->ended || session->ask.shown != 0 || session->secret.asked != 0)
        return;
    struct status_facts facts = {
        .place = errand_place_name(session->place),
        .phase = session->run == NULL          ? "putting files"
                 : session->stage == STAGE_GET ? "getting files"
                                               : errand_run_phase(session->run),
        .calls = session->calls,
        .calls_open = session->run == NULL ? 0 : errand_run_calls_open(session->run),
        .elapsed_us = now_us - session->began_us};
    status_show(&session->print.status, &session->print.err, &facts, now_us);
}

static size_t gather_fds(struct session *session, struct pollfd *fds)
{
    const struct print *print = &session->print;
    size_t count = 0;

    fds[count++] = (struct pollfd){.fd = session->signal_fd, .events = POLLIN};
    if (!sink_is_empty(&print->out))
        fds[count++] = (struct pollfd){.fd = print->out.fd, .events = POLLOUT};
    if (!sink_is_empty(&print->err))
        fds[count++] = (struct pollfd){.fd = print->err.fd, .events = POLLOUT};
    if (print_is_full(print) && session->signals_seen == 0)
        return count;
    fds[count++] = (struct pollfd){.fd = errand_loop_fd(session->loop), .events = POLLIN};
    if (session->ask.shown != 0)
        fds[count++] = (struct pollfd){.fd = session->ask.tty, .events = POLLIN};
    if (session->secret.asked != 0)
        fds[count++] = (struct pollfd){.fd = session->secret.tty, .events = POLLIN};
    return count + jobs_wants(&session->jobs, fds + count);
}

static int until_ms(int64_t due_us, int64_t now_us)
{
    if (due_us == TIME_NEVER)
        return -1;
    if (due_us <= now_us)
        return 0;
    int64_t ms = (due_us - now_us + 999) / 1000;
    return ms > INT_MAX ? INT_MAX : (int)ms;
}

static int sooner_ms(int a, int b)
{
    if (a < 0)
        return b;
    return b < 0 || a < b ? a : b;
}

static void wait_for_something(struct session *session, struct pollfd *fds, bool more)
{
    int64_t now_us = errand_loop_now_us(session->loop);
    size_t count = gather_fds(session, fds);
    int timeout_ms = -1;

    if (!print_is_full(&session->print) || session->signals_seen > 0) {
        timeout_ms = more ? 0 : errand_loop_timeout_ms(session->loop);
        timeout_ms = sooner_ms(timeout_ms, until_ms(jobs_due(&session->jobs), now_us));
    }
    if (session->print.status.on && !session->ended)
        timeout_ms = sooner_ms(timeout_ms, 250);
    (void)poll(fds, count, timeout_ms);
}

static bool goes_on(const struct session *session)
{
    /* A third signal: nobody wants to wait for anything. */
    if (session->signals_seen > 2 || session->loop_broken)
        return false;
    return !session->ended || session->jobs.running_count > 0 || !session->place_closed;
}

/* Whoever is tired of waiting is told what nobody knows. */
static void leave_at_once(struct session *session)
{
    static const char *const warnings[] = {"nobody looked whether the process is gone"};
    errand_outcome outcome =
        ending_unstarted("cancelled", span_text(ending_reason(session->first_signal)));

    outcome.kind = ERRAND_KIND_ABORT;
    outcome.abandoned = outcome.outcome_unknown = outcome.process_may_be_running = 1;
    outcome.warnings = warnings;
    outcome.warnings_count = COUNT(warnings);
    conclude(session, &outcome, errand_loop_now_us(session->loop));
}

static void pump(struct session *session)
{
    AUTO_FREE struct pollfd *fds =
        need_new(OTHER_FDS + (session->request.jobs + 1) * TOOL_FDS, sizeof(*fds));
    bool more = true;

    while (goes_on(session)) {
        more = take_events(session);
        jobs_step(&session->jobs, errand_loop_now_us(session->loop));
        secret_step(&session->secret, session->place);
        if (!session->ended)
            ask_step(&session->ask, &session->jobs, &session->print);
        show_status(session, errand_loop_now_us(session->loop));
        look_after_output(session);
        if (!goes_on(session))
            break;
        wait_for_something(session, fds, more);
        take_signals(session);
    }
    if (session->signals_seen > 2 && !session->ended)
        leave_at_once(session);
}

/* What is still queued leaves, unless nobody takes it and someone is tired of waiting. */
static void drain_output(struct session *session)
{
    for (;;) {
        look_after_output(session);
        if (print_is_empty(&session->print))
            return;
        int number = print_wait(&session->print, session->signal_fd);
        if (number != 0) {
            session->exit_code = EXIT_SIGNAL + number;
            return;
        }
    }
}

/* --- Beginning and end ------------------------------------------------------------------------ */

static uint64_t frame_bytes(const struct request *request)
{
    return request->limits.frame_bytes == 0 ? FRAME_BYTES : request->limits.frame_bytes;
}

static void prepare_jobs(struct session *session)
{
    struct jobs *jobs = &session->jobs;
    uint64_t cap = frame_bytes(&session->request);

    *jobs = (struct jobs){.tools = &session->request.tools,
                          .print = &session->print,
                          .loop = session->loop,
                          .start = {.keeper = &session->keeper,
                                    .mask = &session->mask,
                                    .answer_max = cap > SIZE_MAX / 2 ? SIZE_MAX / 2 : cap},
                          .at_once = session->request.jobs};
    /* One call may be as large as a frame; many may be so together. */
    jobs->waiting_max = jobs->start.answer_max;
    jobs_init(jobs);
}

static errand_status start_run(struct session *session, errand_error *err)
{
    const struct request *request = &session->request;
    errand_run_options options = ERRAND_RUN_OPTIONS_INIT;

    submission_fill(&request->submission, &options);
    options.namespaces = request->tools.spaces;
    options.namespaces_count = request->tools.spaces_count;
    options.env = (const char *const *)request->env;
    options.limits = &request->limits;
    options.values = request->values;
    options.network = request->network;
    options.input = span_of(request->input.text, request->input.len);
    options.store = span_of(session->store.text, session->store.len);
    options.trace = request->traces == NULL && !request_keeps_sandbox(request) ? NULL : trace;
    options.trace_ctx = session;
    options.record = session->record.fd < 0 ? NULL : record_write;
    options.record_ctx = &session->record;
    session->began_us = errand_loop_now_us(session->loop);
    errand_status status = errand_run_start(&session->run, session->place, &options, err);
    session->jobs.run = session->run;
    return status;
}

static errand_status open_place(struct session *session, errand_error *err)
{
    const struct request *request = &session->request;
    errand_status status = files_check(&request->files, err);

    if (status != ERRAND_OK) {
        record_begin(&session->record);
        return status;
    }
    status = errand_place_open(&session->place, session->loop, request->place,
                               &request->place_options, err);
    return record_settle(&session->record, status);
}

/* Both before anything starts. */
static errand_status open_keepers(struct session *session, errand_error *err)
{
    const struct request *request = &session->request;
    errand_status status = ERRAND_OK;

    if (request->items != NULL)
        status = items_dir_open(&session->items, request->items, err);
    if (status == ERRAND_OK && request->store != NULL)
        status = store_open(&session->store, request->store, err);
    return status;
}

static errand_status prepare(struct session *session, errand_error *err)
{
    const struct request *request = &session->request;
    errand_status status = ERRAND_OK;

    /* The keeper first: it must not hold what is opened later. */
    if (request->tools.count > 0)
        status = keeper_start(&session->keeper, err);
    if (status == ERRAND_OK)
        status = signals_open(&session->signal_fd, &session->mask, err);
    if (status == ERRAND_OK)
        status = errand_loop_new(&session->loop, err);
    if (status == ERRAND_OK && request->record != NULL)
        status = record_open(&session->record, request, err);
    if (status == ERRAND_OK)
        status = record_settle(&session->record, open_keepers(session, err));
    if (status == ERRAND_OK)
        status = open_place(session, err);
    if (status != ERRAND_OK)
        return status;
    ask_init(&session->ask, request->asks_count > 0);
    prepare_jobs(session);
    session->began_us = errand_loop_now_us(session->loop);
    if (!files_any_puts(&request->files)) {
        session->stage = STAGE_RUN;
        return record_settle(&session->record, start_run(session, err));
    }
    record_begin(&session->record);
    files_start(&session->request.files, true, session->place, &session->print, session->began_us);
    step_files(session, session->began_us);
    return ERRAND_OK;
}

static void finish(struct session *session)
{
    if (session->jobs.tools != NULL)
        jobs_deinit(&session->jobs);
    errand_run_free(session->run);
    errand_place_free(session->place);
    errand_loop_free(session->loop);
    ask_deinit(&session->ask);
    secret_deinit(&session->secret);
    keeper_stop(&session->keeper);
    record_close(&session->record);
    items_dir_close(&session->items);
    store_close(&session->store);
}

static void judge(struct session *session)
{
    if (session->record.failed_errno != 0) {
        print_note(&session->print, "--record: %s: %s; it is not complete", session->record.path,
                   strerrordesc_np(session->record.failed_errno));
        if (session->exit_code == EXIT_FINE)
            session->exit_code = EXIT_USAGE;
    }
    drain_output(session);
    if (session->output_lost)
        session->exit_code = EXIT_USAGE;
}

/* What is no mistake of whoever asked is an ending like those of places that fail later. */
static void end_unprepared(struct session *session, const errand_error *err)
{
    errand_outcome outcome = ending_of_error(err);

    session->exit_code = ending_code_of_status(err->status);
    if (!session->request.json || session->exit_code == EXIT_USAGE) {
        print_note(&session->print, "%s", err->text);
        return;
    }
    print_end(&session->print, &outcome, session->began_us, session->exit_code);
}

static int run_request(struct session *session)
{
    errand_error err = {0};

    print_init(&session->print, session->request.json, session->request.quiet);
    session->print.program = &session->request.submission.program;
    errand_status status = prepare(session, &err);
    if (status == ERRAND_OK)
        pump(session);
    else
        end_unprepared(session, &err);
    status_hide(&session->print.status, &session->print.err);
    drain_output(session);
    sink_forget(&session->print.out);
    finish(session);
    judge(session);
    if (session->signal_fd >= 0)
        (void)close(session->signal_fd);
    print_deinit(&session->print);
    return session->exit_code;
}

int cmd_run(int argc, char **argv)
{
    struct session session = {.keeper = {.fd = -1},
                              .record = {.fd = -1},
                              .items = {.fd = -1},
                              .store = {.lock = {.fd = -1}},
                              .ask = {.tty = -1},
                              .secret = {.tty = -1},
                              .signal_fd = -1,
                              .exit_code = EXIT_PLACE};
    errand_error err = {0};
    int code = EXIT_FINE;

    errand_status status = request_parse(&session.request, argc, argv, &err);
    if (status != ERRAND_OK)
        code = say(EXIT_USAGE, "%s", err.text);
    else if (session.request.help)
        request_print_help();
    else
        code = run_request(&session);
    request_deinit(&session.request);
    return code;
}
