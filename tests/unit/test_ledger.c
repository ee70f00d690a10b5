/* What counts, to the byte: the cases of the contract, and a slow model beside it. */
#include "test.h"

#include "core/json.h"
#include "core/ledger.h"

#include <stdio.h>

static struct ledger with(uint64_t max)
{
    struct ledger ledger;

    errand__ledger_init(&ledger, max);
    return ledger;
}

static void test_ledger__the_euro_takes_seven(void **state)
{
    struct ledger seven = with(7);
    struct ledger six = with(6);
    (void)state;

    assert_true(errand__ledger_spend(&seven, strlen("\"\xe2\x82\xac\"")));
    assert_false(errand__ledger_spend(&six, strlen("\"\xe2\x82\xac\"")));
}

static void test_ledger__a_log_and_a_value_take_eleven(void **state)
{
    (void)state;
    for (uint64_t max = 10; max <= 11; max++) {
        struct ledger ledger = with(max);
        assert_true(errand__ledger_log(&ledger, SPAN_LITERAL("\"abc\"")).fits);
        assert_int_equal(errand__ledger_spend(&ledger, 4), max == 11);
    }
}

static void test_ledger__the_default_fits_to_the_byte(void **state)
{
    struct ledger ledger = with(67108864);
    (void)state;

    assert_false(errand__ledger_spend(&ledger, 67108861 + 2));
    assert_true(errand__ledger_spend(&ledger, 67108860 + 2));
    assert_int_equal(errand__ledger_left(&ledger), 0);
}

static void test_ledger__the_second_log_pays_a_comma(void **state)
{
    struct ledger ledger = with(2 + 3 + 1 + 3);
    (void)state;

    assert_true(errand__ledger_log(&ledger, SPAN_LITERAL("\"a\"")).fits);
    assert_true(errand__ledger_log(&ledger, SPAN_LITERAL("\"b\"")).fits);
    struct ledger tight = with(2 + 3 + 3);
    assert_true(errand__ledger_log(&tight, SPAN_LITERAL("\"a\"")).fits);
    assert_false(errand__ledger_log(&tight, SPAN_LITERAL("\"b\"")).fits);
}

static void test_ledger__the_smallest_cap_has_no_words(void **state)
{
    struct ledger ledger = with(4);
    (void)state;

    assert_false(errand__ledger_spend(&ledger, 3));
    errand__ledger_close(&ledger);
    assert_int_equal(errand__ledger_text(&ledger).len, 0);
    struct ledger nine = with(9);
    assert_span(errand__ledger_text(&nine), "outer");
    struct ledger enough = with(64);
    assert_span(errand__ledger_text(&enough), "outer output exceeded 64 bytes");
}

static void test_ledger__nothing_fits_once_closed(void **state)
{
    struct ledger ledger = with(1000);
    (void)state;

    errand__ledger_close(&ledger);
    assert_false(errand__ledger_spend(&ledger, 1));
    assert_false(errand__ledger_log(&ledger, SPAN_LITERAL("\"\"")).fits);
    assert_int_equal(errand__ledger_log(&ledger, SPAN_LITERAL("\"\"")).headed, 0);
}

static void test_ledger__a_huge_first_log_keeps_its_start(void **state)
{
    struct ledger ledger = with(96);
    char json[2 + 4 * 100];
    (void)state;

    json[0] = json[sizeof(json) - 1] = '"';
    for (size_t i = 0; i < 100; i++)
        (void)write_at(json + 1 + 4 * i, SPAN_LITERAL("\xf0\x9f\x98\x80"));
    struct ledger_entry entry = errand__ledger_log(&ledger, span_of(json, sizeof(json)));
    assert_false(entry.fits);
    /* The text takes 30 + 2, the brackets 2: 62 are left, the quotes and 15 faces. */
    assert_int_equal(entry.headed, 2 + 15 * 4);
    errand__ledger_close(&ledger);
    assert_span(errand__ledger_text(&ledger), "outer output exceeded 96 bytes");
    assert_int_equal(ledger.head_logs, 1);
}

static void test_ledger__an_item_pays_as_a_log_does(void **state)
{
    (void)state;
    for (uint64_t max = 14; max <= 16; max++) {
        struct ledger ledger = with(max);
        assert_true(errand__ledger_has_room(&ledger, 7));
        errand__ledger_item(&ledger, 7);
        assert_true(errand__ledger_log(&ledger, SPAN_LITERAL("\"a\"")).fits);
        assert_int_equal(errand__ledger_left(&ledger), max - 2 - 7 - 4);
        assert_int_equal(errand__ledger_has_room(&ledger, 2), max == 16);
    }
    struct ledger ledger = with(9);
    assert_false(errand__ledger_has_room(&ledger, 8));
    assert_false(errand__ledger_has_room(&ledger, UINT64_MAX));
    errand__ledger_item(&ledger, 7);
    assert_false(errand__ledger_has_room(&ledger, 0));
}

