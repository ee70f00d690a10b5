/* test_declare.c - schemas as types, and all that a program may call as declarations. */
#include "test.h"

#include "base/mem.h"
#include "run/schema.h"
#include "run/shown.h"

#include <errand/errand.h>

#include <stdio.h>

/* --- Types ------------------------------------------------------------------------------------ */

static void is_type(const char *schema, const char *expected)
{
    struct buf out;

    errand__buf_init(&out, SIZE_MAX / 2);
    assert_int_equal(errand__schema_type(&out, schema, 0), ERRAND_OK);
    assert_int_equal(errand__buf_push(&out, span_of("", 1)), ERRAND_OK);
    assert_string_equal(errand__buf_peek(&out).ptr, expected);
    errand__buf_deinit(&out);
}

static void test_declare__schemas(void **state)
{
    static const struct {
        const char *schema, *type;
    } rows[] = {
        {NULL, "unknown"},
        {"true", "unknown"},
        {"false", "never"},
        {"{}", "unknown"},
        {"no json", "unknown"},
        {"{\"type\":\"string\"}", "string"},
        {"{\"type\":\"integer\"}", "number"},
        {"{\"type\":\"number\"}", "number"},
        {"{\"type\":\"boolean\"}", "boolean"},
        {"{\"type\":\"null\"}", "null"},
        {"{\"type\":\"date\"}", "unknown"},
        {"{\"type\":7}", "unknown"},
        {"{\"type\":[\"string\",\"null\"]}", "string | null"},
        {"{\"type\":[]}", "never"},
        {"{\"type\":\"string\",\"nullable\":true}", "string | null"},
        {"{\"const\":\"a\\\"b\"}", "\"a\\\"b\""},
        {"{\"const\":null}", "null"},
        {"{\"enum\":[\"a\",1,true,null,0.1]}", "\"a\" | 1 | true | null | 0.1"},
        {"{\"enum\":[]}", "never"},
        {"{\"enum\":[{\"b\":1,\"a\":[2]}]}", "{\"a\":[2],\"b\":1}"},
        {"{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}", "string | null"},
        {"{\"oneOf\":[{\"type\":\"string\"},{\"type\":\"number\"}]}", "string | number"},
        {"{\"allOf\":[{\"type\":\"string\"},{\"enum\":[\"a\",\"b\"]}]}",
         "string & (\"a\" | \"b\")"},
        {"{\"allOf\":[{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"number\"}]}]}",
         "string | number"},
        {"{\"allOf\":[{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}}},"
         "{\"type\":[\"string\",\"null\"]}]}",
         "{ a?: string; } & (string | null)"},
        {"{\"allOf\":[{\"type\":\"string\",\"nullable\":true},{\"type\":\"string\"}]}",
         "(string | null) & string"},
        {"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{}},"
         "\"anyOf\":[{\"required\":[\"a\"]},{\"required\":[\"b\"]}]}",
         "{ a?: string; b?: unknown; }"},
        {"{\"type\":\"object\",\"anyOf\":[{\"type\":\"string\"}]}", "string"},
        {"{\"type\":\"array\"}", "Array<unknown>"},
        {"{\"type\":\"array\",\"items\":{\"type\":\"string\"}}", "Array<string>"},
        {"{\"items\":{\"enum\":[1,2]}}", "Array<1 | 2>"},
        {"{\"type\":\"array\",\"prefixItems\":[{\"type\":\"string\"},{\"type\":\"number\"}]}",
         "[string, number]"},
        {"{\"type\":\"array\",\"items\":[{\"type\":\"string\"}],"
         "\"additionalItems\":{\"type\":\"number\"}}",
         "[string, ...Array<number>]"},
        {"{\"prefixItems\":[],\"items\":{\"type\":\"null\"}}", "[...Array<null>]"},
        {"{\"prefixItems\":[{\"type\":\"null\"}],\"items\":false}", "[null]"},
        {"{\"type\":\"object\"}", "{ [key: string]: unknown; }"},
        {"{\"type\":\"object\",\"additionalProperties\":false}", "{}"},
        {"{\"type\":\"object\",\"additionalProperties\":{\"type\":\"number\"}}",
         "{ [key: string]: number; }"},
        {"{\"properties\":{\"b\":{\"type\":\"string\"},\"a\":{\"type\":\"number\"},"
         "\"a-b\":{},\"\":true},\"required\":[\"b\",5]}",
         "{ \"\"?: unknown; a?: number; \"a-b\"?: unknown; b: string; }"},
        {"{\"properties\":{\"a\":{}},\"additionalProperties\":{\"type\":\"number\"}}",
         "{ a?: unknown; [key: string]: unknown; }"},
        {"{\"patternProperties\":{\"^x\":{}}}", "{ [key: string]: unknown; }"},
        {"{\"$ref\":\"#/$defs/a~1b\",\"$defs\":{\"a/b\":{\"type\":\"string\"}}}", "string"},
        {"{\"items\":{\"$ref\":\"#/$defs/x%20y\"},\"$defs\":{\"x y\":{\"const\":1}}}", "Array<1>"},
        {"{\"allOf\":[{\"$ref\":\"#/$defs/u\"},{\"$ref\":\"#/$defs/u\"}],"
         "\"$defs\":{\"u\":{\"type\":[\"string\",\"null\"]}}}",
         "(string | null) & (string | null)"},
        {"{\"$ref\":\"#\"}", "unknown"},
        {"{\"properties\":{\"next\":{\"$ref\":\"#\"}}}", "{ next?: unknown; }"},
        {"{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"items\":{\"$ref\":\"#/$defs/a\"}}}}",
         "Array<unknown>"},
        {"{\"$ref\":\"https://example.com/schema\"}", "unknown"},
        {"{\"$ref\":\"#/nowhere/0\"}", "unknown"},
        {"{\"$ref\":\"#/anyOf/1\",\"anyOf\":[{\"required\":[\"a\"]},{\"type\":\"null\"}]}",
         "null & (unknown | null)"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        is_type(rows[i].schema, rows[i].type);
}

static void test_declare__described_members_have_lines(void **state)
{
    (void)state;
    is_type(
        "{\"properties\":{\"a\":{\"type\":\"string\",\"description\":\"One.\"},"
        "\"b\":{\"properties\":{\"c\":{\"description\":\"Two\\n  lines */ here\\r\\n\\u0001\"}}}},"
        "\"required\":[\"a\"],\"additionalProperties\":true}",
        "{\n"
        "  /** One. */\n"
        "  a: string;\n"
        "  b?: {\n"
        "    /**\n"
        "     * Two\n"
        "     *   lines *\\/ here\n"
        "     */\n"
        "    c?: unknown;\n"
        "  };\n"
        "  [key: string]: unknown;\n"
        "}");
}

static void test_declare__the_order_of_members_is_no_news(void **state)
{
    (void)state;
    is_type("{\"required\":[\"x\"],\"properties\":{\"y\":{},\"x\":{}},\"type\":\"object\"}",
            "{ x: unknown; y?: unknown; }");
    is_type("{\"type\":\"object\",\"properties\":{\"x\":{},\"y\":{}},\"required\":[\"x\"]}",
            "{ x: unknown; y?: unknown; }");
}

/* --- Schemas that mean ill -------------------------------------------------------------------- */

/* before, n times middle, after. */
static char *repeated(const char *before, const char *middle, size_t n, const char *after)
{
    size_t len = strlen(middle);
    char *text = errand__mem_new(strlen(before) + n * len + strlen(after) + 1, 1);
    char *at = text + strlen(before);

    assert_non_null(text);
    memcpy(text, before, strlen(before));
    for (size_t i = 0; i < n; i++, at += len)
        memcpy(at, middle, len);
    memcpy(at, after, strlen(after));
    return text;
}

static void test_declare__a_type_has_a_limit(void **state)
{
    (void)state;
    /* Quotes and 15,998 characters; each of them takes two bytes. */
    AUTO_FREE char *fits = repeated("{\"const\":\"", "\xc3\xa9", 15998, "\"}");
    AUTO_FREE char *over = repeated("{\"const\":\"", "\xc3\xa9", 15999, "\"}");
    AUTO_FREE char *type = repeated("\"", "\xc3\xa9", 15998, "\"");
    is_type(fits, type);
    is_type(over, "unknown");
    AUTO_FREE char *wide = repeated("{\"enum\":[0", ",1", 200000, "]}");
    is_type(wide, "unknown");
}

static void test_declare__depth_and_references_are_bounded(void **state)
{
    (void)state;
    AUTO_FREE char *deep = repeated("", "{\"anyOf\":[", 900, "");
    AUTO_FREE char *close = repeated("{\"type\":\"null\"}", "]}", 900, "");
    AUTO_FREE char *both = repeated(deep, close, 1, "");
    is_type(both, "null");
    AUTO_FREE char *too_deep = repeated("", "[", 100000, "");
    is_type(too_deep, "unknown");
    /* Readers of TypeScript are no deeper than this. */
    AUTO_FREE char *lists = repeated("", "{\"items\":", 100, "");
    AUTO_FREE char *lists_end = repeated("true", "}", 100, "");
    AUTO_FREE char *hundred = repeated(lists, lists_end, 1, "");
    AUTO_FREE char *more = repeated("{\"items\":", hundred, 1, "}");
    AUTO_FREE char *type = repeated("", "Array<", 100, "unknown");
    AUTO_FREE char *type_end = repeated(type, ">", 100, "");
    is_type(hundred, type_end);
    is_type(more, "unknown");
    AUTO_FREE char *literal = repeated("{\"const\":", "[", 101, "");
    AUTO_FREE char *literal_end = repeated(literal, "]", 101, "}");
    is_type(literal_end, "unknown");
    AUTO_FREE char *words = repeated("{\"const\":\"", "[\\\"", 101, "\"}");
    AUTO_FREE char *words_type = repeated("\"", "[\\\"", 101, "\"");
    is_type(words, words_type);
    AUTO_FREE char *refs = repeated("{\"$defs\":{\"a\":{\"const\":1}},\"prefixItems\":[true",
                                    ",{\"$ref\":\"#/$defs/a\"}", 33, "]}");
    AUTO_FREE char *ones = repeated("[unknown", ", 1", 32, ", unknown]");
    is_type(refs, ones);
    /* Each level twice the one before: 2^40 without a bound. */
    char doubling[8192] = "{\"$ref\":\"#/$defs/d0\",\"$defs\":{";
    for (int i = 0; i < 40; i++) {
        size_t used = strlen(doubling);
        (void)snprintf(
            doubling + used, sizeof(doubling) - used,
            "\"d%d\":{\"prefixItems\":[{\"$ref\":\"#/$defs/d%d\"},{\"$ref\":\"#/$defs/d%d\"}]},", i,
            i + 1, i + 1);
    }
    (void)snprintf(doubling + strlen(doubling), sizeof(doubling) - strlen(doubling), "\"z\":1}}");
    struct buf out;
    errand__buf_init(&out, SIZE_MAX / 2);
    assert_int_equal(errand__schema_type(&out, doubling, 0), ERRAND_OK);
    assert_true(errand__buf_peek(&out).len < 1000);
    errand__buf_deinit(&out);
}

/* --- Names ------------------------------------------------------------------------------------ */

static void shows(const char *space_name, const char *const *functions, const char *const *expected)
{
    const errand_namespace space = {.name = space_name, .functions = functions};
    struct shown shown;

    assert_int_equal(errand__shown_init(&shown, &space), ERRAND_OK);
    for (size_t i = 0; i < shown.count; i++) {
        if (expected[i] == NULL)
            assert_null(shown.names[i]);
        else
            assert_string_equal(shown.names[i], expected[i]);
    }
    errand__shown_deinit(&shown);
}

static void test_declare__names(void **state)
{
    static const char *const functions[] = {
        "a-b", "a_b", "a+b", "1st", "\xd0\xba\xd0\xbb", "\xf0\x9f\x98\x80", "then", "ok", NULL};
    static const char *const tools[] = {"a_b", NULL, "a+b", "_st", "__", "_", "then_", "ok"};
    static const char *const others[] = {"a-b", "a_b", "a+b", "_st", "__", "_", "then_", "ok"};

    (void)state;
    shows("tools", functions, tools);
    shows("mail", functions, others);
}

/* --- Declarations ----------------------------------------------------------------------------- */

static void declares(const errand_namespace *spaces, size_t count, const char *expected)
{
    char *text = NULL;
    char *again = NULL;
    errand_error err;

    assert_int_equal(errand_declarations(spaces, count, &text, &err), ERRAND_OK);
    assert_string_equal(text, expected);
    assert_int_equal(errand_declarations(spaces, count, &again, &err), ERRAND_OK);
    assert_string_equal(text, again);
    errand_declarations_free(text);
    errand_declarations_free(again);
}

static void test_declare__namespaces(void **state)
{
    static const char *const functions[] = {"weather", "read-file", "a_b", "a-b", "a+b", NULL};
    static const errand_about abouts[] = {
        {"The weather now.\nEnds */ here.",
         "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}},"
         "\"required\":[\"city\"]}",
         "{\"type\":\"object\",\"properties\":{\"degrees\":{\"type\":\"number\","
         "\"description\":\"Celsius.\"}}}"},
        {"  ", NULL, NULL},
        {NULL, NULL, NULL},
        {NULL, NULL, NULL},
        {NULL, NULL, NULL}};
    static const char *const send[] = {"send", NULL};
    static const char *const none[] = {NULL};
    const errand_namespace spaces[] = {
        {.name = "tools", .functions = functions, .abouts = abouts},
        {.name = "mail", .functions = send, .error_member = "name_of_it"},
        {.name = "empty", .functions = none, .error_class = "Never"}};

    (void)state;
    declares(spaces, COUNT(spaces),
             "declare class ToolError extends Error {\n"
             "  tool?: string;\n"
             "  name_of_it?: string;\n"
             "  code?: string;\n"
             "  data?: unknown;\n"
             "}\n"
             "\n"
             "declare const tools: {\n"
             "  /**\n"
             "   * The weather now.\n"
             "   * Ends *\\/ here.\n"
             "   */\n"
             "  weather(args: { city: string; }): Promise<{\n"
             "    /** Celsius. */\n"
             "    degrees?: number;\n"
             "  }>;\n"
             "  read_file(args?: unknown): Promise<unknown>;\n"
             "  a_b(args?: unknown): Promise<unknown>;\n"
             "  \"a-b\"(args?: unknown): Promise<unknown>;\n"
             "  \"a+b\"(args?: unknown): Promise<unknown>;\n"
             "};\n"
             "\n"
             "declare const mail: {\n"
             "  send(args?: unknown): Promise<unknown>;\n"
             "};\n"
             "\n"
             "declare const empty: {};\n");
    declares(NULL, 0, "");
}

static void test_declare__values_spread_and_bare(void **state)
{
    static const char *const one[] = {"get", NULL};
    static const errand_about list[] = {
        {"Prints.", "{\"prefixItems\":[{\"type\":\"string\"}]}", "{\"type\":\"null\"}"},
        {NULL, "{\"type\":\"object\"}", NULL},
        {"Reads.", NULL, "{\"type\":\"string\"}"},
        {NULL, NULL, NULL}};
    static const char *const globals[] = {"print", "fs.read", "then", "fs.write", NULL};
    static const char *const more[] = {"fs.stat", NULL};
    const errand_namespace spaces[] = {
        {.name = "home", .functions = globals, .abouts = list, .spread = 1, .bare = 1},
        {.name = "tools", .functions = one, .failures = ERRAND_FAILURES_VALUE},
        {.name = "also", .functions = more, .bare = 1, .failures = ERRAND_FAILURES_VALUE}};

    (void)state;
    declares(spaces, COUNT(spaces),
             "type ToolFailure = { code: string; message: string; status?: number; "
             "retryable?: boolean; details?: unknown; suggestions?: Array<string>; };\n"
             "type ToolResult<T> = { ok: true; data: T; } | { ok: false; error: ToolFailure; };\n"
             "declare class ToolError extends Error {\n"
             "  tool?: string;\n"
             "  code?: string;\n"
             "  data?: unknown;\n"
             "}\n"
             "\n"
             "declare const tools: {\n"
             "  get(args?: unknown): Promise<ToolResult<unknown>>;\n"
             "};\n"
             "\n"
             "/** Prints. */\n"
             "declare function print(...args: [string]): Promise<null>;\n"
             "\n"
             "declare const fs: {\n"
             "  read(...args: Array<unknown>): Promise<unknown>;\n"
             "  write(...args: Array<unknown>): Promise<unknown>;\n"
             "  stat(args?: unknown): Promise<ToolResult<unknown>>;\n"
             "};\n"
             "\n"
             "/** Reads. */\n"
             "declare function then_(...args: Array<unknown>): Promise<string>;\n");
}

static void refuses(errand_namespace space, const char *words)
{
    char *text = NULL;
    errand_error err;

    assert_int_equal(errand_declarations(&space, 1, &text, &err), ERRAND_EINVAL);
    assert_null(text);
    if (strstr(err.text, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", err.text, words);
}

static void test_declare__what_cannot_be(void **state)
{
    static const char *const one[] = {"a", NULL};
    static const char *const dots[] = {"a.b.c", NULL};
    static const char *const both[] = {"fs", "fs.read", NULL};
    static const char *const turned[] = {"fs.read", "fs", NULL};
    static const char *const global[] = {"console", NULL};
    static const char *const tools[] = {"tools.x", NULL};
    static const char *const class[] = {"ToolError", NULL};
    static const errand_about torn = {"\xff", NULL, NULL};
    static const errand_about no_json = {NULL, "{", NULL};
    static const errand_about a_list = {NULL, NULL, "[]"};

    (void)state;
    refuses((errand_namespace){.name = "t", .functions = one, .abouts = &torn}, "no UTF-8");
    refuses((errand_namespace){.name = "t", .functions = one, .abouts = &no_json},
            "about a: its input schema is no JSON text");
    refuses((errand_namespace){.name = "t", .functions = one, .abouts = &a_list},
            "about a: its output schema is no JSON object");
    refuses((errand_namespace){.name = "1", .functions = one}, "not a usable identifier");
    refuses((errand_namespace){.name = "t", .functions = one, .failures = 7}, "no such way (7)");
    refuses((errand_namespace){.name = "t", .functions = dots, .bare = 1}, "two with a dot");
    refuses((errand_namespace){.name = "t", .functions = both, .bare = 1}, "conflicts with");
    refuses((errand_namespace){.name = "t", .functions = turned, .bare = 1}, "conflicts with");
    refuses((errand_namespace){.name = "t", .functions = global, .bare = 1}, "shadow a global");
    refuses((errand_namespace){.name = "t", .functions = tools, .bare = 1}, "tools is a namespace");
    refuses((errand_namespace){.name = "t", .functions = class, .bare = 1}, "an error class");
    refuses((errand_namespace){.name = "ALL_TOOLS", .functions = one}, "shadow a global");
}

static void test_declare__no_memory_leaves_nothing(void **state)
{
    static const char *const functions[] = {"a", "b-c", NULL};
    static const errand_about abouts[] = {
        {"Words.", "{\"properties\":{\"a\":{\"enum\":[1,\"x\"]}}}", "{\"items\":{}}"},
        {NULL, NULL, NULL}};
    const errand_namespace space = {.name = "tools", .functions = functions, .abouts = abouts};
    errand_status status = ERRAND_ENOMEM;

    (void)state;
    for (long i = 0; i < 1000 && status == ERRAND_ENOMEM; i++) {
        char *text = NULL;
        errand_error err;
        errand__mem_countdown = i;
        status = errand_declarations(&space, 1, &text, &err);
        errand__mem_countdown = -1;
        assert_true(status == ERRAND_OK || status == ERRAND_ENOMEM);
        errand_declarations_free(text);
    }
    assert_int_equal(status, ERRAND_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_declare__schemas),
        cmocka_unit_test(test_declare__described_members_have_lines),
        cmocka_unit_test(test_declare__the_order_of_members_is_no_news),
        cmocka_unit_test(test_declare__a_type_has_a_limit),
        cmocka_unit_test(test_declare__depth_and_references_are_bounded),
        cmocka_unit_test(test_declare__names),
        cmocka_unit_test(test_declare__namespaces),
        cmocka_unit_test(test_declare__values_spread_and_bare),
        cmocka_unit_test(test_declare__what_cannot_be),
        cmocka_unit_test(test_declare__no_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
