/* reader.c - a cursor over a valid text. A byte a level is all that it keeps of what is open, so a
 * text that is as deep as may be costs no more than a flat one. */
#include <errand/value.h>

#include "base/base64.h"
#include "base/err.h"
#include "base/mem.h"
#include "core/json.h"
#include "core/json_path.h"
#include "value/bytes.h"
#include "value/number.h"
#include "value/tags.h"

#include <math.h>

#define DATE_MAX 8.64e15

enum level {
    LEVEL_ARRAY,
    LEVEL_OBJECT,
    LEVEL_TAKEN, /* An object that was tagged as one. */
    LEVEL_SET,
    LEVEL_MAP,        /* Before a key. */
    LEVEL_MAP_VALUE,  /* Between a key and its value. */
    LEVEL_MAP_PAIR,   /* Behind a value, before its bracket. */
    LEVEL_ERROR,      /* Before a cause or errors. */
    LEVEL_ERROR_LATE, /* Behind a cause. */
    LEVEL_ERROR_OVER  /* Behind errors. */
};

/* Texts that had to be decoded; each is overwritten by the next value. */
enum slot { SLOT_KEY, SLOT_TEXT, SLOT_NAME, SLOT_DETAIL, SLOT_BASE64, SLOT_BYTES, SLOTS };

struct errand_value_reader {
    errand_span text;
    size_t at;
    errand_values values;
    bool begun;
    errand_value value;
    errand_span base64; /* Of the value. */
    struct {
        char *bytes;
        size_t room;
    } slots[SLOTS];
    size_t depth;
    unsigned char levels[JSON_DEPTH_MAX];
    errand_error failure;
};

/* --- The text -------------------------------------------------------------------------------- */

static errand_status fail(errand_value_reader *reader, errand_status status, const char *what)
{
    char path[JSON_PATH_ROOM];

    errand__json_path(path, reader->text, reader->at);
    return errand__fail(&reader->failure, status, 0, "value: %s: %s", path, what);
}

static errand_status no_memory(errand_value_reader *reader)
{
    return errand__fail(&reader->failure, ERRAND_ENOMEM, 0, "value: out of memory");
}

/* The byte that comes next, behind blanks; NUL at the end. */
static char peek(errand_value_reader *reader)
{
    while (reader->at < reader->text.len) {
        char byte = reader->text.ptr[reader->at];
        if (byte != ' ' && byte != '\n' && byte != '\r' && byte != '\t')
            return byte;
        reader->at++;
    }
    return '\0';
}

static bool take(errand_value_reader *reader, char byte)
{
    if (peek(reader) != byte)
        return false;
    reader->at++;
    return true;
}

/* The scalar, or the whole container, that comes next. */
static errand_span take_whole(errand_value_reader *reader)
{
    (void)peek(reader);
    errand_span whole = errand__json_head(span_after(reader->text, reader->at));
    reader->at += whole.len;
    return whole;
}

/* A key and its colon. */
static errand_span take_key(errand_value_reader *reader)
{
    errand_span key = take_whole(reader);

    (void)take(reader, ':');
    return key;
}

static char *slot_room(errand_value_reader *reader, enum slot slot, size_t room)
{
    if (reader->slots[slot].room >= room)
        return reader->slots[slot].bytes;
    char *bytes = errand__mem_resize(reader->slots[slot].bytes, room);
    if (bytes == NULL)
        return NULL;
    reader->slots[slot].bytes = bytes;
    reader->slots[slot].room = room;
    return bytes;
}

/* What a JSON string says: itself where nothing is escaped, else in the slot. */
static errand_status decode(errand_value_reader *reader, enum slot slot, errand_span string,
                            errand_span *out)
{
    *out = span_of(string.ptr + 1, string.len - 2);
    if (out->len == 0 || memchr(out->ptr, '\\', out->len) == NULL)
        return ERRAND_OK;
    char *room = slot_room(reader, slot, string.len);
    if (room == NULL)
        return no_memory(reader);
    *out = span_of(room, errand__json_decode(room, string));
    return ERRAND_OK;
}

/* --- Values ----------------------------------------------------------------------------------- */

static void enter(errand_value_reader *reader, enum level level)
{
    assert(reader->depth < JSON_DEPTH_MAX);
    reader->levels[reader->depth++] = (unsigned char)level;
}

