/* writer.c - puts a text together, and remembers the first thing that did not fit.
 *
 * Knows where it stands by a stack of levels; of what stands there already it looks at nothing
 * but to say where something went wrong.
 */
#include <errand/value.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "core/json.h"
#include "core/json_path.h"
#include "value/bytes.h"
#include "value/number.h"

#include <math.h>
#include <stdio.h>

#define TAG      "\"$errand\":"
#define SAFE_MAX INT64_C(9007199254740991)
#define DATE_MAX 8.64e15
#define TEXT_MAX (SIZE_MAX / 4)
#define WRAP     "{" TAG "\"object\",\"value\":"

enum level_kind { LEVEL_ARRAY, LEVEL_OBJECT, LEVEL_MAP, LEVEL_SET, LEVEL_ERROR };

struct level {
    enum level_kind kind;
    bool wrapped; /* An object with a member of the tag's name. */
    bool keyed;   /* A member's key stands there, and wants its value. */
    size_t start; /* Of an object, in the text. */
    size_t count;
};

struct errand_value_writer {
    errand_values values;
    struct buf text;
    struct level *levels;
    size_t depth, room;
    size_t json_depth; /* Of the text: some levels are several there. */
    bool done;         /* The one value is complete. */
    bool handed_out;
    bool deeper; /* Somewhere the text may be deeper than json_depth has been. */
    errand_error failure;
};

/* --- Failures ------------------------------------------------------------------------------ */

/* The text has to end between two tokens. */
static void fail(errand_value_writer *writer, errand_status status, const char *what)
{
    char path[JSON_PATH_ROOM] = "$";
    errand_span text = errand__buf_peek(&writer->text);

    if (writer->failure.status != ERRAND_OK)
        return;
    if (text.len > 0)
        errand__json_path(path, text, text.len);
    (void)errand__fail(&writer->failure, status, 0, "value: %s: %s", path, what);
}

/* Says no path: the text may end in the middle of a string. */
static void no_memory(errand_value_writer *writer)
{
    (void)errand__fail(&writer->failure, ERRAND_ENOMEM, 0, "value: out of memory");
}

static bool failed(const errand_value_writer *writer)
{
    return writer->failure.status != ERRAND_OK;
}

/* false: it can't be read, since nothing is there, or since it is larger than anything is. */
static bool readable(errand_value_writer *writer, errand_span bytes)
{
    if (bytes.len > 0 && bytes.ptr == NULL)
        fail(writer, ERRAND_EINVAL, "no bytes at its pointer");
    else if (bytes.len > TEXT_MAX)
        fail(writer, ERRAND_ELIMIT, "larger than any memory");
    return !failed(writer);
}

static void push(errand_value_writer *writer, errand_span text)
{
    if (!failed(writer) && errand__buf_push(&writer->text, text) != ERRAND_OK)
        no_memory(writer);
}

static void push_text(errand_value_writer *writer, const char *text)
{
    push(writer, span_text(text));
}

/* Room for so many bytes, of which all will be written; NULL: there is none. */
static char *extend(errand_value_writer *writer, size_t count)
{
    if (failed(writer) || errand__buf_reserve(&writer->text, count) != ERRAND_OK) {
        no_memory(writer);
        return NULL;
    }
    char *at = writer->text.bytes + writer->text.end;
    writer->text.end += count;
    return at;
}

static void push_string(errand_value_writer *writer, errand_span text)
{
    if (failed(writer))
        return;
    char *out = extend(writer, errand__json_encoded_len(text));

    if (out != NULL)
        (void)errand__json_encode(out, text);
}

/* --- Where the writer stands ---------------------------------------------------------------- */

static struct level *top(errand_value_writer *writer)
{
    return writer->depth == 0 ? NULL : &writer->levels[writer->depth - 1];
}

static void begin_again(errand_value_writer *writer)
{
    errand__buf_keep(&writer->text, 0);
    writer->depth = writer->json_depth = 0;
    writer->done = writer->handed_out = writer->deeper = false;
    errand__err_clear(&writer->failure);
}

