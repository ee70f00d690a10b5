/* bytes.h - the types that bytes have for a program. */
#ifndef ERRAND_BYTES_H
#define ERRAND_BYTES_H

#include "base/base.h"

#include <errand/value.h>

/* false: there is no type of that name. */
bool errand__bytes_type_of(errand_span name, errand_bytes_type *type);
/* How many bytes an element takes; 0: there is no such type. */
size_t errand__bytes_width(errand_bytes_type type);

#endif
