/* item.h - what there is to say about an output item (docs/protocol.md, section 9).
 *
 * The library has checked items, but for what stands inside of a content block. */
#ifndef ERRAND_ITEM_VIEW_H
#define ERRAND_ITEM_VIEW_H

#include "base/base.h"

/* Strings as they stand in the JSON, with quotes; empty where there is none. */
struct item_view {
    errand_span kind; /* "image", "file", or that of a block. */
    errand_span text; /* Of what is a text and no more. */
    errand_span mime, name, uri, data;
    uint64_t size; /* Of what data stands for. */
};

void item_look(errand_span json, struct item_view *out);
/* What data stands for; out has room for size bytes and two. false: it is no base64. */
bool item_decode(errand_span data, char *out);
/* A string of the JSON as text; to be freed. */
char *item_words(errand_span string, size_t *len);

#endif
