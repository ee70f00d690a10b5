/* merge.c - members are carried over as bytes: a number that this machine can't hold stays what
 * it is. */
#include "cli/merge.h"
#include "base/mem.h"
#include "cli/item.h"
#include "cli/need.h"
#include "cli/text.h"
#include "core/json.h"

#include <stdlib.h>

/* The keys that are no longer what they were, sorted. */
struct keys {
    struct key {
        char *text;
        size_t len;
    } * list;
    size_t count, room;
};

static void add_key(struct keys *keys, errand_span string)
{
    if (keys->count == keys->room) {
        keys->room = keys->room == 0 ? 64 : keys->room * 2;
        keys->list = need_resize(keys->list, keys->room * sizeof(*keys->list));
    }
    struct key *key = &keys->list[keys->count++];
    key->text = item_words(string, &key->len);
}

static int compare_keys(const void *a, const void *b)
{
    const struct key *one = a;
    const struct key *other = b;

    if (one->len != other->len)
        return one->len < other->len ? -1 : 1;
    return memcmp(one->text, other->text, one->len);
}

static void free_keys(struct keys *keys)
{
    for (size_t i = 0; i < keys->count; i++)
        errand__mem_free(keys->list[i].text);
    errand__mem_free(keys->list);
}

static bool has_key(const struct keys *keys, errand_span string)
{
    struct key key = {0};

    key.text = item_words(string, &key.len);
    bool has = keys->count > 0 &&
               bsearch(&key, keys->list, keys->count, sizeof(key), compare_keys) != NULL;
    errand__mem_free(key.text);
    return has;
}

static void add_member(struct buf *out, errand_span key, errand_span value, bool *any)
{
    text_words(out, *any ? ",\n  " : "\n  ");
    text_add(out, key);
    text_words(out, ": ");
    text_add(out, value);
    *any = true;
}

static void find_parts(errand_span writes, errand_span *set, errand_span *gone)
{
    struct json_members members;
    errand_span key;
    errand_span value;

    errand__json_members_init(&members, writes);
    while (errand__json_members_next(&members, &key, &value)) {
        if (errand__json_string_is(key, "set"))
            *set = value;
        else
            *gone = value;
    }
}

void merge_members(errand_span old, errand_span writes, struct buf *out)
{
    struct keys keys = {0};
    struct json_members members;
    errand_span set = SPAN_EMPTY;
    errand_span gone = SPAN_EMPTY;
    errand_span key;
    errand_span value;
    bool any = false;

    find_parts(writes, &set, &gone);
    errand__json_members_init(&members, set);
    while (errand__json_members_next(&members, &key, &value))
        add_key(&keys, key);
    errand__json_elements_init(&members, gone);
    while (errand__json_elements_next(&members, &key))
        add_key(&keys, key);
    if (keys.count > 0)
        qsort(keys.list, keys.count, sizeof(*keys.list), compare_keys);
    text_words(out, "{");
    if (old.len > 0) {
        errand__json_members_init(&members, old);
        while (errand__json_members_next(&members, &key, &value)) {
            if (!has_key(&keys, key))
                add_member(out, key, value, &any);
        }
    }
    errand__json_members_init(&members, set);
    while (errand__json_members_next(&members, &key, &value))
        add_member(out, key, value, &any);
    text_words(out, any ? "\n}\n" : "}\n");
    free_keys(&keys);
}
