/* process.c - what a driver is told, and what it orders. There is no descriptor: everything happens
 * at an instant that wants() tells. */
#include "transport/fake/process.h"

#include "base/err.h"
#include "base/mem.h"
#include "transport/fake/course.h"
#include "transport/fake/launch.h"

#include <poll.h>
#include <signal.h>

/* --- Telling ------------------------------------------------------------------------------ */

/* What a chunk may hold at most. */
static size_t chunk_of(const struct fake_process *self, size_t room)
{
    uint64_t chunk = room;

    if (self->cut > 0 && self->cut < chunk)
        chunk = self->cut;
    if (!self->voice.err && self->cut_at > self->out_total &&
        self->cut_at - self->out_total < chunk)
        chunk = self->cut_at - self->out_total;
    return (size_t)chunk;
}

/* The next step says something on the same stream, at this same instant. */
static bool says_on(struct fake_process *self, bool err)
{
    while (!errand__fake_voice_speaks(&self->voice)) {
        if (self->gone || self->eof || self->lost || errand__fake_course_pinged(self) ||
            self->at == self->part->end)
            return false;
        const struct fake_step *step = &self->script->steps[self->at];
        if (step->verb != FAKE_SAY && step->verb != FAKE_REPEAT && step->verb != FAKE_REPEAT_END)
            return false;
        if (step->verb == FAKE_SAY && step->say.err != err)
            return false;
        (void)errand__fake_course_advance(self);
    }
    return self->voice.err == err;
}

static errand_status say(struct fake_process *self, errand_scratch scratch, errand_notice *out)
{
    bool err = self->voice.err;
    size_t room = chunk_of(self, scratch.len);
    size_t made = 0;

    while (made < room && says_on(self, err))
        made += errand__fake_voice_say(&self->voice, scratch.ptr + made, room - made);
    if (!err)
        self->out_total += made;
    self->cut_next_us = self->now_us + self->cut_every_us;
    *out = (errand_notice){.type = err ? ERRAND_NOTICE_ERR : ERRAND_NOTICE_OUT,
                           .bytes = span_of(scratch.ptr, made)};
    return ERRAND_OK;
}

/* Who ends by itself while the way is broken is known to have ended once it is found again. */
static bool may_tell_end(const struct fake_process *self)
{
    return !self->broken || self->end_known;
}

static errand_span words_of_break(const struct fake_process *self)
{
    return self->break_words.len > 0 ? errand__fake_course_text(self, self->break_words)
                                     : SPAN_LITERAL("fake: the way broke");
}

static bool tell_end(struct fake_process *self, errand_notice *out)
{
    if (self->eof && !self->eof_told) {
        self->eof_told = true;
        *out = (errand_notice){.type = ERRAND_NOTICE_EOF};
        return true;
    }
    if (self->gone && !self->exit_told) {
        self->exit_told = true;
        *out = (errand_notice){.type = ERRAND_NOTICE_EXITED,
                               .exit_code = self->exit_code,
                               .exit_signal = self->exit_signal};
        return true;
    }
    return false;
}

/* true: a plain fact is told. */
static bool tell(struct fake_process *self, errand_notice *out)
{
    if (self->started && !self->opened_told) {
        self->opened_told = true;
        *out = (errand_notice){.type = ERRAND_NOTICE_OPENED};
        return true;
    }
    if (errand__fake_voice_speaks(&self->voice))
        return false;
    /* Who has ended is no longer there when the way is found again, and answers nothing. */
    if (may_tell_end(self) && tell_end(self, out))
        return true;
    if (self->broken != self->drop_told && self->opened_told) {
        self->drop_told = self->broken;
        *out = self->broken
                   ? (errand_notice){.type = ERRAND_NOTICE_DROPPED, .bytes = words_of_break(self)}
                   : (errand_notice){.type = ERRAND_NOTICE_ATTACHED};
        return true;
    }
    return false;
}

static errand_status tell_loss(struct fake_process *self, errand_error *err)
{
    self->lost_told = true;
    return errand__fail(err, self->loss.status, 0, "%s", self->loss.text);
}

static errand_status next_while_closing(struct fake_process *self, errand_notice *out,
                                        errand_error *err)
{
    if (self->closed_told)
        return ERRAND_AGAIN;
    if (self->lost && !self->close_set)
        return tell_loss(self, err);
    if (self->close_us > self->now_us)
        return ERRAND_AGAIN;
    self->closed_told = true;
    *out = (errand_notice){.type = ERRAND_NOTICE_CLOSED,
                           .bytes = errand__fake_course_text(self, self->close_warning)};
    return ERRAND_OK;
}

static errand_status process_next(errand_process *process, int64_t now_us, errand_scratch scratch,
                                  errand_notice *out, errand_error *err)
{
    struct fake_process *self = (struct fake_process *)(void *)process;

    self->now_us = now_us;
    if (self->close_asked)
        return next_while_closing(self, out, err);
    for (;;) {
        if (self->lost)
            return tell_loss(self, err);
        if (tell(self, out))
            return ERRAND_OK;
        if (!errand__fake_voice_speaks(&self->voice) && errand__fake_course_advance(self))
            continue;
        /* The script has done what it can at this instant; now what home ordered comes true. */
        if (errand__fake_course_heed(self))
            continue;
        if (!errand__fake_voice_speaks(&self->voice) || self->cut_next_us > now_us)
            return ERRAND_AGAIN;
        return say(self, scratch, out);
    }
}

/* --- Being told ------------------------------------------------------------------------ */

