/* excerpt.h - the line of a program that an error points at, and a caret under the place. Knows
 * how wide text is on a terminal; knows nothing of errors. */
#ifndef ERRAND_EXCERPT_H
#define ERRAND_EXCERPT_H

#include "cli/text.h"

struct excerpt {
    uint32_t number;  /* Of the line, from 1. */
    errand_span line; /* Without its line break. */
    uint32_t column;  /* From 1, in UTF-16 units as engines count; behind the end is the end. */
    bool masked;      /* What would steer a terminal becomes U+FFFD. */
};

/* Two lines; of a line that is too wide, what is around the column. */
void excerpt_add(struct buf *text, const struct excerpt *excerpt);

#endif
