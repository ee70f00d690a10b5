/* watch.c - transport.h, sentence by sentence, as checks on whoever calls and whoever answers. */
#include "watch.h"

#include "base/mem.h"
#include "run/loop.h"
#include "transport/fake/ear.h"
#include "transport/fake/intake.h"
#include "transport/fake/launch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { IDLE_TURNS_MAX = 200 /* Of a process that has nothing to say at one instant. */ };

struct watched_road {
    errand_road road;
    errand_road_ops ops;
    errand_road *inner;
    struct watch *watch;
    bool open, failed, closing;
};

struct watched_process {
    errand_process process;
    errand_process *inner;
    struct watch *watch;
    unsigned number;
    struct fake_launch launch;
    size_t want_matched; /* How much of "want MARK" stands before. */
    bool reattaches;     /* What home sends goes in segments. */
    struct fake_intake intake;
    struct fake_ear ear;
    bool deaf_ear; /* What home sends is no longer understood; told once. */
    int64_t now_us;
    unsigned idle_turns;
    bool opened, eof, exited, closed, lost, termed, killed, close_asked;
    /* Crumbs: what was told and not yet passed on. */
    char *held;
    errand_span crumbs;
    errand_notice_type crumbs_type;
};

static void breach(struct watch *watch, unsigned process, const char *what)
{
    if (watch->fault[0] == '\0')
        (void)snprintf(watch->fault, sizeof(watch->fault), "process %u: %.100s", process, what);
}

static void require(struct watched_process *self, bool kept, const char *what)
{
    if (!kept)
        breach(self->watch, self->number, what);
}

static void tell(struct watched_process *self, const char *what)
{
    if (self->watch->tell != NULL)
        self->watch->tell(self->watch->ctx, errand__loop_now(self->watch->loop), self->number,
                          what);
}

static void tell_number(struct watched_process *self, const char *what, uint64_t number)
{
    char text[64];
    (void)snprintf(text, sizeof(text), "%s %" PRIu64, what, number);
    tell(self, text);
}

static void at(struct watched_process *self, int64_t now_us)
{
    require(self, now_us >= self->now_us, "time went back");
    if (now_us > self->now_us)
        self->idle_turns = 0;
    self->now_us = now_us;
}

/* --- What the far side tells -------------------------------------------------------------- */

/* Behind a want, what follows the first write is the runner, and no frame. */
static void see_want(struct watched_process *self, errand_span bytes)
{
    char want[5 + FAKE_MARK_LEN] = {'w', 'a', 'n', 't', ' '};

    memcpy(want + 5, self->launch.mark, FAKE_MARK_LEN);
    for (size_t i = 0; i < bytes.len; i++) {
        if (bytes.ptr[i] == want[self->want_matched])
            self->want_matched++;
        else
            self->want_matched = bytes.ptr[i] == want[0];
        if (self->want_matched < sizeof(want))
            continue;
        self->ear.runner_left = self->intake.runner_left = self->launch.runner_size;
        self->want_matched = 0;
    }
}

static void see_notice(struct watched_process *self, const errand_notice *notice)
{
    require(self, !self->closed, "a notice after CLOSED");
    require(self,
            notice->type == ERRAND_NOTICE_OPENED || notice->type == ERRAND_NOTICE_CLOSED ||
                self->opened,
            "a notice before OPENED");
    switch (notice->type) {
    case ERRAND_NOTICE_OPENED:
        require(self, !self->opened, "OPENED twice");
        self->opened = true;
        tell(self, "opened");
        break;
    case ERRAND_NOTICE_OUT:
        require(self, !self->eof, "OUT after EOF");
        self->watch->out_bytes += notice->bytes.len;
        see_want(self, notice->bytes);
        break;
    case ERRAND_NOTICE_ERR:
        break;
    case ERRAND_NOTICE_EOF:
        require(self, !self->eof, "EOF twice");
        self->eof = true;
        tell(self, "eof");
        break;
    case ERRAND_NOTICE_EXITED:
        require(self, !self->exited, "EXITED twice");
        self->exited = true;
        if (notice->exit_signal != 0)
            tell_number(self, "killed", (uint64_t)notice->exit_signal);
        else
            tell_number(self, "exited", (uint64_t)notice->exit_code);
        break;
    case ERRAND_NOTICE_CLOSED:
        self->closed = true;
        tell(self, "closed");
        break;
    case ERRAND_NOTICE_DROPPED:
        tell(self, "dropped");
        break;
    case ERRAND_NOTICE_ATTACHED:
        tell(self, "attached");
        break;
    }
}

