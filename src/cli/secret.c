/* secret.c - a line from /dev/tty with its echo off; wiped as soon as it was handed on. */
#include "cli/secret.h"
#include "cli/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

enum { CTRL_C = 3 };

void secret_init(struct secret *secret)
{
    *secret = (struct secret){.tty = -1};
}

/* A terminal that takes nothing for long is not waited for. */
static void put(const struct secret *secret, errand_span words)
{
    while (words.len > 0) {
        struct pollfd ready = {.fd = secret->tty, .events = POLLOUT};
        if (poll(&ready, 1, 1000) <= 0)
            return;
        ssize_t count = write(secret->tty, words.ptr, words.len);
        if (count > 0)
            words = span_after(words, (size_t)count);
        else if (errno != EAGAIN && errno != EINTR)
            return;
    }
}

static void hide(struct secret *secret)
{
    if (tcgetattr(secret->tty, &secret->before) != 0)
        return;
    struct termios silent = secret->before;
    silent.c_lflag &= ~(tcflag_t)(secret->alone ? ECHO | ISIG : ECHO);
    secret->hidden = tcsetattr(secret->tty, TCSAFLUSH, &silent) == 0;
}

static void unhide(struct secret *secret)
{
    if (!secret->hidden)
        return;
    secret->hidden = false;
    (void)tcsetattr(secret->tty, TCSAFLUSH, &secret->before);
    put(secret, SPAN_LITERAL("\n"));
}

static void forget(struct secret *secret)
{
    unhide(secret);
    explicit_bzero(secret->line, sizeof(secret->line));
    secret->len = 0;
    secret->asked = 0;
}

void secret_renew(struct secret *secret)
{
    secret->given = false;
}

void secret_deinit(struct secret *secret)
{
    explicit_bzero(secret->known, sizeof(secret->known));
    if (secret->tty < 0)
        return;
    forget(secret);
    (void)close(secret->tty);
    secret->tty = -1;
}

/* true: it is answered. Who asks again was told something wrong, and what a host asks in words of
 * its own may be good for once. */
static bool recall(struct secret *secret, errand_place *place, const errand_ask *ask)
{
    bool same = secret->recalls && strcmp(ask->kind, "interactive") != 0 &&
                secret->known[0] != '\0' && strcmp(secret->prompt, ask->prompt) == 0;

    if (!same || secret->given) {
        explicit_bzero(secret->known, sizeof(secret->known));
        (void)snprintf(secret->prompt, sizeof(secret->prompt), "%s", ask->prompt);
        secret->given = true;
        return false;
    }
    secret->given = true;
    (void)!errand_place_answer(place, ask->id, secret->known, NULL);
    return true;
}

void secret_ask(struct secret *secret, errand_place *place, const errand_ask *ask,
                struct print *print)
{
    struct buf text;

    if (recall(secret, place, ask))
        return;
    if (secret->tty < 0)
        secret->tty = open("/dev/tty", O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (secret->tty < 0) {
        /* The ending says what was not answered. */
        (void)!errand_place_answer(place, ask->id, NULL, NULL);
        return;
    }
    if (print != NULL) {
        status_hide(&print->status, &print->err);
        sink_flush(&print->err);
    }
    if (ask->echo == 0)
        hide(secret);
    errand__buf_init(&text, TEXT_BYTES_MAX);
    text_guarded(&text, span_text(ask->prompt));
    put(secret, errand__buf_peek(&text));
    errand__buf_deinit(&text);
    secret->asked = ask->id;
    secret->len = 0;
}

/* A line that is too long is none. The end of input, without a line, declines. */
static void answer(struct secret *secret, errand_place *place, bool whole)
{
    uint64_t asked = secret->asked;
    bool fits = whole && secret->len < sizeof(secret->line);

    if (fits)
        secret->line[secret->len] = '\0';
    if (fits && secret->recalls)
        memcpy(secret->known, secret->line, secret->len + 1);
    /* It may no longer be asked. */
    (void)!errand_place_answer(place, asked, fits ? secret->line : NULL, NULL);
    forget(secret);
}

void secret_step(struct secret *secret, errand_place *place)
{
    while (secret->asked != 0) {
        char byte = 0;
        ssize_t count = read(secret->tty, &byte, 1);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && errno == EAGAIN)
            return;
        if (count <= 0 || byte == '\n' || (secret->alone && byte == CTRL_C))
            answer(secret, place, count > 0 && byte == '\n');
        else if (secret->len < sizeof(secret->line))
            secret->line[secret->len++] = byte;
    }
}
