/* --json: each line an object of a known kind, in order; and a record says it all again. */
#include "command.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every line of text as an array of objects. */
static json_t *lines_of(const char *text)
{
    json_t *lines = json_array();

    while (*text != '\0') {
        size_t len = strcspn(text, "\n");
        json_error_t why;
        json_t *line = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);
        if (line == NULL || !json_is_object(line))
            fail_msg("no object: %.*s: %s", (int)len, text, why.text);
        assert_int_equal(json_array_append_new(lines, line), 0);
        assert_int_equal(text[len], '\n');
        text += len + 1;
    }
    return lines;
}

static json_t *events(const char *line, int code, const char *err)
{
    struct result result = command(line);

    if (result.code != code)
        fail_msg("exit %d, not %d: %s%s", result.code, code, result.out, result.err);
    assert_string_equal(result.err, err);
    json_t *lines = lines_of(result.out);
    result_free(&result);
    assert_nothing_left(2000);
    return lines;
}

static const char *kind_of(const json_t *lines, size_t index)
{
    const json_t *line = json_array_get(lines, index);

    assert_non_null(line);
    assert_true(json_is_integer(json_object_get(line, "at_ms")));
    return json_string_value(json_object_get(line, "event"));
}

static json_t *end_of(const json_t *lines)
{
    size_t count = json_array_size(lines);

    assert_true(count > 0);
    assert_string_equal(kind_of(lines, count - 1), "end");
    for (size_t i = 0; i + 1 < count; i++)
        assert_string_not_equal(kind_of(lines, i), "end");
    return json_array_get(lines, count - 1);
}

static void assert_member(const json_t *object, const char *name, const char *wanted)
{
    const json_t *member = json_object_get(object, name);
    char *text =
        member == NULL ? strdup("(none)") : json_dumps(member, JSON_ENCODE_ANY | JSON_COMPACT);

    assert_non_null(text);
    if (strcmp(text, wanted) != 0)
        fail_msg("%s is %s, not %s", name, text, wanted);
    free(text);
}

static void test_json__events_in_the_order_of_things(void **state)
{
    static const char *const order[] = {"log", "call", "reply", "log", "call", "reply", "end"};
    (void)state;
    json_auto_t *lines =
        events("$E run --json --tool a=cat --tool 'mail.b=exit 3' -e '"
               "console.log(\"one\\ntwo\"); const x = await tools.a({y: 1}); console.warn(x);"
               "try { await mail.b() } catch {} return x'",
               0, "");

    assert_int_equal(json_array_size(lines), 7);
    for (size_t i = 0; i < 7; i++)
        assert_string_equal(kind_of(lines, i), order[i]);
    assert_member(json_array_get(lines, 0), "level", "\"log\"");
    assert_member(json_array_get(lines, 0), "text", "\"one\\ntwo\"");
    assert_member(json_array_get(lines, 1), "id", "1");
    assert_member(json_array_get(lines, 1), "tool", "\"a\"");
    assert_member(json_array_get(lines, 1), "args", "{\"y\":1}");
    assert_member(json_array_get(lines, 2), "ok", "true");
    assert_member(json_array_get(lines, 2), "value", "{\"y\":1}");
    assert_true(json_is_integer(json_object_get(json_array_get(lines, 2), "ms")));
    assert_member(json_array_get(lines, 3), "level", "\"warn\"");
    assert_member(json_array_get(lines, 4), "tool", "\"mail.b\"");
    assert_member(json_array_get(lines, 4), "args", "(none)");
    assert_member(json_array_get(lines, 5), "ok", "false");
    assert_member(json_array_get(lines, 5), "error",
                  "{\"message\":\"mail.b: exit code 3\",\"code\":\"tool_failed\"}");
}