/* Passes on one byte of what is held. */
static errand_status crumb(struct watched_process *self, errand_scratch scratch, errand_notice *out)
{
    scratch.ptr[0] = self->crumbs.ptr[0];
    *out = (errand_notice){.type = self->crumbs_type, .bytes = span_of(scratch.ptr, 1)};
    self->crumbs = span_after(self->crumbs, 1);
    return ERRAND_OK;
}

static errand_status crumble(struct watched_process *self, errand_scratch scratch,
                             errand_notice *out)
{
    free(self->held);
    self->held = malloc(out->bytes.len);
    if (self->held == NULL)
        abort();
    memcpy(self->held, out->bytes.ptr, out->bytes.len);
    self->crumbs = span_of(self->held, out->bytes.len);
    self->crumbs_type = out->type;
    return crumb(self, scratch, out);
}

static errand_status process_next(errand_process *process, int64_t now_us, errand_scratch scratch,
                                  errand_notice *out, errand_error *err)
{
    struct watched_process *self = (struct watched_process *)(void *)process;

    at(self, now_us);
    require(self, !self->closed, "asked after CLOSED");
    require(self, !self->lost || self->close_asked, "asked after it was lost, before CLOSE");
    if (self->crumbs.len > 0 && !self->close_asked)
        return crumb(self, scratch, out);
    errand_status status = self->inner->ops->next(self->inner, now_us, scratch, out, err);
    if (status == ERRAND_OK) {
        see_notice(self, out);
        if (self->watch->crumbs && out->bytes.len > 1 && out->type == ERRAND_NOTICE_OUT)
            return crumble(self, scratch, out);
    } else if (status < 0) {
        if (!self->lost)
            tell(self, "lost");
        self->lost = true;
    } else {
        self->idle_turns++;
        require(self, self->idle_turns < IDLE_TURNS_MAX, "I8: asked again and again");
    }
    return status;
}

/* --- What home does ----------------------------------------------------------------------- */

static void overhear(struct watched_process *self, errand_span bytes)
{
    struct fake_ear *ear = &self->ear;
    bool booted = ear->booted;
    bool stopped = ear->stopped;
    uint64_t pings = ear->pings;
    errand_error error = {0};

    if (self->deaf_ear)
        return;
    if (errand__fake_ear_hear(ear, bytes, &error) != ERRAND_OK) {
        require(self, error.status == ERRAND_ENOMEM, error.text);
        self->deaf_ear = true;
    }
    if (ear->booted && !booted)
        tell(self, "boot");
    if (ear->pings > pings)
        tell_number(self, "ping", ear->ping);
    if (ear->stopped && !stopped)
        tell_number(self, "stop", ear->stop_ms);
}

/* What home sends again, the far side has heard already. */
static void overhear_segments(struct watched_process *self, errand_span bytes)
{
    while (bytes.len > 0) {
        errand_span part;
        switch (errand__fake_intake_take(&self->intake, &bytes, &part)) {
        case FAKE_INTAKE_BYTES:
            overhear(self, part);
            break;
        case FAKE_INTAKE_BAD:
            breach(self->watch, self->number, "what is no segment");
            return;
        case FAKE_INTAKE_NOTHING:
        case FAKE_INTAKE_ACK:
        case FAKE_INTAKE_RESUME:
            break;
        }
    }
}

static errand_status process_send(errand_process *process, errand_span bytes, size_t *taken,
                                  errand_error *err)
{
    struct watched_process *self = (struct watched_process *)(void *)process;

    require(self, self->opened, "sent to before OPENED");
    require(self, !self->lost, "sent to after it was lost");
    require(self, !self->close_asked, "sent to after CLOSE");
    require(self, bytes.len > 0, "sent nothing");
    bool bare = !self->reattaches || errand__fake_intake_bare(&self->intake);
    errand_span offered = span_head(bytes, self->watch->crumbs && bare ? 1 : bytes.len);
    errand_status status = self->inner->ops->send(self->inner, offered, taken, err);
    if (status == ERRAND_OK) {
        require(self, *taken <= offered.len, "took more than it was given");
        require(self, bare || *taken == 0 || *taken == offered.len, "a piece was taken in part");
        self->watch->in_bytes += *taken;
        if (self->reattaches)
            overhear_segments(self, span_head(bytes, *taken));
        else
            overhear(self, span_head(bytes, *taken));
    }
    return status;
}

