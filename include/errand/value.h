/* value.h - values as a program has them, into JSON texts and out of them.
 *
 * A writer makes the text of one value: for errand_run_reply(), for the data of
 * errand_run_reject(), for the input of a run. A reader walks over one that came: the arguments of
 * a call, a result. With ERRAND_VALUES_RICH they may hold dates, maps, bytes and their kin, as
 * docs/protocol.md, section 10, has them; with the others, what plain JSON holds.
 *
 * Pointers passed in are borrowed for the call. Pointers handed out are borrowed until the next
 * call on the same object, unless a comment says otherwise. One thread at a time an object.
 */
#ifndef ERRAND_VALUE_H
#define ERRAND_VALUE_H

#include <errand/errand.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What bytes are to a program. Elements of more than a byte have their lowest byte first. */
typedef enum errand_bytes_type {
    ERRAND_BYTES_UINT8_ARRAY = 0,
    ERRAND_BYTES_ARRAY_BUFFER,
    ERRAND_BYTES_DATA_VIEW,
    ERRAND_BYTES_BUFFER, /* node's own; a Uint8Array where there is none. */
    ERRAND_BYTES_INT8_ARRAY,
    ERRAND_BYTES_UINT8_CLAMPED_ARRAY,
    ERRAND_BYTES_INT16_ARRAY,
    ERRAND_BYTES_UINT16_ARRAY,
    ERRAND_BYTES_INT32_ARRAY,
    ERRAND_BYTES_UINT32_ARRAY,
    ERRAND_BYTES_FLOAT16_ARRAY, /* Not on every engine. */
    ERRAND_BYTES_FLOAT32_ARRAY,
    ERRAND_BYTES_FLOAT64_ARRAY,
    ERRAND_BYTES_BIGINT64_ARRAY,
    ERRAND_BYTES_BIGUINT64_ARRAY
} errand_bytes_type;

/* "Uint8Array", "ArrayBuffer", ... */
ERRAND_API const char *errand_bytes_type_name(errand_bytes_type type);

/* --- Writing --------------------------------------------------------------------------- */

typedef struct errand_value_writer errand_value_writer;

ERRAND_API errand_status errand_value_writer_new(errand_value_writer **out, errand_values values,
                                                 errand_error *err) ERRAND_CHECKED;
/* NULL is fine. */
ERRAND_API void errand_value_writer_free(errand_value_writer *writer);

/* Each puts one value where the writer stands. The first that can't be is remembered, what follows
 * it does nothing, and errand_value_finish() tells of it with its path: of what is wrong with a
 * value (EINVAL), with its place (ESTATE), or with its size (ELIMIT, ENOMEM). Texts are UTF-8; what
 * is none in them becomes U+FFFD. NULL is an empty text. */
ERRAND_API void errand_value_put_null(errand_value_writer *writer);
ERRAND_API void errand_value_put_bool(errand_value_writer *writer, int value);
/* Beyond 2^53 - 1 either way it is refused, but for ERRAND_VALUES_JSON. */
ERRAND_API void errand_value_put_int(errand_value_writer *writer, int64_t value);
/* NaN, the infinities and -0 want ERRAND_VALUES_RICH; ERRAND_VALUES_JSON makes null of the first
 * three. */
ERRAND_API void errand_value_put_double(errand_value_writer *writer, double value);
ERRAND_API void errand_value_put_string(errand_value_writer *writer, errand_span text);
ERRAND_API void errand_value_put_text(errand_value_writer *writer, const char *text);
/* A JSON text as it stands, tags and all. */
ERRAND_API void errand_value_put_json(errand_value_writer *writer, errand_span json);
/* Containers: what is put until errand_value_end() is inside. A member of an object wants its key
 * first, whatever the key. */
ERRAND_API void errand_value_begin_array(errand_value_writer *writer);
ERRAND_API void errand_value_begin_object(errand_value_writer *writer);
ERRAND_API void errand_value_key(errand_value_writer *writer, const char *key);
ERRAND_API void errand_value_key_span(errand_value_writer *writer, errand_span key);
ERRAND_API void errand_value_end(errand_value_writer *writer);

/* From here on with ERRAND_VALUES_RICH alone, but for undefined as the whole value. */
ERRAND_API void errand_value_put_undefined(errand_value_writer *writer);
/* Decimal digits, behind a - where it is negative. */
ERRAND_API void errand_value_put_bigint(errand_value_writer *writer, const char *digits);
/* Milliseconds since 1970, UTC; NaN: an invalid date. */
ERRAND_API void errand_value_put_date(errand_value_writer *writer, double ms);
ERRAND_API void errand_value_put_regexp(errand_value_writer *writer, const char *source,
                                        const char *flags);
/* size must be a multiple of what an element of that type takes. */
ERRAND_API void errand_value_put_bytes(errand_value_writer *writer, errand_bytes_type type,
                                       const void *bytes, size_t size);
