/* segments.c - pieces in, pieces out; what is not acknowledged is kept. */
#include "core/segments.h"
#include "core/frame.h"

#include <inttypes.h>
#include <stdio.h>

void errand__segments_init(struct segments *segments, uint64_t window, errand_span mark)
{
    *segments = (struct segments){.window = window};
    errand__buf_init(&segments->kept, window < SIZE_MAX / 2 ? (size_t)window : SIZE_MAX / 2);
    errand__buf_init(&segments->wire, SEGMENTS_WIRE_MAX);
    int len =
        snprintf(segments->seek, sizeof(segments->seek), "resumed %.*s ", (int)mark.len, mark.ptr);
    assert(len > 0);
    assert((size_t)len < sizeof(segments->seek));
    segments->seek_len = (size_t)len;
}

void errand__segments_deinit(struct segments *segments)
{
    errand__buf_deinit(&segments->kept);
    errand__buf_deinit(&segments->wire);
}

bool errand__segments_on(const struct segments *segments)
{
    return segments->window > 0;
}

/* --- From the far side -------------------------------------------------------------------- */

static enum segments_found bad(const char **why, const char *text)
{
    *why = text;
    return SEGMENTS_BAD;
}

/* What was kept up to there has arrived. false: it was never sent. */
static bool acknowledge(struct segments *segments, uint64_t offset)
{
    if (offset < segments->kept_at || offset > segments->next)
        return false;
    errand__buf_consume(&segments->kept, (size_t)(offset - segments->kept_at));
    segments->kept_at = offset;
    return true;
}

/* Adds to the line. true: it is whole, and *line is it, without its end. */
static bool line_ends(struct segments *segments, errand_span *bytes, errand_span *line)
{
    if (segments->line_ended)
        segments->line_len = 0;
    segments->line_ended = false;
    const char *newline = memchr(bytes->ptr, '\n', bytes->len);
    size_t len = newline == NULL ? bytes->len : (size_t)(newline - bytes->ptr);
    size_t room = sizeof(segments->line) - segments->line_len;
    size_t part = len < room ? len : room;

    memcpy(segments->line + segments->line_len, bytes->ptr, part);
    segments->line_len += part;
    *line = span_of(segments->line, segments->line_len);
    *bytes = span_after(*bytes, newline != NULL && part == len ? len + 1 : part);
    return newline != NULL && part == len;
}

static bool line_overflows(const struct segments *segments)
{
    return segments->line_len == sizeof(segments->line);
}

/* The next word of the line. */
static errand_span word_of(errand_span *line)
{
    const char *blank = line->len == 0 ? NULL : memchr(line->ptr, ' ', line->len);
    errand_span word = span_head(*line, blank == NULL ? line->len : (size_t)(blank - line->ptr));

    *line = span_after(*line, word.len + (blank == NULL ? 0 : 1));
    return word;
}

/* Two numbers and no more. */
static bool two_numbers(errand_span line, uint64_t *first, uint64_t *second)
{
    return errand__frame_number(word_of(&line), first) && errand__frame_number(line, second);
}

/* Behind "resumed MARK ". */
static enum segments_found agree(struct segments *segments, errand_span line, const char **why)
{
    uint64_t epoch = 0, offset = 0;

    segments->place = SEGMENTS_SEEKS;
    segments->sought = 0;
    if (!two_numbers(line, &epoch, &offset) || epoch > segments->epoch)
        return bad(why, "a resumption that makes no sense");
    if (epoch < segments->epoch)
        return SEGMENTS_NOTHING; /* Of a way that broke meanwhile. */
    if (offset < segments->kept_at ||
        offset > segments->kept_at + errand__buf_peek(&segments->kept).len)
        return bad(why, "a resumption at bytes that were never sent");
    segments->next = offset;
    (void)acknowledge(segments, offset);
    segments->agreed = segments->begun = true;
    segments->place = SEGMENTS_HEADER;
    return SEGMENTS_NOTHING;
}

