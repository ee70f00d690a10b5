/* box.h - the host of the benches: an sshd on loopback, and ways to it by configurations of the
 * ssh client. */
#ifndef BENCH_BOX_H
#define BENCH_BOX_H

#include "host.h"
#include "sshd.h"

struct box {
    struct sshd sshd;
    char *node;
};

void box_start(struct box *box);
void box_end(struct box *box);
/* A client's configuration for the host "box" at that port, known by a name that fits every port.
 */
void box_configure(struct box *box, const char *name, unsigned port);
/* A place on it. */
void box_open(const struct box *box, struct host *host, const char *config);

#endif