/* What stands between a value and the one before it. */
static void separate(errand_value_writer *writer, const struct level *level)
{
    if (level->kind == LEVEL_MAP && level->count % 2 == 0)
        push_text(writer, level->count == 0 ? "[" : ",[");
    else if (level->kind == LEVEL_MAP || (!level->keyed && level->count > 0))
        push_text(writer, ",");
}

/* false: no value may stand here, or something failed before. levels: how deep it is as JSON. */
static bool begin(errand_value_writer *writer, size_t levels)
{
    if (writer->handed_out)
        begin_again(writer);
    struct level *level = top(writer);
    if (level == NULL && writer->done)
        fail(writer, ERRAND_ESTATE, "one value is there already");
    else if (level != NULL && !level->keyed &&
             (level->kind == LEVEL_OBJECT || level->kind == LEVEL_ERROR))
        fail(writer, ERRAND_ESTATE, "a member wants its key first");
    else if (level != NULL)
        separate(writer, level);
    if (writer->json_depth + levels > JSON_DEPTH_MAX)
        fail(writer, ERRAND_ELIMIT, "over 10000 levels deep");
    return !failed(writer);
}

static void complete(errand_value_writer *writer)
{
    struct level *level = top(writer);

    if (level == NULL) {
        writer->done = true;
        return;
    }
    level->keyed = false;
    level->count++;
    if (level->kind == LEVEL_MAP && level->count % 2 == 0)
        push_text(writer, "]");
}

static bool rich(errand_value_writer *writer, const char *what)
{
    char why[80];

    if (writer->values == ERRAND_VALUES_RICH)
        return true;
    (void)snprintf(why, sizeof(why), "%s wants ERRAND_VALUES_RICH", what);
    fail(writer, ERRAND_EINVAL, why);
    return false;
}

/* {"$errand":"KIND" */
static bool begin_tag(errand_value_writer *writer, const char *kind, const char *what)
{
    if (!begin(writer, 1) || !rich(writer, what))
        return false;
    push_text(writer, "{" TAG "\"");
    push_text(writer, kind);
    push_text(writer, "\"");
    return true;
}

static void end_tag(errand_value_writer *writer)
{
    push_text(writer, "}");
    complete(writer);
}

static void member(errand_value_writer *writer, const char *name, errand_span text)
{
    push_text(writer, ",\"");
    push_text(writer, name);
    push_text(writer, "\":");
    push_string(writer, text);
}

/* --- The writer itself ----------------------------------------------------------------------- */

errand_status errand_value_writer_new(errand_value_writer **out, errand_values values,
                                      errand_error *err)
{
    errand__err_clear(err);
    *out = NULL;
    if (values > ERRAND_VALUES_RICH)
        return errand__fail(err, ERRAND_EINVAL, 0, "value: no such kind (%d)", (int)values);
    errand_value_writer *writer = errand__mem_new(1, sizeof(*writer));
    if (writer == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "value: out of memory");
    writer->values = values;
    errand__buf_init(&writer->text, TEXT_MAX);
    *out = writer;
    return ERRAND_OK;
}

void errand_value_writer_free(errand_value_writer *writer)
{
    if (writer == NULL)
        return;
    errand__buf_deinit(&writer->text);
    errand__mem_free(writer->levels);
    errand__mem_free(writer);
}

static void put_word(errand_value_writer *writer, const char *word)
{
    if (!begin(writer, 0))
        return;
    push_text(writer, word);
    complete(writer);
}

void errand_value_put_null(errand_value_writer *writer)
{
    put_word(writer, "null");
}

void errand_value_put_bool(errand_value_writer *writer, int value)
{
    put_word(writer, value != 0 ? "true" : "false");
}

void errand_value_put_int(errand_value_writer *writer, int64_t value)
{
    char text[32];
    bool beyond = value > SAFE_MAX || value < -SAFE_MAX;

    if (!begin(writer, 0))
        return;
    (void)snprintf(text, sizeof(text), "%lld", (long long)value);
    if (beyond && writer->values != ERRAND_VALUES_JSON) {
        fail(writer, ERRAND_EINVAL,
             writer->values == ERRAND_VALUES_RICH ? "beyond 2^53; give it as a BigInt"
                                                  : "beyond 2^53; give it as a string");
        return;
    }
    push_text(writer, text);
    complete(writer);
}

