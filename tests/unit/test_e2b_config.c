/* test_e2b_config.c - where a sandbox is and by which key, from options and environment; and what
 * servers say, as codes. */
#include "test.h"

#include "base/mem.h"
#include "transport/e2b/calendar.h"
#include "transport/e2b/config.h"
#include "transport/e2b/control.h"
#include "transport/e2b/e2b.h"
#include "transport/e2b/error.h"
#include "transport/e2b/version.h"

#include <stdio.h>
#include <stdlib.h>

static const char good_key[] = "e2b_0123456789abcdef";

static int forget(void **state)
{
    static const char *const names[] = {"E2B_API_KEY",     "E2B_DOMAIN", "E2B_API_URL",
                                        "E2B_SANDBOX_URL", "E2B_DEBUG",  "E2B_VALIDATE_API_KEY"};

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++)
        (void)unsetenv(names[i]);
    return 0;
}

static void urls_are(const char *address, const char *api, const char *domain, const char *envd)
{
    struct e2b_config config;
    errand_error error = {0};
    char url[E2B_URL_BASE];

    if (errand__e2b_config_init(&config, address, NULL, &error) != ERRAND_OK)
        fail_msg("%s", error.text);
    assert_string_equal(config.api_url, api);
    assert_true(errand__e2b_config_envd_url(&config, "iabc", domain, url));
    assert_string_equal(url, envd);
    errand__e2b_config_deinit(&config);
}

static void test_e2b_config__urls(void **state)
{
    (void)state;
    (void)setenv("E2B_API_KEY", good_key, 1);
    urls_are("e2b://base", "https://api.e2b.app", NULL, "https://sandbox.e2b.app");
    urls_are("e2b://base", "https://api.e2b.app", "x.example", "https://49983-iabc.x.example");
    (void)setenv("E2B_DOMAIN", "cloud.example", 1);
    urls_are("e2b:iabc", "https://api.cloud.example", NULL, "https://49983-iabc.cloud.example");
    urls_are("e2b:iabc", "https://api.cloud.example", "e2b.dev", "https://sandbox.e2b.dev");
    (void)setenv("E2B_API_URL", "http://127.0.0.1:7/", 1);
    (void)setenv("E2B_SANDBOX_URL", "http://127.0.0.1:8", 1);
    urls_are("e2b:iabc", "http://127.0.0.1:7", NULL, "http://127.0.0.1:8");
    (void)forget(NULL);
    (void)setenv("E2B_DEBUG", "true", 1);
    urls_are("e2b://base", "http://localhost:3000", NULL, "http://localhost:49983");
}

static void is_refused(const char *address, const errand_e2b_options *options, const char *words)
{
    struct e2b_config config;
    errand_error error = {0};

    assert_true(errand__e2b_config_init(&config, address, options, &error) < 0);
    if (strstr(error.text, words) == NULL)
        fail_msg("wanted \"%s\", got \"%s\"", words, error.text);
    errand__e2b_config_deinit(&config);
}

static void test_e2b_config__what_makes_no_sense(void **state)
{
    static const char *const bad_pair[] = {"no-equals", NULL};
    errand_e2b_options options = ERRAND_E2B_OPTIONS_INIT;

    (void)state;
    is_refused("e2b://base", NULL, "there is no key");
    options.api_key = "hunter2";
    is_refused("e2b://base", &options, "another shape");
    options.api_key = "e2b_00\nX-Other: 1";
    is_refused("e2b://base", &options, "a blank, a line break");
    options.api_key = good_key;
    options.api_url = "api.example";
    is_refused("e2b://base", &options, "begins with http:// or https://");
    options.api_url = "https://me:secret@api.example";
    is_refused("e2b://base", &options, "must not hold a login");
    options.api_url = NULL;
    options.domain = "a b";
    is_refused("e2b://base", &options, "the domain is no name");
    options.domain = NULL;
    options.metadata = bad_pair;
    is_refused("e2b://base", &options, "NAME=VALUE");
    options.metadata = NULL;
    options.user = "a:b";
    is_refused("e2b://base", &options, "the user is no name");
    options.user = NULL;
    is_refused("e2b://base?timeout=9999999999", &options, "1 to");
    is_refused("e2b://base?keep=1", &options, "after the question mark");
    (void)setenv("E2B_VALIDATE_API_KEY", "false", 1);
    options.api_key = "hunter2";
    struct e2b_config config;
    assert_int_equal(
        errand__e2b_config_init(&config, "e2b://base?timeout=7&keep&codec=json", &options, NULL),
        ERRAND_OK);
    assert_int_equal(config.timeout_s, 7);
    assert_true(config.keep);
    assert_int_equal(config.codec, ERRAND_E2B_CODEC_JSON);
    errand__e2b_config_deinit(&config);
}

