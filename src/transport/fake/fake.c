/* fake.c - a process that follows a script, and the road to it.
 *
 * Knows when which step is due and what a process does unless the script says otherwise; what
 * the steps say is made in script.c and voice.c, what home says is heard by
 * ear.c. There is no descriptor: everything happens at an instant that wants() tells. */
#include "transport/fake/fake.h"

#include "base/err.h"
#include "base/mem.h"
#include "transport/fake/ear.h"
#include "transport/fake/ferry.h"
#include "transport/fake/launch.h"
#include "transport/fake/script.h"
#include "transport/fake/voice.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>

struct fake_road {
    errand_road road;
    errand_road_ops ops; /* Its own, since lease and delivery are facts of the script. */
    struct fake_script script;
    size_t launched;
    int64_t open_us; /* TIME_NEVER: not asked to yet. */
    bool opened;
};

struct fake_process {
    errand_process process;
    const struct fake_script *script;
    const struct fake_part *part;
    char *line;           /* As launched, with a line break, for echo. */
    char *bytes;          /* The script's, with the mark in its places; NULL: the script's own. */
    uint64_t runner_size; /* What home sends for want. */
    struct fake_ear ear;
    struct fake_voice voice;
    char digits[24];
    int64_t now_us;
    /* Where in the script. */
    size_t at;
    bool waiting;
    int64_t wait_us;
    uint64_t repeats_left[FAKE_REPEATS_DEEP];
    size_t repeats_count;
    uint64_t call_last;
    /* Told to the driver. */
    bool opened_told, eof_told, exit_told, closed_told, lost_told, drop_told;
    /* What has happened here. */
    bool started, eof, gone, lost, helloed, stop_seen, termed, killed;
    bool broken, end_known; /* The way to it; and it died by an order, which goes another way. */
    int exit_code, exit_signal;
    int64_t exit_us; /* A death that is due; TIME_NEVER: none. */
    int exit_us_signal;
    errand_error loss;
    uint64_t pings_answered, assets_awaited, pings_awaited;
    struct fake_text break_words;
    /* How things go. */
    bool hold_pipe, ignore_stop, ignore_term, ignore_kill, ignore_ping, never_close, close_set;
    int64_t leave_us, die_us, close_after_us;
    struct fake_text close_warning;
    uint64_t cut, cut_at, out_total;
    int64_t cut_every_us, cut_next_us;
    uint64_t take, taken;
    int64_t take_every_us, take_next_us;
    bool refused;     /* Home has bytes that were not taken. */
    int64_t close_us; /* TIME_NEVER: not asked to, or never. */
    bool close_asked;
};

/* --- Facts -------------------------------------------------------------------------------- */

static errand_span text_of(const struct fake_process *self, struct fake_text text)
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

static void die_at(struct fake_process *self, int64_t us, int signal_number)
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
        die_at(self, self->now_us + self->leave_us, 0);
}

/* true: it has just died of it. */
static bool heed(struct fake_process *self)
{
    heed_stop(self);
    return die_when_due(self);
}

