/* test_e2b_codec.c - messages of a sandbox's service in both codecs, and the envelopes around. */
#include "test.h"

#include "transport/e2b/base64.h"
#include "transport/e2b/envelope.h"
#include "transport/e2b/json.h"
#include "transport/e2b/proto.h"

#include <stdlib.h>

static errand_span text_of(const struct buf *buf)
{
    return errand__buf_peek(buf);
}

static const char *const args[] = {"-c", "exit 3", NULL};
static const struct e2b_start start = {.cmd = "/bin/sh", .args = args, .input = true};

static void test_e2b_codec__requests_in_proto(void **state)
{
    struct buf buf;

    (void)state;
    errand__buf_init(&buf, 4096);
    assert_int_equal(errand__e2b_proto_start(&buf, &start), ERRAND_OK);
    assert_span(text_of(&buf), "\x0a\x15\x0a\x07/bin/sh\x12\x02-c\x12\x06"
                               "exit 3\x20\x01");
    errand__buf_deinit(&buf);
    assert_int_equal(errand__e2b_proto_input(&buf, 300, SPAN_LITERAL("hi")), ERRAND_OK);
    assert_span(text_of(&buf), "\x0a\x03\x08\xac\x02\x12\x04\x0a\x02hi");
    errand__buf_deinit(&buf);
    assert_int_equal(errand__e2b_proto_signal(&buf, 7, 9), ERRAND_OK);
    assert_span(text_of(&buf), "\x0a\x02\x08\x07\x10\x09");
    errand__buf_deinit(&buf);
}

static void test_e2b_codec__requests_in_json(void **state)
{
    struct buf buf;

    (void)state;
    errand__buf_init(&buf, 4096);
    assert_int_equal(errand__e2b_json_start(&buf, &start), ERRAND_OK);
    assert_span(text_of(&buf), "{\"process\":{\"cmd\":\"/bin/sh\",\"args\":[\"-c\",\"exit 3\"]},"
                               "\"stdin\":true}");
    errand__buf_deinit(&buf);
    assert_int_equal(errand__e2b_json_input(&buf, 300, SPAN_LITERAL("hi")), ERRAND_OK);
    assert_span(text_of(&buf), "{\"process\":{\"pid\":300},\"input\":{\"stdin\":\"aGk=\"}}");
    errand__buf_deinit(&buf);
    assert_int_equal(errand__e2b_json_signal(&buf, 7, 9), ERRAND_OK);
    assert_span(text_of(&buf), "{\"process\":{\"pid\":7},\"signal\":\"SIGNAL_SIGKILL\"}");
    errand__buf_deinit(&buf);
}

static void test_e2b_codec__events_in_proto(void **state)
{
    struct e2b_event event;

    (void)state;
    assert_true(errand__e2b_proto_event(&event, SPAN_LITERAL("\x0a\x04\x0a\x02\x08\x2a")));
    assert_int_equal(event.type, E2B_EVENT_START);
    assert_int_equal(event.pid, 42);
    assert_true(errand__e2b_proto_event(&event, SPAN_LITERAL("\x0a\x06\x12\x04\x12\x02hi")));
    assert_int_equal(event.type, E2B_EVENT_ERR);
    assert_span(event.bytes, "hi");
    /* exit_code is zig-zag: 1 is -1. */
    assert_true(errand__e2b_proto_event(&event, SPAN_LITERAL("\x0a\x04\x1a\x02\x08\x01")));
    assert_int_equal(event.type, E2B_EVENT_END);
    assert_int_equal(event.exit_code, -1);
    /* A keepalive, and a field that nobody knows. */
    assert_true(errand__e2b_proto_event(&event, SPAN_LITERAL("\x0a\x02\x22\x00\x78\x01")));
    assert_int_equal(event.type, E2B_EVENT_NONE);
}

static void test_e2b_codec__torn_proto_is_none(void **state)
{
    static const char whole[] = "\x0a\x06\x12\x04\x0a\x02hi";
    struct e2b_event event;

    (void)state;
    for (size_t len = 1; len < sizeof(whole) - 1; len++) {
        if (errand__e2b_proto_event(&event, span_of(whole, len)))
            fail_msg("%zu bytes were a message", len);
    }
    assert_false(errand__e2b_proto_event(
        &event, SPAN_LITERAL("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")));
}

static void check_json(const char *text, enum e2b_event_type type, const char *bytes)
{
    struct e2b_event event;
    json_t *root = NULL;

    assert_true(errand__e2b_json_event(&event, &root, span_text(text)));
    assert_int_equal(event.type, type);
    assert_span(event.bytes, bytes);
    json_decref(root);
}

static void test_e2b_codec__events_in_json(void **state)
{
    struct e2b_event event;
    json_t *root = NULL;

    (void)state;
    check_json("{\"event\":{\"start\":{\"pid\":42}}}", E2B_EVENT_START, "");
    check_json("{\"event\":{\"data\":{\"stdout\":\"aGVsbG8=\"}}}", E2B_EVENT_OUT, "hello");
    check_json("{\"event\":{\"data\":{\"stderr\":\"_-8\"}}}", E2B_EVENT_ERR, "\xff\xef");
    check_json("{\"event\":{\"keepalive\":{}}}", E2B_EVENT_NONE, "");
    check_json("{\"event\":{\"what\":{}}}", E2B_EVENT_NONE, "");
    assert_false(errand__e2b_json_event(&event, &root,
                                        SPAN_LITERAL("{\"event\":{\"data\":{\"stdout\":\"a\"}}}")));
    json_decref(root);
    assert_false(errand__e2b_json_event(&event, &root, SPAN_LITERAL("[1")));
    json_decref(root);
}

