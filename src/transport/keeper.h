/* keeper.h - starts a container, holds it as long as this process lives, and has it removed.
 *
 * The client that started it stays attached; the container's first process ends with its standard
 * input. So it goes with whoever holds the other end, however that one ends. */
#ifndef ERRAND_KEEPER_H
#define ERRAND_KEEPER_H

#include "transport/container/container.h"

/* What the container's first process is: words for /bin/sh. It reaps orphans meanwhile. */
extern const char errand__keeper_script[];

struct keeper;

/* container is borrowed for the keeper's life. */
errand_status errand__keeper_new(struct keeper **out, const struct container *container,
                                 errand_error *err) ERRAND_CHECKED;
/* OK: it runs; AGAIN; negative: for good. */
errand_status errand__keeper_open(struct keeper *keeper, int64_t now_us, errand_error *err);
const char *errand__keeper_code(const struct keeper *keeper);
/* Looks after it while it runs. */
void errand__keeper_tend(struct keeper *keeper, int64_t now_us);
/* OK: nothing is left; AGAIN; negative: nobody could show it. */
errand_status errand__keeper_close(struct keeper *keeper, int64_t now_us, errand_error *err);
struct pollfd;
size_t errand__keeper_wants(struct keeper *keeper, struct pollfd *fds, size_t fds_max,
                            int64_t *due_us);
void errand__keeper_free(struct keeper *keeper);

#endif
