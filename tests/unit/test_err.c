/* Errors: the first cause wins, one printable line, no torn character. */
#include "test.h"

#include "base/err.h"

#include <errno.h>

static void test_err__the_first_cause_wins(void **state)
{
    errand_error err = {0};
    (void)state;

    assert_int_equal(errand__fail(&err, ERRAND_EINVAL, 0, "a: %d", 1), ERRAND_EINVAL);
    assert_int_equal(errand__fail(&err, ERRAND_EIO, 0, "b"), ERRAND_EIO);
    assert_int_equal(err.status, ERRAND_EINVAL);
    assert_string_equal(err.text, "a: 1");
    errand__err_clear(&err);
    assert_int_equal(err.status, ERRAND_OK);
    assert_string_equal(err.text, "");
}

static void test_err__nobody_need_listen(void **state)
{
    (void)state;
    assert_int_equal(errand__fail(NULL, ERRAND_ENOMEM, 0, "x"), ERRAND_ENOMEM);
    errand__err_clear(NULL);
}

static void test_err__the_system_says_why(void **state)
{
    errand_error err = {0};
    (void)state;

    (void)errand__fail(&err, ERRAND_EIO, ENOENT, "exec: box");
    assert_string_equal(err.text, "exec: box: No such file or directory");
    assert_int_equal(err.os_errno, ENOENT);
}

static void test_err__is_one_line(void **state)
{
    errand_error err = {0};
    (void)state;

    (void)errand__fail(&err, ERRAND_EIO, 0, "a: %s", "x\ny\x1b[1mz\x7f");
    assert_string_equal(err.text, "a: x y [1mz ");
}

static void test_err__a_long_text_tears_no_character(void **state)
{
    char long_text[400];
    (void)state;

    for (size_t shift = 0; shift < 4; shift++) {
        errand_error err = {0};
        memset(long_text, 'x', sizeof(long_text));
        for (size_t i = shift; i + 4 < sizeof(long_text); i += 4)
            memcpy(long_text + i, "\xf0\x9f\x98\x80", 4);
        long_text[sizeof(long_text) - 1] = '\0';
        (void)errand__fail(&err, ERRAND_EIO, 0, "%s", long_text);
        size_t len = strlen(err.text);
        assert_true(len >= sizeof(err.text) - 5);
        assert_int_equal((len - shift) % 4, 0);
    }
}

static void test_err__what_passes_by_may_be_tried_again(void **state)
{
    static const struct {
        errand_status status;
        int os_errno, retryable;
    } cases[] = {{ERRAND_EIO, EAGAIN, 1},       {ERRAND_EIO, EMFILE, 1},
                 {ERRAND_EIO, ECONNREFUSED, 1}, {ERRAND_EIO, ENOENT, 0},
                 {ERRAND_EIO, EACCES, 0},       {ERRAND_EIO, 0, 0},
                 {ERRAND_ENOMEM, 0, 1},         {ERRAND_EAUTH, ECONNREFUSED, 0},
                 {ERRAND_EINVAL, 0, 0},         {ERRAND_EIO, ETIMEDOUT, 1}};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        errand_error err = {0};
        (void)errand__fail(&err, cases[i].status, cases[i].os_errno, "a: b");
        assert_int_equal(err.retryable, cases[i].retryable);
        assert_int_equal(err.retry_after_ms, 0);
    }
    errand_error err = {0};
    (void)errand__fail(&err, ERRAND_EIO, 0, "a: b");
    errand__err_retryable(&err, 2500);
    assert_int_equal(err.retryable, 1);
    assert_int_equal(err.retry_after_ms, 2500);
    errand__err_clear(&err);
    assert_int_equal(err.retryable, 0);
    assert_int_equal(err.retry_after_ms, 0);
    errand__err_retryable(NULL, 1);
}

static void test_err__statuses_have_names(void **state)
{
    (void)state;
    assert_string_equal(errand_status_name(ERRAND_OK), "OK");
    assert_string_equal(errand_status_name(ERRAND_AGAIN), "AGAIN");
    assert_string_equal(errand_status_name(ERRAND_EINVAL), "EINVAL");
    assert_string_equal(errand_status_name(ERRAND_ENOMEM), "ENOMEM");
    assert_string_equal(errand_status_name(ERRAND_ELIMIT), "ELIMIT");
    assert_string_equal(errand_status_name(ERRAND_ESTATE), "ESTATE");
    assert_string_equal(errand_status_name(ERRAND_EIO), "EIO");
    assert_string_equal(errand_status_name(ERRAND_EAUTH), "EAUTH");
    assert_string_equal(errand_status_name(ERRAND_ENOSYS), "ENOSYS");
    assert_string_equal(errand_status_name((errand_status)99), "unknown status");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_err__the_first_cause_wins),
        cmocka_unit_test(test_err__nobody_need_listen),
        cmocka_unit_test(test_err__the_system_says_why),
        cmocka_unit_test(test_err__is_one_line),
        cmocka_unit_test(test_err__a_long_text_tears_no_character),
        cmocka_unit_test(test_err__what_passes_by_may_be_tried_again),
        cmocka_unit_test(test_err__statuses_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
