/* brittle.c - breaks a way between two bytes, and finds it again a moment later. */
#include "brittle.h"

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>

enum { AWAY_US_MAX = 5000 };

struct brittle_road {
    errand_road road;
    errand_road_ops ops;
    errand_road *inner;
    unsigned seed, times, every;
};

/* One send: it arrives as a whole or not at all. */
struct piece {
    struct piece *next;
    size_t len, begun;
    char bytes[];
};

struct brittle_process {
    errand_process process;
    errand_process *inner;
    unsigned chance; /* State of the generator. */
    unsigned breaks_left, every;
    size_t until_break; /* Bytes of output. */
    bool opened, broken, told;
    int64_t now_us, back_us; /* When the way is found again. */
    struct piece *first, **last;
    errand_notice held; /* What came while it was broken, and is no output. */
    bool holds;
};

static unsigned breaks;

unsigned brittle_breaks(void)
{
    return breaks;
}

/* xorshift: any sequence will do, as long as it is the same again. */
static unsigned draw(struct brittle_process *self, unsigned below)
{
    self->chance ^= self->chance << 13;
    self->chance ^= self->chance >> 17;
    self->chance ^= self->chance << 5;
    return self->chance % below;
}

/* --- To the process ------------------------------------------------------------------------- */

static void drop_piece(struct brittle_process *self, struct piece **at)
{
    struct piece *piece = *at;
    *at = piece->next;
    if (piece->next == NULL)
        self->last = at;
    free(piece);
}

static errand_status flush(struct brittle_process *self, errand_error *err)
{
    while (self->first != NULL) {
        struct piece *piece = self->first;
        errand_span rest = span_of(piece->bytes + piece->begun, piece->len - piece->begun);
        size_t taken = 0;
        errand_status status = self->inner->ops->send(self->inner, rest, &taken, err);
        if (status != ERRAND_OK)
            return status;
        piece->begun += taken;
        if (piece->begun < piece->len)
            return ERRAND_OK;
        drop_piece(self, &self->first);
    }
    return ERRAND_OK;
}

static errand_status process_send(errand_process *process, errand_span bytes, size_t *taken,
                                  errand_error *err)
{
    struct brittle_process *self = (struct brittle_process *)(void *)process;

    *taken = 0;
    if (self->broken || self->first != NULL)
        return self->broken ? ERRAND_OK : flush(self, err);
    struct piece *piece = malloc(sizeof(*piece) + bytes.len);
    if (piece == NULL)
        abort();
    *piece = (struct piece){.len = bytes.len};
    memcpy(piece->bytes, bytes.ptr, bytes.len);
    *self->last = piece;
    self->last = &piece->next;
    *taken = bytes.len;
    return flush(self, err);
}

/* --- From the process ----------------------------------------------------------------------- */

static void break_way(struct brittle_process *self)
{
    breaks++;
    self->broken = true;
    self->told = false;
    self->breaks_left--;
    self->back_us = self->now_us + (draw(self, 3) == 0 ? 0 : (int64_t)draw(self, AWAY_US_MAX));
    /* What has begun to arrive arrives; of the rest, chance decides. */
    struct piece **at = &self->first;
    if (*at != NULL && (*at)->begun > 0)
        at = &(*at)->next;
    while (*at != NULL) {
        if (draw(self, 2) == 0)
            drop_piece(self, at);
        else
            at = &(*at)->next;
    }
}

static errand_status tell_break(struct brittle_process *self, errand_notice *out)
{
    self->told = true;
    *out = (errand_notice){.type = ERRAND_NOTICE_DROPPED, .bytes = SPAN_LITERAL("cut by the test")};
    return ERRAND_OK;
}

static errand_status find_way(struct brittle_process *self, errand_notice *out)
{
    self->broken = false;
    self->until_break = 1 + draw(self, self->every);
    *out = (errand_notice){.type = ERRAND_NOTICE_ATTACHED};
    return ERRAND_OK;
}

/* While the way is broken: output goes nowhere, and what else there is waits. */
static errand_status next_broken(struct brittle_process *self, errand_scratch scratch,
                                 errand_notice *out, errand_error *err)
{
    while (self->now_us < self->back_us && !self->holds) {
        errand_status status =
            self->inner->ops->next(self->inner, self->now_us, scratch, &self->held, err);
        if (status != ERRAND_OK)
            return status;
        self->holds = self->held.type != ERRAND_NOTICE_OUT && self->held.type != ERRAND_NOTICE_ERR;
    }
    return find_way(self, out);
}

