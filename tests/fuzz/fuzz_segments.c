/* Two streams over a way that breaks. The first byte chooses: an honest far side, told by the rules
 * of docs/protocol.md once more, over a way that loses what the input says; nothing may be lost in
 * the end, come twice or out of order. Or a liar, whose bytes the input is; no rule of home's own
 * may break, however they are cut. */
#include "fuzz.h"

#include "core/frame.h"
#include "core/segments.h"

#include <inttypes.h>
#include <stdio.h>

#define MARK "00112233445566778899aabbccddeeff"

enum { WINDOW = 64, STREAM_MAX = 4096, WAY_MAX = 1 << 16, PIECE_MAX = 40, TURNS_MAX = 20000 };

struct input {
    const uint8_t *at, *end;
};

struct far {
    uint64_t said, acked, next, heard, told;
    uint64_t epoch;
};

struct pair {
    struct segments home;
    struct far far;
    char way[WAY_MAX]; /* To home. */
    size_t way_len;
    uint64_t given, got; /* Of home's stream, and of the far side's. */
};

static uint8_t take(struct input *input)
{
    return input->at == input->end ? 0 : *input->at++;
}

static char byte_of(uint64_t offset)
{
    return (char)('a' + offset % 23);
}

/* --- The far side ------------------------------------------------------------------------- */

static void put(struct pair *pair, const void *bytes, size_t len)
{
    MUST(pair->way_len + len <= WAY_MAX);
    memcpy(pair->way + pair->way_len, bytes, len);
    pair->way_len += len;
}

static void put_line(struct pair *pair, const char *format, uint64_t a, uint64_t b)
    __attribute__((format(printf, 2, 0)));
static void put_line(struct pair *pair, const char *format, uint64_t a, uint64_t b)
{
    char line[128];
    int len = snprintf(line, sizeof(line), format, a, b);

    put(pair, line, (size_t)len);
}

static void far_pump(struct pair *pair, size_t most)
{
    struct far *far = &pair->far;

    while (far->next < far->said && far->next - far->acked < WINDOW &&
           pair->way_len < WAY_MAX - 1024) {
        char piece[PIECE_MAX];
        uint64_t len = far->said - far->next;
        len = len < most ? len : most;
        for (uint64_t i = 0; i < len; i++)
            piece[i] = byte_of(far->next + i);
        put_line(pair, "seg %" PRIu64 " %" PRIu64 "\n", far->next, len);
        put(pair, piece, (size_t)len);
        put(pair, "\n", 1);
        far->next += len;
    }
}

static void far_segment(struct pair *pair, uint64_t offset, errand_span bytes)
{
    struct far *far = &pair->far;

    for (size_t i = 0; i < bytes.len; i++)
        MUST(bytes.ptr[i] == byte_of(offset + i));
    if (offset > far->heard || offset + bytes.len <= far->heard)
        return;
    far->heard = offset + bytes.len;
    MUST(far->heard <= pair->given);
    if (far->heard - far->told < WINDOW / 4)
        return;
    far->told = far->heard;
    put_line(pair, "ack %" PRIu64 "\n", far->told, 0);
}

static void far_resume(struct pair *pair, uint64_t epoch, uint64_t offset)
{
    struct far *far = &pair->far;

    MUST(epoch > far->epoch);
    MUST(offset >= far->acked && offset <= far->said);
    far->epoch = epoch;
    far->acked = far->next = offset;
    far->told = far->heard;
    put_line(pair, "resumed " MARK " %" PRIu64 " %" PRIu64 "\n", epoch, far->heard);
}

/* "WORD A" or "WORD A B". false: another word. */
static bool reads(errand_span line, const char *word, uint64_t *a, uint64_t *b)
{
    if (!span_starts(line, span_text(word)))
        return false;
    line = span_after(line, strlen(word));
    const char *blank = memchr(line.ptr, ' ', line.len);
    size_t len = blank == NULL ? line.len : (size_t)(blank - line.ptr);
    MUST(errand__frame_number(span_head(line, len), a));
    MUST((b == NULL) == (blank == NULL));
    if (b != NULL)
        MUST(errand__frame_number(span_after(line, len + 1), b));
    return true;
}

static void far_ack(struct far *far, errand_span line)
{
    uint64_t offset = 0;

    MUST(reads(line, "ack ", &offset, NULL));
    MUST(offset >= far->acked && offset <= far->said);
    far->acked = offset;
}

