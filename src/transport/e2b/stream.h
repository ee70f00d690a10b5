/* stream.h - events out of a stream, and how it came to its end. */
#ifndef ERRAND_E2B_STREAM_H
#define ERRAND_E2B_STREAM_H

#include "transport/e2b/envd.h"
#include "transport/e2b/event.h"

#include <jansson.h>

enum e2b_stream_news {
    E2B_STREAM_QUIET, /* Nothing for now. */
    E2B_STREAM_EVENT,
    E2B_STREAM_OVER /* For good; asked again, it says the same. */
};

struct e2b_stream {
    struct e2b_exchange *exchange; /* NULL: none. */
    const struct e2b_envd *envd;
    json_t *root; /* What the last event borrows from. */
    size_t lent;  /* Bytes of the exchange that the last event borrows. */
    bool json;    /* As it was when it began. */
    bool began;   /* Its first event came: it was a stream. */
    bool ended;   /* The process's end came. */
    bool over;
    struct e2b_failure failure; /* Once over: code NULL: as it should. */
};

/* exchange is taken; NULL: there was no memory for it. */
void errand__e2b_stream_init(struct e2b_stream *stream, const struct e2b_envd *envd,
                             struct e2b_exchange *exchange);
void errand__e2b_stream_deinit(struct e2b_stream *stream);
/* Bytes of *event are borrowed until the next call. */
enum e2b_stream_news errand__e2b_stream_next(struct e2b_stream *stream, int64_t now_us,
                                             struct e2b_event *event);
/* When silence becomes news. */
int64_t errand__e2b_stream_due(const struct e2b_stream *stream);

#endif
