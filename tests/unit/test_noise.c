/* Noise: its head, its tail, what is handed out, how much it was. */
#include "test.h"

#include "core/noise.h"

#include <stdlib.h>

static void add(struct noise *noise, const char *text)
{
    assert_int_equal(errand__noise_add(noise, span_text(text)), ERRAND_OK);
}

static void test_noise__keeps_head_and_tail(void **state)
{
    struct noise noise;
    (void)state;

    errand__noise_init(&noise, 4, 5);
    add(&noise, "abc");
    add(&noise, "defgh");
    add(&noise, "ij");
    assert_span(errand__noise_head(&noise), "abcd");
    assert_span(errand__noise_tail(&noise), "fghij");
    assert_int_equal(noise.total, 10);
    add(&noise, "0123456789");
    assert_span(errand__noise_tail(&noise), "56789");
    errand__noise_deinit(&noise);
}

static void test_noise__every_byte_is_handed_out_once(void **state)
{
    struct noise noise;
    (void)state;

    errand__noise_init(&noise, 4, 2);
    add(&noise, "abc");
    assert_span(errand__noise_lend(&noise), "abc");
    errand__noise_give_back(&noise);
    assert_int_equal(errand__noise_lend(&noise).len, 0);
    add(&noise, "de");
    add(&noise, "f");
    assert_span(errand__noise_lend(&noise), "def");
    errand__noise_give_back(&noise);
    errand__noise_deinit(&noise);
}

static void test_noise__any_chunks_give_the_same_tail(void **state)
{
    char stream[1000];
    (void)state;

    for (size_t i = 0; i < sizeof(stream); i++)
        stream[i] = (char)('a' + i % 26);
    for (size_t chunk = 1; chunk < 90; chunk++) {
        struct noise noise;
        errand__noise_init(&noise, 10, 37);
        for (size_t at = 0; at < sizeof(stream); at += chunk) {
            size_t len = sizeof(stream) - at < chunk ? sizeof(stream) - at : chunk;
            assert_int_equal(errand__noise_add(&noise, span_of(stream + at, len)), ERRAND_OK);
            (void)errand__noise_lend(&noise);
            errand__noise_give_back(&noise);
        }
        assert_memory_equal(errand__noise_tail(&noise).ptr, stream + sizeof(stream) - 37, 37);
        assert_int_equal(errand__noise_tail(&noise).len, 37);
        assert_true(noise.tail.room <= 1024 + 74);
        errand__noise_deinit(&noise);
    }
}

static void test_noise__knows_the_words_of_v8(void **state)
{
    struct noise noise;
    (void)state;

    errand__noise_init(&noise, 10, 1000);
    add(&noise, "FATAL ERROR: Reached heap limit Allocat");
    assert_false(errand__noise_tells_out_of_memory(&noise));
    add(&noise, "ion failed - JavaScript heap out of memory\n");
    assert_true(errand__noise_tells_out_of_memory(&noise));
    errand__noise_deinit(&noise);
}

static void test_noise__without_a_tail(void **state)
{
    struct noise noise;
    (void)state;

    errand__noise_init(&noise, 0, 0);
    add(&noise, "abc");
    assert_int_equal(errand__noise_head(&noise).len, 0);
    assert_int_equal(errand__noise_tail(&noise).len, 0);
    assert_span(errand__noise_lend(&noise), "abc");
    errand__noise_deinit(&noise);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_noise__keeps_head_and_tail),
        cmocka_unit_test(test_noise__every_byte_is_handed_out_once),
        cmocka_unit_test(test_noise__any_chunks_give_the_same_tail),
        cmocka_unit_test(test_noise__knows_the_words_of_v8),
        cmocka_unit_test(test_noise__without_a_tail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
