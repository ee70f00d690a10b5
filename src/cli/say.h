/* say.h - one line on standard error before and after a run, when no status line is there. */
#ifndef ERRAND_SAY_H
#define ERRAND_SAY_H

/* "errand: ...", cut and flattened to one line; returns code, for "return say(...)". */
int say(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
