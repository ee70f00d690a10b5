/* intake.c - bare bytes as they come; then lines, and what stands in the pieces between. */
#include "transport/fake/intake.h"

#include <inttypes.h>
#include <stdio.h>

enum { PIECE_MAX = 32 * 1024, NUMBER_DIGITS = 16 };

void errand__fake_intake_init(struct fake_intake *intake, const char mark[static FAKE_MARK_LEN])
{
    *intake = (struct fake_intake){.place = FAKE_INTAKE_BARE};
    intake->last[0] = '\n';
    memcpy(intake->last + 1, mark, FAKE_MARK_LEN / 2);
    memcpy(intake->last + 1 + FAKE_MARK_LEN / 2, ".\n", 2);
}

bool errand__fake_intake_bare(const struct fake_intake *intake)
{
    return intake->place == FAKE_INTAKE_BARE ||
           (intake->place == FAKE_INTAKE_LINE && intake->line_len == 0 && intake->runner_left > 0);
}

/* The one member of boot that matters. Quotes of a program are escaped, so they don't match, and
 * no other member of that name has a number. */
static void seek_window(struct fake_intake *intake, char byte)
{
    static const char name[] = "\"segments\":";
    const size_t len = sizeof(name) - 1;

    if (intake->window_matched == len && byte >= '0' && byte <= '9' &&
        intake->window < UINT32_MAX) {
        intake->window = intake->window * 10 + (uint64_t)(byte - '0');
        return;
    }
    if (intake->window_matched == len)
        intake->window_matched = 0;
    if (byte == name[intake->window_matched])
        intake->window_matched++;
    else
        intake->window_matched = byte == name[0];
}

/* true: the last line of the bare part is over. */
static bool seek_last(struct fake_intake *intake, char byte)
{
    if (byte == intake->last[intake->last_matched])
        intake->last_matched++;
    else
        intake->last_matched = byte == intake->last[0];
    if (intake->last_matched < sizeof(intake->last))
        return false;
    intake->last_matched = 0;
    return true;
}

/* How many bytes from there on are the beginning of neither; most of them are a packed runner. */
static size_t dull(const struct fake_intake *intake, errand_span bytes)
{
    size_t len = 0;

    if (intake->begun)
        return bytes.len;
    if (intake->last_matched > 0 || intake->window_matched > 0)
        return 0;
    while (len < bytes.len && bytes.ptr[len] != '\n' && bytes.ptr[len] != '"')
        len++;
    return len;
}

static enum fake_intake_found take_bare(struct fake_intake *intake, errand_span *bytes,
                                        errand_span *out)
{
    size_t len = 0;

    while (len < bytes->len && intake->place == FAKE_INTAKE_BARE) {
        len += dull(intake, span_after(*bytes, len));
        if (len == bytes->len)
            break;
        char byte = bytes->ptr[len++];
        seek_window(intake, byte);
        intake->begun = seek_last(intake, byte);
        if (intake->begun && intake->window > 0)
            intake->place = FAKE_INTAKE_LINE;
    }
    *out = span_head(*bytes, len);
    *bytes = span_after(*bytes, len);
    return FAKE_INTAKE_BYTES;
}

/* Cuts the number at its head off; true: it is one, and a blank or nothing follows. */
static bool number_of(errand_span *line, uint64_t *number)
{
    size_t len = 0;

    *number = 0;
    while (len < line->len && len < NUMBER_DIGITS && line->ptr[len] >= '0' && line->ptr[len] <= '9')
        *number = *number * 10 + (uint64_t)(line->ptr[len++] - '0');
    if (len == 0 || (len > 1 && line->ptr[0] == '0'))
        return false;
    if (len < line->len && line->ptr[len++] != ' ')
        return false;
    *line = span_after(*line, len);
    return true;
}

static bool takes(errand_span *line, const char *word)
{
    if (!span_starts(*line, span_text(word)))
        return false;
    *line = span_after(*line, strlen(word));
    return true;
}

