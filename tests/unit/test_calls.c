/* Open questions: who is open, how long each took, unions of spans, deadlines, records. */
#include "test.h"

#include "core/calls.h"

static struct calls fresh(int64_t call_us, int64_t approval_us, uint64_t records)
{
    struct calls calls;

    errand__calls_init(&calls, call_us, approval_us, records);
    return calls;
}

static void open_one(struct calls *calls, uint64_t id, int64_t now_us)
{
    const errand_call_record record = {.id = id, .space = "tools", .function = "f"};

    assert_int_equal(errand__calls_open(calls, now_us, &record), ERRAND_OK);
}

static void answer(struct calls *calls, uint64_t id, int64_t now_us)
{
    struct call *call = errand__calls_find(calls, id);

    assert_non_null(call);
    errand__calls_answered(calls, call, now_us, ERRAND_CALL_OK, 5);
}

static void test_calls__are_found_while_open(void **state)
{
    struct calls calls = fresh(TIME_NEVER, TIME_NEVER, 10);
    (void)state;

    open_one(&calls, 3, 0);
    open_one(&calls, 7, 0);
    assert_non_null(errand__calls_find(&calls, 3));
    assert_null(errand__calls_find(&calls, 5));
    assert_null(errand__calls_find(&calls, 8));
    answer(&calls, 3, 1);
    assert_null(errand__calls_find(&calls, 3));
    assert_int_equal(calls.open, 1);
    assert_int_equal(calls.total, 2);
    errand__calls_deinit(&calls);
}

static void test_calls__waiting_is_a_union(void **state)
{
    struct calls calls = fresh(TIME_NEVER, TIME_NEVER, 10);
    (void)state;

    open_one(&calls, 1, 100);
    open_one(&calls, 2, 150);
    answer(&calls, 1, 200);
    answer(&calls, 2, 300);
    assert_int_equal(errand__stretch_us(&calls.waiting, 1000), 200);
    open_one(&calls, 3, 500);
    assert_int_equal(errand__stretch_us(&calls.waiting, 510), 210);
    errand__calls_deinit(&calls);
}

static void hold(struct calls *calls, uint64_t id, int64_t now_us, bool held)
{
    errand__calls_hold(calls, errand__calls_find(calls, id), now_us, held);
}

static void test_calls__held_is_a_union_too(void **state)
{
    struct calls calls = fresh(TIME_NEVER, TIME_NEVER, 10);
    (void)state;

    open_one(&calls, 1, 0);
    open_one(&calls, 2, 0);
    hold(&calls, 1, 10, true);
    hold(&calls, 1, 12, true);
    hold(&calls, 2, 20, true);
    hold(&calls, 1, 30, false);
    answer(&calls, 2, 40);
    assert_int_equal(errand__stretch_us(&calls.holding, 100), 30);
    answer(&calls, 1, 50);
    assert_int_equal(calls.records[0].held_us, 20);
    assert_int_equal(calls.records[1].held_us, 20);
    assert_int_equal(calls.records[0].took_us, 50);
    assert_int_equal(calls.records[1].took_us, 40);
    assert_int_equal(calls.records[1].reply_bytes, 5);
    errand__calls_deinit(&calls);
}

static const char *expired(struct calls *calls, int64_t now_us)
{
    const char *why = NULL;
    size_t at = 0;
    struct call *call = errand__calls_expired(calls, now_us, &at, &why);

    if (call == NULL)
        return NULL;
    errand__calls_over(calls, call, now_us, ERRAND_CALL_ERROR, why);
    return why;
}

static void test_calls__time_out_less_held(void **state)
{
    struct calls calls = fresh(1000, 5000, 10);
    (void)state;

    open_one(&calls, 1, 0);
    open_one(&calls, 2, 100);
    assert_int_equal(calls.due_us, 1000);
    hold(&calls, 1, 400, true);
    assert_null(expired(&calls, 1099));
    assert_int_equal(calls.due_us, 1100);
    assert_string_equal(expired(&calls, 1100), "call_timeout");
    hold(&calls, 1, 2400, false);
    assert_null(expired(&calls, 2999));
    assert_int_equal(calls.due_us, 3000);
    hold(&calls, 1, 2999, true);
    assert_null(expired(&calls, 3000));
    assert_int_equal(calls.due_us, 7999);
    assert_string_equal(expired(&calls, 7999), "approval_timeout");
    assert_null(expired(&calls, 9000));
    assert_int_equal(calls.due_us, TIME_NEVER);
    errand__calls_deinit(&calls);
}

static void test_calls__those_over_are_told_once(void **state)
{
    struct calls calls = fresh(TIME_NEVER, TIME_NEVER, 10);
    const char *why = NULL;
    uint64_t id = 0;
    (void)state;

    for (uint64_t i = 1; i <= 3; i++)
        open_one(&calls, i, 0);
    answer(&calls, 2, 5);
    errand__calls_end(&calls, 9);
    assert_int_equal(calls.open, 0);
    assert_true(errand__calls_take_over(&calls, &id, &why));
    assert_int_equal(id, 1);
    assert_string_equal(why, "ended");
    assert_true(errand__calls_take_over(&calls, &id, &why));
    assert_int_equal(id, 3);
    assert_false(errand__calls_take_over(&calls, &id, &why));
    assert_int_equal(calls.records[0].status, ERRAND_CALL_CANCELLED);
    assert_int_equal(calls.records[0].took_us, 9);
    assert_int_equal(calls.records[1].status, ERRAND_CALL_OK);
    errand__calls_deinit(&calls);
}

static void test_calls__records_are_bounded_and_counted(void **state)
{
    struct calls calls = fresh(TIME_NEVER, TIME_NEVER, 3);
    (void)state;

    for (uint64_t i = 1; i <= 100; i++) {
        open_one(&calls, i, 0);
        answer(&calls, i, 1);
    }
    assert_int_equal(calls.records_count, 3);
    assert_int_equal(calls.total, 100);
    errand__calls_deinit(&calls);
}

/* Answers in an order that is neither first nor last come: gaps close, nobody is lost. */
static void test_calls__many_in_any_order(void **state)
{
    enum { COUNT_OPEN = 5000 };
    struct calls calls = fresh(TIME_NEVER, TIME_NEVER, 10);
    (void)state;

    for (uint64_t i = 1; i <= COUNT_OPEN; i++)
        open_one(&calls, i, 0);
    for (uint64_t i = 0; i < COUNT_OPEN; i++) {
        answer(&calls, (i * 1999) % COUNT_OPEN + 1, 1);
        open_one(&calls, COUNT_OPEN + 1 + i, 1);
    }
    assert_int_equal(calls.open, COUNT_OPEN);
    assert_true(calls.count < 2 * COUNT_OPEN + 64);
    for (uint64_t i = 1; i <= COUNT_OPEN; i++)
        assert_null(errand__calls_find(&calls, i));
    for (uint64_t i = 1; i <= COUNT_OPEN; i++)
        answer(&calls, COUNT_OPEN + i, 2);
    assert_false(calls.waiting.on);
    errand__calls_deinit(&calls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls__are_found_while_open),
        cmocka_unit_test(test_calls__waiting_is_a_union),
        cmocka_unit_test(test_calls__held_is_a_union_too),
        cmocka_unit_test(test_calls__time_out_less_held),
        cmocka_unit_test(test_calls__those_over_are_told_once),
        cmocka_unit_test(test_calls__records_are_bounded_and_counted),
        cmocka_unit_test(test_calls__many_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
