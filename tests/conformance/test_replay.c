/* test_replay.c - a record gives its own story again, also where answers were quick. */
#include "test.h"

#include "base/buf.h"
#include "base/mem.h"
#include "check.h"

#include <errand/fake.h>

static const char *const echo_functions[] = {"echo", NULL};
static const errand_namespace tools = {.name = "tools", .functions = echo_functions};

/* Both calls and the end come in one read: what matters is when home answered. */
static const char in_one_read[] =
    "hello\n"
    "raw \"call 1 0 0 1\\n1\\ncall 2 0 0 1\\n2\\ndone ok 1\\n3\\n\"\n";

static void keep(void *ctx, errand_span bytes)
{
    errand_status status = errand__buf_push(ctx, bytes);
    assert_int_equal(status, ERRAND_OK);
}

/* Runs the script, answers call 2 alone and at once; what happened goes to text. */
static void play_first(struct buf *record, FILE *text)
{
    errand_loop *loop = NULL;
    errand_place *place = NULL;
    errand_run *run = NULL;
    errand_error err = {0};
    errand_run_options options = ERRAND_RUN_OPTIONS_INIT;
    options.program = SPAN_LITERAL("made up");
    options.namespaces = &tools;
    options.namespaces_count = 1;
    options.record = keep;
    options.record_ctx = record;
    assert_int_equal(errand_fake_loop_new(&loop, &err), ERRAND_OK);
    assert_int_equal(errand_fake_place_open(&place, loop, in_one_read, &err), ERRAND_OK);
    assert_int_equal(errand_run_start(&run, place, &options, &err), ERRAND_OK);
    const errand_event *event = NULL;
    while (errand_loop_next(loop, -1, &event, &err) == ERRAND_OK) {
        check_event(text, event, 0);
        if (event->type == ERRAND_EVENT_CALL && event->as.call.id == 2)
            assert_int_equal(errand_run_reply(run, 2, event->as.call.args, &err), ERRAND_OK);
    }
    errand_run_free(run);
    errand_place_free(place);
    errand_loop_free(loop);
}

static void play_again(errand_span record, FILE *text)
{
    errand_replay *replay = NULL;
    const errand_event *event = NULL;
    errand_error err = {0};
    assert_int_equal(errand_replay_new(&replay, record, &err), ERRAND_OK);
    errand_status status = ERRAND_OK;
    while ((status = errand_replay_next(replay, &event, &err)) == ERRAND_OK)
        check_event(text, event, 0);
    assert_int_equal(status, ERRAND_AGAIN);
    errand_replay_free(replay);
}

static void test_replay__answers_stand_where_they_were_given(void **state)
{
    (void)state;
    struct buf record;
    char *first = NULL, *again = NULL;
    size_t first_len = 0, again_len = 0;
    FILE *to_first = open_memstream(&first, &first_len);
    FILE *to_again = open_memstream(&again, &again_len);
    assert_non_null(to_first);
    assert_non_null(to_again);
    errand__buf_init(&record, 1 << 20);
    play_first(&record, to_first);
    play_again(errand__buf_peek(&record), to_again);
    (void)fclose(to_first);
    (void)fclose(to_again);
    assert_string_equal(first, "call 1 tools.echo 1\n"
                               "call 2 tools.echo 2\n"
                               "over 1 ended\n"
                               "end value\n"
                               "  value 3\n"
                               "  calls 1 cancelled, 2 ok\n"
                               "  warning \"1 call was not awaited: tools.echo\"\n"
                               "  exit 0\n");
    assert_string_equal(again, first);
    errand__mem_free(first);
    errand__mem_free(again);
    errand__buf_deinit(&record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replay__answers_stand_where_they_were_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
