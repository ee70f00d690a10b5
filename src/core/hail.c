/* hail.c - looks for the mark first, which is rare, and for the word before it then. */
#include "core/hail.h"
#include "core/frame.h"
#include "core/json.h"

static const struct {
    enum hail_type type;
    const char *text;
} words[] = {{HAIL_HELLO, "hello "}, {HAIL_WANT, "want "}, {HAIL_FAIL, "fail "}};

enum { WORD_LEN_MAX = 6 };

static size_t find(errand_span bytes, size_t from, errand_span what)
{
    if (bytes.len - from < what.len)
        return SIZE_MAX;
    const char *found = memmem(bytes.ptr + from, bytes.len - from, what.ptr, what.len);
    return found == NULL ? SIZE_MAX : (size_t)(found - bytes.ptr);
}

/* Which word stands right before at, and where it begins. */
static enum hail_type word_before(errand_span bytes, size_t at, size_t *start)
{
    for (size_t i = 0; i < COUNT(words); i++) {
        size_t len = strlen(words[i].text);
        if (at >= len && memcmp(bytes.ptr + at - len, words[i].text, len) == 0) {
            *start = at - len;
            return words[i].type;
        }
    }
    return HAIL_NONE;
}

/* Where the line that goes on at from ends; SIZE_MAX: not yet. */
static size_t line_end(errand_span bytes, size_t from, size_t max, bool last)
{
    errand_span window = span_head(span_after(bytes, from), max);
    const char *newline = window.len == 0 ? NULL : memchr(window.ptr, '\n', window.len);

    if (newline != NULL)
        return (size_t)(newline - bytes.ptr);
    return window.len == max || last ? from + window.len : SIZE_MAX;
}

static void read_fail(errand_span line, struct hail *out)
{
    const char *blank = line.len == 0 ? NULL : memchr(line.ptr, ' ', line.len);

    out->code = span_head(line, blank == NULL ? line.len : (size_t)(blank - line.ptr));
    out->text = blank == NULL ? SPAN_EMPTY : span_after(line, out->code.len + 1);
}

/* The mark ends before at, type's word begins at start. */
static void read_rest(errand_span bytes, size_t start, size_t at, bool last, struct hail *out)
{
    size_t max = out->type == HAIL_FAIL ? HAIL_FAIL_MAX : FRAME_HEADER_MAX - (at - start);
    size_t end = line_end(bytes, at, max, last && out->type == HAIL_FAIL);

    out->noise = start;
    if (end == SIZE_MAX) {
        out->type = HAIL_NONE;
        return;
    }
    errand_span rest = span_of(bytes.ptr + at, end - at);
    bool ended = end < bytes.len && bytes.ptr[end] == '\n';
    out->len = end - start + (ended ? 1 : 0);
    if (out->type == HAIL_FAIL)
        read_fail(rest, out);
    else if (!ended || !errand__frame_number(rest, &out->size))
        out->type = HAIL_BAD;
}

/* Looks at one place where the mark stands. false: it is none of ours, go on. */
static bool read_at(errand_span bytes, size_t at, size_t mark_len, bool last, struct hail *out)
{
    size_t start;
    size_t after = at + mark_len;
    enum hail_type type = word_before(bytes, at, &start);

    if (type == HAIL_NONE)
        return false;
    if (after == bytes.len) {
        out->noise = start;
        return true;
    }
    if (bytes.ptr[after] != (type == HAIL_WANT ? '\n' : ' '))
        return false;
    out->type = type;
    if (type == HAIL_WANT) {
        out->noise = start;
        out->len = after + 1 - start;
        return true;
    }
    read_rest(bytes, start, after + 1, last, out);
    return true;
}

/* Whether tail is how a word and the mark behind it begin. */
static bool begins(errand_span tail, const char *word, errand_span mark)
{
    errand_span in_word = span_head(tail, strlen(word));
    errand_span in_mark = span_after(tail, in_word.len);

    return memcmp(in_word.ptr, word, in_word.len) == 0 && span_starts(mark, in_mark);
}

/* How many bytes at the end may be the beginning of a hail. */
static size_t beginning(errand_span bytes, errand_span mark)
{
    size_t most = WORD_LEN_MAX + mark.len - 1;

    for (size_t len = bytes.len < most ? bytes.len : most; len > 0; len--) {
        errand_span tail = span_after(bytes, bytes.len - len);
        for (size_t i = 0; i < COUNT(words); i++) {
            if (begins(tail, words[i].text, mark))
                return len;
        }
    }
    return 0;
}

void errand__hail_read(errand_span bytes, errand_span mark, bool last, struct hail *out)
{
    *out = (struct hail){.noise = bytes.len - beginning(bytes, mark)};
    for (size_t at = find(bytes, 0, mark); at != SIZE_MAX; at = find(bytes, at + 1, mark)) {
        if (read_at(bytes, at, mark.len, last, out))
            return;
    }
}

static bool no(const char **why, const char *text)
{
    *why = text;
    return false;
}

struct member {
    const char *name;
    errand_span value;
};

/* Fills in the values of those members that are there; of twins the last counts. */
static void pick(errand_span object, struct member *members, size_t count)
{
    struct json_members walk;
    errand_span key;
    errand_span value;

    errand__json_members_init(&walk, object);
    while (errand__json_members_next(&walk, &key, &value)) {
        for (size_t i = 0; i < count; i++) {
            if (errand__json_string_is(key, members[i].name))
                members[i].value = value;
        }
    }
}

static bool is_digest(errand_span string)
{
    static const char digits[] = "0123456789abcdef";

    if (string.len != 66 || string.ptr[0] != '"')
        return false;
    for (size_t i = 1; i < 65; i++) {
        if (memchr(digits, string.ptr[i], sizeof(digits) - 1) == NULL)
            return false;
    }
    return true;
}

bool errand__greeting_read(errand_span payload, struct greeting *out, const char **why)
{
    enum { PROTOCOL, NODE, PID, GROUP, DIGEST, NETWORK };
    struct member members[] = {
        [PROTOCOL] = {"protocol", SPAN_EMPTY}, [NODE] = {"node", SPAN_EMPTY},
        [PID] = {"pid", SPAN_EMPTY},           [GROUP] = {"group", SPAN_EMPTY},
        [DIGEST] = {"digest", SPAN_EMPTY},     [NETWORK] = {"network", SPAN_EMPTY}};

    *out = (struct greeting){0};
    if (!errand__json_valid(payload, NULL) || !errand__json_is_object(payload))
        return no(why, "a hello that is no JSON object");
    pick(payload, members, COUNT(members));
    if (!errand__json_uint(members[PROTOCOL].value, FRAME_NUMBER_END - 1, &out->protocol))
        return no(why, "a hello without protocol");
    if (out->protocol != 1)
        return true;
    out->node = members[NODE].value;
    if (out->node.len <= 2 || out->node.ptr[0] != '"')
        return no(why, "a hello without node");
    if (!errand__json_uint(members[PID].value, INT32_MAX, &out->pid) || out->pid == 0)
        return no(why, "a hello without pid");
    if (!errand__json_uint(members[GROUP].value, INT32_MAX, &out->group))
        return no(why, "a hello without group");
    if (!is_digest(members[DIGEST].value))
        return no(why, "a hello without digest");
    out->cut_off = errand__json_string_is(members[NETWORK].value, "none");
    return true;
}
