/* bell.c - an eventfd that is written once, however much there is to tell. */
#include "transport/e2b/bell.h"

#include <sys/eventfd.h>
#include <unistd.h>

bool errand__e2b_bell_init(struct e2b_bell *bell)
{
    *bell = (struct e2b_bell){.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    return bell->fd >= 0;
}

void errand__e2b_bell_deinit(struct e2b_bell *bell)
{
    errand__auto_close(&bell->fd);
}

void errand__e2b_bell_ring(struct e2b_bell *bell)
{
    uint64_t one = 1;

    if (bell == NULL || bell->rung)
        return;
    bell->rung = true;
    (void)!write(bell->fd, &one, sizeof(one));
}

void errand__e2b_bell_calm(struct e2b_bell *bell)
{
    uint64_t count = 0;

    if (!bell->rung)
        return;
    bell->rung = false;
    (void)!read(bell->fd, &count, sizeof(count));
}