/* The head of 64 has 30 bytes and the brackets. */
static void test_ledger__a_head_has_whole_items(void **state)
{
    struct ledger ledger = with(64);
    (void)state;

    errand__ledger_item(&ledger, 20);
    errand__ledger_item(&ledger, 10);
    assert_true(errand__ledger_log(&ledger, SPAN_LITERAL("\"\"")).fits);
    assert_int_equal(ledger.items, 2);
    assert_int_equal(ledger.head_items, 1);
    assert_int_equal(ledger.head_logs, 0);
    assert_int_equal(ledger.head_spent, 22);
    struct ledger exact = with(64);
    errand__ledger_item(&exact, 20);
    errand__ledger_item(&exact, 9);
    assert_int_equal(exact.head_items, 2);
    assert_int_equal(exact.head_spent, exact.head_max);
}

/* As docs/protocol.md tells it, walking over all logs again each time. */
struct model {
    size_t kept, last, kept_items;
};

/* An item is what is no string. */
static bool is_item(const char *json)
{
    return json[0] == '{';
}

static struct model model_head(uint64_t max, const char *const *logs, size_t count)
{
    char text[64];
    long left = (long)max -
                snprintf(text, sizeof(text), "outer output exceeded %u bytes", (unsigned)max) - 2;
    long used = 2;
    struct model model = {0};

    for (size_t i = 0; i < count; i++) {
        long comma = model.kept + model.kept_items > 0 ? 1 : 0;
        long len = (long)strlen(logs[i]);
        if (used + comma + len <= left) {
            used += comma + len;
            if (is_item(logs[i])) {
                model.kept_items++;
                continue;
            }
            model.kept++;
            model.last = (size_t)len;
            continue;
        }
        if (is_item(logs[i]))
            break;
        long room = left - used - comma;
        size_t cut = room < 2 ? 0 : errand__json_string_cut(span_text(logs[i]), (size_t)room);
        if (cut > 2) {
            model.kept++;
            model.last = cut;
        }
        break;
    }
    return model;
}

static void test_ledger__the_head_is_what_a_second_walk_keeps(void **state)
{
    static const char *const logs[] = {
        "\"abc\"",          "{\"a\":1}",      "\"\"", "\"\\n\\u0001\"", "\"\"",
        "\"\xe2\x82\xac\"", "\"0123456789\"", "{}",   "\"z\"",          "\"\\ud83d\\ude00\""};
    (void)state;

    for (uint64_t max = 4; max < 120; max++) {
        struct ledger ledger = with(max);
        size_t arrived = 0;
        size_t last = 0;
        bool fits = true;
        while (fits && arrived < COUNT(logs)) {
            if (is_item(logs[arrived])) {
                fits = errand__ledger_has_room(&ledger, strlen(logs[arrived]));
                if (fits)
                    errand__ledger_item(&ledger, strlen(logs[arrived++]));
                continue;
            }
            struct ledger_entry entry = errand__ledger_log(&ledger, span_text(logs[arrived++]));
            fits = entry.fits;
            last = entry.headed > 0 ? entry.headed : last;
        }
        struct model model = model_head(max, logs, arrived);
        assert_int_equal(ledger.head_logs, model.kept);
        assert_int_equal(ledger.head_items, model.kept_items);
        assert_int_equal(last, model.last);
        /* What is kept, and the words, never exceed the cap. */
        assert_true(ledger.head_spent + errand__ledger_text(&ledger).len + 2 <= max);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ledger__the_euro_takes_seven),
        cmocka_unit_test(test_ledger__a_log_and_a_value_take_eleven),
        cmocka_unit_test(test_ledger__the_default_fits_to_the_byte),
        cmocka_unit_test(test_ledger__the_second_log_pays_a_comma),
        cmocka_unit_test(test_ledger__the_smallest_cap_has_no_words),
        cmocka_unit_test(test_ledger__nothing_fits_once_closed),
        cmocka_unit_test(test_ledger__a_huge_first_log_keeps_its_start),
        cmocka_unit_test(test_ledger__an_item_pays_as_a_log_does),
        cmocka_unit_test(test_ledger__a_head_has_whole_items),
        cmocka_unit_test(test_ledger__the_head_is_what_a_second_walk_keeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
