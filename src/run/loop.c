/* loop.c - one thread, any number of sources.
 *
 * Sources that something happened to stand in a queue and get turns, one event a turn, so that
 * a talkative run starves nobody. When the queue is empty the loop sleeps in epoll until a
 * descriptor, a timer or another thread puts a source there. It knows what no source does. */
#include "run/loop.h"

#include "base/err.h"
#include "base/mem.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { LOOP_EVENTS_AT_ONCE = 64 };
/* Stands for wake_fd where else the id of a source stands. */
enum { WAKE = 0 };

/* --- Life --------------------------------------------------------------------------------- */

static errand_status open_descriptors(errand_loop *loop, errand_error *err)
{
    struct epoll_event wake = {.events = EPOLLIN, .data.u64 = WAKE};

    loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    loop->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (loop->epoll_fd < 0 || loop->wake_fd < 0 ||
        epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, loop->wake_fd, &wake) != 0)
        return errand__fail(err, ERRAND_EIO, errno, "loop: no descriptor");
    return ERRAND_OK;
}

static errand_status loop_new(errand_loop **out, bool made_up, errand_error *err)
{
    *out = NULL;
    errand_loop *loop = errand__mem_new(1, sizeof(*loop));
    if (loop == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "loop: out of memory");
    loop->world.made_up = made_up;
    loop->epoll_fd = loop->wake_fd = -1;
    loop->idle = true;
    (void)pthread_mutex_init(&loop->lock, NULL);
    errand_status status = open_descriptors(loop, err);
    if (status != ERRAND_OK) {
        errand_loop_free(loop);
        return status;
    }
    *out = loop;
    return ERRAND_OK;
}

errand_status errand_loop_new(errand_loop **out, errand_error *err)
{
    errand__err_clear(err);
    return loop_new(out, false, err);
}

errand_status errand__loop_new_made_up(errand_loop **out, errand_error *err)
{
    return loop_new(out, true, err);
}

void errand_loop_free(errand_loop *loop)
{
    if (loop == NULL)
        return;
    assert(loop->sources == 0);
    if (loop->epoll_fd >= 0)
        (void)close(loop->epoll_fd);
    if (loop->wake_fd >= 0)
        (void)close(loop->wake_fd);
    errand__timers_deinit(&loop->timers);
    errand__registry_deinit(&loop->registry);
    (void)pthread_mutex_destroy(&loop->lock);
    errand__mem_free(loop);
}

/* --- Sources --------------------------------------------------------------------------------- */

errand_status errand__loop_add(errand_loop *loop, struct source *source,
                               const struct source_ops *ops)
{
    uint64_t id = 0;

    if (errand__timers_reserve(&loop->timers, loop->sources + 1) != ERRAND_OK ||
        errand__registry_add(&loop->registry, source, &id) != ERRAND_OK)
        return ERRAND_ENOMEM;
    *source = (struct source){.ops = ops, .loop = loop, .id = id};
    loop->sources++;
    return ERRAND_OK;
}

void errand__loop_remove(struct source *source)
{
    errand_loop *loop = source->loop;

    errand__registry_remove(&loop->registry, source->id);
    errand__timers_set(&loop->timers, &source->timer, TIME_NEVER);
    struct source *before = NULL;
    for (struct source *at = loop->ready_first; at != NULL; before = at, at = at->next_ready) {
        if (at != source)
            continue;
        *(before == NULL ? &loop->ready_first : &before->next_ready) = source->next_ready;
        if (loop->ready_last == source)
            loop->ready_last = before;
        break;
    }
    source->ready = false;
    assert(loop->sources > 0);
    loop->sources--;
}

void errand__loop_ready(struct source *source)
{
    errand_loop *loop = source->loop;

    if (source->ready)
        return;
    source->ready = true;
    source->next_ready = NULL;
    *(loop->ready_last == NULL ? &loop->ready_first : &loop->ready_last->next_ready) = source;
    loop->ready_last = source;
    if (loop->idle) {
        loop->idle = false; /* Once is enough. */
        uint64_t one = 1;
        (void)!write(loop->wake_fd, &one, sizeof(one));
    }
}