static void test_e2b_codec__every_length_of_base64(void **state)
{
    unsigned char bytes[800];
    struct buf buf;

    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char)(i * 7 + i / 256);
    for (size_t len = 0; len < sizeof(bytes); len += len < 8 ? 1 : 61) {
        size_t decoded = 0;
        errand__buf_init(&buf, 4096);
        assert_int_equal(errand__e2b_base64_put(&buf, span_of(bytes, len)), ERRAND_OK);
        errand_span text = errand__buf_peek(&buf);
        assert_int_equal(text.len, (len + 2) / 3 * 4);
        char *copy = malloc(text.len + 1);
        assert_non_null(copy);
        if (text.len > 0)
            memcpy(copy, text.ptr, text.len);
        assert_true(errand__e2b_base64_take(copy, text.len, &decoded));
        assert_int_equal(decoded, len);
        assert_memory_equal(copy, bytes, len);
        free(copy);
        errand__buf_deinit(&buf);
    }
}

static void test_e2b_codec__envelopes_split_anywhere(void **state)
{
    static const char bytes[] = "\x00\x00\x00\x00\x03"
                                "abc\x02\x00\x00\x00\x02{}";
    struct e2b_envelope envelope;

    (void)state;
    for (size_t len = 0; len < 8; len++)
        assert_int_equal(errand__e2b_envelope_read(&envelope, span_of(bytes, len)), ERRAND_AGAIN);
    for (size_t len = 8; len < sizeof(bytes); len++) {
        assert_int_equal(errand__e2b_envelope_read(&envelope, span_of(bytes, len)), ERRAND_OK);
        assert_int_equal(envelope.len, 8);
        assert_span(envelope.payload, "abc");
    }
    assert_int_equal(errand__e2b_envelope_read(&envelope, span_of(bytes + 8, 7)), ERRAND_OK);
    assert_int_equal(envelope.flags, E2B_ENVELOPE_TRAILER);
}

static void test_e2b_codec__envelopes_that_are_none(void **state)
{
    struct e2b_envelope envelope;

    (void)state;
    assert_true(errand__e2b_envelope_read(&envelope, SPAN_LITERAL("\x01")) < 0);
    assert_true(errand__e2b_envelope_read(&envelope, SPAN_LITERAL("<html>")) < 0);
    assert_true(errand__e2b_envelope_read(&envelope, SPAN_LITERAL("\x00\x00\x10\x00\x01")) < 0);
}

static void check_exit(struct e2b_event end, int exit_code, int exit_signal)
{
    int code = -2, number = -2;

    errand__e2b_event_exit(&end, &code, &number);
    assert_int_equal(code, exit_code);
    assert_int_equal(number, exit_signal);
}

static void test_e2b_codec__every_shape_of_an_end(void **state)
{
    (void)state;
    check_exit((struct e2b_event){.exited = true, .status = SPAN_LITERAL("exit status 0")}, 0, 0);
    check_exit((struct e2b_event){.has_code = true, .exit_code = 3, .exited = true}, 3, 0);
    check_exit((struct e2b_event){.status = SPAN_LITERAL("exit status 3"),
                                  .error = SPAN_LITERAL("exit status 3")},
               3, 0);
    check_exit((struct e2b_event){.has_code = true,
                                  .exit_code = -1,
                                  .status = SPAN_LITERAL("signal: killed")},
               -1, 9);
    check_exit(
        (struct e2b_event){.has_code = true,
                           .exit_code = -1,
                           .error = SPAN_LITERAL("signal: segmentation fault (core dumped)")},
        -1, 11);
    check_exit(
        (struct e2b_event){
            .has_code = true, .exit_code = 143, .exited = true, .status = SPAN_LITERAL("SIGTERM")},
        -1, 15);
    check_exit((struct e2b_event){.has_code = true, .exit_code = 143, .exited = true}, 143, 0);
    check_exit((struct e2b_event){.status = SPAN_LITERAL("wait4 error"),
                                  .error = SPAN_LITERAL("wait4: no child processes")},
               -1, 0);
    check_exit((struct e2b_event){.has_code = false}, 0, 0);
}

static void test_e2b_codec__a_process_is_found_by_its_mark(void **state)
{
    static const char list[] = "\x0a\x0a\x0a\x06\x12\x04none\x10\x05"
                               "\x0a\x0c\x0a\x08\x12\x06xmarky\x10\x4d";

    (void)state;
    assert_int_equal(errand__e2b_proto_find(SPAN_LITERAL(list), SPAN_LITERAL("mark")), 77);
    assert_int_equal(errand__e2b_proto_find(SPAN_LITERAL(list), SPAN_LITERAL("other")), 0);
    assert_int_equal(
        errand__e2b_json_find(SPAN_LITERAL("{\"processes\":[{\"config\":{\"args\":[\"a\"]},"
                                           "\"pid\":1},{\"config\":{\"args\":[\"mark\"]},"
                                           "\"pid\":2}]}"),
                              SPAN_LITERAL("mark")),
        2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_e2b_codec__requests_in_proto),
        cmocka_unit_test(test_e2b_codec__requests_in_json),
        cmocka_unit_test(test_e2b_codec__events_in_proto),
        cmocka_unit_test(test_e2b_codec__torn_proto_is_none),
        cmocka_unit_test(test_e2b_codec__events_in_json),
        cmocka_unit_test(test_e2b_codec__every_length_of_base64),
        cmocka_unit_test(test_e2b_codec__envelopes_split_anywhere),
        cmocka_unit_test(test_e2b_codec__envelopes_that_are_none),
        cmocka_unit_test(test_e2b_codec__every_shape_of_an_end),
        cmocka_unit_test(test_e2b_codec__a_process_is_found_by_its_mark),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