static void test_e2b_config__when_to_try_again(void **state)
{
    (void)state;
    assert_int_equal(errand__e2b_error_after_us("3", ""), 3000000);
    assert_int_equal(errand__e2b_error_after_us("100000", ""), 60000000);
    assert_int_equal(errand__e2b_error_after_us("-3", ""), 0);
    assert_int_equal(errand__e2b_error_after_us("", ""), 0);
    assert_int_equal(errand__e2b_error_after_us("Sun, 06 Nov 1994 08:49:37 GMT",
                                                "Sun, 06 Nov 1994 08:49:30 GMT"),
                     7000000);
    assert_int_equal(errand__e2b_error_after_us("Sun, 06 Nov 1994 08:49:37 GMT", ""), 0);
    assert_int_equal(errand__e2b_calendar_read("Sun, 06 Nov 1994 08:49:37 GMT"), 784111777);
    assert_int_equal(errand__e2b_calendar_read("Thu, 29 Feb 2024 00:00:00 GMT"), 1709164800);
    assert_int_equal(errand__e2b_calendar_read("yesterday"), -1);
}

static void test_e2b_config__trailers(void **state)
{
    static const struct {
        const char *code, *words, *expected;
    } cases[] = {{"not_found", "process with pid 3 not found", "not_found"},
                 {"unimplemented", "no such method", "codec_refused"},
                 {"invalid_argument", "cwd '/x' does not exist", "bad_cwd"},
                 {"invalid_argument", "fork failed", "spawn_failed"},
                 {"resource_exhausted", "EAGAIN", "spawn_failed"},
                 {"unauthenticated", "invalid username: 'x'", "no_user"},
                 {"unavailable", "upstream", "stream_lost"},
                 {"", "", "stream_lost"}};
    const struct e2b_secrets secrets = {"hunter2hunter2", NULL, NULL};
    struct e2b_failure failure;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        errand__e2b_error_trailer(&failure, span_text(cases[i].code), span_text(cases[i].words),
                                  NULL);
        assert_string_equal(failure.code, cases[i].expected);
    }
    errand__e2b_error_trailer(&failure, SPAN_LITERAL("internal"),
                              SPAN_LITERAL("the key hunter2hunter2 is bad"), &secrets);
    assert_null(strstr(failure.error.text, "hunter2"));
    assert_non_null(strstr(failure.error.text, "***"));
}

static void test_e2b_config__versions(void **state)
{
    struct e2b_version version = errand__e2b_version_read("0.5.7");

    (void)state;
    assert_true(errand__e2b_version_is_least(version, 0, 5, 7));
    assert_true(errand__e2b_version_is_least(version, 0, 4, 19));
    assert_false(errand__e2b_version_is_least(version, 0, 5, 8));
    assert_false(errand__e2b_version_is_least(version, 1, 0, 0));
    assert_true(errand__e2b_version_is_least(errand__e2b_version_read("v1.2.3-rc1"), 1, 2, 3));
    assert_true(errand__e2b_version_is_least(errand__e2b_version_read("newest"), 9, 9, 9));
}

