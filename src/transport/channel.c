/* channel.c - a file through the standard input or output of a shell over there.
 *
 * The script and its words are free of what login shells read differently: no single quote, no
 * backslash, no exclamation mark, no line break. What has to be carried exactly, the path, comes as
 * a line of standard input with its odd bytes as octal numbers. Whatever startup files print goes
 * by until a line has the mark, which is put together over there from two halves, so that an echo
 * of the command is not taken for it. Bytes of a file are only sent once the far side has said
 * that it takes them, and are as many as was said before.
 *
 * Decides nothing about how long is too long, but for its own leaving. */
#include "transport/cargo.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

enum {
    MARK_LEN = 32,
    HALF_LEN = MARK_LEN / 2,
    /* A startup file that reads a line or two of standard input gets empty ones. */
    PREAMBLE_LINES = 64,
    LINE_LEN = 8000,
    ANSWER_LEN = 1024,        /* The longest line that is looked at for the mark. */
    NOISE_MOST = 1024 * 1024, /* What startup files may print. */
    LAST_WORDS = 160,         /* Of standard error, for the message. */
    STASH_MOST = 1024 * 1024, /* What came in one piece with the first answer. */
    EXIT_US = 1000 * 1000,    /* From its last word to its exit. */
    TERM_US = 2000 * 1000,    /* From being told to leave to its exit: it clears up. */
    CLOSED_US = 5 * 1000 * 1000
};

/* $0 and $1: the halves of the mark. $2: how many bytes. $3: permission bits. */
static const char script_open[] =
    "exec 3<&0 4>&1 </dev/null 1>&2;LC_ALL=C;export LC_ALL;m=$0$1;l=;t=;"
    "f(){ echo \"$m fail $1\" >&4;exit 91;};"
    "while IFS= read -r l <&3;do [ \"$l\" = \"$0\" ]&&break;done;[ \"$l\" = \"$0\" ]||exit 92;"
    "IFS= read -r l <&3||exit 92;p=$(printf %b. \"$l\");p=${p%.};";

/* Who is told to leave, or has lost his pipes, takes the file beside with him. A shell hears a
 * signal only between two commands, and a signal that comes while it starts one may be heard by
 * nobody else: so it never waits in the foreground for somebody who waits for home. Its reader has
 * the file open from the start, so that it can't come back once it is removed; and what could not
 * be written is removed, so that a size is never right by chance. While it is removed nothing is
 * heard any more. Not every head says why it could not write; dd does. */
static const char script_put[] =
    "umask 077;"
    "k(){ [ -d \"$p\" ]&&f is_folder;[ -e \"$p\" ]&&{ [ -f \"$p\" ]||f no_file;};};k;"
    "case $p in */*)d=${p%/*};d=${d:-/};;*)d=.;;esac;"
    "[ -d \"$d\" ]||f no_folder;[ -w \"$d\" ]||f denied;t=$d/.errand-$1;"
    "z(){ trap \"\" 1 2 13 15;[ -z \"$t\" ]||rm -f \"$t\";};"
    "trap z 0;trap \"z;exit 93\" 1 2 13 15;"
    "set -C;true >\"$t\"||f failed;set +C;exec 5>>\"$t\";"
    "echo \"$m ready\" >&4;"
    "{ [ \"$2\" = 0 ]||head -c \"$2\" <&3 >&5||{ dd if=/dev/zero bs=65536 count=1 >&5;"
    "rm -f \"$t\";};}& wait;exec 5>&-;"
    "[ -e \"$t\" ]&&n=$(wc -c <\"$t\")||f failed;[ $n -eq \"$2\" ]||f failed;"
    "chmod \"$3\" \"$t\"||f failed;k;mv -f \"$t\" \"$p\"||f failed;t=;echo \"$m done\" >&4";

/* Not every wc reads what has no size. Words on standard error tell where an answer would be taken
 * for bytes that are missing. */