static errand_status process_next(errand_process *process, int64_t now_us, errand_scratch scratch,
                                  errand_notice *out, errand_error *err)
{
    struct brittle_process *self = (struct brittle_process *)(void *)process;

    self->now_us = now_us;
    if (self->broken)
        return self->told ? next_broken(self, scratch, out, err) : tell_break(self, out);
    if (self->holds) {
        self->holds = false;
        *out = self->held;
        return ERRAND_OK;
    }
    if (self->opened) {
        errand_status flushed = flush(self, err);
        if (flushed != ERRAND_OK)
            return flushed;
    }
    errand_status status = self->inner->ops->next(self->inner, now_us, scratch, out, err);
    if (status != ERRAND_OK)
        return status;
    self->opened = true;
    if (out->type != ERRAND_NOTICE_OUT || self->breaks_left == 0)
        return ERRAND_OK;
    if (out->bytes.len < self->until_break) {
        self->until_break -= out->bytes.len;
        return ERRAND_OK;
    }
    out->bytes = span_head(out->bytes, self->until_break);
    break_way(self);
    return ERRAND_OK;
}

static errand_status process_stop(errand_process *process, errand_stop how, int64_t now_us,
                                  errand_error *err)
{
    struct brittle_process *self = (struct brittle_process *)(void *)process;
    return self->inner->ops->stop(self->inner, how, now_us, err);
}

static size_t process_wants(errand_process *process, int reading, int writing, struct pollfd *fds,
                            size_t fds_max, int64_t *due_us)
{
    struct brittle_process *self = (struct brittle_process *)(void *)process;
    size_t count = self->inner->ops->wants(self->inner, reading, writing || self->first != NULL,
                                           fds, fds_max, due_us);

    if (!reading)
        return count;
    if (self->holds || (self->broken && !self->told))
        *due_us = 0;
    else if (self->broken && self->back_us < *due_us)
        *due_us = self->back_us;
    return count;
}

static void process_free(errand_process *process)
{
    struct brittle_process *self = (struct brittle_process *)(void *)process;

    self->inner->ops->free(self->inner);
    while (self->first != NULL)
        drop_piece(self, &self->first);
    free(self);
}

static const errand_process_ops process_ops = {
    .size = sizeof(errand_process_ops),
    .next = process_next,
    .send = process_send,
    .stop = process_stop,
    .wants = process_wants,
    .free = process_free,
};

/* --- The road ------------------------------------------------------------------------------- */

static errand_status road_open(errand_road *road, int64_t now_us, errand_error *err)
{
    struct brittle_road *self = (struct brittle_road *)(void *)road;
    return self->inner->ops->open(self->inner, now_us, err);
}

static errand_status road_launch(errand_road *road, const errand_launch *launch, int64_t now_us,
                                 errand_process **out, errand_error *err)
{
    struct brittle_road *self = (struct brittle_road *)(void *)road;
    errand_process *inner = NULL;
    errand_status status = self->inner->ops->launch(self->inner, launch, now_us, &inner, err);

    if (status != ERRAND_OK)
        return status;
    struct brittle_process *process = calloc(1, sizeof(*process));
    if (process == NULL)
        abort();
    process->process.ops = &process_ops;
    process->inner = inner;
    process->last = &process->first;
    process->chance = 2654435761U * ++self->seed | 1U;
    process->breaks_left = self->times;
    process->every = self->every;
    process->until_break = 1 + draw(process, self->every);
    *out = &process->process;
    return ERRAND_OK;
}

static errand_status road_close(errand_road *road, int64_t now_us, errand_error *err)
{
    struct brittle_road *self = (struct brittle_road *)(void *)road;
    return self->inner->ops->close(self->inner, now_us, err);
}

static size_t road_wants(errand_road *road, struct pollfd *fds, size_t fds_max, int64_t *due_us)
{
    struct brittle_road *self = (struct brittle_road *)(void *)road;
    return self->inner->ops->wants(self->inner, fds, fds_max, due_us);
}

static void road_free(errand_road *road)
{
    struct brittle_road *self = (struct brittle_road *)(void *)road;
    self->inner->ops->free(self->inner);
    free(self);
}

errand_road *brittle_road_new(errand_road *inner, unsigned seed, unsigned times, unsigned every)
{
    struct brittle_road *self = calloc(1, sizeof(*self));

    if (self == NULL)
        abort();
    self->ops = (errand_road_ops){
        .size = sizeof(errand_road_ops),
        .name = "brittle",
        .open = road_open,
        .launch = road_launch,
        .close = road_close,
        .wants = road_wants,
        .free = road_free,
        .lease_ms = 10000,
        .delivery = inner->ops->delivery,
        .reattaches = 1,
    };
    self->road.ops = &self->ops;
    self->inner = inner;
    self->seed = seed;
    self->times = times;
    self->every = every;
    return &self->road;
}
