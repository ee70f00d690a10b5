/* json.h - messages of the process service as JSON, for servers that have no other. */
#ifndef ERRAND_E2B_JSON_H
#define ERRAND_E2B_JSON_H

#include "base/buf.h"
#include "transport/e2b/event.h"
#include "transport/e2b/message.h"

#include <jansson.h>

/* As those of proto.h. */
errand_status errand__e2b_json_start(struct buf *out, const struct e2b_start *start) ERRAND_CHECKED;
errand_status errand__e2b_json_select(struct buf *out, uint32_t pid) ERRAND_CHECKED;
errand_status errand__e2b_json_input(struct buf *out, uint32_t pid,
                                     errand_span bytes) ERRAND_CHECKED;
errand_status errand__e2b_json_signal(struct buf *out, uint32_t pid, int number) ERRAND_CHECKED;
/* *root is what the event borrows from, to be released by json_decref(). */
bool errand__e2b_json_event(struct e2b_event *out, json_t **root, errand_span bytes);
uint32_t errand__e2b_json_find(errand_span list, errand_span mark);

/* Whether messages can carry that text: only UTF-8 can be. */
bool errand__e2b_json_carries(const char *text);
/* Appends the text of a value, which is released. */
errand_status errand__e2b_json_put(struct buf *out, json_t *taken) ERRAND_CHECKED;
/* A string of an object, or NULL. */
const char *errand__e2b_json_text(const json_t *object, const char *name);

#endif
