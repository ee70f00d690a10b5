/* What ends a run, who wins, and how it is made to leave: pipes, processes, cancelling, loss. */
#include "test.h"

#include "base/err.h"
#include "played.h"

/* --- Ends of pipes and processes ---------------------------------------------------------- */

static void test_core_ends__exit_0_is_no_success(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        struct play play = play_begun_plainly();
        if (order == 0)
            play_eof(&play);
        play_exited(&play, 0, 0);
        if (order == 1)
            play_eof(&play);
        play_closed(&play);
        assert_outcome(&play, WORKER_EXIT, "runner_exited");
        assert_span(play.end->message,
                    "the runner exited before the program was done (exit code 0)");
        assert_int_equal(play.end->outcome_unknown, 0);
        assert_int_equal(errand_outcome_exit_code(play.end), 4);
        play_deinit(&play);
    }
}

static void test_core_ends__a_done_in_the_pipe_counts_after_the_exit(void **state)
{
    struct play play = play_begun_plainly();
    (void)state;

    play_exited(&play, 0, 0);
    play_pass(&play, 999);
    assert_int_equal(errand__core_phase(play.core), CORE_RUNNING);
    play_out(&play, PLAY_VALUE);
    play_eof(&play);
    play_closed(&play);
    assert_outcome(&play, VALUE, "");
    assert_string_equal(play.orders, "C");
    play_deinit(&play);
}

static void test_core_ends__an_exit_is_believed_after_leave_ms(void **state)
{
    struct play play = play_begun_plainly();
    (void)state;

    play_exited(&play, 3, 0);
    play_pass(&play, 999);
    assert_int_equal(errand__core_phase(play.core), CORE_RUNNING);
    play_pass(&play, 1);
    assert_int_equal(errand__core_phase(play.core), CORE_CLOSING);
    play_closed(&play);
    assert_outcome(&play, WORKER_EXIT, "runner_exited");
    assert_int_equal(play.end->exit_code, 3);
    assert_says(&play, "warning the process exited and something still holds its output open\n");
    play_deinit(&play);
}

static void test_core_ends__eof_waits_a_little_for_the_exit_code(void **state)
{
    struct play play = play_begun_plainly();
    (void)state;

    play_frame(&play, "call 1 0 0", "1");
    play_eof(&play);
    play_pass(&play, 500);
    assert_string_equal(play.orders, "");
    play_exited(&play, 9, 0);
    play_closed(&play);
    assert_outcome(&play, WORKER_EXIT, "runner_exited");
    assert_int_equal(play.end->exit_code, 9);
    assert_int_equal(play.end->outcome_unknown, 1);
    play_deinit(&play);
}

static void test_core_ends__eof_without_exit_climbs(void **state)
{
    struct play play = play_begun_plainly();
    (void)state;

    play_eof(&play);
    play_pass(&play, 1000);
    assert_string_equal(play.orders, "T");
    play_pass(&play, 2000);
    assert_string_equal(play.orders, "TK");
    play_exited(&play, -1, 9);
    play_closed(&play);
    assert_outcome(&play, WORKER_EXIT, "runner_exited");
    assert_int_equal(play.end->exit_signal, 9);
    play_deinit(&play);
}

static void test_core_ends__a_torn_frame_at_the_exit_is_a_warning(void **state)
{
    static const char *const streams[] = {"call 1 0", "call 1 0 0 10\n123"};
    (void)state;

    for (size_t i = 0; i < COUNT(streams); i++) {
        struct play play = play_begun_plainly();
        play_out(&play, streams[i]);
        play_exited(&play, 1, 0);
        play_eof(&play);
        play_closed(&play);
        assert_outcome(&play, WORKER_EXIT, "runner_exited");
        assert_says(&play, "warning the last frame was torn");
        play_deinit(&play);
    }
}

