/* course.c - one step after another; and deaths by order, which end the script. */
#include "transport/fake/course.h"

#include "base/err.h"

#include <inttypes.h>
#include <stdio.h>

/* --- Facts -------------------------------------------------------------------------------- */

errand_span errand__fake_course_text(const struct fake_process *self, struct fake_text text)
{
    const char *bytes =
        self->bytes != NULL ? self->bytes : errand__buf_peek(&self->script->bytes).ptr;
    return text.len == 0 ? SPAN_EMPTY : span_of(bytes + text.start, text.len);
}

static void lose(struct fake_process *self, const errand_error *why)
{
    self->lost = true;
    self->loss = *why;
}

static void lose_with_text(struct fake_process *self, errand_span text)
{
    errand_error why = {0};

    (void)errand__fail(&why, ERRAND_EIO, 0, "%.*s", (int)span_head(text, 200).len,
                       text.len == 0 ? "" : text.ptr);
    lose(self, &why);
}

/* The process has gone; what it started may hold its pipe. */
static void go(struct fake_process *self, int code, int signal_number)
{
    if (self->gone)
        return;
    self->started = true;
    self->gone = true;
    self->exit_code = code;
    self->exit_signal = signal_number;
    self->exit_us = TIME_NEVER;
    if (!self->hold_pipe)
        self->eof = true;
}

/* It dies by what it was told, not by its script, which ends here. */
static bool die_when_due(struct fake_process *self)
{
    if (self->gone || self->exit_us == TIME_NEVER || self->exit_us > self->now_us)
        return false;
    go(self, self->exit_us_signal == 0 ? 0 : -1, self->exit_us_signal);
    self->end_known = true;
    self->at = self->part->end;
    self->voice.rounds = 0;
    return true;
}

void errand__fake_course_die_at(struct fake_process *self, int64_t us, int signal_number)
{
    if (self->gone || self->exit_us <= us)
        return;
    self->exit_us = us;
    self->exit_us_signal = signal_number;
}

static void heed_stop(struct fake_process *self)
{
    if (!self->ear.stopped || self->stop_seen)
        return;
    self->stop_seen = true;
    if (!self->ignore_stop && !self->part->awaits_stop)
        errand__fake_course_die_at(self, self->now_us + self->leave_us, 0);
}

bool errand__fake_course_heed(struct fake_process *self)
{
    heed_stop(self);
    return die_when_due(self);
}

bool errand__fake_course_pinged(const struct fake_process *self)
{
    return self->ear.pings > self->pings_answered && self->helloed && !self->ignore_ping &&
           !self->gone && !self->eof;
}

/* --- Steps -------------------------------------------------------------------------------- */

static errand_span digits_of(struct fake_process *self, uint64_t number)
{
    int len = snprintf(self->digits, sizeof(self->digits), "%" PRIu64, number);
    return span_of(self->digits, (size_t)len);
}

static void begin_say(struct fake_process *self, const struct fake_step *step)
{
    const struct fake_say *say = &step->say;

    self->voice = (struct fake_voice){
        .lead = errand__fake_course_text(self, say->lead),
        .head = errand__fake_course_text(self, say->head),
        .open = errand__fake_course_text(self, say->open),
        .piece = errand__fake_course_text(self, say->piece),
        .close = errand__fake_course_text(self, say->close),
        .times = say->times,
        .rounds = say->rounds,
        .err = say->err,
    };
    if (say->numbered) {
        uint64_t id = step->number != 0 ? step->number : self->call_last + 1;
        self->voice.digits = digits_of(self, id);
        self->call_last = id;
        if (id > self->ear.call_last)
            self->ear.call_last = id;
    }
    if (step->exact && !say->err) /* The script may have made any call. */
        self->ear.call_last = UINT64_MAX;
    if (!say->numbered && step->number > 0)
        self->ear.runner_left = self->runner_size;
    if (step->speaks)
        self->helloed = true;
    /* What nobody can hear any more. */
    if ((self->eof && !say->err) || (self->gone && !self->hold_pipe))
        self->voice.rounds = 0;
}

static void begin_beat(struct fake_process *self)
{
    self->pings_answered = self->ear.pings;
    self->voice = (struct fake_voice){
        .lead = SPAN_LITERAL("beat "),
        .digits = digits_of(self, self->ear.ping),
        .close = SPAN_LITERAL("\n"),
        .rounds = 1,
    };
}

/* true: the answer is there, and is the one that was awaited or has lost the road. */
static bool take_answer(struct fake_process *self, const struct fake_step *step)
{
    uint64_t id = step->number != 0 ? step->number : self->call_last;
    struct fake_answer answer;
    errand_error why = {0};

    if (!errand__fake_ear_answer(&self->ear, id, &answer))
        return false;
    bool right = step->expect == FAKE_EXPECT_ANY || answer.ok == (step->expect == FAKE_EXPECT_OK);
    if (right && step->exact)
        right = answer.size == step->size && answer.hash == step->hash;
    if (right)
        return true;
    (void)errand__fail(&why, ERRAND_EIO, 0,
                       "fake: line %u: call %" PRIu64 " was answered %s with %" PRIu64
                       " bytes, which is not what the script awaits",
                       step->line, id, answer.ok ? "ok" : "error", answer.size);
    lose(self, &why);
    return true;
}

static bool await_more(uint64_t heard, uint64_t *awaited)
{
    if (heard <= *awaited)
        return false;
    (*awaited)++;
    return true;
}

