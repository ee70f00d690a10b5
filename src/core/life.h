/* life.h - the facts of one run, and what the files of the core do to them for each other.
 *
 * core.c takes inputs and moves the run; of what is in inbox.c, greet.c reads what comes before the
 * first frame and hear.c the frames, into facts and events; say.c queues what it is told;
 * deadlines.c knows when silence becomes news; outcome.c decides how the run ends and what is told
 * of it.
 */
#ifndef ERRAND_LIFE_H
#define ERRAND_LIFE_H

#include "base/buf.h"
#include "core/calls.h"
#include "core/core.h"
#include "core/fault.h"
#include "core/frame.h"
#include "core/item.h"
#include "core/ladder.h"
#include "core/ledger.h"
#include "core/logs.h"
#include "core/noise.h"
#include "core/segments.h"
#include "core/stored.h"

enum {
    LIFE_CHUNK_MAX = 16 * 1024 * 1024, /* More than any reader hands over at once. */
    LIFE_NEEDS_MAX = CORE_ASSETS_MOST,
    LIFE_STATS_MAX = 64 * 1024, /* A handful of figures. */
    /* A log that does not fit travels cut, as the shortest that does not: by one code point too
     * many, which is two escapes of six bytes at most, and a comma. */
    LIFE_LOG_OVER_MAX = 16,
    /* Of an error beside its metered text: three strings of 64 KiB, words and numbers. */
    LIFE_FAULT_REST_MAX = 256 * 1024,
    LIFE_LEFT_NAMED_MAX = 8, /* The others are counted. */
    LIFE_WARNINGS_MAX = 32,
    LIFE_WARNING_LEN = 240,
    LIFE_MESSAGE_MAX = 3072, /* A head of noise and a sentence around it. */
    LIFE_CODE_MAX = 40
};

/* What ends a run. message and hint stand beside it. */
struct ending {
    errand_kind kind;
    const char *code;
    const char *limit; /* Name of a limit, or NULL. */
    const char *hint;  /* Or NULL. */
};

struct warning {
    char text[LIFE_WARNING_LEN + 32]; /* With room for how many times. */
    uint64_t times;
};

struct warnings {
    struct warning *lines; /* room of them. */
    size_t room, count;
    uint64_t dropped;
    char more[64];
    const char *texts[LIFE_WARNINGS_MAX + 1];
};

/* Whom the runner killed outside of its own group, as it says. */
struct left {
    char names[160];
    unsigned named;
    uint64_t total;
};

struct core {
    struct core_setup setup;
    int64_t now_us;
    enum core_phase phase;

    /* Facts: each becomes true once. */
    bool opened, heard, eof, exited, closed, lost, decided;
    unsigned cancels;    /* Counted to two. */
    bool believed;       /* Exited, and the pipe had its time. */
    bool done;           /* A terminal frame decided. */
    bool leaving;        /* The exit of the process decided: its code may still be on the way. */
    bool done_waits;     /* A whole done stands in the inbox: no clock may overtake it. */
    bool given_up;       /* Nobody will answer CLOSE. */
    bool remains;        /* The answer to CLOSE: something may be left. */
    bool may_work_later; /* As the road says that was lost. */
    int64_t later_ms;    /* Not sooner. */
    bool dropped;        /* The way broke, and the two sides have not yet agreed where to go on. */
    bool ended_told;
    int exit_code, exit_signal;
    int64_t born_us, opened_us, heard_us, exited_us, decided_us, gone_us, closing_us;

    /* Clocks that start anew: the last word of the program or to it, the last byte from over
     * there, the last ping. */
    int64_t word_us, life_us, ping_us;
    int64_t dropped_us;
    uint64_t pings;

    int64_t rung_us;
    enum ladder_rung rung;
    unsigned orders; /* Bits of enum core_order. */

    /* What comes in. */
    struct buf inbox;
    size_t lent;    /* Of the inbox: an event borrows it. */
    uint64_t skip;  /* To come, and to be forgotten. */
    bool deaf;      /* What comes is no longer read. */
    bool cut_off;   /* The program has no network, by the place or by what hello says. */
    bool hailed;    /* The header of hello is read; its payload has hello_size bytes. */
    bool late_done; /* After a decision of ours. */
    bool wanted, has_stats, has_store;
    unsigned needs, needed; /* needed: a bit for each asset that was sent. */
    uint64_t hello_size;
    size_t behind_hello; /* Of the inbox: bytes of segments that came before hello was taken. */
    struct buf text;     /* A log's text, where it differs from its JSON. */
    struct buf kept;     /* The payload of done, since the outcome points into it. */
    char *fault_text;
    char *stats, *store;

