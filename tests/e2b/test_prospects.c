/* test_prospects.c - what is told of a second try: whether, when, and what may still be running. */
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

static void expire(void)
{
    const char *id = NULL;
    char path[128];

    (void)cloud_sandboxes(&cloud, &id);
    (void)snprintf(path, sizeof(path), "/sandboxes/%s/expire", id);
    (void)cloud_ask(&cloud, "POST", path, "{}");
}

/* Where the answer to its creation got lost, a sandbox stays. */
static int clean(void **state)
{
    (void)state;
    cloud_no_faults(&cloud);
    while (cloud_sandboxes(&cloud, NULL) > 0)
        expire();
    return 0;
}

#define PROGRAM "return 1 + (await home.now(1))"

enum { NO, YES };

struct prospect {
    const char *fault, *code;
    int retryable, may_be_running;
    int64_t after_ms;
};

static void check(const struct visit *visit, const struct prospect *expected)
{
    if (visit->retryable != (expected->retryable == YES) ||
        visit->may_be_running != (expected->may_be_running == YES) ||
        visit->retry_after_ms != expected->after_ms)
        fail_msg("%s: retryable %d, may be running %d, after %lld; facts:\n%s",
                 expected->fault == NULL ? expected->code : expected->fault, visit->retryable,
                 visit->may_be_running, (long long)visit->retry_after_ms, visit->facts);
}

static void go_through(const struct prospect *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct visit visit = visit_to("e2b://base", PROGRAM);
        cloud_fault(&cloud, cases[i].fault);
        visit_fails(&visit, cases[i].code, "");
        check(&visit, &cases[i]);
        cloud_no_faults(&cloud);
    }
}

#define API(answer)   "{'on':{'plane':'api','method':'POST'},'count':0,'do':'answer'," answer "}"
#define START(answer) "{'on':{'rpc':'Start'},'count':0,'do':'answer'," answer "}"

/* 50 s are more than the place is ready to wait, so that it says so at once. */
static void test_prospects__of_a_sandbox(void **state)
{
    static const struct prospect cases[] = {
        {API("'status':429,'headers':{'Retry-After':'50'},'json':{'message':'slower'}"),
         "rate_limited", YES, NO, 50000},
        {API("'status':429,'headers':{'Date':'Sun, 06 Nov 1994 08:49:37 GMT',"
             "'Retry-After':'Sun, 06 Nov 1994 08:50:25 GMT'},'text':'slower'"),
         "rate_limited", YES, NO, 48000},
        {API("'status':409,'headers':{'Retry-After':'46'},'text':'moving'"), "transitioning", YES,
         NO, 46000},
        {API("'status':503,'headers':{'Retry-After':'3600'},'text':'full'"), "no_capacity", YES, NO,
         60000},
        {API("'status':504,'headers':{'Retry-After':'47'},'text':'full'"), "no_capacity", YES, NO,
         47000},
        {API("'status':502,'headers':{'Retry-After':'47'},'text':'x'"), "bad_gateway", YES, NO,
         47000},
        {API("'status':500,'text':'x'"), "server_error", NO, NO, 0},
        {API("'status':400,'text':'x'"), "bad_request", NO, NO, 0},
        {API("'status':429,'json':{'message':'the maximum number of concurrent E2B sandboxes'}"),
         "team_limit", NO, NO, 0},
        /* It may have been made all the same. */
        {"{'on':{'plane':'api','method':'POST'},'do':'cut','at':'handled'}", "stream_lost", NO, NO,
         0},
    };

    (void)state;
    go_through(cases, COUNT(cases));
}

static void test_prospects__of_a_start(void **state)
{
    static const struct prospect cases[] = {
        {START("'status':429,'headers':{'Retry-After':'40'},'text':'slower'"), "rate_limited", YES,
         NO, 40000},
        {START("'status':409,'headers':{'Retry-After':'40'},'text':'moving'"), "transitioning", YES,
         NO, 40000},
        {START("'status':502,'headers':{'Retry-After':'41'},'json':{'message':'port is not open'}"),
         "port_closed", YES, NO, 41000},
        {START("'status':401,'text':'x'"), "auth_failed", NO, NO, 0},
        /* Nobody knows whether it was started, and nobody finds it. */
        {START("'status':504,'text':'x'"), "lost", NO, YES, 0},
        {START("'status':503,'text':'x'"), "lost", NO, YES, 0},
    };

    (void)state;
    go_through(cases, COUNT(cases));
}

static void test_prospects__of_a_key_and_of_nobody(void **state)
{
    struct visit visit = visit_to("e2b://base", PROGRAM);
    const struct prospect wrong = {NULL, "auth_failed", NO, NO, 0};
    const struct prospect nobody = {NULL, "connect_failed", YES, NO, 0};

    (void)state;
    visit.e2b.api_key = "e2b_00";
    visit_fails(&visit, "auth_failed", "is the key right");
    check(&visit, &wrong);
    visit = visit_to("e2b://base", PROGRAM);
    visit.e2b.api_url = "http://127.0.0.1:9";
    visit_fails(&visit, "connect_failed", "");
    check(&visit, &nobody);
}

/* Some of it ran; but all of it is known to be gone, with its sandbox. */
static void test_prospects__of_a_run_whose_sandbox_ends(void **state)
{
    struct visit visit = visit_to("e2b://base", "await home.now(1); await new Promise(() => {"
                                                "setTimeout(() => {}, 60000) })");
    const struct prospect gone = {NULL, "sandbox_gone", NO, NO, 0};

    (void)state;
    visit.at_call = expire;
    visit_fails(&visit, "sandbox_gone", "");
    assert_true(visit.unknown);
    check(&visit, &gone);
}

static void test_prospects__of_a_value(void **state)
{
    struct visit visit = visit_to("e2b://base", PROGRAM);
    const struct prospect fine = {NULL, "", NO, NO, 0};

    (void)state;
    visit_brings(&visit, "2");
    check(&visit, &fine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_prospects__of_a_sandbox, clean),
        cmocka_unit_test_teardown(test_prospects__of_a_start, clean),
        cmocka_unit_test_teardown(test_prospects__of_a_key_and_of_nobody, clean),
        cmocka_unit_test_teardown(test_prospects__of_a_run_whose_sandbox_ends, clean),
        cmocka_unit_test_teardown(test_prospects__of_a_value, clean),
    };

    return cmocka_run_group_tests(tests, start, end);
}
