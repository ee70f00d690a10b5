/* play.h - plays the driver and the far side to a core: streams in, a transcript out.
 *
 * A transcript has one line an event, so that two ways of telling the same story can be
 * compared byte for byte. */
#ifndef ERRAND_PLAY_H
#define ERRAND_PLAY_H

#include "core/core.h"

#define PLAY_MARK "00112233445566778899aabbccddeeff"
/* From the mark to the first frame. */
#define PLAY_HELLO_BODY                                                            \
    "{\"protocol\":1,\"node\":\"v22.4.1\",\"pid\":4711,\"group\":4711,\"digest\":" \
    "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"}"
#define PLAY_HELLO "hello " PLAY_MARK " 131\n" PLAY_HELLO_BODY "\n"

struct play {
    struct core *core;
    int64_t now_us;
    char *text; /* The transcript, NUL-terminated. */
    size_t len, room;
    const errand_outcome *end; /* Once END came. */
    unsigned ends;
    /* What was sent, as long as it fits. */
    char sent[4096];
    size_t sent_len;
    /* Orders, one letter each: T K C. */
    char orders[16];
    size_t orders_len;
    size_t noise_len;
};

/* All limits as their defaults. */
struct core_setup play_setup(void);
void play_init(struct play *play, const struct core_setup *setup);
void play_deinit(struct play *play);
/* Drains events, orders and the outbox, in this order, until nothing is left. */
void play_drain(struct play *play);
/* Each of these drains. */
void play_opened(struct play *play);
void play_out(struct play *play, const char *text);
void play_out_bytes(struct play *play, errand_span bytes);
void play_err(struct play *play, const char *text);
void play_eof(struct play *play);
void play_exited(struct play *play, int code, int signal);
void play_closed(struct play *play);
void play_cancel(struct play *play, const char *reason);
void play_pass(struct play *play, int64_t ms);
/* Opened and hello. */
void play_start(struct play *play);
/* A frame whose size is counted: play_frame(play, "log info", "\"x\""). */
void play_frame(struct play *play, const char *words, const char *payload);
/* EOF, EXITED 0, CLOSED. */
void play_over(struct play *play);
/* Ticks at each due instant until END or so many ticks; returns how many it took. */
unsigned play_silence(struct play *play, unsigned ticks_max);

#endif
