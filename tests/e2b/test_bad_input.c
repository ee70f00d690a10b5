/* test_bad_input.c - what can be wrong with a key, a service or a sandbox, each with its line. */
#include "test.h"

#include "cloud.h"
#include "visit.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

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

#define PROGRAM "return 1 + (await home.now(1))"

static void test_bad_input__nothing_is_wrong(void **state)
{
    struct visit visit = visit_to("e2b://base", PROGRAM);

    (void)state;
    visit_brings(&visit, "2");
    assert_int_equal(cloud_sandboxes(&cloud, NULL), 0); /* It was deleted. */
}

static void test_bad_input__no_key(void **state)
{
    struct visit visit = visit_to("e2b://base", PROGRAM);

    (void)state;
    (void)unsetenv("E2B_API_KEY");
    visit_fails(&visit, "", "there is no key: set E2B_API_KEY");
    assert_int_equal(visit.status, ERRAND_EAUTH);
    (void)setenv("E2B_API_KEY", cloud.key, 1);
}

static void test_bad_input__a_wrong_key(void **state)
{
    struct visit visit = visit_to("e2b://base", PROGRAM);

    (void)state;
    visit.e2b.api_key = "e2b_00";
    visit_fails(&visit, "auth_failed", "is the key right");
}

static void test_bad_input__a_key_of_another_shape(void **state)
{
    struct visit visit = visit_to("e2b://base", PROGRAM);

    (void)state;
    /* Where the service is known, it is told at once; elsewhere the service itself says. */
    visit.e2b.api_key = "sk-something";
    visit_fails(&visit, "auth_failed", "is the key right");
    (void)unsetenv("E2B_API_URL");
    visit_fails(&visit, "auth_failed", "another shape than those of e2b.app");
    assert_int_equal(visit.status, ERRAND_EAUTH);
    (void)setenv("E2B_API_URL", cloud.api_url, 1);
    visit.e2b.api_key = "e2b_0 0";
    visit_fails(&visit, "auth_failed", "the key holds a blank");
}

static void test_bad_input__an_unknown_template(void **state)
{
    struct visit visit = visit_to("e2b://nowhere", PROGRAM);

    (void)state;
    visit_fails(&visit, "template_not_found", "nowhere");
}

static void test_bad_input__more_than_the_plan_has(void **state)
{
    struct visit visit = visit_to("e2b://base?timeout=1000000", PROGRAM);

    (void)state;
    visit_fails(&visit, "plan_limit", "imeout");
}

static void test_bad_input__addresses(void **state)
{
    static const struct {
        const char *address, *words;
    } cases[] = {{"e2b://", "names no template"},
                 {"e2b:", "is no sandbox"},
                 {"e2b:../x", "is no sandbox"},
                 {"e2b://base?timeout=x", "number of seconds"},
                 {"e2b://base?timeout=0", "1 to"},
                 {"e2b://base?codec=xml", "auto, proto or json"},
                 {"e2b://base?what=1", "after the question mark"}};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct visit visit = visit_to(cases[i].address, PROGRAM);
        visit_fails(&visit, "", cases[i].words);
        assert_int_equal(visit.status, ERRAND_EINVAL);
    }
}

