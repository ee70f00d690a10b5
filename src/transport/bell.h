/* bell.h - a descriptor that becomes readable when somebody has news for its owner. */
#ifndef ERRAND_BELL_H
#define ERRAND_BELL_H

#include "base/base.h"

struct bell {
    int fd;
    bool rung;
};

/* false: no descriptor. */
bool errand__bell_init(struct bell *bell);
void errand__bell_deinit(struct bell *bell);
/* NULL is fine: nobody waits. */
void errand__bell_ring(struct bell *bell);
void errand__bell_calm(struct bell *bell);

#endif