/* Of what no JSON number is. */
static const char *odd_name(double value)
{
    if (isnan(value))
        return "NaN";
    if (isinf(value))
        return value > 0 ? "Infinity" : "-Infinity";
    return value == 0 && signbit(value) ? "-0" : NULL;
}

void errand_value_put_double(errand_value_writer *writer, double value)
{
    const char *odd = odd_name(value);
    char text[NUMBER_ROOM];

    if (odd != NULL && writer->values != ERRAND_VALUES_JSON) {
        if (!begin_tag(writer, "number", odd))
            return;
        member(writer, "value", span_text(odd));
        end_tag(writer);
        return;
    }
    if (!begin(writer, 0))
        return;
    if (isfinite(value))
        push(writer, span_of(text, errand__number_write(text, value == 0 ? 0 : value)));
    else
        push_text(writer, "null");
    complete(writer);
}

void errand_value_put_string(errand_value_writer *writer, errand_span text)
{
    if (!begin(writer, 0) || !readable(writer, text))
        return;
    push_string(writer, text);
    complete(writer);
}

void errand_value_put_text(errand_value_writer *writer, const char *text)
{
    errand_value_put_string(writer, span_text(text));
}

void errand_value_put_json(errand_value_writer *writer, errand_span json)
{
    static const char area[] = "value: ";
    errand_error why = {0};

    if (!begin(writer, 0))
        return;
    if (json.len == 0)
        fail(writer, ERRAND_EINVAL, "no JSON text");
    else if (errand_value_check(writer->values, json, &why) != ERRAND_OK)
        fail(writer, why.status, why.text + sizeof(area) - 1);
    if (failed(writer))
        return;
    push(writer, errand__json_trim(json));
    writer->deeper = true;
    complete(writer);
}

/* --- Containers ------------------------------------------------------------------------------ */

static bool open_level(errand_value_writer *writer, enum level_kind kind, size_t start)
{
    enum { ROOM_FIRST = 16 };

    if (failed(writer))
        return false;
    if (writer->depth == writer->room) {
        size_t room = writer->room == 0 ? ROOM_FIRST : writer->room * 2;
        struct level *levels = errand__mem_resize(writer->levels, room * sizeof(*levels));
        if (levels == NULL) {
            no_memory(writer);
            return false;
        }
        writer->levels = levels;
        writer->room = room;
    }
    writer->levels[writer->depth++] = (struct level){.kind = kind, .start = start};
    return true;
}

/* How many levels of JSON each takes. */
static size_t levels_of(const struct level *level)
{
    switch (level->kind) {
    case LEVEL_ARRAY:
    case LEVEL_ERROR:
        return 1;
    case LEVEL_OBJECT:
        return level->wrapped ? 2 : 1;
    case LEVEL_SET:
        return 2;
    case LEVEL_MAP:
        return 3;
    }
    return 1;
}

void errand_value_begin_array(errand_value_writer *writer)
{
    if (!begin(writer, 1))
        return;
    push_text(writer, "[");
    if (open_level(writer, LEVEL_ARRAY, 0))
        writer->json_depth++;
}

void errand_value_begin_object(errand_value_writer *writer)
{
    if (!begin(writer, 1))
        return;
    size_t start = writer->text.end - writer->text.start;
    push_text(writer, "{");
    if (open_level(writer, LEVEL_OBJECT, start))
        writer->json_depth++;
}

static void begin_list(errand_value_writer *writer, enum level_kind kind, const char *opening,
                       const char *what)
{
    size_t levels = levels_of(&(struct level){.kind = kind});

    if (!begin(writer, levels) || !rich(writer, what))
        return;
    push_text(writer, opening);
    if (open_level(writer, kind, 0))
        writer->json_depth += levels;
}

