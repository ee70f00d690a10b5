/* What is JSON and what is not, the walk over members, strings both ways. */
#include "test.h"

#include "core/json.h"
#include "core/json_path.h"
#include "json_cases.h"

#include <stdio.h>
#include <stdlib.h>

static bool valid(const char *text)
{
    return errand__json_valid(span_text(text), NULL);
}

static void test_json__every_case_of_the_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(json_cases); i++) {
        const struct json_case *one = &json_cases[i];
        /* At the very end of a block, so that a sanitizer sees a step too far. */
        char *copy = malloc(one->len == 0 ? 1 : one->len);
        assert_non_null(copy);
        if (one->len > 0)
            memcpy(copy, one->text, one->len);
        if (errand__json_valid(span_of(copy, one->len), NULL) != one->valid)
            fail_msg("%s: should be %s", one->name, one->valid ? "accepted" : "refused");
        free(copy);
    }
    assert_true(COUNT(json_cases) >= 250);
}

/* No head of a text is a text, but for numbers: every cut must be seen, and none overrun. */
static void test_json__every_head_of_a_text_is_refused(void **state)
{
    static const char text[] =
        "{\"a\":[1.5e-3,true,false,null,\"\\u00e9\\n\xe2\x82\xac\xf0\x9f\x98\x80\"],"
        "\"b\":{\"c\":[[],{}]}}";
    (void)state;
    for (size_t len = 0; len < sizeof(text) - 1; len++) {
        char *copy = malloc(len == 0 ? 1 : len);
        assert_non_null(copy);
        memcpy(copy, text, len);
        size_t at = SIZE_MAX;
        assert_false(errand__json_valid(span_of(copy, len), &at));
        assert_true(at <= len);
        free(copy);
    }
    assert_true(valid(text));
}

/* Each special byte at each place of a long string: the fast scan must not step over one. */
static void test_json__special_bytes_at_every_offset(void **state)
{
    char text[130];
    (void)state;

    for (size_t at = 1; at < sizeof(text) - 1; at++) {
        for (unsigned byte = 0; byte < 256; byte++) {
            memset(text, 'x', sizeof(text));
            text[0] = text[sizeof(text) - 1] = '"';
            text[at] = (char)byte;
            bool plain = byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
            assert_int_equal(errand__json_valid(span_of(text, sizeof(text)), NULL), plain);
        }
    }
}

static char *nested(size_t depth, char open, char close, size_t *len)
{
    char *text = malloc(2 * depth + 1);

    assert_non_null(text);
    memset(text, open, depth);
    memset(text + depth, close, depth);
    *len = 2 * depth;
    return text;
}

static void test_json__depth_is_capped(void **state)
{
    size_t len;
    (void)state;

    char *text = nested(JSON_DEPTH_MAX, '[', ']', &len);
    assert_true(errand__json_valid(span_of(text, len), NULL));
    free(text);
    text = nested(JSON_DEPTH_MAX + 1, '[', ']', &len);
    size_t at = 0;
    assert_false(errand__json_valid(span_of(text, len), &at));
    assert_int_equal(at, JSON_DEPTH_MAX);
    free(text);
    text = nested(3000000, '[', ']', &len);
    assert_false(errand__json_valid(span_of(text, len), NULL));
    free(text);
}

static void test_json__deep_levels_know_what_they_are(void **state)
{
    (void)state;
    assert_true(valid("[{\"a\":[{\"b\":[{}]}]}]"));
    assert_false(valid("[{\"a\":[{\"b\":[{]}]}]}"));
    assert_false(valid("[{\"a\":[1}]]"));
    /* Over 64 levels, so that a second word of bits is used. */
    char text[400] = "";
    for (int i = 0; i < 50; i++)
        (void)stpcpy(text + strlen(text), "[{\"\":");
    (void)stpcpy(text + strlen(text), "0");
    for (int i = 0; i < 50; i++)
        (void)stpcpy(text + strlen(text), "}]");
    assert_true(valid(text));
    text[strlen(text) - 40] ^= '}' ^ ']';
    assert_false(valid(text));
}

static void test_json__says_where(void **state)
{
    size_t at = 0;
    (void)state;

    assert_false(errand__json_valid(SPAN_LITERAL("[1,2,x]"), &at));
    assert_int_equal(at, 5);
    assert_false(errand__json_valid(SPAN_LITERAL("{\"a\":1} x"), &at));
    assert_int_equal(at, 8);
    assert_false(errand__json_valid(SPAN_EMPTY, &at));
    assert_int_equal(at, 0);
}

