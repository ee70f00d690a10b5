/* test_sandboxes.c - errand/e2b.h: the sandboxes of an account, looked at and looked after. */
#include "test.h"

#include "cloud.h"
#include "visit.h"

#include <errand/e2b.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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
    const char *id = NULL;

    (void)state;
    cloud_no_faults(&cloud);
    (void)cloud_ask(&cloud, "PATCH", "/settings", "{\"api\":\"v2\"}");
    while (cloud_sandboxes(&cloud, &id) > 0)
        assert_int_equal(errand_sandbox_kill(id, NULL, NULL), ERRAND_OK);
    return 0;
}

/* Its id; borrowed until the next. */
static const char *make_one(void)
{
    static const char *const metadata[] = {"who=\xc3\xa9va \x1b", NULL};
    static char id[CLOUD_TEXT];
    struct visit visit = visit_to("e2b://base?keep", "return 1");
    const char *first = NULL;

    visit.e2b.metadata = metadata;
    visit_brings(&visit, "1");
    assert_int_equal(cloud_sandboxes(&cloud, &first), 1);
    (void)snprintf(id, sizeof(id), "%s", first);
    return id;
}

static void assert_state(const char *id, const char *state)
{
    errand_sandboxes *one = NULL;
    errand_error error = {0};

    if (errand_sandboxes_find(&one, id, NULL, &error) != ERRAND_OK)
        fail_msg("%s", error.text);
    assert_int_equal(errand_sandboxes_count(one), 1);
    assert_string_equal(errand_sandboxes_at(one, 0)->id, id);
    assert_string_equal(errand_sandboxes_at(one, 0)->state, state);
    errand_sandboxes_free(one);
}

static void test_sandboxes__a_life(void **state)
{
    const char *id = make_one();
    errand_sandbox_usage usage = ERRAND_SANDBOX_USAGE_INIT;
    errand_sandboxes *all = NULL;
    errand_error error = {0};

    (void)state;
    assert_int_equal(errand_sandboxes_list(&all, NULL, &error), ERRAND_OK);
    assert_int_equal(errand_sandboxes_count(all), 1);
    const errand_sandbox *sandbox = errand_sandboxes_at(all, 0);
    assert_string_equal(sandbox->id, id);
    assert_string_equal(sandbox->template_id, "base");
    assert_string_equal(sandbox->state, "running");
    assert_string_equal(sandbox->metadata, "{\"who\":\"\\u00E9va \\u001B\"}");
    assert_true(strlen(sandbox->end_at) > 10 && strlen(sandbox->started_at) > 10);
    assert_true(sandbox->cpu_count > 0 && sandbox->memory_mb > 0);
    assert_null(errand_sandboxes_at(all, 1));
    errand_sandboxes_free(all);

    assert_int_equal(errand_sandbox_metrics(&usage, id, NULL, &error), ERRAND_OK);
    assert_true(usage.memory_total > 0);
    assert_int_equal(errand_sandbox_pause(id, NULL, &error), ERRAND_OK);
    assert_state(id, "paused");
    /* Twice: it says so at once. */
    assert_int_equal(errand_sandbox_pause(id, NULL, &error), ERRAND_EIO);
    assert_non_null(strstr(error.text, "already paused"));
    assert_int_equal(errand_sandbox_resume(id, NULL, &error), ERRAND_OK);
    assert_state(id, "running");
    assert_int_equal(errand_sandbox_kill(id, NULL, &error), ERRAND_OK);
    assert_int_equal(cloud_sandboxes(&cloud, NULL), 0);
    assert_int_equal(errand_sandbox_kill(id, NULL, &error), ERRAND_EIO);
    assert_int_equal(error.retryable, 0);
    assert_non_null(strstr(error.text, id));
}

/* Seconds since 1970 at which the only one ends. */
static int64_t end_at(void)
{
    errand_sandboxes *all = NULL;
    struct tm date = {0};

    assert_int_equal(errand_sandboxes_list(&all, NULL, NULL), ERRAND_OK);
    assert_int_equal(errand_sandboxes_count(all), 1);
    assert_non_null(strptime(errand_sandboxes_at(all, 0)->end_at, "%Y-%m-%dT%H:%M:%S", &date));
    errand_sandboxes_free(all);
    return (int64_t)timegm(&date);
}

