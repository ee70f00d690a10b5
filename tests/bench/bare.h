/* bare.h - libssh2 alone, blocking: the least that bytes of a host cost. */
#ifndef BENCH_BARE_H
#define BENCH_BARE_H

#include "sshd.h"

/* Milliseconds from the command to its last byte. */
double bare_read(const struct sshd *sshd, unsigned port, const char *command, size_t bytes);
/* As many words to cat and back, one after another. */
double bare_echo(const struct sshd *sshd, unsigned port, unsigned words);

#endif
