/* What is wrong with a command line gets one clear line and exit code 2, before anything runs. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* One line, and nothing else. */
#define LINE(words) "^errand: [^\n]*" words "[^\n]*\n$"

static const struct line_case cases[] = {
    {"no command", "$E", NULL, 2, "", LINE("run, check, doctor, replay, sandbox or tools")},
    {"a misspelt command", "$E rnu", NULL, 2, "", LINE("did you mean run\\?")},
    {"no such command", "$E launch", NULL, 2, "", LINE("no command launch")},
    {"version", "$E --version", NULL, 0, "^errand [0-9]+\\.[0-9]+\\.[0-9]+\n$", ""},
    {"help to a full disk", "$E --help >/dev/full", NULL, 2, "", LINE("standard output")},

    {"no program", "$E run", NULL, 2, "", LINE("no program")},
    {"no such file", "$E run nowhere.js", NULL, 2, "", LINE("nowhere.js: No such file")},
    {"a folder", "$E run .", NULL, 2, "", LINE("Is a directory")},
    {"two programs", "$E run a.js b.js", NULL, 2, "", LINE("b.js is one too many")},
    {"file and text", "$E run a.js -e 1", NULL, 2, "", LINE("one program")},
    {"no text", "$E run -e", NULL, 2, "", LINE("-e wants TEXT")},
    {"not UTF-8", "printf 'ok\\nx = \"\\303\\251\\377\"' | $E run -", NULL, 2, "",
     LINE("not UTF-8: byte 0xff at line 2, column 7")},
    {"overlong UTF-8", "printf '\\300\\200' | $E run -", NULL, 2, "", LINE("line 1, column 1")},
    {"over 64 MiB", "head -c 67108865 /dev/zero | tr '\\0' ' ' | $E run -", NULL, 2, "",
     LINE("larger than 64 MiB")},

    {"a misspelt option", "$E run --jsno -e 1", NULL, 2, "", LINE("did you mean --json\\?")},
    {"swapped letters", "$E run --limti wall=1s -e 1", NULL, 2, "", LINE("mean --limit\\?")},
    {"an unknown option", "$E run --frobnicate -e 1", NULL, 2, "", LINE("--frobnicate; see")},
    {"an option that does not exist yet", "$E run --replay x -e 1", NULL, 2, "", LINE("--replay")},
    {"an unknown letter", "$E run -x -e 1", NULL, 2, "", LINE("unknown option -x")},
    {"a flag with a value", "$E run --json=1 -e 1", NULL, 2, "", LINE("takes no value")},
    {"an option without its value", "$E run -e 1 --tool", NULL, 2, "", LINE("NAME=COMMAND")},

    {"a negative time", "$E run --limit wall=-1 -e 1", NULL, 2, "", LINE("wall=-1")},
    {"output too small", "$E run --limit output=3 -e 1", NULL, 2, "", LINE("output=3")},
    {"an unknown limit", "$E run --limit bogus=1 -e 1", NULL, 2, "", LINE("bogus")},
    {"a limit without a value", "$E run --limit wall -e 1", NULL, 2, "", LINE("NAME=VALUE")},
    {"an unknown unit", "$E run --limit wall=5parsecs -e 1", NULL, 2, "", LINE("5parsecs")},
    {"a time over what can be counted", "$E run --limit wall=99999999999999999999 -e 1", NULL, 2,
     "", LINE("is too much")},
    {"a count with a unit", "$E run --limit calls=1s -e 1", NULL, 2, "", LINE("takes no unit")},
    {"frame too small", "$E run --limit frame=20 -e 1", NULL, 2, "", LINE("from 1024")},
    {"frame below output", "$E run --limit frame=1KiB --limit output=1MiB -e 1", NULL, 2, "",
     LINE("frame_bytes")},

    {"two tools of one name", "$E run --tool a=true --tool a=false -e 1", NULL, 2, "",
     LINE("two are called tools.a")},
    {"one name in two ways", "$E run --tool a=true --tool tools.a=false -e 1", NULL, 2, "",
     LINE("two are called tools.a")},
    {"then and what it is renamed to", "$E run --tool then=true --tool then_=true -e 1", NULL, 2,
     "", LINE("two functions are called then_")},
    {"a tool without a name", "$E run --tool =true -e 1", NULL, 2, "", LINE("NAME=COMMAND")},
    {"a tool without a command", "$E run --tool a= -e 1", NULL, 2, "", LINE("command is empty")},
    {"a tool that ends in a dot", "$E run --tool a.=true -e 1", NULL, 2, "", LINE("no name")},
    {"a namespace that shadows a global", "$E run --tool console.log=true -e 1", NULL, 2, "",
     LINE("console")},
    {"a namespace that is a reserved word", "$E run --tool class.a=true -e 1", NULL, 2, "",
     LINE("class")},
    {"a namespace that is no identifier", "$E run --tool 'a b.c=true' -e 1", NULL, 2, "",
     LINE("a b")},

    {"no folder of tools", "$E run --tools nowhere -e 1", NULL, 2, "", LINE("nowhere: No such")},
    {"an empty folder", "mkdir none; $E run --tools none -e 1", NULL, 2, "",
     LINE("no executable file")},
    {"a script that is not executable", "mkdir s; echo '#!/bin/sh' >s/a; $E run --tools s -e 1",
     NULL, 2, "", LINE("s/a is not executable")},
    {"a described file that is not executable",
     "mkdir d; echo x >d/a; echo {} >d/a.json; $E run --tools d -e 1", NULL, 2, "",
     LINE("d/a is not executable")},
    {"a description that does not parse",
     "mkdir p; printf '#!/bin/sh\\n' >p/a; chmod +x p/a; echo '{' >p/a.json; "
     "$E run --tools p -e 1",
     NULL, 2, "", LINE("p/a.json, line")},
    {"a description that is no object",
     "mkdir o; printf '#!/bin/sh\\n' >o/a; chmod +x o/a; echo '[]' >o/a.json; "
     "$E run --tools o -e 1",
     NULL, 2, "", LINE("o/a.json is no JSON object")},
    {"a description of the wrong type",
     "mkdir t; printf '#!/bin/sh\\n' >t/a; chmod +x t/a; echo '{\"description\":1}' >t/a.json; "
     "$E run --tools t -e 1",
     NULL, 2, "", LINE("description is no string")},
    {"a file and an option of one name",
     "mkdir f; printf '#!/bin/sh\\n' >f/a; chmod +x f/a; $E run --tools f --tool a=true -e 1", NULL,
     2, "", LINE("two are called tools.a")},
    {"two files of one name",
     "mkdir g; printf '#!/bin/sh\\n' >g/a; cp g/a g/a.sh; chmod +x g/*; $E run --tools g -e 1",
     NULL, 2, "", LINE("two are called tools.a: g/a and g/a.sh")},

    {"asking for no tool", "$E run --tool deploy=true --ask deplyo -e 1", NULL, 2, "",
     LINE("did you mean deploy\\?")},
    {"no jobs", "$E run --jobs 0 -e 1", NULL, 2, "", LINE("1 to 256")},
    {"too many jobs", "$E run --jobs 257 -e 1", NULL, 2, "", LINE("1 to 256")},
    {"jobs that are no number", "$E run --jobs 4x -e 1", NULL, 2, "", LINE("1 to 256")},
    {"a variable that is not set", "$E run --env NO_SUCH_NAME -e 1", NULL, 2, "",
     LINE("NO_SUCH_NAME: it is not set")},
    {"a variable without a name", "$E run --env =x -e 1", NULL, 2, "", LINE("NAME=VALUE")},
    {"another language", "$E run --language py -e 1", NULL, 2, "", LINE("js, ts or auto")},
    {"other values", "$E run --values richer -e 1", NULL, 2, "", LINE("strict, json or rich")},
    {"input that is no JSON", "$E run --input '{' -e 1", NULL, 2, "", LINE("input: no JSON text")},
    {"input that is tagged wrongly",
     "$E run --values rich --input '[{\"$errand\":\"date\",\"value\":\"x\"}]' -e 1", NULL, 2, "",
     LINE("input: \\$\\[0\\]\\.value: a tag")},
    {"input is looked at before files travel",
     "echo x >travels; $E run --put travels:$PWD/there --input '[' -e 1; test ! -e there && exit 2",
     NULL, 2, "", LINE("input: no JSON text")},
    {"an empty input", "$E run --input '' -e 1", NULL, 2, "", LINE("wants JSON or @FILE")},
    {"an empty input file", ": >i; $E run --input @i -e 1", NULL, 2, "", LINE("input: i is empty")},
    {"no such input file", "$E run --input @nowhere -e 1", NULL, 2, "", LINE("nowhere: No such")},
    {"input and program from one stream", "$E run --input @- - </dev/null", NULL, 2, "",
     LINE("standard input is the program already")},
    {"an input that no double holds", "$E run --input '{\"a\":9007199254740993}' -e 1", NULL, 2, "",
     LINE("9007199254740993 at \\$\\.a is beyond 2\\^53")},
    {"another delivery", "$E run --delivery post -e 1", NULL, 2, "", LINE("auto, stdin or file")},
    {"another area", "$E run --trace core,wrie -e 1", NULL, 2, "", LINE("did you mean wire")},

    {"a place that does not parse", "$E run --on nowhere -e 1", NULL, 2, "", LINE("nowhere")},
    {"a scheme that does not exist", "$E run --on gopher://box -e 1", NULL, 2, "", LINE("gopher")},
    {"a place without a command", "$E run --on exec: -e 1", NULL, 2, "", LINE("place")},
    {"an open quote", "$E run --on 'exec:docker \"exec' -e 1", NULL, 2, "", LINE("place")},
    {"a container that is an option", "$E run --on docker://-v -e 1", NULL, 2, "", LINE("-v")},

    {"a key for a place without a login", "$E run --identity key -e 1", NULL, 2, "",
     LINE("--identity is for ssh:// alone; the place is local")},
    {"a configuration of ssh elsewhere", "$E run --ssh-config c --on docker://box -e 1", NULL, 2,
     "", LINE("--ssh-config is for ssh:// alone; the place is docker")},
    {"a host key of no host", "$E run --on exec:env --accept-new-host-key -e 1", NULL, 2, "",
     LINE("--accept-new-host-key is for ssh://")},
    {"nothing to keep", "$E run --keep -e 1", NULL, 2, "", LINE("--keep is for e2b:// alone")},
    {"a network that is not ours to close", "$E run --no-internet -e 1", NULL, 2, "",
     LINE("--no-internet is for e2b:// alone; the place is local")},
    {"what to reach from a sandbox that is there", "$E run --on e2b:id --allow-out 10.0.0.1 -e 1",
     NULL, 2, "", LINE("--allow-out is for e2b:// alone")},
    {"a sandbox to do nothing with", "$E sandbox", NULL, 2, "", LINE("wants list, info")},
    {"a wish of no sandbox", "$E sandbox lst", NULL, 2, "", LINE("did you mean list")},
    {"no sandbox", "$E sandbox kill", NULL, 2, "", LINE("it is: errand sandbox kill ID")},
    {"two of them", "$E sandbox kill i1 i2", NULL, 2, "", LINE("it is: errand sandbox kill ID")},
    {"too many words", "$E sandbox timeout i1 5m x", NULL, 2, "", LINE("one word too many")},
    {"no duration", "$E sandbox timeout i1 5y", NULL, 2, "", LINE("5y is no duration")},
    {"for ever", "$E sandbox timeout i1 off", NULL, 2, "", LINE("off is no duration")},
    {"a template for a sandbox", "E2B_API_KEY=e2b_0 $E sandbox info e2b://base", NULL, 2, "",
     LINE("no sandbox")},
    {"an option of run", "$E sandbox list --keep", NULL, 2, "", LINE("unknown option --keep")},
    {"what not to reach", "$E run --deny-out 10.0.0.1 --on ssh://host -e 1", NULL, 2, "",
     LINE("--deny-out is for e2b:// alone; the place is ssh")},
    {"metadata of no sandbox", "$E run --metadata a=b -e 1", NULL, 2, "", LINE("--metadata")},
    {"environment of no sandbox", "$E run --sandbox-env a=b -e 1", NULL, 2, "",
     LINE("--sandbox-env")},

    {"a record through a link",
     "ln -s t.rec l.rec; $E run --record l.rec -e 1; c=$?; "
     "test ! -e t.rec && exit $c",
     NULL, 2, "", LINE("l.rec is a symbolic link")},
    {"a record over the program itself",
     "printf 'return 1\\n' >own.js; ln own.js twin.js; $E run --record twin.js own.js; c=$?; "
     "cat own.js; exit $c",
     NULL, 2, "^return 1\n$", LINE("twin.js is there and holds no record")},
    {"a record over a tool",
     "mkdir rt; printf '#!/bin/sh\\ncat\\n' >rt/echo; chmod +x rt/echo; "
     "$E run --tools rt --record rt/echo -e 1; c=$?; head -n 1 rt/echo; exit $c",
     NULL, 2, "^#!/bin/sh\n$", LINE("holds no record")},
    {"a record over a file that is sent",
     "$E run --record sent.rec -e 1 2>&1; cp sent.rec kept.rec; "
     "$E run --put sent.rec:there --record sent.rec -e 1; c=$?; cmp sent.rec kept.rec && exit $c",
     NULL, 2, "^1\n$|^$", LINE("the same file as sent.rec")},
    {"a record where the options are wrong",
     "$E run --record before.rec -e 'return 1'; cp before.rec kept.rec; "
     "$E run --name \"$(printf '\\377')\" --record before.rec -e 1; c=$?; "
     "cmp before.rec kept.rec && exit $c",
     NULL, 2, "^1\n$", LINE("not UTF-8")},
    {"no record is left of what did not run",
     "$E run --name \"$(printf '\\377')\" --record none.rec -e 1; c=$?; "
     "test ! -e none.rec && exit $c",
     NULL, 2, "", LINE("not UTF-8")},
    {"a record that is a device", "$E run --record /dev/null -e 1", NULL, 2, "",
     LINE("no regular file")},
    {"a record in no folder", "$E run --record no/where -e 1", NULL, 2, "", LINE("No such file")},

    {"no record", "$E replay", NULL, 2, "", LINE("RECORD")},
    {"two records", "$E replay a b", NULL, 2, "", LINE("b is one too many")},
    {"no such record", "$E replay nowhere", NULL, 2, "", LINE("nowhere: No such file")},
    {"a record that is none", "echo hello >not.rec; $E replay not.rec", NULL, 2, "",
     LINE("record")},
    {"an empty record", ": >empty.rec; $E replay empty.rec", NULL, 2, "", LINE("record")},
    {"an unknown option of replay", "$E replay --jsn x", NULL, 2, "", LINE("mean --json\\?")},

    {"a place without its option", "$E doctor local", NULL, 2, "", LINE("--on")},
    {"a doctor for no place", "$E doctor --on nowhere", NULL, 2, "", LINE("nowhere")},
    {"a key for a doctor's place", "$E doctor --identity key", NULL, 2, "",
     LINE("--identity is for ssh:// alone; the place is local")},
    {"an unknown option of doctor", "$E doctor --onn local", NULL, 2, "", LINE("mean --on\\?")},
};

