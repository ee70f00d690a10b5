/* sink.h - standard output or standard error, without ever waiting for who reads it.
 *
 * A reader that stops reading must not keep Ctrl-C from working, so text queues here and leaves
 * in pieces that a descriptor which polls as writable takes at once. */
#ifndef ERRAND_SINK_H
#define ERRAND_SINK_H

#include "base/buf.h"

struct sink {
    int fd;
    struct buf queue; /* text_* functions add to it. */
    errand_span lent; /* What is left of somebody else's bytes. */
    size_t lent_at;   /* Where they stand in the queue. */
    size_t piece;     /* What one write may hold without blocking. */
    int failed_errno; /* Why nothing more can be written; 0: it can. */
    bool tty;
};

void sink_init(struct sink *sink, int fd);
void sink_deinit(struct sink *sink);
/* Puts bytes behind what is queued without a copy: they are borrowed until the sink is empty, or
 * is told to forget what it has not written. One at a time. */
void sink_lend(struct sink *sink, errand_span bytes);
void sink_forget(struct sink *sink);
/* Writes what can be written now. */
void sink_flush(struct sink *sink);
/* More is queued than should be: whoever makes text should wait. */
bool sink_is_full(const struct sink *sink);
bool sink_is_empty(const struct sink *sink);

#endif
