/* noise.c - the tail is a queue that loses its older half when it holds twice of what is kept,
 * so that a flood costs one move a byte and not one a chunk. */
#include "core/noise.h"

static size_t at_most(uint64_t number, size_t max)
{
    return number > max ? max : (size_t)number;
}

void errand__noise_init(struct noise *noise, uint64_t head_max, uint64_t tail_max)
{
    *noise = (struct noise){
        .head_max = at_most(head_max, NOISE_HEAD_MAX),
        .tail_max = at_most(tail_max, SIZE_MAX / 8),
    };
    errand__buf_init(&noise->tail, 2 * noise->tail_max);
    /* The core hands out what is fresh before it takes more. */
    errand__buf_init(&noise->fresh, SIZE_MAX / 2);
}

void errand__noise_deinit(struct noise *noise)
{
    errand__buf_deinit(&noise->tail);
    errand__buf_deinit(&noise->fresh);
}

static void keep_head(struct noise *noise, errand_span bytes)
{
    errand_span part = span_head(bytes, noise->head_max - noise->head_len);

    if (part.len > 0)
        memcpy(noise->head + noise->head_len, part.ptr, part.len);
    noise->head_len += part.len;
}

static errand_status keep_tail(struct noise *noise, errand_span bytes)
{
    if (bytes.len > noise->tail_max)
        bytes = span_after(bytes, bytes.len - noise->tail_max);
    size_t held = errand__buf_peek(&noise->tail).len;
    if (held + bytes.len > 2 * noise->tail_max)
        errand__buf_consume(&noise->tail, held + bytes.len - noise->tail_max);
    return errand__buf_push(&noise->tail, bytes);
}

errand_status errand__noise_add(struct noise *noise, errand_span bytes)
{
    noise->total += bytes.len;
    keep_head(noise, bytes);
    errand_status status = keep_tail(noise, bytes);
    return status == ERRAND_OK ? errand__buf_push(&noise->fresh, bytes) : status;
}

errand_span errand__noise_lend(struct noise *noise)
{
    errand_span bytes = errand__buf_peek(&noise->fresh);

    noise->lent = bytes.len;
    return bytes;
}

void errand__noise_give_back(struct noise *noise)
{
    errand__buf_consume(&noise->fresh, noise->lent);
    noise->lent = 0;
}

errand_span errand__noise_head(const struct noise *noise)
{
    return span_of(noise->head, noise->head_len);
}

errand_span errand__noise_tail(const struct noise *noise)
{
    errand_span tail = errand__buf_peek(&noise->tail);

    return tail.len > noise->tail_max ? span_after(tail, tail.len - noise->tail_max) : tail;
}

static bool tells(const struct noise *noise, const char *words)
{
    errand_span tail = errand__noise_tail(noise);

    return tail.len > 0 && memmem(tail.ptr, tail.len, words, strlen(words)) != NULL;
}

bool errand__noise_tells_out_of_memory(const struct noise *noise)
{
    return tells(noise, "heap out of memory") || tells(noise, "Allocation failed");
}

bool errand__noise_tells_assertion(const struct noise *noise)
{
    return tells(noise, "Assertion `") || tells(noise, "Assertion failed:");
}
