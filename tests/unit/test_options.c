/* test_options.c - limits by name, structs by size, and the misuse that is refused. */
#include "test.h"

#include "base/mem.h"
#include "run/limits.h"
#include "run/plan.h"
#include "run/sized.h"

/* --- Limits by name --------------------------------------------------------------------------- */

static void sets(const char *name, const char *text, size_t offset, uint64_t expected)
{
    errand_limits limits = ERRAND_LIMITS_INIT;
    errand_error err;

    assert_int_equal(errand_limits_set(&limits, name, text, &err), ERRAND_OK);
    uint64_t value = 0;
    memcpy(&value, (const char *)&limits + offset, sizeof(value));
    assert_int_equal(value, expected);
}

static void refuses(const char *name, const char *text, const char *words)
{
    errand_limits limits = ERRAND_LIMITS_INIT;
    errand_error err;

    assert_int_equal(errand_limits_set(&limits, name, text, &err), ERRAND_EINVAL);
    if (strstr(err.text, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", err.text, words);
}

static void test_options__limits_by_name(void **state)
{
    (void)state;
    sets("wall", "30s", offsetof(errand_limits, wall_ms), 30000);
    sets("wall_ms", "250", offsetof(errand_limits, wall_ms), 250);
    sets("wall", "2m", offsetof(errand_limits, wall_ms), 120000);
    sets("approval", "1h", offsetof(errand_limits, approval_ms), 3600000);
    sets("wall", "off", offsetof(errand_limits, wall_ms), ERRAND_UNLIMITED);
    sets("output", "1MiB", offsetof(errand_limits, output_bytes), 1048576);
    sets("output", "4", offsetof(errand_limits, output_bytes), 4);
    sets("frame", "2MB", offsetof(errand_limits, frame_bytes), 2000000);
    sets("heap", "1GiB", offsetof(errand_limits, heap_mb), 1024);
    sets("calls_open", "16", offsetof(errand_limits, calls_open), 16);
}

static void test_options__bad_limits_are_named(void **state)
{
    (void)state;
    refuses("wall", "-1", "wall_ms: -1 is no number");
    refuses("wall", "", "(nothing)");
    refuses("wall", "0", "from 1 to 2147483647");
    refuses("wall", "10d", "ms, s, m or h");
    refuses("wall", "2147483648", "from 1 to 2147483647");
    refuses("wall", "99999999999999999999h", "too much");
    refuses("output", "3", "output_bytes must be from 4");
    refuses("output", "off", "can't be off");
    refuses("output", "1s", "KiB");
    refuses("walls", "1s", "no limit is called walls; there are open boot wall");
    refuses("", "1s", "no limit is called");
    refuses("wall", "18446744073709551614", "from 1 to 2147483647");
    refuses("wall", "18446744073709551615", "too much");
    refuses("wall", "99999999999999999999", "too much");
    refuses("calls", "99999999999999999999", "too much");
    refuses("frame", "1023", "frame_bytes must be from 1024");
    refuses("calls", "5ms", "calls: 5ms: it takes no unit");
    refuses(NULL, "1s", "no name");
    refuses("wall", NULL, "no value");
}

static void test_options__a_limit_beyond_an_older_struct_is_refused(void **state)
{
    errand_limits limits = ERRAND_LIMITS_INIT;
    errand_error err;

    (void)state;
    limits.size = offsetof(errand_limits, call_records);
    assert_int_equal(errand_limits_set(&limits, "call_records", "5", &err), ERRAND_EINVAL);
    assert_int_equal(limits.call_records, 0);
}

static void test_options__zero_is_the_default(void **state)
{
    errand_limits limits;
    errand_error err = {0};

    (void)state;
    assert_int_equal(errand__limits_complete(&limits, NULL, 0, &err), ERRAND_OK);
    assert_int_equal(limits.wall_ms, 600000);
    assert_int_equal(limits.compute_ms, 60000);
    assert_int_equal(limits.idle_ms, ERRAND_UNLIMITED);
    assert_int_equal(limits.output_bytes, 67108864);
    assert_int_equal(limits.frame_bytes, 268435456);
    assert_int_equal(limits.rss_mb, 2048);
    assert_int_equal(limits.lease_ms, 0);
    assert_int_equal(errand__limits_complete(&limits, NULL, 45000, &err), ERRAND_OK);
    assert_int_equal(limits.lease_ms, 45000);
}

static void test_options__defaults_follow_what_was_given(void **state)
{
    errand_limits given = ERRAND_LIMITS_INIT;
    errand_limits limits;
    errand_error err = {0};

    (void)state;
    given.frame_bytes = 1024;
    given.heap_mb = 100;
    assert_int_equal(errand__limits_complete(&limits, &given, 45000, &err), ERRAND_OK);
    assert_int_equal(limits.output_bytes, 1024);
    assert_int_equal(limits.rss_mb, 400);
    given.lease_ms = ERRAND_UNLIMITED;
    assert_int_equal(errand__limits_complete(&limits, &given, 45000, &err), ERRAND_OK);
    assert_int_equal(limits.lease_ms, 0);
    given.output_bytes = 2000;
    assert_int_equal(errand__limits_complete(&limits, &given, 0, &err), ERRAND_EINVAL);
    assert_non_null(strstr(err.text, "must be at least output_bytes"));
}

static void test_options__a_derived_limit_stays_in_its_range(void **state)
{
    errand_limits given = ERRAND_LIMITS_INIT;
    errand_limits limits;
    errand_error err = {0};

    (void)state;
    given.heap_mb = 8;
    assert_int_equal(errand__limits_complete(&limits, &given, 0, &err), ERRAND_OK);
    assert_int_equal(limits.heap_mb, 8);
    assert_int_equal(limits.rss_mb, 64);
    given.heap_mb = UINT64_C(1) << 22;
    assert_int_equal(errand__limits_complete(&limits, &given, 0, &err), ERRAND_OK);
    assert_int_equal(limits.rss_mb, UINT64_C(1) << 22);
    given.heap_mb = UINT64_MAX - 1;
    assert_int_equal(errand__limits_complete(&limits, &given, 0, &err), ERRAND_EINVAL);
    assert_non_null(strstr(err.text, "heap_mb must be from 8"));
}

/* --- Structs by size ------------------------------------------------------------------- */

static void test_options__a_newer_struct_passes_while_its_tail_is_zero(void **state)
{
    struct {
        errand_limits known;
        uint64_t unknown;
    } newer = {.known = ERRAND_LIMITS_INIT};
    errand_limits limits = ERRAND_LIMITS_INIT;
    errand_error err = {0};

    (void)state;
    newer.known.size = sizeof(newer);
    newer.known.wall_ms = 5;
    assert_int_equal(errand__sized_copy(&limits, sizeof(limits), &newer, "limits", &err),
                     ERRAND_OK);
    assert_int_equal(limits.wall_ms, 5);
    assert_int_equal(limits.size, sizeof(limits));
    newer.unknown = 1;
    assert_int_equal(errand__sized_copy(&limits, sizeof(limits), &newer, "limits", &err),
                     ERRAND_ENOSYS);
}

static void test_options__no_size_is_refused(void **state)
{
    errand_limits given = {0};
    errand_limits limits = ERRAND_LIMITS_INIT;
    errand_error err = {0};

    (void)state;
    assert_int_equal(errand__sized_copy(&limits, sizeof(limits), &given, "limits", &err),
                     ERRAND_EINVAL);
    assert_non_null(strstr(err.text, "_INIT"));
}

/* --- Misuse ---------------------------------------------------------------------------- */

static void refuses_plan(const errand_run_options *options, const char *words)
{
    struct plan plan;
    errand_error err = {0};

    assert_int_equal(errand__plan_init(&plan, options, 0, &err), ERRAND_EINVAL);
    if (strstr(err.text, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", err.text, words);
}

static void refuses_space(errand_namespace space, const char *words)
{
    errand_run_options options = ERRAND_RUN_OPTIONS_INIT;

    options.namespaces = &space;
    options.namespaces_count = 1;
    refuses_plan(&options, words);
}

static const char *const one_function[] = {"f", NULL};

static void test_options__namespaces_that_cannot_be(void **state)
{
    const char *const twice[] = {"a", "b", "a", NULL};
    const char *const empty[] = {"", NULL};
    const char *const torn[] = {"a\xe2\x82", NULL};
    const char *const renamed[] = {"then_", "then", NULL};

    (void)state;
    refuses_space((errand_namespace){.name = "1x", .functions = one_function},
                  "not a usable identifier");
    refuses_space((errand_namespace){.name = "a-b", .functions = one_function},
                  "not a usable identifier");
    refuses_space((errand_namespace){.name = "", .functions = one_function},
                  "not a usable identifier");
    refuses_space((errand_namespace){.name = NULL, .functions = one_function},
                  "not a usable identifier");
    refuses_space((errand_namespace){.name = "class", .functions = one_function}, "reserved word");
    refuses_space((errand_namespace){.name = "await", .functions = one_function}, "reserved word");
    refuses_space((errand_namespace){.name = "console", .functions = one_function},
                  "shadow a global");
    refuses_space((errand_namespace){.name = "process", .functions = one_function},
                  "shadow a global");
    refuses_space((errand_namespace){.name = "fetch", .functions = one_function},
                  "shadow a global");
    refuses_space((errand_namespace){.name = "signal", .functions = one_function},
                  "shadow a global");
    refuses_space(
        (errand_namespace){.name = "t", .functions = one_function, .error_class = "Error"},
        "shadow a global");
    refuses_space((errand_namespace){.name = "t", .functions = one_function, .error_class = "t"},
                  "one name");
    refuses_space(
        (errand_namespace){.name = "t", .functions = one_function, .error_member = "stack"},
        "not usable");
    refuses_space((errand_namespace){.name = "t", .functions = one_function, .error_member = "a b"},
                  "not usable");
    refuses_space((errand_namespace){.name = "t", .functions = twice},
                  "two functions are called a");
    refuses_space((errand_namespace){.name = "t", .functions = renamed},
                  "two functions are called then_");
    refuses_space((errand_namespace){.name = "t", .functions = empty}, "1 to 256 bytes");
    refuses_space((errand_namespace){.name = "t", .functions = torn}, "not UTF-8");
}

static void test_options__two_namespaces_of_one_name(void **state)
{
    const errand_namespace spaces[] = {{.name = "t", .functions = one_function},
                                       {.name = "t", .functions = one_function}};
    const errand_namespace crossed[] = {
        {.name = "Bad", .functions = one_function},
        {.name = "u", .functions = one_function, .error_class = "Bad"}};
    errand_run_options options = ERRAND_RUN_OPTIONS_INIT;

    (void)state;
    options.namespaces_count = 2;
    options.namespaces = spaces;
    refuses_plan(&options, "duplicate namespace \"t\"");
    options.namespaces = crossed;
    refuses_plan(&options, "one name");
}

static void test_options__programs_and_env_that_cannot_be(void **state)
{
    const char *const nameless[] = {"=x", NULL};
    const char *const valueless[] = {"SECRET_x", NULL};
    errand_run_options options = ERRAND_RUN_OPTIONS_INIT;

    (void)state;
    refuses_plan(NULL, "run options: none were given");
    options.program = span_of(NULL, 1);
    refuses_plan(&options, "no bytes at its pointer");
    options.program = SPAN_LITERAL("return 1");
    options.namespaces_count = 1;
    refuses_plan(&options, "namespaces: 1, but none at their pointer");
    options.namespaces_count = 0;
    options.program = SPAN_LITERAL("return \"\xff\"");
    refuses_plan(&options, "not UTF-8 at byte 8");
    options.program = SPAN_LITERAL("return 1");
    options.env = nameless;
    refuses_plan(&options, "env: entry 1 is not NAME=VALUE");
    options.env = valueless;
    refuses_plan(&options, "env: entry 1 is not NAME=VALUE");
    options.env = NULL;
    options.language = (errand_language)7;
    refuses_plan(&options, "no such language");
}

static void test_options__a_plan_owns_what_it_was_given(void **state)
{
    char function[] = "weather";
    char program[] = "return 1";
    const char *functions[] = {function, "__proto__", NULL};
    const errand_namespace space = {.name = "tools", .functions = functions};
    errand_run_options options = ERRAND_RUN_OPTIONS_INIT;
    struct plan plan;
    errand_error err = {0};

    (void)state;
    options.program = span_text(program);
    options.namespaces = &space;
    options.namespaces_count = 1;
    assert_int_equal(errand__plan_init(&plan, &options, 0, &err), ERRAND_OK);
    memset(function, 'x', sizeof(function) - 1);
    memset(program, 'x', sizeof(program) - 1);
    assert_string_equal(plan.program, "return 1");
    assert_string_equal(plan.spaces[0].functions[0], "weather");
    assert_string_equal(plan.extras[0].error_class, "ToolError");
    assert_int_equal(plan.spaces[0].functions_count, 2);
    errand__plan_deinit(&plan);
}

static void test_options__what_is_not_run_needs_nothing_to_call(void **state)
{
    const errand_namespace space = {.name = "tools", .functions = one_function};
    const char *env[] = {"SECRET=x", NULL};
    errand_run_options options = ERRAND_RUN_OPTIONS_INIT;
    struct plan plan;
    errand_error err = {0};
    char *boot = NULL;
    size_t boot_len = 0;

    (void)state;
    options.program = SPAN_LITERAL("return 1");
    options.namespaces = &space;
    options.namespaces_count = 1;
    options.env = env;
    options.input = SPAN_LITERAL("\"secret\"");
    options.store = SPAN_LITERAL("{\"secret\":1}");
    options.check_only = 1;
    assert_int_equal(errand__plan_init(&plan, &options, 0, &err), ERRAND_OK);
    assert_int_equal(errand__plan_boot(&plan, &boot, &boot_len, &err), ERRAND_OK);
    assert_non_null(memmem(boot, boot_len, "\"check\":true", 12));
    assert_non_null(memmem(boot, boot_len, "\"spaces\":[]", 11));
    assert_null(memmem(boot, boot_len, "SECRET", 6));
    assert_null(memmem(boot, boot_len, "secret", 6));
    errand__mem_free(boot);
    errand__plan_deinit(&plan);

    env[0] = "SECRET";
    assert_int_equal(errand__plan_init(&plan, &options, 0, &err), ERRAND_EINVAL);
}

static void test_options__no_memory_leaves_nothing(void **state)
{
    static const errand_about about = {"Words.", "{\"properties\":{\"a\":{}}}", "true"};
    const errand_namespace space = {.name = "tools", .functions = one_function, .abouts = &about};
    errand_run_options options = ERRAND_RUN_OPTIONS_INIT;
    errand_status status = ERRAND_ENOMEM;
    long allowed = 0;

    (void)state;
    options.program = SPAN_LITERAL("return 1");
    options.namespaces = &space;
    options.namespaces_count = 1;
    for (; status == ERRAND_ENOMEM; allowed++) {
        struct plan plan;
        errand_error err = {0};
        errand__mem_countdown = allowed;
        status = errand__plan_init(&plan, &options, 0, &err);
        errand__mem_countdown = -1;
        if (status == ERRAND_OK)
            errand__plan_deinit(&plan);
    }
    assert_int_equal(status, ERRAND_OK);
    assert_true(allowed > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options__limits_by_name),
        cmocka_unit_test(test_options__bad_limits_are_named),
        cmocka_unit_test(test_options__a_limit_beyond_an_older_struct_is_refused),
        cmocka_unit_test(test_options__zero_is_the_default),
        cmocka_unit_test(test_options__defaults_follow_what_was_given),
        cmocka_unit_test(test_options__a_derived_limit_stays_in_its_range),
        cmocka_unit_test(test_options__a_newer_struct_passes_while_its_tail_is_zero),
        cmocka_unit_test(test_options__no_size_is_refused),
        cmocka_unit_test(test_options__namespaces_that_cannot_be),
        cmocka_unit_test(test_options__two_namespaces_of_one_name),
        cmocka_unit_test(test_options__programs_and_env_that_cannot_be),
        cmocka_unit_test(test_options__a_plan_owns_what_it_was_given),
        cmocka_unit_test(test_options__what_is_not_run_needs_nothing_to_call),
        cmocka_unit_test(test_options__no_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
