/* What runner and home say to each other while a program runs, and what is heard after the end. */
#include "test.h"

#include "played.h"

#include <stdio.h>
#include <stdlib.h>

/* --- The plain way ------------------------------------------------------------------------ */

static void test_core__open_hello_call_reply_done(void **state)
{
    struct play play = play_begun_plainly();
    (void)state;

    assert_says(&play, "started v22.4.1 4711\n");
    play_frame(&play, "call 1 0 1", "[2,3]");
    assert_says(&play, "call 1 tools.add [2,3]\n");
    play_answer(&play, 1, "5");
    play_frame(&play, "done ok", "{\"sum\":5}");
    assert_null(play.end);
    assert_string_equal(play.sent, "boot 2\n{}\nreply 1 ok 1\n5\nstop 1000\n");
    play_exited(&play, 0, 0);
    assert_null(play.end);
    play_eof(&play);
    assert_string_equal(play.orders, "C");
    assert_null(play.end);
    play_closed(&play);
    assert_outcome(&play, VALUE, "");
    assert_span(play.end->value, "{\"sum\":5}");
    assert_int_equal(play.end->abandoned, 0);
    assert_int_equal(play.end->exit_code, 0);
    assert_int_equal(play.end->frames_received, 3);
    assert_int_equal(play.end->frames_sent, 3);
    assert_int_equal(play.end->warnings_count, 0);
    assert_int_equal(errand__core_due(play.core), TIME_NEVER);
    play_deinit(&play);
}

/* hello with that member more. */
static void start_with(struct play *play, const char *more)
{
    char body[512], line[640];
    size_t len = strlen(PLAY_HELLO_BODY) - 1;

    (void)snprintf(body, sizeof(body), "%.*s%s}", (int)len, PLAY_HELLO_BODY, more);
    (void)snprintf(line, sizeof(line), "hello " PLAY_MARK " %zu\n%s\n", strlen(body), body);
    play_opened(play);
    play_out(play, line);
}

static void test_core__tells_how_sure_it_is_that_there_is_no_network(void **state)
{
    static const struct {
        bool offline, cut_off;
        const char *more, *network;
    } cases[] = {
        {true, false, ",\"network\":\"none\"", "enforced"}, {true, false, "", "advisory"},
        {true, false, ",\"network\":\"some\"", "advisory"}, {true, true, "", "enforced"},
        {false, false, ",\"network\":\"none\"", ""},
    };
    (void)state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct core_setup setup = play_setup();
        struct play play;
        setup.offline = cases[i].offline;
        setup.cut_off = cases[i].cut_off;
        play_init(&play, &setup);
        start_with(&play, cases[i].more);
        play_frame(&play, "stats", "{\"network\":\"none\"}");
        play_out(&play, PLAY_VALUE);
        play_over(&play);
        assert_string_equal(play.end->network, cases[i].network);
        play_deinit(&play);
    }
}

static void test_core__without_a_runner_nothing_is_said_of_the_network(void **state)
{
    struct core_setup setup = play_setup();
    struct play play;
    (void)state;

    setup.offline = setup.cut_off = true;
    play_init(&play, &setup);
    play_opened(&play);
    play_over(&play);
    assert_string_equal(play.end->network, "");
    play_deinit(&play);
}

static void test_core__undefined_has_no_value(void **state)
{
    struct play play = play_begun_plainly();
    (void)state;

    play_out(&play, "done ok 0\n\n");
    play_over(&play);
    assert_outcome(&play, VALUE, "");
    assert_int_equal(play.end->value.len, 0);
    play_deinit(&play);
}

static void test_core__head_boot_and_tail_go_out_in_order(void **state)
{
    struct core_setup setup = play_setup();
    struct play play;
    (void)state;

    setup.head = SPAN_LITERAL("head\n");
    setup.tail = SPAN_LITERAL("half.\n");
    play_init(&play, &setup);
    play_drain(&play);
    assert_int_equal(play.sent_len, 0);
    play_opened(&play);
    assert_string_equal(play.sent, "head\nboot 2\n{}\nhalf.\n");
    play_deinit(&play);
}

static void test_core__logs_keep_text_and_json(void **state)
{
    struct core_setup setup = play_setup();
    (void)state;

    setup.collect_logs = true;
    struct play play = play_begun(&setup);
    play_frame(&play, "log warn", "\"a\\u00e9\\ud800\"");
    play_frame(&play, "log info", "\"\"");
    assert_says(&play, "log warn \"a\\u00e9\\ud800\" a\xc3\xa9\xef\xbf\xbd\n");
    play_out(&play, PLAY_VALUE);
    play_over(&play);
    assert_int_equal(play.end->logs_count, 2);
    assert_string_equal(play.end->logs[0].level, "warn");
    assert_span(play.end->logs[0].text, "a\xc3\xa9\xef\xbf\xbd");
    assert_int_equal(play.end->logs[1].text.len, 0);
    play_deinit(&play);
}

