/* words.h - a command as a list of words, and the text that one writes for it. */
#ifndef ERRAND_WORDS_H
#define ERRAND_WORDS_H

#include "base/base.h"

enum {
    WORDS_MOST = 1000,            /* More is no command that a person wrote. */
    WORDS_BYTES_MOST = 64 * 1024, /* Half of what Linux takes as one word. */
};

struct words {
    char **list; /* NULL-terminated; each word is its own block. */
    size_t count;
};

/* Adds text split at blanks; '…', "…" and \ quote as in sh, and nothing is substituted. EINVAL
 * says what does not parse. On failure words may hold some of them. */
errand_status errand__words_split(struct words *words, const char *text,
                                  errand_error *err) ERRAND_CHECKED;
/* Adds the words of a shell that a line becomes: of one that is nothing but "exec /bin/sh WORD…",
 * each word '…' or of characters that no shell has a meaning for. Of any other line, none. */
errand_status errand__words_of_shell(struct words *words, const char *line,
                                     errand_error *err) ERRAND_CHECKED;
/* Adds one word, copied. EINVAL: too many, or too long. */
errand_status errand__words_add(struct words *words, const char *word,
                                errand_error *err) ERRAND_CHECKED;
/* prefix and the words, quoted where split would need it; the caller's to free. */
char *errand__words_text(const struct words *words, const char *prefix);
void errand__words_deinit(struct words *words);

#endif