static bool wait_over(struct fake_process *self, const struct fake_step *step)
{
    if (!self->waiting) {
        self->waiting = true;
        self->wait_us = self->now_us + step->us;
    }
    if (self->now_us < self->wait_us)
        return false;
    self->waiting = false;
    return true;
}

static void repeat_end(struct fake_process *self, const struct fake_step *step)
{
    uint64_t *left = &self->repeats_left[self->repeats_count - 1];

    if (--*left > 0)
        self->at = (size_t)step->jump; /* The step after it comes next. */
    else
        self->repeats_count--;
}

/* false: the step has to wait. */
static bool do_wait(struct fake_process *self, const struct fake_step *step)
{
    switch ((int)step->verb) {
    case FAKE_WAIT:
        return wait_over(self, step);
    case FAKE_AWAIT_BOOT:
        return self->ear.booted;
    case FAKE_AWAIT_STOP:
        return self->ear.stopped;
    case FAKE_AWAIT_PING:
        return await_more(self->ear.pings, &self->pings_awaited);
    case FAKE_AWAIT_ASSET:
        return await_more(self->ear.assets, &self->assets_awaited);
    case FAKE_AWAIT_TERM:
        return self->termed;
    case FAKE_AWAIT_KILL:
        return self->killed;
    case FAKE_AWAIT_INPUT:
        return self->ear.total >= step->number;
    case FAKE_AWAIT_REPLY:
        return take_answer(self, step);
    case FAKE_HANG:
        return false;
    }
    return true;
}

static void do_setting(struct fake_process *self, const struct fake_step *step)
{
    switch ((int)step->verb) {
    case FAKE_CUT:
        self->cut = step->number;
        self->cut_every_us = step->us;
        self->cut_next_us = self->now_us;
        break;
    case FAKE_CUT_AT:
        self->cut_at = step->number;
        break;
    case FAKE_TAKE:
        self->take = step->number;
        self->take_every_us = step->us;
        self->take_next_us = self->now_us;
        break;
    case FAKE_HOLD_PIPE:
        self->hold_pipe = true;
        break;
    case FAKE_IGNORE_STOP:
        self->ignore_stop = true;
        break;
    case FAKE_IGNORE_TERM:
        self->ignore_term = true;
        break;
    case FAKE_IGNORE_KILL:
        self->ignore_kill = true;
        break;
    case FAKE_IGNORE_PING:
        self->ignore_ping = true;
        break;
    case FAKE_LEAVE_AFTER:
        self->leave_us = step->us;
        break;
    case FAKE_DIE_AFTER:
        self->die_us = step->us;
        break;
    case FAKE_NEVER_CLOSE:
        self->never_close = true;
        break;
    case FAKE_CLOSE_AFTER:
        self->close_after_us = step->us;
        self->close_set = true;
        break;
    case FAKE_CLOSE_WARNS:
        self->close_warning = step->text;
        break;
    }
}

static void do_deed(struct fake_process *self, const struct fake_step *step)
{
    switch ((int)step->verb) {
    case FAKE_START:
        self->started = true;
        break;
    case FAKE_SAY:
        begin_say(self, step);
        break;
    case FAKE_ECHO_LAUNCH:
        self->voice = (struct fake_voice){.head = span_text(self->line), .rounds = 1};
        break;
    case FAKE_REPEAT:
        self->repeats_left[self->repeats_count++] = step->number;
        break;
    case FAKE_REPEAT_END:
        repeat_end(self, step);
        break;
    case FAKE_EOF:
        self->eof = true;
        break;
    case FAKE_EXIT:
        go(self, step->signal != 0 ? -1 : (int)step->number, step->signal);
        break;
    case FAKE_LOSE:
        lose_with_text(self, step->text.len > 0 ? errand__fake_course_text(self, step->text)
                                                : SPAN_LITERAL("fake: the road is lost"));
        break;
    case FAKE_DROP:
        self->broken = true;
        self->break_words = step->text;
        break;
    case FAKE_ATTACH:
        self->broken = false;
        break;
    }
}

bool errand__fake_course_advance(struct fake_process *self)
{
    if (errand__fake_course_pinged(self)) {
        begin_beat(self);
        return true;
    }
    if (self->at == self->part->end)
        return false;
    const struct fake_step *step = &self->script->steps[self->at];
    if (!do_wait(self, step))
        return false;
    do_deed(self, step);
    do_setting(self, step);
    self->at++;
    return true;
}

int64_t errand__fake_course_due(const struct fake_process *self)
{
    if (self->at == self->part->end)
        return TIME_NEVER;
    const struct fake_step *step = &self->script->steps[self->at];
    uint64_t id = step->number != 0 ? step->number : self->call_last;
    bool ready = true;
    switch ((int)step->verb) {
    case FAKE_WAIT:
        return self->waiting ? self->wait_us : 0;
    case FAKE_AWAIT_BOOT:
        ready = self->ear.booted;
        break;
    case FAKE_AWAIT_STOP:
        ready = self->ear.stopped;
        break;
    case FAKE_AWAIT_PING:
        ready = self->ear.pings > self->pings_awaited;
        break;
    case FAKE_AWAIT_ASSET:
        ready = self->ear.assets > self->assets_awaited;
        break;
    case FAKE_AWAIT_TERM:
        ready = self->termed;
        break;
    case FAKE_AWAIT_KILL:
        ready = self->killed;
        break;
    case FAKE_AWAIT_INPUT:
        ready = self->ear.total >= step->number;
        break;
    case FAKE_AWAIT_REPLY:
        ready = errand__fake_ear_has_answer(&self->ear, id);
        break;
    case FAKE_HANG:
        ready = false;
        break;
    }
    return ready ? 0 : TIME_NEVER;
}
