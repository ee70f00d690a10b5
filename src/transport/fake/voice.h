/* voice.h - bytes that a fake process is about to say, made as they are asked for.
 *
 * Knows how to repeat; knows no frames. A terabyte of flood costs a few words of state. */
#ifndef ERRAND_FAKE_VOICE_H
#define ERRAND_FAKE_VOICE_H

#include "base/base.h"

struct fake_voice {
    errand_span lead, digits, head, open, piece, close; /* Borrowed. */
    uint64_t times;                                     /* Pieces in a round. */
    uint64_t rounds;                                    /* Still to say, this one included. */
    uint64_t said;                                      /* Of this round. */
    bool err;                                           /* On stderr. */
};

bool errand__fake_voice_speaks(const struct fake_voice *voice);
/* Returns how many bytes were made: room, unless nothing is left. */
size_t errand__fake_voice_say(struct fake_voice *voice, char *into, size_t room);

#endif
