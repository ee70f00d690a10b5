/* test_timers.c - the heap gives the earliest instant, whatever happens to the others. */
#include "test.h"

#include "run/timers.h"

enum { TIMERS = 200, ROUNDS = 5000 };

static int64_t earliest(const struct timer *timers, size_t count)
{
    int64_t first = TIME_NEVER;

    for (size_t i = 0; i < count; i++) {
        if (timers[i].at != 0 && timers[i].due_us < first)
            first = timers[i].due_us;
    }
    return first;
}

static uint32_t draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void test_timers__first_is_the_earliest_after_any_change(void **state)
{
    struct timers timers = {0};
    struct timer each[TIMERS] = {0};
    uint32_t chance = 7;

    (void)state;
    assert_int_equal(errand__timers_reserve(&timers, TIMERS), ERRAND_OK);
    for (int i = 0; i < ROUNDS; i++) {
        struct timer *timer = &each[draw(&chance) % TIMERS];
        bool out = draw(&chance) % 4 == 0;
        errand__timers_set(&timers, timer, out ? TIME_NEVER : (int64_t)(draw(&chance) % 1000));
        struct timer *first = errand__timers_first(&timers);
        assert_int_equal(first == NULL ? TIME_NEVER : first->due_us, earliest(each, TIMERS));
    }
    errand__timers_deinit(&timers);
}

static void test_timers__never_takes_out(void **state)
{
    struct timers timers = {0};
    struct timer one = {0};

    (void)state;
    assert_int_equal(errand__timers_reserve(&timers, 1), ERRAND_OK);
    errand__timers_set(&timers, &one, 5);
    assert_ptr_equal(errand__timers_first(&timers), &one);
    errand__timers_set(&timers, &one, TIME_NEVER);
    assert_null(errand__timers_first(&timers));
    errand__timers_set(&timers, &one, TIME_NEVER);
    assert_null(errand__timers_first(&timers));
    errand__timers_deinit(&timers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_timers__first_is_the_earliest_after_any_change),
        cmocka_unit_test(test_timers__never_takes_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