static errand_status read_number(errand_value_reader *reader)
{
    errand_value *value = &reader->value;
    errand_span number = take_whole(reader);

    value->kind = ERRAND_VALUE_NUMBER;
    value->whole = errand__number_whole(number, &value->integer) ? 1 : 0;
    if (errand__number_read(number, &value->number) != ERRAND_OK)
        return no_memory(reader);
    return ERRAND_OK;
}

static errand_status read_odd_number(errand_value_reader *reader)
{
    static const struct {
        const char *name;
        double number;
    } odd[] = {{"NaN", NAN}, {"Infinity", INFINITY}, {"-Infinity", -INFINITY}, {"-0", -0.0}};

    for (size_t i = 0; i < COUNT(odd); i++) {
        if (span_is(reader->value.text, odd[i].name)) {
            reader->value.number = odd[i].number;
            reader->value.text = SPAN_EMPTY;
            return ERRAND_OK;
        }
    }
    return fail(reader, ERRAND_EINVAL, "none of NaN, Infinity, -Infinity and -0");
}

static errand_status check_bigint(errand_value_reader *reader)
{
    errand_span text = reader->value.text;
    size_t minus = text.len > 0 && text.ptr[0] == '-' ? 1 : 0;

    for (size_t i = minus; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return fail(reader, ERRAND_EINVAL, "a bigint that is no integer in digits");
    }
    if (text.len == minus || (text.ptr[minus] == '0' && text.len > minus + 1))
        return fail(reader, ERRAND_EINVAL, "a bigint that is no integer in digits");
    return ERRAND_OK;
}

static errand_status check_time(errand_value_reader *reader, const char *what)
{
    return fabs(reader->value.number) > DATE_MAX ? fail(reader, ERRAND_EINVAL, what) : ERRAND_OK;
}

static errand_status check_bytes(errand_value_reader *reader)
{
    errand_value *value = &reader->value;

    if (!errand__base64_size(reader->base64, &value->size))
        return fail(reader, ERRAND_EINVAL, "its base64 is none");
    if (value->kind == ERRAND_VALUE_FILE)
        return check_time(reader, "modified at no time that there is");
    if (value->kind != ERRAND_VALUE_BYTES)
        return ERRAND_OK;
    if (!errand__bytes_type_of(value->detail, &value->type))
        return fail(reader, ERRAND_EINVAL, "bytes of an unknown type");
    if (value->size % errand__bytes_width(value->type) != 0)
        return fail(reader, ERRAND_EINVAL, "bytes that are no whole elements of their type");
    value->detail = SPAN_EMPTY;
    return ERRAND_OK;
}

/* --- Tags ------------------------------------------------------------------------------------- */

/* Where a member of a tag that is a text belongs. */
static errand_status keep_text(errand_value_reader *reader, const char *name, errand_span string)
{
    static const struct {
        const char *name;
        enum slot slot;
    } places[] = {{"value", SLOT_TEXT},  {"source", SLOT_TEXT},  {"message", SLOT_TEXT},
                  {"name", SLOT_NAME},   {"flags", SLOT_DETAIL}, {"stack", SLOT_DETAIL},
                  {"type", SLOT_DETAIL}, {"base64", SLOT_BASE64}};
    size_t i = 0;

    while (strcmp(places[i].name, name) != 0)
        i++;
    errand_value *value = &reader->value;
    errand_span *const ends[] = {&value->key, &value->text, &value->name, &value->detail,
                                 &reader->base64};
    return decode(reader, places[i].slot, string, ends[places[i].slot]);
}

static bool suits(char first, enum tag_member what)
{
    bool number = first == '-' || (first >= '0' && first <= '9');

    switch (what) {
    case TAG_TEXT:
    case TAG_OPTIONAL_TEXT:
        return first == '"';
    case TAG_NUMBER:
        return number;
    case TAG_NUMBER_OR_NULL:
        return number || first == 'n';
    case TAG_ARRAY:
        return first == '[';
    case TAG_OBJECT:
        return first == '{';
    case TAG_NONE:
        break;
    }
    return false;
}

static errand_status take_member(errand_value_reader *reader, const struct tag *tag, size_t index)
{
    const char *name = tag->members[index].name;
    enum tag_member what = tag->members[index].what;
    size_t before = reader->at;

    bool there = take(reader, ',') && errand__json_string_is(take_key(reader), name);
    if (!there && what == TAG_OPTIONAL_TEXT) {
        reader->at = before;
        return ERRAND_OK;
    }
    if (!there || !suits(peek(reader), what))
        return fail(reader, ERRAND_EINVAL, "a tag whose members are not those that it has");
    if (what == TAG_ARRAY || what == TAG_OBJECT) {
        reader->at++;
        return ERRAND_OK;
    }
    errand_span whole = take_whole(reader);
    if (what == TAG_TEXT || what == TAG_OPTIONAL_TEXT)
        return keep_text(reader, name, whole);
    reader->value.number = NAN;
    if (whole.ptr[0] != 'n' && errand__number_read(whole, &reader->value.number) != ERRAND_OK)
        return no_memory(reader);
    return ERRAND_OK;
}

