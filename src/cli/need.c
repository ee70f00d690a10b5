/* need.c - memory, or the end of the command. */
#include "cli/need.h"
#include "base/mem.h"
#include "cli/ending.h"
#include "cli/say.h"

#include <unistd.h>

void need_more(void)
{
    (void)say(EXIT_PLACE, "out of memory");
    _exit(EXIT_PLACE);
}

void *need_new(size_t count, size_t size)
{
    void *block = errand__mem_new(count, size);
    if (block == NULL)
        need_more();
    return block;
}

void *need_resize(void *block, size_t size)
{
    void *moved = errand__mem_resize(block, size);
    if (moved == NULL)
        need_more();
    return moved;
}

char *need_copy(const void *bytes, size_t len)
{
    char *copy = errand__mem_copy(bytes, len);
    if (copy == NULL)
        need_more();
    return copy;
}
