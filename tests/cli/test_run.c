/* errand run on this machine: values, endings and their exit codes, and a far side that lies. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes to the frames' own descriptor, as a hostile program may. */
#define FORGE(text) \
    "(await import(\"node:fs\")).writeSync(4, " text "); await new Promise(() => {})"

static const struct line_case endings[] = {
    {"a value", "$E run -e 'return 6 * 7'", NULL, 0, "^42\n$", ""},
    {"a string is JSON too", "$E run -e 'return \"a\\n\"'", NULL, 0, "^\"a\\\\n\"\n$", ""},
    {"an object", "$E run -e 'return {a: [1, null]}'", NULL, 0, "^\\{\"a\":\\[1,null\\]\\}\n$", ""},
    {"nothing", "$E run -e ''", NULL, 0, "", ""},
    {"an empty file", ": >empty.js; $E run empty.js", NULL, 0, "", ""},
    {"a comment", "$E run -e '// nothing'", NULL, 0, "", ""},
    {"from standard input", "$E run -", "return [...'abc'].length", 0, "^3\n$", ""},
    {"behind --", "echo 'return 1' >--odd.js; $E run -- --odd.js", NULL, 0, "^1\n$", ""},
    {"options behind the program", "echo 'return 1' >p.js; $E run p.js --json", NULL, 0,
     "\"value\":1", ""},
    {"a name in stacks", "$E run --name job.js -e 'throw new Error(\"x\")'", NULL, 1, "",
     "at job.js:1:7"},
    {"a file's name in stacks", "echo 'throw new Error(\"x\")' >f.js; $E run f.js", NULL, 1, "",
     "at f.js:1:7"},
    {"node named", "$E run --node \"$(command -v node)\" -e 'return 1'", NULL, 0, "^1\n$", ""},
    {"delivered as a file",
     "XDG_CACHE_HOME=$PWD/c $E run --delivery file -e 'return 1' && "
     "XDG_CACHE_HOME=$PWD/c $E run --delivery file -e 'return 2'",
     NULL, 0, "^1\n2\n$", ""},
    {"over exec:", "$E run --on 'exec:env' -e 'return 1'", NULL, 0, "^1\n$", ""},
    {"over shell:", "$E run --on 'shell:sh -c' -e 'return 1'", NULL, 0, "^1\n$", ""},
    {"logs on stderr", "$E run -e 'console.log(1); console.warn(2); return 3'", NULL, 0, "^3\n$",
     "^1\n2\n$"},
    {"raw writes as they are",
     "$E run -e 'process.stdout.write(\"a\"); process.stdout.write(\"b\\n\")'", NULL, 0, "",
     "^ab\n$"},
    {"a half line before an error",
     "$E run -e 'process.stdout.write(\"half\"); throw new Error(\"x\")'", NULL, 1, "",
     "^half\nerrand: Error: x"},
    {"noise of children",
     "$E run -e 'const c = await import(\"node:child_process\"); "
     "c.execSync(\"echo noise >&2\", {stdio: \"inherit\"})'",
     NULL, 0, "", "noise"},
    {"quiet", "$E run --quiet -e 'console.log(1); return 2'", NULL, 0, "^2\n$", ""},
    {"quiet about all but errors", "$E run --quiet -e 'console.log(1); throw new Error(\"x\")'",
     NULL, 1, "", "^errand: Error: x"},
    {"an empty environment", "SECRET=1 $E run -e 'return {...process.env}'", NULL, 0, "^\\{\\}\n$",
     ""},
    {"an environment",
     "B=2 $E run --env A=1 --env B --env A=3 -e "
     "'return [process.env.A, process.env.B, Object.keys(process.env).length]'",
     NULL, 0, "^\\[\"3\",\"2\",2\\]\n$", ""},
    {"input", "$E run --input '{\"a\":[1]}' -e 'return input.a'", NULL, 0, "^\\[1\\]\n$", ""},
    {"input from a file", "echo '\"x\"' >i; $E run --input @i -e 'return input'", NULL, 0,
     "^\"x\"\n$", ""},
    {"input from a stream", "echo 5 | $E run --input @- -e 'return input + 1'", NULL, 0, "^6\n$",
     ""},
    {"rich values",
     "$E run --values rich --input '{\"$errand\":\"date\",\"value\":5}' "
     "-e 'return [input.getTime(), new Map([[1, undefined]])]'",
     NULL, 0,
     "^\\[5,\\{\"\\$errand\":\"map\",\"entries\":\\[\\[1,"
     "\\{\"\\$errand\":\"undefined\"\\}\\]\\]\\}\\]\n$",
     ""},
    {"values as JSON.stringify has them", "$E run --values json -e 'return [undefined, NaN]'", NULL,
     0, "^\\[null,null\\]\n$", ""},

    {"an exception", "$E run -e 'null.x'", NULL, 1, "", "^errand: TypeError: .*at -e:1:"},
    {"with its line and a caret",
     "printf 'const a = 1;\\n  throw new RangeError(\"far\");\\n' | $E run -", NULL, 1, "",
     "     2 [|]   throw new RangeError\\(\"far\"\\);\n       [|]         \\^\n"},
    {"behind wide letters", "printf 'const s = \"\\303\\251\"; throw new Error(s);' | $E run -",
     NULL, 1, "", "\n       [|]                      \\^\n"},
    {"a thrown string", "$E run -e 'throw \"oh\"'", NULL, 1, "", "^errand: .*oh"},
    {"a syntax error", "printf 'let a = 1;\\nlet b = ;\\n' | $E run --language js -", NULL, 1, "",
     "SyntaxError.*     2 [|] let b = ;\n       [|]         \\^"},
    {"no lossless JSON", "$E run -e 'return {f: () => 1}'", NULL, 1, "", "invalid-output"},
    {"waiting for nothing", "$E run -e 'await new Promise(() => {})'", NULL, 1, "",
     "waits for what can never come"},
    {"leaving early", "$E run -e 'process.exit(7)'", NULL, 1, "", "7"},
    {"types where none may be", "$E run --language js -e 'const a: number = 1'", NULL, 1, "",
     "SyntaxError"},

    {"the wall", "$E run --limit wall=300 -e 'await new Promise(r => setTimeout(r, 60000))'", NULL,
     3, "", "the limit was wall_ms"},
    {"computing", "$E run --limit compute=300ms -e 'for (;;);'", NULL, 3, "", "compute_ms"},
    {"output", "$E run --limit output=1KiB -e 'for (;;) console.log(\"x\".repeat(100))'", NULL, 3,
     "", "output exceeded 1024 bytes"},
    {"memory",
     "$E run --limit heap=64 --limit rss=300 -e "
     "'const a = []; for (;;) a.push(new Array(1e5).fill(a.length))'",
     NULL, 3, "", "out_of_memory"},

    {"a command that is not there", "$E run --on exec:/no/such/command -e 1", NULL, 4, "",
     "no/such/command"},
    {"a command that fails", "$E run --on exec:false -e 1", NULL, 4, "", "^errand: "},
    {"node that is not there", "$E run --node /no/such/node -e 1", NULL, 4, "", "no/such/node"},
    {"last words are printed once", "$E run --on 'exec:sh -c \"echo one; echo two; exit 3\"' -e 1",
     NULL, 4, "",
     "^one\ntwo\nerrand: the process exited before the runner spoke \\(exit code 3\\)\n"
     "errand: ended as worker-exit, runner_exited\n$"},
    {"last words are one line",
     "$E run --quiet --on 'exec:sh -c \"echo one; echo two; exit 3\"' -e 1", NULL, 4, "",
     "\\(exit code 3\\); its last words: one two\n"},
    {"a folder that is gone", "mkdir gone; cd gone; rmdir ../gone; $E run -e 1", NULL, 4, "",
     "\nerrand: the runner can't work: the folder in which it was started is deleted\n"},
    {"too few files for a pipe", "ulimit -n 12; $E run -e 1", NULL, 4, "",
     "\nerrand: hint: only 12 files may be open here at once, and 64 are "
     "needed: raise ulimit -n\n"},
    {"too few files for node", "ulimit -n 16; $E run -e 1", NULL, 4, "",
     "\nerrand: hint: only 16 files may be open here at once, and 64 are "
     "needed: raise ulimit -n\n"},
    {"too few files for the runner", "ulimit -n 22; $E run -e 1", NULL, 4, "",
     "\nerrand: hint: only 22 files may be open here"},
    {"a place that never speaks", "$E run --on 'exec:sh -c \"sleep 60\"' --limit boot=300 -e 1",
     NULL, 4, "", "boot_timeout"},
    {"a place that prints for ever", "$E run --on 'exec:sh -c yes' --limit boot_noise=4KiB -e 1",
     NULL, 4, "", "boot_noise"},
};

