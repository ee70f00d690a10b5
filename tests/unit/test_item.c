/* What is an item and what a store, and what only looks like one. */
#include "test.h"

#include "base/mem.h"
#include "core/item.h"
#include "core/json.h"
#include "core/stored.h"

#include <stdio.h>

static const char *type_of(const char *json)
{
    const char *why = NULL;

    assert_true(errand__json_valid(span_text(json), NULL));
    const char *type = errand__item_type(span_text(json), &why);
    assert_non_null(why);
    return type;
}

#define FILE_OF(more) \
    "{\"type\":\"file\",\"mimeType\":\"text/csv\",\"encoding\":\"base64\"," more "}"

static void test_item__every_kind(void **state)
{
    static const struct {
        const char *json, *type;
    } cases[] = {
        {"{\"type\":\"text\",\"text\":\"\"}", "text"},
        {"{\"text\":\"a\\u0000\",\"t\\u0079pe\":\"te\\u0078t\"}", "text"},
        {"{\"type\":\"text\",\"text\":\"a\",\"more\":[{\"type\":\"file\"}]}", "text"},
        {"{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"QUJD\"}", "image"},
        {"{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"QUI=\"}", "image"},
        {"{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"QQ==\"}", "image"},
        {FILE_OF("\"data\":\"QUI=\",\"byteLength\":2"), "file"},
        {FILE_OF("\"data\":\"+/+/\",\"byteLength\":3,\"name\":\"a b\""), "file"},
        {FILE_OF("\"data\":\"\",\"byteLength\":0"), "file"},
        {"{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"x\"}}", "content"},
        {"{\"type\":\"content\",\"content\":{\"type\":\"resource_link\"}}", "content"},
    };
    (void)state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *type = type_of(cases[i].json);
        if (type == NULL || strcmp(type, cases[i].type) != 0)
            fail_msg("no %s: %s", cases[i].type, cases[i].json);
    }
}

static void test_item__none_of_them(void **state)
{
    static const char *const cases[] = {
        "1",
        "[]",
        "\"text\"",
        "{}",
        "{\"type\":1}",
        "{\"type\":\"video\"}",
        "{\"type\":\"text\"}",
        "{\"type\":\"text\",\"text\":1}",
        "{\"type\":\"text\",\"text\":\"a\",\"text\":\"b\"}",
        "{\"type\":\"text\",\"text\":\"a\",\"type\":\"image\"}",
        "{\"type\":\"image\",\"mimeType\":\"image/png\"}",
        "{\"type\":\"image\",\"data\":\"QUJD\"}",
        "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"\"}",
        "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"QUJ\"}",
        "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"QU=D\"}",
        "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"Q===\"}",
        "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"====\"}",
        "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"QU D\"}",
        "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"QU-_\"}",
        "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"\\u0051UJDQUI\"}",
        "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":1}",
        FILE_OF("\"data\":\"QUI=\",\"byteLength\":3"),
        FILE_OF("\"data\":\"QUI=\",\"byteLength\":\"2\""),
        FILE_OF("\"data\":\"QUI=\",\"byteLength\":2.0"),
        FILE_OF("\"data\":\"QUI=\""),
        FILE_OF("\"byteLength\":0"),
        FILE_OF("\"data\":\"QUI=\",\"byteLength\":2,\"name\":null"),
        ("{\"type\":\"file\",\"mimeType\":\"a\",\"encoding\":\"hex\",\"data\":\"\","
         "\"byteLength\":0}"),
        "{\"type\":\"file\",\"encoding\":\"base64\",\"data\":\"\",\"byteLength\":0}",
        "{\"type\":\"content\"}",
        "{\"type\":\"content\",\"content\":\"text\"}",
        "{\"type\":\"content\",\"content\":{}}",
        "{\"type\":\"content\",\"content\":{\"type\":\"video\"}}",
        "{\"type\":\"content\",\"content\":{\"type\":\"text\",\"type\":\"image\"}}",
    };
    (void)state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        if (type_of(cases[i]) != NULL)
            fail_msg("taken for an item: %s", cases[i]);
    }
}

