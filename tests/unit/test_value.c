/* Values written and read, without a hand-written tag; and texts that are not what they say. */
#include "test.h"

#include "base/base.h"
#include "base/mem.h"
#include "copy.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static errand_value_writer *writer_of(errand_values values)
{
    errand_value_writer *writer = NULL;

    assert_int_equal(errand_value_writer_new(&writer, values, NULL), ERRAND_OK);
    return writer;
}

static errand_value_reader *reader_of(errand_values values, const char *text)
{
    errand_value_reader *reader = NULL;

    assert_int_equal(errand_value_reader_new(&reader, values, span_text(text), NULL), ERRAND_OK);
    return reader;
}

static void finishes_as(errand_value_writer *writer, const char *text)
{
    errand_error err = {0};
    errand_span json;

    if (errand_value_finish(writer, &json, &err) != ERRAND_OK)
        fail_msg("%s", err.text);
    if (!span_is(json, text))
        fail_msg("%.*s\nis not\n%s", (int)json.len, json.ptr, text);
}

static void fails_as(errand_value_writer *writer, errand_status status, const char *text)
{
    errand_error err = {0};
    errand_span json;

    assert_int_equal(errand_value_finish(writer, &json, &err), status);
    assert_int_equal(json.len, 0);
    assert_string_equal(err.text, text);
}

static const errand_value *next_of(errand_value_reader *reader, errand_value_kind kind)
{
    const errand_value *value = NULL;
    errand_error err = {0};

    if (errand_value_next(reader, &value, &err) != ERRAND_OK)
        fail_msg("%s", err.text);
    assert_int_equal(value->kind, kind);
    return value;
}

/* --- Writing ------------------------------------------------------------------------------- */

static void test_value__plain_ones_are_written(void **state)
{
    errand_value_writer *writer = writer_of(ERRAND_VALUES_STRICT);
    (void)state;

    errand_value_begin_object(writer);
    errand_value_key(writer, "a \"b\"");
    errand_value_begin_array(writer);
    errand_value_put_null(writer);
    errand_value_put_bool(writer, 1);
    errand_value_put_int(writer, -9007199254740991);
    errand_value_put_double(writer, 0.1);
    errand_value_put_double(writer, 1e300);
    errand_value_put_text(writer, "\xe2\x82\xac\n\xff");
    errand_value_end(writer);
    errand_value_key(writer, "$errand");
    errand_value_put_json(writer, SPAN_LITERAL(" {\"x\":[1]} "));
    errand_value_key(writer, "empty");
    errand_value_begin_object(writer);
    errand_value_end(writer);
    errand_value_end(writer);
    finishes_as(writer, "{\"a \\\"b\\\"\":[null,true,-9007199254740991,0.1,1e+300,"
                        "\"\xe2\x82\xac\\n\xef\xbf\xbd\"],\"$errand\":{\"x\":[1]},\"empty\":{}}");
    errand_value_put_int(writer, 1);
    finishes_as(writer, "1");
    finishes_as(writer, "1");
    errand_value_put_undefined(writer);
    finishes_as(writer, "");
    errand_value_writer_free(writer);
}

