/* jobs.c - many calls, some tools at once, first come first served. */
#include "cli/jobs.h"
#include "base/err.h"
#include "base/mem.h"
#include "cli/need.h"
#include "cli/text.h"
#include "core/json.h"

#include <stdio.h>
#include <string.h>

enum { EXCERPT_BYTES = 200 };

/* --- Which jobs there are --------------------------------------------------------------------- */

static struct job **bucket(struct jobs *jobs, uint64_t call)
{
    return &jobs->buckets[call % COUNT(jobs->buckets)];
}

static struct job *find(struct jobs *jobs, uint64_t call)
{
    struct job *job = *bucket(jobs, call);

    while (job != NULL && job->call != call)
        job = job->next_same;
    return job;
}

static struct job_list *list_of(struct jobs *jobs, enum job_state state)
{
    switch (state) {
    case JOB_ASKED:
        return &jobs->asked;
    case JOB_QUEUED:
        return &jobs->queued;
    case JOB_RUNNING:
    case JOB_UNWANTED:
        return &jobs->running;
    }
    return NULL;
}

static void put(struct jobs *jobs, struct job *job, enum job_state state)
{
    struct job_list *list = list_of(jobs, state);
    job->state = state;
    TAILQ_INSERT_TAIL(list, job, link);
}

static void take_out(struct jobs *jobs, struct job *job)
{
    struct job_list *list = list_of(jobs, job->state);
    TAILQ_REMOVE(list, job, link);
}

static void drop(struct jobs *jobs, struct job *job)
{
    struct job **at = bucket(jobs, job->call);

    while (*at != job)
        at = &(*at)->next_same;
    *at = job->next_same;
    take_out(jobs, job);
    if (job->process != NULL) {
        tool_deinit(job->process);
        jobs->running_count--;
    }
    if (job->args != NULL)
        jobs->waiting_bytes -= job->args_len;
    errand__mem_free(job->args);
    errand__mem_free(job->process);
    errand__mem_free(job);
}

/* --- Answers ---------------------------------------------------------------------------------- */

static void print_answer(struct jobs *jobs, const struct job *job, struct reply reply)
{
    reply.id = job->call;
    reply.at_us = errand_loop_now_us(jobs->loop);
    reply.took_us = reply.at_us - job->arrived_us;
    print_reply(jobs->print, &reply);
}

/* message: UTF-8 without NUL, with a NUL behind it. data: JSON text or empty. */
static void reject(struct jobs *jobs, const struct job *job, const char *message, const char *code,
                   errand_span data)
{
    errand_error err = {0};

    if (jobs->run == NULL)
        return;
    errand_status status = errand_run_reject(jobs->run, job->call, message, NULL, code, data, &err);
    if (status == ERRAND_OK)
        print_answer(jobs, job, (struct reply){.message = span_text(message), .code = code});
    else if (status != ERRAND_ESTATE)
        print_note(jobs->print, "call %llu: %s", (unsigned long long)job->call, err.text);
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
}

static errand_span trimmed(errand_span text)
{
    while (text.len > 0 && is_blank(text.ptr[0]))
        text = span_after(text, 1);
    while (text.len > 0 && is_blank(text.ptr[text.len - 1]))
        text = span_head(text, text.len - 1);
    return text;
}

/* Says it to the program, and to who watches. */
static void reject_tool(struct jobs *jobs, const struct job *job, struct buf *message,
                        const char *code, errand_span data)
{
    print_tool(jobs->print, errand__buf_peek(message));
    text_add(message, span_of("", 1));
    reject(jobs, job, errand__buf_peek(message).ptr, code, data);
}

/* What the tool did not say itself is none of the program's business: it is told a word, by which
 * who watches finds what happened. */
static void defect(struct jobs *jobs, const struct job *job, struct buf *detail)
{
    char id[9] = "";
    char message[64];
    errand_error err = {0};

    text_add(detail, span_of("", 1));
    if (jobs->run == NULL)
        return;
    errand_status status =
        errand_run_defect(jobs->run, job->call, errand__buf_peek(detail).ptr, id, &err);
    if (status == ERRAND_ESTATE)
        return;
    errand__buf_keep(detail, errand__buf_peek(detail).len - 1);
    text_format(detail, " [%s]", id);
    print_tool(jobs->print, errand__buf_peek(detail));
    (void)snprintf(message, sizeof(message), "Internal tool error [%s]", id);
    print_answer(jobs, job, (struct reply){.message = span_text(message), .code = "internal"});
}

static void add_tail(struct buf *message, const struct tool_process *process)
{
    errand_span tail = trimmed(span_of(process->tail, process->tail_len));

    if (tail.len == 0)
        return;
    text_words(message, process->tail_cut ? ": ..." : ": ");
    text_utf8(message, tail);
}

