/* tags.h - what a tagged object has beside its tag, by the table of the protocol's section 10.
 *
 * Knows the names; knows no texts.
 */
#ifndef ERRAND_TAGS_H
#define ERRAND_TAGS_H

#include "base/base.h"

#include <errand/value.h>

enum { TAG_MEMBERS_MAX = 4 };

enum tag_member {
    TAG_NONE,
    TAG_TEXT,
    TAG_OPTIONAL_TEXT,
    TAG_NUMBER,
    TAG_NUMBER_OR_NULL,
    TAG_ARRAY, /* And nothing behind it. */
    TAG_OBJECT /* The same. */
};

struct tag {
    const char *name;
    errand_value_kind kind; /* ERRAND_VALUE_NUMBER: an odd one; OBJECT: as it is, itself. */
    struct {
        const char *name;
        enum tag_member what;
    } members[TAG_MEMBERS_MAX];
};

/* string: a JSON string, with quotes. NULL: there is no such tag. */
const struct tag *errand__tag_find(errand_span string);

#endif
