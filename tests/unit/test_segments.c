/* test_segments.c - both streams over a way that breaks anywhere, and what a liar may send. */
#include "test.h"

#include "core/segments.h"

#include <inttypes.h>
#include <stdio.h>

#define MARK "00112233445566778899aabbccddeeff"

enum { WINDOW = 400, STREAM = 1000 };

/* Both ends are struct segments: the far one speaks the runner's part, which differs in who asks
 * for the resumption and who answers. */
struct far {
    uint64_t heard, acked, next;
    uint64_t epoch;
    char in[STREAM + 64]; /* What home said, in order. */
};

struct pair {
    struct segments home;
    struct far far;
    char to_home[1 << 16]; /* On its way. */
    size_t to_home_len;
    char got[STREAM + 64];
    size_t got_len;
    size_t given; /* Of home's own stream. */
};

static char byte_of(uint64_t offset)
{
    return (char)('a' + offset % 26);
}

static void say_to_home(struct pair *pair, const char *bytes, size_t len)
{
    assert_true(pair->to_home_len + len <= sizeof(pair->to_home));
    memcpy(pair->to_home + pair->to_home_len, bytes, len);
    pair->to_home_len += len;
}

static void far_line(struct pair *pair, const char *format, uint64_t a, uint64_t b)
{
    char line[128];
    int len = snprintf(line, sizeof(line), format, a, b);
    say_to_home(pair, line, (size_t)len);
}

/* --- The far end: the rules of docs/protocol.md, told anew -------------------------------- */

static void far_pump(struct pair *pair)
{
    struct far *far = &pair->far;
    while (far->next < STREAM && far->next - far->acked < WINDOW) {
        char piece[64];
        uint64_t len = 1 + far->next % 37;
        if (len > STREAM - far->next)
            len = STREAM - far->next;
        for (uint64_t i = 0; i < len; i++)
            piece[i] = byte_of(far->next + i);
        far_line(pair, "seg %" PRIu64 " %" PRIu64 "\n", far->next, len);
        say_to_home(pair, piece, (size_t)len);
        say_to_home(pair, "\n", 1);
        far->next += len;
    }
}

static void far_segment(struct pair *pair, uint64_t offset, errand_span bytes)
{
    struct far *far = &pair->far;
    if (offset > far->heard)
        return;
    size_t known = (size_t)(far->heard - offset);
    if (known >= bytes.len)
        return;
    bytes = span_after(bytes, known);
    assert_true(far->heard + bytes.len <= STREAM);
    memcpy(far->in + far->heard, bytes.ptr, bytes.len);
    far->heard += bytes.len;
    if (far->heard % 3 == 0)
        far_line(pair, "ack %" PRIu64 "\n", far->heard, 0);
}

static void far_hear(struct pair *pair, const char *wire, size_t len)
{
    struct far *far = &pair->far;
    while (len > 0) {
        const char *end = memchr(wire, '\n', len);
        assert_non_null(end);
        uint64_t a = 0, b = 0;
        size_t line = (size_t)(end + 1 - wire);
        if (sscanf(wire, "seg %" SCNu64 " %" SCNu64, &a, &b) == 2) {
            far_segment(pair, a, span_of(wire + line, (size_t)b));
            line += (size_t)b + 1;
        } else if (sscanf(wire, "resume %" SCNu64 " %" SCNu64, &a, &b) == 2) {
            far->epoch = a;
            far->acked = far->next = b;
            far_line(pair, "resumed " MARK " %" PRIu64 " %" PRIu64 "\n", a, far->heard);
        } else {
            assert_int_equal(sscanf(wire, "ack %" SCNu64, &a), 1);
            far->acked = a;
        }
        assert_true(line <= len);
        wire += line;
        len -= line;
    }
    far_pump(pair);
}

/* --- The way ------------------------------------------------------------------------------ */