static errand_status finish_leaf(errand_value_reader *reader)
{
    if (!take(reader, '}'))
        return fail(reader, ERRAND_EINVAL, "a tag with members that it does not have");
    switch (reader->value.kind) {
    case ERRAND_VALUE_NUMBER:
        return read_odd_number(reader);
    case ERRAND_VALUE_BIGINT:
        return check_bigint(reader);
    case ERRAND_VALUE_BYTES:
    case ERRAND_VALUE_BLOB:
    case ERRAND_VALUE_FILE:
        return check_bytes(reader);
    case ERRAND_VALUE_DATE:
        return check_time(reader, "a date at no time that there is");
    case ERRAND_VALUE_REGEXP:
    case ERRAND_VALUE_UNDEFINED:
    case ERRAND_VALUE_NULL:
    case ERRAND_VALUE_BOOL:
    case ERRAND_VALUE_STRING:
    case ERRAND_VALUE_ARRAY:
    case ERRAND_VALUE_OBJECT:
    case ERRAND_VALUE_MAP:
    case ERRAND_VALUE_SET:
    case ERRAND_VALUE_ERROR:
    case ERRAND_VALUE_END:
        break;
    }
    return ERRAND_OK;
}

/* Behind the colon of a tag. */
static errand_status read_tagged(errand_value_reader *reader)
{
    const struct tag *tag = NULL;
    errand_status status = ERRAND_OK;

    if (peek(reader) == '"')
        tag = errand__tag_find(take_whole(reader));
    if (tag == NULL)
        return fail(reader, ERRAND_EINVAL, "a tag that is not known");
    reader->value.kind = tag->kind;
    for (size_t i = 0; i < TAG_MEMBERS_MAX && status == ERRAND_OK; i++) {
        if (tag->members[i].what != TAG_NONE)
            status = take_member(reader, tag, i);
    }
    if (status != ERRAND_OK)
        return status;
    if (tag->kind == ERRAND_VALUE_OBJECT)
        enter(reader, LEVEL_TAKEN);
    else if (tag->kind == ERRAND_VALUE_MAP)
        enter(reader, LEVEL_MAP);
    else if (tag->kind == ERRAND_VALUE_SET)
        enter(reader, LEVEL_SET);
    else if (tag->kind == ERRAND_VALUE_ERROR)
        enter(reader, LEVEL_ERROR);
    else
        return finish_leaf(reader);
    return ERRAND_OK;
}

static bool is_tag(const errand_value_reader *reader, errand_span key)
{
    return reader->values == ERRAND_VALUES_RICH && errand__json_string_is(key, "$errand");
}

static errand_status read_object(errand_value_reader *reader)
{
    reader->at++;
    size_t before = reader->at;
    if (peek(reader) == '"' && is_tag(reader, take_key(reader)))
        return read_tagged(reader);
    reader->at = before;
    reader->value.kind = ERRAND_VALUE_OBJECT;
    enter(reader, LEVEL_OBJECT);
    return ERRAND_OK;
}

static errand_status read_value(errand_value_reader *reader)
{
    errand_value *value = &reader->value;

    switch (peek(reader)) {
    case '{':
        return read_object(reader);
    case '[':
        reader->at++;
        value->kind = ERRAND_VALUE_ARRAY;
        enter(reader, LEVEL_ARRAY);
        return ERRAND_OK;
    case '"':
        value->kind = ERRAND_VALUE_STRING;
        return decode(reader, SLOT_TEXT, take_whole(reader), &value->text);
    case 'n':
        value->kind = ERRAND_VALUE_NULL;
        break;
    case 't':
    case 'f':
        value->kind = ERRAND_VALUE_BOOL;
        value->boolean = peek(reader) == 't';
        break;
    default:
        return read_number(reader);
    }
    (void)take_whole(reader);
    return ERRAND_OK;
}

/* --- Containers ------------------------------------------------------------------------------- */

