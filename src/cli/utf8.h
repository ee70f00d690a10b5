/* utf8.h - one code point at a time. */
#ifndef ERRAND_UTF8_H
#define ERRAND_UTF8_H

#include "base/base.h"

/* The length of the code point that text starts with, and the code point; 0 where the bytes
 * are no UTF-8 (overlong, a surrogate, over U+10FFFF, cut) or there are none. */
size_t utf8_next(errand_span text, uint32_t *point);
/* The offset of the first byte that is no UTF-8; text.len where all is. */
size_t utf8_valid(errand_span text);

#endif