static void test_item__a_collection_in_order(void **state)
{
    struct items items;
    (void)state;

    errand__items_init(&items, 1000);
    for (uint64_t i = 0; i < 20; i++) {
        char json[] = "{\"type\":\"text\",\"text\":\"a\"}";
        json[sizeof(json) - 4] = (char)('a' + i);
        errand_item item = {.type = "text", .json = span_text(json), .logs_before = i};
        assert_int_equal(errand__items_add(&items, &item), ERRAND_OK);
    }
    errand__items_settle(&items, true, 19);
    assert_int_equal(items.count, 19);
    assert_span(items.list[0].json, "{\"type\":\"text\",\"text\":\"a\"}");
    assert_span(items.list[18].json, "{\"type\":\"text\",\"text\":\"s\"}");
    assert_int_equal(items.list[18].logs_before, 18);
    errand__items_deinit(&items);
}

/* --- Stores ------------------------------------------------------------------------------- */

static bool stored(const char *json)
{
    const char *why = NULL;

    assert_true(errand__json_valid(span_text(json), NULL));
    return errand__stored_check(span_text(json), &why);
}

static void test_item__a_store_and_none(void **state)
{
    (void)state;
    assert_true(stored("{\"set\":{},\"delete\":[]}"));
    assert_true(
        stored("{\"delete\":[\"a\",\"c\"] , \"set\":{\"\":\"x\",\"b\":[[1,2],{\"c\":null}]}}"));
    assert_false(stored("1"));
    assert_false(stored("[]"));
    assert_false(stored("{}"));
    assert_false(stored("{\"set\":{}}"));
    assert_false(stored("{\"delete\":[]}"));
    assert_false(stored("{\"set\":[],\"delete\":[]}"));
    assert_false(stored("{\"set\":{},\"delete\":{}}"));
    assert_false(stored("{\"set\":{},\"delete\":[1]}"));
    assert_false(stored("{\"set\":{},\"delete\":[[\"a\"]]}"));
    assert_false(stored("{\"set\":{},\"set\":{},\"delete\":[]}"));
    assert_false(stored("{\"set\":{},\"delete\":[],\"delete\":[]}"));
    assert_false(stored("{\"set\":{},\"delete\":[],\"more\":1}"));
}

/* As a program sorts its strings: by what they stand for, and a pair of surrogates is two units. */
static void test_item__keys_rise(void **state)
{
    (void)state;
    assert_true(stored("{\"set\":{\"a\":1,\"aa\":2,\"b\":3},\"delete\":[\"A\",\"ab\",\"c\"]}"));
    assert_true(stored("{\"set\":{},\"delete\":[\"\\u0000\",\"\\n\",\"\\\"\",\"/\",\"\\\\\"]}"));
    assert_true(stored("{\"set\":{\"\\ud800\":1,\"\\ud801\":1,\"\\udfff\":1},\"delete\":[]}"));
    assert_true(stored("{\"set\":{\"\xf0\x9f\x98\x80\":1,\"\xef\xbf\xbd\":1},\"delete\":[]}"));
    assert_false(stored("{\"set\":{\"\xef\xbf\xbd\":1,\"\xf0\x9f\x98\x80\":1},\"delete\":[]}"));
    assert_false(stored("{\"set\":{\"b\":1,\"a\":2},\"delete\":[]}"));
    assert_false(stored("{\"set\":{},\"delete\":[\"b\",\"a\"]}"));
    assert_false(stored("{\"set\":{\"aa\":1,\"a\":2},\"delete\":[]}"));
}

