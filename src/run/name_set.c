/* name_set.c - open addressing; an empty slot has no pointer. */
#include "run/name_set.h"

#include "base/mem.h"

static size_t hash_of(errand_span name)
{
    size_t hash = 1469598103u;

    for (size_t i = 0; i < name.len; i++)
        hash = (hash ^ (unsigned char)name.ptr[i]) * 1099511628211u;
    return hash;
}

errand_status errand__name_set_init(struct name_set *set, size_t most)
{
    set->room = most * 2 + 1;
    set->slots = errand__mem_new(set->room, sizeof(*set->slots));
    return set->slots == NULL ? ERRAND_ENOMEM : ERRAND_OK;
}

void errand__name_set_deinit(struct name_set *set)
{
    errand__mem_free(set->slots);
    *set = (struct name_set){0};
}

/* Where the name is, or would be. */
static errand_span *slot_of(const struct name_set *set, errand_span name)
{
    size_t at = hash_of(name) % set->room;

    while (set->slots[at].ptr != NULL &&
           (set->slots[at].len != name.len || memcmp(set->slots[at].ptr, name.ptr, name.len) != 0))
        at = (at + 1) % set->room;
    return &set->slots[at];
}

bool errand__name_set_put(struct name_set *set, errand_span name)
{
    errand_span *slot = slot_of(set, name);

    if (slot->ptr != NULL)
        return false;
    *slot = name;
    return true;
}

bool errand__name_set_has(const struct name_set *set, errand_span name)
{
    return slot_of(set, name)->ptr != NULL;
}
