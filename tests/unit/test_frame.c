/* Header lines in, header lines out, and what is none. */
#include "test.h"

#include "core/frame.h"

enum { CAP = 1000 };

static enum frame_found read_as(const char *text, enum frame_side side, struct frame *out)
{
    const char *why = NULL;
    enum frame_found found = errand__frame_read(span_text(text), side, CAP, out, &why);

    assert_int_equal(found == FRAME_BAD, why != NULL);
    return found;
}

static void test_frame__every_frame_is_read(void **state)
{
    struct frame frame;
    (void)state;

    assert_int_equal(read_as("call 7 0 2 16\n", FRAME_FROM_RUNNER, &frame), FRAME_FOUND);
    assert_int_equal(frame.type, FRAME_CALL);
    assert_int_equal(frame.number, 7);
    assert_int_equal(frame.space, 0);
    assert_int_equal(frame.function, 2);
    assert_int_equal(frame.size, 16);
    assert_int_equal(frame.header_len, 14);
    assert_int_equal(errand__frame_len(&frame), 14 + 17);

    assert_int_equal(read_as("log warn 0\nx", FRAME_FROM_RUNNER, &frame), FRAME_FOUND);
    assert_string_equal(frame.level, "warn");
    assert_int_equal(errand__frame_len(&frame), 12);

    assert_int_equal(read_as("need amaro\n", FRAME_FROM_RUNNER, &frame), FRAME_FOUND);
    assert_span(frame.name, "amaro");
    assert_false(frame.has_payload);
    assert_int_equal(errand__frame_len(&frame), 11);

    assert_int_equal(read_as("done error 3\n", FRAME_FROM_RUNNER, &frame), FRAME_FOUND);
    assert_false(frame.ok);
    assert_int_equal(read_as("reply 9007199254740991 ok 0\n", FRAME_FROM_HOME, &frame),
                     FRAME_FOUND);
    assert_true(frame.number == 9007199254740991);
    assert_true(frame.ok);
}

static void test_frame__header_without_newline_waits(void **state)
{
    static const char header[] = "call 1 0 0 2";
    struct frame frame;
    const char *why;
    (void)state;

    for (size_t len = 0; len < sizeof(header); len++)
        assert_int_equal(errand__frame_read(span_of(header, len < 12 ? len : 12), FRAME_FROM_RUNNER,
                                            CAP, &frame, &why),
                         FRAME_TORN);
}

static void test_frame__a_header_ends_within_256_bytes(void **state)
{
    char line[300];
    struct frame frame;
    const char *why;
    (void)state;

    memset(line, 'x', sizeof(line));
    assert_int_equal(errand__frame_read(span_of(line, 256), FRAME_FROM_RUNNER, CAP, &frame, &why),
                     FRAME_TORN);
    assert_int_equal(errand__frame_read(span_of(line, 257), FRAME_FROM_RUNNER, CAP, &frame, &why),
                     FRAME_BAD);
    /* A newline where the 257th byte would be is in time, and the word is still none. */
    line[256] = '\n';
    assert_int_equal(errand__frame_read(span_of(line, 257), FRAME_FROM_RUNNER, CAP, &frame, &why),
                     FRAME_BAD);
    assert_string_equal(why, "an unknown frame");
}

static void test_frame__what_is_no_header(void **state)
{
    static const char *const lines[] = {
        "\n",
        " \n",
        "call\n",
        "call \n",
        "call 1 0 0\n",
        "call 1 0 0 \n",
        "call 1 0 0 2 3\n",
        "call 1 0 0 2 \n",
        "call  1 0 0 2\n",
        " call 1 0 0 2\n",
        "call 1\t0 0 2\n",
        "call 01 0 0 2\n",
        "call +1 0 0 2\n",
        "call -1 0 0 2\n",
        "call 1.0 0 0 2\n",
        "call 0x1 0 0 2\n",
        "call 9007199254740992 0 0 2\n",
        "call 18446744073709551617 0 0 2\n",
        "call 99999999999999999999999999 0 0 2\n",
        "call 1 0 0 1001\n",
        "Call 1 0 0 2\n",
        "calls 1 0 0 2\n",
        "log loud 2\n",
        "log 2\n",
        "done 2\n",
        "done OK 2\n",
        "done maybe 2\n",
        "need\n",
        "need a b\n",
        "beat\n",
        "beat x\n",
        "stats\n",
        "hello 1\n",
        "boot 2\n",
        "reply 1 ok 2\n",
        "ping 1\n",
        "call 1 0 0 2\r\n",
        "log info 2\x01\n",
        "log info\xc3\xa9 2\n",
    };
    struct frame frame;
    (void)state;

    for (size_t i = 0; i < COUNT(lines); i++) {
        if (read_as(lines[i], FRAME_FROM_RUNNER, &frame) != FRAME_BAD)
            fail_msg("%s", lines[i]);
    }
}

