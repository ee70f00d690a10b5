/* line.c - cuts a line of a script into words; what it keeps, it copies to the store. */
#include "transport/fake/line.h"
#include "base/err.h"
#include "base/mem.h"

#include <inttypes.h>

enum {
    MARKS_MAX = 1000, /* Nobody says the mark so often; the table has to end somewhere. */
    TIMES_MAX = 1000000000
};
/* A day is longer than any limit has to be tested for. */
#define TIME_MAX_US (INT64_C(400) * 24 * 3600 * 1000000)

errand_status errand__fake_line_fail(struct fake_line *line, const char *what)
{
    return errand__fail(line->err, ERRAND_EINVAL, 0, "fake: line %u: %s", line->number, what);
}

static errand_status no_memory(struct fake_line *line)
{
    return errand__fail(line->err, ERRAND_ENOMEM, 0, "fake: no memory");
}

static bool blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

static void skip_blanks(struct fake_line *line)
{
    while (line->rest.len > 0 && blank(line->rest.ptr[0]))
        line->rest = span_after(line->rest, 1);
}

errand_span errand__fake_line_word(struct fake_line *line)
{
    size_t len = 0;

    while (len < line->rest.len && !blank(line->rest.ptr[len]))
        len++;
    errand_span word = span_head(line->rest, len);
    line->rest = span_after(line->rest, len);
    skip_blanks(line);
    return word;
}

bool errand__fake_line_takes(struct fake_line *line, const char *word)
{
    struct fake_line ahead = *line;

    if (!span_is(errand__fake_line_word(&ahead), word))
        return false;
    line->rest = ahead.rest;
    return true;
}

/* How many digits the word begins with; false where there are none or the number is no 64 bits. */
static bool digits(errand_span word, uint64_t *number, size_t *len)
{
    *number = 0;
    for (*len = 0; *len < word.len; (*len)++) {
        char byte = word.ptr[*len];
        if (byte < '0' || byte > '9')
            break;
        if (__builtin_mul_overflow(*number, (uint64_t)10, number) ||
            __builtin_add_overflow(*number, (uint64_t)(byte - '0'), number))
            return false;
    }
    return *len > 0;
}

errand_status errand__fake_line_number(struct fake_line *line, uint64_t min, uint64_t max,
                                       uint64_t *out)
{
    errand_span word = errand__fake_line_word(line);
    size_t len = 0;

    if (!digits(word, out, &len) || len != word.len || *out < min || *out > max)
        return errand__fail(line->err, ERRAND_EINVAL, 0,
                            "fake: line %u: wants a number from %" PRIu64 " to %" PRIu64
                            ", not '%.*s'",
                            line->number, min, max, (int)(word.len < 40 ? word.len : 40),
                            word.len == 0 ? "" : word.ptr);
    return ERRAND_OK;
}

errand_status errand__fake_line_time(struct fake_line *line, int64_t *us)
{
    static const struct {
        const char *name;
        uint64_t us;
    } units[] = {
        {"us", 1}, {"ms", 1000}, {"s", 1000000}, {"m", 60000000}, {"h", 3600000000u},
    };
    errand_span word = errand__fake_line_word(line);
    uint64_t number = 0;
    size_t len = 0;

    if (!digits(word, &number, &len))
        return errand__fake_line_fail(line, "wants a time such as 20ms");
    word = span_after(word, len);
    for (size_t i = 0; i < COUNT(units); i++) {
        if (!span_is(word, units[i].name))
            continue;
        if (number > (uint64_t)TIME_MAX_US / units[i].us)
            return errand__fake_line_fail(line, "a time of more than 400 days");
        *us = (int64_t)(number * units[i].us);
        return ERRAND_OK;
    }
    return errand__fake_line_fail(line, "wants a time in us, ms, s, m or h");
}

errand_status errand__fake_line_over(struct fake_line *line)
{
    return line->rest.len == 0
               ? ERRAND_OK
               : errand__fail(line->err, ERRAND_EINVAL, 0, "fake: line %u: too much: %.*s",
                              line->number, (int)(line->rest.len < 40 ? line->rest.len : 40),
                              line->rest.ptr);
}

size_t errand__fake_line_store_end(const struct fake_line *line)
{
    return errand__buf_peek(&line->script->bytes).len;
}

struct fake_text errand__fake_line_since(const struct fake_line *line, size_t start)
{
    return (struct fake_text){start, errand__fake_line_store_end(line) - start};
}

errand_status errand__fake_line_put(struct fake_line *line, errand_span bytes,
                                    struct fake_text *out)
{
    *out = (struct fake_text){errand__fake_line_store_end(line), bytes.len};
    errand_status status = errand__buf_push(&line->script->bytes, bytes);
    if (status == ERRAND_ELIMIT)
        return errand__fake_line_fail(line, "the script is too large");
    return status == ERRAND_OK ? status : no_memory(line);
}

