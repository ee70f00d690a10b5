/* The first word of the far side among noise, and what it says. */
#include "test.h"

#include "core/hail.h"

#include <stdio.h>

#define MARK "00112233445566778899aabbccddeeff"

static struct hail hail_of(const char *text, bool last)
{
    struct hail hail;

    errand__hail_read(span_text(text), SPAN_LITERAL(MARK), last, &hail);
    assert_true(hail.noise + hail.len <= strlen(text));
    return hail;
}

static void test_hail__hello_stands_anywhere(void **state)
{
    struct hail hail = hail_of("Welcome\nyou have mailhello " MARK " 12\n{}", false);
    (void)state;

    assert_int_equal(hail.type, HAIL_HELLO);
    assert_int_equal(hail.noise, 21);
    assert_int_equal(hail.size, 12);
    assert_int_equal(hail.len, 6 + 32 + 1 + 3);
}

static void test_hail__every_head_waits(void **state)
{
    static const char *const texts[] = {"xyz hello " MARK " 12\n", "xyz want " MARK "\n",
                                        "xyz fail " MARK " stdin_eaten some words\n"};
    (void)state;

    for (size_t i = 0; i < COUNT(texts); i++) {
        for (size_t len = 0; len < strlen(texts[i]); len++) {
            struct hail hail;
            errand__hail_read(span_of(texts[i], len), SPAN_LITERAL(MARK), false, &hail);
            assert_int_equal(hail.type, HAIL_NONE);
            /* What may belong to the word is kept back. */
            assert_true(hail.noise <= 4);
        }
        assert_true(hail_of(texts[i], false).type != HAIL_NONE);
        assert_int_equal(hail_of(texts[i], false).noise, 4);
    }
}

static void test_hail__an_echo_is_noise(void **state)
{
    (void)state;
    assert_int_equal(hail_of("+ MARK=" MARK "\n", false).type, HAIL_NONE);
    assert_int_equal(hail_of("+ printf 'want %s' " MARK "\n", false).type, HAIL_NONE);
    assert_int_equal(hail_of("hello 0011223344556677 8899aabbccddeeff 3\n", false).type, HAIL_NONE);
    assert_int_equal(hail_of("want " MARK " \n", false).type, HAIL_NONE);
    /* An echo in front does not hide what follows. */
    struct hail hail = hail_of("x" MARK " want " MARK "want " MARK "\n", false);
    assert_int_equal(hail.type, HAIL_WANT);
    assert_int_equal(hail.noise, 33 + 1 + 5 + 32);
}

static void test_hail__fail_has_code_and_text(void **state)
{
    struct hail hail = hail_of("fail " MARK " node_not_found tried /a /b\nmore", false);
    (void)state;

    assert_int_equal(hail.type, HAIL_FAIL);
    assert_span(hail.code, "node_not_found");
    assert_span(hail.text, "tried /a /b");
    hail = hail_of("fail " MARK " stdin_closed\n", false);
    assert_span(hail.code, "stdin_closed");
    assert_int_equal(hail.text.len, 0);
    /* The end of the stream ends the line. */
    assert_int_equal(hail_of("fail " MARK " stdin_closed", false).type, HAIL_NONE);
    assert_int_equal(hail_of("fail " MARK " stdin_closed", true).type, HAIL_FAIL);
}

static void test_hail__a_fail_line_is_bounded(void **state)
{
    char text[5000];
    struct hail hail;
    (void)state;

    memset(text, 'x', sizeof(text));
    (void)write_at(text, SPAN_LITERAL("fail " MARK " bad_digest "));
    errand__hail_read(span_of(text, sizeof(text)), SPAN_LITERAL(MARK), false, &hail);
    assert_int_equal(hail.type, HAIL_FAIL);
    assert_int_equal(hail.code.len + 1 + hail.text.len, HAIL_FAIL_MAX);
    assert_int_equal(hail.len, 38 + HAIL_FAIL_MAX);
}

static void test_hail__a_hello_without_sense(void **state)
{
    (void)state;
    assert_int_equal(hail_of("hello " MARK " \n", false).type, HAIL_BAD);
    assert_int_equal(hail_of("hello " MARK " x\n", false).type, HAIL_BAD);
    assert_int_equal(hail_of("hello " MARK " 1 2\n", false).type, HAIL_BAD);
    char text[400];
    memset(text, '1', sizeof(text));
    (void)write_at(text, SPAN_LITERAL("hello " MARK " "));
    text[399] = '\0';
    assert_int_equal(hail_of(text, false).type, HAIL_BAD);
}

