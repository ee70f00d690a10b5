/* signals.h - signals as something to poll. */
#ifndef ERRAND_SIGNALS_H
#define ERRAND_SIGNALS_H

#include "base/base.h"

#include <signal.h>

/* A write that nobody can take returns an error instead of ending the command. */
void signals_ignore_writes(void);
/* INT, TERM and HUP, where they are not ignored already, come out of *fd from now on. before:
 * the mask that children get back. */
errand_status signals_open(int *fd, sigset_t *before, errand_error *err) ERRAND_CHECKED;
/* The next signal's number; 0: none. */
int signals_next(int fd);
/* "SIGINT"; NULL for others than those of signals_open(). */
const char *signals_name(int number);
/* In a child, before exec: everything as a program expects it. */
void signals_reset(const sigset_t *mask);

#endif
