/* say.c - the outbox: whole frames in, any prefix out, and never a frame torn by a change of
 * mind. */
#include "base/err.h"
#include "core/life.h"

#include <stdio.h>

errand_status errand__say_raw(struct core *core, errand_span bytes)
{
    assert(core->raw_left == errand__buf_peek(&core->outbox).len);
    errand_status status = errand__buf_push(&core->outbox, bytes);
    if (status == ERRAND_OK)
        core->raw_left += bytes.len;
    return status;
}

errand_status errand__say(struct core *core, struct frame frame, errand_span payload)
{
    char header[FRAME_HEADER_MAX + 2];

    frame.size = payload.len;
    size_t len = errand__frame_write(header, &frame);
    if (payload.len > SIZE_MAX / 2)
        return ERRAND_ELIMIT;
    errand_status status = errand__buf_reserve(&core->outbox, len + payload.len + 1);
    if (status == ERRAND_OK)
        status = errand__buf_push(&core->outbox, span_of(header, len));
    /* These two carry a payload; stop and ping don't, and boot goes out raw. */
    if (status != ERRAND_OK || !(frame.type == FRAME_REPLY || frame.type == FRAME_ASSET))
        return status;
    core->answers += frame.type == FRAME_REPLY ? 1U : 0U;
    status = errand__buf_push(&core->outbox, payload);
    return status == ERRAND_OK ? errand__buf_push(&core->outbox, SPAN_LITERAL("\n")) : status;
}

errand_status errand__say_rejection(struct core *core, uint64_t call, const char *code,
                                    const char *json)
{
    struct frame frame = {.type = FRAME_REPLY, .number = call};
    char payload[256];
    size_t brace = strlen(json) - 1;
    int len = snprintf(payload, sizeof(payload), "%.*s,\"code\":\"%s\"}", (int)brace, json, code);

    assert(len > 0);
    assert((size_t)len < sizeof(payload));
    return errand__say(core, frame, span_of(payload, (size_t)len));
}

size_t errand__say_unread(const struct core *core)
{
    return errand__buf_peek(&core->outbox).len - core->raw_left;
}

void errand__say_drop(struct core *core)
{
    size_t kept = 0;

    if (core->raw_left > 0)
        core->mute = true;
    else
        kept = (size_t)core->frame_left;
    core->raw_left = 0;
    core->answers = kept > 0 && core->frame_answers ? 1 : 0;
    errand__buf_keep(&core->outbox, kept);
}

errand_span errand__core_outbox(const struct core *core)
{
    errand_span outbox = errand__buf_peek(&core->outbox);

    if (!core->opened || core->exited || core->lost || core->phase > CORE_LEAVING)
        return SPAN_EMPTY;
    if (!errand__segments_on(&core->segments))
        return outbox;
    return core->raw_left > 0 ? span_head(outbox, core->raw_left)
                              : errand__segments_wire(&core->segments);
}

/* The frame at the head of the outbox, of which nothing was sent yet. */
static void begin_frame(struct core *core)
{
    struct frame frame;
    const char *why;
    enum frame_found found = errand__frame_read(errand__buf_peek(&core->outbox), FRAME_FROM_HOME,
                                                UINT64_MAX, &frame, &why);

    assert(found == FRAME_FOUND);
    (void)found;
    core->frame_left = errand__frame_len(&frame);
    core->frame_answers = frame.type == FRAME_REPLY;
    core->outcome.frames_sent++;
}

static size_t at_most(uint64_t number, size_t max)
{
    return number < max ? (size_t)number : max;
}

static void sent_raw(struct core *core, size_t count)
{
    core->raw_left -= count;
    errand__buf_consume(&core->outbox, count);
    if (core->raw_left == 0)
        core->outcome.frames_sent++; /* The boot frame. */
}

/* So much of the outbox went on its way, whole frames or not. */
static void sent_frames(struct core *core, size_t count)
{
    while (count > 0) {
        if (core->frame_left == 0)
            begin_frame(core);
        size_t part = at_most(core->frame_left, count);
        errand__buf_consume(&core->outbox, part);
        core->frame_left -= part;
        count -= part;
        core->answers -= core->frame_left == 0 && core->frame_answers ? 1U : 0U;
    }
}

void errand__say_segments(struct core *core)
{
    struct segments *segments = &core->segments;

    if (!errand__segments_on(segments) || core->raw_left > 0 || core->phase > CORE_LEAVING)
        return;
    /* What ends the run must not be asked for again by a runner that waits to leave. */
    errand_status status = errand__segments_offer(segments, core->decided);
    errand_span next = span_head(errand__buf_peek(&core->outbox), errand__segments_room(segments));
    if (status == ERRAND_OK && next.len > 0) {
        status = errand__segments_wrap(segments, next);
        if (status == ERRAND_OK)
            sent_frames(core, next.len);
    }
    if (status != ERRAND_OK && !core->decided)
        errand__decide_memory(core);
}

void errand__core_sent(struct core *core, size_t count)
{
    assert(count <= errand__core_outbox(core).len);
    core->outcome.bytes_sent += count;
    if (core->raw_left > 0) {
        size_t raw = at_most(core->raw_left, count);
        sent_raw(core, raw);
        count -= raw;
    }
    if (!errand__segments_on(&core->segments)) {
        sent_frames(core, count);
        return;
    }
    errand__segments_sent(&core->segments, count);
    errand__say_segments(core);
}
