/* number.h - numbers of JSON texts, whatever the locale says about decimal points. */
#ifndef ERRAND_NUMBER_H
#define ERRAND_NUMBER_H

#include "base/base.h"

enum { NUMBER_ROOM = 40 };

/* The shortest text that reads back as the same double, which is finite. Returns its length. */
size_t errand__number_write(char out[static NUMBER_ROOM], double value);
/* text: a number of a valid JSON text. ENOMEM alone can keep it from being read; what is too large
 * for a double is infinite, as in JavaScript. */
errand_status errand__number_read(errand_span text, double *out) ERRAND_CHECKED;
/* false: it has a fraction or an exponent, or does not fit. */
bool errand__number_whole(errand_span text, int64_t *out);

#endif
