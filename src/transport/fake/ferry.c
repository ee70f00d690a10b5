/* ferry.c - out: hello bare, then pieces; in: pieces, then what they hold. */
#include "transport/fake/ferry.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "transport/fake/intake.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum {
    PIECE_MAX = 32 * 1024,
    LINE_MAX_LEN = 96,
    HELLO_MAX = 64 * 1024,
    HAIL_LEN = 6 + FAKE_MARK_LEN /* "hello " and the mark. */
};

enum greeting { GREETING_SOUGHT, GREETING_SIZE, GREETING_PAYLOAD, GREETING_OVER };

struct fake_ferry {
    errand_process process;
    errand_process *inner;
    struct fake_launch launch;
    bool opened, broken, closing;
    /* To home. */
    enum greeting greeting;
    char hello_line[HAIL_LEN + 1], want_line[HAIL_LEN]; /* What they begin with. */
    size_t hello_matched, want_matched;
    uint64_t hello_left;
    struct buf hello; /* To be said again where home may not have it. */
    struct buf kept;  /* Said, and not acknowledged. */
    uint64_t kept_at, next;
    bool begun;
    struct buf wire;    /* Made, and not read yet. */
    errand_notice held; /* Came before what was said may be told; it has no bytes. */
    bool holds;
    /* From home. */
    struct fake_intake intake;
    uint64_t told; /* Of what was heard, so much is acknowledged. */
    uint64_t epoch, resume_epoch, resume_offset;
    bool resumes;
    struct buf in; /* For the process, which takes what it likes. */
};

static errand_status no_memory(errand_error *err)
{
    return errand__fail(err, ERRAND_ENOMEM, 0, "fake: no memory");
}

/* --- To home ------------------------------------------------------------------------------ */

static size_t kept_len(const struct fake_ferry *self)
{
    return errand__buf_peek(&self->kept).len;
}

static errand_status put_line(struct fake_ferry *self, errand_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static errand_status put_line(struct fake_ferry *self, errand_error *err, const char *format, ...)
{
    char line[LINE_MAX_LEN];
    va_list args;

    va_start(args, format);
    int len = vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    return errand__buf_push(&self->wire, span_of(line, (size_t)len)) == ERRAND_OK ? ERRAND_OK
                                                                                  : no_memory(err);
}

/* Home has all before that byte. */
static errand_status acknowledge(struct fake_ferry *self, uint64_t offset, errand_error *err)
{
    if (offset < self->kept_at || offset > self->kept_at + kept_len(self))
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "fake: home acknowledges byte %" PRIu64 ", of %" PRIu64, offset,
                            self->kept_at + (uint64_t)kept_len(self));
    errand__buf_consume(&self->kept, (size_t)(offset - self->kept_at));
    self->kept_at = offset;
    if (self->next < offset)
        self->next = offset;
    return ERRAND_OK;
}

static errand_status answer_resume(struct fake_ferry *self, errand_error *err)
{
    self->resumes = false;
    if (self->resume_epoch <= self->epoch)
        return ERRAND_OK;
    self->epoch = self->resume_epoch;
    errand_status status = acknowledge(self, self->resume_offset, err);
    self->next = self->kept_at;
    self->told = self->intake.heard;
    if (status == ERRAND_OK && self->resume_offset == 0 &&
        errand__buf_push(&self->wire, errand__buf_peek(&self->hello)) != ERRAND_OK)
        status = no_memory(err);
    if (status != ERRAND_OK)
        return status;
    return put_line(self, err, "resumed %.*s %" PRIu64 " %" PRIu64 "\n", FAKE_MARK_LEN,
                    self->launch.mark, self->epoch, self->told);
}

/* Hello was said, and boot has come: from here on it is segments. */
static errand_status begin(struct fake_ferry *self, errand_error *err)
{
    errand_status status = ERRAND_OK;

    if (self->greeting != GREETING_OVER || errand__fake_intake_bare(&self->intake))
        return ERRAND_OK;
    if (!self->begun)
        status = put_line(self, err, "resumed %.*s 0 0\n", FAKE_MARK_LEN, self->launch.mark);
    self->begun = true;
    return status == ERRAND_OK && self->resumes ? answer_resume(self, err) : status;
}

