/* contract.c - the sentences of transport.h as checks. */
#include "test.h"

#include "balance.h"
#include "contract.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FDS_MOST = 8 };

/* --- OPENED -------------------------------------------------------------------------------- */

#define CHECK(name) static void name(const struct drive_road *road, errand_road *opened)

CHECK(opened_comes_once_and_first)
{
    struct drive process;

    drive_start(&process, road, opened, "echo out; echo err >&2; exit 0");
    assert_true(drive_until(&process, "X", DRIVE_PATIENCE_MS));
    assert_int_equal(process.story[0], 'O');
    drive_finish(&process);
}

CHECK(opened_comes_while_the_process_is_silent)
{
    struct drive process;

    drive_start(&process, road, opened, "exec sleep 60");
    assert_true(drive_until(&process, "O", DRIVE_PATIENCE_MS));
    assert_false(drive_until(&process, "oeEXC", 50));
    drive_finish(&process);
}

/* --- OUT and ERR --------------------------------------------------------------------------- */

CHECK(out_comes_in_order_through_any_scratch)
{
    static const size_t lens[] = {1, 7, 4096, 0};
    struct drive process;
    enum { ROOM = 64 * 1024 };
    char *expected = malloc(ROOM);
    size_t len = 0;

    assert_non_null(expected);
    for (int i = 1; i <= 3000; i++)
        len += (size_t)snprintf(expected + len, ROOM - len, "%d\n", i);
    for (size_t i = 0; i < COUNT(lens); i++) {
        drive_start(&process, road, opened,
                    "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo $i; done");
        process.scratch_len = lens[i];
        assert_true(drive_until(&process, "E", DRIVE_PATIENCE_MS));
        assert_int_equal(process.out_len, len);
        assert_memory_equal(process.out, expected, len);
        drive_finish(&process);
    }
    free(expected);
}

CHECK(err_is_kept_apart_from_out)
{
    struct drive process;

    drive_start(&process, road, opened, "echo one; echo two >&2; echo three; echo four >&2");
    assert_true(drive_until(&process, "X", DRIVE_PATIENCE_MS));
    (void)drive_until(&process, "E", DRIVE_PATIENCE_MS);
    assert_string_equal(process.out, "one\nthree\n");
    assert_string_equal(process.err, "two\nfour\n");
    drive_finish(&process);
}

CHECK(every_byte_travels_both_ways)
{
    struct drive process;
    char bytes[256 * 64];

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (char)(i * 7 + i / 256);
    drive_start(&process, road, opened, "exec head -c 16384");
    assert_true(drive_until(&process, "O", DRIVE_PATIENCE_MS));
    assert_true(drive_send(&process, span_of(bytes, sizeof(bytes)), DRIVE_PATIENCE_MS));
    assert_true(drive_until(&process, "E", DRIVE_PATIENCE_MS));
    assert_int_equal(process.out_len, sizeof(bytes));
    assert_memory_equal(process.out, bytes, sizeof(bytes));
    drive_finish(&process);
}

CHECK(a_flood_on_one_stream_does_not_hide_the_other)
{
    struct drive process;

    drive_start(&process, road, opened, "yes >&2 & echo here; exec yes");
    int64_t until_us = drive_deadline(&process, DRIVE_PATIENCE_MS);
    while ((process.out_total < 1000000 || process.err_total < 1000000) &&
           drive_now_us() < until_us) {
        if (drive_listen(&process) == ERRAND_AGAIN)
            drive_sleep(&process, false, until_us);
    }
    assert_true(process.out_total >= 1000000);
    assert_true(process.err_total >= 1000000);
    drive_finish(&process);
}

/* --- EOF and EXITED ------------------------------------------------------------------------ */

CHECK(eof_may_come_before_exited)
{
    struct drive process;

    drive_start(&process, road, opened, "exec >&- 2>&-; sleep 0.2; exit 5");
    if ((road->lacks & CONTRACT_LACKS_EOF_FIRST) == 0) {
        assert_true(drive_until(&process, "E", DRIVE_PATIENCE_MS));
        assert_false(drive_heard(&process, 'X'));
    }
    assert_true(drive_until(&process, "X", DRIVE_PATIENCE_MS));
    assert_true(drive_until(&process, "E", DRIVE_PATIENCE_MS));
    assert_int_equal(process.exit_code, 5);
    drive_finish(&process);
}

