/* json_path.h - where in a JSON text something stands, as a person would say it.
 *
 * For complaints: walks the text from its start.
 */
#ifndef ERRAND_JSON_PATH_H
#define ERRAND_JSON_PATH_H

#include "base/base.h"

enum { JSON_PATH_ROOM = 160 };

/* Writes the path of what stands at offset of a valid text, such as $.a[0]["b c"]. Of a long one
 * the head, and "...". */
void errand__json_path(char out[static JSON_PATH_ROOM], errand_span text, size_t offset);

/* EINVAL: says which integer at offset is too large for a double, and what to do. area: what the
 * text is. */
errand_status errand__json_lossy(errand_error *err, const char *area, errand_span text,
                                 size_t offset);

#endif
