/* headers.h - the lines in front of a request; some hold a secret, and all are wiped. */
#ifndef ERRAND_E2B_HEADERS_H
#define ERRAND_E2B_HEADERS_H

#include "base/base.h"

enum { E2B_HEADERS_MOST = 12, E2B_HEADERS_ROOM = 6144 };

struct e2b_headers {
    const char *list[E2B_HEADERS_MOST + 1]; /* NULL-terminated. */
    size_t count, used;
    bool too_long; /* Something did not fit. */
    char room[E2B_HEADERS_ROOM];
};

/* With what every request has. */
void errand__e2b_headers_init(struct e2b_headers *headers);
void errand__e2b_headers_wipe(struct e2b_headers *headers);
/* value NULL: left out. */
void errand__e2b_headers_add(struct e2b_headers *headers, const char *name, const char *value);

#endif