static const char script_get[] =
    "[ -e \"$p\" ]||f not_found;[ -d \"$p\" ]&&f is_folder;[ -f \"$p\" ]||f no_file;"
    "[ -r \"$p\" ]||f denied;n=$(wc -c <\"$p\")||f failed;n=$(echo $n);"
    "q=$(ls -ldL \"$p\")||q=;[ $n -le \"$2\" ]||f too_large;"
    "echo \"$m ready $n ${q%% *}\" >&4;"
    "[ $n -eq 0 ]||head -c $n <\"$p\" >&4||f failed;"
    "c=$(wc -c <\"$p\")||f failed;[ $n -eq 0 ]&&c=$(head -c 1 <\"$p\"|wc -c);"
    "[ $c -eq $n ]||{ echo it-changed;f changed;};echo \"$m done\" >&4";

enum phase {
    CHANNEL_OPENING,  /* Until the far side is ready. */
    CHANNEL_CARRYING, /* Bytes. */
    CHANNEL_TRAILING, /* All bytes; its last word is missing. */
    CHANNEL_LEAVING,  /* What became of the file is known; the process is on its way out. */
    CHANNEL_CLOSING,
    CHANNEL_OVER
};

struct channel {
    errand_carrier base;
    errand_process *process;
    char *path;
    uint64_t size, carried;
    int64_t due_us; /* Of leaving. */
    uint64_t noise;
    size_t answer_len, words_len;
    const char *heard; /* A code that an earlier line of standard error stands for, or NULL. */
    const char *code;  /* NULL: nothing went wrong. */
    struct buf head;   /* Lines in front; still to send. */
    struct buf stash;  /* Bytes that came with the first answer. */
    uint32_t mode;
    enum phase phase;
    errand_error failure;
    bool put, opened, ready, told_ready, done, told_done, exited, eof, lost;
    bool vague;     /* It failed over there; standard error says why, maybe later. */
    bool line_over; /* The last line of standard error has ended. */
    char mark[MARK_LEN + 1];
    char words[LAST_WORDS + 1]; /* The last line of standard error. */
    char answer[ANSWER_LEN];
};

static struct channel *channel_of(errand_carrier *self)
{
    return (struct channel *)(void *)self;
}

/* --- Leaving ---------------------------------------------------------------------------------- */

static void leave(struct channel *channel, int64_t now_us, int64_t patience_us)
{
    channel->phase = CHANNEL_LEAVING;
    channel->due_us = channel->exited ? now_us : now_us + patience_us;
}

/* The first cause stands. */
static void fail(struct channel *channel, const char *code, const char *detail)
{
    if (channel->code != NULL)
        return;
    channel->code = code;
    (void)errand__cargo_fail(&channel->failure, channel->path, channel->put, code, detail);
}

/* The process is gone, or the road is, and the last word did not come. */
static void fail_early(struct channel *channel)
{
    const char *code = errand__cargo_code_heard(channel->words);

    fail(channel, code != NULL ? code : "lost", code != NULL ? NULL : channel->words);
}

static void lose(struct channel *channel, const errand_error *why)
{
    const errand_process_ops *ops = channel->process->ops;
    bool has_code = ops->size > offsetof(errand_process_ops, code) && ops->code != NULL;
    const char *code = has_code ? ops->code(channel->process) : NULL;

    channel->lost = true;
    if (channel->code != NULL || channel->done || channel->vague)
        return;
    channel->code = code != NULL ? code : "lost";
    channel->failure = *why;
}

static void close_process(struct channel *channel, int64_t now_us)
{
    errand_error error = {0};

    channel->phase = CHANNEL_CLOSING;
    channel->due_us = now_us + CLOSED_US;
    if (channel->process->ops->stop(channel->process, ERRAND_STOP_CLOSE, now_us, &error) < 0)
        channel->phase = CHANNEL_OVER;
}

/* --- What the far side says ------------------------------------------------------------------- */

static void take_ready(struct channel *channel, const char *rest)
{
    char *end = NULL;

    if (channel->phase != CHANNEL_OPENING)
        return;
    if (!channel->put) {
        errno = 0;
        unsigned long long size = strtoull(rest, &end, 10);
        if (end == rest || *end != ' ' || errno != 0) {
            fail(channel, "failed", "its answer is none");
            return;
        }
        if (size > channel->size) {
            fail(channel, "too_large", NULL);
            return;
        }
        channel->size = size;
        channel->mode = errand__cargo_mode(end + 1);
    }
    channel->ready = true;
    channel->heard = NULL;
    channel->phase = channel->size > 0 ? CHANNEL_CARRYING : CHANNEL_TRAILING;
}

