/* Tools as commands: what they get, what becomes of what they say, and that none outlives its
 * run. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CATCH(call) "try { " call "; return 0 } catch (e) { return e.message }"

static const struct line_case answers[] = {
    {"its argument on standard input", "$E run --tool a=cat -e 'return tools.a({b: [1, \"x\"]})'",
     NULL, 0, "^\\{\"b\":\\[1,\"x\"\\]\\}\n$", ""},
    {"no argument: nothing", "$E run --tool 'a=wc -c' -e 'return tools.a()'", NULL, 0, "^0\n$", ""},
    {"no answer: undefined", "$E run --tool a=true -e 'return typeof await tools.a(1)'", NULL, 0,
     "^\"undefined\"\n$", ""},
    {"blanks are no answer", "$E run --tool a=echo -e 'return typeof await tools.a(1)'", NULL, 0,
     "^\"undefined\"\n$", ""},
    {"blanks around an answer", "$E run --tool 'a=printf \"\\n 7 \\n\"' -e 'return tools.a(1)'",
     NULL, 0, "^7\n$", ""},
    {"the caller's environment", "A=b $E run --tool 'a=printf %s \\\"$A\\\"' -e 'return tools.a()'",
     NULL, 0, "^\"b\"\n$", ""},
    {"the caller's folder", "echo 5 >five; $E run --tool 'a=cat five' -e 'return tools.a()'", NULL,
     0, "^5\n$", ""},
    {"another namespace", "$E run --tool mail.send=cat -e 'return mail.send(1)'", NULL, 0, "^1\n$",
     ""},
    {"a dot behind the first", "$E run --tool a.b.c=cat -e 'return a[\"b.c\"](1)'", NULL, 0,
     "^1\n$", ""},
    {"a name that is no identifier", "$E run --tool 'do it=cat' -e 'return tools[\"do it\"](1)'",
     NULL, 0, "^1\n$", ""},
    {"names of Object",
     "$E run --tool toString=cat --tool constructor=cat -e "
     "'return [await tools.toString(1), await tools.constructor(2)]'",
     NULL, 0, "^\\[1,2\\]\n$", ""},
    {"large both ways", "$E run --tool a=cat -e 'return (await tools.a(\"x\".repeat(5e6))).length'",
     NULL, 0, "^5000000\n$", ""},
    {"a large argument that nobody reads",
     "$E run --tool 'a=echo 1' -e 'return tools.a(\"x\".repeat(5e6))'", NULL, 0, "^1\n$", ""},
    {"standard error is kept to itself",
     "$E run --tool 'a=echo hm >&2; echo 1' -e 'return tools.a()'", NULL, 0, "^1\n$", ""},
    {"a number that no double holds", "$E run --tool 'a=echo 1e400' -e 'return tools.a()'", NULL, 1,
     "", NULL},

    {"exit 7",
     "$E run --tool 'a=echo first >&2; echo bad >&2; exit 7' -e '" CATCH("await tools.a()") "'",
     NULL, 0, "^\"a: exit code 7: first\\\\nbad\"\n$",
     "^errand: tool a: exit code 7: first\nbad\n$"},
    {"exit 7, quiet", "$E run --quiet --tool 'a=exit 7' -e '" CATCH("await tools.a()") "'", NULL, 0,
     "^\"a: exit code 7\"\n$", ""},
    {"exit 7, not caught", "$E run --tool 'a=exit 7' -e 'await tools.a()'", NULL, 1, "",
     "ToolError: a: exit code 7"},
    {"data of a failure",
     "$E run --tool 'a=exit 7' -e 'try { await tools.a() } catch (e) { return [e.code, e.data, "
     "e.tool] }'",
     NULL, 0, "^\\[\"tool_failed\",\\{\"exit_code\":7\\},\"a\"\\]\n$", NULL},
    {"a long complaint is cut",
     "$E run --quiet --tool 'a=seq 1 5000 >&2; exit 1' -e 'try { await "
     "tools.a() } catch (e) { return [e.message.length < 5000, "
     "e.message.endsWith(\"5000\"), e.message.includes(\"...\")] }'",
     NULL, 0, "^\\[true,true,true\\]\n$", ""},
    {"a complaint that is no UTF-8",
     "$E run --quiet --tool 'a=printf \"\\377\\000x\" >&2; exit 1' -e '" CATCH(
         "await tools.a()") "'",
     NULL, 0, "^\"a: exit code 1: \xef\xbf\xbd\xef\xbf\xbdx\"\n$", ""},
    {"a signal", "$E run --quiet --tool 'a=kill -9 $$' -e '" CATCH("await tools.a()") "'", NULL, 0,
     "^\"a: ended by signal 9 \\(SIGKILL\\)\"\n$", ""},
    {"no such command", "$E run --quiet --tool a=no-such-command -e '" CATCH("await tools.a()") "'",
     NULL, 0, "^\"a: exit code 127: .*not found\"\n$", ""},
    {"no JSON", "$E run --quiet --tool 'a=echo hello' -e '" CATCH("await tools.a()") "'", NULL, 0,
     "^\"a: printed what is no JSON text: hello\"\n$", ""},
    {"two JSON texts", "$E run --quiet --tool 'a=echo 1; echo 2' -e '" CATCH("await tools.a()") "'",
     NULL, 0, "no JSON text", ""},
    {"much that is no JSON",
     "$E run --quiet --tool 'a=seq 1 5000' -e 'try { await tools.a() } "
     "catch (e) { return e.message.length < 400 }'",
     NULL, 0, "^true\n$", ""},
    {"more than a frame",
     "$E run --quiet --limit output=1KiB --limit frame=10KiB "
     "--tool 'a=head -c 20000 /dev/zero' -e '" CATCH("await tools.a()") "'",
     NULL, 0, "^\"a: the answer is over frame_bytes\"\n$", ""},
    {"for ever more",
     "$E run --quiet --limit output=1KiB --limit frame=1MiB --tool a=yes -e '" CATCH(
         "await tools.a()") "'",
     NULL, 0, "over frame_bytes", ""},
    {"over the time of a call",
     "$E run --limit call=300ms --tool 'a=sleep 60' -e "
     "'try { await tools.a() } catch (e) { return e.code }'",
     NULL, 0, "^\"call_timeout\"\n$", ""},
    {"a name that is not there", "$E run --tool weather=cat -e 'return tools.wether(1)'", NULL, 1,
     "", "^errand: "},
    {"asking where nobody is",
     "setsid $E run --tool a=cat --ask a -e "
     "'try { await tools.a() } catch (e) { return e.code }'",
     NULL, 0, "^\"approval_denied\"\n$", NULL},
};

static void test_tools__what_they_say(void **state)
{
    (void)state;
    run_cases(answers, sizeof(answers) / sizeof(answers[0]));
}

static const struct line_case folders[] = {
    {"a shell script, a node script, a file without #!",
     "mkdir t; printf '#!/bin/sh\\ncat\\n' >t/echo; printf '#!/usr/bin/env node\\n"
     "process.stdout.write(\"2\")' >t/two.mjs; printf 'echo 3\\n' >t/three.sh; chmod +x t/*; "
     "echo '{\"description\":\"says it again\"}' >t/echo.json; echo words >t/README.md; "
     "$E run --tools t -e 'return [await tools.echo(1), await tools.two(), await tools.three()]'",
     NULL, 0, "^\\[1,2,3\\]\n$", ""},
    {"with a namespace",
     "mkdir n; printf '#!/bin/sh\\ncat\\n' >n/mail.send; chmod +x n/*; "
     "$E run --tools n --tool a=cat -e 'return mail.send(await tools.a(1))'",
     NULL, 0, "^1\n$", ""},
    {"an interpreter that is not there",
     "mkdir i; printf '#!/no/such/thing\\n' >i/a; chmod +x i/a; "
     "$E run --quiet --tools i -e '" CATCH("await tools.a()") "'",
     NULL, 0, "^\"a does not start: No such file or directory\"\n$", ""},
    {"no descriptor left for it",
     "ulimit -n 64; $E run --quiet --jobs 64 --tool 'a=sleep 1; echo 1' -e 'const all = await "
     "Promise.allSettled(Array.from({length: 40}, () => tools.a())); "
     "return [...new Set(all.map((one) => one.reason?.message ?? one.value))]'",
     NULL, 0, "^\\[1,\"a does not start: Too many open files\"\\]\n$", ""},
    {"the examples", "$E run --tools \"$EXAMPLES/tools\" \"$EXAMPLES/first.js\"", NULL, 0,
     "^\\{.+\\}\n$", NULL},
    {"the examples in TypeScript", "$E run --tools \"$EXAMPLES/tools\" \"$EXAMPLES/typed.ts\"",
     NULL, 0, "^\\{.+\\}\n$", NULL},
};

static void test_tools__folders(void **state)
{
    (void)state;
    run_cases(folders, sizeof(folders) / sizeof(folders[0]));
}

/* Each writes when it began and ended, so that overlaps can be counted whatever else this
 * machine has to do. */
