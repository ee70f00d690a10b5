/* breaks.c - at every byte of what is short, at some of what is long; each break takes no time.
 *
 * Two rules say where there is nothing to see: what is bare is lost with a break, so noise must not
 * be under way, nor a word that takes hello's place. All else that bears no break says so itself:
 * scenario.h, steady. */
#include "breaks.h"
#include "play.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    WINDOW = 64 * 1024, /* The least there is. */
    SHORT = 1200,       /* Bytes to home: broken at each. */
    POSITIONS = 200,    /* Of what is longer. */
    LARGE = 100000,
    POSITIONS_LARGE = 3,
    HELLO_STEP = 11, /* All say the same hello: each scenario takes other bytes of it. */
    TWICE_STEP = 3,
    FEW = 17 /* One in so many, where not all are asked for. */
};

static bool everywhere;
static unsigned asked, played;

void breaks_everywhere(void)
{
    everywhere = true;
}

unsigned breaks_played(void)
{
    return played;
}

static void complain(const struct ferry *ferry, const struct story *expected,
                     const struct story *got)
{
    (void)fprintf(stderr,
                  "  over a way that breaks at %s %" PRIu64 "%s%s, and %s %" PRIu64
                  " later:\n%s  and without:\n%s",
                  ferry->side == FERRY_FAR ? "piece" : "byte", ferry->at,
                  ferry->side != FERRY_FAR ? ""
                  : ferry->arrives         ? ", which arrives"
                                           : ", which does not arrive",
                  ferry->side == FERRY_WHOLE ? " (it did not)" : "",
                  ferry->twice ? "again" : "not again,", ferry->again,
                  got->text == NULL ? "" : got->text, expected->text == NULL ? "" : expected->text);
}

/* "12ms far 1 stop 1000": what the far side sees. */
static bool is_far(const char *line)
{
    return strncmp(line + strcspn(line, " \n"), " far ", 5) == 0;
}

/* The next line of that kind; NULL: none. */
static const char *line_of(const char *text, bool far)
{
    while (text != NULL && *text != '\0' && is_far(text) != far) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return text == NULL || *text == '\0' ? NULL : text;
}

/* What the far side sees and what home is told: of two things at one instant on both sides it is
 * nobody's promise which comes first. */
static bool same_lines(const char *a, const char *b, bool far)
{
    a = line_of(a, far);
    b = line_of(b, far);
    while (a != NULL && b != NULL) {
        size_t len = strcspn(a, "\n");
        if (len != strcspn(b, "\n") || memcmp(a, b, len) != 0)
            return false;
        a = line_of(a + len + (a[len] == '\n'), far);
        b = line_of(b + len + (b[len] == '\n'), far);
    }
    return a == b;
}

static bool same(const struct story *a, const struct story *b)
{
    return same_lines(a->text, b->text, true) && same_lines(a->text, b->text, false);
}

static bool tell(const struct scenario *scenario, struct ferry *ferry, const struct story *expected)
{
    struct story story = {.text = NULL};

    if (!everywhere && ++asked % FEW != 0)
        return true;
    bool ok = play(scenario, (struct manner){.ferry = ferry}, &story) && same(&story, expected);

    if (!ok)
        complain(ferry, expected, &story);
    story_deinit(&story);
    played++;
    return ok;
}

/* How far apart the breaks are. */
static uint64_t step_of(uint64_t count)
{
    uint64_t positions = count > LARGE ? POSITIONS_LARGE : POSITIONS;

    return count <= SHORT ? 1 : count / positions + 1;
}

static bool break_to_home(const struct scenario *scenario, unsigned turn, const struct ferry *whole,
                          const struct story *expected)
{
    static const uint64_t again[] = {0, 1, 5, 17, 33, 47, 120}; /* Of the second break. */
    uint64_t from = whole->hello == 0 ? turn % HELLO_STEP : whole->resumed;
    uint64_t step = step_of(whole->bytes);
    unsigned i = turn;

    for (uint64_t at = from; at <= whole->bytes; i++) {
        struct ferry once = {.side = FERRY_HOME, .at = at};
        struct ferry twice = {
            .side = FERRY_HOME, .at = at, .twice = true, .again = again[i % COUNT(again)]};
        if (!tell(scenario, &once, expected) ||
            (i % TWICE_STEP == 0 && !tell(scenario, &twice, expected)))
            return false;
        at += at < whole->resumed && step < HELLO_STEP ? HELLO_STEP : step;
    }
    return true;
}

static bool break_to_far(const struct scenario *scenario, const struct ferry *whole,
                         const struct story *expected)
{
    uint64_t step =
        whole->bytes > LARGE ? whole->pieces / POSITIONS_LARGE + 1 : whole->pieces / POSITIONS + 1;

    for (uint64_t at = 1; at <= whole->pieces; at += step) {
        for (unsigned i = 0; i < 6; i++) {
            struct ferry ferry = {.side = FERRY_FAR,
                                  .at = at,
                                  .twice = i / 2 > 0,
                                  .again = i / 2,
                                  .arrives = i % 2 == 1};
            if (!tell(scenario, &ferry, expected))
                return false;
        }
    }
    return true;
}

bool breaks_change_nothing(const struct scenario *scenario, unsigned turn,
                           const struct story *story)
{
    struct scenario narrow = *scenario;
    struct ferry whole = {.side = FERRY_WHOLE};

    if (narrow.limits.replay_bytes == 0)
        narrow.limits.replay_bytes = WINDOW;
    if (narrow.steady)
        return true;
    asked = FEW - 1; /* It is measured in any case. */
    if (!tell(&narrow, &whole, story))
        return false;
    asked = turn;
    if (whole.resumed == UINT64_MAX)
        return true;
    return break_to_home(&narrow, turn, &whole, story) && break_to_far(&narrow, &whole, story);
}