static void take_line(struct channel *channel, char *line, size_t len, int64_t now_us)
{
    line[len] = '\0';
    char *at = memmem(line, len, channel->mark, MARK_LEN);
    if (at == NULL)
        return;
    at += MARK_LEN;
    if (strncmp(at, " ready", 6) == 0) {
        take_ready(channel, at[6] == ' ' ? at + 7 : at + 6);
    } else if (strncmp(at, " fail ", 6) == 0) {
        const char *code = errand__cargo_code_named(span_text(at + 6));
        channel->vague = code == NULL || strcmp(code, "failed") == 0;
        if (!channel->vague)
            fail(channel, code, NULL);
    } else if (strcmp(at, " done") == 0 && channel->phase == CHANNEL_TRAILING) {
        channel->done = true;
        leave(channel, now_us, EXIT_US);
    }
    if ((channel->vague || channel->code != NULL) && channel->phase < CHANNEL_LEAVING)
        leave(channel, now_us, EXIT_US);
}

static void add_to_answer(struct channel *channel, char byte)
{
    if (channel->answer_len == ANSWER_LEN - 1) {
        /* No answer is that long; its second half may begin one. */
        channel->answer_len /= 2;
        memmove(channel->answer, channel->answer + channel->answer_len + 1, channel->answer_len);
    }
    channel->answer[channel->answer_len++] = byte;
}

/* Returns how many bytes were lines; what is behind the answer that makes a get ready is not. */
static size_t take_lines(struct channel *channel, errand_span bytes, int64_t now_us)
{
    size_t used = 0;

    while (used < bytes.len && channel->phase < CHANNEL_LEAVING) {
        char byte = bytes.ptr[used++];
        if (byte != '\n') {
            add_to_answer(channel, byte);
            continue;
        }
        take_line(channel, channel->answer, channel->answer_len, now_us);
        channel->answer_len = 0;
        if (channel->phase == CHANNEL_CARRYING && !channel->put)
            return used;
    }
    return used;
}

static void take_words(struct channel *channel, errand_span bytes)
{
    for (size_t i = 0; i < bytes.len; i++) {
        char byte = bytes.ptr[i];
        if (byte == '\n' || byte == '\r') {
            channel->line_over = channel->words_len > 0;
            continue;
        }
        if (channel->line_over) {
            const char *code = errand__cargo_code_heard(channel->words);
            channel->heard = code == NULL ? channel->heard : code;
            channel->words_len = 0;
        }
        channel->line_over = false;
        if (channel->words_len < LAST_WORDS)
            channel->words[channel->words_len++] = byte;
        channel->words[channel->words_len] = '\0';
    }
}

/* true: *out is a notice. */
static bool take_file_bytes(struct channel *channel, errand_span bytes, int64_t now_us,
                            errand_carrier_notice *out)
{
    uint64_t left = channel->size - channel->carried;
    size_t count = bytes.len < left ? bytes.len : (size_t)left;

    if (count == 0)
        return false;
    channel->carried += count;
    if (channel->carried == channel->size)
        channel->phase = CHANNEL_TRAILING;
    (void)take_lines(channel, span_after(bytes, count), now_us);
    *out = (errand_carrier_notice){.type = ERRAND_CARRIER_BYTES, .bytes = span_head(bytes, count)};
    return true;
}

static bool take_out(struct channel *channel, errand_span bytes, int64_t now_us,
                     errand_carrier_notice *out)
{
    if (channel->phase == CHANNEL_CARRYING && !channel->put)
        return take_file_bytes(channel, bytes, now_us, out);
    if (channel->phase == CHANNEL_OPENING && (channel->noise += bytes.len) > NOISE_MOST) {
        fail(channel, "failed", "too much was printed before it began");
        leave(channel, now_us, 0);
        return false;
    }
    size_t used = take_lines(channel, bytes, now_us);
    if (used < bytes.len && channel->phase == CHANNEL_CARRYING &&
        errand__buf_push(&channel->stash, span_after(bytes, used)) != ERRAND_OK) {
        fail(channel, "failed", "no memory at home");
        leave(channel, now_us, 0);
    }
    return false;
}

