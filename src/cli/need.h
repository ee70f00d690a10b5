/* need.h - memory that a command can't go on without.
 *
 * Without it, the command says so and leaves. Nothing stays behind: runners notice the end of
 * their standard input, and the keeper ends the tools. */
#ifndef ERRAND_NEED_H
#define ERRAND_NEED_H

#include <stddef.h>

/* count items of size bytes, zeroed. */
void *need_new(size_t count, size_t size);
void *need_resize(void *block, size_t size);
/* A copy of len bytes, with a NUL behind it. */
char *need_copy(const void *bytes, size_t len);
__attribute__((noreturn)) void need_more(void);

#endif