static void test_item__no_key_twice(void **state)
{
    (void)state;
    assert_false(stored("{\"set\":{\"a\":1,\"a\":2},\"delete\":[]}"));
    assert_false(stored("{\"set\":{\"a\":1,\"\\u0061\":2},\"delete\":[]}"));
    assert_false(stored("{\"set\":{\"\xf0\x9f\x98\x80\":1,\"\\uD83D\\ude00\":2},\"delete\":[]}"));
    assert_false(stored("{\"set\":{\"\\n\":1,\"\\u000A\":2},\"delete\":[]}"));
    assert_false(stored("{\"set\":{},\"delete\":[\"\",\"\"]}"));
    assert_false(stored("{\"set\":{\"k\":1},\"delete\":[\"k\"]}"));
    assert_false(
        stored("{\"set\":{\"a\":1,\"k\":1,\"z\":1},\"delete\":[\"b\",\"\\u006b\",\"x\"]}"));
    assert_false(stored("{\"delete\":[\"a\",\"z\"],\"set\":{\"k\":1,\"z\":1}}"));
}

/* {"set":{KEY: "xxx…"},"delete":[]} with a value of so many units of JSON. */
static bool stored_value(const char *key, size_t units, const char *unit)
{
    size_t each = strlen(unit);
    char *json = errand__mem_new(1, units * each + 100);
    assert_non_null(json);
    int at = snprintf(json, 100, "{\"set\":{\"%s\":\"", key);
    for (size_t i = 0; i < units - 2; i++)
        (void)write_at(json + (size_t)at + i * each, span_of(unit, each));
    (void)snprintf(json + (size_t)at + (units - 2) * each, 40, "\"},\"delete\":[]}");
    bool right = stored(json);
    errand__mem_free(json);
    return right;
}

static void test_item__a_value_at_its_limit(void **state)
{
    (void)state;
    assert_true(stored_value("k", STORED_VALUE_MAX, "x"));
    assert_false(stored_value("k", STORED_VALUE_MAX + 1, "x"));
    assert_true(stored_value("k", STORED_VALUE_MAX, "\xe2\x82\xac"));
    assert_false(stored_value("k", STORED_VALUE_MAX + 1, "\xe2\x82\xac"));
    /* Two units each. */
    assert_true(stored_value("k", STORED_VALUE_MAX / 2 + 1, "\xf0\x9f\x98\x80"));
    assert_false(stored_value("k", STORED_VALUE_MAX / 2 + 2, "\xf0\x9f\x98\x80"));
}

/* Keys alone: escapes count as what they stand for. */
static bool stored_keys(size_t units, const char *unit)
{
    size_t each = strlen(unit);
    char *json = errand__mem_new(1, units * each + 100);
    assert_non_null(json);
    int at = snprintf(json, 100, "{\"set\":{},\"delete\":[\"");
    for (size_t i = 0; i < units; i++)
        (void)write_at(json + (size_t)at + i * each, span_of(unit, each));
    (void)snprintf(json + (size_t)at + units * each, 40, "\"]}");
    bool right = stored(json);
    assert_true(strlen(json) <= STORED_BYTES_MAX);
    errand__mem_free(json);
    return right;
}

static void test_item__all_at_their_limit(void **state)
{
    (void)state;
    assert_true(stored_keys(STORED_MAX, "x"));
    assert_false(stored_keys(STORED_MAX + 1, "x"));
    assert_true(stored_keys(STORED_MAX, "\\u0001"));
    assert_false(stored_keys(STORED_MAX + 1, "\\u0001"));
    assert_true(stored_keys(STORED_MAX, "\\\\"));
    assert_false(stored_keys(STORED_MAX + 1, "\\\\"));
    assert_true(stored_keys(STORED_MAX / 2, "\\ud83d\\ude00"));
    assert_false(stored_keys(STORED_MAX / 2 + 1, "\\ud83d\\ude00"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_item__every_kind),
        cmocka_unit_test(test_item__none_of_them),
        cmocka_unit_test(test_item__a_collection_in_order),
        cmocka_unit_test(test_item__a_store_and_none),
        cmocka_unit_test(test_item__keys_rise),
        cmocka_unit_test(test_item__no_key_twice),
        cmocka_unit_test(test_item__a_value_at_its_limit),
        cmocka_unit_test(test_item__all_at_their_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
