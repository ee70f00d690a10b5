/* source.h - what a loop waits for: a place or a run, with its descriptors and its instant.
 *
 * A source that something happened to is ready and gets turns until it has nothing more to do;
 * then its wants are brought into the loop's epoll and timers. */
#ifndef ERRAND_SOURCE_H
#define ERRAND_SOURCE_H

#include "base/base.h"
#include "run/timers.h"

#include <poll.h>

/* A road needs one or two descriptors, a bundle of HTTP connections a few more. */
enum { SOURCE_FDS_MOST = 8 };

struct source;

struct source_ops {
    /* Does what can be done now. true: *event is filled in, and there may be more. */
    bool (*turn)(struct source *source, int64_t now_us, errand_event *event);
    /* What to wait for, once turn has said false. Returns how many descriptors. */
    size_t (*wants)(struct source *source, struct pollfd *fds, size_t fds_max, int64_t *due_us);
};

struct source {
    const struct source_ops *ops;
    errand_loop *loop;
    uint64_t id;               /* In the loop's registry. */
    struct source *next_ready; /* In the loop's queue. */
    bool ready;
    struct timer timer;
};

#endif