void errand_value_begin_map(errand_value_writer *writer)
{
    begin_list(writer, LEVEL_MAP, "{" TAG "\"map\",\"entries\":[", "a Map");
}

void errand_value_begin_set(errand_value_writer *writer)
{
    begin_list(writer, LEVEL_SET, "{" TAG "\"set\",\"values\":[", "a Set");
}

void errand_value_begin_error(errand_value_writer *writer, const char *name, const char *message,
                              const char *stack)
{
    if (!begin_tag(writer, "error", "an Error"))
        return;
    member(writer, "name", span_text(name));
    member(writer, "message", span_text(message));
    if (stack != NULL)
        member(writer, "stack", span_text(stack));
    if (open_level(writer, LEVEL_ERROR, 0))
        writer->json_depth++;
}

/* The object turns out to have a member of the tag's name: a tag is put around it. */
static void wrap(errand_value_writer *writer, struct level *level)
{
    static const char around[] = WRAP;
    size_t len = sizeof(around) - 1;

    if (writer->json_depth == JSON_DEPTH_MAX) {
        fail(writer, ERRAND_ELIMIT, "over 10000 levels deep");
        return;
    }
    if (extend(writer, len) == NULL)
        return;
    char *at = writer->text.bytes + writer->text.start + level->start;
    memmove(at + len, at, writer->text.end - writer->text.start - level->start - len);
    memcpy(at, around, len);
    level->wrapped = true;
    writer->json_depth++;
    writer->deeper = true; /* What the object holds already went down a level. */
}

void errand_value_key_span(errand_value_writer *writer, errand_span key)
{
    if (writer->handed_out)
        begin_again(writer);
    if (failed(writer) || !readable(writer, key))
        return;
    struct level *level = top(writer);
    bool error = level != NULL && level->kind == LEVEL_ERROR;
    if (level == NULL || level->keyed || (!error && level->kind != LEVEL_OBJECT)) {
        fail(writer, ERRAND_ESTATE, "a key, but no member begins here");
        return;
    }
    bool errors = span_is(key, "errors");
    if (error && (level->wrapped || (!errors && (level->count > 0 || !span_is(key, "cause"))))) {
        fail(writer, ERRAND_EINVAL, "an error has \"cause\" and then \"errors\", and no others");
        return;
    }
    /* Of an error: nothing may follow. */
    level->wrapped = level->wrapped || (error && errors);
    if (!error && writer->values == ERRAND_VALUES_RICH && !level->wrapped &&
        span_is(key, "$errand"))
        wrap(writer, level);
    if (level->count > 0 || error)
        push_text(writer, ",");
    push_string(writer, key);
    push_text(writer, ":");
    level->keyed = true;
}

void errand_value_key(errand_value_writer *writer, const char *key)
{
    errand_value_key_span(writer, span_text(key));
}

void errand_value_end(errand_value_writer *writer)
{
    if (writer->handed_out)
        begin_again(writer);
    const struct level *level = top(writer);
    if (failed(writer))
        return;
    if (level == NULL || level->keyed || (level->kind == LEVEL_MAP && level->count % 2 == 1)) {
        fail(writer, ERRAND_ESTATE,
             level == NULL ? "no container is open" : "a value is missing before the end");
        return;
    }
    static const char *const closings[] = {"]", "}", "]}", "]}", "}"};
    push_text(writer, closings[level->kind]);
    if (level->kind == LEVEL_OBJECT && level->wrapped)
        push_text(writer, "}");
    writer->json_depth -= level->kind == LEVEL_ERROR ? 1 : levels_of(level);
    writer->depth--;
    complete(writer);
}

/* --- What JSON has no word for ---------------------------------------------------------------- */

void errand_value_put_undefined(errand_value_writer *writer)
{
    if (writer->handed_out)
        begin_again(writer);
    if (writer->depth == 0 && !writer->done) {
        writer->done = true;
        return;
    }
    if (begin_tag(writer, "undefined", "undefined"))
        end_tag(writer);
}

