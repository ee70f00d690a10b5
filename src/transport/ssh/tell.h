/* tell.h - how a process on a host tells its number: one line on its stderr, before anything
 * of the program runs. The line is taken out of the stream.
 *
 * The line bears a random word, so that what a startup file prints is not taken for it. */
#ifndef ERRAND_SSH_TELL_H
#define ERRAND_SSH_TELL_H

#include "base/base.h"

enum { SSH_TELL_WORD = 24, SSH_TELL_HELD = 64 };

struct ssh_tell {
    char word[SSH_TELL_WORD + 1];
    int64_t pid;              /* 0: not told yet. */
    char held[SSH_TELL_HELD]; /* May be the head of the line. */
    size_t held_len;
};

/* The command that tells and then becomes line; the caller's to free. NULL: no memory or no
 * random bytes. */
char *errand__ssh_tell_wrap(struct ssh_tell *tell, const char *line);
/* Takes the line out of bytes, where it is. What is left is in room, which has SSH_TELL_HELD more
 * than len; returns how much. */
size_t errand__ssh_tell_filter(struct ssh_tell *tell, char *room, size_t len);
/* What was held back and never became the line. */
errand_span errand__ssh_tell_rest(struct ssh_tell *tell);

#endif
