/* host.c - the smallest harness there is. */
#include "host.h"

#include "clock.h"

#include <stdio.h>

static const char *const echo_functions[] = {"echo", NULL};
static const errand_namespace tools = {.name = "tools", .functions = echo_functions};

void host_open(struct host *host, const char *address, const char *node, errand_delivery delivery)
{
    errand_place_options options = ERRAND_PLACE_OPTIONS_INIT;
    errand_error err = {0};
    options.node = node;
    options.delivery = delivery;
    if (errand_loop_new(&host->loop, &err) != ERRAND_OK ||
        errand_place_open(&host->place, host->loop, address, &options, &err) != ERRAND_OK)
        give_up(err.text);
}

void host_close(struct host *host)
{
    errand_place_free(host->place);
    errand_loop_free(host->loop);
}

errand_run *host_launch(struct host *host, const char *program, errand_language language)
{
    errand_run_options options = ERRAND_RUN_OPTIONS_INIT;
    options.program = span_text(program);
    options.language = language;
    options.namespaces = &tools;
    options.namespaces_count = 1;
    errand_run *run = NULL;
    errand_error err = {0};
    if (errand_run_start(&run, host->place, &options, &err) != ERRAND_OK)
        give_up(err.text);
    return run;
}

static void take_event(struct lap *lap, const errand_event *event, double start_ms)
{
    errand_error err = {0};
    if (event->type == ERRAND_EVENT_STARTED)
        lap->first_word = now_ms() - start_ms;
    if (event->type == ERRAND_EVENT_END)
        lap->end = now_ms() - start_ms;
    if (event->type != ERRAND_EVENT_CALL)
        return;
    lap->last_call = now_ms() - start_ms;
    if (lap->calls++ == 0)
        lap->first_call = lap->last_call;
    if (errand_run_reply(event->run, event->as.call.id, event->as.call.args, &err) != ERRAND_OK)
        give_up(err.text);
}

struct lap host_lap(struct host *host, const char *program, errand_language language)
{
    struct lap lap = {0};
    double start_ms = now_ms();
    errand_run *run = host_launch(host, program, language);
    while (lap.end == 0) {
        const errand_event *event = NULL;
        errand_error err = {0};
        if (errand_loop_next(host->loop, 60000, &event, &err) != ERRAND_OK)
            give_up("nothing happens");
        take_event(&lap, event, start_ms);
        if (event->type == ERRAND_EVENT_END && event->as.end->kind != ERRAND_KIND_VALUE) {
            (void)fprintf(stderr, "%.*s\n", (int)event->as.end->message.len,
                          event->as.end->message.ptr);
            give_up(event->as.end->code);
        }
    }
    errand_run_free(run);
    return lap;
}
