/* base64.h - bytes as text and back, by RFC 4648, section 4: with padding, without line breaks. */
#ifndef ERRAND_BASE64_H
#define ERRAND_BASE64_H

#include "base/base.h"

/* How long the text of so many bytes is. */
static inline size_t errand__base64_len(size_t count)
{
    return (count / 3 + (count % 3 != 0)) * 4;
}

/* out has room for that. */
void errand__base64_encode(char *out, errand_span bytes);

/* How many bytes a text stands for, as its length and its end tell. false: none of that length. */
bool errand__base64_size(errand_span text, size_t *size);
/* Whether it is base64 as it stands there, and if so, how many bytes it stands for. */
bool errand__base64_is(errand_span text, size_t *size);
/* out has room for so many. false: it is no base64. */
bool errand__base64_decode(unsigned char *out, errand_span text);

#endif
