/* watch.h - a road around another road that watches both sides keep to transport.h.
 *
 * Tells a listener what passes, in order, and remembers the first breach. It can also cut what
 * passes into crumbs, which must change nothing. */
#ifndef ERRAND_TEST_WATCH_H
#define ERRAND_TEST_WATCH_H

#include <errand/transport.h>

#include "base/base.h"

/* What passed: "opened", "eof", "exited 0", "killed 9", "closed", "lost", "boot", "stop 1000",
 * "ping 3", "TERM", "KILL", "CLOSE". process counts launches from 1. */
typedef void (*watch_fn)(void *ctx, int64_t at_us, unsigned process, const char *what);

struct watch {
    watch_fn tell; /* May be NULL. */
    void *ctx;
    errand_loop *loop; /* Whose time it is. */
    bool crumbs;       /* Output a byte at a time, and input too. */
    char fault[160];   /* The first breach, or empty. */
    unsigned launched, alive;
    uint64_t out_bytes, in_bytes;
};

/* inner is taken. NULL: no memory, and inner is freed. */
errand_road *watch_road_new(errand_road *inner, struct watch *watch);

#endif
