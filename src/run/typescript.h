/* typescript.h - pieces of TypeScript: comments, keys, line breaks. Knows no schema. */
#ifndef ERRAND_TYPESCRIPT_H
#define ERRAND_TYPESCRIPT_H

#include "base/buf.h"

/* A line break, and two spaces for each level. */
errand_status errand__ts_line(struct buf *out, size_t indent) ERRAND_CHECKED;
/* text as a doc comment, without a line break behind it. Nothing in it ends the comment. */
errand_status errand__ts_comment(struct buf *out, errand_span text, size_t indent) ERRAND_CHECKED;
/* key as it is written before a colon, or before a parenthesis. */
errand_status errand__ts_key(struct buf *out, const char *key) ERRAND_CHECKED;

#endif