/* A value that was cut on its way is no second end. */
static void test_core_ends__a_torn_value_is_told_as_such(void **state)
{
    struct play play = play_begun_plainly();
    (void)state;

    play_out(&play, "done ok 12\n\"half");
    play_exited(&play, 0, 0);
    play_eof(&play);
    play_closed(&play);
    assert_outcome(&play, WORKER_EXIT, "runner_exited");
    assert_int_equal(play.end->warnings_count, 1);
    assert_string_equal(play.end->warnings[0],
                        "the last frame was torn: done ok, of 12 bytes came 5");
    play_deinit(&play);
}

/* Nothing that is refused anyway is waited for, let alone stored. */
static void test_core_ends__a_header_alone_is_refused(void **state)
{
    static const struct {
        const char *stream, *kind, *code, *limit;
    } cases[] = {
        {"call 1 7 0 200000000\n", "worker-exit", "protocol", NULL},
        {"call 1 0 7 200000000\n", "worker-exit", "protocol", NULL},
        {"call 1 0 0 0\n\ncall 1 0 0 200000000\n", "worker-exit", "protocol", NULL},
        {"call 1 0 0 0\n\ncall 2 0 0 0\n\ncall 3 0 0 200000000\n", "worker-exit", "protocol",
         "calls_open"},
        {"stats 2\n{}\nstats 2\n", "worker-exit", "protocol", NULL},
        {"stats 65537\n", "worker-exit", "protocol", NULL},
        {"store 37\n{\"set\":{\"a\":1},\"delete\":[\"b\",\"c\"]}\nstore 2\n", "worker-exit",
         "protocol", NULL},
        {"store 9437249\n", "worker-exit", "protocol", NULL},
        {"item 999\n", "output-limit", "output_limit", "output_bytes"},
        {"item 30\n{\"type\":\"text\",\"text\":\"Turin\"}\nitem 968\n", "output-limit",
         "output_limit", "output_bytes"},
        {"log info 1015\n", "output-limit", "output_limit", "output_bytes"},
        {"done error 263143\n", "output-limit", "output_limit", "output_bytes"},
        {"done ok 999\n", "output-limit", "output_limit", "output_bytes"},
    };
    (void)state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct core_setup setup = play_setup();
        setup.limits.output_bytes = 1000;
        setup.limits.calls_open = 2;
        struct play play = play_begun(&setup);
        play_out(&play, cases[i].stream);
        assert_int_equal(errand__core_phase(play.core), CORE_LEAVING);
        play_over(&play);
        assert_string_equal(errand_kind_name(play.end->kind), cases[i].kind);
        assert_string_equal(play.end->code, cases[i].code);
        if (cases[i].limit != NULL)
            assert_string_equal(play.end->limit, cases[i].limit);
        play_deinit(&play);
    }
}

/* One byte less may yet be something. */
static void test_core_ends__what_may_fit_is_waited_for(void **state)
{
    static const char *const streams[] = {"log info 1014\n", "done error 263142\n", "done ok 998\n",
                                          "stats 65536\n", "call 1 0 0 1000000\n"};
    (void)state;

    for (size_t i = 0; i < COUNT(streams); i++) {
        struct core_setup setup = play_setup();
        setup.limits.output_bytes = 1000;
        struct play play = play_begun(&setup);
        play_out(&play, streams[i]);
        assert_int_equal(errand__core_phase(play.core), CORE_RUNNING);
        play_deinit(&play);
    }
}

static void test_core_ends__out_of_memory_by_its_signs(void **state)
{
    static const struct {
        int code, signal;
        const char *words, *ending;
    } cases[] = {
        {134, 0, "", "out_of_memory"},
        {-1, 6, "", "out_of_memory"},
        {-1, 9, "", "runner_exited"},
        {-1, 9, "FATAL ERROR: JavaScript heap out of memory\n", "out_of_memory"},
        {137, 0, "Allocation failed\n", "out_of_memory"},
        {5, 0, "Allocation failed\n", "runner_exited"},
    };
    (void)state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct play play = play_begun_plainly();
        play_err(&play, cases[i].words);
        play_eof(&play);
        play_exited(&play, cases[i].code, cases[i].signal);
        play_closed(&play);
        assert_outcome(&play, WORKER_EXIT, cases[i].ending);
        if (strcmp(cases[i].ending, "out_of_memory") == 0)
            assert_string_equal(play.end->limit, "heap_mb");
        play_deinit(&play);
    }
}

