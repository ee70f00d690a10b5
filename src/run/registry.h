/* registry.h - numbers for what may go away while others still speak of it. */
#ifndef ERRAND_REGISTRY_H
#define ERRAND_REGISTRY_H

#include "base/base.h"

struct source;

struct registry {
    struct registry_entry *entries;
    size_t count, room;
    size_t vacant; /* The first entry without a source, plus 1; 0: there is none. */
};

void errand__registry_deinit(struct registry *registry);
/* id: never 0, and not given again before some four thousand million others. */
errand_status errand__registry_add(struct registry *registry, struct source *source,
                                   uint64_t *id) ERRAND_CHECKED;
void errand__registry_remove(struct registry *registry, uint64_t id);
/* NULL: it was removed. */
struct source *errand__registry_find(const struct registry *registry, uint64_t id);

#endif
