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

static bool write_piece(struct sink *sink)
{
    struct pollfd ready = {.fd = sink->fd, .events = POLLOUT};

    if (poll(&ready, 1, 0) <= 0)
        return false;
    errand_span piece = span_head(errand__buf_peek(&sink->queue), sink->piece);
    ssize_t count = write(sink->fd, piece.ptr, piece.len);
    if (count >= 0) {
        errand__buf_consume(&sink->queue, (size_t)count);
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
        errand__buf_consume(&sink->queue, errand__buf_peek(&sink->queue).len);
}

bool sink_is_full(const struct sink *sink)
{
    return errand__buf_peek(&sink->queue).len > FULL_BYTES;
}

bool sink_is_empty(const struct sink *sink)
{
    return errand__buf_peek(&sink->queue).len == 0;
}