/* --- Cancel, loss, the ladder ------------------------------------------------------------- */

static void test_core_ends__cancel_before_it_opened(void **state)
{
    struct core_setup setup = play_setup();
    struct play play;
    (void)state;

    play_init(&play, &setup);
    play_cancel(&play, "changed my mind");
    assert_string_equal(play.orders, "C");
    assert_null(play.end);
    play_opened(&play);
    assert_int_equal(play.sent_len, 0);
    play_closed(&play);
    assert_outcome(&play, ABORT, "cancelled");
    assert_span(play.end->message, "changed my mind");
    play_deinit(&play);

    /* Nobody answers CLOSE. */
    play_init(&play, &setup);
    play_cancel(&play, NULL);
    play_pass(&play, 9999);
    assert_null(play.end);
    play_pass(&play, 1);
    assert_outcome(&play, WORKER_EXIT, "abandoned");
    assert_int_equal(play.end->abandoned, 1);
    play_deinit(&play);
}

static void test_core_ends__cancel_while_booting(void **state)
{
    struct core_setup setup = play_setup();
    struct play play = play_begun_opened(&setup);
    (void)state;

    play_cancel(&play, NULL);
    assert_string_equal(play.orders, "T");
    assert_null(strstr(play.sent, "stop"));
    play_out(&play, PLAY_HELLO);
    play_over(&play);
    assert_outcome(&play, ABORT, "cancelled");
    play_deinit(&play);
}

static void test_core_ends__the_second_cancel_kills(void **state)
{
    struct play play = play_begun_plainly();
    (void)state;

    play_cancel(&play, NULL);
    assert_string_equal(play.orders, "");
    play_cancel(&play, NULL);
    assert_string_equal(play.orders, "K");
    play_cancel(&play, NULL);
    assert_string_equal(play.orders, "K");
    play_exited(&play, -1, 9);
    play_eof(&play);
    play_closed(&play);
    assert_outcome(&play, ABORT, "cancelled");
    assert_int_equal(play.end->warnings_count, 0);
    play_deinit(&play);
}

static void test_core_ends__the_ladder_ends_in_abandoned(void **state)
{
    struct play play = play_begun_plainly();
    (void)state;

    play_frame(&play, "done ok", "\"kept\"");
    play_pass(&play, 1000);
    assert_string_equal(play.orders, "T");
    play_pass(&play, 2000);
    assert_string_equal(play.orders, "TK");
    play_pass(&play, 5000);
    assert_string_equal(play.orders, "TKC");
    play_pass(&play, 10000);
    assert_outcome(&play, WORKER_EXIT, "abandoned");
    assert_int_equal(play.end->abandoned, 1);
    assert_int_equal(play.end->outcome_unknown, 0);
    assert_span(play.end->value, "\"kept\"");
    assert_says(&play, "warning abandoned; it had ended as a value\n");
    play_deinit(&play);
}

static void test_core_ends__closed_shows_that_all_is_clear(void **state)
{
    struct play play = play_begun_plainly();
    (void)state;

    play_out(&play, PLAY_VALUE);
    play_pass(&play, 8000);
    assert_string_equal(play.orders, "TKC");
    errand__core_closed(play.core, play.now_us, SPAN_LITERAL("2 processes had to be killed"));
    play_drain(&play);
    assert_outcome(&play, VALUE, "");
    assert_says(&play, "warning 2 processes had to be killed\n");
    play_deinit(&play);
}

static void lose(struct play *play, const char *code)
{
    errand_error why = {0};

    (void)errand__fail(&why, ERRAND_EIO, 0, "ssh: the road is gone");
    errand__core_lost(play->core, play->now_us, code, &why);
    play_drain(play);
}

