/* What a run may put out, to the byte: logs, items, stores, values and errors. */
#include "test.h"

#include "played.h"

#include <stdio.h>
#include <stdlib.h>

/* --- The ledger, through the core --------------------------------------------------------- */

static struct play capped(uint64_t output_bytes)
{
    struct core_setup setup = play_setup();

    setup.limits.output_bytes = output_bytes;
    setup.collect_logs = true;
    return play_begun(&setup);
}

static uint64_t kept_bytes(const errand_outcome *end)
{
    uint64_t sum = 2 + end->message.len + 2;

    for (size_t i = 0; i < end->logs_count; i++)
        sum += end->logs[i].text.len + 2 + (i > 0 ? 1 : 0);
    return sum;
}

static void test_core_ledger__the_euro(void **state)
{
    (void)state;
    for (uint64_t cap = 6; cap <= 7; cap++) {
        struct play play = capped(cap);
        play_frame(&play, "done ok", "\"\xe2\x82\xac\"");
        play_over(&play);
        assert_int_equal(play.end->kind, cap == 7 ? ERRAND_KIND_VALUE : ERRAND_KIND_OUTPUT_LIMIT);
        if (cap == 6) {
            assert_int_equal(play.end->value.len, 0);
            assert_string_equal(play.end->limit, "output_bytes");
            assert_true(kept_bytes(play.end) <= cap);
        }
        play_deinit(&play);
    }
}

static void test_core_ledger__a_log_with_value_or_error(void **state)
{
    static const char *const dones[] = {
        "done ok 4\n\"xy\"\n", "done error 35\n{\"kind\":\"exception\",\"message\":\"xy\"}\n"};
    (void)state;

    for (size_t i = 0; i < COUNT(dones); i++) {
        for (uint64_t cap = 10; cap <= 11; cap++) {
            struct play play = capped(cap);
            play_frame(&play, "log log", "\"abc\"");
            play_out(&play, dones[i]);
            play_over(&play);
            assert_int_equal(play.end->kind == ERRAND_KIND_OUTPUT_LIMIT, cap == 10);
            if (cap == 10)
                assert_true(kept_bytes(play.end) <= cap);
            else
                assert_int_equal(play.end->logs_count, 1);
            play_deinit(&play);
        }
    }
}

/* The caller's words are a message too: text, and nothing that steers a terminal. */
static void test_core_ledger__a_reason_is_cleaned(void **state)
{
    static char reason[5000];
    struct play play = play_begun_plainly();
    (void)state;

    play_cancel(&play, "st\xff\x1b[31mop");
    play_over(&play);
    assert_outcome(&play, ABORT, "cancelled");
    assert_span(play.end->message, "st\xef\xbf\xbd [31mop");
    play_deinit(&play);

    play = play_begun_plainly();
    memset(reason, '\xff', sizeof(reason) - 1);
    play_cancel(&play, reason);
    play_over(&play);
    assert_int_equal(play.end->message.len, 3 * (sizeof(reason) - 1));
    assert_int_equal(memcmp(play.end->message.ptr, "\xef\xbf\xbd\xef", 4), 0);
    play_deinit(&play);

    play = play_begun_plainly();
    memset(reason, '\x1b', sizeof(reason) - 1);
    play_cancel(&play, reason);
    play_over(&play);
    assert_null(memchr(play.end->message.ptr, '\x1b', play.end->message.len));
    play_deinit(&play);
}

static void test_core_ledger__a_reason_too_long_for_the_ledger(void **state)
{
    struct core_setup setup = play_setup();
    struct play play;
    char reason[1001];
    (void)state;

    setup.limits.output_bytes = 64;
    memset(reason, 'r', 1000);
    reason[1000] = '\0';
    play_init(&play, &setup);
    play_cancel(&play, reason);
    play_closed(&play);
    assert_outcome(&play, OUTPUT_LIMIT, "output_limit");
    assert_span(play.end->message, "outer output exceeded 64 bytes");
    play_deinit(&play);

    setup.limits.output_bytes = 5000;
    play_init(&play, &setup);
    play_cancel(&play, reason);
    play_closed(&play);
    assert_outcome(&play, ABORT, "cancelled");
    assert_span(play.end->message, reason);
    play_deinit(&play);
}

static void test_core_ledger__the_smallest_cap(void **state)
{
    struct play play = capped(4);
    (void)state;

    play_out(&play, "done error 35\n{\"kind\":\"exception\",\"message\":\"xy\"}\n");
    play_over(&play);
    assert_outcome(&play, OUTPUT_LIMIT, "output_limit");
    assert_int_equal(play.end->message.len, 0);
    play_deinit(&play);
}