static enum segments_found begin_piece(struct segments *segments, errand_span line,
                                       const char **why)
{
    uint64_t offset = 0, size = 0;

    if (!two_numbers(line, &offset, &size) || size == 0 || size > SEGMENTS_THEIRS_MAX)
        return bad(why, "a segment that makes no sense");
    if (offset > segments->heard)
        return bad(why, "a segment behind a gap");
    uint64_t known = segments->heard - offset;
    segments->again = known < size ? known : size;
    segments->left = size + 1; /* And a newline. */
    segments->place = SEGMENTS_PIECE;
    return SEGMENTS_NOTHING;
}

static enum segments_found take_header(struct segments *segments, errand_span *bytes,
                                       const char **why)
{
    errand_span line;
    uint64_t offset = 0;

    if (!line_ends(segments, bytes, &line))
        return line_overflows(segments) ? bad(why, "no segment") : SEGMENTS_NOTHING;
    segments->line_ended = true;
    errand_span word = word_of(&line);
    if (span_is(word, "seg"))
        return begin_piece(segments, line, why);
    if (!span_is(word, "ack") || !errand__frame_number(line, &offset))
        return bad(why, "no segment");
    return acknowledge(segments, offset) ? SEGMENTS_NOTHING
                                         : bad(why, "an acknowledgement of what was never sent");
}

static enum segments_found take_piece(struct segments *segments, errand_span *bytes,
                                      errand_span *out, const char **why)
{
    if (segments->left == 1) {
        bool ends = bytes->ptr[0] == '\n';
        *bytes = span_after(*bytes, 1);
        segments->left = 0;
        segments->place = SEGMENTS_HEADER;
        return ends ? SEGMENTS_NOTHING
                    : bad(why, "a segment that does not end where its header says");
    }
    uint64_t part = segments->again > 0 ? segments->again : segments->left - 1;
    *out = span_head(*bytes, part < bytes->len ? (size_t)part : bytes->len);
    *bytes = span_after(*bytes, out->len);
    segments->left -= out->len;
    if (segments->again > 0) {
        segments->again -= out->len;
        return SEGMENTS_NOTHING;
    }
    segments->heard += out->len;
    return SEGMENTS_BYTES;
}

/* Looks for what an agreement begins with. Its first letter does not occur in it again, so what
 * matched so far is all that can have been the beginning of it. */
static enum segments_found seek(struct segments *segments, errand_span *bytes, errand_span *out)
{
    if (segments->sought == 0) {
        const char *first = memchr(bytes->ptr, segments->seek[0], bytes->len);
        size_t len = first == NULL ? bytes->len : (size_t)(first - bytes->ptr);
        *out = span_head(*bytes, len);
        *bytes = span_after(*bytes, len);
        if (len > 0)
            return SEGMENTS_BESIDE;
    }
    while (bytes->len > 0 && segments->sought < segments->seek_len &&
           bytes->ptr[0] == segments->seek[segments->sought]) {
        segments->sought++;
        *bytes = span_after(*bytes, 1);
    }
    if (segments->sought == segments->seek_len) {
        segments->place = SEGMENTS_RESUMED;
        segments->line_len = 0;
        return SEGMENTS_NOTHING;
    }
    if (bytes->len == 0)
        return SEGMENTS_NOTHING;
    *out = span_of(segments->seek, segments->sought);
    segments->sought = 0;
    return SEGMENTS_BESIDE;
}

static enum segments_found take_resumed(struct segments *segments, errand_span *bytes,
                                        const char **why)
{
    errand_span line;

    if (!line_ends(segments, bytes, &line))
        return line_overflows(segments) ? bad(why, "a resumption that makes no sense")
                                        : SEGMENTS_NOTHING;
    segments->line_ended = true;
    return agree(segments, line, why);
}

enum segments_found errand__segments_take(struct segments *segments, errand_span *bytes,
                                          errand_span *out, const char **why)
{
    enum segments_found found = SEGMENTS_NOTHING;

    if (segments->astray)
        *bytes = SPAN_EMPTY;
    while (bytes->len > 0 && found == SEGMENTS_NOTHING) {
        switch (segments->place) {
        case SEGMENTS_SEEKS:
            found = seek(segments, bytes, out);
            break;
        case SEGMENTS_RESUMED:
            found = take_resumed(segments, bytes, why);
            break;
        case SEGMENTS_HEADER:
            found = take_header(segments, bytes, why);
            break;
        case SEGMENTS_PIECE:
            found = take_piece(segments, bytes, out, why);
            break;
        }
    }
    segments->astray = segments->astray || found == SEGMENTS_BAD;
    return found;
}