/* As after the loss of a road that says it may work later. */
static void assert_prospects(struct play *play, int retryable, int64_t after_ms, int may_be_running)
{
    assert_int_equal(play->end->retryable, retryable);
    assert_int_equal(play->end->retry_after_ms, after_ms);
    assert_int_equal(play->end->process_may_be_running, may_be_running);
    play_deinit(play);
}

/* Before the process. */
static struct play waiting(void)
{
    struct core_setup setup = play_setup();
    struct play play;

    play_init(&play, &setup);
    return play;
}

static void lose_for_now(struct play *play)
{
    errand_error why = {0};

    (void)errand__fail(&why, ERRAND_EIO, 0, "e2b: slower");
    errand__err_retryable(&why, 3000);
    errand__core_lost(play->core, play->now_us, "rate_limited", &why);
    play_drain(play);
}

static void test_core_ends__what_never_began_may_be_tried_again(void **state)
{
    struct play play = waiting();
    (void)state;

    lose_for_now(&play);
    play_closed(&play);
    assert_outcome(&play, WORKER_EXIT, "rate_limited");
    assert_prospects(&play, 1, 3000, 0);

    play = waiting();
    lose_for_now(&play);
    errand__core_closed_in_part(play.core, play.now_us, SPAN_LITERAL("nobody could look"));
    play_drain(&play);
    assert_says(&play, "warning nobody could look\n");
    assert_prospects(&play, 0, 0, 1);

    /* Of what it says once something else has decided, nothing is told. */
    play = waiting();
    play_opened(&play);
    play_cancel(&play, "enough");
    lose_for_now(&play);
    play_closed(&play);
    assert_outcome(&play, ABORT, "cancelled");
    assert_prospects(&play, 0, 0, 0);
}

static void test_core_ends__what_began_is_not_to_be_tried_again(void **state)
{
    struct play play = play_begun_plainly();
    (void)state;

    lose_for_now(&play);
    play_closed(&play);
    assert_prospects(&play, 0, 0, 0);

    /* Nobody answers: it is abandoned. */
    play = play_begun_plainly();
    lose_for_now(&play);
    lose_for_now(&play);
    assert_int_equal(play.end->abandoned, 1);
    assert_prospects(&play, 0, 0, 1);
}

static void test_core_ends__a_lost_road(void **state)
{
    struct play play = play_begun_plainly();
    (void)state;

    play_frame(&play, "call 1 0 0", "1");
    lose(&play, NULL);
    assert_string_equal(play.orders, "C");
    play_closed(&play);
    assert_outcome(&play, WORKER_EXIT, "lost");
    assert_span(play.end->message, "ssh: the road is gone");
    assert_int_equal(play.end->outcome_unknown, 1);
    play_deinit(&play);

    /* By another word it is lost all the same. */
    play = play_begun_plainly();
    lose(&play, "sandbox_gone");
    play_closed(&play);
    assert_outcome(&play, WORKER_EXIT, "sandbox_gone");
    assert_int_equal(play.end->outcome_unknown, 1);
    play_deinit(&play);

    /* Twice: nobody is left who could answer. */
    play = play_begun_plainly();
    lose(&play, NULL);
    lose(&play, NULL);
    assert_outcome(&play, WORKER_EXIT, "lost");
    assert_int_equal(play.end->abandoned, 1);
    play_deinit(&play);

    /* After done it is a warning. */
    play = play_begun_plainly();
    play_out(&play, PLAY_VALUE);
    lose(&play, NULL);
    play_closed(&play);
    assert_outcome(&play, VALUE, "");
    assert_says(&play, "warning after the end: lost: ssh: the road is gone\n");
    play_deinit(&play);
}

