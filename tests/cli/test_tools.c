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
     "^\"Internal tool error \\[[0-9a-f]{8}\\]\"\n$", ""},
    {"no such command", "$E run --quiet --tool a=no-such-command -e '" CATCH("await tools.a()") "'",
     NULL, 0, "^\"a: exit code 127: .*not found\"\n$", ""},
    {"no JSON", "$E run --quiet --tool 'a=echo hello' -e '" CATCH("await tools.a()") "'", NULL, 0,
     "^\"a: printed what is no JSON text: hello\"\n$", ""},
    {"two JSON texts", "$E run --quiet --tool 'a=echo 1; echo 2' -e '" CATCH("await tools.a()") "'",
     NULL, 0, "^\"a: printed more than one JSON text: 1 2\"\n$", ""},
    {"a JSON text and words",
     "$E run --quiet --tool 'a=echo 1; echo done' -e '" CATCH("await tools.a()") "'", NULL, 0,
     "^\"a: printed what is no JSON text: 1 done\"\n$", ""},
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
     NULL, 0, "^\"Internal tool error \\[[0-9a-f]{8}\\]\"\n$", ""},
    {"no descriptor left for it",
     "ulimit -n 64; $E run --quiet --jobs 64 --tool 'a=sleep 1; echo 1' -e 'const all = await "
     "Promise.allSettled(Array.from({length: 40}, () => tools.a())); "
     "return [...new Set(all.map((one) => one.reason?.code ?? one.value))]'",
     NULL, 0, "^\\[1,\"internal\"\\]\n$", ""},
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

static const struct line_case defects[] = {
    {"ended by a signal",
     "$E run --tool 'a=echo secret >&2; kill -9 $$' -e \"" CATCH("await tools.a(1)") "\"", NULL, 0,
     "^\"Internal tool error \\[[0-9a-f]{8}\\]\"\n$",
     "^errand: tool a: ended by signal 9 \\(SIGKILL\\): secret \\[[0-9a-f]{8}\\]\n$"},
    {"it is thrown where failures are values",
     "$E run --failures value --tool 'a=kill -9 $$' -e \"" CATCH("return await tools.a(1)") "\"",
     NULL, 0, "^\"Internal tool error \\[[0-9a-f]{8}\\]\"\n$", NULL},
    {"the trace has the same word",
     "$E run --trace run --tool 'a=kill -9 $$' -e \"" CATCH(
         "await tools.a(1)") "\" 2>&1 | "
                             "grep -o '\\[[0-9a-f]\\{8\\}\\]' | sort | uniq | wc -l",
     NULL, 0, "^1\n$", NULL},
    {"a file that can't be started",
     "mkdir broken; printf '#!/no/such/interpreter\\n' >broken/a; chmod +x broken/a; "
     "$E run --tools broken -e \"" CATCH("await tools.a(1)") "\"",
     NULL, 0, "^\"Internal tool error \\[[0-9a-f]{8}\\]\"\n$",
     "^errand: tool a does not start: .*\\[[0-9a-f]{8}\\]\n$"},
    {"as an event",
     "$E run --json --tool 'a=kill -9 $$' -e \"" CATCH("await tools.a(1)") "\" | grep '\"reply\"'",
     NULL, 0,
     "\"ok\":false,.*\"message\":\"Internal tool error \\[[0-9a-f]{8}\\]\".*\"code\":\"internal\"",
     NULL},
};

static void test_tools__defects_tell_the_program_nothing(void **state)
{
    (void)state;
    run_cases(defects, COUNT(defects));
}

static const struct line_case ways[] = {
    {"failures as values",
     "$E run --failures value --tool 'a=echo no >&2; exit 3' -e 'return tools.a(1)'", NULL, 0,
     "^\\{\"ok\":false,\"error\":\\{\"code\":\"tool_failed\",\"message\":\"a: exit code 3: no\","
     "\"details\":\\{\"exit_code\":3\\}\\}\\}\n$",
     NULL},
    {"and what did not fail", "$E run --failures value --tool a=cat -e 'return tools.a(1)'", NULL,
     0, "^\\{\"ok\":true,\"data\":1\\}\n$", ""},
    {"a global function", "$E run --global print=cat -e 'return print(1, \"b\", undefined)'", NULL,
     0, "^\\[1,\"b\",null\\]\n$", ""},
    {"a member of a global",
     "$E run --global fs.read=cat --global fs.stat=cat -e 'return fs.stat(1)'", NULL, 0,
     "^\\[1\\]\n$", ""},
    {"asked for by its name",
     "$E run --global fs.read=cat --ask fs.read -e \"" CATCH("await fs.read()") "\" "
                                                                                "</dev/null",
     NULL, 0, "no terminal|nobody|denied", NULL},
    {"a path", "$E run --tool tools.a.b.c=cat -e 'return tools.a.b.c(1)'", NULL, 0, "^1\n$", ""},
    {"a path of another namespace", "$E run --tool mail.box.list=cat -e 'return mail.box.list(1)'",
     NULL, 0, "^1\n$", ""},
    {"a call that nobody waited for", "$E run --tool 'a=sleep 5' -e 'tools.a(1); return 2'", NULL,
     0, "^2\n$", "^errand: warning: 1 call was not awaited: tools\\.a\n$"},
    {"failures in another way", "$E run --failures maybe -e 1", NULL, 2, "",
     "^errand: --failures maybe: wants throw or value\n$"},
    {"a global without a command", "$E run --global print= -e 1", NULL, 2, "",
     "^errand: --global print=: the command is empty\n$"},
    {"a global that is one already", "$E run --global fetch=cat -e 1", NULL, 2, "",
     "^errand: global: \"fetch\" would shadow a global of node\n$"},
    {"a global with two dots", "$E run --global a.b.c=cat -e 1", NULL, 2, "", "two with a dot"},
};

