/* container.h - the road into a container, by the client of whoever runs it. */
#ifndef ERRAND_CONTAINER_H
#define ERRAND_CONTAINER_H

#include <errand/transport.h>

#include "base/base.h"
#include "transport/words.h"

struct container {
    const char *client; /* "docker", "podman", "kubectl". Borrowed for ever. */
    char *name;         /* As the client knows it, and as messages call it. */
    struct words exec;  /* What runs a command in it, without the command. */
    struct words start; /* Starts it and holds it, see keeper.h; empty: it runs already. */
    struct words clear; /* Removes it by force; empty as start is. */
};

void errand__container_deinit(struct container *container);
/* container is taken, also on failure. */
errand_status errand__container_road_new(errand_road **out, struct container *container,
                                         errand_error *err) ERRAND_CHECKED;

#endif
