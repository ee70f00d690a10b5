/* check.h - the canonical text of what a run did, and whether it is the expected one.
 *
 * An event is a line, in order; the ending follows as "end KIND [CODE]" and its fields. What
 * depends on the machine (times, process ids, node's version) is not in it. Long payloads are
 * shown by their head, their length and a hash.
 *
 * In what is expected, <*> stands for any text within a line, and a line of ... for any lines.
 */
#ifndef CONFORMANCE_CHECK_H
#define CONFORMANCE_CHECK_H

#include "base/base.h"

#include <stdio.h>

/* Bytes as they are, but for control characters; shortened when long. */
void check_bytes(FILE *to, errand_span bytes);
/* Text as a JSON string; shortened when long. */
void check_text(FILE *to, errand_span text);
/* show: bits of enum show. */
void check_event(FILE *to, const errand_event *event, unsigned show);
bool check_matches(const char *expected, const char *got);

#endif
