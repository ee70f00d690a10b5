/* ask.c - one question at a time; what was typed before it stood there does not answer it.
 *
 * The arguments come from a far side that may want to look harmless: they are guarded, and what
 * is not shown of them is counted. */
#include "cli/ask.h"
#include "cli/text.h"

#include <errno.h>
#include <fcntl.h>
#include <strings.h>
#include <termios.h>
#include <unistd.h>

enum { ARGS_SHOWN = 2000 };

void ask_init(struct ask *ask, bool wanted)
{
    *ask = (struct ask){.tty = -1};
    if (wanted)
        ask->tty = open("/dev/tty", O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
}

void ask_deinit(struct ask *ask)
{
    if (ask->tty >= 0)
        (void)close(ask->tty);
    ask->tty = -1;
}

/* A terminal that takes nothing for long is not waited for. */
static void put(const struct ask *ask, errand_span words)
{
    while (words.len > 0) {
        struct pollfd ready = {.fd = ask->tty, .events = POLLOUT};
        if (poll(&ready, 1, 1000) <= 0)
            return;
        ssize_t count = write(ask->tty, words.ptr, words.len);
        if (count > 0)
            words = span_after(words, (size_t)count);
        else if (errno != EAGAIN && errno != EINTR)
            return;
    }
}

static void add_args(struct buf *text, errand_span args)
{
    errand_span shown = span_head(args, ARGS_SHOWN);

    text_guarded(text, shown);
    if (shown.len < args.len)
        text_format(text, "... (%zu more bytes)", args.len - shown.len);
}

static void show(struct ask *ask, const struct job *job, struct print *print)
{
    struct buf text;

    status_hide(&print->status, &print->err);
    sink_flush(&print->err);
    errand__buf_init(&text, TEXT_BYTES_MAX);
    text_words(&text, print->status.mid_line ? "\n" : "");
    text_words(&text, "The program wants to call ");
    text_guarded(&text, span_text(job->tool->name));
    if (job->tool->description != NULL && job->tool->description[0] != '\0') {
        text_words(&text, " (");
        text_guarded(&text, span_text(job->tool->description));
        text_words(&text, ")");
    }
    text_words(&text, job->args_len == 0 ? " without an argument" : " with:\n  ");
    add_args(&text, span_of(job->args, job->args_len));
    text_words(&text, "\nAllow it? [y/N] ");
    (void)tcflush(ask->tty, TCIFLUSH);
    put(ask, errand__buf_peek(&text));
    errand__buf_deinit(&text);
    ask->shown = job->call;
    ask->len = 0;
}

static bool says_yes(const struct ask *ask)
{
    size_t len = ask->len;

    while (len > 0 && (ask->line[len - 1] == ' ' || ask->line[len - 1] == '\r'))
        len--;
    return (len == 1 && strncasecmp(ask->line, "y", 1) == 0) ||
           (len == 3 && strncasecmp(ask->line, "yes", 3) == 0);
}

/* Whether the line is whole. The end of input is an empty answer. */
static bool read_line(struct ask *ask)
{
    for (;;) {
        char byte = 0;
        ssize_t count = read(ask->tty, &byte, 1);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && errno == EAGAIN)
            return false;
        if (count <= 0) {
            ask->len = 0;
            return true;
        }
        if (byte == '\n')
            return true;
        /* Too long for a yes: it stays too long. */
        if (ask->len < sizeof(ask->line))
            ask->line[ask->len++] = byte;
    }
}

static void answer(struct ask *ask, struct jobs *jobs)
{
    bool allowed = says_yes(ask);

    ask->shown = 0;
    jobs_decide(jobs, allowed, "the person who was asked said no");
}

void ask_step(struct ask *ask, struct jobs *jobs, struct print *print)
{
    const struct job *job = jobs_asked(jobs);

    if (ask->shown != 0 && (job == NULL || job->call != ask->shown)) {
        put(ask, SPAN_LITERAL("\n(no longer asked for)\n"));
        ask->shown = 0;
    }
    if (job != NULL && ask->tty < 0) {
        jobs_decide(jobs, false, "nobody could be asked: there is no terminal");
        return;
    }
    if (job != NULL && ask->shown == 0)
        show(ask, job, print);
    if (ask->shown != 0 && read_line(ask))
        answer(ask, jobs);
}
