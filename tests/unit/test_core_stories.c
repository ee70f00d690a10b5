/* Whole stories, told in every chunking, with every failed allocation and into silence. */
#include "test.h"

#include "base/mem.h"
#include "played.h"

#include <stdlib.h>

static const char *const stories[] = {
    "motd\nhello there\n" PLAY_HELLO "log info 10\n\"a\\u00e9\\n\"\n"
    "call 1 0 0 7\n{\"a\":1}\nlog warn 2\n\"\"\ncall 3 0 1 0\n\nbeat 0\nstats 8\n{\"ms\":3}\n"
    "done ok 9\n[1,\"\xe2\x82\xac\"]\nlog info 2\n\"\"\ncall 9 0 0 0\n\ntrash \x80\nmore trash",
    PLAY_HELLO "call 1 0 0 1\n1\ndone error 61\n"
               "{\"kind\":\"exception\",\"code\":\"thrown\",\"message\":\"\\u0061\\n\\n\"}\n",
    PLAY_HELLO "log info 3\n\"a\"\nlog info 3\n\"b\n",
    PLAY_HELLO "log info 122\n\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
               "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"\ncall 1 0 0 1\n1\n"
               "log info 2\n\"\"\n",
    PLAY_HELLO "log info 3\n\"a\"\nitem 26\n{\"type\":\"text\",\"text\":\"x\"}\nlog warn 3\n\"b\"\n"
               "store 23\n{\"set\":{},\"delete\":[]} \nstats 2\n{}\ndone ok 1\n7\n"
               "item 26\n{\"type\":\"text\",\"text\":\"y\"}\n",
    PLAY_HELLO "item 26\n{\"type\":\"text\",\"text\":\"x\"}\nitem 200\n{\"type\":\"",
    "x fail " PLAY_MARK " node_too_old v12.1.0 /usr/bin/node\nbye\n",
    "want " PLAY_MARK "\nfail " PLAY_MARK " bad_digest",
    "noise noise noise noise noise noise noise noise noise noise noise noise noise noise noise "
    "noise noise noise noise noise noise noise noise noise noise noise noise noise noise noise "
    "noise noise noise noise noise noise noise noise noise noise noise noise " PLAY_HELLO,
    PLAY_HELLO "call 1 0 0 3\n[1]\ncall 2 0 0 999\n[1",
};

static struct core_setup story_setup(void)
{
    struct core_setup setup = play_setup();

    setup.limits.boot_noise_bytes = 200;
    setup.limits.output_bytes = 150;
    setup.runner = SPAN_LITERAL("RUNNER");
    setup.collect_logs = true;
    return setup;
}

/* Tells a story in two parts, cut at cut, or byte by byte with SIZE_MAX. */
static char *told(const char *story, size_t cut)
{
    struct core_setup setup = story_setup();
    struct play play;
    size_t len = strlen(story);
    char *text;

    play_init(&play, &setup);
    play_opened(&play);
    if (cut == SIZE_MAX) {
        for (size_t i = 0; i < len; i++)
            play_out_bytes(&play, span_of(story + i, 1));
    } else {
        play_out_bytes(&play, span_of(story, cut));
        play_out_bytes(&play, span_of(story + cut, len - cut));
    }
    play_over(&play);
    assert_int_equal(play.ends, 1);
    assert_int_equal(play.noise_len, play.end->noise_total);
    text = play.text;
    play.text = NULL;
    play_deinit(&play);
    return text;
}

static void test_core_stories__every_chunking_tells_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(stories); i++) {
        char *whole = told(stories[i], 0);
        for (size_t cut = 1; cut <= strlen(stories[i]); cut++) {
            char *parts = told(stories[i], cut);
            assert_string_equal(parts, whole);
            free(parts);
        }
        char *bytes = told(stories[i], SIZE_MAX);
        assert_string_equal(bytes, whole);
        free(bytes);
        free(whole);
    }
}

/* Tells a story with so many allocations allowed. true: that was enough. */
static bool ends_with(const char *story, long allowed)
{
    struct core_setup setup = story_setup();
    struct play play;

    errand__mem_countdown = allowed;
    play_init(&play, &setup);
    if (play.core != NULL) {
        play_opened(&play);
        play_out(&play, story);
        play_over(&play);
        (void)play_silence(&play, 20);
        assert_int_equal(play.ends, 1);
    }
    bool enough = errand__mem_countdown > 0;
    errand__mem_countdown = -1;
    play_deinit(&play);
    return enough;
}

static void test_core_stories__without_memory_it_still_ends(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(stories); i++) {
        long allowed = 0;
        while (!ends_with(stories[i], allowed))
            assert_true(++allowed < 1000);
        assert_true(allowed > 2);
    }
}

/* After any head of any story silence alone brings the end, within the ladder's rungs. */
static void test_core_stories__silence_ends_every_story(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(stories); i++) {
        for (size_t len = 0; len <= strlen(stories[i]); len++) {
            struct core_setup setup = story_setup();
            struct play play;
            play_init(&play, &setup);
            play_opened(&play);
            play_out_bytes(&play, span_of(stories[i], len));
            assert_true(play_silence(&play, 20) < 20);
            assert_int_equal(play.ends, 1);
            assert_int_equal(play.end->abandoned, 1);
            play_deinit(&play);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_core_stories__every_chunking_tells_the_same),
        cmocka_unit_test(test_core_stories__without_memory_it_still_ends),
        cmocka_unit_test(test_core_stories__silence_ends_every_story),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