static size_t may_take(const struct fake_process *self, size_t count)
{
    if (self->take_every_us > 0) {
        uint64_t left = self->now_us >= self->take_next_us ? self->take
                        : self->taken < self->take         ? self->take - self->taken
                                                           : 0;
        return left < count ? (size_t)left : count;
    }
    return self->take < count ? (size_t)self->take : count;
}

static errand_status process_send(errand_process *process, errand_span bytes, size_t *taken,
                                  errand_error *err)
{
    struct fake_process *self = (struct fake_process *)(void *)process;

    *taken = bytes.len;
    if (self->gone || self->lost || self->close_asked)
        return ERRAND_OK; /* Dropped. */
    size_t count = may_take(self, bytes.len);
    if (self->take_every_us > 0 && self->now_us >= self->take_next_us) {
        self->take_next_us = self->now_us + self->take_every_us;
        self->taken = 0;
    }
    self->taken += count;
    self->refused = count < bytes.len;
    *taken = count;
    return errand__fake_ear_hear(&self->ear, span_head(bytes, count), err);
}

static errand_status process_stop(errand_process *process, errand_stop how, int64_t now_us,
                                  errand_error *err)
{
    struct fake_process *self = (struct fake_process *)(void *)process;

    (void)err;
    self->now_us = now_us;
    switch (how) {
    case ERRAND_STOP_TERM:
        self->termed = true;
        if (self->started && !self->ignore_term && !self->part->awaits_term)
            errand__fake_course_die_at(self, now_us + self->die_us, SIGTERM);
        break;
    case ERRAND_STOP_KILL:
        self->killed = true;
        if (self->started && !self->ignore_kill && !self->part->awaits_kill)
            errand__fake_course_die_at(self, now_us, SIGKILL);
        break;
    case ERRAND_STOP_CLOSE:
        self->close_asked = true;
        self->close_us = self->never_close ? TIME_NEVER : now_us + self->close_after_us;
        break;
    }
    return ERRAND_OK;
}

/* --- Wanting --------------------------------------------------------------------------- */

static bool something_to_tell(const struct fake_process *self)
{
    return (self->lost && !self->lost_told) || (self->started && !self->opened_told) ||
           (self->broken != self->drop_told && self->opened_told) ||
           (may_tell_end(self) &&
            ((self->eof && !self->eof_told) || (self->gone && !self->exit_told))) ||
           (self->ear.stopped && !self->stop_seen) || errand__fake_course_pinged(self);
}

static int64_t min_us(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t listening_due(const struct fake_process *self)
{
    if (self->close_asked) {
        if (self->closed_told)
            return TIME_NEVER;
        return self->lost && !self->close_set ? 0 : self->close_us;
    }
    if (self->lost && self->lost_told)
        return TIME_NEVER;
    if (errand__fake_voice_speaks(&self->voice))
        return min_us(self->cut_next_us, self->exit_us);
    if (something_to_tell(self))
        return 0;
    return min_us(errand__fake_course_due(self), self->exit_us);
}

static size_t process_wants(errand_process *process, int reading, int writing, struct pollfd *fds,
                            size_t fds_max, int64_t *due_us)
{
    const struct fake_process *self = (const struct fake_process *)(void *)process;

    (void)fds;
    (void)fds_max;
    *due_us = reading ? listening_due(self) : TIME_NEVER;
    if (writing && self->refused && !self->close_asked && !self->lost &&
        (self->take > 0 || self->gone))
        *due_us = min_us(*due_us, self->gone ? 0 : self->take_next_us);
    return 0;
}

static void process_free(errand_process *process)
{
    struct fake_process *self = (struct fake_process *)(void *)process;

    errand__fake_ear_deinit(&self->ear);
    errand__mem_free(self->bytes);
    errand__mem_free(self->line);
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

/* --- Launching ------------------------------------------------------------------------- */

static errand_status adopt_line(struct fake_process *self, const char *line, errand_error *err)
{
    const struct fake_script *script = self->script;
    errand_span bytes = errand__buf_peek(&script->bytes);
    struct fake_launch launch;
    size_t len = strlen(line);

    if (!errand__fake_launch_read(line, &launch))
        return errand__fail(err, ERRAND_EINVAL, 0, "fake: the launch line has no mark");
    self->runner_size = launch.runner_size;
    self->line = errand__mem_copy(line, len + 1);
    if (self->line == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "fake: no memory");
    self->line[len] = '\n';
    if (script->marks_count == 0)
        return ERRAND_OK;
    self->bytes = errand__mem_copy(bytes.ptr, bytes.len);
    if (self->bytes == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "fake: no memory");
    for (size_t i = 0; i < script->marks_count; i++)
        memcpy(self->bytes + script->marks[i], launch.mark, sizeof(launch.mark));
    return ERRAND_OK;
}

errand_status errand__fake_process_new(errand_process **out, const struct fake_script *script,
                                       const struct fake_part *part, const char *line,
                                       int64_t now_us, errand_error *err)
{
    struct fake_process *self = errand__mem_new(1, sizeof(*self));

    if (self == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "fake: no memory");
    *self = (struct fake_process){
        .process = {.ops = &process_ops},
        .script = script,
        .part = part,
        .now_us = now_us,
        .at = part->first,
        .started = !part->starts,
        .exit_us = TIME_NEVER,
        .close_us = TIME_NEVER,
        .take = UINT64_MAX,
    };
    errand__fake_ear_init(&self->ear);
    errand_status status = adopt_line(self, line, err);
    if (status != ERRAND_OK) {
        process_free(&self->process);
        return status;
    }
    *out = &self->process;
    return ERRAND_OK;
}
