/* test_mailbox.c - letters come in order, from another thread, and the cap is told. */
#include "test.h"

#include "base/mem.h"
#include "run/mailbox.h"

enum { LETTERS = 1000 };

static errand_event log_event(const char *text)
{
    errand_event event = {.type = ERRAND_EVENT_LOG};
    event.as.log.level = "log";
    event.as.log.text = span_text(text);
    return event;
}

static void test_mailbox__a_letter_owns_its_bytes(void **state)
{
    struct mailbox mailbox;
    char text[] = "hello";
    errand_event event = log_event(text);
    bool full = true;
    bool drained = true;

    (void)state;
    errand__mailbox_init(&mailbox, 1 << 20);
    assert_int_equal(errand__mailbox_put(&mailbox, &event, &full), ERRAND_OK);
    assert_false(full);
    memset(text, 'x', sizeof(text) - 1);
    struct letter *letter = errand__mailbox_take(&mailbox, &drained);
    assert_span(letter->event.as.log.text, "hello");
    assert_false(drained);
    errand__mem_free(letter);
    errand__mailbox_deinit(&mailbox);
}

static void test_mailbox__full_and_drained(void **state)
{
    struct mailbox mailbox;
    errand_event event = log_event("0123456789");
    bool full = false;
    bool drained = false;
    int put = 0;

    (void)state;
    errand__mailbox_init(&mailbox, 4096);
    for (; !full; put++)
        assert_int_equal(errand__mailbox_put(&mailbox, &event, &full), ERRAND_OK);
    assert_false(errand__mailbox_has_room(&mailbox));
    int taken = 0;
    for (; !drained; taken++)
        errand__mem_free(errand__mailbox_take(&mailbox, &drained));
    assert_true(errand__mailbox_has_room(&mailbox));
    assert_in_range(taken, put / 2 - 1, put / 2 + 2);
    errand__mailbox_deinit(&mailbox); /* With letters inside. */
}

static void *post_all(void *ctx)
{
    struct mailbox *mailbox = ctx;
    bool full = false;

    for (uint64_t i = 0; i < LETTERS; i++) {
        errand_event event = {.type = ERRAND_EVENT_CALL};
        event.as.call.id = i;
        if (errand__mailbox_put(mailbox, &event, &full) != ERRAND_OK)
            break;
    }
    errand__mailbox_close(mailbox);
    return NULL;
}

static void test_mailbox__in_order_between_threads(void **state)
{
    struct mailbox mailbox;
    pthread_t thread;
    bool drained = false;
    uint64_t expected = 0;

    (void)state;
    errand__mailbox_init(&mailbox, 1 << 16);
    assert_int_equal(pthread_create(&thread, NULL, post_all, &mailbox), 0);
    struct letter *letter;
    while ((letter = errand__mailbox_take(&mailbox, &drained)) != NULL) {
        assert_int_equal(letter->event.as.call.id, expected);
        expected++;
        errand__mem_free(letter);
    }
    assert_int_equal(expected, LETTERS);
    assert_int_equal(pthread_join(thread, NULL), 0);
    errand__mailbox_deinit(&mailbox);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mailbox__a_letter_owns_its_bytes),
        cmocka_unit_test(test_mailbox__full_and_drained),
        cmocka_unit_test(test_mailbox__in_order_between_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