static errand_status put_piece(struct fake_ferry *self, errand_error *err)
{
    errand_span rest =
        span_after(errand__buf_peek(&self->kept), (size_t)(self->next - self->kept_at));
    errand_span piece = span_head(rest, PIECE_MAX);
    errand_status status = put_line(self, err, "seg %" PRIu64 " %zu\n", self->next, piece.len);

    if (status != ERRAND_OK)
        return status;
    self->next += piece.len;
    if (errand__buf_push(&self->wire, piece) != ERRAND_OK ||
        errand__buf_push(&self->wire, SPAN_LITERAL("\n")) != ERRAND_OK)
        return no_memory(err);
    return ERRAND_OK;
}

/* Whether there is something for home to read. */
static bool speaks(const struct fake_ferry *self)
{
    return !self->broken && (errand__buf_peek(&self->wire).len > 0 ||
                             (self->begun && self->next < self->kept_at + kept_len(self)));
}

static errand_status tell(struct fake_ferry *self, errand_scratch scratch, errand_notice *out,
                          errand_error *err)
{
    if (errand__buf_peek(&self->wire).len == 0) {
        errand_status status = put_piece(self, err);
        if (status != ERRAND_OK)
            return status;
    }
    errand_span wire = span_head(errand__buf_peek(&self->wire), scratch.len);
    memcpy(scratch.ptr, wire.ptr, wire.len);
    errand__buf_consume(&self->wire, wire.len);
    *out = (errand_notice){.type = ERRAND_NOTICE_OUT, .bytes = span_of(scratch.ptr, wire.len)};
    return ERRAND_OK;
}

/* --- What the process says ---------------------------------------------------------------- */

static bool match(char byte, const char *line, size_t len, size_t *matched)
{
    if (byte == line[*matched])
        ++*matched;
    else
        *matched = byte == line[0];
    if (*matched < len)
        return false;
    *matched = 0;
    return true;
}

/* One byte of what comes before the end of hello. */
static void follow(struct fake_ferry *self, char byte)
{
    switch (self->greeting) {
    case GREETING_SOUGHT:
        if (match(byte, self->want_line, sizeof(self->want_line), &self->want_matched))
            self->intake.runner_left = self->launch.runner_size;
        if (match(byte, self->hello_line, sizeof(self->hello_line), &self->hello_matched))
            self->greeting = GREETING_SIZE;
        self->hello_left = 0;
        break;
    case GREETING_SIZE:
        if (byte >= '0' && byte <= '9' && self->hello_left < HELLO_MAX)
            self->hello_left = self->hello_left * 10 + (uint64_t)(byte - '0');
        else
            self->greeting =
                byte == '\n' && self->hello_left < HELLO_MAX ? GREETING_PAYLOAD : GREETING_SOUGHT;
        self->hello_left += self->greeting == GREETING_PAYLOAD ? 1 : 0; /* And its line break. */
        break;
    case GREETING_PAYLOAD:
        if (--self->hello_left == 0)
            self->greeting = GREETING_OVER;
        break;
    case GREETING_OVER:
        break;
    }
}

/* Keeps what may become a hello, to say it again. */
static errand_status keep_hello(struct fake_ferry *self, char byte, errand_error *err)
{
    bool within = self->greeting != GREETING_SOUGHT || self->hello_matched > 0;

    if (self->greeting == GREETING_SOUGHT && self->hello_matched <= 1)
        errand__buf_keep(&self->hello, 0);
    if (within && errand__buf_push(&self->hello, span_of(&byte, 1)) != ERRAND_OK)
        return no_memory(err);
    return ERRAND_OK;
}

static errand_status say(struct fake_ferry *self, errand_span bytes, errand_error *err)
{
    size_t bare = 0;
    errand_status status = ERRAND_OK;

    while (status == ERRAND_OK && self->greeting != GREETING_OVER && bare < bytes.len) {
        char byte = bytes.ptr[bare++];
        follow(self, byte);
        status = keep_hello(self, byte, err);
    }
    /* Of a broken way what is bare is lost. */
    if (status == ERRAND_OK && !self->broken &&
        errand__buf_push(&self->wire, span_head(bytes, bare)) != ERRAND_OK)
        return no_memory(err);
    if (status == ERRAND_OK && errand__buf_push(&self->kept, span_after(bytes, bare)) != ERRAND_OK)
        return no_memory(err);
    return status == ERRAND_OK ? begin(self, err) : status;
}

/* --- What home sends ---------------------------------------------------------------------- */