static size_t most_at_once(const char *options)
{
    char line[512];
    size_t now = 0;
    size_t most = 0;

    (void)snprintf(line, sizeof(line),
                   "rm -f steps; $E run %s --tool 'a=echo b >>steps; sleep 0.4; echo e >>steps' -e "
                   "'await Promise.all(Array.from({length: 20}, () => tools.a()))'",
                   options);
    struct result result = command(line);
    assert_int_equal(result.code, 0);
    result_free(&result);
    char *steps = read_file("steps");
    assert_int_equal(strlen(steps), 80);
    for (const char *at = steps; *at != '\0'; at += 2) {
        now += *at == 'b' ? 1 : 0;
        now -= *at == 'e' ? 1 : 0;
        most = now > most ? now : most;
    }
    free(steps);
    return most;
}

static void test_tools__run_at_once_as_many_as_said(void **state)
{
    (void)state;
    assert_int_equal(most_at_once("--jobs 1"), 1);
    assert_int_equal(most_at_once("--jobs 3"), 3);
    assert_in_range(most_at_once(""), 8, 16);
    assert_nothing_left(2000);
}

static void test_tools__the_first_come_first(void **state)
{
    (void)state;
    struct result result =
        command("$E run --jobs 1 --tool 'a=cat >>order' -e "
                "'await Promise.all(Array.from({length: 30}, (_, i) => tools.a(i)))' && cat order");

    assert_int_equal(result.code, 0);
    assert_string_equal(result.out, "01234567891011121314151617181920212223242526272829");
    result_free(&result);
}

