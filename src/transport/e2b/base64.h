/* base64.h - bytes as letters, as JSON has to carry them. */
#ifndef ERRAND_E2B_BASE64_H
#define ERRAND_E2B_BASE64_H

#include "base/buf.h"

/* Appends the standard form, padded. */
errand_status errand__e2b_base64_put(struct buf *out, errand_span bytes) ERRAND_CHECKED;
/* Decodes in place, both alphabets, padded or not. false: that is none. */
bool errand__e2b_base64_take(char *text, size_t len, size_t *decoded);

#endif
