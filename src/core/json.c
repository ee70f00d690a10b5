/* json.c - iterative throughout: a text is as deep as its author likes, our stack is not. */
#include "core/json.h"
#include "core/utf8.h"

enum want {
    WANT_VALUE,
    WANT_VALUE_OR_END, /* After [. */
    WANT_KEY,
    WANT_KEY_OR_END, /* After {. */
    WANT_COLON,
    WANT_COMMA_OR_END
};

struct walk {
    const unsigned char *at, *end;
    enum want want;
    const unsigned char *lossy; /* The first integer that no double holds for sure, or NULL. */
    size_t depth;
    /* One bit a level: whether it is an object. */
    uint64_t objects[(JSON_DEPTH_MAX + 64) / 64];
};

#define ONES  UINT64_C(0x0101010101010101)
#define HIGHS UINT64_C(0x8080808080808080)

static uint64_t load(const unsigned char *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof(word));
    return word;
}

/* Not 0 when one of eight bytes is no plain ASCII of a string: ", \, below 0x20, above 0x7f. */
static uint64_t special(uint64_t word)
{
    uint64_t quote = word ^ ONES * '"';
    uint64_t slash = word ^ ONES * '\\';

    return (word | (word - ONES * 0x20) | ((quote - ONES) & ~quote) | ((slash - ONES) & ~slash)) &
           HIGHS;
}

static bool is_special(unsigned char byte)
{
    return byte < 0x20 || byte >= 0x80 || byte == '"' || byte == '\\';
}

static const unsigned char *over_plain(const unsigned char *at, const unsigned char *end)
{
    while (end - at >= 32 && (special(load(at)) | special(load(at + 8)) | special(load(at + 16)) |
                              special(load(at + 24))) == 0)
        at += 32;
    while (end - at >= 8 && special(load(at)) == 0)
        at += 8;
    while (at < end && !is_special(*at))
        at++;
    return at;
}

static int hex_digit(unsigned char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    if (byte >= 'a' && byte <= 'f')
        return byte - 'a' + 10;
    if (byte >= 'A' && byte <= 'F')
        return byte - 'A' + 10;
    return -1;
}

static bool digit(unsigned char byte)
{
    return byte >= '0' && byte <= '9';
}

static const unsigned char *over_blanks(const unsigned char *at, const unsigned char *end)
{
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    return at;
}

/* at stands on the backslash. */
static bool over_escape(struct walk *walk)
{
    static const char simple[] = "\"\\/bfnrt";
    const unsigned char *at = walk->at + 1;

    if (at == walk->end)
        return false;
    if (*at != 'u') {
        if (memchr(simple, *at, sizeof(simple) - 1) == NULL)
            return false;
        walk->at = at + 1;
        return true;
    }
    for (size_t i = 1; i <= 4; i++) {
        if ((size_t)(walk->end - at) <= i || hex_digit(at[i]) < 0)
            return false;
    }
    walk->at = at + 5;
    return true;
}

/* at stands behind the opening quote. */
static bool over_string(struct walk *walk)
{
    for (;;) {
        walk->at = over_plain(walk->at, walk->end);
        if (walk->at == walk->end || *walk->at < 0x20)
            return false;
        if (*walk->at == '"') {
            walk->at++;
            return true;
        }
        if (*walk->at == '\\' && !over_escape(walk))
            return false;
        while (walk->at < walk->end && *walk->at >= 0x80) {
            size_t step = errand__utf8_step(span_of(walk->at, (size_t)(walk->end - walk->at)));
            if (step == 0)
                return false;
            walk->at += step;
        }
    }
}

static bool over_digits(struct walk *walk)
{
    const unsigned char *from = walk->at;

    while (walk->at < walk->end && digit(*walk->at))
        walk->at++;
    return walk->at > from;
}

/* Of so many digits, without sign and leading zeros. */
static bool beyond_doubles(const unsigned char *digits, size_t count)
{
    static const char most[] = "9007199254740991";

    return count >= sizeof(most) ||
           (count == sizeof(most) - 1 && memcmp(digits, most, sizeof(most) - 1) > 0);
}

