/* flight.c - answers a run's calls, cancels it when told, writes down what it does. */
#include "flight.h"

#include "base/mem.h"
#include "check.h"
#include "nursery.h"
#include "tools.h"

#include <inttypes.h>

/* No scenario takes longer; one that does hangs, and is cancelled and then failed. */
static const int64_t patience_us = 60 * INT64_C(1000000);

struct flight {
    const struct scenario *scenario;
    errand_run *run;
    struct desk *desk;
    FILE *to;
    char *text;
    size_t text_len;
    struct buf record;
    int64_t started_us;
    pid_t pid;
    bool cancelled, ended;
};

static void keep_record(void *ctx, errand_span bytes)
{
    struct flight *flight = ctx;
    errand_status status = errand__buf_push(&flight->record, bytes);
    assert(status == ERRAND_OK);
    (void)status;
}

static void cancel(struct flight *flight)
{
    flight->cancelled = true;
    errand_run_cancel(flight->run, flight->scenario->reason);
    if (flight->scenario->cancel_twice)
        errand_run_cancel(flight->run, flight->scenario->reason);
}

static void refused(struct flight *flight, const errand_error *err)
{
    (void)fprintf(flight->to, "refused %s ", errand_status_name(err->status));
    check_text(flight->to, span_text(err->text));
    (void)fputc('\n', flight->to);
    (void)fflush(flight->to);
    flight->ended = true;
}

static errand_run_options options_of(struct flight *flight, bool record)
{
    const struct scenario *scenario = flight->scenario;
    errand_run_options options = ERRAND_RUN_OPTIONS_INIT;
    options.program = span_of(scenario->program, scenario->program_len);
    options.name = scenario->program_name;
    options.language = scenario->language;
    options.values = scenario->values;
    options.globals = scenario->globals;
    options.accept = scenario->accept;
    options.last_value = scenario->last_value;
    options.check_only = scenario->check_only;
    options.modules = scenario->modules;
    options.modules_count = scenario->modules_count;
    options.network = scenario->network;
    options.input = span_text(scenario->input);
    options.limits = &scenario->limits;
    options.namespaces = scenario->spaces;
    options.namespaces_count = scenario->spaces_count;
    options.env = (const char *const *)scenario->env;
    options.collect_logs = (scenario->show & SHOW_LOGS) != 0;
    options.store = span_text(scenario->store);
    options.user = flight;
    if (record) {
        options.record = keep_record;
        options.record_ctx = flight;
    }
    return options;
}

struct flight *flight_start(const struct scenario *scenario, errand_place *place, bool record,
                            int64_t now_us)
{
    struct flight *flight = errand__mem_new(1, sizeof(*flight));
    assert(flight != NULL);
    flight->scenario = scenario;
    flight->started_us = now_us;
    errand__buf_init(&flight->record, SIZE_MAX / 2);
    flight->to = open_memstream(&flight->text, &flight->text_len);
    assert(flight->to != NULL);
    errand_run_options options = options_of(flight, record);
    errand_error err = {0};
    if (errand_run_start(&flight->run, place, &options, &err) < 0) {
        refused(flight, &err);
        return flight;
    }
    flight->desk = desk_new(scenario, flight->run, flight->to);
    if (scenario->cancel == CANCEL_START)
        cancel(flight);
    return flight;
}

void flight_free(struct flight *flight)
{
    if (flight == NULL)
        return;
    desk_free(flight->desk);
    errand_run_free(flight->run);
    errand__buf_deinit(&flight->record);
    (void)fclose(flight->to);
    errand__mem_free(flight->text);
    errand__mem_free(flight);
}

static bool time_to_cancel(const struct flight *flight, const errand_event *event)
{
    const struct scenario *scenario = flight->scenario;
    if (flight->cancelled)
        return false;
    if (scenario->cancel == CANCEL_LOG)
        return event->type == ERRAND_EVENT_LOG &&
               span_is(event->as.log.text, scenario->cancel_text);
    if (scenario->cancel == CANCEL_CALL)
        return event->type == ERRAND_EVENT_CALL && event->as.call.id == scenario->cancel_number;
    return false;
}

/* In a container or a jail a process has another number. */
static bool counts_for_itself(const char *place)
{
    return span_starts(span_text(place), SPAN_LITERAL("docker")) ||
           span_starts(span_text(place), SPAN_LITERAL("local?"));
}

static void ended(struct flight *flight, const errand_outcome *outcome)
{
    flight->ended = true;
    if (flight->pid > 0 && !outcome->abandoned && process_lives(flight->pid))
        (void)fprintf(flight->to, "the runner's process lives after the end\n");
    (void)fflush(flight->to);
}

void flight_event(struct flight *flight, const errand_event *event, int64_t now_us)
{
    if (flight->ended) {
        (void)fprintf(flight->to, "an event after the end\n");
        (void)fflush(flight->to);
        return;
    }
    check_event(flight->to, event, flight->scenario->show);
    if (event->type == ERRAND_EVENT_STARTED)
        flight->pid =
            counts_for_itself(errand_place_name(event->place)) ? 0 : (pid_t)event->as.started.pid;
    if (event->type == ERRAND_EVENT_END)
        ended(flight, event->as.end);
    if (event->type == ERRAND_EVENT_CALL_OVER)
        desk_over(flight->desk, event->as.call_over.id);
    bool time = time_to_cancel(flight, event);
    if (event->type == ERRAND_EVENT_CALL && !time)
        desk_call(flight->desk, event, now_us);
    if (time)
        cancel(flight);
}

static int64_t cancel_due(const struct flight *flight)
{
    if (flight->scenario->cancel != CANCEL_AFTER || flight->cancelled)
        return flight->started_us + patience_us;
    return flight->started_us + (int64_t)flight->scenario->cancel_number * 1000;
}

int64_t flight_due(const struct flight *flight)
{
    if (flight->ended)
        return TIME_NEVER;
    int64_t due = desk_due(flight->desk);
    return due < cancel_due(flight) ? due : cancel_due(flight);
}

void flight_tick(struct flight *flight, int64_t now_us)
{
    if (flight->ended)
        return;
    desk_tick(flight->desk, now_us);
    if (now_us >= flight->started_us + patience_us) {
        (void)fprintf(flight->to, "hangs in phase %s\n", errand_run_phase(flight->run));
        (void)fflush(flight->to);
        flight->ended = true;
    } else if (now_us >= cancel_due(flight)) {
        cancel(flight);
    }
}

bool flight_over(const struct flight *flight)
{
    return flight->ended;
}

const struct scenario *flight_scenario(const struct flight *flight)
{
    return flight->scenario;
}

const char *flight_text(const struct flight *flight)
{
    return flight->text;
}

errand_span flight_record(const struct flight *flight)
{
    return errand__buf_peek(&flight->record);
}