static void test_core_ends__a_process_that_never_came(void **state)
{
    struct core_setup setup = play_setup();
    struct play play;
    char code[] = "spawn_failed";
    (void)state;

    play_init(&play, &setup);
    lose(&play, code);
    memset(code, 'x', sizeof(code) - 1);
    play_closed(&play);
    assert_outcome(&play, WORKER_EXIT, "spawn_failed");
    assert_int_equal(play.end->outcome_unknown, 0);
    play_deinit(&play);
}

static void test_core_ends__a_half_sent_frame_is_completed_before_stop(void **state)
{
    (void)state;
    for (size_t cut = 0; cut <= 17; cut++) {
        struct play play = play_begun_plainly();
        char sent[64] = "";
        play_out(&play, "call 1 0 0 0\n\ncall 2 0 0 0\n\n");
        assert_int_equal(errand__core_answer(play.core, 0, 1, true, SPAN_LITERAL("[1]"), NULL),
                         ERRAND_OK);
        assert_int_equal(errand__core_answer(play.core, 0, 2, true, SPAN_LITERAL("[2]"), NULL),
                         ERRAND_OK);
        memcpy(sent, errand__core_outbox(play.core).ptr, cut);
        errand__core_sent(play.core, cut);
        errand__core_cancel(play.core, 0, SPAN_EMPTY);
        errand_span rest = errand__core_outbox(play.core);
        assert_true(cut + rest.len < sizeof(sent));
        memcpy(sent + cut, rest.ptr, rest.len);
        assert_string_equal(sent, cut == 0 ? "stop 1000\n" : "reply 1 ok 3\n[1]\nstop 1000\n");
        play_deinit(&play);
    }
}

/* A runner that speaks before it can have read its boot message is none: nothing is torn. */
static void test_core_ends__no_stop_into_half_a_boot_message(void **state)
{
    struct core_setup setup = play_setup();
    struct play play;
    errand_event event;
    (void)state;

    play_init(&play, &setup);
    errand__core_opened(play.core, 0);
    errand__core_sent(play.core, 4);
    errand__core_out(play.core, 0, SPAN_LITERAL(PLAY_HELLO));
    assert_true(errand__core_event(play.core, &event));
    errand__core_cancel(play.core, 0, SPAN_EMPTY);
    assert_int_equal(errand__core_outbox(play.core).len, 0);
    assert_int_equal(errand__core_order(play.core), CORE_ORDER_TERM);
    play_deinit(&play);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_core_ends__exit_0_is_no_success),
        cmocka_unit_test(test_core_ends__a_done_in_the_pipe_counts_after_the_exit),
        cmocka_unit_test(test_core_ends__an_exit_is_believed_after_leave_ms),
        cmocka_unit_test(test_core_ends__eof_waits_a_little_for_the_exit_code),
        cmocka_unit_test(test_core_ends__eof_without_exit_climbs),
        cmocka_unit_test(test_core_ends__a_torn_frame_at_the_exit_is_a_warning),
        cmocka_unit_test(test_core_ends__a_torn_value_is_told_as_such),
        cmocka_unit_test(test_core_ends__a_header_alone_is_refused),
        cmocka_unit_test(test_core_ends__what_may_fit_is_waited_for),
        cmocka_unit_test(test_core_ends__out_of_memory_by_its_signs),
        cmocka_unit_test(test_core_ends__cancel_before_it_opened),
        cmocka_unit_test(test_core_ends__cancel_while_booting),
        cmocka_unit_test(test_core_ends__the_second_cancel_kills),
        cmocka_unit_test(test_core_ends__the_ladder_ends_in_abandoned),
        cmocka_unit_test(test_core_ends__closed_shows_that_all_is_clear),
        cmocka_unit_test(test_core_ends__what_never_began_may_be_tried_again),
        cmocka_unit_test(test_core_ends__what_began_is_not_to_be_tried_again),
        cmocka_unit_test(test_core_ends__a_lost_road),
        cmocka_unit_test(test_core_ends__a_process_that_never_came),
        cmocka_unit_test(test_core_ends__a_half_sent_frame_is_completed_before_stop),
        cmocka_unit_test(test_core_ends__no_stop_into_half_a_boot_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