static void test_sandboxes__times(void **state)
{
    const char *id = make_one();
    errand_error error = {0};

    (void)state;
    assert_int_equal(errand_sandbox_timeout(id, 1000000, NULL, &error), ERRAND_OK);
    int64_t far_s = end_at();
    assert_int_equal(errand_sandbox_timeout(id, 60000, NULL, &error), ERRAND_OK);
    int64_t near_s = end_at();
    assert_true(far_s - near_s > 900);
    /* Never sooner. */
    assert_int_equal(errand_sandbox_timeout(id, 1000000, NULL, &error), ERRAND_OK);
    far_s = end_at();
    assert_int_equal(errand_sandbox_refresh(id, 60000, NULL, &error), ERRAND_OK);
    assert_true(end_at() >= far_s);
    assert_int_equal(errand_sandbox_refresh(id, 2000000, NULL, &error), ERRAND_OK);
    assert_true(end_at() > far_s + 900);
}

static void test_sandboxes__older_servers(void **state)
{
    const char *id = make_one();
    errand_sandboxes *all = NULL;
    errand_error error = {0};

    (void)state;
    (void)cloud_ask(&cloud, "PATCH", "/settings", "{\"api\":\"v1\"}");
    assert_int_equal(errand_sandbox_pause(id, NULL, &error), ERRAND_OK);
    assert_int_equal(errand_sandbox_resume(id, NULL, &error), ERRAND_OK);
    assert_state(id, "running");
    /* Who has no list of the second version. */
    cloud_fault(&cloud, "{'on':{'plane':'api','path':'/v2/sandboxes'},'do':'answer','status':404,"
                        "'text':'404 page not found'}");
    assert_int_equal(errand_sandboxes_list(&all, NULL, &error), ERRAND_OK);
    assert_int_equal(errand_sandboxes_count(all), 1);
    errand_sandboxes_free(all);
}

/* Without pages, all of them come at once. */
static void test_sandboxes__many_on_a_page(void **state)
{
    enum { MANY = 120 };
    char fault[4096];
    errand_sandboxes *all = NULL;
    errand_error error = {0};
    size_t used = (size_t)snprintf(fault, sizeof(fault),
                                   "{'on':{'plane':'api','path':'/v2/sandboxes'},'do':'answer',"
                                   "'status':200,'json':[");

    (void)state;
    for (int i = 0; i < MANY; i++)
        used += (size_t)snprintf(fault + used, sizeof(fault) - used, "{'sandboxID':'i%d'}%s", i,
                                 i < MANY - 1 ? "," : "]}");
    cloud_fault(&cloud, fault);
    assert_int_equal(errand_sandboxes_list(&all, NULL, &error), ERRAND_OK);
    assert_int_equal(errand_sandboxes_count(all), MANY);
    assert_string_equal(errand_sandboxes_at(all, MANY - 1)->id, "i119");
    errand_sandboxes_free(all);
}

/* Somebody else's page is no word of the service's, whatever its status. */
static void test_sandboxes__a_page_is_no_success(void **state)
{
    const char *id = make_one();
    errand_error error = {0};

    (void)state;
    for (int i = 0; i < 3; i++) {
        cloud_fault(&cloud, "{'on':{'plane':'api'},'do':'answer','status':200,"
                            "'headers':{'content-type':'text/html'},'text':'<html>Log in'}");
        errand_status status = i == 0   ? errand_sandbox_kill(id, NULL, &error)
                               : i == 1 ? errand_sandbox_pause(id, NULL, &error)
                                        : errand_sandbox_timeout(id, 60000, NULL, &error);
        assert_int_equal(status, ERRAND_EIO);
        assert_non_null(strstr(error.text, "that is no E2B server"));
        cloud_no_faults(&cloud);
    }
    assert_state(id, "running");
    cloud_fault(&cloud, "{'on':{'plane':'api'},'do':'answer','status':302}");
    assert_int_equal(errand_sandbox_kill(id, NULL, &error), ERRAND_EIO);
    assert_non_null(strstr(error.text, "it sends us elsewhere"));
    cloud_no_faults(&cloud);
}

static void test_sandboxes__more_than_a_page(void **state)
{
    errand_sandboxes *all = NULL;
    errand_error error = {0};

    (void)state;
    cloud_fault(&cloud,
                "[{'on':{'plane':'api','path':'/v2/sandboxes'},'do':'answer','status':200,"
                "'headers':{'X-Next-Token':'a b/c+='},'json':[{'sandboxID':'i1'},"
                "{'sandboxID':'i2','state':'paused'},{'no':'id'}]},"
                "{'on':{'plane':'api','path':'/v2/sandboxes'},'skip':1,'do':'answer','status':200,"
                "'json':[{'sandboxID':'i3'}]}]");
    assert_int_equal(errand_sandboxes_list(&all, NULL, &error), ERRAND_OK);
    assert_int_equal(errand_sandboxes_count(all), 3);
    assert_string_equal(errand_sandboxes_at(all, 1)->state, "paused");
    assert_string_equal(errand_sandboxes_at(all, 2)->id, "i3");
    assert_string_equal(errand_sandboxes_at(all, 2)->metadata, "");
    errand_sandboxes_free(all);
}

