/* registry.c - an id is the place of an entry, and how many had that place before. */
#include "run/registry.h"

#include "base/mem.h"

struct registry_entry {
    struct source *source; /* NULL: vacant. */
    uint32_t generation;
    size_t next_vacant;
};

void errand__registry_deinit(struct registry *registry)
{
    errand__mem_free(registry->entries);
    *registry = (struct registry){0};
}

static errand_status grow(struct registry *registry)
{
    size_t room = registry->room == 0 ? 16 : registry->room * 2;
    struct registry_entry *entries = errand__mem_resize(registry->entries, room * sizeof(*entries));

    if (entries == NULL)
        return ERRAND_ENOMEM;
    registry->entries = entries;
    registry->room = room;
    return ERRAND_OK;
}

errand_status errand__registry_add(struct registry *registry, struct source *source, uint64_t *id)
{
    size_t at = registry->vacant;

    if (at == 0) {
        if (registry->count == registry->room && grow(registry) != ERRAND_OK)
            return ERRAND_ENOMEM;
        at = ++registry->count;
        registry->entries[at - 1] = (struct registry_entry){0};
    }
    struct registry_entry *entry = &registry->entries[at - 1];
    registry->vacant = entry->next_vacant;
    entry->next_vacant = 0;
    entry->source = source;
    *id = (uint64_t)entry->generation << 32 | at;
    return ERRAND_OK;
}

static struct registry_entry *find(const struct registry *registry, uint64_t id)
{
    size_t at = (size_t)(id & UINT32_MAX);

    if (at == 0 || at > registry->count)
        return NULL;
    struct registry_entry *entry = &registry->entries[at - 1];
    return entry->source != NULL && entry->generation == id >> 32 ? entry : NULL;
}

void errand__registry_remove(struct registry *registry, uint64_t id)
{
    struct registry_entry *entry = find(registry, id);

    assert(entry != NULL);
    entry->source = NULL;
    entry->generation++;
    entry->next_vacant = registry->vacant;
    registry->vacant = (size_t)(id & UINT32_MAX);
}

struct source *errand__registry_find(const struct registry *registry, uint64_t id)
{
    const struct registry_entry *entry = find(registry, id);
    return entry == NULL ? NULL : entry->source;
}
