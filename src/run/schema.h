/* schema.h - what a JSON Schema says of a value, as a type of TypeScript. */
#ifndef ERRAND_SCHEMA_H
#define ERRAND_SCHEMA_H

#include "base/buf.h"

/* schema: a JSON text; NULL: there is none. Where it says nothing, or more than a type could, it
 * is "unknown": what refers to itself or to other documents, over 32 references, and a type of over
 * 16,000 characters or over 100 levels. indent: of the line on which the type stands. The same
 * schema gives the same bytes, whatever the order of its members. */
errand_status errand__schema_type(struct buf *out, const char *schema,
                                  size_t indent) ERRAND_CHECKED;
/* Whether it describes an array and nothing else. */
bool errand__schema_is_list(const char *schema);

#endif