    /* What goes out. */
    struct buf outbox;
    size_t raw_left;     /* Of the outbox: no frames, to be sent first and whole. */
    uint64_t frame_left; /* Of the outbox: what is left of a frame half sent. */
    uint64_t answers;    /* Replies in the outbox, one half sent too. */
    bool frame_answers;  /* The frame half sent is one. */
    bool stopped;        /* The frame stop was said. */
    bool mute;           /* Nothing that is sent now could be understood. */
    struct segments segments;

    struct ledger ledger;
    struct logs logs;
    struct items items;
    struct noise noise;
    struct calls calls;
    struct warnings warnings;
    struct left left;
    errand_outcome outcome;
    char code[LIFE_CODE_MAX];
    char message[LIFE_MESSAGE_MAX];
    char *reason; /* Of a cancel, where message is too small. */
};

/* --- outcome.c ---------------------------------------------------------------------------- */

/* The first decides; later ones are warnings. The format is the message. */
void errand__decide(struct core *core, const struct ending *ending, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same, with a message of any length. */
void errand__decide_text(struct core *core, const struct ending *ending, errand_span message);
/* done ok, its payload in core->kept or empty. */
void errand__decide_value(struct core *core, errand_span value);
/* done error; payload in core->kept, fault borrowing from it. */
void errand__decide_fault(struct core *core, const struct fault *fault, errand_span payload);
/* The ledger is full. */
void errand__decide_output(struct core *core);
/* The process has gone, or its pipe, without a done. */
void errand__decide_exit(struct core *core);
/* Home has no memory. */
void errand__decide_memory(struct core *core);
void errand__warn(struct core *core, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What a frame left says; any number of them is one warning, at the end. */
void errand__note_left(struct core *core, const struct frame *frame);
/* The last strokes, when nothing can change any more. */
void errand__outcome_finish(struct core *core);
/* Writes bytes of the far side between quotes as one clean line. */
enum { EXCERPT_MAX = 64 };
struct excerpt {
    char text[3 * EXCERPT_MAX + 4];
};
struct excerpt errand__excerpt(errand_span bytes);

/* --- inbox.c ------------------------------------------------------------------------------ */

/* What of the inbox nobody has read. */
errand_span errand__inbox_unread(const struct core *core);
/* Whatever comes from now on is nothing. */
void errand__inbox_shut(struct core *core);
/* A JSON string's text: its own bytes where it says it plainly; else decoded. false: no memory. */
bool errand__inbox_text(struct core *core, errand_span string, errand_span *text);
/* What came is against the protocol; line is where. */
void errand__refuse(struct core *core, const char *why, errand_span line);

/* --- greet.c ------------------------------------------------------------------------------ */

/* Before hello: reads what stands in the inbox, a thing at a time. true: hello. */
bool errand__greet(struct core *core, errand_event *out);
/* Whether that would find a whole thing to read among those bytes. */
bool errand__greet_ready(const struct core *core, errand_span bytes);
/* Whether hello, or what stands in its place, is whole in the inbox. */
bool errand__greet_waits(const struct core *core);
/* The runner will say hello once more: what stands in the inbox was the beginning of one. */
void errand__greet_anew(struct core *core);
void errand__add_noise(struct core *core, errand_span bytes);

/* --- hear.c ------------------------------------------------------------------------------- */

/* Reads what stands in the inbox, up to the next event. */
bool errand__hear(struct core *core, errand_event *out);
/* Whether errand__hear() would find a whole thing to read. */
bool errand__hear_ready(const struct core *core);
/* Whether a whole done stands in the inbox. */
bool errand__hear_done_waits(const struct core *core);
/* No more will be read: what is left becomes noise, or a warning. */
void errand__hear_rest(struct core *core);

/* --- say.c -------------------------------------------------------------------------------- */

errand_status errand__say_raw(struct core *core, errand_span bytes) ERRAND_CHECKED;
/* Whole or not at all; frame->size is set here. */
errand_status errand__say(struct core *core, struct frame frame,
                          errand_span payload) ERRAND_CHECKED;
/* Cuts what waits in the outbox into segments, as far as the other side may be sent more. */
void errand__say_segments(struct core *core);
/* json: an object of at least one member, static; code is added to it. */
errand_status errand__say_rejection(struct core *core, uint64_t call, const char *code,
                                    const char *json) ERRAND_CHECKED;
/* How many bytes of frames wait to be taken. */
size_t errand__say_unread(const struct core *core);
/* Drops what waits, but the rest of a frame half sent. */
void errand__say_drop(struct core *core);

/* --- deadlines.c -------------------------------------------------------------------------- */

int64_t errand__deadlines_due(const struct core *core);
/* Does what the earliest deadline asks for. false: none has passed. */
bool errand__deadlines_pass(struct core *core);
/* A limit in milliseconds as microseconds; TIME_NEVER: off. */
int64_t errand__limit_us(uint64_t ms);
uint64_t errand__limit_of(const struct core *core, size_t field);

/* --- core.c ------------------------------------------------------------------------------- */

void errand__climb_to(struct core *core, enum ladder_rung rung);

#endif