static bool is_held(const struct drive_road *road)
{
    return (road->lacks & CONTRACT_LACKS_EXIT_HELD) != 0;
}

/* What holds the pipe is of its group, and dies; that it had exited before is told then. */
static void tell_to_go_if_held(struct drive *process)
{
    if (!is_held(process->road))
        return;
    assert_true(drive_until(process, "O", DRIVE_PATIENCE_MS));
    assert_false(drive_until(process, "X", 300));
    drive_stop(process, ERRAND_STOP_TERM);
}

CHECK(exited_comes_while_a_grandchild_holds_the_pipe)
{
    struct drive process;

    drive_start(&process, road, opened, "sleep 60 & exit 6");
    tell_to_go_if_held(&process);
    assert_true(drive_until(&process, "X", DRIVE_PATIENCE_MS));
    if (!is_held(road))
        assert_false(drive_heard(&process, 'E'));
    assert_int_equal(process.exit_code, 6);
    drive_finish(&process);
}

CHECK(what_was_written_last_comes_before_exited)
{
    struct drive process;

    bool zero = (road->lacks & CONTRACT_LACKS_EXIT_ZERO) == 0;
    drive_start(&process, road, opened,
                is_held(road) ? "head -c 100000 /dev/zero; echo end; exit 0"
                : zero        ? "sleep 60 & head -c 100000 /dev/zero; echo end; exit 0"
                              : "sleep 60 & head -c 100000 /dev/zero; echo end; exit 1");
    process.scratch_len = 4096;
    assert_true(drive_until(&process, "X", DRIVE_PATIENCE_MS));
    assert_int_equal(process.out_len, 100004);
    assert_string_equal(process.out + 100000, "end\n");
    drive_finish(&process);
}

CHECK(exited_comes_although_a_grandchild_floods_the_pipe)
{
    struct drive process;

    drive_start(&process, road, opened, "yes & sleep 0.1; exit 8");
    process.scratch_len = 512;
    tell_to_go_if_held(&process);
    assert_true(drive_until(&process, "X", DRIVE_PATIENCE_MS));
    assert_int_equal(process.exit_code, 8);
    drive_finish(&process);
}

CHECK(a_signal_is_told)
{
    struct drive process;

    drive_start(&process, road, opened, "kill -9 $$");
    assert_true(drive_until(&process, "X", DRIVE_PATIENCE_MS));
    if ((road->lacks & CONTRACT_LACKS_EXIT_SIGNAL) == 0)
        assert_int_equal(process.exit_signal, 9);
    drive_finish(&process);
}

/* --- send ---------------------------------------------------------------------------------- */

CHECK(send_takes_a_prefix_and_the_rest_later)
{
    struct drive process;
    enum { LEN = 4 * 1024 * 1024 };
    char *bytes = calloc(1, LEN);
    errand_span rest = span_of(bytes, LEN);

    assert_non_null(bytes);
    drive_start(&process, road, opened, "sleep 0.3; wc -c");
    assert_true(drive_until(&process, "O", DRIVE_PATIENCE_MS));
    bool refused = false;
    int64_t until_us = drive_deadline(&process, DRIVE_PATIENCE_MS);
    /* At first none may be taken: the other side has to say how much it can hold. */
    while ((!refused || rest.len == LEN) && rest.len > 0 && drive_now_us() < until_us) {
        size_t taken = drive_send_once(&process, rest);
        rest = span_after(rest, taken);
        refused = taken == 0;
    }
    assert_true(refused);
    assert_true(rest.len < LEN);
    assert_true(drive_send(&process, rest, DRIVE_PATIENCE_MS));
    free(bytes);
    drive_finish(&process);
}

CHECK(sending_nothing_is_fine)
{
    struct drive process;

    drive_start(&process, road, opened, "exec sleep 60");
    assert_true(drive_until(&process, "O", DRIVE_PATIENCE_MS));
    assert_int_equal(drive_send_once(&process, SPAN_EMPTY), 0);
    drive_finish(&process);
}

