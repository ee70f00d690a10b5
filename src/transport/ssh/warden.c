/* warden.c - the warden's shell text, and lines to and from it. Knows no run. */
#include "transport/ssh/warden.h"

#include "transport/brand.h"

#include <stdio.h>

enum {
    OUT_MOST = 64 * 1024,
    ANSWER_PARTS = 2,
    FEED_LINES = 4096, /* Each is nothing to the shell, and a file that takes a block has it. */
    NOISE_MOST = 256 * 1024, /* As a program's login may print. */
    ERR_READS = 16
};

/* An order is "ID KIND PID BRAND"; its answer "= ID STATUS". Whatever a startup file prints is no
 * answer. It is told nothing before its first answer, to order 0: a startup file could read it.
 * Such a file gets empty lines, as in front of a program.
 *
 * s() kills who bears the brand and is of another group, and counts them; of a zombie nothing is
 * left. Who stays there after all is what makes 9.
 *
 * Most groups are gone at the first look; for the others a shell of their own waits. CONT, since
 * who is stopped can't hear. A sleep may know whole seconds alone. Quoted once, and free of what
 * login shells read differently. */
static const char command[] =
    "exec /bin/sh -c 'k(){ kill -s $1 -- -$2 2>/dev/null;};"
    "w(){ i=0;while k 0 $2;do i=$((i+1));[ $i -gt 60 ]&&{ echo \"= $1 9\";return;};"
    "sleep 0.03 2>/dev/null||sleep 1;done;echo \"= $1 $3\";};"
    "s(){ c=0;e=;r=0;[ \"$2\" ]||return;while [ $r -lt 40 ];do a=;"
    "for d in $(grep -ls \"^Max file locks  *$2 \" /proc/[0-9]*/limits 2>/dev/null);do "
    "d=${d%/limits};l=;{ read -r l <$d/stat;} 2>/dev/null;set -- \"$1\" \"$2\" ${l##*\") \"};"
    "case $3 in \"\"|[ZX])continue;;esac;[ \"$5\" = \"$1\" ]&&continue;a=1;d=${d#/proc/};"
    "kill -s KILL $d 2>/dev/null;case \" $e \" in *\" $d \"*);;*)e=\"$e $d\";c=$((c+1));;esac;"
    "done;[ \"$a\" ]||{ [ $c = 0 ]||c=$((c+100));return;};r=$((r+1));"
    "[ $r -lt 2 ]||sleep 0.03 2>/dev/null||sleep 1;done;c=9;};"
    "echo;echo \"= 0 0\";while read -r n o p b;do case $o in \"\");;"
    "C)k KILL $p;s $p $b;"
    "if k 0 $p;then w $n $p $c </dev/null & else echo \"= $n $c\";fi;;"
    "*)k $o $p;k CONT $p;echo \"= $n 0\";esac;done'";

void errand__ssh_warden_init(struct ssh_warden *warden)
{
    *warden = (struct ssh_warden){0};
    errand__buf_init(&warden->out, OUT_MOST);
}

void errand__ssh_warden_deinit(struct ssh_warden *warden)
{
    errand__buf_deinit(&warden->out);
}

static void confirm(struct ssh_warden *warden)
{
    if (!warden->confirmed)
        warden->confirmed = libssh2_channel_process_startup(warden->raw, "exec", 4, command,
                                                            sizeof(command) - 1) == 0;
}

void errand__ssh_warden_start(struct ssh_warden *warden, LIBSSH2_CHANNEL *raw)
{
    warden->raw = raw;
    warden->confirmed = false;
    warden->up = false;
    warden->fed = warden->line_len = warden->noise = 0;
    warden->room_at = warden->room_len = 0;
    confirm(warden);
}

bool errand__ssh_warden_tell(struct ssh_warden *warden, unsigned id, const char *kind, int64_t pid,
                             const char *brand)
{
    char line[SSH_WARDEN_LINE + BRAND_TEXT];
    int len = snprintf(line, sizeof(line), "%u %s %lld %s\n", id, kind, (long long)pid, brand);

    return len > 0 && (size_t)len < sizeof(line) &&
           errand__buf_push(&warden->out, span_of(line, (size_t)len)) == ERRAND_OK;
}

static void feed(struct ssh_warden *warden)
{
    char lines[FEED_LINES];

    memset(lines, '\n', sizeof(lines));
    if (warden->fed == sizeof(lines))
        return;
    ssize_t sent = libssh2_channel_write_ex(warden->raw, 0, lines, sizeof(lines) - warden->fed);
    warden->fed += sent > 0 ? (size_t)sent : 0;
}

static void send_some(struct ssh_warden *warden)
{
    feed(warden);
    while (warden->up) {
        errand_span out = errand__buf_peek(&warden->out);
        if (out.len == 0)
            return;
        ssize_t sent = libssh2_channel_write_ex(warden->raw, 0, out.ptr, out.len);
        if (sent <= 0)
            return;
        errand__buf_consume(&warden->out, (size_t)sent);
    }
}

/* true: the line that is whole is an answer. */
static bool read_answer(struct ssh_warden *warden, unsigned *id, int *status)
{
    warden->line[warden->line_len] = '\0';
    warden->line_len = 0;
    /* cert-err34-c: a number that does not fit fits no order either. */
    return sscanf(warden->line, "= %9u %9d", id, status) == ANSWER_PARTS; /* NOLINT(cert-err34-c) */
}

/* Whoever prints without end is never done: nobody waits for that. */
static bool is_noisy(const struct ssh_warden *warden)
{
    return warden->noise > NOISE_MOST;
}

static bool next_byte(struct ssh_warden *warden, char *byte)
{
    if (warden->room_at == warden->room_len) {
        ssize_t got = is_noisy(warden) ? 0
                                       : libssh2_channel_read_ex(warden->raw, 0, warden->room,
                                                                 sizeof(warden->room));
        warden->room_at = 0;
        warden->room_len = got > 0 ? (size_t)got : 0;
        warden->noise += warden->room_len;
    }
    if (warden->room_len == 0)
        return false;
    *byte = warden->room[warden->room_at++];
    return true;
}

bool errand__ssh_warden_next(struct ssh_warden *warden, unsigned *id, int *status)
{
    char byte = 0;

    if (warden->raw == NULL)
        return false;
    confirm(warden);
    send_some(warden);
    while (next_byte(warden, &byte)) {
        if (byte != '\n') {
            /* Too long for an answer: its head is forgotten, so that it is none. */
            warden->line_len = warden->line_len + 1 < sizeof(warden->line) ? warden->line_len : 0;
            warden->line[warden->line_len++] = byte;
            continue;
        }
        if (!read_answer(warden, id, status))
            continue;
        warden->noise = 0;
        if (warden->up)
            return true;
        warden->up = *id == 0;
        send_some(warden);
    }
    return false;
}

bool errand__ssh_warden_is_over(struct ssh_warden *warden)
{
    char room[4096];

    if (warden->raw == NULL)
        return false;
    for (int i = 0; i < ERR_READS; i++) { /* What it prints there, if anything, goes by. */
        ssize_t got = libssh2_channel_read_ex(warden->raw, 1, room, sizeof(room));
        if (got <= 0)
            break;
        warden->noise += (size_t)got;
    }
    return is_noisy(warden) || libssh2_channel_eof(warden->raw) == 1;
}