/* --- Notices of the process ------------------------------------------------------------------- */

static bool hear(struct channel *channel, const errand_notice *notice, int64_t now_us,
                 errand_carrier_notice *out)
{
    switch (notice->type) {
    case ERRAND_NOTICE_OPENED:
        channel->opened = true;
        break;
    case ERRAND_NOTICE_OUT:
        return take_out(channel, notice->bytes, now_us, out);
    case ERRAND_NOTICE_ERR:
        take_words(channel, notice->bytes);
        break;
    case ERRAND_NOTICE_EOF:
        channel->eof = true;
        break;
    case ERRAND_NOTICE_EXITED:
        channel->exited = true;
        break;
    case ERRAND_NOTICE_CLOSED:
        channel->phase = CHANNEL_OVER;
        break;
    case ERRAND_NOTICE_DROPPED: /* A file is in no segments: what was lost stays lost. */
        channel->eof = channel->exited = true;
        break;
    case ERRAND_NOTICE_ATTACHED:
        break;
    }
    if (channel->eof && channel->exited && channel->phase < CHANNEL_LEAVING) {
        fail_early(channel);
        leave(channel, now_us, 0);
    } else if (channel->exited && channel->phase < CHANNEL_LEAVING) {
        channel->due_us = now_us + EXIT_US;
    }
    if (channel->exited && channel->phase == CHANNEL_LEAVING)
        channel->due_us = now_us;
    return false;
}

static void watch_the_clock(struct channel *channel, int64_t now_us)
{
    if (now_us < channel->due_us)
        return;
    channel->due_us = TIME_NEVER;
    if (channel->phase < CHANNEL_LEAVING) {
        fail_early(channel); /* It has exited, and somebody holds its pipes. */
        leave(channel, now_us, 0);
    }
    if (channel->phase == CHANNEL_LEAVING)
        close_process(channel, now_us);
    else if (channel->phase == CHANNEL_CLOSING)
        channel->phase = CHANNEL_OVER;
}

static bool send_head(struct channel *channel, errand_error *err)
{
    errand_span bytes = errand__buf_peek(&channel->head);
    size_t taken = 0;

    if (bytes.len == 0 || !channel->opened || channel->lost || channel->phase >= CHANNEL_LEAVING)
        return true;
    if (channel->process->ops->send(channel->process, bytes, &taken, err) < 0)
        return false;
    errand__buf_consume(&channel->head, taken);
    return true;
}

static bool take_stash(struct channel *channel, errand_scratch scratch, int64_t now_us,
                       errand_carrier_notice *out)
{
    errand_span bytes = span_head(errand__buf_peek(&channel->stash), scratch.len);

    if (bytes.len == 0 || channel->phase >= CHANNEL_LEAVING)
        return false;
    /* Out of the stash before it is handed on, since what is consumed is gone. */
    memcpy(scratch.ptr, bytes.ptr, bytes.len);
    bytes.ptr = scratch.ptr;
    errand__buf_consume(&channel->stash, bytes.len);
    return take_file_bytes(channel, bytes, now_us, out);
}

/* --- The verbs -------------------------------------------------------------------------------- */

static void explain(struct channel *channel)
{
    const char *code = errand__cargo_code_heard(channel->words);

    if (code == NULL)
        code = channel->heard;
    fail(channel, code == NULL ? "failed" : code, code == NULL ? channel->words : NULL);
}

static errand_status finish(struct channel *channel, errand_carrier_notice *out, errand_error *err)
{
    if (channel->vague)
        explain(channel);
    if (channel->code != NULL) {
        if (err != NULL)
            *err = channel->failure;
        return channel->failure.status;
    }
    if (channel->told_done)
        return ERRAND_AGAIN;
    channel->told_done = true;
    *out = (errand_carrier_notice){.type = ERRAND_CARRIER_DONE};
    return ERRAND_OK;
}

