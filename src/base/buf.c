/* buf.c - grows by doubling while small and by eighths when large; slides to the front when
 * the consumed head is worth it; gives memory back when it runs empty. */
#include "base/buf.h"
#include "base/mem.h"

enum {
    BUF_ROOM_FIRST = 1024,
    BUF_ROOM_KEPT = 16 * 1024, /* An idle run should cost little. */
    BUF_ROOM_DOUBLED = 4 * 1024 * 1024
};

void errand__buf_init(struct buf *buf, size_t max)
{
    *buf = (struct buf){.max = max};
}

void errand__buf_deinit(struct buf *buf)
{
    errand__mem_free(buf->bytes);
    *buf = (struct buf){.max = buf->max};
}

errand_span errand__buf_peek(const struct buf *buf)
{
    return buf->end == buf->start ? SPAN_EMPTY
                                  : span_of(buf->bytes + buf->start, buf->end - buf->start);
}

static size_t grown(size_t room, size_t wanted, size_t max)
{
    size_t next = room < BUF_ROOM_FIRST     ? BUF_ROOM_FIRST
                  : room < BUF_ROOM_DOUBLED ? room * 2
                                            : room + room / 8;
    if (next < wanted)
        next = wanted;
    /* The cap is on what is queued; a sliding head may need no more than that. */
    return next > max && wanted <= max ? max : next;
}

errand_status errand__buf_reserve(struct buf *buf, size_t count)
{
    size_t len = buf->end - buf->start;

    if (count > buf->max || len > buf->max - count)
        return ERRAND_ELIMIT;
    if (buf->room - buf->end >= count)
        return ERRAND_OK;
    if (buf->start > 0 && (buf->room - len >= count || buf->start >= len)) {
        memmove(buf->bytes, buf->bytes + buf->start, len);
        buf->start = 0;
        buf->end = len;
        if (buf->room - buf->end >= count)
            return ERRAND_OK;
    }
    size_t room = grown(buf->room, buf->end + count, buf->max);
    char *bytes = errand__mem_resize(buf->bytes, room);
    if (bytes == NULL)
        return ERRAND_ENOMEM;
    buf->bytes = bytes;
    buf->room = room;
    return ERRAND_OK;
}

errand_status errand__buf_push(struct buf *buf, errand_span bytes)
{
    if (bytes.len == 0)
        return ERRAND_OK;
    errand_status status = errand__buf_reserve(buf, bytes.len);
    if (status != ERRAND_OK)
        return status;
    memcpy(buf->bytes + buf->end, bytes.ptr, bytes.len);
    buf->end += bytes.len;
    return ERRAND_OK;
}

void errand__buf_consume(struct buf *buf, size_t count)
{
    assert(count <= buf->end - buf->start);
#ifndef NDEBUG
    if (count > 0)
        memset(buf->bytes + buf->start, '#', count);
#endif
    buf->start += count;
    if (buf->start < buf->end)
        return;
    buf->start = buf->end = 0;
    if (buf->room > BUF_ROOM_KEPT) {
        errand__mem_free(buf->bytes);
        buf->bytes = NULL;
        buf->room = 0;
    }
}

void errand__buf_keep(struct buf *buf, size_t count)
{
    assert(count <= buf->end - buf->start);
    buf->end = buf->start + count;
    if (count == 0)
        errand__buf_consume(buf, 0);
}
