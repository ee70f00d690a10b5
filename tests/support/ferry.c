/* ferry.c - breaks the way around a fake_ferry, which speaks for the far side. */
#include "ferry.h"

#include "base/buf.h"
#include "transport/fake/ferry.h"
#include "transport/fake/launch.h"

#include <stdio.h>
#include <stdlib.h>

struct ferry_road {
    errand_road road;
    errand_road_ops ops;
    errand_road *inner;
    struct ferry *ferry;
};

/* A word and the mark, looked for. */
struct word {
    const char *text;
    size_t matched;
};

struct crossing {
    errand_process process;
    errand_process *inner;
    struct ferry *ferry;
    uint64_t bytes, pieces;
    uint64_t due; /* The next break: at that byte, or piece. */
    unsigned left;
    bool opened, broken, told, closing;
    bool ended; /* Who has ended answers no resumption. */
    int64_t now_us, back_us;
    struct buf stale;   /* Read from the way once it is found again, and of before. */
    errand_notice held; /* What came while it was broken, and is no output. */
    bool holds;
    char mark[FAKE_MARK_LEN];
    struct word hello, resumed;
};

static void breach(struct crossing *self, const char *what)
{
    if (self->ferry->fault[0] == '\0')
        (void)snprintf(self->ferry->fault, sizeof(self->ferry->fault), "ferry: %s", what);
}

static bool due(const struct crossing *self, enum ferry_side side, uint64_t count)
{
    return self->left > 0 && self->ferry->side == side && count >= self->due && !self->ended;
}

static void break_way(struct crossing *self)
{
    self->ferry->breaks++;
    self->broken = true;
    self->told = false;
    self->left--;
    self->due = (self->ferry->side == FERRY_HOME ? self->bytes : self->pieces) + self->ferry->again;
    self->back_us =
        self->ferry->away_us == TIME_NEVER ? TIME_NEVER : self->now_us + self->ferry->away_us;
}

/* --- To home ------------------------------------------------------------------------------ */

/* true: with that byte it is whole. None of its letters is the first one again. */
static bool match(const struct crossing *self, struct word *word, char byte)
{
    size_t len = strlen(word->text);
    const char *wanted =
        word->matched < len ? word->text + word->matched : self->mark + (word->matched - len);

    if (byte == *wanted)
        word->matched++;
    else
        word->matched = byte == word->text[0] ? 1 : 0;
    if (word->matched < len + FAKE_MARK_LEN)
        return false;
    word->matched = 0;
    return true;
}

static void follow_hello(struct crossing *self, errand_span bytes)
{
    struct ferry *ferry = self->ferry;

    for (size_t i = 0; i < bytes.len && ferry->resumed == UINT64_MAX; i++) {
        if (ferry->hello == UINT64_MAX && match(self, &self->hello, bytes.ptr[i]))
            ferry->hello = self->bytes + i + 1 - strlen(self->hello.text) - FAKE_MARK_LEN;
        if (match(self, &self->resumed, bytes.ptr[i]))
            ferry->resumed = self->bytes + i + 1 - strlen(self->resumed.text) - FAKE_MARK_LEN;
    }
}

static errand_status read_way(struct crossing *self, errand_scratch scratch, errand_notice *out,
                              errand_error *err)
{
    errand_span stale = span_head(errand__buf_peek(&self->stale), scratch.len);

    if (stale.len == 0)
        return self->inner->ops->next(self->inner, self->now_us, scratch, out, err);
    memcpy(scratch.ptr, stale.ptr, stale.len);
    errand__buf_consume(&self->stale, stale.len);
    *out = (errand_notice){.type = ERRAND_NOTICE_OUT, .bytes = span_of(scratch.ptr, stale.len)};
    return ERRAND_OK;
}

/* Half of what is under way is lost, and half of it is still read, begun anywhere. */
static void lose(struct crossing *self, errand_span rest)
{
    if (errand__buf_push(&self->stale, span_after(rest, (rest.len + 1) / 2)) != ERRAND_OK)
        abort();
}

