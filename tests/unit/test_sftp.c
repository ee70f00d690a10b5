/* test_sftp.c - packets of the file service: what is written is read again, and no length that a
 * host tells is believed. */
#include "test.h"

#include "transport/sftp.h"

static errand_span split_all(errand_span bytes)
{
    errand_span packet = SPAN_EMPTY;

    assert_int_equal(errand__sftp_split(bytes, &packet), ERRAND_OK);
    assert_int_equal(packet.len + 4, bytes.len);
    return packet;
}

static void test_sftp__what_is_written_is_read(void **state)
{
    struct sftp_writer writer;
    struct buf out;

    (void)state;
    errand__buf_init(&out, 1000);
    errand__sftp_begin(&writer, SFTP_WRITE, 0x01020384);
    errand__sftp_put_text(&writer, SPAN_LITERAL("handle"));
    errand__sftp_put_u64(&writer, UINT64_C(0xfedcba9876543210));
    assert_int_equal(errand__sftp_push(&writer, SPAN_LITERAL("\0data"), &out), ERRAND_OK);
    struct sftp_reader reader = {.rest = split_all(errand__buf_peek(&out))};
    assert_int_equal(errand__sftp_take_u8(&reader), SFTP_WRITE);
    assert_int_equal(errand__sftp_take_u32(&reader), 0x01020384);
    assert_true(span_is(errand__sftp_take_text(&reader), "handle"));
    assert_true(errand__sftp_take_u64(&reader) == UINT64_C(0xfedcba9876543210));
    assert_true(span_equal(errand__sftp_take_text(&reader), SPAN_LITERAL("\0data")));
    assert_false(reader.torn);
    assert_int_equal(reader.rest.len, 0);
    errand__buf_deinit(&out);
}

static void test_sftp__bytes_are_as_the_draft_has_them(void **state)
{
    struct sftp_writer writer;
    struct buf out;

    (void)state;
    errand__buf_init(&out, 1000);
    errand__sftp_begin(&writer, SFTP_REMOVE, 7);
    errand__sftp_put_text(&writer, SPAN_LITERAL("ab"));
    assert_int_equal(errand__sftp_push(&writer, SPAN_EMPTY, &out), ERRAND_OK);
    assert_true(span_equal(errand__buf_peek(&out), SPAN_LITERAL("\0\0\0\x0b\x0d\0\0\0\x07\0\0\0\x02"
                                                                "ab")));
    errand__buf_deinit(&out);
}

static void test_sftp__every_prefix_waits_or_is_torn(void **state)
{
    static const char bytes[] = "\0\0\0\x0e\x69\0\0\0\x01\0\0\0\x04\0\0\x81\xa4\0";
    errand_span all = span_of(bytes, 18), packet = SPAN_EMPTY;

    (void)state;
    for (size_t len = 0; len < all.len; len++)
        assert_int_equal(errand__sftp_split(span_head(all, len), &packet), ERRAND_AGAIN);
    for (size_t len = 0; len <= 13; len++) {
        struct sftp_reader reader = {.rest = span_head(span_after(all, 4), len)};
        (void)errand__sftp_take_u8(&reader);
        (void)errand__sftp_take_u32(&reader);
        struct sftp_attrs attrs = errand__sftp_take_attrs(&reader);
        assert_true(reader.torn == (len < 13));
        assert_true(attrs.has_mode == (len == 13));
        assert_false(attrs.has_size);
        assert_int_equal(attrs.mode, len == 13 ? 0100644 : 0);
    }
}

static void test_sftp__all_attributes(void **state)
{
    struct sftp_reader reader = {.rest = SPAN_LITERAL("\0\0\0\x0f"
                                                      "\0\0\0\x01\0\0\0\x02"
                                                      "\0\0\x03\xe8\0\0\x03\xe9"
                                                      "\0\0\x41\xed"
                                                      "\0\0\0\x05\0\0\0\x06")};

    (void)state;
    struct sftp_attrs attrs = errand__sftp_take_attrs(&reader);
    assert_true(attrs.has_size && attrs.size == UINT64_C(0x100000002));
    assert_true(attrs.has_mode && attrs.mode == 040755);
}

static void test_sftp__a_string_longer_than_its_packet(void **state)
{
    struct sftp_reader reader = {.rest = SPAN_LITERAL("\xff\xff\xff\xff"
                                                      "abcdefgh")};

    (void)state;
    assert_int_equal(errand__sftp_take_text(&reader).len, 0);
    assert_true(reader.torn);
    assert_int_equal(errand__sftp_take_u64(&reader), 0);
}

static void test_sftp__sizes_that_are_none(void **state)
{
    static const errand_span sizes[] = {
        {"\0\0\0\0", 4}, {"\0\x04\0\x01", 4}, {"\xff\xff\xff\xff", 4}, {"Welc", 4}};
    errand_span packet = SPAN_EMPTY;

    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++)
        assert_int_equal(errand__sftp_split(sizes[i], &packet), ERRAND_EIO);
    assert_int_equal(errand__sftp_split(SPAN_LITERAL("\0\x04\0\0"), &packet), ERRAND_AGAIN);
}

static void test_sftp__a_queue_without_room(void **state)
{
    struct sftp_writer writer;
    struct buf out;

    (void)state;
    errand__buf_init(&out, 12);
    errand__sftp_begin(&writer, SFTP_WRITE, 1);
    assert_int_equal(errand__sftp_push(&writer, SPAN_LITERAL("abc"), &out), ERRAND_ELIMIT);
    assert_int_equal(errand__buf_peek(&out).len, 0);
    errand__buf_deinit(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sftp__what_is_written_is_read),
        cmocka_unit_test(test_sftp__bytes_are_as_the_draft_has_them),
        cmocka_unit_test(test_sftp__every_prefix_waits_or_is_torn),
        cmocka_unit_test(test_sftp__all_attributes),
        cmocka_unit_test(test_sftp__a_string_longer_than_its_packet),
        cmocka_unit_test(test_sftp__sizes_that_are_none),
        cmocka_unit_test(test_sftp__a_queue_without_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
