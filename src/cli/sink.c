/* sink.c - polls before each write. */
#include "cli/sink.h"
#include "cli/text.h"

#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PIECE_SURE = 4096,        /* PIPE_BUF: a writable pipe takes that much. */
    PIECE_FILE = 1024 * 1024, /* A file does not keep us waiting for a reader. */
    FULL_BYTES = 1024 * 1024
};

void sink_init(struct sink *sink, int fd)
{
    struct stat facts;
    bool file = fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode);

    *sink = (struct sink){.fd = fd, .piece = file ? PIECE_FILE : PIECE_SURE};
    sink->tty = isatty(fd) == 1;
    errand__buf_init(&sink->queue, TEXT_BYTES_MAX);
}

void sink_deinit(struct sink *sink)
{
    errand__buf_deinit(&sink->queue);
}

void sink_lend(struct sink *sink, errand_span bytes)
{
    assert(sink->lent.len == 0);
    sink->lent = bytes;
    sink->lent_at = errand__buf_peek(&sink->queue).len;
}

void sink_forget(struct sink *sink)
{
    errand__buf_consume(&sink->queue, errand__buf_peek(&sink->queue).len);
    sink->lent = SPAN_EMPTY;
}

static errand_span next_piece(const struct sink *sink)
{
    errand_span queued = errand__buf_peek(&sink->queue);

    if (sink->lent.len == 0)
        return span_head(queued, sink->piece);
    if (sink->lent_at == 0)
        return span_head(sink->lent, sink->piece);
    return span_head(queued, sink->lent_at < sink->piece ? sink->lent_at : sink->piece);
}

static void took(struct sink *sink, size_t count)
{
    if (sink->lent.len > 0 && sink->lent_at == 0) {
        sink->lent = span_after(sink->lent, count);
        return;
    }
    errand__buf_consume(&sink->queue, count);
    if (sink->lent.len > 0)
        sink->lent_at -= count;
}

static bool write_piece(struct sink *sink)
{
    struct pollfd ready = {.fd = sink->fd, .events = POLLOUT};

    if (poll(&ready, 1, 0) <= 0)
        return false;
    errand_span piece = next_piece(sink);
    ssize_t count = write(sink->fd, piece.ptr, piece.len);
    if (count >= 0) {
        took(sink, (size_t)count);
        return true;
    }
    if (errno != EAGAIN && errno != EINTR)
        sink->failed_errno = errno;
    return errno == EINTR;
}

void sink_flush(struct sink *sink)
{
    while (sink->failed_errno == 0 && !sink_is_empty(sink)) {
        if (!write_piece(sink))
            break;
    }
    if (sink->failed_errno != 0)
        sink_forget(sink);
}

bool sink_is_full(const struct sink *sink)
{
    return errand__buf_peek(&sink->queue).len > FULL_BYTES;
}

bool sink_is_empty(const struct sink *sink)
{
    return errand__buf_peek(&sink->queue).len == 0 && sink->lent.len == 0;
}