static errand_status cut(struct crossing *self, errand_notice *out)
{
    errand_span whole = out->bytes;

    if (due(self, FERRY_HOME, self->bytes + whole.len))
        out->bytes = span_head(whole, (size_t)(self->due - self->bytes));
    follow_hello(self, out->bytes);
    self->bytes += out->bytes.len;
    if (self->bytes > self->ferry->bytes)
        self->ferry->bytes = self->bytes;
    if (!due(self, FERRY_HOME, self->bytes))
        return ERRAND_OK;
    break_way(self);
    lose(self, span_after(whole, out->bytes.len));
    if (out->bytes.len > 0)
        return ERRAND_OK;
    self->told = true;
    *out = (errand_notice){.type = ERRAND_NOTICE_DROPPED, .bytes = SPAN_LITERAL("cut")};
    return ERRAND_OK;
}

/* Output goes nowhere; what else there is waits. */
static errand_status next_broken(struct crossing *self, errand_scratch scratch, errand_notice *out,
                                 errand_error *err)
{
    if (!self->told) {
        self->told = true;
        *out = (errand_notice){.type = ERRAND_NOTICE_DROPPED, .bytes = SPAN_LITERAL("cut")};
        return ERRAND_OK;
    }
    while (self->now_us < self->back_us && !self->holds) {
        errand_status status =
            self->inner->ops->next(self->inner, self->now_us, scratch, &self->held, err);
        if (status != ERRAND_OK)
            return status;
        self->holds = self->held.type != ERRAND_NOTICE_OUT && self->held.type != ERRAND_NOTICE_ERR;
    }
    if (self->now_us < self->back_us)
        return ERRAND_AGAIN;
    self->broken = false;
    *out = (errand_notice){.type = ERRAND_NOTICE_ATTACHED};
    return ERRAND_OK;
}

static errand_status process_next(errand_process *process, int64_t now_us, errand_scratch scratch,
                                  errand_notice *out, errand_error *err)
{
    struct crossing *self = (struct crossing *)(void *)process;

    self->now_us = now_us;
    if (self->closing)
        return self->inner->ops->next(self->inner, now_us, scratch, out, err);
    if (self->broken)
        return next_broken(self, scratch, out, err);
    if (self->holds && errand__buf_peek(&self->stale).len == 0) {
        self->holds = false;
        *out = self->held;
        return ERRAND_OK;
    }
    errand_status status = read_way(self, scratch, out, err);
    if (status != ERRAND_OK)
        return status;
    self->opened = self->opened || out->type == ERRAND_NOTICE_OPENED;
    self->ended =
        self->ended || out->type == ERRAND_NOTICE_EOF || out->type == ERRAND_NOTICE_EXITED;
    return out->type == ERRAND_NOTICE_OUT ? cut(self, out) : ERRAND_OK;
}

/* --- From home ---------------------------------------------------------------------------- */

static errand_status send_piece(struct crossing *self, errand_span bytes, size_t *taken,
                                errand_error *err)
{
    bool breaks = due(self, FERRY_FAR, self->pieces + 1);
    errand_status status = ERRAND_OK;

    *taken = bytes.len;
    if (!breaks || self->ferry->arrives)
        status = self->inner->ops->send(self->inner, bytes, taken, err);
    if (status != ERRAND_OK || *taken == 0) {
        self->ferry->slow = self->ferry->slow || status == ERRAND_OK;
        return status;
    }
    if (*taken != bytes.len)
        breach(self, "a piece was taken in part");
    self->ferry->segments += self->pieces == 0;
    if (++self->pieces > self->ferry->pieces)
        self->ferry->pieces = self->pieces;
    if (breaks)
        break_way(self);
    return ERRAND_OK;
}

static errand_status process_send(errand_process *process, errand_span bytes, size_t *taken,
                                  errand_error *err)
{
    struct crossing *self = (struct crossing *)(void *)process;

    *taken = 0;
    if (!self->opened)
        breach(self, "sent to before OPENED");
    if (self->broken) {
        if (self->told)
            breach(self, "sent to while the way was broken");
        return ERRAND_OK;
    }
    if (!errand__fake_ferry_bare(self->inner))
        return send_piece(self, bytes, taken, err);
    errand_status status = self->inner->ops->send(self->inner, bytes, taken, err);
    self->ferry->slow = self->ferry->slow || *taken < bytes.len;
    return status;
}

/* --- The rest ----------------------------------------------------------------------------- */