CHECK(what_a_dead_process_can_t_take_is_dropped)
{
    struct drive process;
    enum { LEN = 64 * 1024 * 1024 };
    char *bytes = calloc(1, LEN);

    assert_non_null(bytes);
    drive_start(&process, road, opened, "exit 7");
    assert_true(drive_until(&process, "O", DRIVE_PATIENCE_MS));
    assert_true(drive_send(&process, span_of(bytes, LEN), DRIVE_PATIENCE_MS));
    assert_true(drive_until(&process, "X", DRIVE_PATIENCE_MS));
    assert_int_equal(process.exit_code, 7);
    assert_true(drive_send(&process, span_of(bytes, 100), DRIVE_PATIENCE_MS));
    free(bytes);
    drive_finish(&process);
}

/* --- stop ---------------------------------------------------------------------------------- */

CHECK(term_ends_a_plain_process)
{
    struct drive process;

    drive_start(&process, road, opened, "echo up; exec sleep 60");
    assert_true(drive_until(&process, "o", DRIVE_PATIENCE_MS));
    drive_stop(&process, ERRAND_STOP_TERM);
    assert_true(drive_until(&process, "X", DRIVE_PATIENCE_MS));
    drive_finish(&process);
}

CHECK(term_reaches_the_group)
{
    struct drive process;

    drive_start(&process, road, opened, "sh -c \"sleep 60\" & echo up; wait");
    assert_true(drive_until(&process, "o", DRIVE_PATIENCE_MS));
    drive_stop(&process, ERRAND_STOP_TERM);
    assert_true(drive_until(&process, "X", DRIVE_PATIENCE_MS));
    if ((road->lacks & CONTRACT_LACKS_GROUPS) == 0)
        assert_true(drive_until(&process, "E", DRIVE_PATIENCE_MS));
    drive_finish(&process);
}

CHECK(term_may_be_ignored_and_kill_not)
{
    struct drive process;

    drive_start(&process, road, opened, "trap \"\" TERM; echo up; while :; do sleep 1; done");
    assert_true(drive_until(&process, "o", DRIVE_PATIENCE_MS));
    drive_stop(&process, ERRAND_STOP_TERM);
    if ((road->lacks & CONTRACT_LACKS_TERM) == 0)
        assert_false(drive_until(&process, "X", 200));
    drive_stop(&process, ERRAND_STOP_KILL);
    assert_true(drive_until(&process, "X", DRIVE_PATIENCE_MS));
    drive_finish(&process);
}

CHECK(a_stopped_process_can_be_told_and_killed)
{
    struct drive process;

    for (int i = 0; i < 2; i++) {
        drive_start(&process, road, opened, "echo up; kill -STOP $$; sleep 60");
        assert_true(drive_until(&process, "o", DRIVE_PATIENCE_MS));
        assert_false(drive_until(&process, "X", 50));
        drive_stop(&process, i == 0 ? ERRAND_STOP_TERM : ERRAND_STOP_KILL);
        assert_true(drive_until(&process, "X", DRIVE_PATIENCE_MS));
        drive_finish(&process);
    }
}

CHECK(stop_is_harmless_at_any_time)
{
    static const errand_stop ways[] = {ERRAND_STOP_TERM, ERRAND_STOP_KILL};
    struct drive process;

    drive_start(&process, road, opened, "exit 0");
    assert_true(drive_until(&process, "X", DRIVE_PATIENCE_MS));
    for (size_t i = 0; i < COUNT(ways); i++)
        drive_stop(&process, ways[i]);
    drive_stop(&process, ERRAND_STOP_CLOSE);
    for (size_t i = 0; i < COUNT(ways); i++)
        drive_stop(&process, ways[i]);
    assert_true(drive_until(&process, "C", DRIVE_PATIENCE_MS));
    for (size_t i = 0; i < COUNT(ways); i++)
        drive_stop(&process, ways[i]);
    drive_stop(&process, ERRAND_STOP_CLOSE);
    assert_false(drive_until(&process, "-", 20));
    drive_finish(&process);
}

CHECK(stop_before_opened_is_heeded)
{
    static const errand_stop ways[] = {ERRAND_STOP_TERM, ERRAND_STOP_KILL};
    struct drive process;

    for (size_t i = 0; i < COUNT(ways); i++) {
        drive_start(&process, road, opened, "exec sleep 60");
        drive_stop(&process, ways[i]);
        assert_true(drive_until(&process, "X", DRIVE_PATIENCE_MS));
        drive_finish(&process);
    }
}

/* --- CLOSED -------------------------------------------------------------------------------- */

