/* buf.h - a queue of bytes that never grows over its cap. */
#ifndef ERRAND_BUF_H
#define ERRAND_BUF_H

#include "base/base.h"

struct buf {
    char *bytes;
    size_t start, end, room; /* What is queued: [start, end) of room. */
    size_t max;
};

/* Cannot fail: memory is taken when bytes come. */
void errand__buf_init(struct buf *buf, size_t max);
void errand__buf_deinit(struct buf *buf);
errand_span errand__buf_peek(const struct buf *buf);
/* ELIMIT: would be over the cap. On failure nothing was queued. */
errand_status errand__buf_push(struct buf *buf, errand_span bytes) ERRAND_CHECKED;
/* Makes room for count more bytes, exactly where that is a lot: a large payload does not cost
 * twice its size. Same errors; nothing is queued. */
errand_status errand__buf_reserve(struct buf *buf, size_t count) ERRAND_CHECKED;
/* Forgets the first count bytes. Debug builds scribble over them. Memory over a small rest is
 * given back once the queue is empty. */
void errand__buf_consume(struct buf *buf, size_t count);
/* Forgets all but the first count bytes. */
void errand__buf_keep(struct buf *buf, size_t count);

#endif
