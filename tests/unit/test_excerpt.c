/* test_excerpt.c - the caret stands under the place, whatever the line is made of. */
#include "test.h"

#include "cli/excerpt.h"
#include "cli/program.h"

#include <locale.h>
#include <stdio.h>

#define GUTTER "\n       | "

struct excerpt_case {
    const char *name, *line;
    uint32_t column;
    const char *shown, *pad; /* pad: what stands in front of the caret. */
};

static const struct excerpt_case cases[] = {
    {"the first column", "let b = ;", 1, "let b = ;", ""},
    {"somewhere", "let b = ;", 9, "let b = ;", "        "},
    {"behind the end", "let b = ", 9, "let b = ", "        "},
    {"far behind the end", "let b", 4000000000, "let b", "     "},
    {"column 0", "let b", 0, "let b", ""},
    {"tabs stay tabs", "\t\ta\tb;", 5, "\t\ta\tb;", "\t\t \t"},
    {"wide letters", "a\xe6\x97\xa5\xe6\x9c\xac;", 4, "a\xe6\x97\xa5\xe6\x9c\xac;", "     "},
    {"full-width punctuation", "f\xef\xbc\x88)", 3, "f\xef\xbc\x88)", "   "},
    {"emoji are two units and two columns", "\xf0\x9f\x98\x80;", 3, "\xf0\x9f\x98\x80;", "  "},
    {"between the halves of one", "\xf0\x9f\x98\x80;", 2, "\xf0\x9f\x98\x80;", "  "},
    {"a combining mark has no column", "e\xcc\x81;", 3, "e\xcc\x81;", " "},
    {"nor has a zero-width space", "a\xe2\x80\x8b;", 3, "a\xe2\x80\x8b;", " "},
    {"one column", "\xc3\xa9\xce\xa9;", 3, "\xc3\xa9\xce\xa9;", "  "},
    {"what steers", "\x1b[2J\xe2\x80\xae;", 6, "\xef\xbf\xbd[2J\xef\xbf\xbd;", "     "},
    {"no UTF-8", "\xff\xe6\x97;", 4, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd;", "   "},
    {"an empty line", "", 1, "", ""},
};

static void assert_excerpt(const char *name, const struct excerpt *excerpt, const char *expected)
{
    struct buf text;

    errand__buf_init(&text, TEXT_BYTES_MAX);
    excerpt_add(&text, excerpt);
    errand_span told = errand__buf_peek(&text);
    if (told.len != strlen(expected) || memcmp(told.ptr, expected, told.len) != 0)
        fail_msg("%s:\n%.*swhere there should be\n%s", name, (int)told.len, told.ptr, expected);
    errand__buf_deinit(&text);
}

static void test_excerpt__the_caret_stands_under_the_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct excerpt_case *each = &cases[i];
        struct excerpt excerpt = {7, span_text(each->line), each->column, true};
        char expected[256];

        (void)snprintf(expected, sizeof(expected), "     7 | %s" GUTTER "%s^\n", each->shown,
                       each->pad);
        assert_excerpt(each->name, &excerpt, expected);
    }
}

static void test_excerpt__a_file_gets_the_line_as_it_is(void **state)
{
    struct excerpt excerpt = {123456, SPAN_LITERAL("\x1b;"), 2, false};

    (void)state;
    assert_excerpt("as it is", &excerpt, "123456 | \x1b;" GUTTER " ^\n");
}

/* A line of count times unit and then "!", with the column of that, or of its end. */
static void assert_cut(const char *unit, size_t count, size_t behind, const char *shown_unit,
                       size_t before_shown, size_t behind_shown, const char *pad_unit)
{
    struct buf line, expected;

    errand__buf_init(&line, 1 << 20);
    errand__buf_init(&expected, 1 << 20);
    for (size_t i = 0; i < count; i++)
        text_words(&line, unit);
    text_words(&line, "!");
    for (size_t i = 0; i < behind; i++)
        text_words(&line, "y");
    text_words(&expected, "     1 | ");
    text_words(&expected, before_shown < count ? "\xe2\x80\xa6" : "");
    for (size_t i = 0; i < before_shown; i++)
        text_words(&expected, shown_unit);
    text_words(&expected, "!");
    for (size_t i = 0; i < behind_shown; i++)
        text_words(&expected, "y");
    text_words(&expected, behind_shown < behind ? "\xe2\x80\xa6" : "");
    text_words(&expected, before_shown < count ? GUTTER " " : GUTTER);
    for (size_t i = 0; i < before_shown; i++)
        text_words(&expected, pad_unit);
    text_add(&expected, span_of("^\n", 3));
    struct excerpt excerpt = {1, errand__buf_peek(&line), (uint32_t)count + 1, true};
    assert_excerpt(unit, &excerpt, errand__buf_peek(&expected).ptr);
    errand__buf_deinit(&line);
    errand__buf_deinit(&expected);
}

