/* copy.c - a case for each kind, and no recursion: ends are told of. */
#include "copy.h"

#include <stdlib.h>
#include <string.h>

/* Texts of spans end nowhere. */
static char *text_of(errand_span span)
{
    char *text = malloc(span.len + 1);
    if (text == NULL)
        abort();
    if (span.len > 0)
        memcpy(text, span.ptr, span.len);
    text[span.len] = '\0';
    return text;
}

static errand_status copy_bytes(errand_value_reader *reader, errand_value_writer *writer,
                                const errand_value *value, errand_error *err)
{
    errand_span bytes;
    char *mime = text_of(value->detail);
    char *name = text_of(value->name);
    errand_status status = errand_value_bytes_span(reader, &bytes, err);

    if (status == ERRAND_OK && value->kind == ERRAND_VALUE_BYTES)
        errand_value_put_bytes(writer, value->type, bytes.ptr, bytes.len);
    else if (status == ERRAND_OK && value->kind == ERRAND_VALUE_BLOB)
        errand_value_put_blob(writer, mime, bytes);
    else if (status == ERRAND_OK)
        errand_value_put_file(writer, name, mime, (int64_t)value->number, bytes);
    free(mime);
    free(name);
    return status;
}

static void copy_words(errand_value_writer *writer, const errand_value *value)
{
    char *text = text_of(value->text);
    char *name = text_of(value->name);
    char *detail = text_of(value->detail);

    if (value->kind == ERRAND_VALUE_BIGINT)
        errand_value_put_bigint(writer, text);
    else if (value->kind == ERRAND_VALUE_REGEXP)
        errand_value_put_regexp(writer, text, detail);
    else
        errand_value_begin_error(writer, name, text, value->detail.ptr == NULL ? NULL : detail);
    free(text);
    free(name);
    free(detail);
}

static errand_status copy_one(errand_value_reader *reader, errand_value_writer *writer,
                              const errand_value *value, errand_error *err)
{
    if (value->key.ptr != NULL)
        errand_value_key_span(writer, value->key);
    switch (value->kind) {
    case ERRAND_VALUE_END:
        errand_value_end(writer);
        break;
    case ERRAND_VALUE_NULL:
        errand_value_put_null(writer);
        break;
    case ERRAND_VALUE_BOOL:
        errand_value_put_bool(writer, value->boolean);
        break;
    case ERRAND_VALUE_NUMBER:
        errand_value_put_double(writer, value->number);
        break;
    case ERRAND_VALUE_STRING:
        errand_value_put_string(writer, value->text);
        break;
    case ERRAND_VALUE_ARRAY:
        errand_value_begin_array(writer);
        break;
    case ERRAND_VALUE_OBJECT:
        errand_value_begin_object(writer);
        break;
    case ERRAND_VALUE_UNDEFINED:
        errand_value_put_undefined(writer);
        break;
    case ERRAND_VALUE_DATE:
        errand_value_put_date(writer, value->number);
        break;
    case ERRAND_VALUE_BYTES:
    case ERRAND_VALUE_BLOB:
    case ERRAND_VALUE_FILE:
        return copy_bytes(reader, writer, value, err);
    case ERRAND_VALUE_MAP:
        errand_value_begin_map(writer);
        break;
    case ERRAND_VALUE_SET:
        errand_value_begin_set(writer);
        break;
    case ERRAND_VALUE_BIGINT:
    case ERRAND_VALUE_REGEXP:
    case ERRAND_VALUE_ERROR:
        copy_words(writer, value);
        break;
    }
    return ERRAND_OK;
}

errand_status copy_value(errand_value_reader *reader, errand_value_writer *writer,
                         errand_error *err)
{
    const errand_value *value;
    errand_status status;

    while ((status = errand_value_next(reader, &value, err)) == ERRAND_OK) {
        status = copy_one(reader, writer, value, err);
        if (status != ERRAND_OK)
            return status;
    }
    return status == ERRAND_AGAIN ? ERRAND_OK : status;
}