static errand_status process_stop(errand_process *process, errand_stop how, int64_t now_us,
                                  errand_error *err)
{
    struct crossing *self = (struct crossing *)(void *)process;

    self->closing = self->closing || how == ERRAND_STOP_CLOSE;
    return self->inner->ops->stop(self->inner, how, now_us, err);
}

static size_t process_wants(errand_process *process, int reading, int writing, struct pollfd *fds,
                            size_t fds_max, int64_t *due_us)
{
    struct crossing *self = (struct crossing *)(void *)process;
    size_t count = 0;

    *due_us = TIME_NEVER;
    /* What it told waits to be told: meanwhile it is not asked. */
    if (!self->broken || !self->holds || self->closing)
        count = self->inner->ops->wants(self->inner, reading, writing, fds, fds_max, due_us);
    if (!reading || self->closing)
        return count;
    if ((self->broken && !self->told) ||
        (!self->broken && (self->holds || errand__buf_peek(&self->stale).len > 0)))
        *due_us = 0;
    else if (self->broken && self->back_us < *due_us)
        *due_us = self->back_us;
    return count;
}

static void process_free(errand_process *process)
{
    struct crossing *self = (struct crossing *)(void *)process;

    self->inner->ops->free(self->inner);
    errand__buf_deinit(&self->stale);
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

/* --- The road ----------------------------------------------------------------------------- */

static errand_status road_open(errand_road *road, int64_t now_us, errand_error *err)
{
    struct ferry_road *self = (struct ferry_road *)(void *)road;
    return self->inner->ops->open(self->inner, now_us, err);
}

static errand_status road_launch(errand_road *road, const errand_launch *launch, int64_t now_us,
                                 errand_process **out, errand_error *err)
{
    struct ferry_road *self = (struct ferry_road *)(void *)road;
    struct fake_launch words;
    errand_process *inner = NULL;
    errand_status status = self->inner->ops->launch(self->inner, launch, now_us, &inner, err);

    if (status == ERRAND_OK)
        status = errand__fake_ferry_new(&inner, inner, launch->line, err);
    if (status != ERRAND_OK)
        return status;
    struct crossing *crossing = calloc(1, sizeof(*crossing));
    if (crossing == NULL || !errand__fake_launch_read(launch->line, &words))
        abort();
    crossing->process.ops = &process_ops;
    crossing->inner = inner;
    crossing->ferry = self->ferry;
    crossing->due = self->ferry->at;
    crossing->left = self->ferry->side == FERRY_WHOLE ? 0 : self->ferry->twice ? 2 : 1;
    errand__buf_init(&crossing->stale, SIZE_MAX / 2);
    memcpy(crossing->mark, words.mark, FAKE_MARK_LEN);
    crossing->hello.text = "hello ";
    crossing->resumed.text = "resumed ";
    *out = &crossing->process;
    return ERRAND_OK;
}

static errand_status road_close(errand_road *road, int64_t now_us, errand_error *err)
{
    struct ferry_road *self = (struct ferry_road *)(void *)road;
    return self->inner->ops->close(self->inner, now_us, err);
}

static size_t road_wants(errand_road *road, struct pollfd *fds, size_t fds_max, int64_t *due_us)
{
    struct ferry_road *self = (struct ferry_road *)(void *)road;
    return self->inner->ops->wants(self->inner, fds, fds_max, due_us);
}

static void road_free(errand_road *road)
{
    struct ferry_road *self = (struct ferry_road *)(void *)road;
    self->inner->ops->free(self->inner);
    free(self);
}

errand_road *ferry_road_new(errand_road *inner, struct ferry *ferry)
{
    struct ferry_road *self = calloc(1, sizeof(*self));

    if (self == NULL)
        abort();
    self->ops = (errand_road_ops){
        .size = sizeof(errand_road_ops),
        .name = "ferry",
        .open = road_open,
        .launch = road_launch,
        .close = road_close,
        .wants = road_wants,
        .free = road_free,
        .lease_ms = inner->ops->lease_ms,
        .delivery = inner->ops->delivery,
        .reattaches = 1,
    };
    self->road.ops = &self->ops;
    self->inner = inner;
    self->ferry = ferry;
    ferry->hello = ferry->resumed = UINT64_MAX;
    return &self->road;
}