static errand_status leave(errand_value_reader *reader, bool tagged)
{
    if (tagged && !take(reader, '}'))
        return fail(reader, ERRAND_EINVAL, "a tag with members that it does not have");
    reader->depth--;
    reader->value.kind = ERRAND_VALUE_END;
    return ERRAND_OK;
}

static errand_status next_in_list(errand_value_reader *reader, enum level level)
{
    if (take(reader, ']'))
        return leave(reader, level == LEVEL_SET);
    (void)take(reader, ',');
    return read_value(reader);
}

static errand_status next_in_object(errand_value_reader *reader, enum level level)
{
    if (take(reader, '}'))
        return leave(reader, level == LEVEL_TAKEN);
    (void)take(reader, ',');
    errand_span key = take_key(reader);
    if (level == LEVEL_OBJECT && is_tag(reader, key))
        return fail(reader, ERRAND_EINVAL, "a tag that does not stand first");
    errand_status status = decode(reader, SLOT_KEY, key, &reader->value.key);
    return status == ERRAND_OK ? read_value(reader) : status;
}

static errand_status next_in_map(errand_value_reader *reader, enum level level)
{
    static const char no_pair[] = "an entry of a map that is no array of key and value";
    unsigned char *mine = &reader->levels[reader->depth - 1];

    if (level == LEVEL_MAP_VALUE) {
        if (!take(reader, ','))
            return fail(reader, ERRAND_EINVAL, no_pair);
        *mine = LEVEL_MAP_PAIR;
        return read_value(reader);
    }
    if (level == LEVEL_MAP_PAIR && !take(reader, ']'))
        return fail(reader, ERRAND_EINVAL, no_pair);
    *mine = LEVEL_MAP;
    if (take(reader, ']'))
        return leave(reader, true);
    (void)take(reader, ',');
    if (!take(reader, '[') || peek(reader) == ']')
        return fail(reader, ERRAND_EINVAL, no_pair);
    *mine = LEVEL_MAP_VALUE;
    return read_value(reader);
}

static errand_status next_in_error(errand_value_reader *reader, enum level level)
{
    if (take(reader, '}'))
        return leave(reader, false);
    (void)take(reader, ',');
    errand_span key = take_key(reader);
    bool cause = errand__json_string_is(key, "cause");
    bool errors = errand__json_string_is(key, "errors");
    if (!(cause && level == LEVEL_ERROR) &&
        !(errors && level != LEVEL_ERROR_OVER && peek(reader) == '['))
        return fail(reader, ERRAND_EINVAL, "a member that no error has, or not there");
    reader->levels[reader->depth - 1] = cause ? LEVEL_ERROR_LATE : LEVEL_ERROR_OVER;
    reader->value.key = span_text(cause ? "cause" : "errors");
    return read_value(reader);
}

static errand_status next_inside(errand_value_reader *reader)
{
    enum level level = (enum level)reader->levels[reader->depth - 1];

    switch (level) {
    case LEVEL_ARRAY:
    case LEVEL_SET:
        return next_in_list(reader, level);
    case LEVEL_OBJECT:
    case LEVEL_TAKEN:
        return next_in_object(reader, level);
    case LEVEL_MAP:
    case LEVEL_MAP_VALUE:
    case LEVEL_MAP_PAIR:
        return next_in_map(reader, level);
    case LEVEL_ERROR:
    case LEVEL_ERROR_LATE:
    case LEVEL_ERROR_OVER:
        return next_in_error(reader, level);
    }
    return ERRAND_ESTATE;
}

/* --- The reader itself
 * ------------------------------------------------------------------------------ */

errand_status errand_value_reader_new(errand_value_reader **out, errand_values values,
                                      errand_span json, errand_error *err)
{
    size_t wrong = 0;

    errand__err_clear(err);
    *out = NULL;
    if (values > ERRAND_VALUES_RICH)
        return errand__fail(err, ERRAND_EINVAL, 0, "value: no such kind (%d)", (int)values);
    if (json.len > 0 && json.ptr == NULL)
        return errand__fail(err, ERRAND_EINVAL, 0, "value: no bytes at its pointer");
    if (json.len > 0 && !errand__json_valid(json, &wrong))
        return errand__fail(err, ERRAND_EINVAL, 0, "value: no JSON text at byte %zu", wrong);
    errand_value_reader *reader = errand__mem_new(1, sizeof(*reader));
    if (reader == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "value: out of memory");
    reader->text = json;
    reader->values = values;
    *out = reader;
    return ERRAND_OK;
}

