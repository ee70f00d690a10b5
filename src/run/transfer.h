/* transfer.h - one file on its way between here and a place. */
#ifndef ERRAND_TRANSFER_H
#define ERRAND_TRANSFER_H

#include "run/place.h"

struct transfer;

/* The place goes on closing once this is 0. With the lock held. */
void errand__transfers_cancel(errand_place *place, int64_t now_us);
/* The road has opened, or failed. */
void errand__transfers_wake(const errand_place *place);
/* Frees those that have been told of. */
void errand__transfers_reap(errand_place *place);
/* Frees all; what was not done is taken back here, and left to itself over there. */
void errand__transfers_free(errand_place *place);

#endif
