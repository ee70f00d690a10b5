/* test_brand.c - the number that a mark makes, and the line that takes it on. */
#include "test.h"

#include "base/mem.h"
#include "transport/brand.h"

static void test_brand__is_a_number(void **state)
{
    static const struct {
        const char *mark, *brand;
    } cases[] = {{"0000000000000000ffffffffffffffff", "281474976710656"},
                 {"ffffffffffff0000", "562949953421311"},
                 {"00000000000a", "281474976710666"},
                 {"00000000000", ""}, /* Too short. */
                 {"00000000000A", ""},
                 {"no mark at all!!", ""},
                 {"", ""},
                 {NULL, ""}};
    char brand[BRAND_TEXT];

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        errand__brand_of(brand, cases[i].mark);
        assert_string_equal(brand, cases[i].brand);
    }
}

static void test_brand__stands_in_front_of_the_line(void **state)
{
    (void)state;
    AUTO_FREE char *line = errand__brand_line("00000000000b", "exec node 'x'");
    assert_string_equal(line, "ulimit -S -w 281474976710667 2>/dev/null||"
                              "ulimit -S -x 281474976710667 2>/dev/null;exec node 'x'");
    AUTO_FREE char *plain = errand__brand_line(NULL, "exec node 'x'");
    assert_string_equal(plain, "exec node 'x'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_brand__is_a_number),
        cmocka_unit_test(test_brand__stands_in_front_of_the_line),
    };
    return cmocka_run_group_tests_name("brand", tests, NULL, NULL);
}