CHECK(closed_is_the_last)
{
    struct drive process;
    struct pollfd fds[FDS_MOST];
    int64_t due_us = 0;

    drive_start(&process, road, opened, "echo out; exit 0");
    assert_true(drive_until(&process, "X", DRIVE_PATIENCE_MS));
    assert_false(drive_until(&process, "C", 50)); /* Not without an order. */
    drive_stop(&process, ERRAND_STOP_CLOSE);
    assert_true(drive_until(&process, "C", DRIVE_PATIENCE_MS));
    for (int i = 0; i < 3; i++)
        assert_int_equal(drive_listen(&process), ERRAND_AGAIN);
    errand_process *self = process.process;
    assert_int_equal(self->ops->wants(self, 1, 1, fds, FDS_MOST, &due_us), 0);
    assert_true(due_us == TIME_NEVER);
    assert_string_equal(process.closed, "");
    drive_finish(&process);
}

CHECK(close_ends_what_runs)
{
    static const char *const lines[] = {
        "exec sleep 60", "trap \"\" TERM HUP INT; echo; while :; do sleep 1; done",
        "yes & yes >&2 & while :; do :; done", "kill -STOP $$; sleep 60"};
    struct drive process;

    for (size_t i = 0; i < COUNT(lines); i++) {
        drive_start(&process, road, opened, lines[i]);
        assert_true(drive_until(&process, "O", DRIVE_PATIENCE_MS));
        (void)drive_until(&process, "X", 30);
        drive_finish(&process);
    }
}

CHECK(close_before_opened_is_answered)
{
    struct drive process;

    drive_start(&process, road, opened, "exec sleep 60");
    drive_stop(&process, ERRAND_STOP_CLOSE);
    assert_true(drive_until(&process, "C", DRIVE_PATIENCE_MS));
    drive_finish(&process);
}

/* --- wants --------------------------------------------------------------------------------- */

static short wanted(struct drive *process, int reading, int writing, int64_t *due_us)
{
    struct pollfd fds[FDS_MOST];
    errand_process *self = process->process;
    size_t count = self->ops->wants(self, reading, writing, fds, FDS_MOST, due_us);
    short events = 0;

    assert_true(count <= FDS_MOST);
    assert_int_equal(self->ops->wants(self, reading, writing, NULL, 0, due_us), count);
    for (size_t i = 0; i < count; i++) {
        assert_true(fds[i].fd >= 0);
        assert_int_not_equal(fds[i].events, 0);
        events = (short)(events | fds[i].events);
    }
    return events;
}

CHECK(wants_leaves_out_what_is_not_wanted)
{
    struct drive process;
    int64_t due_us = 0;

    drive_start(&process, road, opened, "echo out; exec sleep 60");
    assert_true(drive_until(&process, "o", DRIVE_PATIENCE_MS));
    assert_int_equal(wanted(&process, 0, 0, &due_us), 0);
    assert_true(due_us == TIME_NEVER);
    assert_int_not_equal(wanted(&process, 1, 0, &due_us) & POLLIN, 0);
    assert_int_not_equal(wanted(&process, 0, 1, &due_us), 0);
    drive_stop(&process, ERRAND_STOP_CLOSE);
    assert_int_equal(wanted(&process, 0, 0, &due_us), 0);
    assert_true(due_us == TIME_NEVER);
    drive_finish(&process);
}

CHECK(nothing_blocks)
{
    struct drive process;

    drive_start(&process, road, opened, "exec sleep 60");
    assert_true(drive_until(&process, "O", DRIVE_PATIENCE_MS));
    while (drive_listen(&process) == ERRAND_OK)
        continue;
    int64_t before_us = drive_now_us();
    for (int i = 0; i < 100; i++)
        assert_int_equal(drive_listen(&process), ERRAND_AGAIN);
    assert_true(drive_now_us() - before_us < 1000000);
    drive_finish(&process);
}

/* --- free ---------------------------------------------------------------------------------- */

CHECK(free_works_from_any_state)
{
    static const char story[] = "-OoTKXcC";
    struct drive process;

    for (const char *state = story; *state != '\0'; state++) {
        drive_start(&process, road, opened,
                    strchr("XcC", *state) != NULL ? "echo out; exit 0" : "echo out; exec sleep 60");
        if (*state != '-')
            assert_true(drive_until(&process, *state == 'O' ? "O" : "o", DRIVE_PATIENCE_MS));
        if (strchr("XcC", *state) != NULL)
            assert_true(drive_until(&process, "X", DRIVE_PATIENCE_MS));
        if (*state == 'T' || *state == 'K')
            drive_stop(&process, *state == 'T' ? ERRAND_STOP_TERM : ERRAND_STOP_KILL);
        if (*state == 'c' || *state == 'C')
            drive_stop(&process, ERRAND_STOP_CLOSE);
        if (*state == 'C')
            assert_true(drive_until(&process, "C", DRIVE_PATIENCE_MS));
        drive_drop(&process);
    }
}

