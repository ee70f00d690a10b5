/* bell.c - an eventfd that is written once, however much there is to tell. */
#include "transport/bell.h"

#include <sys/eventfd.h>
#include <unistd.h>

bool errand__bell_init(struct bell *bell)
{
    *bell = (struct bell){.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    return bell->fd >= 0;
}

void errand__bell_deinit(struct bell *bell)
{
    errand__auto_close(&bell->fd);
}

void errand__bell_ring(struct bell *bell)
{
    uint64_t one = 1;

    if (bell == NULL || bell->rung)
        return;
    bell->rung = true;
    (void)!write(bell->fd, &one, sizeof(one));
}

void errand__bell_calm(struct bell *bell)
{
    uint64_t count = 0;

    if (!bell->rung)
        return;
    bell->rung = false;
    (void)!read(bell->fd, &count, sizeof(count));
}
