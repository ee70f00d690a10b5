/* frame.c - one table says which words a header has; reading and writing both follow it. */
#include "core/frame.h"

#include <inttypes.h>
#include <stdio.h>

/* Letters of words: n number, i pid, p space, f function, o "ok" or "error", l level, w name, s
 * size. */
static const struct shape {
    const char *name;
    const char *words;
    enum frame_side side;
} shapes[] = {
    [FRAME_BOOT] = {"boot", "s", FRAME_FROM_HOME},
    [FRAME_REPLY] = {"reply", "nos", FRAME_FROM_HOME},
    [FRAME_STOP] = {"stop", "n", FRAME_FROM_HOME},
    [FRAME_PING] = {"ping", "n", FRAME_FROM_HOME},
    [FRAME_ASSET] = {"asset", "ws", FRAME_FROM_HOME},
    [FRAME_LOG] = {"log", "ls", FRAME_FROM_RUNNER},
    [FRAME_ITEM] = {"item", "s", FRAME_FROM_RUNNER},
    [FRAME_CALL] = {"call", "npfs", FRAME_FROM_RUNNER},
    [FRAME_NEED] = {"need", "w", FRAME_FROM_RUNNER},
    [FRAME_BEAT] = {"beat", "n", FRAME_FROM_RUNNER},
    [FRAME_STATS] = {"stats", "s", FRAME_FROM_RUNNER},
    [FRAME_STORE] = {"store", "s", FRAME_FROM_RUNNER},
    [FRAME_DONE] = {"done", "os", FRAME_FROM_RUNNER},
    [FRAME_LEFT] = {"left", "niw", FRAME_FROM_RUNNER},
};

static const char *const levels[] = {"debug", "log", "info", "warn", "error", "stdout", "stderr"};

const char *errand__frame_name(enum frame_type type)
{
    return shapes[type].name;
}

const char *errand__frame_level(errand_span word)
{
    for (size_t i = 0; i < COUNT(levels); i++) {
        if (span_is(word, levels[i]))
            return levels[i];
    }
    return NULL;
}

bool errand__frame_number(errand_span word, uint64_t *out)
{
    uint64_t number = 0;

    if (word.len == 0 || word.len > 16 || (word.len > 1 && word.ptr[0] == '0'))
        return false;
    for (size_t i = 0; i < word.len; i++) {
        if (word.ptr[i] < '0' || word.ptr[i] > '9')
            return false;
        number = number * 10 + (uint64_t)(word.ptr[i] - '0');
    }
    *out = number;
    return number < FRAME_NUMBER_END;
}

static bool printable(errand_span line)
{
    for (size_t i = 0; i < line.len; i++) {
        if (line.ptr[i] < 0x20 || line.ptr[i] > 0x7e)
            return false;
    }
    return true;
}

/* Takes the next word off line; false: there is none, or it is empty. */
static bool next_word(errand_span *line, errand_span *word)
{
    if (line->ptr == NULL || line->len == 0)
        return false;
    const char *blank = memchr(line->ptr, ' ', line->len);
    *word = span_head(*line, blank == NULL ? line->len : (size_t)(blank - line->ptr));
    *line = blank == NULL ? SPAN_EMPTY : span_after(*line, word->len + 1);
    /* A blank at the very end would stand before a word that is missing. */
    return word->len > 0 && (blank == NULL || line->len > 0);
}

static bool read_outcome(errand_span word, bool *ok)
{
    *ok = span_is(word, "ok");
    return *ok || span_is(word, "error");
}

static bool read_word(char letter, errand_span word, struct frame *out)
{
    switch (letter) {
    case 'n':
        return errand__frame_number(word, &out->number);
    case 'i':
        return errand__frame_number(word, &out->pid);
    case 'p':
        return errand__frame_number(word, &out->space);
    case 'f':
        return errand__frame_number(word, &out->function);
    case 'o':
        return read_outcome(word, &out->ok);
    case 'l':
        out->level = errand__frame_level(word);
        return out->level != NULL;
    case 'w':
        out->name = word;
        return word.len <= FRAME_NAME_MAX;
    default:
        out->has_payload = true;
        return errand__frame_number(word, &out->size);
    }
}

static const struct shape *shape_of(errand_span name, enum frame_side side)
{
    for (size_t i = 0; i < COUNT(shapes); i++) {
        if (shapes[i].side == side && span_is(name, shapes[i].name))
            return &shapes[i];
    }
    return NULL;
}

static enum frame_found bad(const char **why, const char *text)
{
    *why = text;
    return FRAME_BAD;
}

static enum frame_found read_line(errand_span line, enum frame_side side, struct frame *out,
                                  const char **why)
{
    errand_span word;

    if (!printable(line) || !next_word(&line, &word))
        return bad(why, "no header line");
    const struct shape *shape = shape_of(word, side);
    if (shape == NULL)
        return bad(why, "an unknown frame");
    out->type = (enum frame_type)(shape - shapes);
    for (const char *letter = shape->words; *letter != '\0'; letter++) {
        if (!next_word(&line, &word))
            return bad(why, "a header with a word missing");
        if (!read_word(*letter, word, out))
            return bad(why, "a header with a word that makes no sense");
    }
    return line.len > 0 ? bad(why, "a header with a word too many") : FRAME_FOUND;
}

enum frame_found errand__frame_read(errand_span bytes, enum frame_side side, uint64_t cap,
                                    struct frame *out, const char **why)
{
    errand_span window = span_head(bytes, FRAME_HEADER_MAX + 1);
    const char *newline = window.len == 0 ? NULL : memchr(window.ptr, '\n', window.len);

    if (newline == NULL)
        return window.len > FRAME_HEADER_MAX ? bad(why, "a header line without end") : FRAME_TORN;
    *out = (struct frame){.header_len = (size_t)(newline - bytes.ptr) + 1};
    enum frame_found found = read_line(span_head(bytes, out->header_len - 1), side, out, why);
    if (found == FRAME_FOUND && out->size > cap)
        return bad(why, "a frame over frame_bytes");
    return found;
}

uint64_t errand__frame_len(const struct frame *frame)
{
    return frame->header_len + (frame->has_payload ? frame->size + 1 : 0);
}

static int write_word(char *out, size_t room, char letter, const struct frame *frame)
{
    switch (letter) {
    case 'n':
        return snprintf(out, room, " %" PRIu64, frame->number);
    case 'i':
        return snprintf(out, room, " %" PRIu64, frame->pid);
    case 'p':
        return snprintf(out, room, " %" PRIu64, frame->space);
    case 'f':
        return snprintf(out, room, " %" PRIu64, frame->function);
    case 'o':
        return snprintf(out, room, " %s", frame->ok ? "ok" : "error");
    case 'l':
        return snprintf(out, room, " %s", frame->level);
    case 'w':
        return snprintf(out, room, " %.*s", (int)frame->name.len, frame->name.ptr);
    default:
        return snprintf(out, room, " %" PRIu64, frame->size);
    }
}

size_t errand__frame_write(char out[FRAME_HEADER_MAX + 2], const struct frame *frame)
{
    const struct shape *shape = &shapes[frame->type];
    const size_t room = FRAME_HEADER_MAX + 2;
    size_t len = strlen(shape->name);

    assert(frame->name.len <= FRAME_NAME_MAX);
    memcpy(out, shape->name, len);
    for (const char *letter = shape->words; *letter != '\0'; letter++) {
        int more = write_word(out + len, room - len, *letter, frame);
        assert(more > 0);
        len += (size_t)more;
    }
    assert(len <= FRAME_HEADER_MAX);
    out[len++] = '\n';
    return len;
}