static struct source *take_ready(errand_loop *loop)
{
    struct source *source = loop->ready_first;

    loop->ready_first = source->next_ready;
    if (loop->ready_first == NULL)
        loop->ready_last = NULL;
    source->next_ready = NULL;
    source->ready = false;
    return source;
}

/* --- Wants ----------------------------------------------------------------------------- */

static void tell_epoll(const struct source *source, const struct pollfd *want)
{
    struct epoll_event event = {.events = EPOLLONESHOT, .data.u64 = source->id};
    int epoll_fd = source->loop->epoll_fd;

    event.events |= (want->events & POLLIN) ? EPOLLIN : 0u;
    event.events |= (want->events & POLLOUT) ? EPOLLOUT : 0u;
    if (epoll_ctl(epoll_fd, EPOLL_CTL_MOD, want->fd, &event) != 0)
        (void)epoll_ctl(epoll_fd, EPOLL_CTL_ADD, want->fd, &event);
}

/* Brings what a source waits for into epoll and the timers.
 *
 * All of it after each turn: a descriptor may have been closed, and its number stand for another
 * file. And nothing is taken out: a file that was closed here may live on, in a child between its
 * fork and its exec or in one that never calls exec, and then epoll can't be made to forget it. So
 * each entry tells once, and holds the id of its source, which may be gone by then. */
static void sync_wants(struct source *source)
{
    struct pollfd fds[SOURCE_FDS_MOST];
    int64_t due_us = TIME_NEVER;
    size_t count = source->ops->wants(source, fds, COUNT(fds), &due_us);

    if (count > COUNT(fds))
        count = COUNT(fds); /* A road of somebody else's that wants too much. */
    for (size_t i = 0; i < count; i++)
        tell_epoll(source, &fds[i]);
    errand__timers_set(&source->loop->timers, &source->timer, due_us);
}

/* --- Turns ----------------------------------------------------------------------------- */

static struct source *source_of(struct timer *timer)
{
    return (struct source *)(void *)((char *)timer - offsetof(struct source, timer));
}

static void ready_those_due(errand_loop *loop, int64_t now_us)
{
    for (;;) {
        struct timer *timer = errand__timers_first(&loop->timers);
        if (timer == NULL || timer->due_us > now_us)
            return;
        errand__timers_set(&loop->timers, timer, TIME_NEVER);
        errand__loop_ready(source_of(timer));
    }
}

/* One turn for each that is ready now, so that one which always is keeps nobody waiting. true:
 * loop->event is the next one. */
static bool turn_those_ready(errand_loop *loop)
{
    const struct source *last = loop->ready_last;
    struct source *source = NULL;

    while (loop->ready_first != NULL && source != last) {
        source = take_ready(loop);
        int64_t now_us = errand__world_now_us(&loop->world);
        loop->event = (errand_event){0};
        bool has_event = source->ops->turn(source, now_us, &loop->event);
        /* Also after an event: the turn may have closed a descriptor, whose number the caller
         * may be given for something else before the next turn. */
        sync_wants(source);
        if (has_event) {
            loop->event.at_us = now_us;
            errand__loop_ready(source);
            return true;
        }
    }
    return false;
}

static int sleep_ms(int64_t now_us, int64_t until_us)
{
    if (until_us == TIME_NEVER)
        return -1;
    if (until_us <= now_us)
        return 0;
    int64_t ms = (until_us - now_us + 999) / 1000; /* Never early, or it would spin. */
    return ms > INT_MAX ? INT_MAX : (int)ms;
}

static int64_t first_due(const errand_loop *loop)
{
    const struct timer *timer = errand__timers_first(&loop->timers);
    return timer == NULL ? TIME_NEVER : timer->due_us;
}

