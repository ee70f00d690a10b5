/* tell.c - quoting once for every login shell, and a search over the seams of a stream. */
#include "transport/ssh/tell.h"

#include "base/buf.h"
#include "base/mem.h"

#include <sys/random.h>

enum { COMMAND_MOST = 64 * 1024, DIGITS_MOST = 12 };

static bool draw_word(struct ssh_tell *tell)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char chance[SSH_TELL_WORD / 2];

    if (getrandom(chance, sizeof(chance), 0) != (ssize_t)sizeof(chance))
        return false;
    for (size_t i = 0; i < sizeof(chance); i++) {
        tell->word[2 * i] = digits[chance[i] >> 4];
        tell->word[2 * i + 1] = digits[chance[i] & 15];
    }
    tell->word[SSH_TELL_WORD] = '\0';
    return true;
}

static bool push(struct buf *to, const char *text)
{
    return errand__buf_push(to, span_text(text)) == ERRAND_OK;
}

/* In '…'; a quote inside becomes '\'', which every login shell reads alike. */
static bool push_quoted(struct buf *to, const char *text)
{
    bool done = push(to, "'");

    while (done && *text != '\0') {
        size_t len = strcspn(text, "'");
        done = errand__buf_push(to, span_of(text, len)) == ERRAND_OK &&
               (text[len] == '\0' || push(to, "'\\''"));
        text += len + (text[len] != '\0');
    }
    return done && push(to, "'");
}

char *errand__ssh_tell_wrap(struct ssh_tell *tell, const char *line)
{
    struct buf out;
    char *command = NULL;

    *tell = (struct ssh_tell){0};
    errand__buf_init(&out, COMMAND_MOST);
    if (draw_word(tell) && push(&out, "exec /bin/sh -c 'echo \"$1 $$\" >&2;eval \"$0\"' ") &&
        push_quoted(&out, line) && push(&out, " ") && push(&out, tell->word)) {
        errand_span all = errand__buf_peek(&out);
        command = errand__mem_copy(all.ptr, all.len);
    }
    errand__buf_deinit(&out);
    return command;
}

/* How much of "WORD PID\n" stands at the start of text; 0: it is something else. *whole: all. */
static size_t match(const struct ssh_tell *tell, errand_span text, int64_t *pid, bool *whole)
{
    size_t len = text.len < SSH_TELL_WORD ? text.len : SSH_TELL_WORD;

    *whole = false;
    *pid = 0;
    if (memcmp(text.ptr, tell->word, len) != 0)
        return 0;
    if (len == text.len)
        return len;
    if (text.ptr[len++] != ' ')
        return 0;
    size_t first = len;
    while (len < text.len && text.ptr[len] >= '0' && text.ptr[len] <= '9' &&
           len - first < DIGITS_MOST)
        *pid = *pid * 10 + (text.ptr[len++] - '0');
    if (len == text.len)
        return len;
    *whole = text.ptr[len] == '\n' && *pid > 1;
    return *whole ? len + 1 : 0;
}

size_t errand__ssh_tell_filter(struct ssh_tell *tell, char *room, size_t len)
{
    if (tell->pid != 0)
        return len;
    memmove(room + tell->held_len, room, len);
    memcpy(room, tell->held, tell->held_len);
    len += tell->held_len;
    tell->held_len = 0;
    for (size_t at = 0; at < len; at++) {
        int64_t pid = 0;
        bool whole = false;
        size_t found = match(tell, span_of(room + at, len - at), &pid, &whole);
        if (whole) {
            tell->pid = pid;
            memmove(room + at, room + at + found, len - at - found);
            return len - found;
        }
        if (found > 0 && at + found == len && found <= SSH_TELL_HELD) {
            memcpy(tell->held, room + at, found);
            tell->held_len = found;
            return at;
        }
    }
    return len;
}

errand_span errand__ssh_tell_rest(struct ssh_tell *tell)
{
    errand_span rest = span_of(tell->held, tell->held_len);

    tell->held_len = 0;
    return rest;
}
