/* json_path.c - keeps the upper levels alone, so that it needs no memory. */
#include "core/json_path.h"
#include "base/err.h"
#include "core/json.h"

#include <stdio.h>

enum { LEVELS = 32, KEY_MAX = 48, DIGITS_MAX = 40 };

struct level {
    bool object;
    size_t index;    /* Of an array: what the walk is at. */
    errand_span key; /* Of an object: the same, with quotes; empty before the first. */
};

struct trail {
    struct level levels[LEVELS];
    size_t depth;
};

static struct level *top(struct trail *trail)
{
    return trail->depth == 0 || trail->depth > LEVELS ? NULL : &trail->levels[trail->depth - 1];
}

static void enter(struct trail *trail, bool object)
{
    trail->depth++;
    if (top(trail) != NULL)
        *top(trail) = (struct level){.object = object};
}

static bool blank(char byte)
{
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

/* Takes note of a string where it is a key. Returns its length. */
static size_t take_string(struct trail *trail, errand_span text)
{
    errand_span string = errand__json_head(text);
    errand_span rest = span_after(text, string.len);

    while (rest.len > 0 && blank(rest.ptr[0]))
        rest = span_after(rest, 1);
    if (rest.len > 0 && rest.ptr[0] == ':' && top(trail) != NULL)
        top(trail)->key = string;
    return string.len;
}

/* One token, or one byte of it. Returns its length. */
static size_t step(struct trail *trail, errand_span text)
{
    switch (text.ptr[0]) {
    case '"':
        return take_string(trail, text);
    case '{':
    case '[':
        enter(trail, text.ptr[0] == '{');
        return 1;
    case '}':
    case ']':
        trail->depth--;
        return 1;
    case ',':
        if (top(trail) != NULL)
            top(trail)->index++;
        return 1;
    default:
        return 1;
    }
}

static bool is_word(errand_span name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
        if (!letter && (i == 0 || c < '0' || c > '9'))
            return false;
    }
    return name.len > 0;
}

/* What one level adds. Returns its length, as snprintf does. */
static int write_level(char *out, size_t room, const struct level *level)
{
    if (!level->object)
        return snprintf(out, room, "[%zu]", level->index);
    if (level->key.len == 0)
        return 0;
    errand_span name = span_of(level->key.ptr + 1, level->key.len - 2);
    if (is_word(name) && name.len <= KEY_MAX)
        return snprintf(out, room, ".%.*s", (int)name.len, name.ptr);
    size_t len = errand__json_string_cut(level->key, KEY_MAX) - 1;
    return snprintf(out, room, "[%.*s%s\"]", (int)len, level->key.ptr,
                    len + 1 < level->key.len ? "..." : "");
}

void errand__json_path(char out[static JSON_PATH_ROOM], errand_span text, size_t offset)
{
    static const char more[] = "...";
    struct trail trail = {.depth = 0};
    size_t used = 1;

    assert(offset <= text.len);
    for (size_t at = 0; at < offset;)
        at += step(&trail, span_after(text, at));
    memcpy(out, "$", 2);
    for (size_t i = 0; i < trail.depth; i++) {
        char part[KEY_MAX * 2] = "";
        int len =
            i < LEVELS ? write_level(part, sizeof(part), &trail.levels[i]) : (int)sizeof(part);
        if (used + (size_t)len + sizeof(more) > JSON_PATH_ROOM) {
            memcpy(out + used, more, sizeof(more));
            return;
        }
        memcpy(out + used, part, (size_t)len + 1);
        used += (size_t)len;
    }
}

errand_status errand__json_lossy(errand_error *err, const char *area, errand_span text,
                                 size_t offset)
{
    char path[JSON_PATH_ROOM];
    errand_span number = errand__json_head(span_after(text, offset));
    bool whole = number.len <= DIGITS_MAX;

    errand__json_path(path, text, offset);
    return errand__fail(err, ERRAND_EINVAL, 0,
                        "%s: %.*s%s at %s is beyond 2^53; give it as a string", area,
                        whole ? (int)number.len : DIGITS_MAX, number.ptr, whole ? "" : "...", path);
}