static void test_run__endings_have_their_exit_codes(void **state)
{
    (void)state;
    run_cases(endings, sizeof(endings) / sizeof(endings[0]));
}

static const struct line_case hostile[] = {
    {"garbage", "$E run -e '" FORGE("\"garbage\\n\"") "'", NULL, 5, "", "protocol"},
    {"a frame that no runner sends", "$E run -e '" FORGE("\"boot 2\\n{}\\n\"") "'", NULL, 5, "",
     "protocol"},
    {"an echo of a reply", "$E run -e '" FORGE("\"reply 1 ok 2\\n{}\\n\"") "'", NULL, 5, "",
     "protocol"},
    {"a header of 4 GiB", "$E run --tool a=cat -e '" FORGE("\"call 1 0 0 4294967296\\n\"") "'",
     NULL, 5, "", "protocol"},
    {"a function that is not there",
     "$E run --tool a=cat -e '" FORGE("\"call 1 0 9 2\\n{}\\n\"") "'", NULL, 5, "", "protocol"},
    {"a namespace that is not there",
     "$E run --tool a=cat -e '" FORGE("\"call 1 9 0 2\\n{}\\n\"") "'", NULL, 5, "", "protocol"},
    {"a payload that is no JSON", "$E run --tool a=cat -e '" FORGE("\"call 1 0 0 2\\n{]\\n\"") "'",
     NULL, 5, "", "protocol"},
    {"a torn frame",
     "$E run -e '(await import(\"node:fs\")).writeSync(4, \"log info 100\\n\\\"\"); "
     "process.kill(process.pid, 9)'",
     NULL, 4, "", "^errand: "},
    {"two endings", "$E run --json -e '" FORGE("\"done ok 1\\n1\\ndone ok 1\\n2\\n\"") "'", NULL, 0,
     "\"value\":1.*\"warnings\":\\[\"", NULL},
    {"an ending and then more", "$E run -e '" FORGE("\"done ok 1\\n1\\ngarbage\\n\"") "'", NULL, 0,
     "^1\n$", "warning"},
    {"another version of the protocol",
     "cat >old <<'X'\n#!/bin/sh\n\"$@\" | sed -u 's/\"protocol\":1,/\"protocol\":2,/'\nX\n"
     "chmod +x old; $E run --on exec:./old -e 'return 1'",
     NULL, 5, "", "version"},
};