static void test_bad_input__answers_of_the_api(void **state)
{
    static const struct {
        const char *order, *code, *words;
    } cases[] = {
        {"{'on':{'plane':'api'},'count':0,'do':'answer','status':200,'headers':{'Content-Type':"
         "'text/html'},'text':'<html><title>Welcome</title></html>'}",
         "not_e2b", "that is no E2B server: it answers with a page"},
        {"{'on':{'plane':'api'},'count':0,'do':'answer','status':200,'text':''}", "not_e2b",
         "its answer is empty"},
        {"{'on':{'plane':'api'},'count':0,'do':'answer','status':201,'json':{'ok':true}}",
         "not_e2b", "its answer is none of E2B's"},
        {"{'on':{'plane':'api'},'count':0,'do':'answer','status':302,'headers':{'Location':"
         "'http://127.0.0.1:1/'},'text':''}",
         "not_e2b", "it sends us elsewhere"},
        {"{'on':{'plane':'api'},'count':0,'do':'answer','status':403,'json':{'code':403,"
         "'message':'blocked'}}",
         "auth_failed", "blocked"},
        {"{'on':{'plane':'api'},'count':0,'do':'answer','status':500,'text':'upstream'}",
         "server_error", "HTTP 500: upstream"},
        {"{'on':{'plane':'api'},'count':0,'do':'answer','status':429,'json':{'code':429,"
         "'message':'you have reached the maximum number of concurrent E2B sandboxes (20)'}}",
         "team_limit", "maximum number of concurrent"},
        {"{'on':{'plane':'api'},'count':0,'do':'cut','at':'asked'}", "stream_lost", ""},
        {"{'on':{'plane':'api'},'count':0,'do':'answer','status':401,'headers':{'Date':"
         "'Sun, 06 Nov 1994 08:49:37 GMT'},'json':{'code':401,'message':'no'}}",
         "auth_failed", "this machine's clock is"},
        {"{'on':{'plane':'api'},'count':0,'do':'answer','status':201,'json':{'templateID':'base',"
         "'sandboxID':'iabc','clientID':'x','envdVersion':'0.0.9'}}",
         "envd_too_old", "build its template anew"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct visit visit = visit_to("e2b://base", PROGRAM);
        cloud_fault(&cloud, cases[i].order);
        visit_fails(&visit, cases[i].code, cases[i].words);
        cloud_no_faults(&cloud);
    }
}

static void test_bad_input__nobody_there(void **state)
{
    struct visit visit = visit_to("e2b://base", PROGRAM);

    (void)state;
    visit.limits.open_ms = 3000;
    visit.e2b.api_url = "http://127.0.0.1:1";
    visit_go(&visit);
    /* It is tried for longer than the limit. */
    assert_string_equal(visit.code, "open_timeout");
    visit = visit_to("e2b://base", PROGRAM);
    visit.e2b.api_url = "http://no-such-host.invalid";
    visit_fails(&visit, "name_not_found", "no-such-host.invalid");
}

/* Greets whoever comes, as an SSH server does, until it is closed. */
static void *greet(void *ctx)
{
    static const char hello[] = "SSH-2.0-other\r\n";
    int fd = *(int *)ctx, guest = 0;

    while ((guest = accept(fd, NULL, NULL)) >= 0) {
        char room[1024];
        (void)!write(guest, hello, sizeof(hello) - 1);
        while (read(guest, room, sizeof(room)) > 0)
            continue;
        (void)close(guest);
    }
    return NULL;
}

static void test_bad_input__another_protocol(void **state)
{
    struct visit visit = visit_to("e2b://base", PROGRAM);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t len = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char url[CLOUD_TEXT];
    pthread_t thread;

    (void)state;
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    assert_int_equal(listen(fd, 8), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
    assert_int_equal(pthread_create(&thread, NULL, greet, &fd), 0);
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%u", (unsigned)ntohs(at.sin_port));
    visit.e2b.api_url = url;
    visit_fails(&visit, "not_e2b", "that is no E2B server: it does not speak HTTP");
    (void)shutdown(fd, SHUT_RDWR);
    assert_int_equal(pthread_join(thread, NULL), 0);
    (void)close(fd);
}

static void test_bad_input__tls_fails(void **state)
{
    struct visit visit = visit_to("e2b://base", PROGRAM);
    char url[CLOUD_TEXT];

    (void)state;
    (void)snprintf(url, sizeof(url), "https%s", strchr(cloud.api_url, ':'));
    visit.e2b.api_url = url;
    visit_fails(&visit, "tls_failed", "");
}

static void test_bad_input__a_sandbox_that_is_gone(void **state)
{
    struct visit visit = visit_to("e2b:inotherebefore", PROGRAM);

    (void)state;
    visit_fails(&visit, "sandbox_gone", "inotherebefore");
}

static void end_it(const char *what)
{
    char path[2 * CLOUD_TEXT];
    const char *id = NULL;

    assert_int_equal(cloud_sandboxes(&cloud, &id), 1);
    (void)snprintf(path, sizeof(path), "/sandboxes/%s/%s", id, what);
    (void)cloud_ask(&cloud, "POST", path, "{}");
}

static void expire(void)
{
    end_it("expire");
}

static void test_bad_input__a_sandbox_that_goes_while_it_is_used(void **state)
{
    struct visit visit = visit_to("e2b://base", "await home.now(1); await new Promise(() => {"
                                                "setTimeout(() => {}, 60000) })");

    (void)state;
    visit.at_call = expire;
    visit_fails(&visit, "sandbox_gone", "the sandbox is not there any more");
    assert_true(visit.unknown);
}

static void test_bad_input__a_sandbox_whose_time_is_over(void **state)
{
    struct visit visit = visit_to("e2b://base?timeout=3", "await new Promise(() => {"
                                                          "setTimeout(() => {}, 60000) })");

    (void)state;
    /* It can't be made to live longer. */
    cloud_fault(&cloud, "{'on':{'plane':'api','method':'POST','path':'/sandboxes/*'},'count':0,"
                        "'do':'answer','status':500,'json':{'code':500,'message':'no'}}");
    visit_fails(&visit, "sandbox_expired", "came to its end");
    assert_false(visit.retryable);
    assert_false(visit.may_be_running);
}

static void test_bad_input__a_short_life_is_made_longer(void **state)
{
    struct visit visit = visit_to("e2b://base?timeout=2", "await new Promise((done) => {"
                                                          "setTimeout(done, 5000) }); return 7");

    (void)state;
    visit_brings(&visit, "7");
}

/* So often that the last one is cut. */
static void test_bad_input__a_service_that_repeats_the_key(void **state)
{
    struct visit visit = visit_to("e2b://base", PROGRAM);
    char order[8192], keys[4096] = "";

    (void)state;
    for (size_t used = 0; used < 3000; used += strlen(cloud.key))
        (void)snprintf(keys + used, sizeof(keys) - used, "%s", cloud.key);
    for (int i = 0; i < 2; i++) {
        (void)snprintf(order, sizeof(order),
                       "{'on':{'plane':'api'},'do':'answer','status':401,'%s':%s%s%s}",
                       i == 0 ? "json" : "text", i == 0 ? "{'code':401,'message':'" : "'", keys,
                       i == 0 ? "'}" : "'");
        cloud_fault(&cloud, order);
        visit_fails(&visit, "auth_failed", "***");
        assert_null(strstr(visit.message, "e2b_0123"));
    }
}

/* A longer one that begins like a shorter one goes as a whole; what is as short as a word stays. */
static void test_bad_input__a_service_that_repeats_the_environment(void **state)
{
    static const char *const env[] = {"TOKEN=swordfish", "OTHER=swordfish-and-more", "SHORT=abc",
                                      "EMPTY=", NULL};
    struct visit visit = visit_to("e2b://base", PROGRAM);

    (void)state;
    visit.e2b.env = env;
    cloud_fault(&cloud, "{'on':{'plane':'api'},'do':'answer','status':400,'json':{'code':400,"
                        "'message':'bad swordfish-and-more, swordfish, abc in envVars'}}");
    visit_fails(&visit, "bad_request", "bad ***, ***, abc in envVars");
    cloud_fault(&cloud, "{'on':{'rpc':'Start'},'do':'answer','status':400,'text':'bad swordfish'}");
    visit_fails(&visit, "bad_request", "bad ***");
    assert_null(strstr(visit.facts, "swordfish"));
}

static void test_bad_input__a_key_in_the_answer_to_a_longer_life(void **state)
{
    struct visit visit = visit_to("e2b://base?timeout=3", "await new Promise((done) => {"
                                                          "setTimeout(done, 1500) }); return 7");
    char order[512];

    (void)state;
    (void)snprintf(order, sizeof(order),
                   "{'on':{'plane':'api','method':'POST','path':'/sandboxes/*'},'count':0,"
                   "'do':'answer','status':401,'json':{'code':401,'message':'no %s'}}",
                   cloud.key);
    cloud_fault(&cloud, order);
    visit_brings(&visit, "7"); /* Which looks that no key is told. */
    assert_non_null(strstr(visit.facts, "could not be made longer: e2b: no ***"));
}

static void test_bad_input__a_sandbox_that_goes_after_the_run(void **state)
{
    struct visit visit = visit_to("e2b://base", PROGRAM);

    (void)state;
    /* The second start is that of whoever clears up. */
    cloud_fault(&cloud, "{'on':{'rpc':'Start'},'skip':1,'do':'expire','at':'asked'}");
    visit_brings(&visit, "2");
}

static void test_bad_input__a_sandbox_that_goes_before_the_run(void **state)
{
    struct visit visit = visit_to("e2b://base", PROGRAM);

    (void)state;
    cloud_fault(&cloud, "{'on':{'rpc':'Start'},'do':'expire','at':'asked'}");
    visit_fails(&visit, "sandbox_gone", "not there any more");
}

static void test_bad_input__node_is_missing(void **state)
{
    struct visit visit = visit_to("e2b://base", PROGRAM);

    (void)state;
    visit.node = "/nowhere/node";
    visit_fails(&visit, "node_not_run", "/nowhere/node");
}

static void test_bad_input__older_servers(void **state)
{
    static const char *const refusals[] = {"{\"api\":\"v1\",\"v2Refusal\":404}",
                                           "{\"api\":\"v1\",\"v2Refusal\":405}"};

    (void)state;
    for (size_t i = 0; i < COUNT(refusals); i++) {
        struct visit visit = visit_to("e2b://base", PROGRAM);
        (void)cloud_ask(&cloud, "PATCH", "/settings", refusals[i]);
        visit_brings(&visit, "2");
    }
    (void)cloud_ask(&cloud, "PATCH", "/settings", "{\"api\":\"v2\"}");
}

static void test_bad_input__what_may_be_tried_again_is(void **state)
{
    static const char *const orders[] = {
        "{'on':{'plane':'api','method':'POST'},'count':1,'do':'answer','status':429,'headers':"
        "{'Retry-After':'1'},'json':{'code':429,'message':'Rate limit exceeded'}}",
        "{'on':{'plane':'api','method':'POST'},'count':2,'do':'answer','status':503,'json':"
        "{'code':503,'message':'no room','error_code':'sandbox_capacity_unavailable'}}",
        "{'on':{'plane':'api','method':'POST'},'count':1,'do':'answer','status':504,'text':"
        "'upstream request timeout'}",
        "{'on':{'rpc':'Start'},'count':2,'do':'answer','status':502,'json':{'sandboxId':'x',"
        "'message':'The sandbox is running but port is not open','port':49983,'code':502}}",
        "{'on':{'rpc':'Start'},'count':2,'do':'answer','status':409,'json':{'message':'The sandbox "
        "is still transitioning. Try again in a moment.','code':409}}",
        "{'on':{'rpc':'Start'},'count':1,'do':'answer','status':429,'json':{'message':'The sandbox "
        "has too many concurrent incoming connections (limit: 1)','code':429}}",
        "{'on':{'rpc':'SendInput'},'count':2,'do':'answer','status':409,'json':{'message':'The "
        "sandbox is still transitioning. Try again in a moment.','code':409}}",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(orders); i++) {
        struct visit visit = visit_to("e2b://base", PROGRAM);
        cloud_fault(&cloud, orders[i]);
        visit_brings(&visit, "2");
        assert_int_equal(visit.drops, 0);
        cloud_no_faults(&cloud);
    }
}

static void test_bad_input__refusals_of_a_start(void **state)
{
    static const struct {
        const char *answer, *code, *words;
    } cases[] = {
        {"'status':401,'json':{'code':401,'message':'unauthorized access'}", "auth_failed",
         "unauthorized access"},
        {"'status':403,'json':{'code':403,'message':'cannot be resumed'}", "auth_failed",
         "cannot be resumed"},
        {"'status':404,'json':{'code':404,'message':'page not found'}", "not_e2b",
         "page not found"},
        {"'status':400,'text':'Invalid host'", "bad_request", "Invalid host"},
        {"'status':200,'headers':{'Content-Type':'text/html'},'text':'<p>hi</p>'", "not_e2b",
         "it answers with a page"},
    };
    char order[1024];

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct visit visit = visit_to("e2b://base", PROGRAM);
        (void)snprintf(order, sizeof(order), "{'on':{'rpc':'Start'},'count':1,'do':'answer',%s}",
                       cases[i].answer);
        cloud_fault(&cloud, order);
        visit_fails(&visit, cases[i].code, cases[i].words);
        cloud_no_faults(&cloud);
    }
}

static void test_bad_input__a_server_without_the_binary_codec(void **state)
{
    struct visit visit = visit_to("e2b://base", PROGRAM);

    (void)state;
    (void)cloud_ask(&cloud, "PATCH", "/settings", "{\"codec\":\"json-only\"}");
    visit_brings(&visit, "2");
    (void)cloud_ask(&cloud, "PATCH", "/settings", "{\"codec\":\"both\"}");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_bad_input__nothing_is_wrong, clean),
        cmocka_unit_test_teardown(test_bad_input__no_key, clean),
        cmocka_unit_test_teardown(test_bad_input__a_wrong_key, clean),
        cmocka_unit_test_teardown(test_bad_input__a_key_of_another_shape, clean),
        cmocka_unit_test_teardown(test_bad_input__an_unknown_template, clean),
        cmocka_unit_test_teardown(test_bad_input__more_than_the_plan_has, clean),
        cmocka_unit_test_teardown(test_bad_input__addresses, clean),
        cmocka_unit_test_teardown(test_bad_input__answers_of_the_api, clean),
        cmocka_unit_test_teardown(test_bad_input__nobody_there, clean),
        cmocka_unit_test_teardown(test_bad_input__another_protocol, clean),
        cmocka_unit_test_teardown(test_bad_input__tls_fails, clean),
        cmocka_unit_test_teardown(test_bad_input__a_sandbox_that_is_gone, clean),
        cmocka_unit_test_teardown(test_bad_input__a_sandbox_that_goes_while_it_is_used, clean),
        cmocka_unit_test_teardown(test_bad_input__a_sandbox_whose_time_is_over, clean),
        cmocka_unit_test_teardown(test_bad_input__a_short_life_is_made_longer, clean),
        cmocka_unit_test_teardown(test_bad_input__a_service_that_repeats_the_key, clean),
        cmocka_unit_test_teardown(test_bad_input__a_service_that_repeats_the_environment, clean),
        cmocka_unit_test_teardown(test_bad_input__a_key_in_the_answer_to_a_longer_life, clean),
        cmocka_unit_test_teardown(test_bad_input__a_sandbox_that_goes_after_the_run, clean),
        cmocka_unit_test_teardown(test_bad_input__a_sandbox_that_goes_before_the_run, clean),
        cmocka_unit_test_teardown(test_bad_input__node_is_missing, clean),
        cmocka_unit_test_teardown(test_bad_input__older_servers, clean),
        cmocka_unit_test_teardown(test_bad_input__what_may_be_tried_again_is, clean),
        cmocka_unit_test_teardown(test_bad_input__refusals_of_a_start, clean),
        cmocka_unit_test_teardown(test_bad_input__a_server_without_the_binary_codec, clean),
    };

    cmocka_set_test_filter(argc > 1 ? argv[1] : NULL);
    return cmocka_run_group_tests(tests, start, end);
}