static void test_value__rich_ones_are_written(void **state)
{
    static const unsigned char bytes[] = {1, 2, 255, 0};
    errand_value_writer *writer = writer_of(ERRAND_VALUES_RICH);
    (void)state;

    errand_value_begin_map(writer);
    errand_value_put_undefined(writer);
    errand_value_put_double(writer, NAN);
    errand_value_put_date(writer, 5);
    errand_value_put_date(writer, NAN);
    errand_value_begin_set(writer);
    errand_value_put_bigint(writer, "-12");
    errand_value_put_double(writer, -0.0);
    errand_value_end(writer);
    errand_value_put_regexp(writer, "a\"", "g");
    errand_value_end(writer);
    finishes_as(writer,
                "{\"$errand\":\"map\",\"entries\":[[{\"$errand\":\"undefined\"},"
                "{\"$errand\":\"number\",\"value\":\"NaN\"}],[{\"$errand\":\"date\",\"value\":5},"
                "{\"$errand\":\"date\",\"value\":null}],[{\"$errand\":\"set\",\"values\":["
                "{\"$errand\":\"bigint\",\"value\":\"-12\"},"
                "{\"$errand\":\"number\",\"value\":\"-0\"}]},"
                "{\"$errand\":\"regexp\",\"source\":\"a\\\"\",\"flags\":\"g\"}]]}");
    errand_value_begin_array(writer);
    errand_value_put_bytes(writer, ERRAND_BYTES_INT16_ARRAY, bytes, 4);
    errand_value_put_blob(writer, "a/b", span_of(bytes, 3));
    errand_value_put_file(writer, "n", "", 7, SPAN_EMPTY);
    errand_value_begin_map(writer);
    errand_value_end(writer);
    errand_value_end(writer);
    finishes_as(writer, "[{\"$errand\":\"bytes\",\"type\":\"Int16Array\",\"base64\":\"AQL/AA==\"},"
                        "{\"$errand\":\"blob\",\"type\":\"a/b\",\"base64\":\"AQL/\"},"
                        "{\"$errand\":\"file\",\"name\":\"n\",\"type\":\"\",\"modified\":7,"
                        "\"base64\":\"\"},{\"$errand\":\"map\",\"entries\":[]}]");
    errand_value_begin_error(writer, "TypeError", "m", NULL);
    errand_value_key(writer, "cause");
    errand_value_begin_error(writer, "AggregateError", "", "s");
    errand_value_key(writer, "errors");
    errand_value_begin_array(writer);
    errand_value_end(writer);
    errand_value_end(writer);
    errand_value_end(writer);
    finishes_as(writer, "{\"$errand\":\"error\",\"name\":\"TypeError\",\"message\":\"m\","
                        "\"cause\":{\"$errand\":\"error\",\"name\":\"AggregateError\","
                        "\"message\":\"\",\"stack\":\"s\",\"errors\":[]}}");
    errand_value_writer_free(writer);
}

static void test_value__data_that_looks_like_a_tag_is_none(void **state)
{
    errand_value_writer *writer = writer_of(ERRAND_VALUES_RICH);
    (void)state;

    errand_value_begin_array(writer);
    errand_value_begin_object(writer);
    errand_value_key(writer, "a");
    errand_value_put_int(writer, 1);
    errand_value_key(writer, "$errand");
    errand_value_begin_object(writer);
    errand_value_key(writer, "$errand");
    errand_value_put_text(writer, "date");
    errand_value_end(writer);
    errand_value_key(writer, "b");
    errand_value_put_int(writer, 2);
    errand_value_end(writer);
    errand_value_end(writer);
    finishes_as(writer, "[{\"$errand\":\"object\",\"value\":{\"a\":1,\"$errand\":"
                        "{\"$errand\":\"object\",\"value\":{\"$errand\":\"date\"}},\"b\":2}}]");
    errand_value_writer_free(writer);
}