/* One that stands behind a gap is skipped: what is missing will be sent again. */
static bool begin_piece(struct fake_intake *intake, errand_span line)
{
    uint64_t offset = 0;
    uint64_t size = 0;

    if (!number_of(&line, &offset) || !number_of(&line, &size) || line.len > 0 || size == 0 ||
        size > PIECE_MAX)
        return false;
    uint64_t known = offset > intake->heard ? size : intake->heard - offset;
    intake->known = known < size ? known : size;
    intake->left = size + 1;
    intake->place = FAKE_INTAKE_PIECE;
    return true;
}

static enum fake_intake_found end_line(struct fake_intake *intake)
{
    errand_span line = span_of(intake->line, intake->line_len);

    if (takes(&line, "seg "))
        return begin_piece(intake, line) ? FAKE_INTAKE_NOTHING : FAKE_INTAKE_BAD;
    if (takes(&line, "ack "))
        return number_of(&line, &intake->offset) && line.len == 0 ? FAKE_INTAKE_ACK
                                                                  : FAKE_INTAKE_BAD;
    if (!takes(&line, "resume ") || !number_of(&line, &intake->epoch))
        return FAKE_INTAKE_BAD;
    return number_of(&line, &intake->offset) && line.len == 0 ? FAKE_INTAKE_RESUME
                                                              : FAKE_INTAKE_BAD;
}

static enum fake_intake_found take_line(struct fake_intake *intake, errand_span *bytes)
{
    while (bytes->len > 0 && bytes->ptr[0] != '\n') {
        if (intake->line_len == sizeof(intake->line))
            return FAKE_INTAKE_BAD;
        intake->line[intake->line_len++] = bytes->ptr[0];
        *bytes = span_after(*bytes, 1);
    }
    if (bytes->len == 0)
        return FAKE_INTAKE_NOTHING;
    *bytes = span_after(*bytes, 1);
    enum fake_intake_found found = end_line(intake);
    if (found != FAKE_INTAKE_BAD)
        intake->line_len = 0;
    return found;
}

static enum fake_intake_found take_runner(struct fake_intake *intake, errand_span *bytes,
                                          errand_span *out)
{
    *out = span_head(*bytes,
                     intake->runner_left < bytes->len ? (size_t)intake->runner_left : bytes->len);
    *bytes = span_after(*bytes, out->len);
    intake->runner_left -= out->len;
    return FAKE_INTAKE_BYTES;
}

static enum fake_intake_found take_piece(struct fake_intake *intake, errand_span *bytes,
                                         errand_span *out)
{
    if (intake->left == 1) {
        bool ends = bytes->ptr[0] == '\n';
        *bytes = span_after(*bytes, 1);
        intake->place = FAKE_INTAKE_LINE;
        return ends ? FAKE_INTAKE_NOTHING : FAKE_INTAKE_BAD;
    }
    uint64_t part = intake->known > 0 ? intake->known : intake->left - 1;
    *out = span_head(*bytes, part < bytes->len ? (size_t)part : bytes->len);
    *bytes = span_after(*bytes, out->len);
    intake->left -= out->len;
    if (intake->known > 0) {
        intake->known -= out->len;
        return FAKE_INTAKE_NOTHING;
    }
    intake->heard += out->len;
    return FAKE_INTAKE_BYTES;
}

enum fake_intake_found errand__fake_intake_take(struct fake_intake *intake, errand_span *bytes,
                                                errand_span *out)
{
    enum fake_intake_found found = FAKE_INTAKE_NOTHING;

    *out = SPAN_EMPTY;
    while (bytes->len > 0 && found == FAKE_INTAKE_NOTHING) {
        if (intake->place == FAKE_INTAKE_PIECE)
            found = take_piece(intake, bytes, out);
        else if (intake->place == FAKE_INTAKE_BARE)
            found = take_bare(intake, bytes, out);
        else if (errand__fake_intake_bare(intake))
            found = take_runner(intake, bytes, out);
        else
            found = take_line(intake, bytes);
    }
    return found;
}