static void test_excerpt__a_long_line_is_cut_around_the_place(void **state)
{
    (void)state;
    assert_cut("x", 50, 49, "x", 50, 49, " ");   /* It just fits. */
    assert_cut("x", 50, 50, "x", 50, 49, " ");   /* One more does not. */
    assert_cut("x", 0, 500, "x", 0, 99, " ");    /* The place is the first. */
    assert_cut("x", 500, 0, "x", 99, 0, " ");    /* And the last. */
    assert_cut("x", 500, 10, "x", 89, 10, " ");  /* Nothing is wasted. */
    assert_cut("x", 500, 500, "x", 60, 39, " "); /* In the midst. */
    assert_cut("\xe6\x97\xa5", 500, 500, "\xe6\x97\xa5", 30, 39, "  ");
    assert_cut("\t", 500, 500, "\t", 7, 43, "\t");
}

/* No character loses what joins it, and no amount of what has no width fills a screen. */
static void test_excerpt__what_has_no_width_is_cut_too(void **state)
{
    struct buf line, text;

    (void)state;
    errand__buf_init(&line, 1 << 20);
    errand__buf_init(&text, 1 << 20);
    for (int i = 0; i < 100; i++)
        text_words(&line, "e\xcc\x81");
    struct excerpt excerpt = {1, errand__buf_peek(&line), 200, true};
    excerpt_add(&text, &excerpt);
    errand_span told = errand__buf_peek(&text);
    assert_non_null(memmem(told.ptr, told.len,
                           "| \xe2\x80\xa6"
                           "e\xcc\x81",
                           8));

    errand__buf_consume(&text, told.len);
    for (int i = 0; i < 10000; i++)
        text_words(&line, "\xcc\x81");
    excerpt = (struct excerpt){1, errand__buf_peek(&line), 5000, true};
    excerpt_add(&text, &excerpt);
    assert_true(errand__buf_peek(&text).len < 400);
    errand__buf_deinit(&line);
    errand__buf_deinit(&text);
}

static void test_excerpt__lines_end_in_any_way(void **state)
{
    struct program program = {0};
    errand_error err = {0};

    (void)state;
    assert_int_equal(program_take(&program, "program", "-e", "one\r\n\ttwo\nthree", &err),
                     ERRAND_OK);
    struct excerpt excerpt = {1, program_line(&program, 1), 4, true};
    assert_excerpt("a carriage return", &excerpt, "     1 | one" GUTTER "   ^\n");
    excerpt = (struct excerpt){2, program_line(&program, 2), 2, true};
    assert_excerpt("a line feed", &excerpt, "     2 | \ttwo" GUTTER "\t^\n");
    excerpt = (struct excerpt){3, program_line(&program, 3), 6, true};
    assert_excerpt("nothing", &excerpt, "     3 | three" GUTTER "     ^\n");
    assert_int_equal(program_line(&program, 4).len, 0);
    program_deinit(&program);
}

/* What is wide is so in a locale of UTF-8 alone; the command sees to it that there is one. */
static int choose_locale(void **state)
{
    (void)state;
    return setlocale(LC_CTYPE, "C.UTF-8") == NULL ? -1 : 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_excerpt__the_caret_stands_under_the_place),
        cmocka_unit_test(test_excerpt__a_file_gets_the_line_as_it_is),
        cmocka_unit_test(test_excerpt__a_long_line_is_cut_around_the_place),
        cmocka_unit_test(test_excerpt__what_has_no_width_is_cut_too),
        cmocka_unit_test(test_excerpt__lines_end_in_any_way),
    };
    return cmocka_run_group_tests(tests, choose_locale, NULL);
}