static void test_value__what_can_not_be_written_is_told_with_its_path(void **state)
{
    errand_value_writer *writer = writer_of(ERRAND_VALUES_STRICT);
    errand_value_writer *rich = writer_of(ERRAND_VALUES_RICH);
    (void)state;

    errand_value_begin_object(writer);
    errand_value_key(writer, "a");
    errand_value_begin_array(writer);
    errand_value_put_int(writer, 0);
    errand_value_put_date(writer, 0);
    errand_value_put_int(writer, 5);
    errand_value_end(writer);
    fails_as(writer, ERRAND_EINVAL, "value: $.a[1]: a Date wants ERRAND_VALUES_RICH");
    errand_value_begin_array(writer);
    errand_value_put_int(writer, 9007199254740992);
    fails_as(writer, ERRAND_EINVAL, "value: $[0]: beyond 2^53; give it as a string");
    errand_value_put_double(writer, INFINITY);
    fails_as(writer, ERRAND_EINVAL, "value: $: Infinity wants ERRAND_VALUES_RICH");
    errand_value_put_json(writer, SPAN_LITERAL("[1,]"));
    fails_as(writer, ERRAND_EINVAL, "value: $: no JSON text at byte 3");
    errand_value_put_json(writer, SPAN_LITERAL("{\"x\":9007199254740993}"));
    fails_as(writer, ERRAND_EINVAL,
             "value: $: 9007199254740993 at $.x is beyond 2^53; give it as a string");
    errand_value_put_int(writer, 1);
    errand_value_put_int(writer, 2);
    fails_as(writer, ERRAND_ESTATE, "value: $: one value is there already");
    errand_value_begin_object(writer);
    errand_value_put_int(writer, 1);
    fails_as(writer, ERRAND_ESTATE, "value: $: a member wants its key first");
    errand_value_key(writer, "a");
    fails_as(writer, ERRAND_ESTATE, "value: $: a key, but no member begins here");
    errand_value_end(writer);
    fails_as(writer, ERRAND_ESTATE, "value: $: no container is open");
    errand_value_begin_array(writer);
    fails_as(writer, ERRAND_ESTATE, "value: $[0]: a container is still open");
    errand_value_begin_map(rich);
    errand_value_put_int(rich, 1);
    errand_value_end(rich);
    fails_as(rich, ERRAND_ESTATE, "value: $.entries[0][0]: a value is missing before the end");
    errand_value_put_bigint(rich, "0x1");
    fails_as(rich, ERRAND_EINVAL, "value: $.$errand: a BigInt is given in decimal digits");
    errand_value_put_bytes(rich, ERRAND_BYTES_FLOAT64_ARRAY, "1234567", 7);
    fails_as(rich, ERRAND_EINVAL,
             "value: $.$errand: the bytes are no whole elements of their type");
    errand_value_begin_error(rich, "E", "m", NULL);
    errand_value_key(rich, "other");
    fails_as(rich, ERRAND_EINVAL,
             "value: $.message: an error has \"cause\" and then \"errors\", and no others");
    errand_value_put_json(rich, SPAN_LITERAL("{\"$errand\":\"what\"}"));
    fails_as(rich, ERRAND_EINVAL, "value: $: $.$errand: a tag that is not known");
    errand_value_put_file(rich, "a", "", INT64_MIN, SPAN_EMPTY);
    fails_as(rich, ERRAND_EINVAL, "value: $.$errand: modified at no time that there is");
    errand_value_writer_free(writer);
    errand_value_writer_free(rich);
}

static void test_value__depth_is_that_of_the_text(void **state)
{
    errand_value_writer *writer = writer_of(ERRAND_VALUES_RICH);
    errand_value_reader *reader = NULL;
    const errand_value *value;
    errand_error err = {0};
    errand_span json;
    size_t maps = 0;
    (void)state;

    for (size_t i = 0; i < 3333; i++) {
        errand_value_begin_map(writer);
        errand_value_put_int(writer, 1);
    }
    errand_value_put_undefined(writer);
    for (size_t i = 0; i < 3333; i++)
        errand_value_end(writer);
    assert_int_equal(errand_value_finish(writer, &json, &err), ERRAND_OK);
    assert_int_equal(errand_value_reader_new(&reader, ERRAND_VALUES_RICH, json, NULL), ERRAND_OK);
    while (errand_value_next(reader, &value, &err) == ERRAND_OK)
        maps += value->kind == ERRAND_VALUE_MAP ? 1 : 0;
    assert_int_equal(maps, 3333);
    errand_value_reader_free(reader);
    for (size_t i = 0; i < 10000; i++)
        errand_value_begin_array(writer);
    errand_value_put_date(writer, 1);
    assert_int_equal(errand_value_finish(writer, &json, &err), ERRAND_ELIMIT);
    for (size_t i = 0; i < 9999; i++)
        errand_value_begin_array(writer);
    errand_value_put_json(writer, SPAN_LITERAL("[[]]"));
    for (size_t i = 0; i < 9999; i++)
        errand_value_end(writer);
    assert_int_equal(errand_value_finish(writer, &json, &err), ERRAND_ELIMIT);
    /* The tag around the object comes when what is inside was as deep as may be. */
    errand_value_begin_object(writer);
    errand_value_key(writer, "a");
    for (size_t i = 0; i < 9999; i++)
        errand_value_begin_array(writer);
    for (size_t i = 0; i < 9999; i++)
        errand_value_end(writer);
    errand_value_key(writer, "$errand");
    errand_value_put_null(writer);
    errand_value_end(writer);
    assert_int_equal(errand_value_finish(writer, &json, &err), ERRAND_ELIMIT);
    errand_value_writer_free(writer);
}