static void test_json__utf8_is_strict(void **state)
{
    char text[16];
    (void)state;

    /* All two-byte and three-byte beginnings against a plain model. */
    for (unsigned a = 0x80; a < 0x100; a++) {
        for (unsigned b = 0x20; b < 0x100; b++) {
            if (b == '"' || b == '\\')
                continue;
            int len = snprintf(text, sizeof(text), "\"%c%c\"", (int)a, (int)b);
            bool two = a >= 0xc2 && a <= 0xdf && b >= 0x80 && b < 0xc0;
            assert_int_equal(errand__json_valid(span_of(text, (size_t)len), NULL), two);
            len = snprintf(text, sizeof(text), "\"%c%c\x80\"", (int)a, (int)b);
            bool three = a >= 0xe0 && a <= 0xef && b >= (a == 0xe0 ? 0xa0 : 0x80) &&
                         b < (a == 0xed ? 0xa0 : 0xc0);
            assert_int_equal(errand__json_valid(span_of(text, (size_t)len), NULL), three);
            len = snprintf(text, sizeof(text), "\"%c%c\x80\x80\"", (int)a, (int)b);
            bool four = a >= 0xf0 && a <= 0xf4 && b >= (a == 0xf0 ? 0x90 : 0x80) &&
                        b < (a == 0xf4 ? 0x90 : 0xc0);
            assert_int_equal(errand__json_valid(span_of(text, (size_t)len), NULL), four);
        }
    }
}

static void test_json__members_in_order(void **state)
{
    static const char text[] =
        " { \"a\" : [1,{\"x\":\"]}\"}] ,\"b\":-1.5e3,\"c\":\"q\\\"}\",\n\"a\":null} ";
    struct json_members members;
    errand_span key;
    errand_span value;
    (void)state;

    errand__json_members_init(&members, SPAN_LITERAL(text));
    assert_true(errand__json_members_next(&members, &key, &value));
    assert_span(key, "\"a\"");
    assert_span(value, "[1,{\"x\":\"]}\"}]");
    assert_true(errand__json_members_next(&members, &key, &value));
    assert_span(value, "-1.5e3");
    assert_true(errand__json_members_next(&members, &key, &value));
    assert_span(value, "\"q\\\"}\"");
    assert_true(errand__json_members_next(&members, &key, &value));
    assert_span(key, "\"a\"");
    assert_span(value, "null");
    assert_false(errand__json_members_next(&members, &key, &value));
    assert_false(errand__json_members_next(&members, &key, &value));
    errand__json_members_init(&members, SPAN_LITERAL("{ }"));
    assert_false(errand__json_members_next(&members, &key, &value));
}

static void test_json__a_key_may_be_escaped(void **state)
{
    (void)state;
    assert_true(errand__json_string_is(SPAN_LITERAL("\"\\u006bind\""), "kind"));
    assert_true(errand__json_string_is(SPAN_LITERAL("\"kind\""), "kind"));
    assert_false(errand__json_string_is(SPAN_LITERAL("\"kin\""), "kind"));
    assert_false(errand__json_string_is(SPAN_LITERAL("\"kinds\""), "kind"));
    assert_false(errand__json_string_is(SPAN_LITERAL("\"\""), "kind"));
}

static void test_json__numbers_as_integers(void **state)
{
    uint64_t number = 0;
    (void)state;

    assert_true(errand__json_uint(SPAN_LITERAL(" 12 "), 12, &number));
    assert_int_equal(number, 12);
    assert_true(errand__json_uint(SPAN_LITERAL("18446744073709551615"), UINT64_MAX, &number));
    assert_true(number == UINT64_MAX);
    assert_false(errand__json_uint(SPAN_LITERAL("18446744073709551616"), UINT64_MAX, &number));
    assert_false(errand__json_uint(SPAN_LITERAL("13"), 12, &number));
    assert_false(errand__json_uint(SPAN_LITERAL("-1"), 12, &number));
    assert_false(errand__json_uint(SPAN_LITERAL("1.0"), 12, &number));
    assert_false(errand__json_uint(SPAN_LITERAL("1e0"), 12, &number));
    assert_false(errand__json_uint(SPAN_LITERAL("\"1\""), 12, &number));
    assert_false(errand__json_uint(SPAN_EMPTY, 12, &number));
}