static bool over_number(struct walk *walk)
{
    const unsigned char *from = walk->at;

    if (*walk->at == '-')
        walk->at++;
    const unsigned char *whole = walk->at;
    if (walk->at < walk->end && *walk->at == '0')
        walk->at++;
    else if (!over_digits(walk))
        return false;
    bool fraction = walk->at < walk->end && (*walk->at == '.' || (*walk->at | 0x20) == 'e');
    if (!fraction && walk->lossy == NULL && beyond_doubles(whole, (size_t)(walk->at - whole)))
        walk->lossy = from;
    if (walk->at < walk->end && *walk->at == '.') {
        walk->at++;
        if (!over_digits(walk))
            return false;
    }
    if (walk->at < walk->end && (*walk->at == 'e' || *walk->at == 'E')) {
        walk->at++;
        if (walk->at < walk->end && (*walk->at == '+' || *walk->at == '-'))
            walk->at++;
        if (!over_digits(walk))
            return false;
    }
    return true;
}

static bool over_word(struct walk *walk, const char *word)
{
    for (; *word != '\0'; word++, walk->at++) {
        if (walk->at == walk->end || *walk->at != (unsigned char)*word)
            return false;
    }
    return true;
}

static bool go_down(struct walk *walk, bool object)
{
    if (walk->depth == JSON_DEPTH_MAX)
        return false;
    uint64_t bit = UINT64_C(1) << (walk->depth % 64);
    if (object)
        walk->objects[walk->depth / 64] |= bit;
    else
        walk->objects[walk->depth / 64] &= ~bit;
    walk->depth++;
    walk->at++;
    walk->want = object ? WANT_KEY_OR_END : WANT_VALUE_OR_END;
    return true;
}

static bool in_object(const struct walk *walk)
{
    assert(walk->depth > 0);
    size_t level = walk->depth - 1;
    return (walk->objects[level / 64] >> (level % 64) & 1) != 0;
}

static bool go_up(struct walk *walk)
{
    walk->depth--;
    walk->at++;
    walk->want = WANT_COMMA_OR_END;
    return true;
}

static bool over_value(struct walk *walk)
{
    unsigned char byte = *walk->at;

    if (byte == '{' || byte == '[')
        return go_down(walk, byte == '{');
    walk->want = WANT_COMMA_OR_END;
    switch (byte) {
    case '"':
        walk->at++;
        return over_string(walk);
    case 't':
        return over_word(walk, "true");
    case 'f':
        return over_word(walk, "false");
    case 'n':
        return over_word(walk, "null");
    default:
        return (byte == '-' || digit(byte)) && over_number(walk);
    }
}

static bool over_key(struct walk *walk)
{
    if (*walk->at != '"')
        return false;
    walk->at++;
    walk->want = WANT_COLON;
    return over_string(walk);
}

static bool over_comma(struct walk *walk)
{
    if (*walk->at != ',')
        return false;
    walk->at++;
    walk->want = in_object(walk) ? WANT_KEY : WANT_VALUE;
    return true;
}

/* at stands on a byte that is no blank. */
static bool step(struct walk *walk)
{
    switch (walk->want) {
    case WANT_VALUE:
        return over_value(walk);
    case WANT_VALUE_OR_END:
        return *walk->at == ']' ? go_up(walk) : over_value(walk);
    case WANT_KEY:
        return over_key(walk);
    case WANT_KEY_OR_END:
        return *walk->at == '}' ? go_up(walk) : over_key(walk);
    case WANT_COLON:
        if (*walk->at != ':')
            return false;
        walk->at++;
        walk->want = WANT_VALUE;
        return true;
    case WANT_COMMA_OR_END:
        return *walk->at == (in_object(walk) ? '}' : ']') ? go_up(walk) : over_comma(walk);
    }
    return false;
}

bool errand__json_valid(errand_span text, size_t *at)
{
    return errand__json_valid_exact(text, at, NULL);
}

bool errand__json_valid_exact(errand_span text, size_t *at, size_t *lossy)
{
    const unsigned char *start = (const unsigned char *)text.ptr;
    bool ok = text.len > 0;
    struct walk walk = {.at = start, .end = ok ? start + text.len : start, .want = WANT_VALUE};

    while (ok) {
        walk.at = over_blanks(walk.at, walk.end);
        if (walk.depth == 0 && walk.want == WANT_COMMA_OR_END)
            break;
        ok = walk.at < walk.end && step(&walk);
    }
    ok = ok && walk.at == walk.end;
    if (!ok && at != NULL)
        *at = text.len == 0 ? 0 : (size_t)(walk.at - start);
    if (lossy != NULL)
        *lossy = walk.lossy == NULL ? SIZE_MAX : (size_t)(walk.lossy - start);
    return ok;
}

errand_span errand__json_trim(errand_span text)
{
    if (text.len == 0)
        return text;
    const unsigned char *end = (const unsigned char *)text.ptr + text.len;
    const unsigned char *at = over_blanks((const unsigned char *)text.ptr, end);
    while (end > at && over_blanks(end - 1, end) == end)
        end--;
    return span_of(at, (size_t)(end - at));
}

