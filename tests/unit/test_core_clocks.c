/* The clocks of a run, one by one. Time is an argument. */
#include "test.h"

#include "played.h"

static void test_core_clocks__open_ms(void **state)
{
    struct core_setup setup = play_setup();
    struct play play;
    (void)state;

    play_init(&play, &setup);
    play_pass(&play, 59999);
    assert_string_equal(play.orders, "");
    play_pass(&play, 1);
    assert_string_equal(play.orders, "C");
    play_closed(&play);
    assert_outcome(&play, WORKER_EXIT, "open_timeout");
    assert_string_equal(play.end->limit, "open_ms");
    play_deinit(&play);
}

static void test_core_clocks__boot_ms(void **state)
{
    struct core_setup setup = play_setup();
    struct play play;
    (void)state;

    play_init(&play, &setup);
    play_pass(&play, 100);
    play_opened(&play);
    play_err(&play, "loading\n");
    play_pass(&play, 29999);
    assert_string_equal(play.orders, "");
    play_pass(&play, 1);
    assert_string_equal(play.orders, "T");
    play_over(&play);
    assert_outcome(&play, WORKER_EXIT, "boot_timeout");
    assert_string_equal(play.end->limit, "boot_ms");
    assert_says(&play, "begins: loading");
    assert_int_equal(play.end->timing.open_us, 100000);
    assert_int_equal(play.end->timing.boot_us, 30000000);
    play_deinit(&play);
}

static void test_core_clocks__wall_ms_is_told_with_its_stop(void **state)
{
    struct core_setup setup = play_setup();
    (void)state;

    setup.limits.wall_ms = 400;
    struct play play = play_begun(&setup);
    play_pass(&play, 399);
    assert_string_equal(play.orders, "");
    play_pass(&play, 1);
    assert_string_equal(play.orders, "T");
    assert_non_null(strstr(play.sent, "stop 2000\n"));
    play_pass(&play, 1999);
    assert_string_equal(play.orders, "T");
    play_pass(&play, 1);
    assert_string_equal(play.orders, "TK");
    play_exited(&play, -1, 9);
    play_eof(&play);
    play_closed(&play);
    assert_outcome(&play, TIMEOUT, "wall_timeout");
    assert_string_equal(play.end->limit, "wall_ms");
    assert_span(play.end->message, "wall-clock ceiling reached (400ms)");
    assert_int_equal(play.end->timing.run_us, 400000);
    assert_int_equal(play.end->timing.drain_us, 2000000);
    assert_int_equal(errand_outcome_exit_code(play.end), 3);
    play_deinit(&play);
}

static void test_core_clocks__a_held_call_stops_the_wall(void **state)
{
    struct core_setup setup = play_setup();
    (void)state;

    setup.limits.wall_ms = 1000;
    struct play play = play_begun(&setup);
    play_out(&play, "call 1 0 0 0\n\ncall 2 0 0 0\n\n");
    play_pass(&play, 500);
    assert_int_equal(errand__core_hold(play.core, play.now_us, 1, true, NULL), ERRAND_OK);
    play_pass(&play, 700);
    assert_int_equal(errand__core_hold(play.core, play.now_us, 2, true, NULL), ERRAND_OK);
    play_pass(&play, 700);
    assert_int_equal(errand__core_hold(play.core, play.now_us, 1, false, NULL), ERRAND_OK);
    play_pass(&play, 600);
    play_answer(&play, 2, "1");
    assert_int_equal(errand__core_due(play.core), (int64_t)3000 * 1000);
    play_pass(&play, 499);
    assert_string_equal(play.orders, "");
    play_pass(&play, 1);
    assert_string_equal(play.orders, "T");
    play_over(&play);
    assert_outcome(&play, TIMEOUT, "wall_timeout");
    assert_int_equal(play.end->timing.held_us, 2000000);
    assert_int_equal(play.end->timing.waiting_us, 3000000);
    play_deinit(&play);
}

static void test_core_clocks__idle_counts_alone(void **state)
{
    struct core_setup setup = play_setup();
    (void)state;

    setup.limits.idle_ms = 100;
    struct play play = play_begun(&setup);
    play_pass(&play, 90);
    play_frame(&play, "log info", "\"x\"");
    play_pass(&play, 90);
    play_frame(&play, "call 1 0 0", "1");
    play_pass(&play, 5000);
    assert_string_equal(play.orders, "");
    play_answer(&play, 1, "1");
    play_out(&play, "beat 0\n");
    play_pass(&play, 99);
    assert_string_equal(play.orders, "");
    play_pass(&play, 1);
    play_over(&play);
    assert_outcome(&play, TIMEOUT, "idle_timeout");
    assert_string_equal(play.end->limit, "idle_ms");
    play_deinit(&play);
}