/* One whole piece of wire. */
static void far_hear(struct pair *pair, errand_span wire)
{
    while (wire.len > 0) {
        const char *newline = memchr(wire.ptr, '\n', wire.len);
        uint64_t a = 0;
        uint64_t b = 0;
        MUST(newline != NULL);
        errand_span line = span_head(wire, (size_t)(newline - wire.ptr));
        wire = span_after(wire, line.len + 1);
        if (reads(line, "seg ", &a, &b)) {
            far_segment(pair, a, span_head(wire, (size_t)b));
            wire = span_after(wire, (size_t)b + 1);
        } else if (reads(line, "resume ", &a, &b)) {
            far_resume(pair, a, b);
        } else {
            far_ack(&pair->far, line);
        }
    }
}

/* --- Home --------------------------------------------------------------------------------- */

static void check(const struct segments *segments)
{
    size_t kept = errand__buf_peek(&segments->kept).len;

    MUST(kept <= segments->window);
    MUST(segments->next >= segments->kept_at && segments->next <= segments->kept_at + kept);
    MUST(errand__segments_wire(segments).len <= SEGMENTS_WIRE_MAX);
    MUST(errand__segments_room(segments) + kept <= segments->window);
    MUST(segments->told <= segments->heard);
}

static void home_hear(struct pair *pair, size_t count)
{
    errand_span bytes = span_of(pair->way, count < pair->way_len ? count : pair->way_len);
    size_t used = bytes.len;

    while (bytes.len > 0) {
        errand_span part = SPAN_EMPTY;
        const char *why = NULL;
        enum segments_found found = errand__segments_take(&pair->home, &bytes, &part, &why);
        MUST(found != SEGMENTS_BAD);
        check(&pair->home);
        if (found != SEGMENTS_BYTES)
            continue;
        for (size_t i = 0; i < part.len; i++)
            MUST(part.ptr[i] == byte_of(pair->got++));
    }
    MUST(pair->got == pair->home.heard);
    MUST(pair->got <= pair->far.said);
    memmove(pair->way, pair->way + used, pair->way_len - used);
    pair->way_len -= used;
}

static void home_say(struct pair *pair, size_t most)
{
    char piece[PIECE_MAX];
    size_t room = errand__segments_room(&pair->home);

    room = room < most ? room : most;
    if (room > STREAM_MAX - pair->given)
        room = (size_t)(STREAM_MAX - pair->given);
    for (size_t i = 0; i < room; i++)
        piece[i] = byte_of(pair->given + i);
    if (room == 0)
        return;
    MUST(errand__segments_wrap(&pair->home, span_of(piece, room)) == ERRAND_OK);
    pair->given += room;
    check(&pair->home);
}

/* What is offered is taken by the way, and arrives or does not. true: there was something. */
static bool home_send(struct pair *pair, bool arrives)
{
    static char copy[SEGMENTS_WIRE_MAX];
    errand_span wire = errand__segments_wire(&pair->home);
    size_t len = wire.len;

    if (len == 0)
        return false;
    memcpy(copy, wire.ptr, len);
    errand__segments_sent(&pair->home, len);
    if (arrives)
        far_hear(pair, span_of(copy, len));
    return true;
}

/* --- The way ------------------------------------------------------------------------------ */

/* Only by a break is anything lost: of what is under way, some at either end. */
static void break_way(struct pair *pair, uint8_t how)
{
    size_t gone = pair->way_len * (how % 8) / 7;

    if (how % 3 != 0)
        (void)home_send(pair, how % 3 == 1);
    gone = gone < pair->way_len ? gone : pair->way_len;
    memmove(pair->way, pair->way + gone, pair->way_len - gone);
    pair->way_len -= gone;
    errand__segments_dropped(&pair->home);
    MUST(errand__segments_wire(&pair->home).len == 0);
    MUST(errand__segments_room(&pair->home) == 0);
    check(&pair->home);
    if ((how & 64) != 0) /* It goes on talking to nobody. */
        far_pump(pair, 7);
    MUST(errand__segments_attached(&pair->home) == ERRAND_OK);
    check(&pair->home);
}

static void step(struct pair *pair, struct input *input)
{
    uint8_t how = take(input);
    uint8_t count = take(input);

    switch (how % 8) {
    case 0:
    case 1:
        home_hear(pair, count);
        break;
    case 2:
        home_say(pair, 1 + count % PIECE_MAX);
        break;
    case 3:
        (void)home_send(pair, true);
        break;
    case 4:
        MUST(errand__segments_offer(&pair->home, count % 2 == 1) == ERRAND_OK);
        break;
    case 5:
        pair->far.said += pair->far.said + count <= STREAM_MAX ? count : 0;
        break;
    case 6:
        far_pump(pair, 1 + count % PIECE_MAX);
        break;
    default:
        break_way(pair, count);
        break;
    }
    check(&pair->home);
}