static void test_frame__a_size_is_checked_before_its_payload(void **state)
{
    struct frame frame;
    const char *why;
    (void)state;

    assert_int_equal(read_as("done ok 1000\n", FRAME_FROM_RUNNER, &frame), FRAME_FOUND);
    assert_int_equal(read_as("done ok 1001\n", FRAME_FROM_RUNNER, &frame), FRAME_BAD);
    assert_int_equal(errand__frame_read(SPAN_LITERAL("done ok 4294967296\n"), FRAME_FROM_RUNNER,
                                        CAP, &frame, &why),
                     FRAME_BAD);
    assert_string_equal(why, "a frame over frame_bytes");
}

static void test_frame__names_are_bounded(void **state)
{
    char line[80];
    struct frame frame;
    (void)state;

    memset(line, 'a', sizeof(line));
    (void)write_at(line, SPAN_LITERAL("need "));
    memcpy(line + 5 + FRAME_NAME_MAX, "\n", 2);
    assert_int_equal(read_as(line, FRAME_FROM_RUNNER, &frame), FRAME_FOUND);
    memcpy(line + 5 + FRAME_NAME_MAX, "a\n", 3);
    assert_int_equal(read_as(line, FRAME_FROM_RUNNER, &frame), FRAME_BAD);
}

static void test_frame__what_is_written_is_read(void **state)
{
    static const struct {
        struct frame frame;
        enum frame_side side;
        const char *line;
    } cases[] = {
        {{.type = FRAME_BOOT, .size = 12}, FRAME_FROM_HOME, "boot 12\n"},
        {{.type = FRAME_REPLY, .number = 3, .ok = true}, FRAME_FROM_HOME, "reply 3 ok 0\n"},
        {{.type = FRAME_REPLY, .number = 3, .size = 9}, FRAME_FROM_HOME, "reply 3 error 9\n"},
        {{.type = FRAME_STOP, .number = 1000}, FRAME_FROM_HOME, "stop 1000\n"},
        {{.type = FRAME_PING, .number = 0}, FRAME_FROM_HOME, "ping 0\n"},
        {{.type = FRAME_ASSET, .name = {"amaro", 5}, .size = 4},
         FRAME_FROM_HOME,
         "asset amaro 4\n"},
        {{.type = FRAME_LOG, .level = "stderr", .size = 2}, FRAME_FROM_RUNNER, "log stderr 2\n"},
        {{.type = FRAME_ITEM, .size = 2}, FRAME_FROM_RUNNER, "item 2\n"},
        {{.type = FRAME_CALL, .number = 9007199254740991, .space = 1, .function = 65535, .size = 7},
         FRAME_FROM_RUNNER,
         "call 9007199254740991 1 65535 7\n"},
        {{.type = FRAME_NEED, .name = {"amaro", 5}}, FRAME_FROM_RUNNER, "need amaro\n"},
        {{.type = FRAME_BEAT, .number = 4}, FRAME_FROM_RUNNER, "beat 4\n"},
        {{.type = FRAME_STATS, .size = 4}, FRAME_FROM_RUNNER, "stats 4\n"},
        {{.type = FRAME_STORE, .size = 4}, FRAME_FROM_RUNNER, "store 4\n"},
        {{.type = FRAME_DONE, .ok = true, .size = 4}, FRAME_FROM_RUNNER, "done ok 4\n"},
        {{.type = FRAME_LEFT, .number = 2, .pid = 4711, .name = {"sleep", 5}},
         FRAME_FROM_RUNNER,
         "left 2 4711 sleep\n"},
    };
    char line[FRAME_HEADER_MAX + 2];
    struct frame again;
    (void)state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t len = errand__frame_write(line, &cases[i].frame);
        assert_span(span_of(line, len), cases[i].line);
        assert_int_equal(read_as(cases[i].line, cases[i].side, &again), FRAME_FOUND);
        assert_int_equal(again.type, cases[i].frame.type);
        assert_true(again.number == cases[i].frame.number);
        assert_true(again.pid == cases[i].frame.pid);
        assert_true(again.size == cases[i].frame.size);
        assert_true(again.ok == cases[i].frame.ok);
        assert_true(span_equal(again.name, cases[i].frame.name));
        /* From the other side it is nothing. */
        assert_int_equal(
            read_as(cases[i].line,
                    cases[i].side == FRAME_FROM_HOME ? FRAME_FROM_RUNNER : FRAME_FROM_HOME, &again),
            FRAME_BAD);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frame__every_frame_is_read),
        cmocka_unit_test(test_frame__header_without_newline_waits),
        cmocka_unit_test(test_frame__a_header_ends_within_256_bytes),
        cmocka_unit_test(test_frame__what_is_no_header),
        cmocka_unit_test(test_frame__a_size_is_checked_before_its_payload),
        cmocka_unit_test(test_frame__names_are_bounded),
        cmocka_unit_test(test_frame__what_is_written_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
