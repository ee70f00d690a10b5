/* auto.c - what the cleanup attributes of base.h call. */
#include "base/base.h"
#include "base/mem.h"

#include <unistd.h>

void errand__auto_free(void *pointer_to_pointer)
{
    void **pointer = pointer_to_pointer;
    errand__mem_free(*pointer);
    *pointer = NULL;
}

void errand__auto_close(const int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
}