/* Its own exit counts; what still holds the pipe is waited for a moment only. */
static void test_tools__a_held_pipe_does_not_hold_the_call(void **state)
{
    (void)state;
    struct result result = command("$E run --tool 'a=sleep 30 & echo 5' -e 'return tools.a()'");

    assert_int_equal(result.code, 0);
    assert_string_equal(result.out, "5\n");
    assert_true(result.took_ms < 10000);
    result_free(&result);
    assert_nothing_left(2000);
}

static const struct line_case ends[] = {
    {"one that hangs, and the wall",
     "$E run --limit wall=1500ms --tool 'a=sleep 60' -e 'return tools.a()'", NULL, 3, "",
     "wall_ms"},
    {"one that does not want to go",
     "$E run --limit wall=1500ms --tool 'a=trap \"\" TERM; while :; do sleep 1; done' -e "
     "'return tools.a()'",
     NULL, 3, "", "wall_ms"},
    {"with children of its own",
     "$E run --limit wall=1500ms --tool 'a=sleep 60 & sleep 60 & wait' -e 'return tools.a()'", NULL,
     3, "", "wall_ms"},
    {"one that the program did not wait for",
     "$E run --tool 'a=sleep 60' -e 'void tools.a(); await new Promise(r => setTimeout(r, 200)); "
     "return 1'",
     NULL, 0, "^1\n$", NULL},
    {"many that wait for room",
     "$E run --jobs 2 --limit wall=1500ms --tool 'a=sleep 60' -e "
     "'await Promise.all(Array.from({length: 50}, () => tools.a()))'",
     NULL, 3, "", "wall_ms"},
};

static void test_tools__end_with_their_run(void **state)
{
    (void)state;
    run_cases(ends, sizeof(ends) / sizeof(ends[0]));
}

static void test_tools__get_their_signals_back(void **state)
{
    (void)state;
    struct result result =
        command("$E run --tool 'a=grep -E \"^Sig(Blk|Ign)\" /proc/self/status | tr -d \"\\n\\t\" | "
                "sed \"s/.*/\\\"&\\\"/\"' -e 'return tools.a()'");
    struct result plain = command("grep -E '^Sig(Blk|Ign)' /proc/self/status | tr -d '\\n\\t'");
    char wanted[512];

    (void)snprintf(wanted, sizeof(wanted), "\"%s\"\n", plain.out);
    assert_int_equal(result.code, 0);
    assert_string_equal(result.out, wanted);
    result_free(&result);
    result_free(&plain);
}

/* None but those that the command was started with, whatever these are. */
static void test_tools__get_no_descriptors_of_ours(void **state)
{
    (void)state;
    struct result result = command("$E run --record r.rec --tool 'a=ls /proc/self/fd | wc -l' -e "
                                   "'return Promise.all([tools.a(), tools.a(), tools.a()])'");
    struct result plain = command("n=$(ls /proc/self/fd | wc -l); echo \"[$n,$n,$n]\"");

    assert_int_equal(result.code, 0);
    assert_string_equal(result.out, plain.out);
    result_free(&result);
    result_free(&plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tools__what_they_say),
        cmocka_unit_test(test_tools__folders),
        cmocka_unit_test(test_tools__run_at_once_as_many_as_said),
        cmocka_unit_test(test_tools__the_first_come_first),
        cmocka_unit_test(test_tools__a_held_pipe_does_not_hold_the_call),
        cmocka_unit_test(test_tools__end_with_their_run),
        cmocka_unit_test(test_tools__get_their_signals_back),
        cmocka_unit_test(test_tools__get_no_descriptors_of_ours),
    };
    return cmocka_run_group_tests(tests, command_setup, command_teardown);
}