/* The road is lost, or was lost before. */
static void give_up(struct channel *channel, const errand_error *why, int64_t now_us)
{
    bool again = channel->lost;

    lose(channel, why);
    if (again)
        channel->phase = CHANNEL_OVER;
    else if (channel->phase < CHANNEL_CLOSING)
        close_process(channel, now_us);
}

/* true: *out is a notice. *quiet: nothing can be done now. */
static bool listen_once(struct channel *channel, int64_t now_us, errand_scratch scratch,
                        errand_carrier_notice *out, bool *quiet)
{
    errand_notice notice = {0};
    errand_error error = {0};
    errand_status status =
        channel->process->ops->next(channel->process, now_us, scratch, &notice, &error);

    *quiet = status == ERRAND_AGAIN && channel->due_us > now_us;
    if (status == ERRAND_OK && hear(channel, &notice, now_us, out))
        return true;
    if (status < 0 || !send_head(channel, &error)) {
        give_up(channel, &error, now_us);
        *quiet = false;
    }
    return false;
}

static errand_status channel_next(errand_carrier *self, int64_t now_us, errand_scratch scratch,
                                  errand_carrier_notice *out, errand_error *err)
{
    struct channel *channel = channel_of(self);

    for (;;) {
        bool quiet = false;
        watch_the_clock(channel, now_us);
        if (channel->ready && !channel->told_ready && channel->code == NULL) {
            channel->told_ready = true;
            *out = (errand_carrier_notice){
                .type = ERRAND_CARRIER_READY, .size = channel->size, .mode = channel->mode};
            return ERRAND_OK;
        }
        if (channel->phase == CHANNEL_OVER)
            return finish(channel, out, err);
        if (take_stash(channel, scratch, now_us, out) ||
            listen_once(channel, now_us, scratch, out, &quiet))
            return ERRAND_OK;
        if (quiet)
            return ERRAND_AGAIN;
    }
}

static errand_status channel_send(errand_carrier *self, errand_span bytes, size_t *taken,
                                  errand_error *err)
{
    struct channel *channel = channel_of(self);

    *taken = 0;
    (void)err;
    if (channel->phase != CHANNEL_CARRYING)
        return ERRAND_OK; /* It has failed already; next tells. */
    errand_error error = {0};
    if (channel->process->ops->send(channel->process, bytes, taken, &error) < 0) {
        lose(channel, &error);
        close_process(channel, 0);
        return ERRAND_OK;
    }
    channel->carried += *taken;
    if (channel->carried == channel->size)
        channel->phase = CHANNEL_TRAILING;
    return ERRAND_OK;
}

static void channel_stop(errand_carrier *self, int64_t now_us)
{
    struct channel *channel = channel_of(self);
    errand_error error = {0};

    if (channel->phase >= CHANNEL_LEAVING)
        return;
    fail(channel, "cancelled", NULL);
    leave(channel, now_us, TERM_US);
    if (channel->process->ops->stop(channel->process, ERRAND_STOP_TERM, now_us, &error) < 0)
        channel->due_us = now_us;
}

static size_t channel_wants(errand_carrier *self, int reading, int writing, struct pollfd *fds,
                            size_t fds_max, int64_t *due_us)
{
    struct channel *channel = channel_of(self);
    bool head = errand__buf_peek(&channel->head).len > 0 && channel->phase < CHANNEL_LEAVING;
    bool pours = writing && channel->phase == CHANNEL_CARRYING;

    *due_us = TIME_NEVER;
    if (channel->phase == CHANNEL_OVER)
        return 0;
    size_t count = channel->process->ops->wants(channel->process, reading, head || pours, fds,
                                                fds_max, due_us);
    if (channel->due_us < *due_us)
        *due_us = channel->due_us;
    return count;
}

static const char *channel_code(errand_carrier *self)
{
    return channel_of(self)->code;
}

static void channel_free(errand_carrier *self)
{
    struct channel *channel = channel_of(self);

    if (channel == NULL)
        return;
    if (channel->process != NULL)
        channel->process->ops->free(channel->process);
    errand__buf_deinit(&channel->head);
    errand__buf_deinit(&channel->stash);
    errand__mem_free(channel->path);
    errand__mem_free(channel);
}