/* What was handed out is over, and what follows belongs to the next value. */
static void test_value__a_failure_behind_a_value_is_not_forgotten(void **state)
{
    errand_value_writer *writer = writer_of(ERRAND_VALUES_STRICT);
    (void)state;

    errand_value_put_int(writer, 1);
    finishes_as(writer, "1");
    errand_value_end(writer);
    errand_value_put_int(writer, 2);
    fails_as(writer, ERRAND_ESTATE, "value: $: no container is open");
    errand_value_put_int(writer, 1);
    finishes_as(writer, "1");
    errand_value_key(writer, "a");
    errand_value_put_int(writer, 2);
    fails_as(writer, ERRAND_ESTATE, "value: $: a key, but no member begins here");
    errand_value_put_int(writer, 3);
    finishes_as(writer, "3");
    errand_value_writer_free(writer);
}

static void test_value__nothing_is_read_where_nothing_can_be(void **state)
{
    static const char nowhere[] = "value: $: no bytes at its pointer";
    static const char inside[] = "value: $.$errand: no bytes at its pointer";
    static const errand_span none = {NULL, 5};
    errand_span huge = {nowhere, SIZE_MAX};
    errand_value_writer *rich = writer_of(ERRAND_VALUES_RICH);
    (void)state;

    errand_value_put_json(rich, none);
    fails_as(rich, ERRAND_EINVAL, nowhere);
    errand_value_put_string(rich, none);
    fails_as(rich, ERRAND_EINVAL, nowhere);
    errand_value_begin_object(rich);
    errand_value_key_span(rich, none);
    fails_as(rich, ERRAND_EINVAL, nowhere);
    errand_value_put_bytes(rich, ERRAND_BYTES_BUFFER, NULL, 5);
    fails_as(rich, ERRAND_EINVAL, inside);
    errand_value_put_blob(rich, NULL, none);
    fails_as(rich, ERRAND_EINVAL, inside);
    errand_value_put_file(rich, NULL, NULL, 0, none);
    fails_as(rich, ERRAND_EINVAL, inside);
    errand_value_put_bigint(rich, NULL);
    fails_as(rich, ERRAND_EINVAL, "value: $.$errand: a BigInt is given in decimal digits");
    errand_value_put_string(rich, huge);
    fails_as(rich, ERRAND_ELIMIT, "value: $: larger than any memory");
    errand_value_put_bytes(rich, ERRAND_BYTES_BUFFER, huge.ptr, huge.len);
    fails_as(rich, ERRAND_ELIMIT, "value: $.$errand: larger than any memory");
    errand_value_put_text(rich, NULL);
    finishes_as(rich, "\"\"");
    errand_value_put_bytes(rich, ERRAND_BYTES_BUFFER, NULL, 0);
    finishes_as(rich, "{\"$errand\":\"bytes\",\"type\":\"Buffer\",\"base64\":\"\"}");
    errand_value_writer_free(rich);
}

/* --- Reading --------------------------------------------------------------------------------- */