static void home_hear(struct pair *pair, errand_span bytes)
{
    while (bytes.len > 0) {
        errand_span part = SPAN_EMPTY;
        const char *why = NULL;
        enum segments_found found = errand__segments_take(&pair->home, &bytes, &part, &why);
        assert_int_not_equal(found, SEGMENTS_BAD);
        if (found != SEGMENTS_BYTES)
            continue;
        assert_true(pair->got_len + part.len <= STREAM);
        memcpy(pair->got + pair->got_len, part.ptr, part.len);
        pair->got_len += part.len;
    }
}

/* Home offers; the road takes it, and it arrives as a whole or not at all. */
static bool home_says(struct pair *pair, bool arrives)
{
    assert_int_equal(errand__segments_offer(&pair->home, false), ERRAND_OK);
    size_t room = errand__segments_room(&pair->home);
    if (room > STREAM - pair->given)
        room = STREAM - pair->given;
    if (room > 29)
        room = 29;
    char piece[29];
    for (size_t i = 0; i < room; i++)
        piece[i] = byte_of(pair->given + i);
    if (room > 0) {
        assert_int_equal(errand__segments_wrap(&pair->home, span_of(piece, room)), ERRAND_OK);
        pair->given += room;
    }
    errand_span wire = errand__segments_wire(&pair->home);
    if (wire.len == 0)
        return false;
    static char copy[SEGMENTS_WIRE_MAX + 1];
    size_t len = wire.len;
    memcpy(copy, wire.ptr, len);
    copy[len] = '\0';
    errand__segments_sent(&pair->home, len);
    if (arrives)
        far_hear(pair, copy, len);
    return true;
}

static void drop(struct pair *pair)
{
    /* Some of it was read by nobody; what is behind it begins anywhere. */
    size_t gone = pair->to_home_len / 2;
    memmove(pair->to_home, pair->to_home + gone, pair->to_home_len - gone);
    pair->to_home_len -= gone;
    errand__segments_dropped(&pair->home);
    assert_int_equal(errand__segments_wire(&pair->home).len, 0);
    assert_int_equal(errand__segments_attached(&pair->home), ERRAND_OK);
}

static void begin(struct pair *pair)
{
    memset(pair, 0, sizeof(*pair));
    errand__segments_init(&pair->home, WINDOW, SPAN_LITERAL(MARK));
    far_line(pair, "noise resumed 0011\nresumed " MARK " 0 0\n", 0, 0);
    far_pump(pair);
}

/* Everything crosses; the way breaks before byte first of the way back has been read, and once
 * more after so many further ones. lost: what home said last does not arrive. */
static void cross(size_t first, size_t again, bool lost)
{
    static struct pair pair;
    begin(&pair);
    size_t read = 0, next = first;
    unsigned breaks = 0;
    for (unsigned turn = 0; turn < 4000; turn++) {
        size_t len = pair.to_home_len;
        bool breaks_here = breaks < 2 && read + len > next;
        if (breaks_here)
            len = next - read;
        home_hear(&pair, span_of(pair.to_home, len));
        memmove(pair.to_home, pair.to_home + len, pair.to_home_len - len);
        pair.to_home_len -= len;
        read += len;
        if (breaks_here) {
            (void)home_says(&pair, !lost);
            drop(&pair);
            breaks++;
            next = read + again;
        }
        bool said = home_says(&pair, true);
        if (!said && pair.to_home_len == 0)
            break;
    }
    assert_int_equal(pair.got_len, STREAM);
    assert_int_equal(pair.far.heard, STREAM);
    for (size_t i = 0; i < STREAM; i++) {
        assert_int_equal(pair.got[i], byte_of(i));
        assert_int_equal(pair.far.in[i], byte_of(i));
    }
    errand__segments_deinit(&pair.home);
}

static void test_segments__a_break_at_every_byte_loses_nothing(void **state)
{
    (void)state;
    for (size_t first = 0; first < 1600; first++) {
        cross(first, SIZE_MAX / 2, false);
        cross(first, SIZE_MAX / 2, true);
    }
}

static void test_segments__two_breaks_in_a_row_lose_nothing(void **state)
{
    (void)state;
    for (size_t first = 0; first < 1600; first += 7) {
        for (size_t again = 0; again < 120; again += 3)
            cross(first, again, (first + again) % 2 == 0);
    }
}