bool errand__json_is_string(errand_span text)
{
    errand_span value = errand__json_trim(text);
    return value.len > 0 && value.ptr[0] == '"';
}

bool errand__json_is_object(errand_span text)
{
    errand_span value = errand__json_trim(text);
    return value.len > 0 && value.ptr[0] == '{';
}

bool errand__json_uint(errand_span text, uint64_t max, uint64_t *out)
{
    errand_span value = errand__json_trim(text);
    uint64_t number = 0;

    if (value.len == 0)
        return false;
    for (size_t i = 0; i < value.len; i++) {
        unsigned char byte = (unsigned char)value.ptr[i];
        if (!digit(byte))
            return false;
        uint64_t next = (uint64_t)(byte - '0');
        if (number > max / 10 || number * 10 > max - next)
            return false;
        number = number * 10 + next;
    }
    *out = number;
    return true;
}

/* The end of the string that starts at the head of text. */
static size_t string_len(errand_span text)
{
    const unsigned char *start = (const unsigned char *)text.ptr;
    const unsigned char *end = start + text.len;
    const unsigned char *at = start + 1;

    for (;;) {
        at = over_plain(at, end);
        assert(at < end);
        if (*at == '"')
            return (size_t)(at - start) + 1;
        at += *at == '\\' ? 2 : 1;
    }
}

/* The end of the value that starts at the head of text. */
static size_t value_len(errand_span text)
{
    static const char ends[] = " \n\r\t,]}";
    size_t depth = 0;
    size_t at = 0;

    do {
        switch (text.ptr[at]) {
        case '"':
            at += string_len(span_after(text, at));
            break;
        case '{':
        case '[':
            depth++;
            at++;
            break;
        case '}':
        case ']':
            depth--;
            at++;
            break;
        default:
            at++;
            while (depth == 0 && at < text.len &&
                   memchr(ends, text.ptr[at], sizeof(ends) - 1) == NULL)
                at++;
            break;
        }
    } while (depth > 0);
    return at;
}

errand_span errand__json_head(errand_span text)
{
    return span_head(text, value_len(text));
}

void errand__json_members_init(struct json_members *members, errand_span object)
{
    members->rest = errand__json_trim(object);
    assert(members->rest.len >= 2);
    assert(members->rest.ptr[0] == '{');
    /* Behind the brace; each step then starts on a blank, a comma, a quote or the last brace. */
    members->rest = span_after(members->rest, 1);
}

static errand_span over_any(errand_span text, const char *of, size_t of_len)
{
    while (text.len > 0 && memchr(of, text.ptr[0], of_len) != NULL)
        text = span_after(text, 1);
    return text;
}

bool errand__json_members_next(struct json_members *members, errand_span *key, errand_span *value)
{
    errand_span rest = over_any(members->rest, " \n\r\t,", 5);

    if (rest.len == 0 || rest.ptr[0] != '"') {
        members->rest = SPAN_EMPTY;
        return false;
    }
    *key = span_head(rest, string_len(rest));
    rest = over_any(span_after(rest, key->len), " \n\r\t:", 5);
    *value = span_head(rest, value_len(rest));
    members->rest = span_after(rest, value->len);
    return true;
}

void errand__json_elements_init(struct json_members *elements, errand_span array)
{
    elements->rest = errand__json_trim(array);
    assert(elements->rest.len >= 2);
    assert(elements->rest.ptr[0] == '[');
    elements->rest = span_after(elements->rest, 1);
}

bool errand__json_elements_next(struct json_members *elements, errand_span *value)
{
    errand_span rest = over_any(elements->rest, " \n\r\t,", 5);

    if (rest.len == 0 || rest.ptr[0] == ']') {
        elements->rest = SPAN_EMPTY;
        return false;
    }
    *value = span_head(rest, value_len(rest));
    elements->rest = span_after(rest, value->len);
    return true;
}

/* The four digits behind \u. */
static uint32_t unit(const unsigned char *at)
{
    uint32_t number = 0;

    for (size_t i = 0; i < 4; i++)
        number = number << 4 | (uint32_t)hex_digit(at[i]);
    return number;
}

static bool high(uint32_t point)
{
    return point >= 0xd800 && point < 0xdc00;
}

static bool low(uint32_t point)
{
    return point >= 0xdc00 && point < 0xe000;
}

