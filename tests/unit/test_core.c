/* The life of a run: what ends it, who wins, what is told and when. Time is an argument. */
#include "test.h"

#include "base/err.h"
#include "base/mem.h"
#include "play.h"

#include <stdio.h>
#include <stdlib.h>

#define VALUE "done ok 1\n7\n"

static struct play begun(const struct core_setup *setup)
{
    struct play play;

    play_init(&play, setup);
    assert_non_null(play.core);
    play_start(&play);
    return play;
}

static struct play begun_plainly(void)
{
    struct core_setup setup = play_setup();
    return begun(&setup);
}

static bool says(const struct play *play, const char *text)
{
    return play->text != NULL && strstr(play->text, text) != NULL;
}

static void assert_says(const struct play *play, const char *words)
{
    if (!says(play, words))
        fail_msg("no \"%s\" in:\n%s", words, play->text);
}

static void assert_ended(const struct play *play, errand_kind kind, const char *code)
{
    assert_non_null(play->end);
    assert_string_equal(play->end->code, code);
    assert_int_equal(play->end->kind, kind);
    assert_int_equal(play->ends, 1);
}

#define assert_outcome(play, kind, code) assert_ended((play), ERRAND_KIND_##kind, (code))

static void answer(struct play *play, uint64_t id, const char *json)
{
    errand_error err = {0};

    assert_int_equal(errand__core_answer(play->core, play->now_us, id, true, span_text(json), &err),
                     ERRAND_OK);
    play_drain(play);
}

/* --- The plain way ------------------------------------------------------------------------ */

static void test_core__open_hello_call_reply_done(void **state)
{
    struct play play = begun_plainly();
    (void)state;

    assert_says(&play, "started v22.4.1 4711\n");
    play_frame(&play, "call 1 0 1", "[2,3]");
    assert_says(&play, "call 1 tools.add [2,3]\n");
    answer(&play, 1, "5");
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
        play_out(&play, VALUE);
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
    struct play play = begun_plainly();
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
    struct play play = begun(&setup);
    play_frame(&play, "log warn", "\"a\\u00e9\\ud800\"");
    play_frame(&play, "log info", "\"\"");
    assert_says(&play, "log warn \"a\\u00e9\\ud800\" a\xc3\xa9\xef\xbf\xbd\n");
    play_out(&play, VALUE);
    play_over(&play);
    assert_int_equal(play.end->logs_count, 2);
    assert_string_equal(play.end->logs[0].level, "warn");
    assert_span(play.end->logs[0].text, "a\xc3\xa9\xef\xbf\xbd");
    assert_int_equal(play.end->logs[1].text.len, 0);
    play_deinit(&play);
}

