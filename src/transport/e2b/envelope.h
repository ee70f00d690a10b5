/* envelope.h - the pieces that a stream of Connect's protocol is cut into. */
#ifndef ERRAND_E2B_ENVELOPE_H
#define ERRAND_E2B_ENVELOPE_H

#include "base/base.h"

enum {
    E2B_ENVELOPE_HEAD = 5,
    E2B_ENVELOPE_COMPRESSED = 1,
    E2B_ENVELOPE_TRAILER = 2,
    /* An event holds 32 KiB at most, or a third more as JSON; a trailer is a few words. */
    E2B_ENVELOPE_MOST = 1024 * 1024 - E2B_ENVELOPE_HEAD
};

struct e2b_envelope {
    unsigned flags;
    errand_span payload;
    size_t len; /* With its head. */
};

/* OK and the first one; AGAIN: not all of it is there; EIO: that is none, whatever follows. */
errand_status errand__e2b_envelope_read(struct e2b_envelope *out, errand_span bytes) ERRAND_CHECKED;
void errand__e2b_envelope_head(char head[static E2B_ENVELOPE_HEAD], unsigned flags, size_t len);

#endif