static void test_core_ledger__a_huge_first_log_is_cut(void **state)
{
    struct play play = capped(96);
    (void)state;

    play_frame(&play, "log log",
               "\"\xf0\x9f\x98\x80\\n\xf0\x9f\x98\x80"
               "0123456789012345678901234567890123456789012345678901234567890123456789012345\"");
    /* Home trips by itself, and what the runner says then is no news. */
    play_frame(&play, "done error", "{\"kind\":\"output-limit\"}");
    play_over(&play);
    assert_outcome(&play, OUTPUT_LIMIT, "output_limit");
    assert_int_equal(play.end->logs_count, 1);
    assert_int_equal(play.end->logs_kept, 1);
    assert_memory_equal(play.end->logs[0].text.ptr, "\xf0\x9f\x98\x80\n", 5);
    /* 96 - 2 - 32 - 2: 60 bytes of JSON between the quotes, 59 of text. */
    assert_int_equal(play.end->logs[0].text.len, 59);
    assert_true(kept_bytes(play.end) + 1 <= 96);
    assert_int_equal(play.end->warnings_count, 0);
    play_deinit(&play);
}

static void test_core_ledger__a_timeout_whose_text_does_not_fit(void **state)
{
    struct core_setup setup = play_setup();
    (void)state;

    setup.limits.output_bytes = 40;
    struct play play = play_begun(&setup);
    play_frame(&play, "log log", "\"0123\"");
    play_pass(&play, 600000);
    play_over(&play);
    assert_outcome(&play, OUTPUT_LIMIT, "output_limit");
    play_deinit(&play);
}

/* --- Items and stores --------------------------------------------------------------------- */

#define TEXT_ITEM "{\"type\":\"text\",\"text\":\"Turin\"}" /* 30 bytes. */

static void test_core_ledger__items_stand_among_logs(void **state)
{
    struct play play = capped(1000);
    (void)state;

    play_frame(&play, "item", TEXT_ITEM);
    play_frame(&play, "log info", "\"a\"");
    play_frame(&play, "item", " {\"type\":\"content\",\"content\":{\"type\":\"text\"}} ");
    assert_says(&play,
                "item text after 0: " TEXT_ITEM "\nlog info \"a\" a\n"
                "item content after 1: {\"type\":\"content\",\"content\":{\"type\":\"text\"}}\n");
    play_frame(&play, "done error", "{\"kind\":\"exception\",\"message\":\"no\"}");
    play_over(&play);
    assert_outcome(&play, EXCEPTION, "thrown");
    assert_int_equal(play.end->items_count, 2);
    assert_int_equal(play.end->items_total, 2);
    assert_string_equal(play.end->items[0].type, "text");
    assert_span(play.end->items[0].json, TEXT_ITEM);
    assert_int_equal(play.end->items[1].logs_before, 1);
    assert_span(play.end->items[1].json, "{\"type\":\"content\",\"content\":{\"type\":\"text\"}}");
    play_deinit(&play);
}

/* 2 + 30 + 1 + 3 + 1 + 30 and a value of two digits: 69. */
static void test_core_ledger__an_item_costs_its_json_and_a_comma(void **state)
{
    (void)state;
    for (uint64_t cap = 66; cap <= 69; cap++) {
        struct play play = capped(cap);
        play_frame(&play, "item", TEXT_ITEM);
        play_frame(&play, "log info", "\"a\"");
        play_frame(&play, "item", TEXT_ITEM);
        play_frame(&play, "done ok", "42");
        play_over(&play);
        if (cap == 69)
            assert_outcome(&play, VALUE, "");
        else
            assert_outcome(&play, OUTPUT_LIMIT, "output_limit");
        assert_int_equal(play.end->items_total, 2);
        assert_int_equal(play.end->items_count, cap == 69 ? 2 : 1);
        assert_int_equal(play_says(&play, "item text after 1"), cap > 66);
        play_deinit(&play);
    }
}

/* Of a cap of 100 the words take 33, the brackets 2: 65 are left, two items and a comma take 61. */
static void test_core_ledger__a_head_keeps_whole_items(void **state)
{
    struct play play = capped(100);
    (void)state;

    play_frame(&play, "item", TEXT_ITEM);
    play_frame(&play, "item", TEXT_ITEM);
    play_frame(&play, "item", "{\"type\":\"text\",\"text\":\"\"}");
    play_frame(&play, "log info", "\"\"");
    play_frame(&play, "item", TEXT_ITEM);
    play_frame(&play, "done error", "{\"kind\":\"output-limit\"}");
    play_over(&play);
    assert_outcome(&play, OUTPUT_LIMIT, "output_limit");
    assert_span(play.end->message, "outer output exceeded 100 bytes");
    assert_int_equal(play.end->items_count, 2);
    assert_int_equal(play.end->items_total, 4);
    assert_int_equal(play.end->logs_kept, 0);
    assert_int_equal(play.end->warnings_count, 0);
    play_deinit(&play);
}