static void test_core__calls_left_open_are_over_before_the_end(void **state)
{
    struct play play = play_begun_plainly();
    (void)state;

    play_frame(&play, "call 4 0 0", "1");
    play_frame(&play, "call 9 0 1", "2");
    play_answer(&play, 4, "1");
    play_out(&play, PLAY_VALUE);
    assert_says(&play, "over 9 ended\n");
    errand_error err = {0};
    assert_int_equal(errand__core_answer(play.core, play.now_us, 9, true, SPAN_LITERAL("1"), &err),
                     ERRAND_ESTATE);
    play_over(&play);
    assert_int_equal(play.end->calls_total, 2);
    assert_int_equal(play.end->calls[0].status, ERRAND_CALL_OK);
    assert_int_equal(play.end->calls[1].status, ERRAND_CALL_CANCELLED);
    play_deinit(&play);
}

static void test_core__phases_have_names(void **state)
{
    static const char *const names[] = {"opening", "booting", "running",
                                        "leaving", "closing", "ended"};
    (void)state;

    for (size_t i = 0; i < COUNT(names); i++)
        assert_string_equal(errand__core_phase_name((enum core_phase)i), names[i]);
}

/* --- Answers ------------------------------------------------------------------------------ */

static void test_core__an_answer_is_checked(void **state)
{
    struct core_setup setup = play_setup();
    errand_error err = {0};
    (void)state;

    setup.limits.frame_bytes = 100;
    struct play play = play_begun(&setup);
    play_frame(&play, "call 1 0 0", "1");
    assert_int_equal(errand__core_answer(play.core, 0, 2, true, SPAN_LITERAL("1"), &err),
                     ERRAND_ESTATE);
    assert_int_equal(errand__core_answer(play.core, 0, 1, true, SPAN_LITERAL("{x}"), NULL),
                     ERRAND_EINVAL);
    assert_int_equal(errand__core_answer(play.core, 0, 1, false, SPAN_LITERAL("\"no\""), NULL),
                     ERRAND_EINVAL);
    assert_int_equal(errand__core_answer(play.core, 0, 1, false, SPAN_EMPTY, NULL), ERRAND_EINVAL);
    assert_int_equal(
        errand__core_answer(play.core, 0, 1, false, SPAN_LITERAL("{\"message\":\"no\"}"), NULL),
        ERRAND_OK);
    assert_int_equal(errand__core_answer(play.core, 0, 1, true, SPAN_LITERAL("1"), NULL),
                     ERRAND_ESTATE);
    play_frame(&play, "call 2 0 0", "1");
    char large[103];
    memset(large, 'x', sizeof(large));
    large[0] = large[101] = '"';
    large[102] = '\0';
    assert_int_equal(errand__core_answer(play.core, 0, 2, true, span_text(large), NULL),
                     ERRAND_ELIMIT);
    assert_int_equal(errand__core_calls_open(play.core), 0);
    play_drain(&play);
    assert_non_null(strstr(play.sent, "reply 1 error 16\n{\"message\":\"no\"}\n"));
    assert_non_null(strstr(play.sent, "\"data\":{\"size\":102,\"limit\":100},"
                                      "\"code\":\"value_too_large\"}\n"));
    play_deinit(&play);
}

static void test_core__an_undefined_answer_is_empty(void **state)
{
    struct play play = play_begun_plainly();
    (void)state;

    play_frame(&play, "call 1 0 0", "");
    play_answer(&play, 1, "");
    assert_non_null(strstr(play.sent, "reply 1 ok 0\n\n"));
    play_deinit(&play);
}

/* --- What is no protocol ------------------------------------------------------------------ */