void errand_value_reader_free(errand_value_reader *reader)
{
    if (reader == NULL)
        return;
    for (size_t i = 0; i < SLOTS; i++)
        errand__mem_free(reader->slots[i].bytes);
    errand__mem_free(reader);
}

/* The failure stays. */
static errand_status tell(const errand_value_reader *reader, errand_error *err)
{
    return errand__fail(err, reader->failure.status, 0, "%s", reader->failure.text);
}

static errand_status read_next(errand_value_reader *reader)
{
    reader->value = (errand_value){.kind = ERRAND_VALUE_UNDEFINED};
    reader->base64 = SPAN_EMPTY;
    if (reader->depth > 0)
        return next_inside(reader);
    reader->begun = true;
    return reader->text.len == 0 ? ERRAND_OK : read_value(reader);
}

errand_status errand_value_next(errand_value_reader *reader, const errand_value **value,
                                errand_error *err)
{
    errand__err_clear(err);
    *value = NULL;
    if (reader->failure.status == ERRAND_OK && reader->begun && reader->depth == 0)
        return ERRAND_AGAIN;
    if (reader->failure.status != ERRAND_OK || read_next(reader) != ERRAND_OK)
        return tell(reader, err);
    *value = &reader->value;
    return ERRAND_OK;
}

errand_status errand_value_skip(errand_value_reader *reader, errand_error *err)
{
    const errand_value *value = NULL;
    size_t outside = reader->depth - 1;

    errand__err_clear(err);
    if (reader->failure.status == ERRAND_OK && reader->depth == 0)
        return errand__fail(err, ERRAND_ESTATE, 0, "value: no container is open");
    while (reader->failure.status == ERRAND_OK && reader->depth > outside) {
        errand_status status = errand_value_next(reader, &value, err);
        if (status != ERRAND_OK)
            return status;
    }
    return reader->failure.status == ERRAND_OK ? ERRAND_OK : tell(reader, err);
}

errand_status errand_value_bytes(errand_value_reader *reader, void *out, size_t room,
                                 errand_error *err)
{
    errand_value_kind kind = reader->value.kind;

    errand__err_clear(err);
    if (reader->failure.status != ERRAND_OK)
        return tell(reader, err);
    if (kind != ERRAND_VALUE_BYTES && kind != ERRAND_VALUE_BLOB && kind != ERRAND_VALUE_FILE)
        return errand__fail(err, ERRAND_ESTATE, 0, "value: what came last has no bytes");
    if (reader->value.size > room)
        return errand__fail(err, ERRAND_ELIMIT, 0, "value: %zu bytes do not fit into %zu",
                            reader->value.size, room);
    if (errand__base64_decode(out, reader->base64))
        return ERRAND_OK;
    (void)fail(reader, ERRAND_EINVAL, "its base64 is none");
    return tell(reader, err);
}

errand_status errand_value_bytes_span(errand_value_reader *reader, errand_span *out,
                                      errand_error *err)
{
    size_t size = reader->value.size;
    char *room = slot_room(reader, SLOT_BYTES, size + 1);

    errand__err_clear(err);
    *out = SPAN_EMPTY;
    if (room == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "value: out of memory");
    errand_status status = errand_value_bytes(reader, room, size, err);
    if (status == ERRAND_OK)
        *out = span_of(room, size);
    return status;
}

/* --- All of it
 * ---------------------------------------------------------------------------------------- */

static errand_status check_next(errand_value_reader *reader, errand_error *err)
{
    const errand_value *value = NULL;
    errand_span bytes;

    errand_status status = errand_value_next(reader, &value, err);
    if (value != NULL && value->size > 0)
        status = errand_value_bytes_span(reader, &bytes, err);
    return status;
}

errand_status errand_value_check(errand_values values, errand_span json, errand_error *err)
{
    errand_value_reader *reader = NULL;
    size_t lossy = SIZE_MAX;

    errand_status status = errand_value_reader_new(&reader, values, json, err);
    if (reader == NULL || json.len == 0) {
        errand_value_reader_free(reader);
        return status;
    }
    if (values == ERRAND_VALUES_STRICT && errand__json_valid_exact(json, NULL, &lossy) &&
        lossy != SIZE_MAX)
        status = errand__json_lossy(err, "value", json, lossy);
    while (status == ERRAND_OK && values == ERRAND_VALUES_RICH)
        status = check_next(reader, err);
    errand_value_reader_free(reader);
    return status == ERRAND_AGAIN ? ERRAND_OK : status;
}
