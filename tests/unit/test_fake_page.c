/* test_fake_page.c - the scripts of docs/fake.md do what the page says of them.
 *
 * Knows the page as text: a fenced block without a language is a script. */
#include "test.h"

#include <errand/fake.h>

#include <stdio.h>

enum { PAGE_MAX = 1 << 16, SCRIPT_MAX = 1024, SCRIPTS = 6 };

static char page[PAGE_MAX];
static char scripts[SCRIPTS][SCRIPT_MAX];
static size_t scripts_count;

/* The block that begins at the fence; returns where the text goes on behind it. */
static const char *take_block(const char *fence)
{
    bool script = fence[3] == '\n';
    const char *body = strchr(fence, '\n') + 1;
    const char *end = strstr(body, "```\n");

    assert_non_null(end);
    if (script) {
        assert_true(scripts_count < SCRIPTS);
        assert_true((size_t)(end - body) < SCRIPT_MAX);
        memcpy(scripts[scripts_count++], body, (size_t)(end - body));
    }
    return end + 4;
}

static int read_page(void **state)
{
    (void)state;
    FILE *file = fopen(ERRAND_FAKE_PAGE, "r");
    assert_non_null(file);
    size_t len = fread(page, 1, sizeof(page) - 1, file);
    assert_true(len < sizeof(page) - 1);
    assert_int_equal(fclose(file), 0);
    for (const char *at = strstr(page, "```"); at != NULL; at = strstr(at, "```"))
        at = take_block(at);
    assert_int_equal(scripts_count, SCRIPTS);
    return 0;
}

struct story {
    errand_loop *loop;
    errand_place *place;
    errand_run *run;
    errand_error err;
    const errand_outcome *end; /* Lives as long as the run. */
    int64_t end_us;
    bool late; /* A call was over before it was answered. */
};

/* With forever, no clock of home's runs. */
static void begin(struct story *story, const char *script, bool forever)
{
    static const char *const functions[] = {"weather", NULL};
    static const errand_namespace tools = {.name = "tools", .functions = functions};
    errand_run_options options = ERRAND_RUN_OPTIONS_INIT;
    errand_limits limits = ERRAND_LIMITS_INIT;

    memset(story, 0, sizeof(*story));
    limits.call_ms = forever ? ERRAND_UNLIMITED : 500;
    limits.wall_ms = forever ? ERRAND_UNLIMITED : 0;
    options.program = SPAN_LITERAL("return 1");
    options.namespaces = &tools;
    options.namespaces_count = 1;
    options.limits = &limits;
    assert_int_equal(errand_fake_loop_new(&story->loop, &story->err), ERRAND_OK);
    errand_status status = errand_fake_place_open(&story->place, story->loop, script, &story->err);
    if (status != ERRAND_OK)
        fail_msg("%s\n%s", story->err.text, script);
    assert_int_equal(errand_run_start(&story->run, story->place, &options, &story->err), ERRAND_OK);
}

/* To the end; each call is answered at once, or where it should be late, once it is over. */
static void play(struct story *story, bool late)
{
    const errand_event *event = NULL;

    while (story->end == NULL) {
        assert_int_equal(errand_loop_next(story->loop, -1, &event, &story->err), ERRAND_OK);
        if (event->type == ERRAND_EVENT_CALL && !late)
            assert_int_equal(errand_run_reply(story->run, event->as.call.id,
                                              SPAN_LITERAL("{\"degrees\":21}"), &story->err),
                             ERRAND_OK);
        if (event->type == ERRAND_EVENT_CALL_OVER) {
            story->late = true;
            assert_int_equal(
                errand_run_reply(story->run, event->as.call_over.id, SPAN_EMPTY, &story->err),
                ERRAND_ESTATE);
        }
        if (event->type == ERRAND_EVENT_END) {
            story->end = event->as.end;
            story->end_us = event->at_us;
        }
    }
}

static void finish(struct story *story)
{
    errand_run_free(story->run);
    errand_place_free(story->place);
    errand_loop_free(story->loop);
}

static void test_fake_page__what_will_not_leave_is_abandoned_after_18_s(void **state)
{
    struct story story;
    (void)state;

    begin(&story, scripts[0], false);
    play(&story, false);
    assert_string_equal(story.end->code, "abandoned");
    assert_span(story.end->value, "{\"kept\":true}");
    assert_int_equal(story.end_us, 18000000);
    finish(&story);
}

static void test_fake_page__a_late_reply_is_refused(void **state)
{
    struct story story;
    (void)state;

    begin(&story, scripts[1], false);
    play(&story, true);
    assert_true(story.late);
    assert_span(story.end->value, "\"went on\"");
    assert_int_equal(story.end->calls[0].status, ERRAND_CALL_ERROR);
    finish(&story);
}

static void test_fake_page__the_others_end_well(void **state)
{
    static const uint64_t calls[SCRIPTS] = {0, 0, 1, 1, 0, 100};
    static const int64_t least_us[SCRIPTS] = {0, 0, 2000000, 2000000, 0, 0};
    (void)state;

    for (size_t i = 2; i < SCRIPTS; i++) {
        struct story story;
        begin(&story, scripts[i], false);
        play(&story, false);
        assert_int_equal(story.end->kind, ERRAND_KIND_VALUE);
        assert_int_equal(story.end->calls_total, calls[i]);
        assert_true(story.end_us >= least_us[i]);
        finish(&story);
    }
}

/* "In a world where nothing is due any more it returns ESTATE and says so." */
static void test_fake_page__nothing_due_for_ever_is_an_error(void **state)
{
    struct story story;
    const errand_event *event = NULL;
    errand_status status = ERRAND_OK;
    (void)state;

    begin(&story, "hello\ncall 1 0 0\nawait reply 1\ndone ok\n", true);
    while (status == ERRAND_OK)
        status = errand_loop_next(story.loop, -1, &event, &story.err);
    assert_int_equal(status, ERRAND_ESTATE);
    assert_non_null(strstr(story.err.text, "ever"));
    finish(&story);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fake_page__what_will_not_leave_is_abandoned_after_18_s),
        cmocka_unit_test(test_fake_page__a_late_reply_is_refused),
        cmocka_unit_test(test_fake_page__the_others_end_well),
        cmocka_unit_test(test_fake_page__nothing_due_for_ever_is_an_error),
    };
    return cmocka_run_group_tests(tests, read_page, NULL);
}