static errand_status process_stop(errand_process *process, errand_stop how, int64_t now_us,
                                  errand_error *err)
{
    struct watched_process *self = (struct watched_process *)(void *)process;

    at(self, now_us);
    require(self, !self->close_asked, "stopped after CLOSE");
    require(self, !self->lost || how == ERRAND_STOP_CLOSE, "stopped after it was lost");
    switch (how) {
    case ERRAND_STOP_TERM:
        require(self, !self->termed && !self->killed, "TERM twice, or after KILL");
        self->termed = true;
        tell(self, "TERM");
        break;
    case ERRAND_STOP_KILL:
        require(self, !self->killed, "KILL twice");
        self->killed = true;
        tell(self, "KILL");
        break;
    case ERRAND_STOP_CLOSE:
        self->close_asked = true;
        tell(self, "CLOSE");
        break;
    }
    return self->inner->ops->stop(self->inner, how, now_us, err);
}

static size_t process_wants(errand_process *process, int reading, int writing, struct pollfd *fds,
                            size_t fds_max, int64_t *due_us)
{
    struct watched_process *self = (struct watched_process *)(void *)process;
    size_t count = self->inner->ops->wants(self->inner, reading, writing, fds, fds_max, due_us);

    if (reading && self->crumbs.len > 0 && !self->close_asked)
        *due_us = 0;
    return count;
}

static void process_free(errand_process *process)
{
    struct watched_process *self = (struct watched_process *)(void *)process;

    self->watch->alive--;
    self->inner->ops->free(self->inner);
    errand__fake_ear_deinit(&self->ear);
    free(self->held);
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

/* --- The road -------------------------------------------------------------------------- */

static errand_status road_open(errand_road *road, int64_t now_us, errand_error *err)
{
    struct watched_road *self = (struct watched_road *)(void *)road;

    if (self->open || self->failed)
        breach(self->watch, 0, "opened again");
    errand_status status = self->inner->ops->open(self->inner, now_us, err);
    self->open = status == ERRAND_OK;
    self->failed = status < 0;
    return status;
}

/* The test's own memory does not count down. */
static errand_status road_launch(errand_road *road, const errand_launch *launch, int64_t now_us,
                                 errand_process **out, errand_error *err)
{
    struct watched_road *self = (struct watched_road *)(void *)road;
    errand_process *inner = NULL;

    if (!self->open || self->closing)
        breach(self->watch, 0, "launched on a road that is not open");
    self->watch->launched++;
    errand_status status = self->inner->ops->launch(self->inner, launch, now_us, &inner, err);
    if (status != ERRAND_OK)
        return status;
    struct watched_process *process = calloc(1, sizeof(*process));
    if (process == NULL)
        abort();
    process->process.ops = &process_ops;
    process->inner = inner;
    process->watch = self->watch;
    process->number = self->watch->launched;
    if (!errand__fake_launch_read(launch->line, &process->launch))
        breach(self->watch, process->number, "no launch line");
    process->now_us = now_us;
    process->reattaches = self->ops.reattaches != 0;
    errand__fake_intake_init(&process->intake, process->launch.mark);
    errand__fake_ear_init(&process->ear);
    process->ear.call_last = UINT64_MAX;
    self->watch->alive++;
    *out = &process->process;
    return ERRAND_OK;
}

static errand_status road_close(errand_road *road, int64_t now_us, errand_error *err)
{
    struct watched_road *self = (struct watched_road *)(void *)road;

    self->closing = true;
    return self->inner->ops->close(self->inner, now_us, err);
}

static size_t road_wants(errand_road *road, struct pollfd *fds, size_t fds_max, int64_t *due_us)
{
    struct watched_road *self = (struct watched_road *)(void *)road;
    return self->inner->ops->wants(self->inner, fds, fds_max, due_us);
}

static void road_free(errand_road *road)
{
    struct watched_road *self = (struct watched_road *)(void *)road;

    if (self->watch->alive > 0)
        breach(self->watch, 0, "the road was freed before its processes");
    self->inner->ops->free(self->inner);
    free(self);
}

errand_road *watch_road_new(errand_road *inner, struct watch *watch)
{
    struct watched_road *self = calloc(1, sizeof(*self));

    if (self == NULL)
        abort();
    self->ops = (errand_road_ops){
        .size = sizeof(errand_road_ops),
        .name = "watched",
        .open = road_open,
        .launch = road_launch,
        .close = road_close,
        .wants = road_wants,
        .free = road_free,
        .lease_ms = inner->ops->lease_ms,
        .delivery = inner->ops->delivery,
        .reattaches = inner->ops->reattaches,
    };
    self->road.ops = &self->ops;
    self->inner = inner;
    self->watch = watch;
    return &self->road;
}