static void test_usage__each_mistake_gets_one_line(void **state)
{
    (void)state;
    run_cases(cases, sizeof(cases) / sizeof(cases[0]));
}

static void assert_fits(const char *text, size_t rows, size_t columns)
{
    size_t lines = 0;

    while (*text != '\0') {
        size_t len = strcspn(text, "\n");
        if (len > columns)
            fail_msg("%zu columns: %.*s", len, (int)len, text);
        lines++;
        text += len + (text[len] == '\n' ? 1 : 0);
    }
    assert_true(lines <= rows);
    assert_true(lines > 3);
}

static void test_usage__help_fits_a_screen(void **state)
{
    (void)state;
    struct result result = command("$E --help");

    assert_int_equal(result.code, 0);
    assert_fits(result.out, 24, 80);
    result_free(&result);
}

static void test_usage__help_of_run_names_every_option(void **state)
{
    static const char *const names[] = {
        "--on",       "-e TEXT", "--tool ", "--tools",    "--ask",    "--jobs", "--limit",
        "--env",      "--json",  "--input", "--language", "--values", "--name", "--node",
        "--delivery", "--quiet", "--trace", "--help",     "--record"};
    (void)state;
    struct result result = command("$E run --help");

    assert_int_equal(result.code, 0);
    assert_fits(result.out, 90, 80);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strstr(result.out, names[i]) == NULL)
            fail_msg("the help does not name %s", names[i]);
    }
    result_free(&result);
    result = command("$E replay --help && $E doctor -h");
    assert_int_equal(result.code, 0);
    assert_fits(result.out, 30, 80);
    result_free(&result);
    result = command("$E check -h");
    assert_int_equal(result.code, 0);
    assert_fits(result.out, 24, 80);
    result_free(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_usage__each_mistake_gets_one_line),
        cmocka_unit_test(test_usage__help_fits_a_screen),
        cmocka_unit_test(test_usage__help_of_run_names_every_option),
    };
    return cmocka_run_group_tests(tests, command_setup, command_teardown);
}
