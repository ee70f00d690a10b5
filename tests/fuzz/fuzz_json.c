/* Any bytes as a JSON text: the fast validator agrees with a slow one that recurses, and what
 * reads valid texts stays inside them. */
#include "fuzz.h"

#include "core/fault.h"
#include "core/json.h"
#include "core/json_path.h"

#include <stdlib.h>

/* --- The slow one: straight from the grammar ---------------------------------------------- */

enum { SLOW_DEPTH_MAX = 500 };

struct slow {
    const uint8_t *at, *end;
    int depth;
    bool too_deep;
};

static bool slow_value(struct slow *slow);

static bool next_is(struct slow *slow, uint8_t byte)
{
    if (slow->at == slow->end || *slow->at != byte)
        return false;
    slow->at++;
    return true;
}

static void blanks(struct slow *slow)
{
    while (next_is(slow, ' ') || next_is(slow, '\t') || next_is(slow, '\n') || next_is(slow, '\r'))
        continue;
}

static bool between(struct slow *slow, uint8_t from, uint8_t to)
{
    if (slow->at == slow->end || *slow->at < from || *slow->at > to)
        return false;
    slow->at++;
    return true;
}

static bool hex(struct slow *slow)
{
    return between(slow, '0', '9') || between(slow, 'a', 'f') || between(slow, 'A', 'F');
}

static bool four_digits(struct slow *slow)
{
    for (int i = 0; i < 4; i++) {
        if (!hex(slow))
            return false;
    }
    return true;
}

static bool escape(struct slow *slow)
{
    static const char simple[] = "\"\\/bfnrt";

    for (size_t i = 0; i < sizeof(simple) - 1; i++) {
        if (next_is(slow, (uint8_t)simple[i]))
            return true;
    }
    return next_is(slow, 'u') && four_digits(slow);
}

static bool tails(struct slow *slow, int count)
{
    for (int i = 0; i < count; i++) {
        if (!between(slow, 0x80, 0xbf))
            return false;
    }
    return true;
}

/* RFC 3629, section 4, as it is written there. */
static bool wide(struct slow *slow)
{
    if (between(slow, 0xc2, 0xdf))
        return tails(slow, 1);
    if (next_is(slow, 0xe0))
        return between(slow, 0xa0, 0xbf) && tails(slow, 1);
    if (next_is(slow, 0xed))
        return between(slow, 0x80, 0x9f) && tails(slow, 1);
    if (between(slow, 0xe1, 0xef))
        return tails(slow, 2);
    if (next_is(slow, 0xf0))
        return between(slow, 0x90, 0xbf) && tails(slow, 2);
    if (next_is(slow, 0xf4))
        return between(slow, 0x80, 0x8f) && tails(slow, 2);
    return between(slow, 0xf1, 0xf3) && tails(slow, 3);
}

static bool slow_string(struct slow *slow)
{
    if (!next_is(slow, '"'))
        return false;
    for (;;) {
        if (next_is(slow, '"'))
            return true;
        if (next_is(slow, '\\')) {
            if (!escape(slow))
                return false;
        } else if (!between(slow, 0x20, 0x7f) && !wide(slow)) {
            return false;
        }
    }
}

static bool digits(struct slow *slow)
{
    if (!between(slow, '0', '9'))
        return false;
    while (between(slow, '0', '9'))
        continue;
    return true;
}

static bool slow_number(struct slow *slow)
{
    (void)next_is(slow, '-');
    if (!next_is(slow, '0') && !digits(slow))
        return false;
    if (next_is(slow, '.') && !digits(slow))
        return false;
    if (next_is(slow, 'e') || next_is(slow, 'E')) {
        if (!next_is(slow, '+'))
            (void)next_is(slow, '-');
        return digits(slow);
    }
    return true;
}

static bool word(struct slow *slow, const char *text)
{
    for (; *text != '\0'; text++) {
        if (!next_is(slow, (uint8_t)*text))
            return false;
    }
    return true;
}

/* NOLINTNEXTLINE(misc-no-recursion): as the grammar does. */
static bool member(struct slow *slow, bool object)
{
    blanks(slow);
    if (object) {
        if (!slow_string(slow))
            return false;
        blanks(slow);
        if (!next_is(slow, ':'))
            return false;
    }
    return slow_value(slow);
}

/* NOLINTNEXTLINE(misc-no-recursion): as the grammar does. */
static bool container(struct slow *slow, bool object)
{
    const uint8_t close = object ? '}' : ']';

    slow->at++;
    blanks(slow);
    if (next_is(slow, close))
        return true;
    do {
        if (!member(slow, object))
            return false;
        blanks(slow);
    } while (next_is(slow, ','));
    return next_is(slow, close);
}

/* NOLINTNEXTLINE(misc-no-recursion): its depth is capped. */
static bool slow_value(struct slow *slow)
{
    blanks(slow);
    if (slow->at == slow->end)
        return false;
    switch (*slow->at) {
    case '{':
    case '[':
        if (++slow->depth > SLOW_DEPTH_MAX) {
            slow->too_deep = true;
            return false;
        }
        if (!container(slow, *slow->at == '{'))
            return false;
        slow->depth--;
        return true;
    case '"':
        return slow_string(slow);
    case 't':
        return word(slow, "true");
    case 'f':
        return word(slow, "false");
    case 'n':
        return word(slow, "null");
    default:
        return slow_number(slow);
    }
}

/* --- The readers -------------------------------------------------------------------------- */

static void read_string(errand_span string)
{
    char *out = malloc(string.len);
    char *again = NULL;
    size_t len;

    MUST(out != NULL);
    len = errand__json_decode(out, string);
    MUST(len <= string.len - 2);
    errand_span text = span_of(out, len);
    size_t encoded = errand__json_encoded_len(text);
    again = malloc(encoded);
    MUST(again != NULL);
    MUST(errand__json_encode(again, text) == encoded);
    MUST(errand__json_valid(span_of(again, encoded), NULL));
    for (size_t room = 2; room < string.len && room < 40; room++) {
        size_t cut = errand__json_string_cut(string, room);
        MUST(cut >= 2 && cut <= room);
    }
    free(out);
    free(again);
}

static void read_members(errand_span object)
{
    struct json_members members;
    errand_span key;
    errand_span value;
    size_t steps = 0;

    errand__json_members_init(&members, object);
    while (errand__json_members_next(&members, &key, &value)) {
        MUST(errand__json_valid(key, NULL));
        MUST(errand__json_valid(value, NULL));
        MUST(errand__json_is_string(key));
        MUST(++steps <= object.len);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    errand_span text = span_of(data, size);
    struct slow slow = {.at = data, .end = data + size};
    size_t at = SIZE_MAX;
    bool valid = errand__json_valid(text, &at);
    bool expected = slow_value(&slow);

    blanks(&slow);
    expected = expected && slow.at == slow.end;
    MUST(valid || at <= size);
    if (!slow.too_deep)
        MUST(valid == expected);
    if (!valid)
        return 0;
    errand_span value = errand__json_trim(text);
    struct fault fault;
    const char *why;
    (void)errand__fault_read(text, &fault, &why);
    size_t lossy = SIZE_MAX;
    MUST(errand__json_valid_exact(text, NULL, &lossy));
    MUST(lossy == SIZE_MAX || lossy < size);
    char path[JSON_PATH_ROOM];
    errand__json_path(path, text, lossy == SIZE_MAX ? size : lossy);
    MUST(memchr(path, '\0', sizeof(path)) != NULL);
    if (errand__json_is_string(text))
        read_string(value);
    if (errand__json_is_object(text))
        read_members(value);
    return 0;
}
