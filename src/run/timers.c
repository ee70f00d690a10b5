/* timers.c - a binary heap; equal instants come in no particular order. */
#include "run/timers.h"

#include "base/mem.h"

void errand__timers_deinit(struct timers *timers)
{
    errand__mem_free(timers->heap);
    *timers = (struct timers){0};
}

errand_status errand__timers_reserve(struct timers *timers, size_t count)
{
    if (count <= timers->room)
        return ERRAND_OK;
    size_t room = timers->room == 0 ? 16 : timers->room * 2;
    if (room < count)
        room = count;
    struct timer **heap = errand__mem_resize(timers->heap, room * sizeof(struct timer *));
    if (heap == NULL)
        return ERRAND_ENOMEM;
    timers->heap = heap;
    timers->room = room;
    return ERRAND_OK;
}

static void place_at(struct timers *timers, size_t at, struct timer *timer)
{
    timers->heap[at] = timer;
    timer->at = at + 1;
}

static void sift_up(struct timers *timers, size_t at)
{
    struct timer *timer = timers->heap[at];

    for (; at > 0 && timers->heap[(at - 1) / 2]->due_us > timer->due_us; at = (at - 1) / 2)
        place_at(timers, at, timers->heap[(at - 1) / 2]);
    place_at(timers, at, timer);
}

static void sift_down(struct timers *timers, size_t at)
{
    struct timer *timer = timers->heap[at];

    for (;;) {
        size_t child = at * 2 + 1;
        if (child >= timers->count)
            break;
        if (child + 1 < timers->count &&
            timers->heap[child + 1]->due_us < timers->heap[child]->due_us)
            child++;
        if (timers->heap[child]->due_us >= timer->due_us)
            break;
        place_at(timers, at, timers->heap[child]);
        at = child;
    }
    place_at(timers, at, timer);
}

static void take_out(struct timers *timers, struct timer *timer)
{
    size_t at = timer->at - 1;
    struct timer *last = timers->heap[--timers->count];

    timer->at = 0;
    if (last == timer)
        return;
    place_at(timers, at, last);
    sift_up(timers, at);
    sift_down(timers, last->at - 1);
}

void errand__timers_set(struct timers *timers, struct timer *timer, int64_t due_us)
{
    if (timer->at != 0 && timer->due_us == due_us)
        return;
    if (timer->at != 0)
        take_out(timers, timer);
    timer->due_us = due_us;
    if (due_us == TIME_NEVER)
        return;
    assert(timers->count < timers->room);
    place_at(timers, timers->count++, timer);
    sift_up(timers, timers->count - 1);
}

struct timer *errand__timers_first(const struct timers *timers)
{
    return timers->count == 0 ? NULL : timers->heap[0];
}
