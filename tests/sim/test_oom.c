/* test_oom.c - a run in which the n-th allocation fails, for every n that it needs.
 *
 * Whatever fails, nothing crashes or leaks, and either the run could not be started, with
 * ENOMEM, or it ends, once. */
#include "test.h"

#include "base/mem.h"

#include <errand/fake.h>

#include <stdio.h>

#define THROWN "{\"kind\":\"exception\",\"code\":\"thrown\",\"message\":\"m\",\"stack\":\"s\"}"

enum { ALLOCATIONS_MAX = 5000, TURNS_MAX = 10000 };

struct outing {
    unsigned ends;
    bool started;
    errand_kind kind;
};

static const char *const scripts[] = {
    "hello\nlog info one\ncall 1 0 0 {\"a\":1}\nawait reply 1\nstats {}\ndone ok {\"b\":2}\n",
    "banner welcome\nnoise odd\nhello\ncall 1 0 0\ncall 2 0 0\nawait reply 2\nnoise more\nexit 7\n",
    "hello\nlog info text \"\xe2\x82\xac\" times 2000\nlog info text \"x\" times 70000\nhang\n",
    "hello\ncall 1 0 0 text \"y\" times 30000\nawait reply 1\ndone error " THROWN "\n",
    "delivery file\nwant\nhello\nneed amaro\nraw \"garbage\\n\"\n",
    "hello\nignore stop\nignore term\nignore kill\nnever close\nclose warns left\ndone ok 1\n",
    "lease 3s\nhello\n+10s call 1 0 0\nlose the cable was pulled\n",
    "lease 3s\nhello\ncall 1 0 0\ndrop\nlog info x\n+1s attach\nawait reply 1\ndone ok 1\n",
    "hello\nitem {\"type\":\"text\",\"text\":\"a\"}\nlog info one\nrepeat 40\nitem "
    "{\"type\":\"content\",\"content\":{\"type\":\"text\"}}\nend\nstore "
    "{\"set\":{\"a\":1},\"delete\":[\"b\"]}\nstats {}\ndone ok 1\n",
    "fail node_not_found PATH=/bin\nexit 91\n",
    "open fails nobody home\n",
    "refuse no more\n",
};

static void take_call(errand_run *run, uint64_t id)
{
    errand_error error;
    errand_status status = errand_run_hold(run, id, &error);

    assert_true(status == ERRAND_OK || status == ERRAND_ENOMEM || status == ERRAND_ESTATE);
    status = id % 2 == 1 ? errand_run_reply(run, id, SPAN_LITERAL("{\"c\":3}"), &error)
                         : errand_run_reject(run, id, "no", "Error", "no", SPAN_EMPTY, &error);
    assert_true(status == ERRAND_OK || status == ERRAND_ENOMEM || status == ERRAND_ESTATE);
}

static void run_to_its_end(struct outing *outing, errand_loop *loop)
{
    for (unsigned i = 0; i < TURNS_MAX; i++) {
        const errand_event *event = NULL;
        errand_error error = {0};
        errand_status status = errand_loop_next(loop, -1, &event, &error);
        if (status == ERRAND_AGAIN)
            return;
        if (status != ERRAND_OK)
            fail_msg("the loop says %s", error.text);
        assert_int_equal(outing->ends, 0);
        if (event->type == ERRAND_EVENT_CALL)
            take_call(event->run, event->as.call.id);
        if (event->type == ERRAND_EVENT_END) {
            outing->ends++;
            outing->kind = event->as.end->kind;
            assert_non_null(event->as.end->code);
        }
    }
    fail_msg("no end");
}

static errand_status start_run(errand_run **run, errand_place *place, errand_error *error)
{
    static const char *const functions[] = {"one", "two", NULL};
    static const char *const env[] = {"A=B", NULL};
    const errand_namespace space = {.name = "tools", .functions = functions};
    errand_limits limits = ERRAND_LIMITS_INIT;
    errand_run_options options = ERRAND_RUN_OPTIONS_INIT;

    limits.wall_ms = 60000;
    limits.output_bytes = UINT64_C(64) << 10;
    options.program = SPAN_LITERAL("return 1");
    options.namespaces = &space;
    options.namespaces_count = 1;
    options.limits = &limits;
    options.env = env;
    options.collect_logs = 1;
    return errand_run_start(run, place, &options, error);
}

static void assert_no_memory(errand_status status, const errand_error *error)
{
    if (status != ERRAND_ENOMEM)
        fail_msg("%s: %s", errand_status_name(status), error->text);
    assert_int_equal(error->status, ERRAND_ENOMEM);
}

/* With the countdown set. */
static void go_out(struct outing *outing, const char *script)
{
    errand_loop *loop = NULL;
    errand_place *place = NULL;
    errand_run *run = NULL;
    errand_error error = {0};

    *outing = (struct outing){.ends = 0};
    errand_status status = errand_fake_loop_new(&loop, &error);
    if (status == ERRAND_OK)
        status = errand_fake_place_open(&place, loop, script, &error);
    if (status == ERRAND_OK)
        status = start_run(&run, place, &error);
    if (status == ERRAND_OK) {
        outing->started = true;
        run_to_its_end(outing, loop);
        assert_int_equal(outing->ends, 1);
    } else {
        assert_no_memory(status, &error);
    }
    errand_run_free(run);
    errand_place_free(place);
    errand_loop_free(loop);
}

static void test_oom__every_allocation_of_a_run_may_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(scripts); i++) {
        struct outing whole;
        struct outing outing;
        long n = 0;

        go_out(&whole, scripts[i]);
        do {
            assert_true(n < ALLOCATIONS_MAX);
            errand__mem_countdown = n++;
            go_out(&outing, scripts[i]);
            /* 0: it ran out, whether or not it was needed again. */
        } while (errand__mem_countdown == 0);
        errand__mem_countdown = -1;
        assert_true(n > 10);
        assert_int_equal(outing.kind, whole.kind);
        print_message("script %zu: %ld allocations\n", i, n - 1);
    }
}

/* From the n-th on there is memory again: one failure, and life goes on. */
static void test_oom__a_run_after_it_has_memory_again(void **state)
{
    (void)state;
    for (long n = 0; n < 60; n++) {
        struct outing outing;
        errand__mem_countdown = n;
        go_out(&outing, scripts[0]);
        errand__mem_countdown = -1;
        go_out(&outing, scripts[0]);
        assert_int_equal(outing.ends, 1);
        assert_int_equal(outing.kind, ERRAND_KIND_VALUE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oom__every_allocation_of_a_run_may_fail),
        cmocka_unit_test(test_oom__a_run_after_it_has_memory_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
