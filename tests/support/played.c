/* played.c - see played.h. */
#include "played.h"

#include "test.h"

struct play play_begun_opened(const struct core_setup *setup)
{
    struct play play;

    play_init(&play, setup);
    play_opened(&play);
    return play;
}

struct play play_begun(const struct core_setup *setup)
{
    struct play play;

    play_init(&play, setup);
    assert_non_null(play.core);
    play_start(&play);
    return play;
}

struct play play_begun_plainly(void)
{
    struct core_setup setup = play_setup();
    return play_begun(&setup);
}

void play_answer(struct play *play, uint64_t id, const char *json)
{
    errand_error err = {0};

    assert_int_equal(errand__core_answer(play->core, play->now_us, id, true, span_text(json), &err),
                     ERRAND_OK);
    play_drain(play);
}

bool play_says(const struct play *play, const char *text)
{
    return play->text != NULL && strstr(play->text, text) != NULL;
}

void assert_says(const struct play *play, const char *words)
{
    if (!play_says(play, words))
        fail_msg("no \"%s\" in:\n%s", words, play->text);
}

void assert_ended(const struct play *play, errand_kind kind, const char *code)
{
    assert_non_null(play->end);
    assert_string_equal(play->end->code, code);
    assert_int_equal(play->end->kind, kind);
    assert_int_equal(play->ends, 1);
}
