/* logs.h - the logs that an outcome carries, in one block of text and an index. */
#ifndef ERRAND_LOGS_H
#define ERRAND_LOGS_H

#include "base/buf.h"

/* A ledger's worth of empty lines would be 22 million entries, an index of ten times the text:
 * beyond this many, entries are counted and no longer collected. */
enum { LOGS_MAX = 256 * 1024 };

struct logs {
    struct buf text;
    errand_log *items; /* text.ptr is an offset until errand__logs_settle(). */
    size_t count, room;
    size_t head_last; /* How much of the last entry of the head stays. */
};

void errand__logs_init(struct logs *logs, uint64_t max);
void errand__logs_deinit(struct logs *logs);
/* level: static. in_head: whether the head that an output-limit keeps has this entry, and headed
 * how many bytes of it. ELIMIT: enough were collected. */
errand_status errand__logs_add(struct logs *logs, const char *level, errand_span text, bool in_head,
                               size_t headed) ERRAND_CHECKED;
/* Nothing is added any more: makes the entries readable. With cut only the first head of them
 * stay, the last of these cut. */
void errand__logs_settle(struct logs *logs, bool cut, uint64_t head);

#endif