size_t errand__json_escape(const unsigned char *at, uint32_t *out)
{
    static const char letters[] = "bfnrt";
    static const char bytes[] = "\b\f\n\r\t";

    if (at[1] == 'u') {
        *out = unit(at + 2);
        return 6;
    }
    const char *letter = memchr(letters, at[1], sizeof(letters) - 1);
    *out = letter == NULL ? at[1] : (unsigned char)bytes[letter - letters];
    return 2;
}

/* One escape, or two that make up a pair. at stands on the backslash; returns its length. */
static size_t read_escape(const unsigned char *at, const unsigned char *end, uint32_t *point)
{
    size_t len = errand__json_escape(at, point);

    if (high(*point) && end - at >= 12 && at[6] == '\\' && at[7] == 'u' && low(unit(at + 8))) {
        *point = 0x10000 + ((*point - 0xd800) << 10) + (unit(at + 8) - 0xdc00);
        return 12;
    }
    if (high(*point) || low(*point))
        *point = 0xfffd;
    return len;
}

size_t errand__json_decode(char *out, errand_span string)
{
    assert(string.len >= 2);
    const unsigned char *at = (const unsigned char *)string.ptr + 1;
    const unsigned char *end = at + string.len - 2;
    char *to = out;

    while (at < end) {
        const unsigned char *slash = memchr(at, '\\', (size_t)(end - at));
        size_t plain = (size_t)((slash == NULL ? end : slash) - at);
        memmove(to, at, plain);
        to += plain;
        at += plain;
        if (slash == NULL)
            break;
        uint32_t point;
        at += read_escape(at, end, &point);
        to += errand__utf8_write(to, point);
    }
    return (size_t)(to - out);
}

bool errand__json_string_is(errand_span string, const char *text)
{
    char plain[64];

    /* The longest way to write a letter takes six bytes. */
    if (string.len > sizeof(plain) || strlen(text) + 2 > string.len)
        return false;
    return span_is(span_of(plain, errand__json_decode(plain, string)), text);
}

size_t errand__json_string_cut(errand_span string, size_t room)
{
    assert(string.len >= 2);
    if (room < 2)
        return 0;
    if (string.len <= room)
        return string.len;
    const unsigned char *start = (const unsigned char *)string.ptr;
    const unsigned char *end = start + string.len - 1;
    const unsigned char *most = start + room - 1; /* Where the closing quote would stand. */
    const unsigned char *at = start + 1;

    for (;;) {
        const unsigned char *plain = over_plain(at, most);
        at = plain;
        if (at >= most)
            return (size_t)(at - start) + 1;
        uint32_t point;
        size_t len = *at == '\\' ? read_escape(at, end, &point)
                                 : errand__utf8_step(span_of(at, (size_t)(end - at)));
        assert(len > 0);
        if (len > (size_t)(most - at))
            return (size_t)(at - start) + 1;
        at += len;
    }
}

/* The letter of a two-byte escape, or NUL. */
static char short_escape(unsigned char byte)
{
    static const char bytes[] = "\"\\\b\t\n\f\r";
    static const char letters[] = "\"\\btnfr";
    const char *found = memchr(bytes, byte, sizeof(bytes) - 1);

    if (found == NULL)
        return '\0';
    return letters[found - bytes];
}

size_t errand__json_encoded_len(errand_span text)
{
    size_t len = 2;

    while (text.len > 0) {
        unsigned char byte = (unsigned char)text.ptr[0];
        size_t width = errand__utf8_step(text);
        if (short_escape(byte) != '\0')
            len += 2;
        else if (byte < 0x20)
            len += 6;
        else
            len += width == 0 ? 3 : width;
        text = span_after(text, width == 0 ? 1 : width);
    }
    return len;
}

static size_t encode_one(char *out, errand_span text, size_t width)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char byte = (unsigned char)text.ptr[0];
    char letter = short_escape(byte);

    if (letter != '\0') {
        out[0] = '\\';
        out[1] = letter;
        return 2;
    }
    if (byte < 0x20) {
        out[0] = '\\';
        out[1] = 'u';
        out[2] = out[3] = '0';
        out[4] = digits[byte >> 4];
        out[5] = digits[byte & 15];
        return 6;
    }
    if (width == 0)
        return errand__utf8_write(out, 0xfffd);
    memcpy(out, text.ptr, width);
    return width;
}

size_t errand__json_encode(char *out, errand_span text)
{
    size_t len = 0;

    out[len++] = '"';
    while (text.len > 0) {
        size_t width = errand__utf8_step(text);
        len += encode_one(out + len, text, width);
        text = span_after(text, width == 0 ? 1 : width);
    }
    out[len++] = '"';
    return len;
}
