/* --put and --get: before the run and after it, what they say and what the command exits with. */
#include "command.h"

#include <signal.h>

#define READ(path) "require(\"fs\").readFileSync(\"" path "\",\"utf8\")"

static const struct line_case files[] = {
    {"there and back",
     "mkdir t; printf hello >a; chmod 640 a; $E run --put a:$PWD/t/b --get $PWD/t/b:c -e "
     "'return " READ("t/b") "' && cat c && stat -c %a t/b c && ls -A t",
     NULL, 0, "^\"hello\"\nhello640\n640\nb\n$", "^$"},
    {"through a shell over there",
     "mkdir t2; printf hello >a; $E run --on exec:env --put a:t2/b --get t2/b:c2 -e "
     "'return 1' && cat c2",
     NULL, 0, "^1\nhello$", "^$"},
    {"several",
     "echo 1 >x; echo 2 >y; $E run --put x:x2 --put y:y2 --get x2:x3 --get y2:y3 -e 0 && "
     "cat x3 y3",
     NULL, 0, "^1\n2\n$", "^$"},
    {"names with colons", "echo 1 >q:r; $E run --put 'q\\:r:s\\:t' --get 's\\:t:u' -e 0 && cat u",
     NULL, 0, "^1\n$", "^$"},
    {"nothing runs without its files",
     "echo 1 >a; $E run --put a:no/such/x -e 'console.log(\"ran\")'", NULL, 4, "^$",
     "^errand: put no/such/x: no such folder over there\n"
     "errand: ended as worker-exit, put_failed\n$"},
    {"no such file here", "$E run --put none:x -e 'console.log(1)'", NULL, 2, "^$",
     "^errand: put none: No such file or directory\n$"},
    {"a folder here", "mkdir f; $E run --put f:x -e 'console.log(1)'", NULL, 2, "^$",
     "^errand: put f: that is a folder\n$"},
    {"what is not stored", "$E run --put /proc/version:x -e 'console.log(1)'", NULL, 2, "^$",
     "^errand: put /proc/version: it holds more than its size says\n$"},
    {"no folder here", "echo 1 >a; $E run --get a:no/x -e 'console.log(1)'", NULL, 2, "^$",
     "^errand: get no/x: No such file or directory\n$"},
    {"a folder instead of a file", "mkdir g; $E run --get a:g -e 'console.log(1)'", NULL, 2, "^$",
     "^errand: get g: that is a folder\n$"},
    {"a folder that is a file", "echo 1 >a; $E run --get a:a/x -e 'console.log(1)'", NULL, 2, "^$",
     "^errand: get a/x: Not a directory\n$"},
    {"a pipe is not replaced",
     "echo 1 >a; mkfifo p; ln -s p lp; $E run --get a:lp -e 'console.log(1)'; c=$?; "
     "test -p p && test -L lp && exit $c",
     NULL, 2, "^$", "^errand: get lp: that is no regular file\n$"},
    {"a pipe over there is not replaced",
     "echo 1 >a; mkfifo q; $E run --on exec:env --put a:q -e 1; c=$?; test -p q && exit $c", NULL,
     4, "^$", "^errand: put q: that is no regular file over there\n"},
    {"a pipe that comes later is not replaced",
     "echo 1 >a; $E run --get a:r -e 'require(\"child_process\").execSync(\"mkfifo r\")'; c=$?; "
     "test -p r && exit $c",
     NULL, 4, "^$", "errand: get r: that is no regular file\n$"},
    {"what is not stored does not come as nothing",
     "$E run --get /proc/version:v -e 1; c=$?; test ! -e v && exit $c", NULL, 4, "^$",
     "^errand: get /proc/version: it holds more or less than its size says\n$"},
    {"no standard output", "$E run --get a:- -e 1", NULL, 2, "^$", "one that is named - is ./-"},
    {"no standard input", "echo 1 | $E run --put -:a -e 1", NULL, 2, "^$", "wants a file here"},
    {"a failed put leaves no older run in a record",
     "$E run --record o.rec -e 'return 1'; $E run --record o.rec --put none:x -e 1; "
     "$E replay o.rec",
     NULL, 2, "^1\n$", "^errand: put none: .*\nerrand: record: o.rec: no run is recorded in it\n$"},
    {"nor does one over there",
     "echo 1 >a; $E run --record o2.rec -e 'return 1'; "
     "$E run --record o2.rec --put a:no/such/x -e 1; $E replay o2.rec",
     NULL, 2, "^1\n$", "errand: record: o2.rec: no run is recorded in it\n$"},
    {"nor does a place without its key",
     "unset E2B_API_KEY E2B_DEBUG; $E run --record o3.rec -e 'return 1'; "
     "$E run --record o3.rec --on e2b://base -e 1; $E replay o3.rec",
     NULL, 2, "^1\n$", "errand: record: o3.rec: no run is recorded in it\n$"},
    {"nor do files that fail leave a new record",
     "$E run --record o4.rec --put none:x -e 1; c=$?; test ! -e o4.rec && exit $c", NULL, 2, "^$",
     "^errand: put none: "},
    {"a get that fails", "$E run --get none:x -e 'return 1'", NULL, 4, "^1\n$",
     "^errand: get none: no such file over there\n$"},
    {"a get after a failure",
     "echo kept >k; $E run --get k:k2 -e 'throw 1'; code=$?; cat k2; exit $code", NULL, 1,
     "^kept\n$", NULL},
    {"a failed run says more than a failed get", "$E run --get none:x -e 'throw 1'", NULL, 1, "^$",
     "get none: no such file over there"},
    {"as events", "echo 1 >a; $E run --json --put a:b --get none:c -e 'return 1'", NULL, 4,
     "^\\{\"event\":\"put\",\"at_ms\":0,\"local\":\"a\",\"remote\":\"b\","
     "\"ok\":true,\"bytes\":2\\}\n"
     "\\{\"event\":\"get\",.*\"ok\":false,\"bytes\":0,\"code\":\"not_found\",\"error\":\"get none: "
     "no such file over there\"\\}\n"
     "\\{\"event\":\"end\",.*\"kind\":\"value\".*\"exit\":4\\}\n$",
     "^$"},
    {"a put that failed, as events", "echo 1 >a; $E run --json --put a:no/such/x -e 'return 1'",
     NULL, 4,
     "^\\{\"event\":\"put\",.*\"ok\":false.*\\}\n\\{\"event\":\"end\",.*\"code\":\"put_failed\"",
     "^$"},
    {"no remote name", "$E run --put a -e 0", NULL, 2, "^$", "--put a: wants LOCAL:REMOTE"},
    {"no local name", "$E run --get x: -e 0", NULL, 2, "^$", "--get x:: wants REMOTE:LOCAL"},
    {"a colon too many", "$E run --put a:b:c -e 0", NULL, 2, "^$", "a colon too many"},
};

static void test_files__table(void **state)
{
    (void)state;
    run_cases(files, COUNT(files));
}

static void test_files__a_signal_ends_a_put(void **state)
{
    (void)state;
    /* A shell over there that never says that it is ready. */
    struct started started =
        command_start("echo 1 >a; exec $E run --on \"exec:sh -c 'touch began; exec sleep 60'\" "
                      "--put a:b -e 0",
                      NULL);
    wait_for_file("began");
    assert_int_equal(kill(started.pid, SIGINT), 0);
    struct result result = command_wait(&started);
    assert_int_equal(result.code, 130);
    assert_true(matches(result.err, "cancelled by SIGINT"));
    result_free(&result);
    assert_nothing_left(3000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files__table),
        cmocka_unit_test(test_files__a_signal_ends_a_put),
    };
    return cmocka_run_group_tests(tests, command_setup, command_teardown);
}
