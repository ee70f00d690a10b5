/* words.c - splits like sh, without sh: no variable, no pattern, no command is expanded, so that
 * an address means the same on every day and in every folder. */
#include "transport/words.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"

errand_status errand__words_add(struct words *words, const char *word, errand_error *err)
{
    if (words->count >= WORDS_MOST)
        return errand__fail(err, ERRAND_EINVAL, 0, "place: more than %d words", WORDS_MOST);
    size_t len = strlen(word);
    if (len > WORDS_BYTES_MOST)
        return errand__fail(err, ERRAND_EINVAL, 0, "place: a word of more than %d bytes",
                            WORDS_BYTES_MOST);
    char **list = errand__mem_resize(words->list, (words->count + 2) * sizeof(*list));
    if (list == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "place: no memory");
    words->list = list;
    list[words->count] = errand__mem_copy(word, len);
    if (list[words->count] == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "place: no memory");
    words->count++;
    list[words->count] = NULL;
    return ERRAND_OK;
}

void errand__words_deinit(struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        errand__mem_free(words->list[i]);
    errand__mem_free(words->list);
    *words = (struct words){0};
}

/* --- Splitting ------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static const char *after_single(const char *at, char **put)
{
    for (; *at != '\0' && *at != '\''; at++)
        *(*put)++ = *at;
    return *at == '\0' ? NULL : at + 1;
}

static const char *after_double(const char *at, char **put)
{
    for (; *at != '\0' && *at != '"'; at++) {
        if (*at == '\\' && at[1] != '\0' && strchr("$`\"\\", at[1]) != NULL)
            at++;
        *(*put)++ = *at;
    }
    return *at == '\0' ? NULL : at + 1;
}

/* Reads one word at at, which is no blank, into word. NULL: *why says what is wrong. */
static const char *read_word(const char *at, char *word, const char **why)
{
    while (at != NULL && *at != '\0' && !is_blank(*at)) {
        switch (*at) {
        case '\'':
            *why = "a ' has no partner";
            at = after_single(at + 1, &word);
            break;
        case '"':
            *why = "a \" has no partner";
            at = after_double(at + 1, &word);
            break;
        case '\\':
            *why = "a \\ at the end quotes nothing";
            if (at[1] != '\0')
                *word++ = at[1];
            at = at[1] == '\0' ? NULL : at + 2;
            break;
        case '\n':
        case '\r':
            *why = "a line break outside of quotes";
            at = NULL;
            break;
        default:
            *word++ = *at++;
        }
    }
    *word = '\0';
    return at;
}

errand_status errand__words_split(struct words *words, const char *text, errand_error *err)
{
    size_t len = strlen(text);
    const char *why = NULL;

    if (len > WORDS_BYTES_MOST)
        return errand__fail(err, ERRAND_EINVAL, 0, "place: longer than %d bytes", WORDS_BYTES_MOST);
    AUTO_FREE char *word = errand__mem_new(len + 1, 1);
    if (word == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "place: no memory");
    for (const char *at = text;;) {
        while (is_blank(*at))
            at++;
        if (*at == '\0')
            return ERRAND_OK;
        at = read_word(at, word, &why);
        if (at == NULL)
            return errand__fail(err, ERRAND_EINVAL, 0, "place: %s", why);
        errand_status status = errand__words_add(words, word, err);
        if (status != ERRAND_OK)
            return status;
    }
}

errand_status errand__words_of_shell(struct words *words, const char *line, errand_error *err)
{
    static const char become[] = "exec ", shell[] = "exec /bin/sh ";
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-_. ";
    bool quoted = false;

    if (strncmp(line, shell, strlen(shell)) != 0 || strlen(line) > WORDS_BYTES_MOST)
        return ERRAND_OK;
    for (const char *at = line; *at != '\0'; at++) {
        if (*at == '\'')
            quoted = !quoted;
        else if (!quoted && strchr(plain, *at) == NULL)
            return ERRAND_OK;
    }
    return quoted ? ERRAND_OK : errand__words_split(words, line + strlen(become), err);
}

/* --- Joining --------------------------------------------------------------------------- */

static bool is_plain(const char *word)
{
    return *word != '\0' && strpbrk(word, " \t\r\n'\"\\") == NULL;
}

static errand_status push_quoted(struct buf *text, const char *word)
{
    errand_status status = errand__buf_push(text, SPAN_LITERAL("'"));

    for (; status == ERRAND_OK && *word != '\0'; word++)
        status = errand__buf_push(text, *word == '\'' ? SPAN_LITERAL("'\\''") : span_of(word, 1));
    return status == ERRAND_OK ? errand__buf_push(text, SPAN_LITERAL("'")) : status;
}

static errand_status push_word(struct buf *text, const char *word)
{
    return is_plain(word) ? errand__buf_push(text, span_text(word)) : push_quoted(text, word);
}

char *errand__words_text(const struct words *words, const char *prefix)
{
    struct buf text;

    /* Four bytes for each at the worst. */
    errand__buf_init(&text, (size_t)8 * WORDS_BYTES_MOST);
    errand_status status = errand__buf_push(&text, span_text(prefix));
    for (size_t i = 0; status == ERRAND_OK && i < words->count; i++) {
        if (i > 0)
            status = errand__buf_push(&text, SPAN_LITERAL(" "));
        if (status == ERRAND_OK)
            status = push_word(&text, words->list[i]);
    }
    errand_span all = errand__buf_peek(&text);
    char *copy = status == ERRAND_OK ? errand__mem_copy(all.ptr, all.len) : NULL;
    errand__buf_deinit(&text);
    return copy;
}