static void test_run__a_hostile_far_side_gets_nowhere(void **state)
{
    (void)state;
    run_cases(hostile, sizeof(hostile) / sizeof(hostile[0]));
}

static const struct line_case outputs[] = {
    {"nobody reads the value",
     "{ $E run -e 'return 1'; echo $? >code; } 2>err | true; sleep 1; cat code err", NULL, 0,
     "^(2\nerrand: standard output: Broken pipe|0)\n$", ""},
    {"nobody reads the events",
     "{ $E run --json -e 'for (;;) { console.log(1); await new Promise(setImmediate) }' 2>err; "
     "echo $? >code; } | head -n 1 >head; cat code err",
     NULL, 0, "^2\nerrand: standard output: Broken pipe\n$", ""},
    {"a full disk", "$E run -e 'return 1' >/dev/full", NULL, 2, "",
     "^errand: standard output: No space left on device\n$"},
    {"events to a full disk",
     "$E run --json -e 'console.log(1); await new Promise(r => "
     "setTimeout(r, 30000))' >/dev/full",
     NULL, 2, "", "^errand: standard output: No space left on device\n$"},
    {"no standard output", "$E run -e 'return 1' >&-", NULL, 2, "", "standard output"},
    {"no standard error", "$E run -e 'console.log(1); return 2' 2>&-", NULL, 0, "^2\n$", ""},
    {"no standard input", "$E run -e 'return 1' <&-", NULL, 0, "^1\n$", ""},
    {"no standard input to read from", "$E run - <&-", NULL, 2, "", "stdin"},
    {"a full disk for the record",
     "(ulimit -f 8; $E run --quiet --record r.rec -e 'console.log(\"x\".repeat(1e5)); return 1')",
     NULL, 2, "^1\n$", "errand: --record: r.rec: File too large; it is not complete\n"},
    {"replay to a full disk", "$E run --record q.rec -e 'return 1' && $E replay q.rec >/dev/full",
     NULL, 2, "^1\n$", "^errand: standard output: No space"},
    {"a large value", "$E run -e 'return \"x\".repeat(2e7)' | wc -c", NULL, 0, "^20000003\n$", ""},
};