static void settle_signal(struct jobs *jobs, const struct job *job, struct buf *message)
{
    int number = job->process->exit_signal;
    const char *name = sigabbrev_np(number);

    text_format(message, "ended by signal %d (SIG%s)", number, name == NULL ? "?" : name);
    add_tail(message, job->process);
    defect(jobs, job, message);
}

static void reject_exit(struct jobs *jobs, const struct job *job, struct buf *message)
{
    char data[64];

    text_format(message, "exit code %d", job->process->exit_code);
    (void)snprintf(data, sizeof(data), "{\"exit_code\":%d}", job->process->exit_code);
    add_tail(message, job->process);
    reject_tool(jobs, job, message, "tool_failed", span_text(data));
}

/* Whether one JSON text stands behind the other. */
static bool are_json(errand_span texts)
{
    errand_span rest = texts;
    size_t at = 0;

    while (!errand__json_valid(rest, &at)) {
        if (!errand__json_valid(span_head(rest, at), NULL))
            return false;
        rest = span_after(rest, at);
    }
    return true;
}

static void reject_no_json(struct jobs *jobs, const struct job *job, errand_span answer,
                           struct buf *message)
{
    char line[EXCERPT_BYTES];
    errand_span head = span_head(answer, EXCERPT_BYTES);

    for (size_t i = 0; i < head.len; i++) {
        line[i] = head.ptr[i];
        if (is_blank(line[i]))
            line[i] = ' ';
    }
    text_words(message, are_json(answer) ? "printed more than one JSON text: "
                                         : "printed what is no JSON text: ");
    text_utf8(message, span_of(line, head.len));
    text_words(message, answer.len > EXCERPT_BYTES ? "..." : "");
    reject_tool(jobs, job, message, "tool_no_json", SPAN_EMPTY);
}

/* why: what the library says against a JSON text. */
static void reject_inexact(struct jobs *jobs, const struct job *job, const char *why,
                           struct buf *message)
{
    static const char area[] = "reply: ";
    bool known = strncmp(why, area, sizeof(area) - 1) == 0;

    text_words(message, known ? why + sizeof(area) - 1 : why);
    reject_tool(jobs, job, message, "inexact_number", SPAN_EMPTY);
}

static void reply(struct jobs *jobs, const struct job *job, struct buf *message)
{
    errand_span answer = trimmed(errand__buf_peek(&job->process->answer));
    errand_error err = {0};
    errand_status status = errand_run_reply(jobs->run, job->call, answer, &err);

    if (status == ERRAND_OK) {
        print_answer(jobs, job, (struct reply){.ok = true, .value = answer});
    } else if (status == ERRAND_EINVAL && strstr(err.text, "beyond 2^53") != NULL) {
        reject_inexact(jobs, job, err.text, message);
    } else if (status == ERRAND_EINVAL) {
        reject_no_json(jobs, job, answer, message);
    } else if (status == ERRAND_ELIMIT) {
        /* The library rejected it already. */
        bool large = answer.len > jobs->start.answer_max;
        print_answer(
            jobs, job,
            (struct reply){.message = span_text(large ? "the answer is over frame_bytes"
                                                      : "too many answers wait to be read"),
                           .code = large ? "value_too_large" : "queue_full"});
    } else if (status != ERRAND_ESTATE) {
        print_note(jobs->print, "call %llu: %s", (unsigned long long)job->call, err.text);
    }
}

static void settle(struct jobs *jobs, const struct job *job)
{
    struct buf message;

    if (job->state == JOB_UNWANTED || jobs->run == NULL)
        return;
    errand__buf_init(&message, TEXT_BYTES_MAX);
    text_format(&message, "%.200s: ", job->tool->name);
    if (job->process->overflown) {
        text_words(&message, "the answer is over frame_bytes");
        reject_tool(jobs, job, &message, "value_too_large", SPAN_EMPTY);
    } else if (job->process->exit_signal != 0) {
        settle_signal(jobs, job, &message);
    } else if (job->process->exit_code != 0) {
        reject_exit(jobs, job, &message);
    } else {
        reply(jobs, job, &message);
    }
    errand__buf_deinit(&message);
}

/* --- The way of a job ------------------------------------------------------------------------- */

void jobs_init(struct jobs *jobs)
{
    TAILQ_INIT(&jobs->asked);
    TAILQ_INIT(&jobs->queued);
    TAILQ_INIT(&jobs->running);
}