static void test_value__a_text_is_walked(void **state)
{
    errand_value_reader *reader = reader_of(
        ERRAND_VALUES_RICH,
        " { \"a\" : [ 1 , -2.5e1 , \"x\\u00e9\" ] , \"k\\n\" : { \"$\\u0065rrand\" : \"map\" , "
        "\"entries\" : [ [ null , true ] , [ [ ] , { } ] ] } , \"z\" : 9223372036854775808 } ");
    const errand_value *value = NULL;
    (void)state;

    (void)next_of(reader, ERRAND_VALUE_OBJECT);
    value = next_of(reader, ERRAND_VALUE_ARRAY);
    assert_true(span_is(value->key, "a"));
    value = next_of(reader, ERRAND_VALUE_NUMBER);
    assert_true(value->whole == 1 && value->integer == 1 && value->key.len == 0);
    value = next_of(reader, ERRAND_VALUE_NUMBER);
    assert_true(value->whole == 0 && value->number == -25);
    value = next_of(reader, ERRAND_VALUE_STRING);
    assert_true(span_is(value->text, "x\xc3\xa9"));
    (void)next_of(reader, ERRAND_VALUE_END);
    value = next_of(reader, ERRAND_VALUE_MAP);
    assert_true(span_is(value->key, "k\n"));
    (void)next_of(reader, ERRAND_VALUE_NULL);
    assert_int_equal(next_of(reader, ERRAND_VALUE_BOOL)->boolean, 1);
    (void)next_of(reader, ERRAND_VALUE_ARRAY);
    (void)next_of(reader, ERRAND_VALUE_END);
    (void)next_of(reader, ERRAND_VALUE_OBJECT);
    (void)next_of(reader, ERRAND_VALUE_END);
    (void)next_of(reader, ERRAND_VALUE_END);
    value = next_of(reader, ERRAND_VALUE_NUMBER);
    assert_true(value->whole == 0 && value->number == 9223372036854775808.0);
    (void)next_of(reader, ERRAND_VALUE_END);
    assert_int_equal(errand_value_next(reader, &value, NULL), ERRAND_AGAIN);
    assert_null(value);
    errand_value_reader_free(reader);
}

static void test_value__bytes_come_out(void **state)
{
    errand_value_reader *reader =
        reader_of(ERRAND_VALUES_RICH,
                  "[{\"$errand\":\"bytes\",\"type\":\"Uint8Array\",\"base64\":\"AQL\\/\"},"
                  "{\"$errand\":\"file\",\"name\":\"n\",\"type\":\"t\",\"modified\":9,"
                  "\"base64\":\"aGk=\"},{\"$errand\":\"blob\",\"type\":\"\",\"base64\":\"A*==\"}]");
    unsigned char out[3];
    errand_error err = {0};
    errand_span bytes;
    (void)state;

    (void)next_of(reader, ERRAND_VALUE_ARRAY);
    assert_int_equal(errand_value_bytes(reader, out, 3, NULL), ERRAND_ESTATE);
    const errand_value *value = next_of(reader, ERRAND_VALUE_BYTES);
    assert_int_equal(value->size, 3);
    assert_int_equal(value->type, ERRAND_BYTES_UINT8_ARRAY);
    assert_int_equal(errand_value_bytes(reader, out, 2, NULL), ERRAND_ELIMIT);
    assert_int_equal(errand_value_bytes(reader, out, 3, NULL), ERRAND_OK);
    assert_memory_equal(out, "\x01\x02\xff", 3);
    value = next_of(reader, ERRAND_VALUE_FILE);
    assert_true(span_is(value->name, "n") && span_is(value->detail, "t") && value->number == 9);
    assert_int_equal(errand_value_bytes_span(reader, &bytes, NULL), ERRAND_OK);
    assert_true(span_is(bytes, "hi"));
    (void)next_of(reader, ERRAND_VALUE_BLOB);
    assert_int_equal(errand_value_bytes_span(reader, &bytes, &err), ERRAND_EINVAL);
    assert_string_equal(err.text, "value: $[2]: its base64 is none");
    assert_int_equal(errand_value_next(reader, &value, &err), ERRAND_EINVAL);
    errand_value_reader_free(reader);
}

static void test_value__containers_are_skipped(void **state)
{
    errand_value_reader *reader =
        reader_of(ERRAND_VALUES_RICH, "[{\"a\":[[1],{\"$errand\":\"set\",\"values\":[2]}]},5]");
    (void)state;

    assert_int_equal(errand_value_skip(reader, NULL), ERRAND_ESTATE);
    (void)next_of(reader, ERRAND_VALUE_ARRAY);
    (void)next_of(reader, ERRAND_VALUE_OBJECT);
    assert_int_equal(errand_value_skip(reader, NULL), ERRAND_OK);
    (void)next_of(reader, ERRAND_VALUE_NUMBER);
    assert_int_equal(errand_value_skip(reader, NULL), ERRAND_OK);
    assert_int_equal(errand_value_skip(reader, NULL), ERRAND_ESTATE);
    errand_value_reader_free(reader);
}

