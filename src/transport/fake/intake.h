/* intake.h - what home sends, with its segments taken off (docs/protocol.md, section 8).
 *
 * Knows where the bare part ends and in which order pieces stand; knows neither frames nor what is
 * said to home.
 */
#ifndef ERRAND_FAKE_INTAKE_H
#define ERRAND_FAKE_INTAKE_H

#include "base/base.h"
#include "transport/fake/launch.h"

enum { FAKE_INTAKE_LINE_MAX = 96 };

enum fake_intake_place { FAKE_INTAKE_BARE, FAKE_INTAKE_LINE, FAKE_INTAKE_PIECE };

struct fake_intake {
    enum fake_intake_place place;
    char last[FAKE_MARK_LEN / 2 + 3]; /* The last line of the bare part, and the break before it. */
    size_t last_matched, window_matched;
    uint64_t window;      /* What boot says of segments; 0: it goes on bare. */
    bool begun;           /* The bare part is over, but for a runner that is still to come. */
    uint64_t runner_left; /* Bare bytes that follow it. */
    char line[FAKE_INTAKE_LINE_MAX];
    size_t line_len;
    uint64_t left, known; /* Of the piece: to come; of that, to be skipped. */
    uint64_t heard;       /* Bytes of the stream, in order. */
    uint64_t epoch, offset;
};

enum fake_intake_found {
    FAKE_INTAKE_NOTHING, /* All bytes were taken. */
    FAKE_INTAKE_BYTES,   /* The next ones: of the bare part, or of the stream. */
    FAKE_INTAKE_ACK,     /* offset. */
    FAKE_INTAKE_RESUME,  /* epoch and offset. */
    FAKE_INTAKE_BAD      /* line is no line of home's. */
};

void errand__fake_intake_init(struct fake_intake *intake, const char mark[static FAKE_MARK_LEN]);
/* Whether the next byte is no segment's. */
bool errand__fake_intake_bare(const struct fake_intake *intake);
/* Takes bytes off *bytes up to the next news; *out borrows from them. */
enum fake_intake_found errand__fake_intake_take(struct fake_intake *intake, errand_span *bytes,
                                                errand_span *out);

#endif
