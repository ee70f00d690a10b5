/* voice.c - lead, digits, head, open, pieces, close; then the next round. */
#include "transport/fake/voice.h"

static uint64_t pieces_len(const struct fake_voice *voice)
{
    return voice->piece.len * voice->times;
}

static uint64_t round_len(const struct fake_voice *voice)
{
    return voice->lead.len + voice->digits.len + voice->head.len + voice->open.len +
           pieces_len(voice) + voice->close.len;
}

bool errand__fake_voice_speaks(const struct fake_voice *voice)
{
    return voice->rounds > 0 && round_len(voice) > 0;
}

static size_t say_pieces(const struct fake_voice *voice, uint64_t from, char *into, size_t room)
{
    uint64_t left = pieces_len(voice) - from;
    size_t count = left < room ? (size_t)left : room;

    if (voice->piece.len == 1) {
        memset(into, voice->piece.ptr[0], count);
        return count;
    }
    for (size_t done = 0; done < count;) {
        size_t at = (size_t)((from + done) % voice->piece.len);
        size_t part = voice->piece.len - at;
        if (part > count - done)
            part = count - done;
        memcpy(into + done, voice->piece.ptr + at, part);
        done += part;
    }
    return count;
}

/* Bytes from where the round stands, as far as one segment goes. */
static size_t say_segment(const struct fake_voice *voice, char *into, size_t room)
{
    const errand_span before[] = {voice->lead, voice->digits, voice->head, voice->open};
    uint64_t at = voice->said;
    errand_span rest;

    for (size_t i = 0; i < COUNT(before); i++) {
        if (at < before[i].len) {
            rest = span_head(span_after(before[i], (size_t)at), room);
            memcpy(into, rest.ptr, rest.len);
            return rest.len;
        }
        at -= before[i].len;
    }
    if (at < pieces_len(voice))
        return say_pieces(voice, at, into, room);
    at -= pieces_len(voice);
    rest = span_head(span_after(voice->close, (size_t)at), room);
    memcpy(into, rest.ptr, rest.len);
    return rest.len;
}

size_t errand__fake_voice_say(struct fake_voice *voice, char *into, size_t room)
{
    size_t made = 0;

    while (made < room && errand__fake_voice_speaks(voice)) {
        size_t count = say_segment(voice, into + made, room - made);
        made += count;
        voice->said += count;
        if (voice->said == round_len(voice)) {
            voice->said = 0;
            voice->rounds--;
        }
    }
    return made;
}