static void test_core__what_ends_as_protocol(void **state)
{
    static const char *const streams[] = {
        "garbage\n",
        "\n",
        "{\"json\":1}\n",
        "item 2\n{}\n",
        "call 0 0 0 1\n1\n",
        "call 1 1 0 1\n1\n",
        "call 1 0 2 1\n1\n",
        "call 1 0 0 1\n1\ncall 1 0 0 1\n1\n",
        "call 5 0 0 1\n1\ncall 4 0 0 1\n1\n",
        "call 1 0 0 2\n1}\n",
        "call 1 0 0 1\n1x",
        "call 1 0 0 1\n1call 2 0 0 1\n1\n",
        "log info 2\n12\n",
        "log info 0\n\n",
        "log info 3\n\"a\x01\n",
        "log loud 2\n\"\"\n",
        "stats 2\n[]\n",
        "stats 2\n{}\nstats 2\n{}\n",
        "stats 65537\n",
        "item 0\n\n",
        "item 3\n{}}\n",
        "item 15\n{\"type\":\"text\"}\n",
        "store 2\n{}\n",
        "store 0\n\n",
        "store 23\n{\"set\":{},\"delete\":[1]}\n",
        "store 22\n{\"set\":{},\"delete\":[]}\nstore 22\n{\"set\":{},\"delete\":[]}\n",
        "done ok 1\nx\n",
        "done ok 4294967296\n",
        "done error 2\n{}\n",
        "done error 0\n\n",
        "done error 16\n{\"kind\":\"abort\"}\n",
        "done error 18\n{\"kind\":\"strange\"}\n",
        ("hello " PLAY_MARK " 2\n{}\n"),
        "boot 2\n{}\n",
        "reply 1 ok 1\n1\n",
        "need\n",
        "call 1 0 0 99999999999999999999\n",
    };
    (void)state;

    for (size_t i = 0; i < COUNT(streams); i++) {
        struct play play = play_begun_plainly();
        play_out(&play, streams[i]);
        if (errand__core_phase(play.core) != CORE_LEAVING)
            fail_msg("goes on after: %s", streams[i]);
        assert_string_equal(play.orders, "T");
        play_out(&play, PLAY_VALUE);
        play_over(&play);
        assert_outcome(&play, WORKER_EXIT, "protocol");
        assert_true(play.end->message.len > 0);
        assert_int_equal(errand_outcome_exit_code(play.end), 5);
        play_deinit(&play);
    }
}

static void test_core__a_need_is_answered(void **state)
{
    static const struct core_asset assets[] = {
        {{"amaro", 5}, {"\"eJw\"", 5}},
        {{"acorn", 5}, {"\"eA\"", 4}},
    };
    struct core_setup setup = play_setup();
    (void)state;

    setup.assets = assets;
    setup.assets_count = COUNT(assets);
    struct play play = play_begun(&setup);
    play_out(&play, "need amaro\nneed other\n");
    assert_non_null(strstr(play.sent, "asset amaro 5\n\"eJw\"\nasset other 4\nnull\n"));
    play_out(&play, "need acorn\nneed other\n");
    assert_non_null(strstr(play.sent, "asset acorn 4\n\"eA\"\nasset other 4\nnull\n"));
    play_out(&play, "need amaro\n");
    play_over(&play);
    assert_outcome(&play, WORKER_EXIT, "protocol");
    play_deinit(&play);
}

static void test_core__needs_are_counted(void **state)
{
    struct play play = play_begun_plainly();
    (void)state;

    for (int i = 0; i < 16; i++)
        play_out(&play, "need x\n");
    assert_int_equal(errand__core_phase(play.core), CORE_RUNNING);
    play_out(&play, "need x\n");
    assert_int_equal(errand__core_phase(play.core), CORE_LEAVING);
    play_deinit(&play);
}

/* The far side asks and does not read: nothing is taken from the outbox. */
static void ask_unread(struct play *play, unsigned id)
{
    errand_event event;
    char frame[64];

    (void)snprintf(frame, sizeof(frame), "call %u 0 0 0\n\n", id);
    errand__core_out(play->core, play->now_us, span_text(frame));
    while (errand__core_event(play->core, &event))
        continue;
}

static errand_status answer_unread(struct play *play, unsigned id, errand_span json)
{
    return errand__core_answer(play->core, play->now_us, id, true, json, NULL);
}

static void test_core__answers_that_nobody_reads_do_not_pile_up(void **state)
{
    static const char json[] = "\"..........................................................\"";
    struct core_setup setup = play_setup();
    (void)state;

    setup.limits.frame_bytes = 100;
    struct play play = play_begun(&setup);
    for (unsigned id = 1; id <= 20; id++) {
        ask_unread(&play, id);
        assert_int_equal(answer_unread(&play, id, SPAN_LITERAL(json)),
                         id <= 2 ? ERRAND_OK : ERRAND_ELIMIT);
        assert_int_equal(errand__core_calls_open(play.core), 0);
    }
    play_drain(&play);
    assert_non_null(strstr(play.sent, "reply 20 error 75\n{\"message\":\"too many bytes of answers "
                                      "wait to be read\",\"code\":\"queue_full\"}\n"));
    play_frame(&play, "call 21 0 0", "1");
    play_answer(&play, 21, json);
    play_out(&play, PLAY_VALUE);
    play_over(&play);
    assert_outcome(&play, VALUE, "");
    assert_int_equal(play.end->calls[19].status, ERRAND_CALL_ERROR);
    play_deinit(&play);
}

