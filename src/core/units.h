/* units.h - UTF-16 units, in which a program counts and sorts its strings. */
#ifndef ERRAND_UNITS_H
#define ERRAND_UNITS_H

#include "base/base.h"

/* text: well-formed UTF-8. */
uint64_t errand__units_of(errand_span text);

/* The next two take valid JSON strings with their quotes, and mean what those stand for. */
uint64_t errand__units_of_string(errand_span string);
/* Below, at or above 0, as a program's own comparison says; 0: the same, however escaped. */
int errand__units_compare(errand_span a, errand_span b);

#endif
