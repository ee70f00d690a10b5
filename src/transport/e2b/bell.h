/* bell.h - a descriptor that becomes readable when somebody has news for its owner. */
#ifndef ERRAND_E2B_BELL_H
#define ERRAND_E2B_BELL_H

#include "base/base.h"

struct e2b_bell {
    int fd;
    bool rung;
};

/* false: no descriptor. */
bool errand__e2b_bell_init(struct e2b_bell *bell);
void errand__e2b_bell_deinit(struct e2b_bell *bell);
/* NULL is fine: nobody waits. */
void errand__e2b_bell_ring(struct e2b_bell *bell);
void errand__e2b_bell_calm(struct e2b_bell *bell);

#endif