/* --- Liars -------------------------------------------------------------------------------- */

static const struct lie {
    const char *text;
    const char *why;
} lies[] = {
    {"resumed " MARK " 0 1\n", "a resumption at bytes that were never sent"},
    {"resumed " MARK " 1 0\n", "a resumption that makes no sense"},
    {"resumed " MARK " x\n", "a resumption that makes no sense"},
    {"resumed " MARK " 0 0\nseg 1 1\n", "a segment behind a gap"},
    {"resumed " MARK " 0 0\nseg 0 0\n", "a segment that makes no sense"},
    {"resumed " MARK " 0 0\nseg 0 32769\n", "a segment that makes no sense"},
    {"resumed " MARK " 0 0\nseg 0 4294967296\n", "a segment that makes no sense"},
    {"resumed " MARK " 0 0\nseg 0 1\nab", "a segment that does not end where its header says"},
    {"resumed " MARK " 0 0\nack 1\n", "an acknowledgement of what was never sent"},
    {"resumed " MARK " 0 0\nhello\n", "no segment"},
    {"resumed " MARK " 0 0\n\n", "no segment"},
};

static void take_all(const char *text, size_t cut, const char **why)
{
    struct segments segments;
    errand__segments_init(&segments, WINDOW, SPAN_LITERAL(MARK));
    enum segments_found found = SEGMENTS_NOTHING;
    errand_span rest = span_text(text);
    *why = NULL;
    while (rest.len > 0 && found != SEGMENTS_BAD) {
        errand_span chunk = span_head(rest, cut), part = SPAN_EMPTY;
        rest = span_after(rest, chunk.len);
        while (chunk.len > 0 && found != SEGMENTS_BAD)
            found = errand__segments_take(&segments, &chunk, &part, why);
    }
    errand__segments_deinit(&segments);
}

static void test_segments__lies_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(lies); i++) {
        for (size_t cut = 1; cut < 40; cut += 3) {
            const char *why = NULL;
            take_all(lies[i].text, cut, &why);
            assert_non_null(why);
            assert_string_equal(why, lies[i].why);
        }
    }
}

static void test_segments__an_endless_line_is_refused(void **state)
{
    (void)state;
    char text[400] = "resumed " MARK " 0 0\n";
    const char *why = NULL;
    size_t len = strlen(text);
    memset(text + len, '7', sizeof(text) - len - 1);
    take_all(text, 5, &why);
    assert_string_equal(why, "no segment");
}

/* --- Windows ------------------------------------------------------------------------------ */

static void test_segments__a_full_window_waits_for_an_acknowledgement(void **state)
{
    (void)state;
    struct segments segments;
    errand_span rest = SPAN_LITERAL("resumed " MARK " 0 0\n"), part;
    const char *why;
    char bytes[WINDOW] = {0};
    errand__segments_init(&segments, WINDOW, SPAN_LITERAL(MARK));
    assert_int_equal(errand__segments_room(&segments), 0);
    assert_int_equal(errand__segments_take(&segments, &rest, &part, &why), SEGMENTS_NOTHING);
    assert_int_equal(errand__segments_room(&segments), WINDOW);
    assert_int_equal(errand__segments_wrap(&segments, span_of(bytes, WINDOW)), ERRAND_OK);
    errand__segments_sent(&segments, errand__segments_wire(&segments).len);
    assert_int_equal(errand__segments_room(&segments), 0);
    rest = SPAN_LITERAL("ack 150\n");
    assert_int_equal(errand__segments_take(&segments, &rest, &part, &why), SEGMENTS_NOTHING);
    assert_int_equal(errand__segments_room(&segments), 150);
    errand__segments_deinit(&segments);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_segments__a_break_at_every_byte_loses_nothing),
        cmocka_unit_test(test_segments__two_breaks_in_a_row_lose_nothing),
        cmocka_unit_test(test_segments__lies_are_refused),
        cmocka_unit_test(test_segments__an_endless_line_is_refused),
        cmocka_unit_test(test_segments__a_full_window_waits_for_an_acknowledgement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
