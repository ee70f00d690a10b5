/* How a text is taken, and what it may import: the options of the command. */
#include "command.h"

#define MODULES                                                                \
    "printf 'export const one: number = 1;\\n' >one.ts; printf 'export const " \
    "two = ;\\n' >two.js; "

static const struct line_case cases[] = {
    {"a fence", "printf '```js\\nreturn 1;\\n```\\n' | $E run -", NULL, 0, "^1\n$", ""},
    {"a function", "$E run -e 'async () => 42;'", NULL, 0, "^42\n$", ""},
    {"a function, exactly", "$E run --accept exact -e 'async () => 42;'", NULL, 0, "^$", ""},
    {"lenient by name", "$E run --accept lenient -e '() => 42'", NULL, 0, "^42\n$", ""},
    {"no such way", "$E run --accept any -e 1", NULL, 2, "",
     "^errand: --accept any: wants lenient or exact\n"},
    {"no last value", "$E run -e '1 + 1'", NULL, 0, "^$", ""},
    {"the last value", "$E run --last-value -e '1 + 1'", NULL, 0, "^2\n$", ""},
    {"a round quote", "$E run -e 'return \xe2\x80\x9c'", NULL, 1, "",
     "U\\+201C LEFT DOUBLE QUOTATION MARK at 1:8 is no JavaScript: write \" instead"},
    {"a module", MODULES "$E run --module lib=one.ts -e 'import { one } from \"lib\"; return one'",
     NULL, 0, "^1\n$", ""},
    {"a broken module", MODULES "$E run --module two.js=two.js -e 'return 1'", NULL, 1, "",
     "module two.js \\(line 1\\): "},
    {"a module without a file", "$E run --module lib -e 1", NULL, 2, "",
     "^errand: --module lib: wants NAME=FILE\n"},
    {"a module of standard input", "$E run --module lib=- -e 1", NULL, 2, "",
     "^errand: --module lib=-: wants a file\n"},
    {"a module that is not there", "$E run --module lib=none.js -e 1", NULL, 2, "",
     "^errand: .*none.js"},
    {"a module twice", MODULES "$E run --module a=one.ts --module a=one.ts -e 1", NULL, 2, "",
     "^errand: two modules are called a\n"},
};

static void test_text__is_taken_as_told(void **state)
{
    (void)state;
    run_cases(cases, sizeof(cases) / sizeof(cases[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text__is_taken_as_told),
    };
    return cmocka_run_group_tests(tests, command_setup, command_teardown);
}
