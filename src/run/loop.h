/* loop.h - inside of a loop: its sources, its queue of those that are ready, its one lock. */
#ifndef ERRAND_LOOP_H
#define ERRAND_LOOP_H

#include "base/base.h"
#include "run/registry.h"
#include "run/source.h"
#include "run/world.h"

#include <errand/transport.h>

#include <pthread.h>
#include <stdatomic.h>

/* Large enough that a megabyte takes few turns, once a loop. */
enum { LOOP_SCRATCH = 256 * 1024 };

struct errand_loop {
    struct world world;
    int epoll_fd, wake_fd;
    /* Held while the loop works, and by what any thread may call; not while it sleeps. */
    pthread_mutex_t lock;
    bool idle;         /* Asleep, or its owner is elsewhere: who makes a source ready wakes it. */
    atomic_bool woken; /* errand_loop_wake(): the next AGAIN comes at once. */
    struct source *ready_first, *ready_last;
    struct timers timers;
    struct registry registry;
    size_t sources; /* That exist; timers has room for as many. */
    size_t busy;    /* Runs that have not ended and places that are closing. */
    errand_event event;
    char scratch[LOOP_SCRATCH];
};

/* ENOMEM: the source is not part of the loop. */
errand_status errand__loop_add(errand_loop *loop, struct source *source,
                               const struct source_ops *ops) ERRAND_CHECKED;
void errand__loop_remove(struct source *source);
/* The source gets a turn. With the lock held. */
void errand__loop_ready(struct source *source);
void errand__loop_lock(errand_loop *loop);
void errand__loop_unlock(errand_loop *loop);
int64_t errand__loop_now(errand_loop *loop);

#endif