static errand_status sleep_until(errand_loop *loop, int64_t until_us, errand_error *err)
{
    struct epoll_event events[LOOP_EVENTS_AT_ONCE];
    int ms = sleep_ms(errand__world_now_us(&loop->world), until_us);

    loop->idle = true;
    errand__loop_unlock(loop);
    int count = epoll_wait(loop->epoll_fd, events, COUNT(events), ms);
    int failure = errno;
    errand__loop_lock(loop);
    loop->idle = false;
    if (count < 0 && failure != EINTR)
        return errand__fail(err, ERRAND_EIO, failure, "loop: wait");
    for (int i = 0; i < count; i++) {
        uint64_t wakes = 0;
        if (events[i].data.u64 == WAKE) {
            (void)!read(loop->wake_fd, &wakes, sizeof(wakes));
            continue;
        }
        struct source *source = errand__registry_find(&loop->registry, events[i].data.u64);
        if (source != NULL)
            errand__loop_ready(source);
    }
    return ERRAND_OK;
}

/* In made-up time nothing is waited for: the clock jumps to what comes first. */
static void jump_to(errand_loop *loop, int64_t until_us)
{
    if (until_us != TIME_NEVER && until_us > loop->world.made_up_us)
        loop->world.made_up_us = until_us;
}

static int64_t deadline_of(int64_t now_us, int timeout_ms)
{
    return timeout_ms < 0 ? TIME_NEVER : now_us + (int64_t)timeout_ms * 1000;
}

static errand_status next_event(errand_loop *loop, int timeout_ms, errand_error *err)
{
    int64_t deadline_us = deadline_of(errand__world_now_us(&loop->world), timeout_ms);
    bool looked = false;

    for (;;) {
        ready_those_due(loop, errand__world_now_us(&loop->world));
        if (turn_those_ready(loop))
            return ERRAND_OK;
        int64_t now_us = errand__world_now_us(&loop->world);
        int64_t due_us = first_due(loop);
        if (due_us <= now_us)
            continue;
        if (loop->busy == 0 || atomic_exchange(&loop->woken, false))
            return ERRAND_AGAIN;
        if (loop->ready_first != NULL)
            due_us = now_us;
        if (loop->world.made_up && due_us == TIME_NEVER && deadline_us == TIME_NEVER)
            return errand__fail(err, ERRAND_ESTATE, 0,
                                "loop: nothing will ever happen in this made-up world");
        if (now_us >= deadline_us && looked)
            return ERRAND_AGAIN;
        looked = true;
        int64_t until_us = due_us < deadline_us ? due_us : deadline_us;
        if (loop->world.made_up) {
            jump_to(loop, until_us);
            continue;
        }
        errand_status status = sleep_until(loop, until_us, err);
        if (status != ERRAND_OK)
            return status;
    }
}

errand_status errand_loop_next(errand_loop *loop, int timeout_ms, const errand_event **event,
                               errand_error *err)
{
    errand__err_clear(err);
    *event = NULL;
    errand__loop_lock(loop);
    loop->idle = false;
    errand_status status = next_event(loop, timeout_ms, err);
    if (status == ERRAND_OK)
        *event = &loop->event;
    loop->idle = true;
    errand__loop_unlock(loop);
    return status;
}

/* --- From outside ---------------------------------------------------------------------- */

int errand_loop_fd(const errand_loop *loop)
{
    return loop->epoll_fd;
}

int errand_loop_timeout_ms(errand_loop *loop)
{
    errand__loop_lock(loop);
    int ms = loop->ready_first != NULL
                 ? 0
                 : sleep_ms(errand__world_now_us(&loop->world), first_due(loop));
    errand__loop_unlock(loop);
    return ms;
}

void errand_loop_wake(errand_loop *loop)
{
    uint64_t one = 1;

    atomic_store(&loop->woken, true);
    (void)!write(loop->wake_fd, &one, sizeof(one));
}

int64_t errand_loop_now_us(errand_loop *loop)
{
    errand__loop_lock(loop);
    int64_t now_us = errand__world_now_us(&loop->world);
    errand__loop_unlock(loop);
    return now_us;
}

void errand__loop_lock(errand_loop *loop)
{
    (void)pthread_mutex_lock(&loop->lock);
}

void errand__loop_unlock(errand_loop *loop)
{
    (void)pthread_mutex_unlock(&loop->lock);
}

int64_t errand__loop_now(errand_loop *loop)
{
    return errand__world_now_us(&loop->world);
}
