/* brand.h - a number that all processes of a run inherit over there, whatever becomes of those
 * that started them: a soft limit on file locks, which kernels ignore. The runner finds by it who
 * has left group, session and ancestors (runner-js/src/brand.js). */
#ifndef ERRAND_BRAND_H
#define ERRAND_BRAND_H

#include "base/base.h"

enum { BRAND_TEXT = 24 };

/* In decimal digits, from the mark of a run; "" where mark is NULL or too short. */
void errand__brand_of(char text[static BRAND_TEXT], const char *mark);
/* line, for /bin/sh, that takes the brand first, where the shell and the system know such a limit.
 * mark NULL: line as it is. The caller's to free; NULL: no memory. */
char *errand__brand_line(const char *mark, const char *line);

#endif
