/* mem.h - the only door to the heap, so that tests can make the n-th allocation fail. */
#ifndef ERRAND_MEM_H
#define ERRAND_MEM_H

#include <stddef.h>

/* count items of size bytes, zeroed; NULL when there is no memory. */
void *errand__mem_new(size_t count, size_t size);
/* As realloc; what is new is not zeroed. NULL: the old block is untouched. */
void *errand__mem_resize(void *block, size_t size);
/* A copy of len bytes, with a NUL behind it. */
char *errand__mem_copy(const void *bytes, size_t len);
void errand__mem_free(void *block);

/* How many allocations still succeed; negative: all. For tests. */
extern long errand__mem_countdown;

#endif
