/* mem.c - four functions and the countdown that tests turn.
 *
 * The countdown is one global in a library, which is ugly, and the cheapest honest seam: a
 * sweep over whole runs needs nothing more. Loops on several threads make it a relaxed
 * atomic. */
#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

long errand__mem_countdown = -1;

static bool may_succeed(void)
{
    long left = __atomic_load_n(&errand__mem_countdown, __ATOMIC_RELAXED);

    if (left < 0)
        return true;
    if (left == 0)
        return false;
    __atomic_store_n(&errand__mem_countdown, left - 1, __ATOMIC_RELAXED);
    return true;
}

void *errand__mem_new(size_t count, size_t size)
{
    return may_succeed() ? calloc(count, size) : NULL;
}

void *errand__mem_resize(void *block, size_t size)
{
    return may_succeed() ? realloc(block, size == 0 ? 1 : size) : NULL;
}

char *errand__mem_copy(const void *bytes, size_t len)
{
    if (len == SIZE_MAX || !may_succeed())
        return NULL;
    char *copy = malloc(len + 1);
    if (copy == NULL)
        return NULL;
    if (len > 0)
        memcpy(copy, bytes, len);
    copy[len] = '\0';
    return copy;
}

void errand__mem_free(void *block)
{
    free(block);
}
