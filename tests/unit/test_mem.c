/* The door to the heap and its countdown. */
#include "test.h"

#include "base/mem.h"

static void test_mem__new_is_zeroed(void **state)
{
    unsigned char *block = errand__mem_new(100, 3);
    (void)state;

    assert_non_null(block);
    for (size_t i = 0; i < 300; i++)
        assert_int_equal(block[i], 0);
    errand__mem_free(block);
    errand__mem_free(NULL);
}

static void test_mem__a_copy_ends_in_nul(void **state)
{
    char *copy = errand__mem_copy("abcdef", 3);
    (void)state;

    assert_string_equal(copy, "abc");
    errand__mem_free(copy);
    copy = errand__mem_copy(NULL, 0);
    assert_string_equal(copy, "");
    errand__mem_free(copy);
    assert_null(errand__mem_copy("", SIZE_MAX));
}

static void test_mem__resize_keeps_what_was_there(void **state)
{
    char *block = errand__mem_copy("abc", 3);
    (void)state;

    block = errand__mem_resize(block, 1000);
    assert_string_equal(block, "abc");
    errand__mem_free(block);
    block = errand__mem_resize(NULL, 0);
    assert_non_null(block);
    errand__mem_free(block);
}

static void test_mem__the_countdown_counts_down(void **state)
{
    (void)state;

    errand__mem_countdown = 2;
    void *one = errand__mem_new(1, 1);
    void *two = errand__mem_copy("x", 1);
    void *three = errand__mem_new(1, 1);
    void *four = errand__mem_resize(NULL, 1);
    errand__mem_countdown = -1;
    assert_non_null(one);
    assert_non_null(two);
    assert_null(three);
    assert_null(four);
    errand__mem_free(one);
    errand__mem_free(two);
}

static void test_auto__frees_and_keeps(void **state)
{
    (void)state;
    char *kept = NULL;
    {
        AUTO_FREE char *freed = errand__mem_copy("a", 1);
        AUTO_FREE char *stolen = errand__mem_copy("b", 1);
        assert_non_null(freed);
        kept = steal(&stolen);
        assert_null(stolen);
    }
    assert_string_equal(kept, "b");
    errand__mem_free(kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mem__new_is_zeroed),
        cmocka_unit_test(test_mem__a_copy_ends_in_nul),
        cmocka_unit_test(test_mem__resize_keeps_what_was_there),
        cmocka_unit_test(test_mem__the_countdown_counts_down),
        cmocka_unit_test(test_auto__frees_and_keeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