static void test_json__end_tells_all(void **state)
{
    static const char *const times[] = {"open_ms",    "boot_ms", "run_ms",
                                        "waiting_ms", "held_ms", "drain_ms"};
    (void)state;
    json_auto_t *lines = events("$E run --json --tool a=cat -e 'return tools.a(7)'", 0, "");
    const json_t *end = end_of(lines);
    const json_t *call = json_array_get(json_object_get(end, "calls"), 0);

    assert_member(end, "kind", "\"value\"");
    assert_member(end, "code", "\"\"");
    assert_member(end, "value", "7");
    assert_member(end, "error", "(none)");
    assert_member(end, "limit", "(none)");
    assert_member(end, "warnings", "[]");
    assert_member(end, "outcome_unknown", "false");
    assert_member(end, "retryable", "false");
    assert_member(end, "retry_after_ms", "0");
    assert_member(end, "process_may_be_running", "false");
    assert_member(end, "abandoned", "false");
    assert_member(end, "exit", "0");
    assert_member(end, "calls_total", "1");
    assert_member(call, "tool", "\"a\"");
    assert_member(call, "status", "\"ok\"");
    assert_member(call, "args_bytes", "1");
    assert_true(json_is_object(json_object_get(end, "stats")));
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        assert_true(json_is_real(json_object_get(json_object_get(end, "timing"), times[i])));
}

static void test_json__end_without_a_value(void **state)
{
    (void)state;
    json_auto_t *lines = events("$E run --json -e ''", 0, "");
    const json_t *end = end_of(lines);

    assert_int_equal(json_array_size(lines), 1);
    assert_member(end, "kind", "\"value\"");
    assert_member(end, "value", "(none)");
}

static void test_json__end_of_an_exception(void **state)
{
    (void)state;
    json_auto_t *lines = events("printf '\\n  null.x' | $E run --json -", 1, "");
    const json_t *end = end_of(lines);
    const json_t *error = json_object_get(end, "error");

    assert_member(end, "kind", "\"exception\"");
    assert_member(end, "exit", "1");
    assert_member(end, "value", "(none)");
    assert_member(error, "name", "\"TypeError\"");
    assert_member(error, "line", "2");
    assert_true(json_integer_value(json_object_get(error, "column")) > 0);
    assert_true(json_is_string(json_object_get(error, "message")));
    assert_true(json_is_string(json_object_get(error, "stack")));
}

static void test_json__end_of_a_limit(void **state)
{
    (void)state;
    json_auto_t *lines =
        events("$E run --json --limit wall=2s --tool 'a=sleep 60' -e 'await tools.a()'", 3, "");
    const json_t *end = end_of(lines);

    assert_member(end, "kind", "\"timeout\"");
    assert_member(end, "limit", "\"wall_ms\"");
    assert_member(end, "exit", "3");
    assert_member(json_array_get(json_object_get(end, "calls"), 0), "status", "\"cancelled\"");
}

static void test_json__a_place_that_fails_is_an_end_too(void **state)
{
    (void)state;
    json_auto_t *lines = events("$E run --json --on exec:/no/such/command -e 1", 4, "");

    assert_member(end_of(lines), "kind", "\"worker-exit\"");
    assert_member(end_of(lines), "exit", "4");
}

static void test_json__a_place_that_does_not_open_is_an_end_too(void **state)
{
    (void)state;
    json_auto_t *lines =
        events("env -u E2B_API_KEY -u E2B_DEBUG $E run --json --on e2b://base -e 1", 4, "");
    const json_t *end = end_of(lines);

    assert_int_equal(json_array_size(lines), 1);
    assert_member(end, "kind", "\"worker-exit\"");
    assert_member(end, "code", "\"auth_failed\"");
    assert_member(end, "exit", "4");
    assert_member(end, "error",
                  "{\"message\":\"e2b: there is no key: set E2B_API_KEY to that of your "
                  "account\"}");
}

static void test_json__noise_is_an_event_of_its_own(void **state)
{
    (void)state;
    json_auto_t *lines = events("$E run --json -e 'const c = await import(\"node:child_process\"); "
                                "c.execSync(\"printf \\\"\\\\377\\\" >&2\", {stdio: \"inherit\"})'",
                                0, "");

    assert_string_equal(kind_of(lines, 0), "noise");
    assert_member(json_array_get(lines, 0), "text", "\"\xef\xbf\xbd\"");
}

/* A far side may lay its arguments out over many lines; home still writes one. */
static void test_json__line_breaks_in_a_payload_stay_on_the_line(void **state)
{
    (void)state;
    json_auto_t *lines =
        events("$E run --json --tool a=cat -e '"
               "(await import(\"node:fs\")).writeSync(4, \"call 1 0 0 9\\n[1,\\n\\r\\n2]\\n"
               "\\ndone ok 3\\n[\\n]\\n\"); await new Promise(() => {})'",
               0, "");

    assert_member(json_array_get(lines, 0), "args", "[1,2]");
    assert_member(end_of(lines), "value", "[]");
}