static void decodes(const char *json, const char *text)
{
    char out[128];
    size_t len = errand__json_decode(out, span_text(json));

    assert_span(span_of(out, len), text);
    /* In place as well. */
    char same[128];
    (void)write_at(same, span_text(json));
    len = errand__json_decode(same + 1, span_of(same, strlen(json)));
    assert_span(span_of(same + 1, len), text);
}

static void test_json__strings_decode(void **state)
{
    (void)state;
    decodes("\"\"", "");
    decodes("\"plain\"", "plain");
    decodes("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t");
    decodes("\"\\u0041\\u00e9\\u20AC\"", "A\xc3\xa9\xe2\x82\xac");
    decodes("\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80");
    decodes("\"\\ud83dx\"", "\xef\xbf\xbdx");
    decodes("\"\\ude00\\ud83d\"", "\xef\xbf\xbd\xef\xbf\xbd");
    decodes("\"\\ud83d\\u0041\"", "\xef\xbf\xbd"
                                  "A");
    decodes("\"\\ud83d\\ud83d\\ude00\"", "\xef\xbf\xbd\xf0\x9f\x98\x80");
    decodes("\"a\\ud83d\\n\"", "a\xef\xbf\xbd\n");
    decodes("\"\xe2\x82\xac\"", "\xe2\x82\xac");
}

static void test_json__nul_is_a_character(void **state)
{
    char out[4];
    (void)state;
    assert_int_equal(errand__json_decode(out, SPAN_LITERAL("\"\\u0000\"")), 1);
    assert_int_equal(out[0], 0);
}

static void test_json__encoding_costs_what_it_says(void **state)
{
    static const struct {
        const char *text, *json;
    } cases[] = {
        {"", "\"\""},
        {"xy", "\"xy\""},
        {"\"\\\b\t\n\f\r", "\"\\\"\\\\\\b\\t\\n\\f\\r\""},
        {"\x01\x1f\x7f/", "\"\\u0001\\u001f\x7f/\""},
        {"\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xe2\x82\xac\xf0\x9f\x98\x80\""},
        {"a\xff\x80z", "\"a\xef\xbf\xbd\xef\xbf\xbdz\""},
    };
    char out[64];
    (void)state;

    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t len = errand__json_encode(out, span_text(cases[i].text));
        assert_span(span_of(out, len), cases[i].json);
        assert_int_equal(errand__json_encoded_len(span_text(cases[i].text)), len);
        assert_true(errand__json_valid(span_of(out, len), NULL));
    }
}

static void cuts(const char *json, size_t room, size_t len)
{
    assert_int_equal(errand__json_string_cut(span_text(json), room), len);
}

static void test_json__a_cut_tears_nothing(void **state)
{
    (void)state;
    cuts("\"abc\"", 5, 5);
    cuts("\"abc\"", 9, 5);
    cuts("\"abc\"", 4, 4);
    cuts("\"abc\"", 2, 2);
    cuts("\"abc\"", 1, 0);
    cuts("\"abc\"", 0, 0);
    cuts("\"\xe2\x82\xac\"", 4, 2);
    cuts("\"a\xf0\x9f\x98\x80z\"", 6, 3);
    cuts("\"a\xf0\x9f\x98\x80z\"", 7, 7);
    cuts("\"a\\nb\"", 4, 3);
    cuts("\"a\\nb\"", 5, 5);
    cuts("\"\\u00e9x\"", 7, 2);
    cuts("\"\\u00e9x\"", 8, 8);
    cuts("\"\\ud83d\\ude00x\"", 13, 2);
    cuts("\"\\ud83d\\ude00x\"", 14, 14);
    cuts("\"\\ud83dxyz\"", 8, 8);
}

/* A cut string, once quoted, is a JSON string, for every room there may be. */
static void test_json__a_cut_is_a_string_again(void **state)
{
    static const char json[] = "\"a\\u0041\xc3\xa9\\ud83d\\ude00\xf0\x9f\x98\x80\\n\\ud83dz\"";
    (void)state;

    for (size_t room = 2; room < sizeof(json); room++) {
        char copy[sizeof(json)];
        memcpy(copy, json, sizeof(json));
        size_t len = errand__json_string_cut(SPAN_LITERAL(json), room);
        assert_true(len >= 2);
        assert_true(len <= room);
        copy[len - 1] = '"';
        assert_true(errand__json_valid(span_of(copy, len), NULL));
    }
}