static errand_status flush(struct fake_ferry *self, errand_error *err)
{
    errand_span rest;

    while ((rest = errand__buf_peek(&self->in)).len > 0) {
        size_t taken = 0;
        errand_status status = self->inner->ops->send(self->inner, rest, &taken, err);
        if (status != ERRAND_OK || taken == 0)
            return status;
        errand__buf_consume(&self->in, taken);
    }
    return ERRAND_OK;
}

static errand_status hear_news(struct fake_ferry *self, enum fake_intake_found found,
                               errand_span bytes, errand_error *err)
{
    struct fake_intake *intake = &self->intake;

    switch (found) {
    case FAKE_INTAKE_NOTHING:
        return ERRAND_OK;
    case FAKE_INTAKE_BYTES:
        return errand__buf_push(&self->in, bytes) == ERRAND_OK ? ERRAND_OK : no_memory(err);
    case FAKE_INTAKE_ACK:
        return acknowledge(self, intake->offset, err);
    case FAKE_INTAKE_RESUME:
        self->resumes = true;
        self->resume_epoch = intake->epoch;
        self->resume_offset = intake->offset;
        return begin(self, err);
    case FAKE_INTAKE_BAD:
        break;
    }
    return errand__fail(err, ERRAND_EINVAL, 0, "fake: home sent what is no segment: %.*s",
                        (int)intake->line_len, intake->line);
}

static errand_status hear(struct fake_ferry *self, errand_span bytes, errand_error *err)
{
    errand_status status = ERRAND_OK;

    while (bytes.len > 0 && status == ERRAND_OK) {
        errand_span part = SPAN_EMPTY;
        enum fake_intake_found found = errand__fake_intake_take(&self->intake, &bytes, &part);
        status = hear_news(self, found, part, err);
    }
    uint64_t untold = self->intake.heard - self->told;
    if (status != ERRAND_OK || !self->begun || untold < self->intake.window / 4 || untold == 0)
        return status;
    self->told = self->intake.heard;
    return put_line(self, err, "ack %" PRIu64 "\n", self->told);
}

static errand_status send_bare(struct fake_ferry *self, errand_span bytes, size_t *taken,
                               errand_error *err)
{
    errand_status status = self->inner->ops->send(self->inner, bytes, taken, err);
    errand_span seen = span_head(bytes, *taken);

    while (status == ERRAND_OK && seen.len > 0) {
        errand_span part;
        (void)errand__fake_intake_take(&self->intake, &seen, &part);
    }
    return status == ERRAND_OK ? begin(self, err) : status;
}

/* --- A process ---------------------------------------------------------------------------- */

static errand_status process_send(errand_process *process, errand_span bytes, size_t *taken,
                                  errand_error *err)
{
    struct fake_ferry *self = (struct fake_ferry *)(void *)process;
    errand_status status = flush(self, err);

    *taken = 0;
    if (status != ERRAND_OK || self->broken || errand__buf_peek(&self->in).len > 0)
        return status;
    if (errand__fake_intake_bare(&self->intake))
        return send_bare(self, bytes, taken, err);
    *taken = bytes.len;
    status = hear(self, bytes, err);
    return status == ERRAND_OK ? flush(self, err) : status;
}

/* true: out is for home too. */
static bool pass_on(struct fake_ferry *self, const errand_notice *out)
{
    switch (out->type) {
    case ERRAND_NOTICE_OUT:
        return false;
    case ERRAND_NOTICE_ERR:
        return !self->broken;
    case ERRAND_NOTICE_OPENED:
        self->opened = true;
        return true;
    case ERRAND_NOTICE_DROPPED:
        self->broken = true;
        errand__buf_keep(&self->wire, 0);
        return true;
    case ERRAND_NOTICE_ATTACHED:
        self->broken = false;
        return true;
    case ERRAND_NOTICE_EOF:
    case ERRAND_NOTICE_EXITED:
    case ERRAND_NOTICE_CLOSED:
        return true;
    }
    return true;
}

/* Once so much waits for home the process is no longer asked. */
static bool listens(const struct fake_ferry *self)
{
    uint64_t most = self->begun ? self->intake.window : PIECE_MAX;

    return !self->holds && kept_len(self) < most;
}

/* What it said behind hello comes first, and has to wait until boot was read. */
static bool must_wait(const struct fake_ferry *self, const errand_notice *out)
{
    return !self->begun && kept_len(self) > 0 && !self->broken &&
           (out->type == ERRAND_NOTICE_EOF || out->type == ERRAND_NOTICE_EXITED);
}