/* --- A broken way ------------------------------------------------------------------------- */

void errand__segments_dropped(struct segments *segments)
{
    segments->cut = true;
    segments->agreed = false;
    segments->place = SEGMENTS_SEEKS;
    segments->sought = segments->line_len = 0;
    segments->left = segments->again = 0;
    errand__buf_keep(&segments->wire, 0);
}

errand_status errand__segments_attached(struct segments *segments)
{
    char line[SEGMENTS_LINE_MAX];

    segments->cut = false;
    segments->epoch++;
    int len = snprintf(line, sizeof(line), "resume %" PRIu64 " %" PRIu64 "\n", segments->epoch,
                       segments->heard);
    segments->told = segments->heard;
    return errand__buf_push(&segments->wire, span_of(line, (size_t)len));
}

/* --- To the far side ---------------------------------------------------------------------- */

static bool offers(const struct segments *segments)
{
    return errand__buf_peek(&segments->wire).len > 0;
}

static bool repeats(const struct segments *segments)
{
    return segments->next < segments->kept_at + errand__buf_peek(&segments->kept).len;
}

size_t errand__segments_room(const struct segments *segments)
{
    size_t kept = errand__buf_peek(&segments->kept).len;

    if (!segments->agreed || offers(segments) || repeats(segments) || kept >= segments->window)
        return 0;
    uint64_t room = segments->window - kept;
    return room < SEGMENTS_MAX ? (size_t)room : SEGMENTS_MAX;
}

static errand_status put_piece(struct segments *segments, errand_span bytes)
{
    char header[SEGMENTS_LINE_MAX];
    int len = snprintf(header, sizeof(header), "seg %" PRIu64 " %zu\n", segments->next, bytes.len);

    errand_status status = errand__buf_reserve(&segments->wire, (size_t)len + bytes.len + 1);
    if (status == ERRAND_OK)
        status = errand__buf_push(&segments->wire, span_of(header, (size_t)len));
    if (status == ERRAND_OK)
        status = errand__buf_push(&segments->wire, bytes);
    if (status == ERRAND_OK)
        status = errand__buf_push(&segments->wire, SPAN_LITERAL("\n"));
    if (status == ERRAND_OK)
        segments->next += bytes.len;
    return status;
}

errand_status errand__segments_wrap(struct segments *segments, errand_span bytes)
{
    assert(bytes.len > 0);
    assert(bytes.len <= errand__segments_room(segments));
    size_t kept = errand__buf_peek(&segments->kept).len;
    errand_status status = errand__buf_push(&segments->kept, bytes);
    if (status == ERRAND_OK)
        status = put_piece(segments, bytes);
    if (status != ERRAND_OK)
        errand__buf_keep(&segments->kept, kept); /* Else it would be said again, and twice. */
    return status;
}

static errand_status put_ack(struct segments *segments)
{
    char line[SEGMENTS_LINE_MAX];
    int len = snprintf(line, sizeof(line), "ack %" PRIu64 "\n", segments->heard);

    segments->told = segments->heard;
    return errand__buf_push(&segments->wire, span_of(line, (size_t)len));
}

errand_status errand__segments_offer(struct segments *segments, bool at_once)
{
    uint64_t untold = segments->heard - segments->told;

    if (!segments->agreed || offers(segments))
        return ERRAND_OK;
    /* A quarter: the other side need not stop while an acknowledgement travels. */
    if (untold > 0 && (at_once || untold >= segments->window / 4))
        return put_ack(segments);
    if (!repeats(segments))
        return ERRAND_OK;
    errand_span kept =
        span_after(errand__buf_peek(&segments->kept), (size_t)(segments->next - segments->kept_at));
    return put_piece(segments, span_head(kept, SEGMENTS_MAX));
}

errand_span errand__segments_wire(const struct segments *segments)
{
    return segments->cut ? SPAN_EMPTY : errand__buf_peek(&segments->wire);
}

void errand__segments_sent(struct segments *segments, size_t count)
{
    errand__buf_consume(&segments->wire, count);
}
