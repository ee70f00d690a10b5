/* test_drops.c - a stream that breaks is not a run that is lost: whole programs, from start to end,
 * while the way to them is cut. */
#include "test.h"

#include "cloud.h"
#include "visit.h"

#include <stdio.h>

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

static int clean(void **state)
{
    (void)state;
    cloud_no_faults(&cloud);
    return 0;
}

/* Each answer is needed for the next call, and every log is counted. */
#define PROGRAM                                                \
    "let sum = 0; for (let i = 1; i <= 60; i++) {"             \
    "sum += await home.now(i); console.log('x'.repeat(500)) }" \
    "return sum"

static void goes_on(const char *order, uint64_t drops)
{
    struct visit visit = visit_to("e2b://base", PROGRAM);

    cloud_fault(&cloud, order);
    visit_brings(&visit, "1830");
    if (visit.drops < drops)
        fail_msg("%s: it struck %d times\n%s", order, (int)visit.drops, visit.facts);
    cloud_no_faults(&cloud);
}

static void test_drops__the_stream_of_a_start(void **state)
{
    static const char *const ways[] = {"reset", "close", "end"};
    char order[256];

    (void)state;
    for (int byte = 200; byte < 6000; byte += 613) {
        (void)snprintf(order, sizeof(order), "{'on':{'rpc':'Start'},'do':'cut','at':%d,'how':'%s'}",
                       byte, ways[byte % 3]);
        goes_on(order, 1);
    }
}

static void test_drops__twice_in_a_row(void **state)
{
    (void)state;
    cloud_fault(&cloud, "{'on':{'rpc':'Connect'},'do':'cut','at':700,'how':'reset'}");
    goes_on("{'on':{'rpc':'Start'},'do':'cut','at':3000,'how':'reset'}", 2);
}

static void test_drops__input_whose_answer_is_lost(void **state)
{
    (void)state;
    goes_on("{'on':{'rpc':'SendInput'},'skip':5,'do':'answer','status':504,'text':'x','late':true}",
            1);
    /* Where none of it had left it is sent again, and that is no drop. */
    goes_on("{'on':{'rpc':'SendInput'},'skip':9,'do':'cut','at':'asked','how':'reset'}", 0);
    goes_on("{'on':{'rpc':'SendInput'},'skip':3,'do':'cut','at':'handled','how':'reset'}", 1);
}

static const struct cloud *there = &cloud;

static void cut_all(void)
{
    static unsigned calls;
    char path[2 * CLOUD_TEXT];
    const char *id = NULL;

    if (++calls % 7 != 0)
        return;
    assert_int_equal(cloud_sandboxes(there, &id), 1);
    (void)snprintf(path, sizeof(path), "/sandboxes/%s/cut", id);
    (void)cloud_ask(there, "POST", path, "{}");
}

static void test_drops__all_connections_again_and_again(void **state)
{
    struct visit visit = visit_to("e2b://base", PROGRAM);

    (void)state;
    visit.at_call = cut_all;
    visit_brings(&visit, "1830");
    assert_true(visit.drops >= 8);
}

static void test_drops__json(void **state)
{
    struct visit visit = visit_to("e2b://base?codec=json", PROGRAM);

    (void)state;
    visit.at_call = cut_all;
    visit_brings(&visit, "1830");
    assert_true(visit.drops >= 8);
}

/* Which is no reason to ask for it as often as a machine can. */
static void test_drops__a_stream_that_breaks_each_time(void **state)
{
    struct visit visit = visit_to("e2b://base", "await new Promise(() => {"
                                                "setTimeout(() => {}, 60000) })");

    (void)state;
    visit.limits.wall_ms = 3000;
    cloud_fault(&cloud, "{'on':{'rpc':'Start'},'do':'cut','at':'data','how':'end'}");
    cloud_fault(&cloud, "{'on':{'rpc':'Connect'},'count':0,'do':'cut','at':'start','how':'end'}");
    visit_fails(&visit, "wall_timeout", "");
    assert_in_range(visit.drops, 3, 100);
}

static void test_drops__none_where_nothing_breaks(void **state)
{
    struct visit visit = visit_to("e2b://base", PROGRAM);

    (void)state;
    visit_brings(&visit, "1830");
    assert_int_equal(visit.drops, 0);
}

/* The service is replaced by another, and its processes are not. */
static void test_drops__an_upgrade_of_the_service(void **state)
{
    (void)state;
    goes_on("{'on':{'rpc':'SendInput'},'skip':6,'do':'upgrade','ms':700}", 1);
}

static void test_drops__a_restart_of_the_service_is_a_loss(void **state)
{
    struct visit visit = visit_to("e2b://base", PROGRAM);

    (void)state;
    cloud_fault(&cloud, "{'on':{'rpc':'SendInput'},'skip':6,'do':'restart','ms':300}");
    visit_fails(&visit, "lost", "ended while the way to it was broken");
    assert_true(visit.unknown);
}

static void test_drops__a_pause_is_told(void **state)
{
    struct visit visit = visit_to("e2b://base", PROGRAM);

    (void)state;
    cloud_fault(&cloud, "{'on':{'rpc':'SendInput'},'skip':6,'do':'pause'}");
    visit_fails(&visit, "sandbox_gone", "the sandbox was paused");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_drops__none_where_nothing_breaks, clean),
        cmocka_unit_test_teardown(test_drops__the_stream_of_a_start, clean),
        cmocka_unit_test_teardown(test_drops__twice_in_a_row, clean),
        cmocka_unit_test_teardown(test_drops__input_whose_answer_is_lost, clean),
        cmocka_unit_test_teardown(test_drops__all_connections_again_and_again, clean),
        cmocka_unit_test_teardown(test_drops__json, clean),
        cmocka_unit_test_teardown(test_drops__a_stream_that_breaks_each_time, clean),
        cmocka_unit_test_teardown(test_drops__an_upgrade_of_the_service, clean),
        cmocka_unit_test_teardown(test_drops__a_restart_of_the_service_is_a_loss, clean),
        cmocka_unit_test_teardown(test_drops__a_pause_is_told, clean),
    };

    cmocka_set_test_filter(argc > 1 ? argv[1] : NULL);
    return cmocka_run_group_tests(tests, start, end);
}