/* mime: such as "image/png", or "". modified_ms: as far from 1970 as a date may be, 8.64e15. */
ERRAND_API void errand_value_put_blob(errand_value_writer *writer, const char *mime,
                                      errand_span bytes);
ERRAND_API void errand_value_put_file(errand_value_writer *writer, const char *name,
                                      const char *mime, int64_t modified_ms, errand_span bytes);
/* Keys and values in turn. */
ERRAND_API void errand_value_begin_map(errand_value_writer *writer);
ERRAND_API void errand_value_begin_set(errand_value_writer *writer);
/* stack may be NULL. Inside, as members: "cause", any value, and then, of an "AggregateError",
 * "errors", an array. Either may be missing. */
ERRAND_API void errand_value_begin_error(errand_value_writer *writer, const char *name,
                                         const char *message, const char *stack);

/* The text of the one value that was put; empty: undefined, or nothing was. Borrowed until the
 * writer is used again. Without a failure or after it, the writer stands at its beginning again. */
ERRAND_API errand_status errand_value_finish(errand_value_writer *writer, errand_span *json,
                                             errand_error *err) ERRAND_CHECKED;

/* --- Reading --------------------------------------------------------------------------- */

typedef enum errand_value_kind {
    ERRAND_VALUE_END = 0, /* Of the innermost container. */
    ERRAND_VALUE_NULL,
    ERRAND_VALUE_BOOL,
    ERRAND_VALUE_NUMBER,
    ERRAND_VALUE_STRING,
    ERRAND_VALUE_ARRAY,  /* A container: its elements follow, then END. */
    ERRAND_VALUE_OBJECT, /* A container: its members follow, each with its key. */
    ERRAND_VALUE_UNDEFINED,
    ERRAND_VALUE_BIGINT,
    ERRAND_VALUE_DATE,
    ERRAND_VALUE_REGEXP,
    ERRAND_VALUE_BYTES,
    ERRAND_VALUE_BLOB,
    ERRAND_VALUE_FILE,
    ERRAND_VALUE_MAP,  /* A container: keys and values in turn. */
    ERRAND_VALUE_SET,  /* A container. */
    ERRAND_VALUE_ERROR /* A container: its members "cause" and "errors", where it has them. */
} errand_value_kind;

/* The reader owns it; it may grow at the end. Texts are UTF-8; a lone surrogate has become
 * U+FFFD. */
typedef struct errand_value {
    errand_value_kind kind;
    errand_span key; /* Of a member of an object or an error. */
    int boolean;
    double number;   /* NUMBER; of DATE and FILE: milliseconds since 1970, NaN: an invalid date. */
    int whole;       /* 1: a NUMBER written without fraction and exponent that fits into integer. */
    int64_t integer; /* Where whole is 1. */
    errand_span text;       /* STRING; digits of BIGINT; source of REGEXP; message of ERROR. */
    errand_span name;       /* Of ERROR and FILE. */
    errand_span detail;     /* Flags of REGEXP; stack of ERROR or empty; MIME type of BLOB, FILE. */
    errand_bytes_type type; /* Of BYTES. */
    size_t size;            /* How many bytes BYTES, BLOB and FILE hold. */
} errand_value;

typedef struct errand_value_reader errand_value_reader;

/* json: one JSON text, or empty for undefined; borrowed for the reader's life. EINVAL: it is none.
 * What is tagged as what it is not is found when the reader comes there. */
ERRAND_API errand_status errand_value_reader_new(errand_value_reader **out, errand_values values,
                                                 errand_span json,
                                                 errand_error *err) ERRAND_CHECKED;
/* NULL is fine. */
ERRAND_API void errand_value_reader_free(errand_value_reader *reader);
/* OK and the next value, from the outside to the inside, in the order of the text; AGAIN and NULL:
 * there is no more. EINVAL, from then on: it is no such value; says where and why. */
ERRAND_API errand_status errand_value_next(errand_value_reader *reader, const errand_value **value,
                                           errand_error *err) ERRAND_CHECKED;
/* Goes to the END of the innermost container, which then has been told of. ESTATE: in none. */
ERRAND_API errand_status errand_value_skip(errand_value_reader *reader,
                                           errand_error *err) ERRAND_CHECKED;
/* The bytes of the BYTES, BLOB or FILE that came last, into memory of the caller. ELIMIT: they do
 * not fit into room. EINVAL: they are no base64. ESTATE: what came last has none. */
ERRAND_API errand_status errand_value_bytes(errand_value_reader *reader, void *out, size_t room,
                                            errand_error *err) ERRAND_CHECKED;
/* The same in memory of the reader. */
ERRAND_API errand_status errand_value_bytes_span(errand_value_reader *reader, errand_span *out,
                                                 errand_error *err) ERRAND_CHECKED;

/* Whether a text may go to a program with such values, as errand_run_start() and
 * errand_run_reply() have it, and whether what is tagged is what it says. Empty is fine. */
ERRAND_API errand_status errand_value_check(errand_values values, errand_span json,
                                            errand_error *err) ERRAND_CHECKED;

#ifdef __cplusplus
}
#endif

#endif
