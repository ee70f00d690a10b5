/* segments.h - both streams of a run in numbered pieces, so that they outlive a broken way.
 *
 * Knows offsets, acknowledgements and how the two sides agree after a drop where to go on; knows
 * neither frames nor what the bytes mean. docs/protocol.md has the rules.
 */
#ifndef ERRAND_SEGMENTS_H
#define ERRAND_SEGMENTS_H

#include "base/base.h"
#include "base/buf.h"

enum {
    SEGMENTS_WIRE_MAX = 32 * 1024,          /* What is offered to the road at once. */
    SEGMENTS_MAX = SEGMENTS_WIRE_MAX - 256, /* Payload of a piece of ours; headers need room. */
    SEGMENTS_THEIRS_MAX = 32 * 1024,        /* Payload of a piece of theirs. */
    SEGMENTS_LINE_MAX = 96,
    SEGMENTS_SEEK_MAX = 64
};

enum segments_place { SEGMENTS_SEEKS, SEGMENTS_RESUMED, SEGMENTS_HEADER, SEGMENTS_PIECE };

struct segments {
    uint64_t window; /* Unacknowledged bytes at most, in either direction; 0: no segments. */
    uint64_t epoch;  /* Counts the times that the way was found again. */
    bool cut;        /* The way is broken. */
    bool agreed;     /* In this epoch the other side has said where it goes on. */
    bool begun;      /* It has said so once. */
    bool astray;     /* It said what could not be sent; no more is read. */

    /* From the far side. */
    enum segments_place place;
    char seek[SEGMENTS_SEEK_MAX]; /* What the line of an agreement begins with. */
    size_t seek_len, sought;      /* So much of it has come. */
    char line[SEGMENTS_LINE_MAX];
    size_t line_len;
    bool line_ended;      /* It stays for an error's text until the next one begins. */
    uint64_t left, again; /* Of the piece: to come; of that, known already. */
    uint64_t heard, told; /* Bytes taken in order; acknowledged of them. */

    /* To the far side. */
    struct buf kept; /* Sent, or to be sent again, and not acknowledged. */
    uint64_t kept_at;
    uint64_t next;   /* Offset of what is sent next: within kept, or at its end. */
    struct buf wire; /* What the road is offered. */
};

enum segments_found {
    SEGMENTS_NOTHING, /* All bytes were taken, and none of them is news. */
    SEGMENTS_BYTES,   /* The next bytes of the stream. */
    SEGMENTS_BESIDE,  /* Bytes beside the stream: before it began, or lost between two epochs. */
    SEGMENTS_BAD      /* Nothing that could be sent; *why says so. */
};

/* window 0: switched off. mark is copied. */
void errand__segments_init(struct segments *segments, uint64_t window, errand_span mark);
void errand__segments_deinit(struct segments *segments);
bool errand__segments_on(const struct segments *segments);

/* Takes bytes off *bytes up to the next news; *out borrows from them, or from segments. After BAD
 * there is none. */
enum segments_found errand__segments_take(struct segments *segments, errand_span *bytes,
                                          errand_span *out, const char **why);

/* The way broke: what was under way counts as lost. Then it was found again. */
void errand__segments_dropped(struct segments *segments);
errand_status errand__segments_attached(struct segments *segments) ERRAND_CHECKED;

/* How many bytes of the stream may be wrapped now; 0 too while something is offered already. */
size_t errand__segments_room(const struct segments *segments);
/* bytes, at most as many as there is room for, become a piece. On failure nothing did. */
errand_status errand__segments_wrap(struct segments *segments, errand_span bytes) ERRAND_CHECKED;
/* Offers what is to be sent again, or an acknowledgement: of anything, where at_once. Does
 * nothing while something is offered. */
errand_status errand__segments_offer(struct segments *segments, bool at_once) ERRAND_CHECKED;
/* To be taken by the road as a whole or not at all. */
errand_span errand__segments_wire(const struct segments *segments);
void errand__segments_sent(struct segments *segments, size_t count);

#endif
