/* The queue of bytes: order, cap, memory given back, and no byte lost when memory is out. */
#include "test.h"

#include "base/buf.h"
#include "base/mem.h"

static void test_buf__first_in_first_out(void **state)
{
    struct buf buf;
    (void)state;

    errand__buf_init(&buf, 100);
    assert_int_equal(errand__buf_peek(&buf).len, 0);
    assert_int_equal(errand__buf_push(&buf, SPAN_LITERAL("hello ")), ERRAND_OK);
    assert_int_equal(errand__buf_push(&buf, SPAN_LITERAL("world")), ERRAND_OK);
    assert_int_equal(errand__buf_push(&buf, SPAN_EMPTY), ERRAND_OK);
    assert_span(errand__buf_peek(&buf), "hello world");
    errand__buf_consume(&buf, 6);
    assert_span(errand__buf_peek(&buf), "world");
    errand__buf_consume(&buf, 5);
    assert_int_equal(errand__buf_peek(&buf).len, 0);
    errand__buf_deinit(&buf);
}

static void test_buf__never_over_its_cap(void **state)
{
    struct buf buf;
    (void)state;

    errand__buf_init(&buf, 4);
    assert_int_equal(errand__buf_push(&buf, SPAN_LITERAL("abc")), ERRAND_OK);
    assert_int_equal(errand__buf_push(&buf, SPAN_LITERAL("de")), ERRAND_ELIMIT);
    assert_span(errand__buf_peek(&buf), "abc");
    assert_int_equal(errand__buf_reserve(&buf, SIZE_MAX), ERRAND_ELIMIT);
    errand__buf_consume(&buf, 1);
    assert_int_equal(errand__buf_push(&buf, SPAN_LITERAL("de")), ERRAND_OK);
    assert_span(errand__buf_peek(&buf), "bcde");
    errand__buf_deinit(&buf);
}

static void test_buf__keeps_the_head(void **state)
{
    struct buf buf;
    (void)state;

    errand__buf_init(&buf, 100);
    assert_int_equal(errand__buf_push(&buf, SPAN_LITERAL("abcdef")), ERRAND_OK);
    errand__buf_consume(&buf, 1);
    errand__buf_keep(&buf, 2);
    assert_span(errand__buf_peek(&buf), "bc");
    assert_int_equal(errand__buf_push(&buf, SPAN_LITERAL("x")), ERRAND_OK);
    assert_span(errand__buf_peek(&buf), "bcx");
    errand__buf_keep(&buf, 0);
    assert_int_equal(errand__buf_peek(&buf).len, 0);
    errand__buf_deinit(&buf);
}

/* A long time of pushing and consuming, against a counter that knows each byte. */
static void test_buf__a_long_stream_stays_in_order(void **state)
{
    struct buf buf;
    unsigned char in = 0;
    unsigned char out = 0;
    unsigned seed = 1;
    (void)state;

    errand__buf_init(&buf, 5000);
    for (int round = 0; round < 20000; round++) {
        char chunk[300];
        seed = seed * 1103515245U + 12345U;
        size_t len = (seed >> 8) % sizeof(chunk);
        for (size_t i = 0; i < len; i++)
            chunk[i] = (char)(unsigned char)(in + i);
        if (errand__buf_push(&buf, span_of(chunk, len)) == ERRAND_OK)
            in = (unsigned char)(in + len);
        errand_span bytes = errand__buf_peek(&buf);
        size_t taken = bytes.len == 0 ? 0 : (seed >> 16) % (bytes.len + 1);
        for (size_t i = 0; i < taken; i++)
            assert_int_equal((unsigned char)bytes.ptr[i], out++);
        errand__buf_consume(&buf, taken);
    }
    errand__buf_deinit(&buf);
}

static void test_buf__gives_memory_back_when_empty(void **state)
{
    struct buf buf;
    static char big[1 << 20];
    (void)state;

    errand__buf_init(&buf, sizeof(big));
    assert_int_equal(errand__buf_push(&buf, span_of(big, sizeof(big))), ERRAND_OK);
    assert_true(buf.room >= sizeof(big));
    errand__buf_consume(&buf, sizeof(big));
    assert_int_equal(buf.room, 0);
    errand__buf_deinit(&buf);
}

static void test_buf__a_large_reserve_is_exact(void **state)
{
    struct buf buf;
    (void)state;

    errand__buf_init(&buf, 256 << 20);
    assert_int_equal(errand__buf_reserve(&buf, 64 << 20), ERRAND_OK);
    assert_int_equal(buf.room, 64 << 20);
    errand__buf_deinit(&buf);
}

static void test_buf__without_memory_nothing_changes(void **state)
{
    struct buf buf;
    static char chunk[4096];
    (void)state;

    errand__buf_init(&buf, 1 << 20);
    assert_int_equal(errand__buf_push(&buf, SPAN_LITERAL("abc")), ERRAND_OK);
    errand__mem_countdown = 0;
    assert_int_equal(errand__buf_push(&buf, span_of(chunk, sizeof(chunk))), ERRAND_ENOMEM);
    errand__mem_countdown = -1;
    assert_span(errand__buf_peek(&buf), "abc");
    errand__buf_deinit(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_buf__first_in_first_out),
        cmocka_unit_test(test_buf__never_over_its_cap),
        cmocka_unit_test(test_buf__keeps_the_head),
        cmocka_unit_test(test_buf__a_long_stream_stays_in_order),
        cmocka_unit_test(test_buf__gives_memory_back_when_empty),
        cmocka_unit_test(test_buf__a_large_reserve_is_exact),
        cmocka_unit_test(test_buf__without_memory_nothing_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
