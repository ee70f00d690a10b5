/* words.h - what the clients of containers say when they can't, and what it means. */
#ifndef ERRAND_CONTAINER_WORDS_H
#define ERRAND_CONTAINER_WORDS_H

#include "base/base.h"

/* kubectl says five times that a server does not answer, with its whole address. */
enum { CONTAINER_SAID_MOST = 8192 };

/* The first bytes that a client said. */
struct container_said {
    char text[CONTAINER_SAID_MOST + 1];
    size_t len;
    uint64_t total;
};

void errand__container_hear(struct container_said *said, errand_span bytes);
/* What a client meant that exited with this code: fills in err and returns the stable word for it,
 * such as "container_not_found"; NULL: it was not the client that failed. */
const char *errand__container_meaning(const struct container_said *said, int exit_code,
                                      const char *client, const char *name, errand_error *err);

/* Bytes of standard error without the lines in front and at the end that a client says around every
 * run, such as which container of a pod it took. */
errand_span errand__container_hush(const char *client, errand_span bytes);

#endif