static const errand_carrier_ops channel_ops = {.size = sizeof(errand_carrier_ops),
                                               .next = channel_next,
                                               .send = channel_send,
                                               .stop = channel_stop,
                                               .wants = channel_wants,
                                               .free = channel_free,
                                               .code = channel_code};

/* --- Beginning -------------------------------------------------------------------------------- */

static bool draw_mark(char mark[MARK_LEN + 1])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char chance[HALF_LEN];

    if (getrandom(chance, sizeof(chance), 0) != (ssize_t)sizeof(chance))
        return false;
    for (size_t i = 0; i < sizeof(chance); i++) {
        mark[2 * i] = digits[chance[i] >> 4];
        mark[2 * i + 1] = digits[chance[i] & 15];
    }
    mark[MARK_LEN] = '\0';
    return true;
}

static errand_status write_path(struct buf *head, const char *path)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-";
    errand_status status = ERRAND_OK;

    for (; *path != '\0' && status == ERRAND_OK; path++) {
        char octal[8];
        int len = strchr(plain, *path) != NULL
                      ? snprintf(octal, sizeof(octal), "%c", *path)
                      : snprintf(octal, sizeof(octal), "\\0%03o", (unsigned)(unsigned char)*path);
        status = errand__buf_push(head, span_of(octal, (size_t)len));
    }
    return status;
}

static errand_status write_head(struct channel *channel)
{
    char lines[PREAMBLE_LINES + HALF_LEN + 1];

    memset(lines, '\n', sizeof(lines));
    memcpy(lines + PREAMBLE_LINES, channel->mark, HALF_LEN);
    errand_status status = errand__buf_push(&channel->head, span_of(lines, sizeof(lines)));
    if (status == ERRAND_OK)
        status = write_path(&channel->head, channel->path);
    return status == ERRAND_OK ? errand__buf_push(&channel->head, SPAN_LITERAL("\n")) : status;
}

static errand_status launch(struct channel *channel, errand_road *road, int64_t now_us,
                            errand_error *err)
{
    AUTO_FREE char *line = errand__mem_new(LINE_LEN, 1);

    if (line == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "files: no memory");
    (void)snprintf(line, LINE_LEN, "exec /bin/sh -c '%s%s' %.16s %.16s %" PRIu64 " %03o",
                   script_open, channel->put ? script_put : script_get, channel->mark,
                   channel->mark + HALF_LEN, channel->size, (unsigned)(channel->mode & 0777));
    errand_launch order = {.line = line, .mark = channel->mark};
    errand_status status = road->ops->launch(road, &order, now_us, &channel->process, err);
    if (status != ERRAND_OK)
        channel->process = NULL;
    return status;
}

errand_status errand__channel_new(errand_carrier **out, errand_road *road,
                                  const errand_cargo *cargo, int64_t now_us, errand_error *err)
{
    struct channel *channel = errand__mem_new(1, sizeof(*channel));

    *out = NULL;
    if (channel == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "files: no memory");
    *channel = (struct channel){.base.ops = &channel_ops,
                                .path = errand__mem_copy(cargo->path, strlen(cargo->path)),
                                .put = cargo->put != 0,
                                .size = cargo->size,
                                .mode = cargo->mode,
                                .due_us = TIME_NEVER};
    errand__buf_init(&channel->head, PREAMBLE_LINES + HALF_LEN + 5 * ERRAND_CARGO_PATH_MOST + 64);
    errand__buf_init(&channel->stash, STASH_MOST);
    errand_status status = ERRAND_OK;
    if (!draw_mark(channel->mark))
        status = errand__fail(err, ERRAND_EIO, errno, "files: no random bytes");
    else if (channel->path == NULL || write_head(channel) != ERRAND_OK)
        status = errand__fail(err, ERRAND_ENOMEM, 0, "files: no memory");
    else
        status = launch(channel, road, now_us, err);
    if (status != ERRAND_OK) {
        channel_free(&channel->base);
        return status;
    }
    *out = &channel->base;
    return ERRAND_OK;
}