static size_t lossy_of(const char *text)
{
    size_t lossy = 0;

    assert_true(errand__json_valid_exact(span_text(text), NULL, &lossy));
    return lossy;
}

static void test_json__integers_that_no_double_holds_are_found(void **state)
{
    (void)state;
    assert_int_equal(lossy_of("9007199254740992"), 0);
    assert_int_equal(lossy_of(" [1,-9007199254740992]"), 4);
    assert_int_equal(
        lossy_of("{\"9007199254740993\":\"9007199254740993\",\"a\":10000000000000000}"), 43);
    assert_int_equal(lossy_of("[123456789012345678901234567890,9007199254740993]"), 1);
    assert_true(lossy_of("9007199254740991") == SIZE_MAX);
    assert_true(lossy_of("-9007199254740991") == SIZE_MAX);
    assert_true(lossy_of("[9007199254740993.0,9007199254740993e0,9007199254740993E0,0]") ==
                SIZE_MAX);
    assert_true(lossy_of("999999999999999") == SIZE_MAX);
}

static void check_path(const char *text, const char *mark, const char *path)
{
    char found[JSON_PATH_ROOM];

    errand__json_path(found, span_text(text), (size_t)(strstr(text, mark) - text));
    assert_string_equal(found, path);
}

static void test_json__paths_say_where(void **state)
{
    char deep[400];
    char found[JSON_PATH_ROOM];
    (void)state;

    check_path("77", "77", "$");
    check_path("{\"a\" : [1, [], {\"x\":0},77]}", "77", "$.a[3]");
    check_path("{\"a\":[[1,2],{\"b\":1,\"c d\":[0,77]}]}", "77", "$.a[1][\"c d\"][1]");
    check_path("{\"a\":\",[{\\\"\",\"1\":77}", "77", "$[\"1\"]");
    check_path("{\"\":{\"\\u0041\":77}}", "77", "$[\"\"][\"\\u0041\"]");
    check_path("[{\"a\":{}},{\"b\":[[],77]}]", "77", "$[1].b[1]");
    memset(deep, '[', sizeof(deep));
    memset(deep + sizeof(deep) / 2, ']', sizeof(deep) / 2);
    errand__json_path(found, span_of(deep, sizeof(deep)), sizeof(deep) / 2);
    assert_true(span_starts(span_text(found), SPAN_LITERAL("$[0][0][0]")));
    assert_string_equal(found + strlen(found) - 6, "[0]...");
    char wide[600] = "{\"";
    memset(wide + 2, 'k', 500);
    memcpy(wide + 502, "\":77}", 6);
    errand__json_path(found, span_text(wide), 504);
    assert_true(span_starts(span_text(found), SPAN_LITERAL("$[\"kkkk")));
    assert_string_equal(found + strlen(found) - 5, "...\"]");
}

static void test_json__what_is_lossy_is_said_in_words(void **state)
{
    errand_error err = {0};
    (void)state;

    assert_int_equal(
        errand__json_lossy(&err, "reply", SPAN_LITERAL("{\"a\":[9007199254740993]}"), 6),
        ERRAND_EINVAL);
    assert_string_equal(err.text,
                        "reply: 9007199254740993 at $.a[0] is beyond 2^53; give it as a string");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json__every_case_of_the_table),
        cmocka_unit_test(test_json__every_head_of_a_text_is_refused),
        cmocka_unit_test(test_json__special_bytes_at_every_offset),
        cmocka_unit_test(test_json__depth_is_capped),
        cmocka_unit_test(test_json__deep_levels_know_what_they_are),
        cmocka_unit_test(test_json__says_where),
        cmocka_unit_test(test_json__utf8_is_strict),
        cmocka_unit_test(test_json__members_in_order),
        cmocka_unit_test(test_json__a_key_may_be_escaped),
        cmocka_unit_test(test_json__numbers_as_integers),
        cmocka_unit_test(test_json__strings_decode),
        cmocka_unit_test(test_json__nul_is_a_character),
        cmocka_unit_test(test_json__encoding_costs_what_it_says),
        cmocka_unit_test(test_json__a_cut_tears_nothing),
        cmocka_unit_test(test_json__a_cut_is_a_string_again),
        cmocka_unit_test(test_json__integers_that_no_double_holds_are_found),
        cmocka_unit_test(test_json__paths_say_where),
        cmocka_unit_test(test_json__what_is_lossy_is_said_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