static void test_e2b_config__answers_of_the_api(void **state)
{
    struct e2b_sandbox sandbox, list[2];
    struct e2b_metrics metrics;

    (void)state;
    assert_true(errand__e2b_sandbox_parse(
        &sandbox, SPAN_LITERAL("{\"sandboxID\":\"iabc\",\"templateID\":\"base\",\"domain\":null,"
                               "\"envdVersion\":\"0.6.13\",\"envdAccessToken\":\"tok\"}")));
    assert_string_equal(sandbox.id, "iabc");
    assert_string_equal(sandbox.token, "tok");
    assert_int_equal(sandbox.version.patch, 13);
    errand__e2b_sandbox_deinit(&sandbox);
    assert_false(errand__e2b_sandbox_parse(&sandbox, SPAN_LITERAL("{\"sandboxID\":\"../x\"}")));
    assert_false(errand__e2b_sandbox_parse(
        &sandbox, SPAN_LITERAL("{\"sandboxID\":\"i\",\"domain\":\"evil.example/x?\"}")));
    assert_false(errand__e2b_sandbox_parse(
        &sandbox, SPAN_LITERAL("{\"sandboxID\":\"i\",\"envdAccessToken\":\"a\\r\\nb\"}")));
    assert_int_equal(errand__e2b_control_list(list, COUNT(list),
                                              SPAN_LITERAL("[{\"sandboxID\":\"i1\",\"state\":"
                                                           "\"paused\"},{},{\"sandboxID\":"
                                                           "\"i2\"},{\"sandboxID\":\"i3\"}]")),
                     2);
    assert_string_equal(list[0].state, "paused");
    assert_string_equal(list[1].id, "i2");
    assert_int_equal(errand__e2b_control_list(list, COUNT(list), SPAN_LITERAL("{}")), -1);
    /* What can't be shown is not said, and nobody is left out for it. */
    assert_int_equal(errand__e2b_control_list(list, COUNT(list),
                                              SPAN_LITERAL("[{\"sandboxID\":\"i1\",\"alias\":"
                                                           "\"two words\",\"endAt\":\"x y\"}]")),
                     1);
    assert_string_equal(list[0].alias, "");
    assert_int_equal(
        errand__e2b_control_metrics(
            &metrics, SPAN_LITERAL("[{\"cpuCount\":2,\"cpuUsedPct\":12.5,\"memUsed\":7}]")),
        ERRAND_OK);
    assert_int_equal(metrics.cpu_count, 2);
    assert_int_equal(metrics.memory_used, 7);
    assert_int_equal(errand__e2b_control_metrics(&metrics, SPAN_LITERAL("[]")), ERRAND_AGAIN);
    assert_int_equal(errand__e2b_control_metrics(&metrics, SPAN_LITERAL("{}")), ERRAND_EIO);
}

/* Wherever memory ends, there is one line, and nothing is left behind. */
static void test_e2b_config__no_memory(void **state)
{
    static const char *const pairs[] = {"a=1", "b=2", NULL};
    errand_e2b_options options = ERRAND_E2B_OPTIONS_INIT;
    errand_status status = ERRAND_ENOMEM;
    long before = 0;

    (void)state;
    options.api_key = good_key;
    options.metadata = options.env = pairs;
    options.allow_out = options.deny_out = pairs;
    options.user = "somebody";
    options.sandbox_url = "http://127.0.0.1:1";
    for (; status != ERRAND_OK && before < 100; before++) {
        errand_road *road = NULL;
        errand_error error = {0};
        char *name = NULL;
        errand__mem_countdown = before;
        status = errand__e2b_road_new(&road, &name, "e2b://base", &options, &error);
        errand__mem_countdown = -1;
        if (status != ERRAND_OK) {
            assert_int_equal(status, ERRAND_ENOMEM);
            assert_string_equal(error.text, "e2b: no memory");
            continue;
        }
        assert_string_equal(name, "e2b://base");
        errand__mem_free(name);
        road->ops->free(road);
    }
    assert_int_equal(status, ERRAND_OK);
    assert_in_range(before, 15, 99);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_e2b_config__urls, forget),
        cmocka_unit_test_setup(test_e2b_config__what_makes_no_sense, forget),
        cmocka_unit_test(test_e2b_config__when_to_try_again),
        cmocka_unit_test(test_e2b_config__trailers),
        cmocka_unit_test(test_e2b_config__versions),
        cmocka_unit_test(test_e2b_config__answers_of_the_api),
        cmocka_unit_test_setup(test_e2b_config__no_memory, forget),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
