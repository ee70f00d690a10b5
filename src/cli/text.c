/* text.c - escapes by runs: what needs none is added in one piece. */
#include "cli/text.h"
#include "cli/need.h"
#include "cli/utf8.h"

#include <stdarg.h>
#include <stdio.h>

#define REPLACEMENT SPAN_LITERAL("\xef\xbf\xbd")

/* What stands for a code point, in room; empty where it stands for itself. */
typedef errand_span (*escape_fn)(uint32_t point, char room[static 16]);

void text_add(struct buf *text, errand_span bytes)
{
    if (errand__buf_push(text, bytes) != ERRAND_OK)
        need_more();
}

void text_words(struct buf *text, const char *words)
{
    text_add(text, span_text(words));
}

void text_format(struct buf *text, const char *format, ...)
{
    char words[512];
    va_list args;

    va_start(args, format);
    int written = vsnprintf(words, sizeof(words), format, args);
    va_end(args);
    if (written > 0)
        text_words(text, words);
}

static errand_span escaped(uint32_t point, char room[static 16])
{
    int len = snprintf(room, 16, "\\u%04x", (unsigned)point);
    return span_of(room, (size_t)len);
}

static errand_span escape_json(uint32_t point, char room[static 16])
{
    switch (point) {
    case '"':
        return SPAN_LITERAL("\\\"");
    case '\\':
        return SPAN_LITERAL("\\\\");
    case '\n':
        return SPAN_LITERAL("\\n");
    case '\r':
        return SPAN_LITERAL("\\r");
    case '\t':
        return SPAN_LITERAL("\\t");
    default:
        return point < 0x20 ? escaped(point, room) : SPAN_EMPTY;
    }
}

bool text_steers(uint32_t point)
{
    bool control =
        (point < 0x20 && point != '\n' && point != '\t') || (point >= 0x7f && point < 0xa0);
    bool turns = (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
    return control || turns;
}

static errand_span escape_controls(uint32_t point, char room[static 16])
{
    return text_steers(point) ? escaped(point, room) : SPAN_EMPTY;
}

static errand_span replaced(char room[static 16])
{
    memcpy(room, REPLACEMENT.ptr, REPLACEMENT.len);
    return span_of(room, REPLACEMENT.len);
}

static errand_span escape_nul(uint32_t point, char room[static 16])
{
    return point == 0 ? replaced(room) : SPAN_EMPTY;
}

static errand_span mask_controls(uint32_t point, char room[static 16])
{
    return text_steers(point) ? replaced(room) : SPAN_EMPTY;
}

static void add_escaped(struct buf *text, errand_span bytes, escape_fn escape)
{
    size_t from = 0;
    size_t at = 0;

    while (at < bytes.len) {
        char room[16];
        uint32_t point = 0;
        size_t len = utf8_next(span_after(bytes, at), &point);
        errand_span instead = len == 0 ? REPLACEMENT : escape(point, room);
        if (len == 0)
            len = 1;
        if (instead.len > 0) {
            text_add(text, span_of(bytes.ptr + from, at - from));
            text_add(text, instead);
            from = at + len;
        }
        at += len;
    }
    if (from < bytes.len)
        text_add(text, span_of(bytes.ptr + from, bytes.len - from));
}

void text_json_string(struct buf *text, errand_span bytes)
{
    text_words(text, "\"");
    add_escaped(text, bytes, escape_json);
    text_words(text, "\"");
}

void text_json(struct buf *text, errand_span json)
{
    while (json.len > 0) {
        size_t len = 0;
        while (len < json.len && json.ptr[len] != '\n' && json.ptr[len] != '\r')
            len++;
        text_add(text, span_head(json, len));
        if (len < json.len) {
            text_words(text, " ");
            len++;
        }
        json = span_after(json, len);
    }
}

void text_guarded(struct buf *text, errand_span bytes)
{
    add_escaped(text, bytes, escape_controls);
}

void text_masked(struct buf *text, errand_span bytes)
{
    add_escaped(text, bytes, mask_controls);
}

void text_utf8(struct buf *text, errand_span bytes)
{
    add_escaped(text, bytes, escape_nul);
}
