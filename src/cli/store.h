/* store.h - the file of --store: what programs keep from one run to the next.
 *
 * Held against a second run from the first look at it to the last. What is written is written
 * beside and renamed, so that it holds the old or the new and nothing else, whatever happens. */
#ifndef ERRAND_STORE_H
#define ERRAND_STORE_H

#include "cli/lock.h"

#include <sys/types.h>

enum { STORE_BYTES_MAX = 64 * 1024 * 1024 };

struct store {
    const char *path; /* As given; NULL: none. */
    char *text;       /* JSON text of an object; NULL: nothing is stored. */
    size_t len;
    char real[PATH_MAX]; /* Behind symbolic links. */
    struct lock lock;
    mode_t mode;
    uid_t owner; /* Of the file that was there; and so is the group. */
    gid_t group;
    bool owned;       /* There was one. */
    errand_error why; /* Why it could not be written. */
};

/* EINVAL: it can't be read, holds something else, or another run has it. */
errand_status store_open(struct store *store, const char *path, errand_error *err) ERRAND_CHECKED;
/* writes: {"set":{…},"delete":[…]}, or empty. false: why says why; what was there is still there.
 */
bool store_write(struct store *store, errand_span writes);
void store_close(struct store *store);

#endif
