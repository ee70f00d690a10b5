/* What a runner and its shell may say before hello. */
#include "test.h"

#include "played.h"

#include <stdio.h>

static void test_core_hello__noise_before_hello_is_skipped(void **state)
{
    struct core_setup setup = play_setup();
    struct play play = play_begun_opened(&setup);
    (void)state;

    play_out(&play, "Welcome to box.\nhello world\n" PLAY_HELLO PLAY_VALUE);
    play_over(&play);
    assert_outcome(&play, VALUE, "");
    assert_span(play.end->noise, "Welcome to box.\nhello world\n");
    assert_int_equal(play.noise_len, 28);
    play_deinit(&play);
}

static void test_core_hello__noise_is_bounded_and_quoted(void **state)
{
    struct core_setup setup = play_setup();
    (void)state;

    setup.limits.boot_noise_bytes = 100;
    struct play play = play_begun_opened(&setup);
    for (int i = 0; i < 30; i++)
        play_out(&play, "banner! ");
    assert_string_equal(play.orders, "T");
    play_out(&play, PLAY_HELLO PLAY_VALUE);
    play_over(&play);
    assert_outcome(&play, WORKER_EXIT, "boot_noise");
    assert_string_equal(play.end->limit, "boot_noise_bytes");
    assert_span(play.end->hint, "a shell startup file prints output");
    assert_says(&play, "they begin: banner! banner! ");
    assert_false(play_says(&play, "started"));
    play_deinit(&play);

    /* As much as the limit is fine. */
    play = play_begun_opened(&setup);
    for (int i = 0; i < 100; i++)
        play_out(&play, "x");
    play_out(&play, PLAY_HELLO);
    assert_int_equal(errand__core_phase(play.core), CORE_RUNNING);
    play_deinit(&play);
}

static void test_core_hello__fail_lines_have_words(void **state)
{
    static const char *const codes[] = {"node_not_found", "node_too_old", "node_not_run",
                                        "stdin_eaten",    "stdin_closed", "bad_digest",
                                        "runner_broken"};
    struct core_setup setup = play_setup();
    char line[200];
    (void)state;

    for (size_t i = 0; i < COUNT(codes); i++) {
        struct play play = play_begun_opened(&setup);
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
    struct play play = play_begun_opened(&setup);
    play_out(&play, "fail " PLAY_MARK " moon_phase x\n");
    play_over(&play);
    assert_outcome(&play, WORKER_EXIT, "protocol");
    play_deinit(&play);
}

static void test_core_hello__want_brings_the_runner_once(void **state)
{
    struct core_setup setup = play_setup();
    (void)state;

    setup.runner = SPAN_LITERAL("RUNNER");
    struct play play = play_begun_opened(&setup);
    play_out(&play, "want " PLAY_MARK "\n");
    assert_string_equal(play.sent, "boot 2\n{}\nRUNNER");
    play_out(&play, PLAY_HELLO PLAY_VALUE);
    play_over(&play);
    assert_outcome(&play, VALUE, "");
    play_deinit(&play);

    play = play_begun_opened(&setup);
    play_out(&play, "want " PLAY_MARK "\nwant " PLAY_MARK "\n");
    play_over(&play);
    assert_outcome(&play, WORKER_EXIT, "protocol");
    play_deinit(&play);
}

static void test_core_hello__another_protocol_names_both(void **state)
{
    struct core_setup setup = play_setup();
    struct play play = play_begun_opened(&setup);
    (void)state;

    play_out(&play, "hello " PLAY_MARK " 14\n{\"protocol\":2}\n");
    play_over(&play);
    assert_outcome(&play, WORKER_EXIT, "protocol_version");
    assert_span(play.end->message, "the runner speaks protocol 2, home speaks 1");
    play_deinit(&play);
}

static void test_core_hello__an_exit_before_hello_quotes_what_was_said(void **state)
{
    struct core_setup setup = play_setup();
    struct play play = play_begun_opened(&setup);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_core_hello__noise_before_hello_is_skipped),
        cmocka_unit_test(test_core_hello__noise_is_bounded_and_quoted),
        cmocka_unit_test(test_core_hello__fail_lines_have_words),
        cmocka_unit_test(test_core_hello__want_brings_the_runner_once),
        cmocka_unit_test(test_core_hello__another_protocol_names_both),
        cmocka_unit_test(test_core_hello__an_exit_before_hello_quotes_what_was_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