static bool are_digits(const char *text)
{
    size_t minus = text[0] == '-' ? 1 : 0;
    size_t len = strspn(text + minus, "0123456789");

    return len > 0 && text[minus + len] == '\0' && (len == 1 || text[minus] != '0');
}

void errand_value_put_bigint(errand_value_writer *writer, const char *digits)
{
    if (!begin_tag(writer, "bigint", "a BigInt"))
        return;
    if (digits == NULL || !are_digits(digits))
        fail(writer, ERRAND_EINVAL, "a BigInt is given in decimal digits");
    member(writer, "value", span_text(digits));
    end_tag(writer);
}

void errand_value_put_date(errand_value_writer *writer, double ms)
{
    char text[NUMBER_ROOM];

    if (!begin_tag(writer, "date", "a Date"))
        return;
    push_text(writer, ",\"value\":");
    if (isnan(ms) || fabs(ms) > DATE_MAX)
        push_text(writer, "null");
    else
        push(writer, span_of(text, (size_t)snprintf(text, sizeof(text), "%lld", (long long)ms)));
    end_tag(writer);
}

void errand_value_put_regexp(errand_value_writer *writer, const char *source, const char *flags)
{
    if (!begin_tag(writer, "regexp", "a RegExp"))
        return;
    member(writer, "source", span_text(source));
    member(writer, "flags", span_text(flags));
    end_tag(writer);
}

static void push_base64(errand_value_writer *writer, errand_span bytes)
{
    push_text(writer, ",\"base64\":\"");
    char *out = extend(writer, errand__base64_len(bytes.len));
    if (out != NULL)
        errand__base64_encode(out, bytes);
    push_text(writer, "\"");
}

void errand_value_put_bytes(errand_value_writer *writer, errand_bytes_type type, const void *bytes,
                            size_t size)
{
    size_t width = errand__bytes_width(type);

    if (!begin_tag(writer, "bytes", "what is bytes") || !readable(writer, span_of(bytes, size)))
        return;
    if (width == 0 || size % width != 0)
        fail(writer, ERRAND_EINVAL,
             width == 0 ? "no such type of bytes"
                        : "the bytes are no whole elements of their type");
    member(writer, "type", span_text(errand_bytes_type_name(type)));
    push_base64(writer, span_of(bytes, size));
    end_tag(writer);
}

void errand_value_put_blob(errand_value_writer *writer, const char *mime, errand_span bytes)
{
    if (!begin_tag(writer, "blob", "a Blob") || !readable(writer, bytes))
        return;
    member(writer, "type", span_text(mime));
    push_base64(writer, bytes);
    end_tag(writer);
}

void errand_value_put_file(errand_value_writer *writer, const char *name, const char *mime,
                           int64_t modified_ms, errand_span bytes)
{
    char number[32];

    if (!begin_tag(writer, "file", "a File") || !readable(writer, bytes))
        return;
    if (modified_ms > (int64_t)DATE_MAX || modified_ms < -(int64_t)DATE_MAX)
        fail(writer, ERRAND_EINVAL, "modified at no time that there is");
    member(writer, "name", span_text(name));
    member(writer, "type", span_text(mime));
    (void)snprintf(number, sizeof(number), ",\"modified\":%lld", (long long)modified_ms);
    push_text(writer, number);
    push_base64(writer, bytes);
    end_tag(writer);
}

/* --- The end ---------------------------------------------------------------------------------- */

errand_status errand_value_finish(errand_value_writer *writer, errand_span *json, errand_error *err)
{
    errand__err_clear(err);
    *json = SPAN_EMPTY;
    if (!failed(writer) && writer->depth > 0)
        fail(writer, ERRAND_ESTATE, "a container is still open");
    errand_span text = errand__buf_peek(&writer->text);
    if (!failed(writer) && writer->deeper && !errand__json_valid(text, NULL))
        fail(writer, ERRAND_ELIMIT, "over 10000 levels deep");
    errand_error failure = writer->failure;
    if (failed(writer)) {
        begin_again(writer);
        return errand__fail(err, failure.status, 0, "%s", failure.text);
    }
    writer->handed_out = true;
    *json = text;
    return ERRAND_OK;
}
