/* frame.h - header lines to frames and back, in both directions.
 *
 * Knows the words of docs/protocol.md and their order; knows neither payloads nor which frame
 * may come when. What comes before the first frame is hail.h's.
 */
#ifndef ERRAND_FRAME_H
#define ERRAND_FRAME_H

#include "base/base.h"

enum { FRAME_HEADER_MAX = 256, FRAME_NAME_MAX = 64 };
/* Numbers on the wire are below this: what a JavaScript number holds exactly. */
#define FRAME_NUMBER_END (UINT64_C(1) << 53)

enum frame_side { FRAME_FROM_HOME, FRAME_FROM_RUNNER };

enum frame_type {
    FRAME_BOOT,
    FRAME_REPLY,
    FRAME_STOP,
    FRAME_PING,
    FRAME_ASSET,
    FRAME_LOG,
    FRAME_ITEM,
    FRAME_CALL,
    FRAME_NEED,
    FRAME_BEAT,
    FRAME_STATS,
    FRAME_STORE,
    FRAME_DONE,
    FRAME_LEFT
};

struct frame {
    enum frame_type type;
    bool ok;           /* reply, done. */
    bool has_payload;  /* Its last word is a size. */
    uint64_t number;   /* Id of call and reply; of stop, ping, beat, left what they carry. */
    uint64_t pid;      /* left. */
    uint64_t space;    /* call. */
    uint64_t function; /* call. */
    uint64_t size;     /* Of the payload. */
    const char *level; /* log; static. */
    errand_span name;  /* need, asset, left; borrowed from the header. */
    size_t header_len; /* With its newline. */
};

enum frame_found {
    FRAME_TORN,  /* The header has no end yet. */
    FRAME_FOUND, /* The header is whole and right. */
    FRAME_BAD    /* It can never become one; *why says so. */
};

/* Reads the header at the head of bytes. A payload over cap is BAD. */
enum frame_found errand__frame_read(errand_span bytes, enum frame_side side, uint64_t cap,
                                    struct frame *out, const char **why);
/* Header, payload and the newline behind it. */
uint64_t errand__frame_len(const struct frame *frame);
/* Writes the header with its newline; returns its length. */
size_t errand__frame_write(char out[FRAME_HEADER_MAX + 2], const struct frame *frame);
const char *errand__frame_name(enum frame_type type);
/* "debug" and the like as a static text, or NULL. */
const char *errand__frame_level(errand_span word);
/* A decimal number as the wire wants it. */
bool errand__frame_number(errand_span word, uint64_t *out);

#endif