static void drop_times(json_t *lines)
{
    size_t index = 0;
    json_t *line = NULL;

    json_array_foreach(lines, index, line)
    {
        (void)json_object_del(line, "at_ms");
        (void)json_object_del(line, "ms");
    }
}

static void test_json__a_replay_says_it_again(void **state)
{
    (void)state;
    json_auto_t *run =
        events("$E run --json --record a.rec --tool a=cat --tool 'b=echo no >&2; exit 1' "
               "--tool 'c=sleep 60' --limit call=500ms -e '"
               "console.log(\"hello\"); await Promise.all([1, 2, 3].map(tools.a));"
               "try { await tools.b(\"x\") } catch (e) { console.error(e.message) }"
               "try { await tools.c() } catch (e) { console.error(e.code) }"
               "throw new Error(\"end\")'",
               1, "");
    json_auto_t *again = events("$E replay --json a.rec", 1, "");

    drop_times(run);
    drop_times(again);
    char *first = json_dumps(run, JSON_INDENT(1));
    char *second = json_dumps(again, JSON_INDENT(1));
    assert_string_equal(first, second);
    free(first);
    free(second);
}

static void assert_same_for_people(const char *options, int code)
{
    char line[1024];

    (void)snprintf(line, sizeof(line), "$E run --record b.rec %s", options);
    struct result run = command(line);
    struct result again = command("$E replay b.rec");
    assert_int_equal(run.code, code);
    assert_int_equal(again.code, code);
    assert_string_equal(run.out, again.out);
    assert_string_equal(run.err, again.err);
    result_free(&run);
    result_free(&again);
}

static void test_json__a_replay_says_it_again_to_people(void **state)
{
    (void)state;
    assert_same_for_people("--tool a=cat -e 'console.log(1); return tools.a({b: 2})'", 0);
    assert_same_for_people("-e 'return undefined'", 0);
    assert_same_for_people("--limit wall=300ms -e 'await new Promise(r => setTimeout(r, 9000))'",
                           3);
    assert_same_for_people("--on exec:false -e 1", 4);
    assert_same_for_people("-e '(await import(\"node:fs\")).writeSync(4, \"garbage\\n\"); "
                           "await new Promise(() => {})'",
                           5);
    assert_nothing_left(2000);
}

static void test_json__a_record_is_its_owners_alone(void **state)
{
    (void)state;
    struct result result = command("umask 0; $E run --record m.rec -e 1 && stat -c %a m.rec; "
                                   ": >n.rec; chmod 666 n.rec; $E run --record n.rec -e 1 && "
                                   "stat -c %a n.rec; head -c 12 n.rec");

    assert_int_equal(result.code, 0);
    assert_true(matches(result.out, "^600\n600\nerrand-recor"));
    result_free(&result);
}

static void test_json__a_cut_record_says_where(void **state)
{
    (void)state;
    struct result result = command("$E run --record c.rec -e 'console.log(1)' 2>/dev/null; "
                                   "head -c -20 c.rec >d.rec; $E replay d.rec");

    assert_int_equal(result.code, 2);
    assert_true(matches(result.err, "errand: record: line [0-9]+: "));
    result_free(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json__events_in_the_order_of_things),
        cmocka_unit_test(test_json__end_tells_all),
        cmocka_unit_test(test_json__end_without_a_value),
        cmocka_unit_test(test_json__end_of_an_exception),
        cmocka_unit_test(test_json__end_of_a_limit),
        cmocka_unit_test(test_json__a_place_that_fails_is_an_end_too),
        cmocka_unit_test(test_json__a_place_that_does_not_open_is_an_end_too),
        cmocka_unit_test(test_json__noise_is_an_event_of_its_own),
        cmocka_unit_test(test_json__line_breaks_in_a_payload_stay_on_the_line),
        cmocka_unit_test(test_json__a_replay_says_it_again),
        cmocka_unit_test(test_json__a_replay_says_it_again_to_people),
        cmocka_unit_test(test_json__a_record_is_its_owners_alone),
        cmocka_unit_test(test_json__a_cut_record_says_where),
    };
    return cmocka_run_group_tests(tests, command_setup, command_teardown);
}