void jobs_call(struct jobs *jobs, const errand_event *event)
{
    size_t space = event->as.call.space_index;
    size_t index = jobs->tools->indexes[space][event->as.call.function_index];
    errand_span args = event->as.call.args;
    struct job *job = need_new(1, sizeof(*job));

    job->call = event->as.call.id;
    job->tool = &jobs->tools->list[index];
    job->arrived_us = event->at_us;
    job->next_same = *bucket(jobs, job->call);
    *bucket(jobs, job->call) = job;
    put(jobs, job, JOB_QUEUED);
    if (args.len > jobs->waiting_max - jobs->waiting_bytes) {
        reject(jobs, job, "the arguments of the calls that wait are too large together",
               "queue_full", SPAN_EMPTY);
        drop(jobs, job);
        return;
    }
    job->args = need_copy(args.ptr, args.len);
    job->args_len = args.len;
    jobs->waiting_bytes += args.len;
    if (job->tool->ask && errand_run_hold(jobs->run, job->call, NULL) == ERRAND_OK) {
        take_out(jobs, job);
        put(jobs, job, JOB_ASKED);
    }
}

void jobs_call_over(struct jobs *jobs, const errand_event *event)
{
    struct job *job = find(jobs, event->as.call_over.id);
    const char *why = event->as.call_over.why;

    if (job == NULL || job->state == JOB_UNWANTED)
        return;
    if (strcmp(why, "ended") != 0)
        print_answer(jobs, job, (struct reply){.message = span_text(why), .code = why});
    if (job->state != JOB_RUNNING) {
        drop(jobs, job);
        return;
    }
    job->state = JOB_UNWANTED;
    tool_end(job->process, errand_loop_now_us(jobs->loop), false);
}

const struct job *jobs_asked(const struct jobs *jobs)
{
    return TAILQ_FIRST(&jobs->asked);
}

void jobs_decide(struct jobs *jobs, bool allowed, const char *why)
{
    struct job *job = TAILQ_FIRST(&jobs->asked);

    if (job == NULL)
        return;
    if (!allowed) {
        reject(jobs, job, why, "approval_denied", SPAN_EMPTY);
        drop(jobs, job);
        return;
    }
    take_out(jobs, job);
    put(jobs, job, JOB_QUEUED);
    if (jobs->run != NULL && errand_run_resume(jobs->run, job->call, NULL) != ERRAND_OK)
        drop(jobs, job);
}

static void start(struct jobs *jobs, struct job *job)
{
    errand_error err = {0};

    job->process = need_new(1, sizeof(*job->process));
    jobs->running_count++;
    take_out(jobs, job);
    put(jobs, job, JOB_RUNNING);
    errand_status status =
        tool_start(job->process, job->tool, job->args, job->args_len, &jobs->start, &err);
    if (status != ERRAND_OK) {
        struct buf message;
        errand__buf_init(&message, TEXT_BYTES_MAX);
        text_words(&message, err.text);
        defect(jobs, job, &message);
        errand__buf_deinit(&message);
        drop(jobs, job);
        return;
    }
    job->args = NULL;
    jobs->waiting_bytes -= job->args_len;
}

size_t jobs_wants(const struct jobs *jobs, struct pollfd *fds)
{
    const struct job *job = NULL;
    size_t count = 0;

    TAILQ_FOREACH(job, &jobs->running, link)
    count += tool_wants(job->process, fds + count);
    return count;
}

int64_t jobs_due(const struct jobs *jobs)
{
    const struct job *job = NULL;
    int64_t due_us = TIME_NEVER;

    TAILQ_FOREACH(job, &jobs->running, link)
    {
        int64_t its_us = tool_due(job->process);
        due_us = its_us < due_us ? its_us : due_us;
    }
    return due_us;
}

void jobs_step(struct jobs *jobs, int64_t now_us)
{
    struct job *job = TAILQ_FIRST(&jobs->running);

    while (job != NULL && !print_is_full(jobs->print)) {
        struct job *next = TAILQ_NEXT(job, link);
        tool_step(job->process, now_us);
        if (job->process->over) {
            settle(jobs, job);
            drop(jobs, job);
        }
        job = next;
    }
    while (jobs->run != NULL && jobs->running_count < jobs->at_once && !TAILQ_EMPTY(&jobs->queued))
        start(jobs, TAILQ_FIRST(&jobs->queued));
}

void jobs_end(struct jobs *jobs, bool at_once)
{
    int64_t now_us = errand_loop_now_us(jobs->loop);
    struct job *job = NULL;

    TAILQ_FOREACH(job, &jobs->running, link)
    {
        job->state = JOB_UNWANTED;
        tool_end(job->process, now_us, at_once);
    }
}

void jobs_deinit(struct jobs *jobs)
{
    while (!TAILQ_EMPTY(&jobs->asked))
        drop(jobs, TAILQ_FIRST(&jobs->asked));
    while (!TAILQ_EMPTY(&jobs->queued))
        drop(jobs, TAILQ_FIRST(&jobs->queued));
    while (!TAILQ_EMPTY(&jobs->running))
        drop(jobs, TAILQ_FIRST(&jobs->running));
}
