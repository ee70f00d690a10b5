/* test_protocol_examples.c - the examples of docs/protocol.md, read as the far side's bytes are.
 *
 * Knows the page as text: its fenced blocks marked "wire" and "segments", its tables of frames. */
#include "test.h"

#include "core/frame.h"
#include "core/json.h"
#include "core/segments.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { PAGE_MAX = 1 << 20, CAP = 1 << 16 };

static char page[PAGE_MAX];

/* The lines that one side says in one block, without their marks. */
struct example {
    enum frame_side side;
    char bytes[CAP];
    size_t len;
};

static int read_page(void **state)
{
    (void)state;
    FILE *file = fopen(ERRAND_PROTOCOL_PAGE, "r");
    assert_non_null(file);
    size_t len = fread(page, 1, sizeof(page) - 1, file);
    assert_int_equal(ferror(file), 0);
    assert_int_equal(fclose(file), 0);
    assert_true(len < sizeof(page) - 1);
    return 0;
}

static errand_span next_line(const char **at)
{
    size_t len = strcspn(*at, "\n");
    errand_span line = span_of(*at, len);
    *at += len + ((*at)[len] == '\n' ? 1 : 0);
    return line;
}

/* Collects what is said from *at on by the side that speaks first; *at ends behind it. false:
 * the block is over. */
static bool next_example(const char **at, struct example *out)
{
    char mark = **at;

    if (span_starts(span_text(*at), SPAN_LITERAL("```")))
        return false;
    assert_true(mark == '<' || mark == '>');
    out->side = mark == '<' ? FRAME_FROM_HOME : FRAME_FROM_RUNNER;
    out->len = 0;
    while (**at == mark) {
        errand_span line = next_line(at);
        assert_true(line.len == 1 || line.ptr[1] == ' ');
        line = span_after(line, line.len == 1 ? 1 : 2);
        assert_true(out->len + line.len < sizeof(out->bytes));
        memcpy(out->bytes + out->len, line.ptr, line.len);
        out->len += line.len;
        out->bytes[out->len++] = '\n';
    }
    return true;
}

static void check_payload(errand_span rest, uint64_t size)
{
    assert_true(rest.len > size);
    assert_true(rest.ptr[size] == '\n');
    if (size > 0)
        assert_true(errand__json_valid(span_head(rest, size), NULL));
}

/* "hello MARK SIZE" comes before frames do. Returns its length, or 0 where it is none. */
static size_t check_hello(errand_span bytes)
{
    const char *newline = memchr(bytes.ptr, '\n', bytes.len);
    size_t header = (size_t)(newline - bytes.ptr) + 1;
    uint64_t size = 0;

    if (!span_starts(bytes, SPAN_LITERAL("hello ")))
        return 0;
    assert_int_equal(strspn(bytes.ptr + 6, "0123456789abcdef"), 32);
    assert_true(bytes.ptr[38] == ' ');
    assert_true(errand__frame_number(span_of(bytes.ptr + 39, header - 40), &size));
    check_payload(span_after(bytes, header), size);
    assert_true(errand__json_is_object(span_of(bytes.ptr + header, size)));
    return header + size + 1;
}

static size_t check_frame(errand_span bytes, enum frame_side side)
{
    struct frame frame;
    const char *why = NULL;
    enum frame_found found = errand__frame_read(bytes, side, CAP, &frame, &why);

    if (found != FRAME_FOUND)
        print_message("%.*s: %s\n", (int)strcspn(bytes.ptr, "\n"), bytes.ptr,
                      why == NULL ? "torn" : why);
    assert_int_equal(found, FRAME_FOUND);
    if (frame.has_payload)
        check_payload(span_after(bytes, frame.header_len), frame.size);
    return (size_t)errand__frame_len(&frame);
}

/* How many frames the example is. */
static size_t check_example(const struct example *example)
{
    errand_span rest = span_of(example->bytes, example->len);
    size_t frames = 0;

    for (; rest.len > 0; frames++) {
        size_t len = check_hello(rest);
        if (len == 0)
            len = check_frame(rest, example->side);
        assert_true(len <= rest.len);
        rest = span_after(rest, len);
    }
    return frames;
}

