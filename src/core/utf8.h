/* utf8.h - well-formed UTF-8, one code point at a time. Knows nothing of JSON. */
#ifndef ERRAND_UTF8_H
#define ERRAND_UTF8_H

#include "base/base.h"

/* The length of the well-formed sequence at the head of bytes, 1 to 4; 0: there is none. */
size_t errand__utf8_step(errand_span bytes);
/* Whether all of text is well-formed. at (may be NULL) gets the offset of what is not. */
bool errand__utf8_valid(errand_span text, size_t *at);
/* The length of the longest head of text that is at most room bytes and tears no sequence.
 * text is well-formed. */
size_t errand__utf8_cut(errand_span text, size_t room);
/* Writes a code point, which is no surrogate; returns its length. */
size_t errand__utf8_write(char *out, uint32_t point);
/* Copies as much of bytes as fits into room as text that a terminal can be shown: what is not
 * well-formed becomes U+FFFD, control characters but newlines become spaces. */
size_t errand__utf8_clean(char *out, size_t room, errand_span bytes);
/* The same as one line: newlines become spaces too. */
size_t errand__utf8_clean_line(char *out, size_t room, errand_span bytes);

#endif