/* To who asks, a call is open until it has read the answer. */
static void test_core__a_call_counts_until_its_answer_is_taken(void **state)
{
    struct core_setup setup = play_setup();
    (void)state;

    setup.limits.calls_open = 2;
    for (size_t left = 0; left < 2; left++) {
        struct play play = play_begun(&setup);
        for (unsigned id = 1; id <= 2; id++) {
            ask_unread(&play, id);
            assert_int_equal(answer_unread(&play, id, SPAN_LITERAL("1")), ERRAND_OK);
        }
        /* "reply 1 ok 1\n1\n", whole or not. */
        errand__core_sent(play.core, 15 - left);
        ask_unread(&play, 3);
        assert_int_equal(errand__core_phase(play.core), left == 0 ? CORE_RUNNING : CORE_LEAVING);
        play_over(&play);
        if (left > 0)
            assert_string_equal(play.end->limit, "calls_open");
        play_deinit(&play);
    }
}

static void test_core__calls_are_capped(void **state)
{
    struct core_setup setup = play_setup();
    (void)state;

    setup.limits.calls_open = 2;
    struct play play = play_begun(&setup);
    play_out(&play, "call 1 0 0 0\n\ncall 2 0 0 0\n\n");
    play_answer(&play, 1, "1");
    play_out(&play, "call 3 0 0 0\n\n");
    assert_int_equal(errand__core_phase(play.core), CORE_RUNNING);
    play_out(&play, "call 4 0 0 0\n\n");
    play_over(&play);
    assert_outcome(&play, WORKER_EXIT, "protocol");
    assert_string_equal(play.end->limit, "calls_open");
    play_deinit(&play);

    setup.limits.calls_open = 10;
    setup.limits.calls = 1;
    play = play_begun(&setup);
    play_out(&play, "call 1 0 0 0\n\n");
    play_answer(&play, 1, "1");
    play_out(&play, "call 2 0 0 0\n\n");
    play_over(&play);
    assert_outcome(&play, WORKER_EXIT, "protocol");
    assert_string_equal(play.end->limit, "calls");
    play_deinit(&play);
}

/* --- After the end ------------------------------------------------------------------------ */

static void test_core__the_first_terminal_fact_wins(void **state)
{
    struct play play = play_begun_plainly();
    (void)state;

    play_out(&play, "log info 2\n\"\"\n" PLAY_VALUE
                    "done ok 1\n8\ncall 5 0 0 0\n\nlog info 3\n\"x\"\n\x80garbage\nmore");
    play_cancel(&play, "late");
    play_over(&play);
    assert_outcome(&play, VALUE, "");
    assert_span(play.end->value, "7");
    assert_says(&play, "warning after the end: done ok\n");
    assert_says(&play, "warning after the end: call frame\n");
    assert_says(&play, "warning after the end: log frame\n");
    assert_says(&play, "warning after the end: protocol: ");
    assert_int_equal(play.end->calls_total, 0);
    assert_int_equal(play.end->logs_kept, 1);
    play_deinit(&play);
}

static void test_core__equal_warnings_are_counted(void **state)
{
    struct play play = play_begun_plainly();
    (void)state;

    play_out(&play, PLAY_VALUE);
    for (int i = 0; i < 1000; i++)
        play_out(&play, "call 5 0 0 0\n\n");
    play_out(&play, "log info 2\n\"\"\n");
    play_over(&play);
    assert_int_equal(play.end->warnings_count, 2);
    assert_string_equal(play.end->warnings[0], "after the end: call frame (×1000)");
    assert_string_equal(play.end->warnings[1], "after the end: log frame");
    play_deinit(&play);
}

static void test_core__who_was_left_is_named(void **state)
{
    struct play play = play_begun_plainly();
    (void)state;

    play_out(&play, "left 3 10 early\n" PLAY_VALUE "left 3 11 sleep\nleft 3 12 $(reboot)\n");
    play_over(&play);
    assert_outcome(&play, VALUE, "");
    assert_int_equal(play.end->warnings_count, 1);
    assert_string_equal(play.end->warnings[0],
                        "killed what had left the group: early (10), sleep (11), $(reboot) (12)");
    play_deinit(&play);
}