static void test_core_clocks__a_call_times_out_and_the_run_goes_on(void **state)
{
    struct core_setup setup = play_setup();
    (void)state;

    setup.limits.call_ms = 100;
    struct play play = play_begun(&setup);
    play_frame(&play, "call 1 0 0", "1");
    play_pass(&play, 50);
    play_frame(&play, "call 2 0 0", "1");
    play_pass(&play, 50);
    assert_says(&play, "over 1 call_timeout\n");
    assert_false(play_says(&play, "over 2"));
    assert_non_null(strstr(play.sent, "\"message\":\"no answer within 100ms (call_ms)\","
                                      "\"code\":\"call_timeout\"}\n"));
    play_answer(&play, 2, "1");
    play_out(&play, PLAY_VALUE);
    play_over(&play);
    assert_outcome(&play, VALUE, "");
    assert_int_equal(play.end->calls[0].status, ERRAND_CALL_ERROR);
    play_deinit(&play);
}

static void test_core_clocks__an_approval_times_out(void **state)
{
    struct core_setup setup = play_setup();
    (void)state;

    setup.limits.approval_ms = 100;
    struct play play = play_begun(&setup);
    play_frame(&play, "call 1 0 0", "1");
    assert_int_equal(errand__core_hold(play.core, play.now_us, 1, true, NULL), ERRAND_OK);
    play_pass(&play, 100);
    assert_says(&play, "over 1 approval_timeout\n");
    assert_non_null(strstr(play.sent, "\"message\":\"nobody decided within 100ms (approval_ms)\","
                                      "\"code\":\"approval_timeout\"}\n"));
    assert_int_equal(errand__core_hold(play.core, play.now_us, 1, false, NULL), ERRAND_ESTATE);
    play_deinit(&play);
}

static void test_core_clocks__the_lease(void **state)
{
    struct core_setup setup = play_setup();
    (void)state;

    setup.limits.lease_ms = 3000;
    struct play play = play_begun(&setup);
    play_pass(&play, 2500);
    assert_non_null(strstr(play.sent, "ping 1\nping 2\n"));
    play_out(&play, "beat 2\n");
    play_pass(&play, 2999);
    assert_string_equal(play.orders, "");
    play_pass(&play, 1);
    assert_string_equal(play.orders, "T");
    play_over(&play);
    assert_outcome(&play, WORKER_EXIT, "lost");
    assert_string_equal(play.end->limit, "lease_ms");
    assert_int_equal(play.end->outcome_unknown, 1);
    play_deinit(&play);
}

static void test_core_clocks__a_done_in_the_inbox_beats_the_clock(void **state)
{
    struct core_setup setup = play_setup();
    errand_event event;
    (void)state;

    setup.limits.wall_ms = 100;
    struct play play = play_begun(&setup);
    errand__core_out(play.core, 50000, SPAN_LITERAL("log info 2\n\"\"\n" PLAY_VALUE));
    assert_true(errand__core_event(play.core, &event));
    assert_false(errand__core_thirsty(play.core));
    errand__core_tick(play.core, 200000);
    errand__core_cancel(play.core, 200000, SPAN_EMPTY);
    assert_true(errand__core_due(play.core) > 200000);
    play.now_us = 200000;
    play_drain(&play);
    play_over(&play);
    assert_outcome(&play, VALUE, "");
    play_deinit(&play);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_core_clocks__open_ms),
        cmocka_unit_test(test_core_clocks__boot_ms),
        cmocka_unit_test(test_core_clocks__wall_ms_is_told_with_its_stop),
        cmocka_unit_test(test_core_clocks__a_held_call_stops_the_wall),
        cmocka_unit_test(test_core_clocks__idle_counts_alone),
        cmocka_unit_test(test_core_clocks__a_call_times_out_and_the_run_goes_on),
        cmocka_unit_test(test_core_clocks__an_approval_times_out),
        cmocka_unit_test(test_core_clocks__the_lease),
        cmocka_unit_test(test_core_clocks__a_done_in_the_inbox_beats_the_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
