/* The error object of done: what an honest runner could have sent, and what not. */
#include "test.h"

#include "core/fault.h"
#include "core/json.h"

#include <stdlib.h>

static bool reads(const char *json, struct fault *out)
{
    const char *why = NULL;

    assert_true(errand__json_valid(span_text(json), NULL));
    bool ok = errand__fault_read(span_text(json), out, &why);
    assert_int_equal(ok, why == NULL);
    return ok;
}

static void test_fault__all_members(void **state)
{
    struct fault fault;
    (void)state;

    assert_true(reads("{\"kind\":\"exception\",\"code\":\"type_error\",\"name\":\"TypeError\","
                      "\"message\":\"m\",\"stack\":\"TypeError: m\",\"line\":3,\"column\":14,"
                      "\"hint\":\"h\",\"more\":{\"kind\":\"abort\"}}",
                      &fault));
    assert_int_equal(fault.kind, ERRAND_KIND_EXCEPTION);
    assert_string_equal(fault.code, "type_error");
    assert_null(fault.limit);
    assert_span(fault.name, "\"TypeError\"");
    assert_span(errand__fault_text(&fault), "\"TypeError: m\"");
    assert_span(fault.hint, "\"h\"");
    assert_int_equal(fault.line, 3);
    assert_int_equal(fault.column, 14);
}

static void test_fault__the_text_is_stack_else_message(void **state)
{
    struct fault fault;
    (void)state;

    assert_true(reads("{\"kind\":\"exception\",\"message\":\"m\"}", &fault));
    assert_span(errand__fault_text(&fault), "\"m\"");
    assert_true(reads("{\"kind\":\"exception\",\"message\":\"m\",\"stack\":\"\"}", &fault));
    assert_span(errand__fault_text(&fault), "\"m\"");
    assert_true(reads("{\"kind\":\"exception\"}", &fault));
    assert_span(errand__fault_text(&fault), "\"\"");
}

static void test_fault__kinds_and_codes_belong_together(void **state)
{
    static const struct {
        const char *json;
        const char *code; /* NULL: refused. */
        const char *limit;
    } cases[] = {
        {"{\"kind\":\"exception\"}", "thrown", NULL},
        {"{\"kind\":\"exception\",\"code\":\"stalled\"}", "stalled", NULL},
        {"{\"kind\":\"worker-exit\"}", "runner_broken", NULL},
        {"{\"kind\":\"worker-exit\",\"code\":\"exited_early\",\"exit_code\":7}", "exited_early",
         NULL},
        {"{\"kind\":\"worker-exit\",\"code\":\"out_of_memory\"}", "out_of_memory", "heap_mb"},
        {"{\"kind\":\"worker-exit\",\"code\":\"out_of_memory\",\"limit\":\"rss_mb\"}",
         "out_of_memory", "rss_mb"},
        {"{\"kind\":\"worker-exit\",\"code\":\"out_of_memory\",\"limit\":\"wall_ms\"}", NULL, NULL},
        {"{\"kind\":\"exception\",\"limit\":\"heap_mb\"}", NULL, NULL},
        {"{\"kind\":\"timeout\"}", "compute_timeout", "compute_ms"},
        {"{\"kind\":\"timeout\",\"code\":\"compute_timeout\"}", "compute_timeout", "compute_ms"},
        {"{\"kind\":\"timeout\",\"code\":\"thrown\"}", NULL, NULL},
        {"{\"kind\":\"timeout\",\"code\":\"wall_timeout\"}", NULL, NULL},
        {"{\"kind\":\"exception\",\"code\":\"compute_timeout\"}", NULL, NULL},
        {"{\"kind\":\"invalid-output\"}", "invalid_output", NULL},
        {"{\"kind\":\"exception\",\"code\":\"invalid_output\"}", NULL, NULL},
        {"{\"kind\":\"output-limit\",\"code\":\"output_limit\"}", "output_limit", "output_bytes"},
        {"{\"kind\":\"abort\"}", "cancelled", NULL},
        {"{\"kind\":\"abort\",\"code\":\"lost\"}", NULL, NULL},
        {"{\"kind\":\"worker-exit\",\"code\":\"abandoned\"}", NULL, NULL},
        {"{\"kind\":\"worker-exit\",\"code\":\"protocol\"}", NULL, NULL},
        {"{\"kind\":\"value\"}", NULL, NULL},
        {"{\"kind\":\"exceptional\"}", NULL, NULL},
        {"{\"kind\":1}", NULL, NULL},
        {"{\"kind\":null}", NULL, NULL},
        {"{\"code\":\"thrown\"}", NULL, NULL},
        {"{}", NULL, NULL},
        {"[]", NULL, NULL},
        {"\"exception\"", NULL, NULL},
        {"null", NULL, NULL},
        {"{\"kind\":\"exception\",\"message\":1}", NULL, NULL},
        {"{\"kind\":\"exception\",\"stack\":null}", NULL, NULL},
        {"{\"kind\":\"exception\",\"line\":\"3\"}", NULL, NULL},
        {"{\"kind\":\"exception\",\"line\":-3}", NULL, NULL},
        {"{\"kind\":\"exception\",\"column\":4294967296}", NULL, NULL},
        {"{\"\\u006bind\":\"exce\\u0070tion\"}", "thrown", NULL},
        {"{\"kind\":\"abort\",\"kind\":\"exception\"}", "thrown", NULL},
    };
    struct fault fault;
    (void)state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        bool ok = reads(cases[i].json, &fault);
        if (ok != (cases[i].code != NULL))
            fail_msg("%s", cases[i].json);
        if (!ok)
            continue;
        assert_string_equal(fault.code, cases[i].code);
        assert_int_equal(fault.limit == NULL, cases[i].limit == NULL);
        if (fault.limit != NULL)
            assert_string_equal(fault.limit, cases[i].limit);
    }
}

static char *with_long(const char *member, size_t len, bool stack)
{
    char *json = malloc(len + 200);

    assert_non_null(json);
    char *at = stpcpy(json, "{\"kind\":\"exception\",\"");
    at = stpcpy(at, member);
    at = stpcpy(at, "\":\"");
    memset(at, 'x', len);
    (void)stpcpy(at + len, stack ? "\",\"stack\":\"s\"}" : "\"}");
    return json;
}

static void test_fault__texts_are_bounded_but_the_metered_one(void **state)
{
    static const struct {
        const char *member;
        bool stack, over;
    } cases[] = {{"name", false, false},
                 {"hint", false, false},
                 {"message", true, false},
                 {"message", false, true},
                 {"stack", false, true}};
    struct fault fault;
    (void)state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        char *json = with_long(cases[i].member, FAULT_STRING_MAX, cases[i].stack);
        assert_true(reads(json, &fault));
        free(json);
        json = with_long(cases[i].member, FAULT_STRING_MAX + 1, cases[i].stack);
        assert_int_equal(reads(json, &fault), cases[i].over);
        free(json);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fault__all_members),
        cmocka_unit_test(test_fault__the_text_is_stack_else_message),
        cmocka_unit_test(test_fault__kinds_and_codes_belong_together),
        cmocka_unit_test(test_fault__texts_are_bounded_but_the_metered_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