static void test_sandboxes__what_goes_wrong(void **state)
{
    static const struct {
        const char *fault, *words;
        errand_status status;
        int retryable;
    } cases[] = {
        {"{'on':{'plane':'api'},'do':'answer','status':401,'json':{'code':401,'message':'no'}}",
         "is the key right", ERRAND_EAUTH, 0},
        {"{'on':{'plane':'api'},'do':'answer','status':429,'headers':{'Retry-After':'50'},"
         "'text':'slower'}",
         "after 50 s", ERRAND_EIO, 1},
        {"{'on':{'plane':'api'},'do':'answer','status':200,'text':'<html><title>Hi</title>'}",
         "that is no E2B server", ERRAND_EIO, 0},
        {"{'on':{'plane':'api'},'do':'answer','status':200,'json':{}}", "that is no E2B server",
         ERRAND_EIO, 0},
    };
    errand_sandboxes *all = NULL;
    errand_error error = {0};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        cloud_fault(&cloud, cases[i].fault);
        assert_int_equal(errand_sandboxes_list(&all, NULL, &error), cases[i].status);
        assert_null(all);
        assert_int_equal(error.retryable, cases[i].retryable);
        if (strstr(error.text, cases[i].words) == NULL)
            fail_msg("%s", error.text);
        cloud_no_faults(&cloud);
    }
    /* What may be asked again is. */
    cloud_fault(&cloud,
                "{'on':{'plane':'api'},'count':2,'do':'answer','status':503,'text':'full'}");
    assert_int_equal(errand_sandboxes_list(&all, NULL, &error), ERRAND_OK);
    assert_int_equal(errand_sandboxes_count(all), 0);
    errand_sandboxes_free(all);
}

static void test_sandboxes__arguments(void **state)
{
    static const char *const ids[] = {NULL, "", "a/b", "i1?keep", "-x", "a b"};
    errand_sandbox_usage usage = {0};
    errand_e2b_options options = ERRAND_E2B_OPTIONS_INIT;
    errand_sandboxes *one = NULL;
    errand_error error = {0};

    (void)state;
    for (size_t i = 0; i < COUNT(ids); i++) {
        assert_int_equal(errand_sandboxes_find(&one, ids[i], NULL, &error), ERRAND_EINVAL);
        assert_int_equal(errand_sandbox_kill(ids[i], NULL, &error), ERRAND_EINVAL);
        assert_null(one);
    }
    assert_int_equal(errand_sandbox_timeout("i1", 0, NULL, &error), ERRAND_EINVAL);
    assert_int_equal(errand_sandbox_refresh("i1", UINT64_MAX, NULL, &error), ERRAND_EINVAL);
    assert_int_equal(errand_sandbox_metrics(&usage, "i1", NULL, &error), ERRAND_EINVAL);
    options.size = 3;
    assert_int_equal(errand_sandbox_pause("i1", &options, &error), ERRAND_EINVAL);
    options = (errand_e2b_options)ERRAND_E2B_OPTIONS_INIT;
    options.api_url = "http://127.0.0.1:9";
    assert_int_equal(errand_sandbox_kill("i1", &options, NULL), ERRAND_EIO);
    errand_sandboxes_free(NULL);
    (void)unsetenv("E2B_API_KEY");
    assert_int_equal(errand_sandboxes_list(&one, NULL, &error), ERRAND_EAUTH);
    assert_non_null(strstr(error.text, "set E2B_API_KEY"));
    (void)setenv("E2B_API_KEY", cloud.key, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_sandboxes__a_life, clean),
        cmocka_unit_test_teardown(test_sandboxes__times, clean),
        cmocka_unit_test_teardown(test_sandboxes__older_servers, clean),
        cmocka_unit_test_teardown(test_sandboxes__many_on_a_page, clean),
        cmocka_unit_test_teardown(test_sandboxes__a_page_is_no_success, clean),
        cmocka_unit_test_teardown(test_sandboxes__more_than_a_page, clean),
        cmocka_unit_test_teardown(test_sandboxes__what_goes_wrong, clean),
        cmocka_unit_test_teardown(test_sandboxes__arguments, clean),
    };

    return cmocka_run_group_tests(tests, start, end);
}
