/* tape.h - a record as a row of entries.
 *
 * Knows where a payload stands behind a line; what the lines mean is run/record.h's.
 */
#ifndef CONFORMANCE_TAPE_H
#define CONFORMANCE_TAPE_H

#include "base/base.h"

struct entry {
    errand_span whole;   /* All of it, with the newlines. */
    errand_span line;    /* Without its newline. */
    errand_span stamp;   /* The time that the line begins with; of the head's lines, a word. */
    errand_span payload; /* Empty where there is none. */
};

/* Takes the first entry off the record; false: there is no more. */
bool tape_next(errand_span *record, struct entry *out);
/* Whether the entry is an event of this kind: out, err, sent, exited... */
bool entry_is(const struct entry *entry, const char *verb);
/* Number at, counted from 0, of those behind the verb. */
int64_t entry_number(const struct entry *entry, size_t at);

#endif