static void test_core__calls_left_open_are_over_before_the_end(void **state)
{
    struct play play = begun_plainly();
    (void)state;

    play_frame(&play, "call 4 0 0", "1");
    play_frame(&play, "call 9 0 1", "2");
    answer(&play, 4, "1");
    play_out(&play, VALUE);
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

/* --- Answers ------------------------------------------------------------------------------ */

static void test_core__an_answer_is_checked(void **state)
{
    struct core_setup setup = play_setup();
    errand_error err = {0};
    (void)state;

    setup.limits.frame_bytes = 100;
    struct play play = begun(&setup);
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
    struct play play = begun_plainly();
    (void)state;

    play_frame(&play, "call 1 0 0", "");
    answer(&play, 1, "");
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
        struct play play = begun_plainly();
        play_out(&play, streams[i]);
        if (errand__core_phase(play.core) != CORE_LEAVING)
            fail_msg("goes on after: %s", streams[i]);
        assert_string_equal(play.orders, "T");
        play_out(&play, VALUE);
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
    struct play play = begun(&setup);
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
    struct play play = begun_plainly();
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
    struct play play = begun(&setup);
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
    answer(&play, 21, json);
    play_out(&play, VALUE);
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
        struct play play = begun(&setup);
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
    struct play play = begun(&setup);
    play_out(&play, "call 1 0 0 0\n\ncall 2 0 0 0\n\n");
    answer(&play, 1, "1");
    play_out(&play, "call 3 0 0 0\n\n");
    assert_int_equal(errand__core_phase(play.core), CORE_RUNNING);
    play_out(&play, "call 4 0 0 0\n\n");
    play_over(&play);
    assert_outcome(&play, WORKER_EXIT, "protocol");
    assert_string_equal(play.end->limit, "calls_open");
    play_deinit(&play);

    setup.limits.calls_open = 10;
    setup.limits.calls = 1;
    play = begun(&setup);
    play_out(&play, "call 1 0 0 0\n\n");
    answer(&play, 1, "1");
    play_out(&play, "call 2 0 0 0\n\n");
    play_over(&play);
    assert_outcome(&play, WORKER_EXIT, "protocol");
    assert_string_equal(play.end->limit, "calls");
    play_deinit(&play);
}

/* --- After the end ------------------------------------------------------------------------ */

static void test_core__the_first_terminal_fact_wins(void **state)
{
    struct play play = begun_plainly();
    (void)state;

    play_out(&play, "log info 2\n\"\"\n" VALUE
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
    struct play play = begun_plainly();
    (void)state;

    play_out(&play, VALUE);
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
    struct play play = begun_plainly();
    (void)state;

    play_out(&play, "left 3 10 early\n" VALUE "left 3 11 sleep\nleft 3 12 $(reboot)\n");
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
    struct play play = begun_plainly();
    char frame[128];
    (void)state;

    play_out(&play, VALUE);
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

    play = begun_plainly();
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
    struct play play = begun_plainly();
    char *chunk = malloc(1 << 20);
    (void)state;

    assert_non_null(chunk);
    memset(chunk, 'x', 1 << 20);
    play_out(&play, VALUE "call 1 0 0 104857600\n");
    for (int i = 0; i < 100; i++)
        play_out_bytes(&play, span_of(chunk, 1 << 20));
    play_out(&play, "\nbeat 1\n");
    play_over(&play);
    assert_outcome(&play, VALUE, "");
    assert_says(&play, "warning after the end: beat frame\n");
    assert_false(says(&play, "torn"));
    free(chunk);
    play_deinit(&play);
}

static void test_core__logs_after_a_cancel_are_delivered(void **state)
{
    struct play play = begun_plainly();
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

/* --- Ends of pipes and processes ---------------------------------------------------------- */

static void test_core__exit_0_is_no_success(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        struct play play = begun_plainly();
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

static void test_core__a_done_in_the_pipe_counts_after_the_exit(void **state)
{
    struct play play = begun_plainly();
    (void)state;

    play_exited(&play, 0, 0);
    play_pass(&play, 999);
    assert_int_equal(errand__core_phase(play.core), CORE_RUNNING);
    play_out(&play, VALUE);
    play_eof(&play);
    play_closed(&play);
    assert_outcome(&play, VALUE, "");
    assert_string_equal(play.orders, "C");
    play_deinit(&play);
}

static void test_core__an_exit_is_believed_after_leave_ms(void **state)
{
    struct play play = begun_plainly();
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

static void test_core__eof_waits_a_little_for_the_exit_code(void **state)
{
    struct play play = begun_plainly();
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

static void test_core__eof_without_exit_climbs(void **state)
{
    struct play play = begun_plainly();
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

static void test_core__a_torn_frame_at_the_exit_is_a_warning(void **state)
{
    static const char *const streams[] = {"call 1 0", "call 1 0 0 10\n123"};
    (void)state;

    for (size_t i = 0; i < COUNT(streams); i++) {
        struct play play = begun_plainly();
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
static void test_core__a_torn_value_is_told_as_such(void **state)
{
    struct play play = begun_plainly();
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
static void test_core__a_header_alone_is_refused(void **state)
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
        struct play play = begun(&setup);
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
static void test_core__what_may_fit_is_waited_for(void **state)
{
    static const char *const streams[] = {"log info 1014\n", "done error 263142\n", "done ok 998\n",
                                          "stats 65536\n", "call 1 0 0 1000000\n"};
    (void)state;

    for (size_t i = 0; i < COUNT(streams); i++) {
        struct core_setup setup = play_setup();
        setup.limits.output_bytes = 1000;
        struct play play = begun(&setup);
        play_out(&play, streams[i]);
        assert_int_equal(errand__core_phase(play.core), CORE_RUNNING);
        play_deinit(&play);
    }
}

static void test_core__out_of_memory_by_its_signs(void **state)
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
        struct play play = begun_plainly();
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

/* --- Before hello ------------------------------------------------------------------------- */

static struct play opened(const struct core_setup *setup)
{
    struct play play;

    play_init(&play, setup);
    play_opened(&play);
    return play;
}

static void test_core__noise_before_hello_is_skipped(void **state)
{
    struct core_setup setup = play_setup();
    struct play play = opened(&setup);
    (void)state;

    play_out(&play, "Welcome to box.\nhello world\n" PLAY_HELLO VALUE);
    play_over(&play);
    assert_outcome(&play, VALUE, "");
    assert_span(play.end->noise, "Welcome to box.\nhello world\n");
    assert_int_equal(play.noise_len, 28);
    play_deinit(&play);
}

static void test_core__noise_is_bounded_and_quoted(void **state)
{
    struct core_setup setup = play_setup();
    (void)state;

    setup.limits.boot_noise_bytes = 100;
    struct play play = opened(&setup);
    for (int i = 0; i < 30; i++)
        play_out(&play, "banner! ");
    assert_string_equal(play.orders, "T");
    play_out(&play, PLAY_HELLO VALUE);
    play_over(&play);
    assert_outcome(&play, WORKER_EXIT, "boot_noise");
    assert_string_equal(play.end->limit, "boot_noise_bytes");
    assert_span(play.end->hint, "a shell startup file prints output");
    assert_says(&play, "they begin: banner! banner! ");
    assert_false(says(&play, "started"));
    play_deinit(&play);

    /* As much as the limit is fine. */
    play = opened(&setup);
    for (int i = 0; i < 100; i++)
        play_out(&play, "x");
    play_out(&play, PLAY_HELLO);
    assert_int_equal(errand__core_phase(play.core), CORE_RUNNING);
    play_deinit(&play);
}

static void test_core__fail_lines_have_words(void **state)
{
    static const char *const codes[] = {"node_not_found", "node_too_old", "node_not_run",
                                        "stdin_eaten",    "stdin_closed", "bad_digest",
                                        "runner_broken"};
    struct core_setup setup = play_setup();
    char line[200];
    (void)state;

    for (size_t i = 0; i < COUNT(codes); i++) {
        struct play play = opened(&setup);
        (void)snprintf(line, sizeof(line), "motd\nfail " PLAY_MARK " %s v12 /usr/bin/node\n",
                       codes[i]);
        play_out(&play, line);
        play_exited(&play, 1, 0);
        play_eof(&play);
        play_closed(&play);
        assert_outcome(&play, WORKER_EXIT, codes[i]);
        assert_says(&play, ": v12 /usr/bin/node\n");
        play_deinit(&play);
    }
    struct play play = opened(&setup);
    play_out(&play, "fail " PLAY_MARK " moon_phase x\n");
    play_over(&play);
    assert_outcome(&play, WORKER_EXIT, "protocol");
    play_deinit(&play);
}

static void test_core__want_brings_the_runner_once(void **state)
{
    struct core_setup setup = play_setup();
    (void)state;

    setup.runner = SPAN_LITERAL("RUNNER");
    struct play play = opened(&setup);
    play_out(&play, "want " PLAY_MARK "\n");
    assert_string_equal(play.sent, "boot 2\n{}\nRUNNER");
    play_out(&play, PLAY_HELLO VALUE);
    play_over(&play);
    assert_outcome(&play, VALUE, "");
    play_deinit(&play);

    play = opened(&setup);
    play_out(&play, "want " PLAY_MARK "\nwant " PLAY_MARK "\n");
    play_over(&play);
    assert_outcome(&play, WORKER_EXIT, "protocol");
    play_deinit(&play);
}

static void test_core__another_protocol_names_both(void **state)
{
    struct core_setup setup = play_setup();
    struct play play = opened(&setup);
    (void)state;

    play_out(&play, "hello " PLAY_MARK " 14\n{\"protocol\":2}\n");
    play_over(&play);
    assert_outcome(&play, WORKER_EXIT, "protocol_version");
    assert_span(play.end->message, "the runner speaks protocol 2, home speaks 1");
    play_deinit(&play);
}

static void test_core__an_exit_before_hello_quotes_what_was_said(void **state)
{
    struct core_setup setup = play_setup();
    struct play play = opened(&setup);
    (void)state;

    play_err(&play, "sh: 1: docker: \x1b[31mnot found\n");
    play_exited(&play, 127, 0);
    play_eof(&play);
    play_closed(&play);
    assert_outcome(&play, WORKER_EXIT, "runner_exited");
    assert_span(play.end->message, "the command was not found over there (exit code 127); its last "
                                   "words: sh: 1: docker:  [31mnot found");
    assert_true(play.end->hint.len > 0);
    play_deinit(&play);
}

/* --- Clocks ------------------------------------------------------------------------------- */

static void test_core__open_ms(void **state)
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

static void test_core__boot_ms(void **state)
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

static void test_core__wall_ms_is_told_with_its_stop(void **state)
{
    struct core_setup setup = play_setup();
    (void)state;

    setup.limits.wall_ms = 400;
    struct play play = begun(&setup);
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

static void test_core__a_held_call_stops_the_wall(void **state)
{
    struct core_setup setup = play_setup();
    (void)state;

    setup.limits.wall_ms = 1000;
    struct play play = begun(&setup);
    play_out(&play, "call 1 0 0 0\n\ncall 2 0 0 0\n\n");
    play_pass(&play, 500);
    assert_int_equal(errand__core_hold(play.core, play.now_us, 1, true, NULL), ERRAND_OK);
    play_pass(&play, 700);
    assert_int_equal(errand__core_hold(play.core, play.now_us, 2, true, NULL), ERRAND_OK);
    play_pass(&play, 700);
    assert_int_equal(errand__core_hold(play.core, play.now_us, 1, false, NULL), ERRAND_OK);
    play_pass(&play, 600);
    answer(&play, 2, "1");
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

static void test_core__idle_counts_alone(void **state)
{
    struct core_setup setup = play_setup();
    (void)state;

    setup.limits.idle_ms = 100;
    struct play play = begun(&setup);
    play_pass(&play, 90);
    play_frame(&play, "log info", "\"x\"");
    play_pass(&play, 90);
    play_frame(&play, "call 1 0 0", "1");
    play_pass(&play, 5000);
    assert_string_equal(play.orders, "");
    answer(&play, 1, "1");
    play_out(&play, "beat 0\n");
    play_pass(&play, 99);
    assert_string_equal(play.orders, "");
    play_pass(&play, 1);
    play_over(&play);
    assert_outcome(&play, TIMEOUT, "idle_timeout");
    assert_string_equal(play.end->limit, "idle_ms");
    play_deinit(&play);
}

static void test_core__a_call_times_out_and_the_run_goes_on(void **state)
{
    struct core_setup setup = play_setup();
    (void)state;

    setup.limits.call_ms = 100;
    struct play play = begun(&setup);
    play_frame(&play, "call 1 0 0", "1");
    play_pass(&play, 50);
    play_frame(&play, "call 2 0 0", "1");
    play_pass(&play, 50);
    assert_says(&play, "over 1 call_timeout\n");
    assert_false(says(&play, "over 2"));
    assert_non_null(strstr(play.sent, "\"message\":\"no answer within 100ms (call_ms)\","
                                      "\"code\":\"call_timeout\"}\n"));
    answer(&play, 2, "1");
    play_out(&play, VALUE);
    play_over(&play);
    assert_outcome(&play, VALUE, "");
    assert_int_equal(play.end->calls[0].status, ERRAND_CALL_ERROR);
    play_deinit(&play);
}

static void test_core__an_approval_times_out(void **state)
{
    struct core_setup setup = play_setup();
    (void)state;

    setup.limits.approval_ms = 100;
    struct play play = begun(&setup);
    play_frame(&play, "call 1 0 0", "1");
    assert_int_equal(errand__core_hold(play.core, play.now_us, 1, true, NULL), ERRAND_OK);
    play_pass(&play, 100);
    assert_says(&play, "over 1 approval_timeout\n");
    assert_non_null(strstr(play.sent, "\"message\":\"nobody decided within 100ms (approval_ms)\","
                                      "\"code\":\"approval_timeout\"}\n"));
    assert_int_equal(errand__core_hold(play.core, play.now_us, 1, false, NULL), ERRAND_ESTATE);
    play_deinit(&play);
}

static void test_core__the_lease(void **state)
{
    struct core_setup setup = play_setup();
    (void)state;

    setup.limits.lease_ms = 3000;
    struct play play = begun(&setup);
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

static void test_core__a_done_in_the_inbox_beats_the_clock(void **state)
{
    struct core_setup setup = play_setup();
    errand_event event;
    (void)state;

    setup.limits.wall_ms = 100;
    struct play play = begun(&setup);
    errand__core_out(play.core, 50000, SPAN_LITERAL("log info 2\n\"\"\n" VALUE));
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

/* --- Cancel, loss, the ladder ------------------------------------------------------------- */

static void test_core__cancel_before_it_opened(void **state)
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

static void test_core__cancel_while_booting(void **state)
{
    struct core_setup setup = play_setup();
    struct play play = opened(&setup);
    (void)state;

    play_cancel(&play, NULL);
    assert_string_equal(play.orders, "T");
    assert_null(strstr(play.sent, "stop"));
    play_out(&play, PLAY_HELLO);
    play_over(&play);
    assert_outcome(&play, ABORT, "cancelled");
    play_deinit(&play);
}

static void test_core__the_second_cancel_kills(void **state)
{
    struct play play = begun_plainly();
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

static void test_core__the_ladder_ends_in_abandoned(void **state)
{
    struct play play = begun_plainly();
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

static void test_core__closed_shows_that_all_is_clear(void **state)
{
    struct play play = begun_plainly();
    (void)state;

    play_out(&play, VALUE);
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

static void test_core__what_never_began_may_be_tried_again(void **state)
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

static void test_core__what_began_is_not_to_be_tried_again(void **state)
{
    struct play play = begun_plainly();
    (void)state;

    lose_for_now(&play);
    play_closed(&play);
    assert_prospects(&play, 0, 0, 0);

    /* Nobody answers: it is abandoned. */
    play = begun_plainly();
    lose_for_now(&play);
    lose_for_now(&play);
    assert_int_equal(play.end->abandoned, 1);
    assert_prospects(&play, 0, 0, 1);
}

static void test_core__a_lost_road(void **state)
{
    struct play play = begun_plainly();
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
    play = begun_plainly();
    lose(&play, "sandbox_gone");
    play_closed(&play);
    assert_outcome(&play, WORKER_EXIT, "sandbox_gone");
    assert_int_equal(play.end->outcome_unknown, 1);
    play_deinit(&play);

    /* Twice: nobody is left who could answer. */
    play = begun_plainly();
    lose(&play, NULL);
    lose(&play, NULL);
    assert_outcome(&play, WORKER_EXIT, "lost");
    assert_int_equal(play.end->abandoned, 1);
    play_deinit(&play);

    /* After done it is a warning. */
    play = begun_plainly();
    play_out(&play, VALUE);
    lose(&play, NULL);
    play_closed(&play);
    assert_outcome(&play, VALUE, "");
    assert_says(&play, "warning after the end: lost: ssh: the road is gone\n");
    play_deinit(&play);
}

static void test_core__a_process_that_never_came(void **state)
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

static void test_core__a_half_sent_frame_is_completed_before_stop(void **state)
{
    (void)state;
    for (size_t cut = 0; cut <= 17; cut++) {
        struct play play = begun_plainly();
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
static void test_core__no_stop_into_half_a_boot_message(void **state)
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

/* --- The ledger, through the core --------------------------------------------------------- */

static struct play capped(uint64_t output_bytes)
{
    struct core_setup setup = play_setup();

    setup.limits.output_bytes = output_bytes;
    setup.collect_logs = true;
    return begun(&setup);
}

static uint64_t kept_bytes(const errand_outcome *end)
{
    uint64_t sum = 2 + end->message.len + 2;

    for (size_t i = 0; i < end->logs_count; i++)
        sum += end->logs[i].text.len + 2 + (i > 0 ? 1 : 0);
    return sum;
}

static void test_core__the_euro(void **state)
{
    (void)state;
    for (uint64_t cap = 6; cap <= 7; cap++) {
        struct play play = capped(cap);
        play_frame(&play, "done ok", "\"\xe2\x82\xac\"");
        play_over(&play);
        assert_int_equal(play.end->kind, cap == 7 ? ERRAND_KIND_VALUE : ERRAND_KIND_OUTPUT_LIMIT);
        if (cap == 6) {
            assert_int_equal(play.end->value.len, 0);
            assert_string_equal(play.end->limit, "output_bytes");
            assert_true(kept_bytes(play.end) <= cap);
        }
        play_deinit(&play);
    }
}

static void test_core__a_log_with_value_or_error(void **state)
{
    static const char *const dones[] = {
        "done ok 4\n\"xy\"\n", "done error 35\n{\"kind\":\"exception\",\"message\":\"xy\"}\n"};
    (void)state;

    for (size_t i = 0; i < COUNT(dones); i++) {
        for (uint64_t cap = 10; cap <= 11; cap++) {
            struct play play = capped(cap);
            play_frame(&play, "log log", "\"abc\"");
            play_out(&play, dones[i]);
            play_over(&play);
            assert_int_equal(play.end->kind == ERRAND_KIND_OUTPUT_LIMIT, cap == 10);
            if (cap == 10)
                assert_true(kept_bytes(play.end) <= cap);
            else
                assert_int_equal(play.end->logs_count, 1);
            play_deinit(&play);
        }
    }
}

/* The caller's words are a message too: text, and nothing that steers a terminal. */
static void test_core__a_reason_is_cleaned(void **state)
{
    static char reason[5000];
    struct play play = begun_plainly();
    (void)state;

    play_cancel(&play, "st\xff\x1b[31mop");
    play_over(&play);
    assert_outcome(&play, ABORT, "cancelled");
    assert_span(play.end->message, "st\xef\xbf\xbd [31mop");
    play_deinit(&play);

    play = begun_plainly();
    memset(reason, '\xff', sizeof(reason) - 1);
    play_cancel(&play, reason);
    play_over(&play);
    assert_int_equal(play.end->message.len, 3 * (sizeof(reason) - 1));
    assert_int_equal(memcmp(play.end->message.ptr, "\xef\xbf\xbd\xef", 4), 0);
    play_deinit(&play);

    play = begun_plainly();
    memset(reason, '\x1b', sizeof(reason) - 1);
    play_cancel(&play, reason);
    play_over(&play);
    assert_null(memchr(play.end->message.ptr, '\x1b', play.end->message.len));
    play_deinit(&play);
}

static void test_core__a_reason_too_long_for_the_ledger(void **state)
{
    struct core_setup setup = play_setup();
    struct play play;
    char reason[1001];
    (void)state;

    setup.limits.output_bytes = 64;
    memset(reason, 'r', 1000);
    reason[1000] = '\0';
    play_init(&play, &setup);
    play_cancel(&play, reason);
    play_closed(&play);
    assert_outcome(&play, OUTPUT_LIMIT, "output_limit");
    assert_span(play.end->message, "outer output exceeded 64 bytes");
    play_deinit(&play);

    setup.limits.output_bytes = 5000;
    play_init(&play, &setup);
    play_cancel(&play, reason);
    play_closed(&play);
    assert_outcome(&play, ABORT, "cancelled");
    assert_span(play.end->message, reason);
    play_deinit(&play);
}

static void test_core__the_smallest_cap(void **state)
{
    struct play play = capped(4);
    (void)state;

    play_out(&play, "done error 35\n{\"kind\":\"exception\",\"message\":\"xy\"}\n");
    play_over(&play);
    assert_outcome(&play, OUTPUT_LIMIT, "output_limit");
    assert_int_equal(play.end->message.len, 0);
    play_deinit(&play);
}

static void test_core__a_huge_first_log_is_cut(void **state)
{
    struct play play = capped(96);
    (void)state;

    play_frame(&play, "log log",
               "\"\xf0\x9f\x98\x80\\n\xf0\x9f\x98\x80"
               "0123456789012345678901234567890123456789012345678901234567890123456789012345\"");
    /* Home trips by itself, and what the runner says then is no news. */
    play_frame(&play, "done error", "{\"kind\":\"output-limit\"}");
    play_over(&play);
    assert_outcome(&play, OUTPUT_LIMIT, "output_limit");
    assert_int_equal(play.end->logs_count, 1);
    assert_int_equal(play.end->logs_kept, 1);
    assert_memory_equal(play.end->logs[0].text.ptr, "\xf0\x9f\x98\x80\n", 5);
    /* 96 - 2 - 32 - 2: 60 bytes of JSON between the quotes, 59 of text. */
    assert_int_equal(play.end->logs[0].text.len, 59);
    assert_true(kept_bytes(play.end) + 1 <= 96);
    assert_int_equal(play.end->warnings_count, 0);
    play_deinit(&play);
}

static void test_core__a_timeout_whose_text_does_not_fit(void **state)
{
    struct core_setup setup = play_setup();
    (void)state;

    setup.limits.output_bytes = 40;
    struct play play = begun(&setup);
    play_frame(&play, "log log", "\"0123\"");
    play_pass(&play, 600000);
    play_over(&play);
    assert_outcome(&play, OUTPUT_LIMIT, "output_limit");
    play_deinit(&play);
}

/* --- Items and stores --------------------------------------------------------------------- */

#define TEXT_ITEM "{\"type\":\"text\",\"text\":\"Turin\"}" /* 30 bytes. */

static void test_core__items_stand_among_logs(void **state)
{
    struct play play = capped(1000);
    (void)state;

    play_frame(&play, "item", TEXT_ITEM);
    play_frame(&play, "log info", "\"a\"");
    play_frame(&play, "item", " {\"type\":\"content\",\"content\":{\"type\":\"text\"}} ");
    assert_says(&play,
                "item text after 0: " TEXT_ITEM "\nlog info \"a\" a\n"
                "item content after 1: {\"type\":\"content\",\"content\":{\"type\":\"text\"}}\n");
    play_frame(&play, "done error", "{\"kind\":\"exception\",\"message\":\"no\"}");
    play_over(&play);
    assert_outcome(&play, EXCEPTION, "thrown");
    assert_int_equal(play.end->items_count, 2);
    assert_int_equal(play.end->items_total, 2);
    assert_string_equal(play.end->items[0].type, "text");
    assert_span(play.end->items[0].json, TEXT_ITEM);
    assert_int_equal(play.end->items[1].logs_before, 1);
    assert_span(play.end->items[1].json, "{\"type\":\"content\",\"content\":{\"type\":\"text\"}}");
    play_deinit(&play);
}

/* 2 + 30 + 1 + 3 + 1 + 30 and a value of two digits: 69. */
static void test_core__an_item_costs_its_json_and_a_comma(void **state)
{
    (void)state;
    for (uint64_t cap = 66; cap <= 69; cap++) {
        struct play play = capped(cap);
        play_frame(&play, "item", TEXT_ITEM);
        play_frame(&play, "log info", "\"a\"");
        play_frame(&play, "item", TEXT_ITEM);
        play_frame(&play, "done ok", "42");
        play_over(&play);
        if (cap == 69)
            assert_outcome(&play, VALUE, "");
        else
            assert_outcome(&play, OUTPUT_LIMIT, "output_limit");
        assert_int_equal(play.end->items_total, 2);
        assert_int_equal(play.end->items_count, cap == 69 ? 2 : 1);
        assert_int_equal(says(&play, "item text after 1"), cap > 66);
        play_deinit(&play);
    }
}

/* Of a cap of 100 the words take 33, the brackets 2: 65 are left, two items and a comma take 61. */
static void test_core__a_head_keeps_whole_items(void **state)
{
    struct play play = capped(100);
    (void)state;

    play_frame(&play, "item", TEXT_ITEM);
    play_frame(&play, "item", TEXT_ITEM);
    play_frame(&play, "item", "{\"type\":\"text\",\"text\":\"\"}");
    play_frame(&play, "log info", "\"\"");
    play_frame(&play, "item", TEXT_ITEM);
    play_frame(&play, "done error", "{\"kind\":\"output-limit\"}");
    play_over(&play);
    assert_outcome(&play, OUTPUT_LIMIT, "output_limit");
    assert_span(play.end->message, "outer output exceeded 100 bytes");
    assert_int_equal(play.end->items_count, 2);
    assert_int_equal(play.end->items_total, 4);
    assert_int_equal(play.end->logs_kept, 0);
    assert_int_equal(play.end->warnings_count, 0);
    play_deinit(&play);
}

/* Decided, the runner may still show something until it says done; behind it nothing counts. */
static void test_core__items_after_the_end(void **state)
{
    struct play play = capped(150);
    (void)state;

    play_cancel(&play, "enough");
    play_frame(&play, "item", TEXT_ITEM);
    play_frame(&play, "item",
               "{\"type\":\"text\",\"text\":\"one that is so long that what is left of "
               "the cap, which was 150 bytes, has no room for it any more, as one may "
               "count\"}");
    play_frame(&play, "store", "{\"set\":{},\"delete\":[]}");
    play_frame(&play, "done error", "{\"kind\":\"abort\"}");
    play_frame(&play, "item", TEXT_ITEM);
    play_over(&play);
    assert_outcome(&play, ABORT, "cancelled");
    assert_int_equal(play.end->items_count, 1);
    assert_int_equal(play.end->items_total, 3);
    assert_int_equal(play.end->store.len, 0);
    assert_says(&play, "warning after the end: item frame (\xc3\x97"
                       "2)\n");
    assert_int_equal(play.end->warnings_count, 1);
    play_deinit(&play);
}

static void test_core__a_store_comes_with_a_value(void **state)
{
    static const char *const endings[] = {"done ok 1\n7\n",
                                          "done error 20\n{\"kind\":\"exception\"}\n",
                                          "done ok 300\n", "stats 2\n[]\n", ""};
    (void)state;

    for (size_t i = 0; i < COUNT(endings); i++) {
        struct play play = capped(200);
        play_frame(&play, "store", "{\"set\":{\"a\":[1]},\"delete\":[\"b\"]}");
        play_out(&play, endings[i]);
        play_over(&play);
        if (i == 0)
            assert_span(play.end->store, "{\"set\":{\"a\":[1]},\"delete\":[\"b\"]}");
        else
            assert_int_equal(play.end->store.len, 0);
        play_deinit(&play);
    }
}

static void test_core__a_log_over_the_limit_ends_the_run(void **state)
{
    struct play play = capped(64);
    (void)state;

    for (int i = 0; i < 40 && errand__core_phase(play.core) == CORE_RUNNING; i++)
        play_frame(&play, "log log", "\"12345678\"");
    assert_string_equal(play.orders, "T");
    play_frame(&play, "log log", "\"\"");
    play_over(&play);
    assert_outcome(&play, OUTPUT_LIMIT, "output_limit");
    /* 64 - 32: 2 + 10 + 11 + 9 with the third cut to "123456". */
    assert_int_equal(play.end->logs_count, 3);
    assert_span(play.end->logs[2].text, "123456");
    assert_span(play.end->message, "outer output exceeded 64 bytes");
    play_deinit(&play);
}

/* --- Large -------------------------------------------------------------------------------- */

static void feed_value(struct play *play, size_t len)
{
    char header[64];
    char *chunk = malloc(1 << 20);

    assert_non_null(chunk);
    memset(chunk, 'x', 1 << 20);
    (void)snprintf(header, sizeof(header), "done ok %zu\n\"", len + 2);
    play_out(play, header);
    for (size_t at = 0; at < len; at += 1 << 20)
        play_out_bytes(play, span_of(chunk, len - at < 1 << 20 ? len - at : 1 << 20));
    play_out(play, "\"\n");
    free(chunk);
}

static void test_core__64_mib_to_the_byte(void **state)
{
    (void)state;
    for (size_t more = 0; more <= 1; more++) {
        struct core_setup setup = play_setup();
        struct play play = begun(&setup);
        feed_value(&play, 67108860 + more);
        errand__core_eof(play.core, 0);
        errand__core_exited(play.core, 0, 0, 0);
        errand__core_closed(play.core, 0, SPAN_EMPTY);
        errand_event event;
        assert_true(errand__core_event(play.core, &event));
        assert_int_equal(event.type, ERRAND_EVENT_END);
        assert_int_equal(event.as.end->kind,
                         more == 0 ? ERRAND_KIND_VALUE : ERRAND_KIND_OUTPUT_LIMIT);
        assert_int_equal(event.as.end->value.len, more == 0 ? 67108862 : 0);
        assert_int_equal(event.as.end->warnings_count, 0);
        play_deinit(&play);
    }
}

/* --- Every chunking, and every failed allocation ------------------------------------------ */

static const char *const stories[] = {
    "motd\nhello there\n" PLAY_HELLO "log info 10\n\"a\\u00e9\\n\"\n"
    "call 1 0 0 7\n{\"a\":1}\nlog warn 2\n\"\"\ncall 3 0 1 0\n\nbeat 0\nstats 8\n{\"ms\":3}\n"
    "done ok 9\n[1,\"\xe2\x82\xac\"]\nlog info 2\n\"\"\ncall 9 0 0 0\n\ntrash \x80\nmore trash",
    PLAY_HELLO "call 1 0 0 1\n1\ndone error 61\n"
               "{\"kind\":\"exception\",\"code\":\"thrown\",\"message\":\"\\u0061\\n\\n\"}\n",
    PLAY_HELLO "log info 3\n\"a\"\nlog info 3\n\"b\n",
    PLAY_HELLO "log info 122\n\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
               "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"\ncall 1 0 0 1\n1\n"
               "log info 2\n\"\"\n",
    PLAY_HELLO "log info 3\n\"a\"\nitem 26\n{\"type\":\"text\",\"text\":\"x\"}\nlog warn 3\n\"b\"\n"
               "store 23\n{\"set\":{},\"delete\":[]} \nstats 2\n{}\ndone ok 1\n7\n"
               "item 26\n{\"type\":\"text\",\"text\":\"y\"}\n",
    PLAY_HELLO "item 26\n{\"type\":\"text\",\"text\":\"x\"}\nitem 200\n{\"type\":\"",
    "x fail " PLAY_MARK " node_too_old v12.1.0 /usr/bin/node\nbye\n",
    "want " PLAY_MARK "\nfail " PLAY_MARK " bad_digest",
    "noise noise noise noise noise noise noise noise noise noise noise noise noise noise noise "
    "noise noise noise noise noise noise noise noise noise noise noise noise noise noise noise "
    "noise noise noise noise noise noise noise noise noise noise noise noise " PLAY_HELLO,
    PLAY_HELLO "call 1 0 0 3\n[1]\ncall 2 0 0 999\n[1",
};

static struct core_setup story_setup(void)
{
    struct core_setup setup = play_setup();

    setup.limits.boot_noise_bytes = 200;
    setup.limits.output_bytes = 150;
    setup.runner = SPAN_LITERAL("RUNNER");
    setup.collect_logs = true;
    return setup;
}

/* Tells a story in two parts, cut at cut, or byte by byte with SIZE_MAX. */
static char *told(const char *story, size_t cut)
{
    struct core_setup setup = story_setup();
    struct play play;
    size_t len = strlen(story);
    char *text;

    play_init(&play, &setup);
    play_opened(&play);
    if (cut == SIZE_MAX) {
        for (size_t i = 0; i < len; i++)
            play_out_bytes(&play, span_of(story + i, 1));
    } else {
        play_out_bytes(&play, span_of(story, cut));
        play_out_bytes(&play, span_of(story + cut, len - cut));
    }
    play_over(&play);
    assert_int_equal(play.ends, 1);
    assert_int_equal(play.noise_len, play.end->noise_total);
    text = play.text;
    play.text = NULL;
    play_deinit(&play);
    return text;
}

static void test_core__every_chunking_tells_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(stories); i++) {
        char *whole = told(stories[i], 0);
        for (size_t cut = 1; cut <= strlen(stories[i]); cut++) {
            char *parts = told(stories[i], cut);
            assert_string_equal(parts, whole);
            free(parts);
        }
        char *bytes = told(stories[i], SIZE_MAX);
        assert_string_equal(bytes, whole);
        free(bytes);
        free(whole);
    }
}

/* Tells a story with so many allocations allowed. true: that was enough. */
static bool ends_with(const char *story, long allowed)
{
    struct core_setup setup = story_setup();
    struct play play;

    errand__mem_countdown = allowed;
    play_init(&play, &setup);
    if (play.core != NULL) {
        play_opened(&play);
        play_out(&play, story);
        play_over(&play);
        (void)play_silence(&play, 20);
        assert_int_equal(play.ends, 1);
    }
    bool enough = errand__mem_countdown > 0;
    errand__mem_countdown = -1;
    play_deinit(&play);
    return enough;
}

static void test_core__without_memory_it_still_ends(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(stories); i++) {
        long allowed = 0;
        while (!ends_with(stories[i], allowed))
            assert_true(++allowed < 1000);
        assert_true(allowed > 2);
    }
}

/* After any head of any story silence alone brings the end, within the ladder's rungs. */
static void test_core__silence_ends_every_story(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(stories); i++) {
        for (size_t len = 0; len <= strlen(stories[i]); len++) {
            struct core_setup setup = story_setup();
            struct play play;
            play_init(&play, &setup);
            play_opened(&play);
            play_out_bytes(&play, span_of(stories[i], len));
            assert_true(play_silence(&play, 20) < 20);
            assert_int_equal(play.ends, 1);
            assert_int_equal(play.end->abandoned, 1);
            play_deinit(&play);
        }
    }
}

static void test_core__phases_have_names(void **state)
{
    static const char *const names[] = {"opening", "booting", "running",
                                        "leaving", "closing", "ended"};
    (void)state;

    for (size_t i = 0; i < COUNT(names); i++)
        assert_string_equal(errand__core_phase_name((enum core_phase)i), names[i]);
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
        cmocka_unit_test(test_core__exit_0_is_no_success),
        cmocka_unit_test(test_core__a_done_in_the_pipe_counts_after_the_exit),
        cmocka_unit_test(test_core__an_exit_is_believed_after_leave_ms),
        cmocka_unit_test(test_core__eof_waits_a_little_for_the_exit_code),
        cmocka_unit_test(test_core__eof_without_exit_climbs),
        cmocka_unit_test(test_core__a_torn_frame_at_the_exit_is_a_warning),
        cmocka_unit_test(test_core__a_torn_value_is_told_as_such),
        cmocka_unit_test(test_core__a_header_alone_is_refused),
        cmocka_unit_test(test_core__what_may_fit_is_waited_for),
        cmocka_unit_test(test_core__out_of_memory_by_its_signs),
        cmocka_unit_test(test_core__noise_before_hello_is_skipped),
        cmocka_unit_test(test_core__noise_is_bounded_and_quoted),
        cmocka_unit_test(test_core__fail_lines_have_words),
        cmocka_unit_test(test_core__want_brings_the_runner_once),
        cmocka_unit_test(test_core__another_protocol_names_both),
        cmocka_unit_test(test_core__an_exit_before_hello_quotes_what_was_said),
        cmocka_unit_test(test_core__open_ms),
        cmocka_unit_test(test_core__boot_ms),
        cmocka_unit_test(test_core__wall_ms_is_told_with_its_stop),
        cmocka_unit_test(test_core__a_held_call_stops_the_wall),
        cmocka_unit_test(test_core__idle_counts_alone),
        cmocka_unit_test(test_core__a_call_times_out_and_the_run_goes_on),
        cmocka_unit_test(test_core__an_approval_times_out),
        cmocka_unit_test(test_core__the_lease),
        cmocka_unit_test(test_core__a_done_in_the_inbox_beats_the_clock),
        cmocka_unit_test(test_core__cancel_before_it_opened),
        cmocka_unit_test(test_core__cancel_while_booting),
        cmocka_unit_test(test_core__the_second_cancel_kills),
        cmocka_unit_test(test_core__the_ladder_ends_in_abandoned),
        cmocka_unit_test(test_core__closed_shows_that_all_is_clear),
        cmocka_unit_test(test_core__what_never_began_may_be_tried_again),
        cmocka_unit_test(test_core__what_began_is_not_to_be_tried_again),
        cmocka_unit_test(test_core__a_lost_road),
        cmocka_unit_test(test_core__a_process_that_never_came),
        cmocka_unit_test(test_core__a_half_sent_frame_is_completed_before_stop),
        cmocka_unit_test(test_core__no_stop_into_half_a_boot_message),
        cmocka_unit_test(test_core__the_euro),
        cmocka_unit_test(test_core__a_log_with_value_or_error),
        cmocka_unit_test(test_core__a_reason_is_cleaned),
        cmocka_unit_test(test_core__a_reason_too_long_for_the_ledger),
        cmocka_unit_test(test_core__the_smallest_cap),
        cmocka_unit_test(test_core__a_huge_first_log_is_cut),
        cmocka_unit_test(test_core__a_timeout_whose_text_does_not_fit),
        cmocka_unit_test(test_core__a_log_over_the_limit_ends_the_run),
        cmocka_unit_test(test_core__items_stand_among_logs),
        cmocka_unit_test(test_core__an_item_costs_its_json_and_a_comma),
        cmocka_unit_test(test_core__a_head_keeps_whole_items),
        cmocka_unit_test(test_core__items_after_the_end),
        cmocka_unit_test(test_core__a_store_comes_with_a_value),
        cmocka_unit_test(test_core__64_mib_to_the_byte),
        cmocka_unit_test(test_core__every_chunking_tells_the_same),
        cmocka_unit_test(test_core__without_memory_it_still_ends),
        cmocka_unit_test(test_core__silence_ends_every_story),
        cmocka_unit_test(test_core__phases_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