/* --- Many ---------------------------------------------------------------------------------- */

CHECK(many_at_once_do_not_mix)
{
    enum { MANY = 30 };
    static struct drive many[MANY];
    char text[32];

    for (size_t i = 0; i < MANY; i++)
        drive_start(&many[i], road, opened, "read x; echo $x; exit 0");
    for (size_t i = 0; i < MANY; i++) {
        assert_true(drive_until(&many[i], "O", DRIVE_PATIENCE_MS));
        (void)snprintf(text, sizeof(text), "number %zu\n", i);
        assert_true(drive_send(&many[i], span_text(text), DRIVE_PATIENCE_MS));
    }
    for (size_t i = 0; i < MANY; i++) {
        (void)snprintf(text, sizeof(text), "number %zu\n", i);
        assert_true(drive_until(&many[i], "E", DRIVE_PATIENCE_MS));
        assert_string_equal(many[i].out, text);
        drive_finish(&many[i]);
    }
}

/* --- The table ----------------------------------------------------------------------------- */

#define LISTED(name) \
    {                \
#name, name  \
    }

const struct contract_check contract_checks[] = {
    LISTED(opened_comes_once_and_first),
    LISTED(opened_comes_while_the_process_is_silent),
    LISTED(out_comes_in_order_through_any_scratch),
    LISTED(err_is_kept_apart_from_out),
    LISTED(every_byte_travels_both_ways),
    LISTED(a_flood_on_one_stream_does_not_hide_the_other),
    LISTED(eof_may_come_before_exited),
    LISTED(exited_comes_while_a_grandchild_holds_the_pipe),
    LISTED(what_was_written_last_comes_before_exited),
    LISTED(exited_comes_although_a_grandchild_floods_the_pipe),
    LISTED(a_signal_is_told),
    LISTED(send_takes_a_prefix_and_the_rest_later),
    LISTED(sending_nothing_is_fine),
    LISTED(what_a_dead_process_can_t_take_is_dropped),
    LISTED(term_ends_a_plain_process),
    LISTED(term_reaches_the_group),
    LISTED(term_may_be_ignored_and_kill_not),
    LISTED(a_stopped_process_can_be_told_and_killed),
    LISTED(stop_is_harmless_at_any_time),
    LISTED(stop_before_opened_is_heeded),
    LISTED(closed_is_the_last),
    LISTED(close_ends_what_runs),
    LISTED(close_before_opened_is_answered),
    LISTED(wants_leaves_out_what_is_not_wanted),
    LISTED(nothing_blocks),
    LISTED(free_works_from_any_state),
    LISTED(many_at_once_do_not_mix),
};
const size_t contract_checks_count = COUNT(contract_checks);

/* --- Running them -------------------------------------------------------------------------- */

void contract_run(const struct contract_check *check, const struct drive_road *road)
{
    struct balance before = balance_now();
    errand_road *opened = drive_open(road);

    check->run(road, opened);
    drive_close(opened);
    assert_balance(&before);
}

static const struct drive_road *all_roads;
static size_t all_roads_count;

static void run_over_all(void **state)
{
    for (size_t i = 0; i < all_roads_count; i++)
        contract_run(*state, &all_roads[i]);
}

int contract_main(const char *title, const struct drive_road *roads, size_t roads_count,
                  CMFixtureFunction begin, CMFixtureFunction end)
{
    struct CMUnitTest tests[COUNT(contract_checks)];

    all_roads = roads;
    all_roads_count = roads_count;
    for (size_t i = 0; i < COUNT(tests); i++)
        tests[i] = (struct CMUnitTest){.name = contract_checks[i].name,
                                       .test_func = run_over_all,
                                       .initial_state = (void *)(uintptr_t)&contract_checks[i]};
    /* The macro of cmocka would call the group "tests". */
    return _cmocka_run_group_tests(title, tests, COUNT(tests), begin, end);
}
