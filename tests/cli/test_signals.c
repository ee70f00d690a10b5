/* Signals at every moment: the exit code that says which, and nothing left of the run. */
#include "command.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a run may be in the middle of. Each touches a file when it is there, but for booting. */
static const struct moment {
    const char *name, *line;
} moments[] = {
    {"waiting for a shell", "exec $E run --on 'exec:sh -c \"touch there; sleep 60\"' -e 1"},
    {"waiting for a tool", "exec $E run --tool 'a=touch there; sleep 60' -e 'await tools.a()'"},
    {"waiting for a tool that ignores signals",
     "exec $E run --tool 'a=trap \"\" TERM INT HUP; touch there; while :; do sleep 1; done' -e "
     "'await tools.a()'"},
    {"spinning", "exec $E run --tool 'a=touch there' -e 'await tools.a(); for (;;);'"},
    {"a child over there", "exec $E run --tool 'a=touch there' -e 'await tools.a(); "
                           "(await import(\"node:child_process\")).execSync(\"sleep 60\")'"},
    {"a flood", "exec $E run --quiet --limit output=1GiB --tool 'a=touch there' -e "
                "'await tools.a(); for (;;) console.log(\"x\".repeat(100))'"},
};

enum { MOMENTS = sizeof(moments) / sizeof(moments[0]) };

static struct started at_moment(const struct moment *moment)
{
    (void)remove("there");
    struct started started = command_start(moment->line, NULL);
    wait_for_file("there");
    return started;
}

static void assert_ends(const struct moment *moment, int number, int code, int within_ms)
{
    struct started started = at_moment(moment);

    assert_int_equal(kill(started.pid, number), 0);
    int64_t from_ms = now_ms();
    struct result result = command_wait(&started);
    int64_t took_ms = now_ms() - from_ms;
    if (result.code != code || took_ms > within_ms)
        fail_msg("%s: exit %d, not %d, after %lld ms: %s", moment->name, result.code, code,
                 (long long)took_ms, result.err);
    result_free(&result);
    assert_nothing_left(2000);
}

static void test_signals__the_first_cancels(void **state)
{
    (void)state;
    for (size_t i = 0; i < MOMENTS; i++)
        assert_ends(&moments[i], SIGINT, 130, 10000);
}

static void test_signals__each_has_its_exit_code(void **state)
{
    (void)state;
    assert_ends(&moments[1], SIGTERM, 143, 10000);
    assert_ends(&moments[1], SIGHUP, 129, 10000);
}

static void test_signals__the_second_kills(void **state)
{
    (void)state;
    struct started started = at_moment(&moments[2]);

    assert_int_equal(kill(started.pid, SIGINT), 0);
    pause_ms(100);
    assert_int_equal(kill(started.pid, SIGINT), 0);
    int64_t from_ms = now_ms();
    struct result result = command_wait(&started);
    assert_int_equal(result.code, 130);
    assert_true(now_ms() - from_ms < 1500);
    result_free(&result);
    assert_nothing_left(2000);
}

static void test_signals__while_it_boots(void **state)
{
    (void)state;
    for (int after_ms = 1; after_ms < 120; after_ms += 9) {
        struct started started =
            command_start("exec $E run -e 'await new Promise(r => setTimeout(r, 30000))'", NULL);
        pause_ms(after_ms);
        assert_int_equal(kill(started.pid, SIGINT), 0);
        struct result result = command_wait(&started);
        /* Before it could hold it back, the signal ends the command as it ends any. */
        if (result.code != 130 && result.code != 1000 + SIGINT)
            fail_msg("after %d ms: exit %d: %s", after_ms, result.code, result.err);
        result_free(&result);
        assert_nothing_left(2000);
    }
}

static void test_signals__killed_at_any_moment_it_leaves_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < MOMENTS; i++) {
        /* A place that is a command of ours in front of no runner goes when its input ends. */
        if (i == 0)
            continue;
        struct started started = at_moment(&moments[i]);
        assert_int_equal(kill(started.pid, SIGKILL), 0);
        struct result result = command_wait(&started);
        assert_int_equal(result.code, 1000 + SIGKILL);
        result_free(&result);
        assert_nothing_left(2000);
    }
    for (int after_ms = 0; after_ms < 100; after_ms += 13) {
        struct started started = command_start("exec $E run --tool 'a=sleep 60' -e "
                                               "'void tools.a(); for (;;);'",
                                               NULL);
        pause_ms(after_ms);
        assert_int_equal(kill(started.pid, SIGKILL), 0);
        struct result result = command_wait(&started);
        result_free(&result);
        assert_nothing_left(2000);
    }
}

/* Nobody reads what it says, and it is behind with it: that must not keep Ctrl-C from working. */
static void test_signals__a_reader_that_does_not_read(void **state)
{
    (void)state;
    struct started started = command_start(
        "mkfifo pipe; sleep 30 <pipe & exec $E run --json --limit output=1GiB --tool 'a=touch "
        "there' -e 'await tools.a(); for (;;) console.log(\"x\".repeat(1000))' >pipe",
        NULL);

    wait_for_file("there");
    pause_ms(500);
    assert_int_equal(kill(started.pid, SIGINT), 0);
    pause_ms(2500);
    assert_int_equal(kill(started.pid, SIGINT), 0);
    struct result result = command_wait(&started);
    assert_int_equal(result.code, 130);
    assert_true(result.took_ms < 15000);
    result_free(&result);
    struct result swept = command("pkill -P $PPID -x sleep; rm -f pipe");
    result_free(&swept);
    assert_nothing_left(2000);
}

static void test_signals__what_was_ignored_stays_ignored(void **state)
{
    (void)state;
    (void)remove("there");
    struct started started =
        command_start("trap '' HUP; exec $E run --tool 'a=touch there; sleep 1; echo 1' -e "
                      "'return tools.a()'",
                      NULL);
    wait_for_file("there");
    assert_int_equal(kill(started.pid, SIGHUP), 0);
    struct result result = command_wait(&started);
    assert_int_equal(result.code, 0);
    assert_string_equal(result.out, "1\n");
    result_free(&result);
    assert_nothing_left(2000);
}

static void test_signals__a_replay_exits_the_same(void **state)
{
    (void)state;
    (void)remove("there");
    struct started started = command_start(
        "exec $E run --record s.rec --tool 'a=touch there; sleep 60' -e 'await tools.a()'", NULL);
    wait_for_file("there");
    assert_int_equal(kill(started.pid, SIGTERM), 0);
    struct result result = command_wait(&started);
    struct result again = command("$E replay s.rec");
    assert_int_equal(result.code, 143);
    assert_int_equal(again.code, 143);
    assert_string_equal(result.err, again.err);
    result_free(&result);
    result_free(&again);
    assert_nothing_left(2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signals__the_first_cancels),
        cmocka_unit_test(test_signals__each_has_its_exit_code),
        cmocka_unit_test(test_signals__the_second_kills),
        cmocka_unit_test(test_signals__while_it_boots),
        cmocka_unit_test(test_signals__killed_at_any_moment_it_leaves_nothing),
        cmocka_unit_test(test_signals__a_reader_that_does_not_read),
        cmocka_unit_test(test_signals__what_was_ignored_stays_ignored),
        cmocka_unit_test(test_signals__a_replay_exits_the_same),
    };
    return cmocka_run_group_tests(tests, command_setup, command_teardown);
}