/* Without further breaks all arrives, both ways. */
static void heal(struct pair *pair)
{
    unsigned turns = 0;

    for (; turns < TURNS_MAX; turns++) {
        home_hear(pair, SIZE_MAX);
        far_pump(pair, PIECE_MAX);
        MUST(errand__segments_offer(&pair->home, true) == ERRAND_OK);
        if (!home_send(pair, true) && pair->way_len == 0 && pair->far.next == pair->far.said)
            break;
    }
    MUST(turns < TURNS_MAX);
    MUST(pair->got == pair->far.said);
    MUST(pair->far.heard == pair->given);
}

static void play_honest(struct input *input)
{
    static struct pair pair;

    pair = (struct pair){.way_len = 0};
    errand__segments_init(&pair.home, WINDOW, SPAN_LITERAL(MARK));
    put_line(&pair, "noise, resumed 00112233\nresumed " MARK " 0 0\n", 0, 0);
    while (input->at < input->end)
        step(&pair, input);
    heal(&pair);
    errand__segments_deinit(&pair.home);
}

/* --- A liar ------------------------------------------------------------------------------- */

/* What came of it: how many bytes of which sum, and whether it was refused. */
struct told {
    uint64_t bytes, beside, sum;
    bool bad;
};

static void note(struct told *told, errand_span part)
{
    for (size_t i = 0; i < part.len; i++)
        told->sum = told->sum * 31 + (unsigned char)part.ptr[i];
}

static void hear_news(struct told *told, enum segments_found found, errand_span part)
{
    switch (found) {
    case SEGMENTS_NOTHING:
        return;
    case SEGMENTS_BAD:
        MUST(!told->bad);
        told->bad = true;
        return;
    case SEGMENTS_BYTES:
        told->bytes += part.len;
        break;
    case SEGMENTS_BESIDE:
        told->beside += part.len;
        break;
    }
    note(told, part);
}

static void hear_lies(struct segments *segments, errand_span bytes, struct told *told)
{
    while (bytes.len > 0) {
        errand_span part = SPAN_EMPTY;
        const char *why = NULL;
        enum segments_found found = errand__segments_take(segments, &bytes, &part, &why);
        check(segments);
        MUST((found == SEGMENTS_BAD) == (why != NULL));
        hear_news(told, found, part);
    }
    MUST(told->bytes == segments->heard);
}

/* With ten bytes of home's under way. */
static void begin_lies(struct segments *segments, struct told *told)
{
    errand__segments_init(segments, WINDOW, SPAN_LITERAL(MARK));
    hear_lies(segments, SPAN_LITERAL("resumed " MARK " 0 0\n"), told);
    MUST(errand__segments_wrap(segments, SPAN_LITERAL("0123456789")) == ERRAND_OK);
    errand__segments_sent(segments, errand__segments_wire(segments).len);
}

static void break_between(struct segments *segments)
{
    errand__segments_dropped(segments);
    MUST(errand__segments_attached(segments) == ERRAND_OK);
}

static struct told play_lies(errand_span lies, size_t cut, bool breaks)
{
    struct segments segments;
    struct told told = {.bytes = 0};

    begin_lies(&segments, &told);
    while (lies.len > 0) {
        errand_span part = span_head(lies, cut);
        lies = span_after(lies, part.len);
        if (breaks && part.ptr[0] == '#')
            break_between(&segments);
        hear_lies(&segments, part, &told);
    }
    errand__segments_deinit(&segments);
    return told;
}

static bool same(struct told a, struct told b)
{
    return a.bytes == b.bytes && a.beside == b.beside && a.sum == b.sum && a.bad == b.bad;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {.at = data, .end = data + size};

    if (take(&input) % 2 == 0) {
        play_honest(&input);
        return 0;
    }
    errand_span lies = span_of(input.at, (size_t)(input.end - input.at));
    struct told whole = play_lies(lies, SIZE_MAX, false);
    MUST(same(whole, play_lies(lies, 3, false)));
    MUST(same(whole, play_lies(lies, 7, false)));
    (void)play_lies(lies, 1, true);
    return 0;
}
