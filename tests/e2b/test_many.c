/* test_many.c - a hundred runs at once in ten sandboxes, from one loop. */
#include "test.h"

#include "cloud.h"

#include <stdio.h>
#include <stdlib.h>

enum { PLACES = 10, RUNS_EACH = 10, RUNS = PLACES * RUNS_EACH, CALLS_EACH = 10 };

static struct cloud cloud;

static int start(void **state)
{
    (void)state;
    cloud_start(&cloud, NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    cloud_end(&cloud);
    return 0;
}

struct crowd {
    errand_loop *loop;
    errand_place *places[PLACES];
    errand_run *runs[RUNS];
    unsigned ended, calls, closed;
};

static errand_run *start_run(errand_place *place, size_t number)
{
    static const char *const functions[] = {"echo", NULL};
    static const errand_namespace home = {.name = "home", .functions = functions};
    errand_run_options options = ERRAND_RUN_OPTIONS_INIT;
    errand_limits limits = ERRAND_LIMITS_INIT;
    errand_error error = {0};
    errand_run *run = NULL;
    char program[256];

    (void)snprintf(program, sizeof(program),
                   "let sum = 0; for (let i = 0; i < %d; i++) sum += await home.echo(%zu);"
                   "return sum",
                   CALLS_EACH, number);
    /* Node starts a hundred times at once, and as many look whether it has gone. */
    limits.open_ms = limits.boot_ms = limits.close_ms = 100000;
    options.program = span_text(program);
    options.language = ERRAND_LANGUAGE_JS;
    options.namespaces = &home;
    options.namespaces_count = 1;
    options.limits = &limits;
    if (errand_run_start(&run, place, &options, &error) != ERRAND_OK)
        fail_msg("%s", error.text);
    return run;
}

static void set_out(struct crowd *crowd)
{
    errand_place_options options = ERRAND_PLACE_OPTIONS_INIT;
    errand_e2b_options e2b = cloud_options(&cloud);
    errand_error error = {0};

    options.e2b = &e2b;
    assert_int_equal(errand_loop_new(&crowd->loop, &error), ERRAND_OK);
    for (size_t i = 0; i < PLACES; i++) {
        if (errand_place_open(&crowd->places[i], crowd->loop, "e2b://base", &options, &error) !=
            ERRAND_OK)
            fail_msg("%s", error.text);
    }
    for (size_t i = 0; i < RUNS; i++)
        crowd->runs[i] = start_run(crowd->places[i % PLACES], i);
}

static void check_end(struct crowd *crowd, const errand_event *event)
{
    const errand_outcome *end = event->as.end;
    size_t number = 0;
    char expected[32];

    while (crowd->runs[number] != event->run)
        number++;
    (void)snprintf(expected, sizeof(expected), "%zu", number * CALLS_EACH);
    if (end->kind != ERRAND_KIND_VALUE || !span_is(end->value, expected))
        fail_msg("run %zu: %s %.*s", number, end->code, (int)end->message.len, end->message.ptr);
    if (end->warnings_count > 0)
        fail_msg("run %zu: %s", number, end->warnings[0]);
    crowd->ended++;
}

static void hear(struct crowd *crowd, const errand_event *event)
{
    if (event->type == ERRAND_EVENT_CALL) {
        crowd->calls++;
        assert_int_equal(errand_run_reply(event->run, event->as.call.id, event->as.call.args, NULL),
                         ERRAND_OK);
    }
    if (event->type == ERRAND_EVENT_END)
        check_end(crowd, event);
    crowd->closed += event->type == ERRAND_EVENT_PLACE_CLOSED;
}

static void wait_for(struct crowd *crowd, const unsigned *count, unsigned least)
{
    const errand_event *event = NULL;
    errand_error error = {0};

    while (*count < least) {
        if (errand_loop_next(crowd->loop, 200000, &event, &error) != ERRAND_OK)
            fail_msg("nothing happens any more after %u ends", crowd->ended);
        hear(crowd, event);
    }
}

static void come_home(struct crowd *crowd)
{
    for (size_t i = 0; i < RUNS; i++)
        errand_run_free(crowd->runs[i]);
    for (size_t i = 0; i < PLACES; i++)
        errand_place_close(crowd->places[i]);
    wait_for(crowd, &crowd->closed, PLACES);
    for (size_t i = 0; i < PLACES; i++)
        errand_place_free(crowd->places[i]);
    errand_loop_free(crowd->loop);
}

static void test_many__a_hundred_runs_in_ten_sandboxes(void **state)
{
    struct crowd crowd = {0};

    (void)state;
    set_out(&crowd);
    wait_for(&crowd, &crowd.ended, RUNS);
    assert_int_equal(crowd.calls, RUNS * CALLS_EACH);
    assert_int_equal(cloud_sandboxes(&cloud, NULL), PLACES);
    come_home(&crowd);
    assert_int_equal(cloud_sandboxes(&cloud, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many__a_hundred_runs_in_ten_sandboxes),
    };

    return cmocka_run_group_tests(tests, start, end);
}