static void test_protocol__every_example_is_whole_frames(void **state)
{
    static const char fence[] = "\n```wire\n";
    static struct example example;
    size_t frames = 0;
    (void)state;

    for (const char *at = strstr(page, fence); at != NULL; at = strstr(at, fence)) {
        at += sizeof(fence) - 1;
        while (next_example(&at, &example))
            frames += check_example(&example);
    }
    assert_true(frames >= 10);
}

/* --- Segments --------------------------------------------------------------------------- */

static void take_pieces(struct segments *segments, const struct example *example)
{
    errand_span rest = span_of(example->bytes, example->len), part = SPAN_EMPTY;
    const char *why = "";

    while (rest.len > 0)
        assert_int_not_equal(errand__segments_take(segments, &rest, &part, &why), SEGMENTS_BAD);
}

/* What home says here is what it would say. */
static void say_pieces(struct segments *segments, const struct example *example)
{
    errand_span rest = span_of(example->bytes, example->len);

    while (rest.len > 0) {
        size_t line = (size_t)((const char *)memchr(rest.ptr, '\n', rest.len) - rest.ptr) + 1;
        uint64_t size = 0;
        if (sscanf(rest.ptr, "seg %*u %" SCNu64, &size) == 1) {
            assert_true(line + size < rest.len);
            assert_int_equal(errand__segments_wrap(segments, span_of(rest.ptr + line, size)),
                             ERRAND_OK);
        } else {
            errand__segments_dropped(segments);
            assert_int_equal(errand__segments_attached(segments), ERRAND_OK);
        }
        errand_span wire = errand__segments_wire(segments);
        assert_true(wire.len > 0);
        assert_true(span_starts(rest, wire));
        rest = span_after(rest, wire.len);
        errand__segments_sent(segments, wire.len);
    }
}

static void test_protocol__segments_go_as_the_example_says(void **state)
{
    static const char fence[] = "\n```segments\n";
    static struct example example;
    struct segments segments;
    (void)state;

    const char *at = strstr(page, fence);
    assert_non_null(at);
    at += sizeof(fence) - 1;
    errand__segments_init(&segments, CAP, SPAN_LITERAL("00112233445566778899aabbccddeeff"));
    while (next_example(&at, &example)) {
        if (example.side == FRAME_FROM_HOME)
            say_pieces(&segments, &example);
        else
            take_pieces(&segments, &example);
    }
    assert_int_equal(segments.heard, 50);
    assert_int_equal(segments.kept_at, 16);
    assert_int_equal(segments.epoch, 1);
    errand__segments_deinit(&segments);
}

static void test_protocol__every_frame_stands_in_a_table(void **state)
{
    (void)state;
    for (enum frame_type type = FRAME_BOOT; type <= FRAME_LEFT; type++) {
        char row[FRAME_HEADER_MAX];
        (void)snprintf(row, sizeof(row), "\n| `%s ", errand__frame_name(type));
        if (strstr(page, row) == NULL)
            fail_msg("docs/protocol.md does not list %s", errand__frame_name(type));
    }
}

static void test_protocol__every_level_is_named(void **state)
{
    static const char row[] = "\n| `log LEVEL SIZE` |";
    (void)state;
    const char *at = strstr(page, row);
    assert_non_null(at);
    errand_span line = span_of(at + 1, strcspn(at + 1, "\n"));
    const char *levels = memmem(line.ptr, line.len, "LEVEL is `", 10);
    assert_non_null(levels);
    errand_span rest = span_of(levels + 10, strcspn(levels + 10, "`"));
    for (size_t count = 0; rest.len > 0; count++) {
        size_t len = strcspn(rest.ptr, " `");
        assert_non_null(errand__frame_level(span_head(rest, len)));
        rest = span_after(rest, len < rest.len ? len + 1 : len);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_protocol__every_example_is_whole_frames),
        cmocka_unit_test(test_protocol__segments_go_as_the_example_says),
        cmocka_unit_test(test_protocol__every_frame_stands_in_a_table),
        cmocka_unit_test(test_protocol__every_level_is_named),
    };
    return cmocka_run_group_tests(tests, read_page, NULL);
}