static void test_tools__ways_to_call(void **state)
{
    (void)state;
    run_cases(ways, COUNT(ways));
}

static void described_tool(void)
{
    write_file("described.sh",
               "mkdir -p told; printf '#!/bin/sh\\ncat\\n' >told/read-file; "
               "chmod +x told/read-file\n",
               0700);
    struct result made = command("./described.sh");
    assert_int_equal(made.code, 0);
    result_free(&made);
    write_file(
        "told/read-file.json",
        "{\"description\":\"Reads a file.\\nAll of it.\",\"inputSchema\":{\"type\":\"object\","
        "\"properties\":{\"path\":{\"type\":\"string\"}},\"required\":[\"path\"]},"
        "\"output\":{\"type\":\"string\"}}\n",
        0600);
}

static const struct line_case lists[] = {
    {"a list", "$E tools --tools told --tool mail.send=cat --global print=cat", NULL, 0,
     "^read-file  Reads a file\\.\nmail\\.send\nprint\n$", ""},
    {"as JSON", "$E tools --tools told --global print=cat --json", NULL, 0,
     "^\\{\"namespace\":\"tools\",\"name\":\"read-file\",\"description\":\"Reads a "
     "file\\.\\\\nAll of it\\.\",\"input\":\\{.*\\},\"output\":\\{\"type\":\"string\"\\}\\}\n"
     "\\{\"name\":\"print\"\\}\n$",
     ""},
    {"as declarations", "$E tools --tools told --dts", NULL, 0,
     "declare const tools: \\{\n  /\\*\\*\n   \\* Reads a file\\.\n   \\* All of it\\.\n   \\*/\n"
     "  read_file\\(args: \\{ path: string; \\}\\): Promise<string>;\n\\};\n$",
     ""},
    {"the same each time",
     "$E tools --tools told --dts >one; $E tools --tools told --dts >two; cmp one two", NULL, 0, "",
     ""},
    {"with failures as values", "$E tools --tools told --dts --failures value", NULL, 0,
     "Promise<ToolResult<string>>;", ""},
    {"the program is told",
     "$E run --tools told -e 'const {path, inputTypeScript} = "
     "await tools.describe({path: \"read_file\"}); "
     "return [path, inputTypeScript, ALL_TOOLS[0].description]'",
     NULL, 0,
     "^\\[\"read_file\",\"\\{ path: string; \\}\",\"Reads a file\\.\\\\nAll of it\\.\"\\]\n$", ""},
    {"a name of two lines",
     "mkdir odd; printf '#!/bin/sh\\ncat\\n' >\"odd/$(printf 'a\\nb')\"; chmod +x odd/*; "
     "$E tools --tools odd",
     NULL, 0, "^a\\\\nb\n$", ""},
    {"a name that is no text", "cp odd/a* \"odd/$(printf '\\377')\"; $E tools --tools odd", NULL, 2,
     "", "^errand: --tools: odd/.*: its name is not UTF-8\n$"},
    {"none", "$E tools", NULL, 2, "", "^errand: no tools; errand tools wants --tools DIR"},
    {"both", "$E tools --tool a=b --dts --json", NULL, 2, "", "two answers to one question"},
    {"a word too many", "$E tools told", NULL, 2, "", "a folder is given by --tools"},
    {"a name that can't be", "$E tools --tool class.a=b", NULL, 2, "", "reserved word"},
    {"a schema that is none", "printf '{\"input\":5}' >told/read-file.json; $E tools --tools told",
     NULL, 2, "", "told/read-file\\.json: input is no JSON Schema\n$"},
    {"help", "$E tools --help", NULL, 0, "^Usage: errand tools ", ""},
    {"nobody reads", "$E tools --tool a=b >/dev/full", NULL, 2, "", "standard output: ENOSPC"},
};

static void test_tools__are_listed(void **state)
{
    (void)state;
    described_tool();
    run_cases(lists, COUNT(lists));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tools__defects_tell_the_program_nothing),
        cmocka_unit_test(test_tools__ways_to_call),
        cmocka_unit_test(test_tools__are_listed),
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
