/* name_set.h - names found by their hash, so that thousands stay quick. */
#ifndef ERRAND_NAME_SET_H
#define ERRAND_NAME_SET_H

#include "base/base.h"

/* Borrows the names. */
struct name_set {
    errand_span *slots;
    size_t room;
};

/* most: no more names will be put. */
errand_status errand__name_set_init(struct name_set *set, size_t most) ERRAND_CHECKED;
void errand__name_set_deinit(struct name_set *set);
/* false: it is in there already. */
bool errand__name_set_put(struct name_set *set, errand_span name);
bool errand__name_set_has(const struct name_set *set, errand_span name);

#endif