errand_status errand__fake_line_put_mark(struct fake_line *line)
{
    static const char hollow[FAKE_MARK_LEN + 1] = "????????????????????????????????";
    struct fake_script *script = line->script;
    struct fake_text text;

    if (script->marks_count == MARKS_MAX)
        return errand__fake_line_fail(line, "too many marks in one script");
    size_t *marks =
        errand__mem_resize(script->marks, (script->marks_count + 1) * sizeof(script->marks[0]));
    if (marks == NULL)
        return no_memory(line);
    script->marks = marks;
    marks[script->marks_count++] = errand__fake_line_store_end(line);
    return errand__fake_line_put(line, span_of(hollow, FAKE_MARK_LEN), &text);
}

static int hex_of(char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    if (byte >= 'a' && byte <= 'f')
        return byte - 'a' + 10;
    return byte >= 'A' && byte <= 'F' ? byte - 'A' + 10 : -1;
}

/* What stands behind a backslash; used says how much of it. */
static errand_status put_escape(struct fake_line *line, errand_span behind, size_t *used)
{
    static const char names[] = "nrt\"\\0";
    static const char bytes[] = "\n\r\t\"\\";
    struct fake_text text;
    const char *found = behind.len == 0 ? NULL : memchr(names, behind.ptr[0], sizeof(names) - 1);

    *used = 1;
    if (found != NULL)
        return errand__fake_line_put(line, span_of(&bytes[found - names], 1), &text);
    if (behind.len > 0 && behind.ptr[0] == 'M')
        return errand__fake_line_put_mark(line);
    if (behind.len >= 3 && behind.ptr[0] == 'x' && hex_of(behind.ptr[1]) >= 0 &&
        hex_of(behind.ptr[2]) >= 0) {
        char byte = (char)(hex_of(behind.ptr[1]) * 16 + hex_of(behind.ptr[2]));
        *used = 3;
        return errand__fake_line_put(line, span_of(&byte, 1), &text);
    }
    return errand__fake_line_fail(line, "knows \\n \\r \\t \\\" \\\\ \\0 \\xHH and \\M in quotes");
}

errand_status errand__fake_line_quoted(struct fake_line *line, struct fake_text *out)
{
    size_t start = errand__fake_line_store_end(line);
    errand_span rest = line->rest;

    if (rest.len == 0 || rest.ptr[0] != '"')
        return errand__fake_line_fail(line, "wants bytes in double quotes");
    rest = span_after(rest, 1);
    while (rest.len > 0 && rest.ptr[0] != '"') {
        errand_status status;
        struct fake_text text;
        size_t used = 0;
        bool escape = rest.ptr[0] == '\\';
        if (escape)
            rest = span_after(rest, 1);
        if (escape) {
            status = put_escape(line, rest, &used);
        } else {
            while (used < rest.len && rest.ptr[used] != '"' && rest.ptr[used] != '\\')
                used++;
            status = errand__fake_line_put(line, span_head(rest, used), &text);
        }
        if (status != ERRAND_OK)
            return status;
        rest = span_after(rest, used);
    }
    if (rest.len == 0)
        return errand__fake_line_fail(line, "a quote is not closed");
    line->rest = span_after(rest, 1);
    skip_blanks(line);
    *out = errand__fake_line_since(line, start);
    return ERRAND_OK;
}

errand_status errand__fake_line_times(struct fake_line *line, uint64_t *times)
{
    *times = 1;
    return errand__fake_line_takes(line, "times")
               ? errand__fake_line_number(line, 1, TIMES_MAX, times)
               : ERRAND_OK;
}

/* text "BYTES" times N: a JSON string. */
static errand_status repeated(struct fake_line *line, struct fake_payload *out)
{
    errand_status status = errand__fake_line_put(line, SPAN_LITERAL("\""), &out->open);

    if (status == ERRAND_OK)
        status = errand__fake_line_quoted(line, &out->piece);
    if (status == ERRAND_OK)
        status = errand__fake_line_times(line, &out->times);
    if (status == ERRAND_OK)
        status = errand__fake_line_put(line, SPAN_LITERAL("\"\n"), &out->close);
    if (status == ERRAND_OK)
        status = errand__fake_line_over(line);
    if (status != ERRAND_OK)
        return status;
    out->size = 2 + out->piece.len * out->times;
    return ERRAND_OK;
}

errand_status errand__fake_line_payload(struct fake_line *line, struct fake_payload *out)
{
    *out = (struct fake_payload){.given = line->rest.len > 0};
    if (line->rest.len > 4 && span_starts(line->rest, SPAN_LITERAL("text")) &&
        blank(line->rest.ptr[4])) {
        (void)errand__fake_line_word(line);
        return repeated(line, out);
    }
    out->size = line->rest.len;
    errand_status status = errand__fake_line_put(line, line->rest, &out->open);
    line->rest = SPAN_EMPTY;
    return status == ERRAND_OK ? errand__fake_line_put(line, SPAN_LITERAL("\n"), &out->close)
                               : status;
}
