/* text.h - puts text and JSON together in a buffer that knows no terminal and no descriptor. */
#ifndef ERRAND_TEXT_H
#define ERRAND_TEXT_H

#include "base/buf.h"

enum { TEXT_BYTES_MAX = 1 << 30 }; /* What one descriptor may be behind. */

void text_add(struct buf *text, errand_span bytes);
void text_words(struct buf *text, const char *words);
/* At most 512 bytes; for numbers and short words. */
void text_format(struct buf *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* With quotes; what is no UTF-8 becomes U+FFFD. */
void text_json_string(struct buf *text, errand_span bytes);
/* A JSON text on one line: line breaks between its tokens become blanks. */
void text_json(struct buf *text, errand_span json);
/* Whether a terminal would do something else than show it: controls but \n and \t, and what turns
 * the direction of writing around. */
bool text_steers(uint32_t point);
/* What a far side said, for a terminal: what steers it becomes \uXXXX, which inside a JSON text
 * means the same. */
void text_guarded(struct buf *text, errand_span bytes);
/* The same where places have to stay: it becomes one character, U+FFFD. */
void text_masked(struct buf *text, errand_span bytes);
/* As it is, but that it is UTF-8 without NUL. */
void text_utf8(struct buf *text, errand_span bytes);

#endif