static errand_status process_next(errand_process *process, int64_t now_us, errand_scratch scratch,
                                  errand_notice *out, errand_error *err)
{
    struct fake_ferry *self = (struct fake_ferry *)(void *)process;
    errand_status status = ERRAND_OK;

    if (self->closing)
        return self->inner->ops->next(self->inner, now_us, scratch, out, err);
    if (self->opened)
        status = flush(self, err);
    while (status == ERRAND_OK) {
        if (speaks(self))
            return tell(self, scratch, out, err);
        if (self->holds && self->begun) {
            self->holds = false;
            *out = self->held;
            return ERRAND_OK;
        }
        if (!listens(self))
            return ERRAND_AGAIN;
        status = self->inner->ops->next(self->inner, now_us, scratch, out, err);
        if (status == ERRAND_OK && must_wait(self, out)) {
            self->holds = true;
            self->held = *out;
            return ERRAND_AGAIN;
        }
        if (status == ERRAND_OK && pass_on(self, out))
            return ERRAND_OK;
        if (status == ERRAND_OK && out->type == ERRAND_NOTICE_OUT)
            status = say(self, out->bytes, err);
    }
    return status;
}

static errand_status process_stop(errand_process *process, errand_stop how, int64_t now_us,
                                  errand_error *err)
{
    struct fake_ferry *self = (struct fake_ferry *)(void *)process;

    self->closing = self->closing || how == ERRAND_STOP_CLOSE;
    return self->inner->ops->stop(self->inner, how, now_us, err);
}

static size_t process_wants(errand_process *process, int reading, int writing, struct pollfd *fds,
                            size_t fds_max, int64_t *due_us)
{
    struct fake_ferry *self = (struct fake_ferry *)(void *)process;
    bool waits = errand__buf_peek(&self->in).len > 0;
    bool asks = reading && (self->closing || listens(self));
    size_t count = self->inner->ops->wants(self->inner, asks, !self->closing && (writing || waits),
                                           fds, fds_max, due_us);

    /* It is by being asked that it learns what time it is. */
    if (reading && !asks)
        *due_us = TIME_NEVER;
    if (reading && !self->closing && (speaks(self) || (self->holds && self->begun)))
        *due_us = 0;
    return count;
}

static void process_free(errand_process *process)
{
    struct fake_ferry *self = (struct fake_ferry *)(void *)process;

    self->inner->ops->free(self->inner);
    errand__buf_deinit(&self->hello);
    errand__buf_deinit(&self->kept);
    errand__buf_deinit(&self->wire);
    errand__buf_deinit(&self->in);
    errand__mem_free(self);
}

static const errand_process_ops process_ops = {
    .size = sizeof(errand_process_ops),
    .next = process_next,
    .send = process_send,
    .stop = process_stop,
    .wants = process_wants,
    .free = process_free,
};

bool errand__fake_ferry_bare(const errand_process *ferry)
{
    const struct fake_ferry *self = (const struct fake_ferry *)(const void *)ferry;
    return errand__fake_intake_bare(&self->intake);
}

errand_status errand__fake_ferry_new(errand_process **out, errand_process *inner, const char *line,
                                     errand_error *err)
{
    struct fake_ferry *self = errand__mem_new(1, sizeof(*self));

    if (self == NULL) {
        inner->ops->free(inner);
        return no_memory(err);
    }
    self->process.ops = &process_ops;
    self->inner = inner;
    errand__buf_init(&self->hello, HELLO_MAX + 2 * HAIL_LEN);
    errand__buf_init(&self->kept, SIZE_MAX / 2);
    errand__buf_init(&self->wire, SIZE_MAX / 2);
    errand__buf_init(&self->in, SIZE_MAX / 2);
    if (!errand__fake_launch_read(line, &self->launch)) {
        process_free(&self->process);
        return errand__fail(err, ERRAND_EINVAL, 0, "fake: the launch line has no mark");
    }
    errand__fake_intake_init(&self->intake, self->launch.mark);
    memcpy(self->hello_line, "hello ", 6);
    memcpy(self->hello_line + 6, self->launch.mark, FAKE_MARK_LEN);
    self->hello_line[HAIL_LEN] = ' ';
    memcpy(self->want_line, "want ", 5);
    memcpy(self->want_line + 5, self->launch.mark, FAKE_MARK_LEN);
    self->want_line[HAIL_LEN - 1] = '\n';
    *out = &self->process;
    return ERRAND_OK;
}