static void test_run__output_that_cannot_be_written(void **state)
{
    (void)state;
    run_cases(outputs, sizeof(outputs) / sizeof(outputs[0]));
}

static const struct line_case typescript[] = {
    {"a file", "echo 'const a: number = 1; return a' >a.ts; $E run a.ts", NULL, 0, "^1\n$", ""},
    {"a module's ending", "echo 'const a: number = 1; return a' >a.mts; $E run a.mts", NULL, 0,
     "^1\n$", ""},
    {"text", "$E run -e 'return 1 as number'", NULL, 0, "^1\n$", ""},
    {"standard input", "$E run -", "interface A { b: string }\nreturn 2 satisfies number", 0,
     "^2\n$", ""},
    {"an enum", "$E run -e 'enum A { B = 3 } return A.B'", NULL, 0, "^3\n$", ""},
    {"JavaScript where it is said", "echo 'return 1 < 2 > 0' >b.js; $E run b.js", NULL, 0,
     "^true\n$", ""},
    {"said otherwise", "echo 'return 1 as number' >c.js; $E run --language ts c.js", NULL, 0,
     "^1\n$", ""},
    {"JSX", "echo 'return <a/>' >d.tsx; $E run d.tsx", NULL, 1, "", "^errand: "},
};

static void test_run__typescript_by_name_and_by_option(void **state)
{
    (void)state;
    run_cases(typescript, sizeof(typescript) / sizeof(typescript[0]));
}

static void test_run__trace_names_areas(void **state)
{
    static const char *const areas[] = {"run", "core", "wire", "exec", "place", "boot"};
    (void)state;
    struct result all = command("$E run --trace all --tool secret=cat -e 'return tools.secret(7)'");
    struct result one = command("$E run --trace exec -e 'return 1'");

    assert_int_equal(all.code, 0);
    assert_string_equal(all.out, "7\n");
    for (size_t i = 0; i < sizeof(areas) / sizeof(areas[0]); i++) {
        char pattern[32];
        (void)snprintf(pattern, sizeof(pattern), " ms %s +[a-z]", areas[i]);
        if (!matches(all.err, pattern))
            fail_msg("nothing of area %s: %s", areas[i], all.err);
        if (matches(one.err, pattern) != (strcmp(areas[i], "exec") == 0))
            fail_msg("exec alone was asked for: %s", one.err);
    }
    assert_int_equal(one.code, 0);
    result_free(&all);
    result_free(&one);
    assert_nothing_left(2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run__endings_have_their_exit_codes),
        cmocka_unit_test(test_run__a_hostile_far_side_gets_nowhere),
        cmocka_unit_test(test_run__output_that_cannot_be_written),
        cmocka_unit_test(test_run__typescript_by_name_and_by_option),
        cmocka_unit_test(test_run__trace_names_areas),
    };
    return cmocka_run_group_tests(tests, command_setup, command_teardown);
}
