/* parser.h - the script that is being read: its last step, and what the next one may be.
 *
 * Knows no word of a script; those stand in speech.c and script.c. */
#ifndef ERRAND_FAKE_PARSER_H
#define ERRAND_FAKE_PARSER_H

#include "transport/fake/line.h"

#define FAKE_NUMBER_MAX ((UINT64_C(1) << 53) - 1)
enum { FAKE_REPEATS_MAX = 1000000000 };

struct fake_parser {
    struct fake_line line;
    struct fake_step step; /* The one that is being read. */
    size_t repeats[FAKE_REPEATS_DEEP];
    size_t repeats_count;
    bool fruitful[FAKE_REPEATS_DEEP + 1]; /* The body said or waited something. */
    bool said;                            /* In this part. */
};

/* What a line may begin with, and who reads what stands behind it. */
struct fake_word {
    const char *name;
    errand_status (*parse)(struct fake_parser *parser);
    enum fake_verb verb;
};

struct fake_part *errand__fake_parser_part(struct fake_parser *parser);
/* The step as it stands. */
errand_status errand__fake_parser_add_step(struct fake_parser *parser) ERRAND_CHECKED;
/* What follows belongs to the next run. */
errand_status errand__fake_parser_add_part(struct fake_parser *parser) ERRAND_CHECKED;
/* EINVAL, with the line's number. */
errand_status errand__fake_parser_fail(struct fake_parser *parser, const char *what) ERRAND_CHECKED;

#endif
