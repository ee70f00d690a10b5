/* say.h - one line on standard error before and after a run, when no status line is there. */
#ifndef ERRAND_SAY_H
#define ERRAND_SAY_H

#include <errand/errand.h>

/* "errand: ...", cut and flattened to one line; returns code, for "return say(...)". */
int say(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The exit code for a call of the library that could not do its job. */
int exit_code_of_status(errand_status status);

#endif
