/* balance.h - what this process holds: after a test as much as before it. */
#ifndef ERRAND_BALANCE_H
#define ERRAND_BALANCE_H

#include <stddef.h>

struct balance {
    size_t descriptors;
    size_t children; /* Zombies too. */
};

/* Open ones of this process. */
size_t balance_descriptors(void);
struct balance balance_now(void);
void assert_balance(const struct balance *before);

#endif