static void test_value__tags_that_are_wrong_are_told_with_their_path(void **state)
{
    static const struct {
        const char *text, *why;
    } wrong[] = {
        {"[{\"$errand\":\"what\"}]", "value: $[0].$errand: a tag that is not known"},
        {"[{\"$errand\":7}]", "value: $[0].$errand: a tag that is not known"},
        {"{\"a\":1,\"$errand\":\"date\"}", "value: $.$errand: a tag that does not stand first"},
        {"{\"$errand\":\"date\"}",
         "value: $.$errand: a tag whose members are not those that it has"},
        {"{\"$errand\":\"date\",\"value\":\"1\"}",
         "value: $.value: a tag whose members are not those that it has"},
        {"{\"$errand\":\"date\",\"value\":1,\"x\":2}",
         "value: $.value: a tag with members that it does not have"},
        {"{\"$errand\":\"set\",\"values\":[1],\"x\":2}",
         "value: $.values: a tag with members that it does not have"},
        {"{\"$errand\":\"object\",\"value\":{},\"x\":2}",
         "value: $.value: a tag with members that it does not have"},
        {"{\"$errand\":\"map\",\"entries\":[[1]]}",
         "value: $.entries[0][0]: an entry of a map that is no array of key and value"},
        {"{\"$errand\":\"map\",\"entries\":[[1,2,3]]}",
         "value: $.entries[0][1]: an entry of a map that is no array of key and value"},
        {"{\"$errand\":\"map\",\"entries\":[5]}",
         "value: $.entries[0]: an entry of a map that is no array of key and value"},
        {"{\"$errand\":\"map\",\"entries\":[[]]}",
         "value: $.entries[0][0]: an entry of a map that is no array of key and value"},
        {"{\"$errand\":\"number\",\"value\":\"nan\"}",
         "value: $: none of NaN, Infinity, -Infinity and -0"},
        {"{\"$errand\":\"bigint\",\"value\":\"01\"}",
         "value: $: a bigint that is no integer in digits"},
        {"{\"$errand\":\"bytes\",\"type\":\"Array\",\"base64\":\"\"}",
         "value: $: bytes of an unknown type"},
        {"{\"$errand\":\"bytes\",\"type\":\"Int16Array\",\"base64\":\"AA==\"}",
         "value: $: bytes that are no whole elements of their type"},
        {"{\"$errand\":\"bytes\",\"type\":\"Buffer\",\"base64\":\"A\"}",
         "value: $: its base64 is none"},
        {"{\"$errand\":\"file\",\"name\":\"\",\"type\":\"\",\"modified\":1e300,\"base64\":\"\"}",
         "value: $: modified at no time that there is"},
        {"{\"$errand\":\"date\",\"value\":8640000000000001}",
         "value: $: a date at no time that there is"},
        {"{\"$errand\":\"date\",\"value\":-1e400}", "value: $: a date at no time that there is"},
        {"{\"$errand\":\"error\",\"name\":\"\",\"message\":\"\",\"errors\":[],\"errors\":[]}",
         "value: $.errors: a member that no error has, or not there"},
        {"{\"$errand\":\"error\",\"name\":\"\",\"message\":\"\",\"errors\":[],\"cause\":1}",
         "value: $.cause: a member that no error has, or not there"},
        {"{\"$errand\":\"error\",\"name\":\"\",\"message\":\"\",\"more\":1}",
         "value: $.more: a member that no error has, or not there"},
        {"{\"$errand\":\"error\",\"name\":\"\",\"message\":\"\",\"errors\":1}",
         "value: $.errors: a member that no error has, or not there"},
    };
    (void)state;

    for (size_t i = 0; i < COUNT(wrong); i++) {
        errand_error err = {0};
        assert_int_equal(errand_value_check(ERRAND_VALUES_RICH, span_text(wrong[i].text), &err),
                         ERRAND_EINVAL);
        assert_string_equal(err.text, wrong[i].why);
        assert_int_equal(errand_value_check(ERRAND_VALUES_JSON, span_text(wrong[i].text), NULL),
                         ERRAND_OK);
    }
}

