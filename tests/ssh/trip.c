/* trip.c - errand_execute() with handlers that write down what they hear. */
#include "test.h"

#include "trip.h"

#include "sshd.h"

#include <stdio.h>

struct trip trip_to(const char *address)
{
    struct trip trip = {.address = address,
                        .ssh = ERRAND_SSH_OPTIONS_INIT,
                        .limits = ERRAND_LIMITS_INIT,
                        .node = sshd_node(),
                        .program = "return 6 * 7"};

    trip.limits.open_ms = 60000;
    trip.limits.boot_ms = 60000;
    return trip;
}

static void put(char to[static TRIP_TEXT], errand_span text)
{
    (void)snprintf(to, TRIP_TEXT, "%.*s", (int)text.len, text.ptr == NULL ? "" : text.ptr);
}

static void add(char to[static TRIP_TEXT], const char *text)
{
    size_t used = strlen(to);

    (void)snprintf(to + used, TRIP_TEXT - used, "%s%s", used == 0 ? "" : ",", text);
}

static void on_ask(void *ctx, errand_place *place, const errand_ask *ask)
{
    struct trip *trip = ctx;
    const char *answer = trip->asks < TRIP_ASKS ? trip->answers[trip->asks] : NULL;
    errand_error error;

    trip->asks++;
    add(trip->kinds, ask->kind);
    add(trip->prompts, ask->prompt);
    if (errand_place_answer(place, ask->id, answer, &error) != ERRAND_OK)
        fail_msg("answer: %s", error.text);
    assert_int_equal(errand_place_answer(place, ask->id, answer, &error), ERRAND_ESTATE);
}

static void keep_outcome(struct trip *trip, const errand_outcome *outcome)
{
    trip->kind = outcome->kind;
    (void)snprintf(trip->code, sizeof(trip->code), "%s", outcome->code);
    (void)snprintf(trip->limit, sizeof(trip->limit), "%s",
                   outcome->limit == NULL ? "" : outcome->limit);
    put(trip->value, outcome->value);
    put(trip->message, outcome->message);
    put(trip->noise, outcome->noise);
    trip->abandoned = outcome->abandoned != 0;
    trip->open_us = outcome->timing.open_us;
    trip->boot_us = outcome->timing.boot_us;
    for (size_t i = 0; i < outcome->warnings_count; i++)
        add(trip->warning, outcome->warnings[i]);
}

void trip_go(struct trip *trip)
{
    errand_place_options place = ERRAND_PLACE_OPTIONS_INIT;
    errand_run_options run = ERRAND_RUN_OPTIONS_INIT;
    errand_handlers handlers = ERRAND_HANDLERS_INIT;
    errand_execution *execution = NULL;
    errand_error error = {0};

    place.ssh = &trip->ssh;
    place.node = trip->node;
    place.delivery = trip->delivery;
    run.program = span_text(trip->program);
    run.limits = &trip->limits;
    handlers.ctx = trip;
    handlers.ask = on_ask;
    trip->asks = 0;
    trip->kinds[0] = trip->prompts[0] = trip->warning[0] = '\0';
    trip->status = errand_execute(&execution, trip->address, &place, &run, &handlers, &error);
    if (trip->status != ERRAND_OK)
        (void)snprintf(trip->message, sizeof(trip->message), "%s", error.text);
    else
        keep_outcome(trip, errand_execution_outcome(execution));
    errand_execution_free(execution);
}

void trip_brings(struct trip *trip, const char *text)
{
    trip_go(trip);
    if (trip->status != ERRAND_OK || trip->kind != ERRAND_KIND_VALUE)
        fail_msg("%s: %s: %s; noise: %s", trip->address, trip->code, trip->message, trip->noise);
    assert_string_equal(trip->value, text);
    assert_string_equal(trip->warning, "");
    assert_false(trip->abandoned);
}

void trip_fails(struct trip *trip, const char *code, const char *words)
{
    trip_go(trip);
    assert_int_equal(trip->status, ERRAND_OK);
    if (strcmp(trip->code, code) != 0 || strstr(trip->message, words) == NULL)
        fail_msg("%s: wanted %s with \"%s\", got %s: \"%s\" (%s)", trip->address, code, words,
                 trip->code, trip->message, trip->noise);
}