#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void test_greeting__is_read(void **state)
{
    struct greeting greeting;
    const char *why = NULL;
    (void)state;

    assert_true(errand__greeting_read(
        SPAN_LITERAL(" {\"x\":[1],\"protocol\":1,\"node\":\"v22.4.1\",\"pid\":4711,\"group\":0,"
                     "\"digest\":\"" DIGEST "\"} "),
        &greeting, &why));
    assert_span(greeting.node, "\"v22.4.1\"");
    assert_int_equal(greeting.pid, 4711);
    assert_int_equal(greeting.group, 0);
    assert_false(greeting.cut_off);
}

static void test_greeting__only_one_word_says_that_there_is_no_network(void **state)
{
    static const struct {
        const char *word;
        bool cut_off;
    } cases[] = {{"\"none\"", true},    {"\"\\u006eone\"", true}, {"\"None\"", false},
                 {"\"\"", false},       {"true", false},          {"null", false},
                 {"[\"none\"]", false}, {"\"none \"", false}};
    (void)state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[256];
        struct greeting greeting;
        const char *why = NULL;
        (void)snprintf(
            text, sizeof(text),
            "{\"protocol\":1,\"node\":\"v22.4.1\",\"pid\":1,\"group\":0,\"digest\":\"" DIGEST
            "\",\"network\":%s}",
            cases[i].word);
        assert_true(errand__greeting_read(span_text(text), &greeting, &why));
        assert_int_equal(greeting.cut_off, cases[i].cut_off);
    }
}

static void test_greeting__another_protocol_is_told_first(void **state)
{
    struct greeting greeting;
    const char *why = NULL;
    (void)state;

    assert_true(errand__greeting_read(SPAN_LITERAL("{\"protocol\":2}"), &greeting, &why));
    assert_int_equal(greeting.protocol, 2);
}

static void test_greeting__what_is_none(void **state)
{
    static const char *const texts[] = {
        "",
        "[]",
        "{",
        "{}",
        "{\"protocol\":\"1\"}",
        "{\"protocol\":1}",
        "{\"protocol\":1,\"node\":\"\",\"pid\":1,\"group\":1,\"digest\":\"" DIGEST "\"}",
        "{\"protocol\":1,\"node\":22,\"pid\":1,\"group\":1,\"digest\":\"" DIGEST "\"}",
        "{\"protocol\":1,\"node\":\"v22\",\"pid\":0,\"group\":1,\"digest\":\"" DIGEST "\"}",
        "{\"protocol\":1,\"node\":\"v22\",\"pid\":-1,\"group\":1,\"digest\":\"" DIGEST "\"}",
        "{\"protocol\":1,\"node\":\"v22\",\"pid\":4294967296,\"group\":1,\"digest\":\"" DIGEST
        "\"}",
        "{\"protocol\":1,\"node\":\"v22\",\"pid\":1,\"digest\":\"" DIGEST "\"}",
        "{\"protocol\":1,\"node\":\"v22\",\"pid\":1,\"group\":1}",
        "{\"protocol\":1,\"node\":\"v22\",\"pid\":1,\"group\":1,\"digest\":\"0123\"}",
    };
    struct greeting greeting;
    (void)state;

    for (size_t i = 0; i < COUNT(texts); i++) {
        const char *why = NULL;
        if (errand__greeting_read(span_text(texts[i]), &greeting, &why))
            fail_msg("%s", texts[i]);
        assert_non_null(why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hail__hello_stands_anywhere),
        cmocka_unit_test(test_hail__every_head_waits),
        cmocka_unit_test(test_hail__an_echo_is_noise),
        cmocka_unit_test(test_hail__fail_has_code_and_text),
        cmocka_unit_test(test_hail__a_fail_line_is_bounded),
        cmocka_unit_test(test_hail__a_hello_without_sense),
        cmocka_unit_test(test_greeting__is_read),
        cmocka_unit_test(test_greeting__only_one_word_says_that_there_is_no_network),
        cmocka_unit_test(test_greeting__another_protocol_is_told_first),
        cmocka_unit_test(test_greeting__what_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