/* Decided, the runner may still show something until it says done; behind it nothing counts. */
static void test_core_ledger__items_after_the_end(void **state)
{
    struct play play = capped(150);
    (void)state;

    play_cancel(&play, "enough");
    play_frame(&play, "item", TEXT_ITEM);
    play_frame(&play, "item",
               "{\"type\":\"text\",\"text\":\"one that is so long that what is left of "
               "the cap, which was 150 bytes, has no room for it any more, as one may "
               "count\"}");
    play_frame(&play, "store", "{\"set\":{},\"delete\":[]}");
    play_frame(&play, "done error", "{\"kind\":\"abort\"}");
    play_frame(&play, "item", TEXT_ITEM);
    play_over(&play);
    assert_outcome(&play, ABORT, "cancelled");
    assert_int_equal(play.end->items_count, 1);
    assert_int_equal(play.end->items_total, 3);
    assert_int_equal(play.end->store.len, 0);
    assert_says(&play, "warning after the end: item frame (\xc3\x97"
                       "2)\n");
    assert_int_equal(play.end->warnings_count, 1);
    play_deinit(&play);
}

static void test_core_ledger__a_store_comes_with_a_value(void **state)
{
    static const char *const endings[] = {"done ok 1\n7\n",
                                          "done error 20\n{\"kind\":\"exception\"}\n",
                                          "done ok 300\n", "stats 2\n[]\n", ""};
    (void)state;

    for (size_t i = 0; i < COUNT(endings); i++) {
        struct play play = capped(200);
        play_frame(&play, "store", "{\"set\":{\"a\":[1]},\"delete\":[\"b\"]}");
        play_out(&play, endings[i]);
        play_over(&play);
        if (i == 0)
            assert_span(play.end->store, "{\"set\":{\"a\":[1]},\"delete\":[\"b\"]}");
        else
            assert_int_equal(play.end->store.len, 0);
        play_deinit(&play);
    }
}

static void test_core_ledger__a_log_over_the_limit_ends_the_run(void **state)
{
    struct play play = capped(64);
    (void)state;

    for (int i = 0; i < 40 && errand__core_phase(play.core) == CORE_RUNNING; i++)
        play_frame(&play, "log log", "\"12345678\"");
    assert_string_equal(play.orders, "T");
    play_frame(&play, "log log", "\"\"");
    play_over(&play);
    assert_outcome(&play, OUTPUT_LIMIT, "output_limit");
    /* 64 - 32: 2 + 10 + 11 + 9 with the third cut to "123456". */
    assert_int_equal(play.end->logs_count, 3);
    assert_span(play.end->logs[2].text, "123456");
    assert_span(play.end->message, "outer output exceeded 64 bytes");
    play_deinit(&play);
}

/* --- Large -------------------------------------------------------------------------------- */

static void feed_value(struct play *play, size_t len)
{
    char header[64];
    char *chunk = malloc(1 << 20);

    assert_non_null(chunk);
    memset(chunk, 'x', 1 << 20);
    (void)snprintf(header, sizeof(header), "done ok %zu\n\"", len + 2);
    play_out(play, header);
    for (size_t at = 0; at < len; at += 1 << 20)
        play_out_bytes(play, span_of(chunk, len - at < 1 << 20 ? len - at : 1 << 20));
    play_out(play, "\"\n");
    free(chunk);
}

static void test_core_ledger__64_mib_to_the_byte(void **state)
{
    (void)state;
    for (size_t more = 0; more <= 1; more++) {
        struct core_setup setup = play_setup();
        struct play play = play_begun(&setup);
        feed_value(&play, 67108860 + more);
        errand__core_eof(play.core, 0);
        errand__core_exited(play.core, 0, 0, 0);
        errand__core_closed(play.core, 0, SPAN_EMPTY);
        errand_event event;
        assert_true(errand__core_event(play.core, &event));
        assert_int_equal(event.type, ERRAND_EVENT_END);
        assert_int_equal(event.as.end->kind,
                         more == 0 ? ERRAND_KIND_VALUE : ERRAND_KIND_OUTPUT_LIMIT);
        assert_int_equal(event.as.end->value.len, more == 0 ? 67108862 : 0);
        assert_int_equal(event.as.end->warnings_count, 0);
        play_deinit(&play);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_core_ledger__the_euro),
        cmocka_unit_test(test_core_ledger__a_log_with_value_or_error),
        cmocka_unit_test(test_core_ledger__a_reason_is_cleaned),
        cmocka_unit_test(test_core_ledger__a_reason_too_long_for_the_ledger),
        cmocka_unit_test(test_core_ledger__the_smallest_cap),
        cmocka_unit_test(test_core_ledger__a_huge_first_log_is_cut),
        cmocka_unit_test(test_core_ledger__a_timeout_whose_text_does_not_fit),
        cmocka_unit_test(test_core_ledger__items_stand_among_logs),
        cmocka_unit_test(test_core_ledger__an_item_costs_its_json_and_a_comma),
        cmocka_unit_test(test_core_ledger__a_head_keeps_whole_items),
        cmocka_unit_test(test_core_ledger__items_after_the_end),
        cmocka_unit_test(test_core_ledger__a_store_comes_with_a_value),
        cmocka_unit_test(test_core_ledger__a_log_over_the_limit_ends_the_run),
        cmocka_unit_test(test_core_ledger__64_mib_to_the_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
