/* excerpt.c - cuts by columns and never within a character.
 *
 * A tab stays one in both lines, which begin alike: so the caret lines up however wide tabs are. */
#include "cli/excerpt.h"
#include "cli/utf8.h"

#include <wchar.h>

enum {
    EXCERPT_ROOM = 100,  /* What is shown of a line that is wider. */
    EXCERPT_BEFORE = 60, /* Of it in front of the place, where there is more behind. */
    TAB_ROOM = 8
};

#define CUT SPAN_LITERAL("\xe2\x80\xa6")

struct step {
    size_t len;
    uint32_t units;
    size_t columns; /* 0: it joins what is in front of it. */
    size_t room;    /* What it counts against the room: never 0, so that nothing fills a screen. */
    bool tab;
};

static struct step step_at(errand_span line, size_t at)
{
    uint32_t point = 0;
    struct step step = {.len = utf8_next(span_after(line, at), &point), .units = 1, .columns = 1};

    if (step.len == 0)
        step.len = 1;
    else if (point >= 0x80 && !text_steers(point)) {
        int columns = wcwidth((wchar_t)point);
        step.columns = columns < 0 ? 1 : (size_t)columns;
        step.units = point >= 0x10000 ? 2 : 1;
    }
    step.tab = point == '\t';
    step.room = step.tab ? TAB_ROOM : step.columns > 0 ? step.columns : 1;
    return step;
}

static size_t offset_of(errand_span line, uint32_t column)
{
    uint32_t unit = 1;
    size_t at = 0;

    while (at < line.len && unit < column) {
        struct step step = step_at(line, at);
        at += step.len;
        unit += step.units;
    }
    return at;
}

static size_t room_of(errand_span text)
{
    size_t room = 0;

    for (size_t at = 0; at < text.len;) {
        struct step step = step_at(text, at);
        at += step.len;
        room += step.room;
    }
    return room;
}

/* Where what is shown begins: as late as it must for the place to be in it. */
static size_t begin_of(errand_span line, size_t place)
{
    size_t before = room_of(span_head(line, place));
    size_t all = before + room_of(span_after(line, place));
    size_t from = 0;

    while (from < place) {
        struct step step = step_at(line, from);
        bool fits = before <= EXCERPT_BEFORE || all <= EXCERPT_ROOM;
        /* What joins the character in front of it is not shown without that. */
        if (fits && (from == 0 || step.columns > 0))
            break;
        from += step.len;
        before -= step.room;
        all -= step.room;
    }
    return from;
}

static size_t end_of(errand_span line, size_t from)
{
    size_t room = 0;
    size_t at = from;

    while (at < line.len) {
        struct step step = step_at(line, at);
        room += step.room;
        if (room > EXCERPT_ROOM)
            break;
        at += step.len;
    }
    return at;
}

static void add_pad(struct buf *text, errand_span before)
{
    for (size_t at = 0; at < before.len;) {
        struct step step = step_at(before, at);
        at += step.len;
        if (step.tab)
            text_words(text, "\t");
        for (size_t i = 0; !step.tab && i < step.columns; i++)
            text_words(text, " ");
    }
}

void excerpt_add(struct buf *text, const struct excerpt *excerpt)
{
    errand_span line = excerpt->line;
    size_t place = offset_of(line, excerpt->column);
    size_t from = begin_of(line, place);
    size_t end = end_of(line, from);
    errand_span shown = span_of(line.ptr + from, end - from);

    text_format(text, "%6u | ", (unsigned)excerpt->number);
    if (from > 0)
        text_add(text, CUT);
    if (excerpt->masked)
        text_masked(text, shown);
    else
        text_add(text, shown);
    if (end < line.len)
        text_add(text, CUT);
    text_words(text, from > 0 ? "\n       |  " : "\n       | ");
    add_pad(text, span_of(line.ptr + from, place - from));
    text_words(text, "^\n");
}
