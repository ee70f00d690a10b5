/* The vectors of RFC 4648, all lengths there and back, and what is no base64. */
#include "test.h"

#include "base/base64.h"

static void test_base64__vectors_of_the_standard(void **state)
{
    static const struct {
        const char *plain, *text;
    } vectors[] = {{"", ""},
                   {"f", "Zg=="},
                   {"fo", "Zm8="},
                   {"foo", "Zm9v"},
                   {"foob", "Zm9vYg=="},
                   {"fooba", "Zm9vYmE="},
                   {"foobar", "Zm9vYmFy"},
                   {"\xff\xfe\xfb", "//77"}};
    (void)state;

    for (size_t i = 0; i < COUNT(vectors); i++) {
        char text[16] = "";
        unsigned char plain[16];
        size_t size = 0;
        size_t len = strlen(vectors[i].plain);
        assert_int_equal(errand__base64_len(len), strlen(vectors[i].text));
        errand__base64_encode(text, span_text(vectors[i].plain));
        assert_string_equal(text, vectors[i].text);
        assert_true(errand__base64_size(span_text(text), &size));
        assert_int_equal(size, len);
        assert_true(errand__base64_decode(plain, span_text(text)));
        assert_memory_equal(plain, vectors[i].plain, len);
    }
}

static void test_base64__all_bytes_at_all_lengths(void **state)
{
    unsigned char bytes[300];
    unsigned char back[300];
    char text[400];
    (void)state;

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char)(i * 7);
    for (size_t len = 0; len <= sizeof(bytes); len++) {
        size_t size = 0;
        errand_span said = span_of(text, errand__base64_len(len));
        errand__base64_encode(text, span_of(bytes, len));
        assert_true(errand__base64_size(said, &size));
        assert_int_equal(size, len);
        size = 0;
        assert_true(errand__base64_is(said, &size));
        assert_int_equal(size, len);
        assert_true(errand__base64_decode(back, said));
        assert_memory_equal(back, bytes, len);
    }
}

static void test_base64__what_is_none(void **state)
{
    static const char *const none[] = {
        "A",    "AA",       "AAA",  "A===", "====",  "AA=A",      "A=AA",
        "=AAA", "AA==AA==", "AA-_", "A A=", "AAA\n", "A\xc3\xa9="};
    (void)state;

    for (size_t i = 0; i < COUNT(none); i++) {
        unsigned char out[16];
        size_t size = 0;
        assert_false(errand__base64_is(span_text(none[i]), &size));
        assert_false(errand__base64_decode(out, span_text(none[i])));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base64__vectors_of_the_standard),
        cmocka_unit_test(test_base64__all_bytes_at_all_lengths),
        cmocka_unit_test(test_base64__what_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