static bool pinged(const struct fake_process *self)
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
        .lead = text_of(self, say->lead),
        .head = text_of(self, say->head),
        .open = text_of(self, say->open),
        .piece = text_of(self, say->piece),
        .close = text_of(self, say->close),
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
        lose_with_text(self, step->text.len > 0 ? text_of(self, step->text)
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

/* Does the next step; false: it has to wait, or there is none. */
static bool advance(struct fake_process *self)
{
    if (pinged(self)) {
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
        if (self->gone || self->eof || self->lost || pinged(self) || self->at == self->part->end)
            return false;
        const struct fake_step *step = &self->script->steps[self->at];
        if (step->verb != FAKE_SAY && step->verb != FAKE_REPEAT && step->verb != FAKE_REPEAT_END)
            return false;
        if (step->verb == FAKE_SAY && step->say.err != err)
            return false;
        (void)advance(self);
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
    return self->break_words.len > 0 ? text_of(self, self->break_words)
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
    *out =
        (errand_notice){.type = ERRAND_NOTICE_CLOSED, .bytes = text_of(self, self->close_warning)};
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
        if (!errand__fake_voice_speaks(&self->voice) && advance(self))
            continue;
        /* The script has done what it can at this instant; now what home ordered comes true. */
        if (heed(self))
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
            die_at(self, now_us + self->die_us, SIGTERM);
        break;
    case ERRAND_STOP_KILL:
        self->killed = true;
        if (self->started && !self->ignore_kill && !self->part->awaits_kill)
            die_at(self, now_us, SIGKILL);
        break;
    case ERRAND_STOP_CLOSE:
        self->close_asked = true;
        self->close_us = self->never_close ? TIME_NEVER : now_us + self->close_after_us;
        break;
    }
    return ERRAND_OK;
}

/* --- Wanting --------------------------------------------------------------------------- */

/* When the step that waits may go on; 0: at once. */
static int64_t step_due(const struct fake_process *self)
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

static bool something_to_tell(const struct fake_process *self)
{
    return (self->lost && !self->lost_told) || (self->started && !self->opened_told) ||
           (self->broken != self->drop_told && self->opened_told) ||
           (may_tell_end(self) &&
            ((self->eof && !self->eof_told) || (self->gone && !self->exit_told))) ||
           (self->ear.stopped && !self->stop_seen) || pinged(self);
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
    return min_us(step_due(self), self->exit_us);
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

static errand_status road_launch(errand_road *road, const errand_launch *launch, int64_t now_us,
                                 errand_process **out, errand_error *err)
{
    struct fake_road *self = (struct fake_road *)(void *)road;
    const struct fake_script *script = &self->script;
    size_t index = self->launched < script->parts_count ? self->launched : script->parts_count - 1;
    const struct fake_part *part = &script->parts[index];

    self->launched++;
    if (part->refused)
        return errand__fail(err, ERRAND_EIO, 0, "%.*s", (int)part->refusal.len,
                            errand__buf_peek(&script->bytes).ptr + part->refusal.start);
    struct fake_process *process = errand__mem_new(1, sizeof(*process));
    if (process == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "fake: no memory");
    *process = (struct fake_process){
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
    errand__fake_ear_init(&process->ear);
    errand_status status = adopt_line(process, launch->line, err);
    if (status != ERRAND_OK) {
        process_free(&process->process);
        return status;
    }
    *out = &process->process;
    return script->reattaches ? errand__fake_ferry_new(out, *out, launch->line, err) : ERRAND_OK;
}

/* --- The road -------------------------------------------------------------------------- */

static errand_status road_open(errand_road *road, int64_t now_us, errand_error *err)
{
    struct fake_road *self = (struct fake_road *)(void *)road;

    if (self->open_us == TIME_NEVER)
        self->open_us = now_us + self->script.open_after_us;
    if (now_us < self->open_us)
        return ERRAND_AGAIN;
    self->opened = true;
    if (!self->script.open_fails)
        return ERRAND_OK;
    struct fake_text text = self->script.open_failure;
    return errand__fail(err, ERRAND_EIO, 0, "%.*s", (int)text.len,
                        text.len == 0 ? ""
                                      : errand__buf_peek(&self->script.bytes).ptr + text.start);
}

static errand_status road_close(errand_road *road, int64_t now_us, errand_error *err)
{
    (void)road;
    (void)now_us;
    (void)err;
    return ERRAND_OK;
}

static size_t road_wants(errand_road *road, struct pollfd *fds, size_t fds_max, int64_t *due_us)
{
    const struct fake_road *self = (const struct fake_road *)(void *)road;

    (void)fds;
    (void)fds_max;
    *due_us = self->opened ? TIME_NEVER : self->open_us;
    return 0;
}

static void road_free(errand_road *road)
{
    struct fake_road *self = (struct fake_road *)(void *)road;

    errand__fake_script_deinit(&self->script);
    errand__mem_free(self);
}

errand_status errand__fake_road_new(errand_road **out, const char *script, errand_error *err)
{
    struct fake_road *self = errand__mem_new(1, sizeof(*self));

    if (self == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "fake: no memory");
    errand_status status = errand__fake_script_init(&self->script, script, err);
    if (status != ERRAND_OK) {
        errand__mem_free(self);
        return status;
    }
    self->ops = (errand_road_ops){
        .size = sizeof(errand_road_ops),
        .name = "fake",
        .open = road_open,
        .launch = road_launch,
        .close = road_close,
        .wants = road_wants,
        .free = road_free,
        .lease_ms = self->script.lease_ms,
        .delivery = self->script.delivery,
        .reattaches = self->script.reattaches,
    };
    self->road.ops = &self->ops;
    self->open_us = TIME_NEVER;
    *out = &self->road;
    return ERRAND_OK;
}
