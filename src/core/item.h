/* item.h - output items (docs/protocol.md, section 9): is it one, and those that an outcome
 * carries.
 *
 * Looks no further into an item than its own members. */
#ifndef ERRAND_ITEM_H
#define ERRAND_ITEM_H

#include "base/buf.h"

/* As of logs: beyond this many, items are counted and no longer collected. */
enum { ITEMS_MAX = 256 * 1024 };

/* json: a valid JSON text. Its type as a static text; or NULL, and *why says what is wrong. */
const char *errand__item_type(errand_span json, const char **why);

struct items {
    struct buf text;
    errand_item *list; /* json.ptr is an offset until errand__items_settle(). */
    size_t count, room;
};

void errand__items_init(struct items *items, uint64_t max);
void errand__items_deinit(struct items *items);
/* ELIMIT: enough were collected. */
errand_status errand__items_add(struct items *items, const errand_item *item) ERRAND_CHECKED;
/* Nothing is added any more: makes them readable. With cut only the first head of them stay. */
void errand__items_settle(struct items *items, bool cut, uint64_t head);

#endif