/* However many it names, and however long. */
static void test_core__who_was_left_is_one_short_line(void **state)
{
    struct play play = play_begun_plainly();
    char frame[128];
    (void)state;

    play_out(&play, PLAY_VALUE);
    for (int i = 1; i <= 100; i++) {
        (void)snprintf(frame, sizeof(frame), "left 9007199254740991 %d sleep\n", i);
        play_out(&play, frame);
    }
    play_over(&play);
    assert_int_equal(play.end->warnings_count, 1);
    assert_string_equal(
        play.end->warnings[0],
        "killed what had left the group: sleep (1), sleep (2), sleep (3), sleep (4), "
        "sleep (5), sleep (6), sleep (7), sleep (8) and 9007199254740983 more");
    play_deinit(&play);

    play = play_begun_plainly();
    for (int i = 0; i < 100; i++)
        play_out(&play, "left 100 9007199254740991 "
                        "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn\n");
    play_out(&play, "done ok 0\n\n");
    play_over(&play);
    assert_int_equal(play.end->warnings_count, 1);
    assert_non_null(strstr(play.end->warnings[0], "n (9007199254740991) and 99 more"));
    play_deinit(&play);
}

static void test_core__what_follows_done_is_not_stored(void **state)
{
    struct play play = play_begun_plainly();
    char *chunk = malloc(1 << 20);
    (void)state;

    assert_non_null(chunk);
    memset(chunk, 'x', 1 << 20);
    play_out(&play, PLAY_VALUE "call 1 0 0 104857600\n");
    for (int i = 0; i < 100; i++)
        play_out_bytes(&play, span_of(chunk, 1 << 20));
    play_out(&play, "\nbeat 1\n");
    play_over(&play);
    assert_outcome(&play, VALUE, "");
    assert_says(&play, "warning after the end: beat frame\n");
    assert_false(play_says(&play, "torn"));
    free(chunk);
    play_deinit(&play);
}

static void test_core__logs_after_a_cancel_are_delivered(void **state)
{
    struct play play = play_begun_plainly();
    (void)state;

    play_cancel(&play, NULL);
    play_out(&play, "log info 6\n\"late\"\ncall 1 0 0 0\n\nstats 2\n{}\n"
                    "done error 16\n{\"kind\":\"abort\"}\n");
    assert_says(&play, "log info \"late\" late\n");
    assert_non_null(strstr(play.sent, "stop 1000\n"));
    play_over(&play);
    assert_outcome(&play, ABORT, "cancelled");
    assert_span(play.end->message, "cancelled");
    assert_span(play.end->stats, "{}");
    assert_int_equal(play.end->warnings_count, 1);
    assert_int_equal(play.end->calls_total, 0);
    assert_int_equal(errand_outcome_exit_code(play.end), 130);
    play_deinit(&play);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_core__open_hello_call_reply_done),
        cmocka_unit_test(test_core__tells_how_sure_it_is_that_there_is_no_network),
        cmocka_unit_test(test_core__without_a_runner_nothing_is_said_of_the_network),
        cmocka_unit_test(test_core__undefined_has_no_value),
        cmocka_unit_test(test_core__head_boot_and_tail_go_out_in_order),
        cmocka_unit_test(test_core__logs_keep_text_and_json),
        cmocka_unit_test(test_core__calls_left_open_are_over_before_the_end),
        cmocka_unit_test(test_core__phases_have_names),
        cmocka_unit_test(test_core__an_answer_is_checked),
        cmocka_unit_test(test_core__an_undefined_answer_is_empty),
        cmocka_unit_test(test_core__what_ends_as_protocol),
        cmocka_unit_test(test_core__a_need_is_answered),
        cmocka_unit_test(test_core__needs_are_counted),
        cmocka_unit_test(test_core__answers_that_nobody_reads_do_not_pile_up),
        cmocka_unit_test(test_core__a_call_counts_until_its_answer_is_taken),
        cmocka_unit_test(test_core__calls_are_capped),
        cmocka_unit_test(test_core__the_first_terminal_fact_wins),
        cmocka_unit_test(test_core__equal_warnings_are_counted),
        cmocka_unit_test(test_core__who_was_left_is_named),
        cmocka_unit_test(test_core__who_was_left_is_one_short_line),
        cmocka_unit_test(test_core__what_follows_done_is_not_stored),
        cmocka_unit_test(test_core__logs_after_a_cancel_are_delivered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