static void test_value__no_json_is_refused_at_once(void **state)
{
    errand_value_reader *reader = NULL;
    errand_error err = {0};
    const errand_value *value;
    (void)state;

    assert_int_equal(
        errand_value_reader_new(&reader, ERRAND_VALUES_RICH, SPAN_LITERAL("{\"a\":}"), &err),
        ERRAND_EINVAL);
    assert_string_equal(err.text, "value: no JSON text at byte 5");
    assert_null(reader);
    reader = reader_of(ERRAND_VALUES_STRICT, "");
    assert_int_equal(next_of(reader, ERRAND_VALUE_UNDEFINED)->key.len, 0);
    assert_int_equal(errand_value_next(reader, &value, NULL), ERRAND_AGAIN);
    errand_value_reader_free(reader);
    assert_int_equal(errand_value_check(ERRAND_VALUES_STRICT, SPAN_EMPTY, NULL), ERRAND_OK);
}

/* --- Both ------------------------------------------------------------------------------------ */

/* Read and written again, a text that the runner writes is the same to the byte. */
static void rewrites(const char *text)
{
    errand_value_writer *writer = writer_of(ERRAND_VALUES_RICH);
    errand_value_reader *reader = reader_of(ERRAND_VALUES_RICH, text);
    errand_error err = {0};

    if (copy_value(reader, writer, &err) != ERRAND_OK)
        fail_msg("%s", err.text);
    finishes_as(writer, text);
    errand_value_reader_free(reader);
    errand_value_writer_free(writer);
}

