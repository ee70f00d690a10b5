/* merge.h - what was stored and what a program wrote, as one JSON object. */
#ifndef ERRAND_MERGE_H
#define ERRAND_MERGE_H

#include "base/buf.h"

/* Old members but those that were deleted or set, and then those that were set. old: an object, or
 * empty; writes: {"set":{…},"delete":[…]}. */
void merge_members(errand_span old, errand_span writes, struct buf *out);

#endif