static void test_value__the_examples_of_the_protocol(void **state)
{
    static char page[1 << 18];
    FILE *file = fopen(ERRAND_PROTOCOL_PAGE, "r");
    size_t count = 0;
    (void)state;

    assert_non_null(file);
    page[fread(page, 1, sizeof(page) - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    char *line = strstr(page, "```rich\n");
    assert_non_null(line);
    for (line += strlen("```rich\n"); strncmp(line, "```", 3) != 0; count++) {
        char *end = strchr(line, '\n');
        *end = '\0';
        rewrites(line);
        line = end + 1;
    }
    assert_true(count > 10);
}

static void test_value__numbers_read_back_as_they_were(void **state)
{
    static const double numbers[] = {0,
                                     0.1,
                                     0.30000000000000004,
                                     1e21,
                                     5e-324,
                                     1e-7,
                                     1.5,
                                     2.5e100,
                                     1.0 / 3,
                                     1.7976931348623157e308,
                                     123456789012345680,
                                     9007199254740992,
                                     99999999999999984};
    (void)state;

    for (size_t i = 0; i < COUNT(numbers) * 2; i++) {
        double number = i % 2 == 0 ? numbers[i / 2] : -numbers[i / 2];
        errand_value_writer *writer = writer_of(ERRAND_VALUES_RICH);
        errand_span json;
        errand_value_reader *reader;
        errand_value_put_double(writer, number);
        assert_int_equal(errand_value_finish(writer, &json, NULL), ERRAND_OK);
        assert_int_equal(errand_value_check(ERRAND_VALUES_STRICT, json, NULL), ERRAND_OK);
        assert_int_equal(errand_value_reader_new(&reader, ERRAND_VALUES_RICH, json, NULL), 0);
        double back = next_of(reader, ERRAND_VALUE_NUMBER)->number;
        assert_memory_equal(&back, &number, sizeof(back));
        errand_value_reader_free(reader);
        errand_value_writer_free(writer);
    }
}

/* Where the locale writes 0,5. The texts are JSON all the same. */
static void test_value__numbers_know_no_locale(void **state)
{
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8",
                                          "ps_AF.UTF-8"};
    (void)state;

    for (size_t i = 0; i < COUNT(locales); i++) {
        (void)setlocale(LC_NUMERIC, locales[i]);
        rewrites("[0.5,-1.25,1e-07]");
        (void)setlocale(LC_NUMERIC, "C");
    }
}

static void test_value__every_allocation_may_fail(void **state)
{
    static const char text[] =
        "{\"a\\n\":[{\"$errand\":\"bytes\",\"type\":\"Buffer\",\"base64\":"
        "\"aGk=\"}],\"b\":{\"$errand\":\"error\",\"name\":\"\\u0041\","
        "\"message\":\"\\u0041\",\"stack\":\"\\u0041\",\"cause\":[[[[1]]]]}}";
    size_t failures = 0;
    (void)state;

    for (long count = 0;; count++) {
        errand_value_writer *writer = NULL;
        errand_value_reader *reader = NULL;
        errand_span json;
        errand__mem_countdown = count;
        errand_status status = errand_value_writer_new(&writer, ERRAND_VALUES_RICH, NULL);
        if (status == ERRAND_OK)
            status = errand_value_reader_new(&reader, ERRAND_VALUES_RICH, span_text(text), NULL);
        if (status == ERRAND_OK)
            status = copy_value(reader, writer, NULL);
        if (status == ERRAND_OK)
            status = errand_value_finish(writer, &json, NULL);
        errand__mem_countdown = -1;
        errand_value_reader_free(reader);
        errand_value_writer_free(writer);
        if (status == ERRAND_OK)
            break;
        assert_int_equal(status, ERRAND_ENOMEM);
        failures++;
    }
    assert_true(failures > 5);
}

/* Wherever in a tag the text's memory ends. */
static void test_value__memory_may_end_at_any_byte(void **state)
{
    enum { ROOM = 1024, TAGS = 200 };
    static char padding[ROOM];
    (void)state;

    memset(padding, 'x', sizeof(padding));
    for (size_t len = ROOM - TAGS; len < ROOM - 4; len++) {
        errand_value_writer *writer = writer_of(ERRAND_VALUES_RICH);
        errand_value_begin_array(writer);
        errand_value_put_string(writer, span_of(padding, len));
        errand__mem_countdown = 0;
        errand_value_put_bytes(writer, ERRAND_BYTES_BUFFER, "\1\2\3", 3);
        errand_value_begin_error(writer, "TypeError", "m", "s");
        errand_value_key(writer, "cause");
        errand_value_put_bigint(writer, "5");
        errand_value_end(writer);
        errand_value_put_date(writer, 5);
        errand_value_put_double(writer, NAN);
        errand__mem_countdown = -1;
        errand_value_end(writer);
        fails_as(writer, ERRAND_ENOMEM, "value: out of memory");
        errand_value_writer_free(writer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_value__plain_ones_are_written),
        cmocka_unit_test(test_value__rich_ones_are_written),
        cmocka_unit_test(test_value__data_that_looks_like_a_tag_is_none),
        cmocka_unit_test(test_value__what_can_not_be_written_is_told_with_its_path),
        cmocka_unit_test(test_value__depth_is_that_of_the_text),
        cmocka_unit_test(test_value__a_failure_behind_a_value_is_not_forgotten),
        cmocka_unit_test(test_value__nothing_is_read_where_nothing_can_be),
        cmocka_unit_test(test_value__a_text_is_walked),
        cmocka_unit_test(test_value__bytes_come_out),
        cmocka_unit_test(test_value__containers_are_skipped),
        cmocka_unit_test(test_value__tags_that_are_wrong_are_told_with_their_path),
        cmocka_unit_test(test_value__no_json_is_refused_at_once),
        cmocka_unit_test(test_value__the_examples_of_the_protocol),
        cmocka_unit_test(test_value__numbers_read_back_as_they_were),
        cmocka_unit_test(test_value__numbers_know_no_locale),
        cmocka_unit_test(test_value__every_allocation_may_fail),
        cmocka_unit_test(test_value__memory_may_end_at_any_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
