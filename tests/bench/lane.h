/* lane.h - a road of a given width: a process that forwards what comes to a port, no faster than so
 * many bits a second each way. */
#ifndef BENCH_LANE_H
#define BENCH_LANE_H

#include <stdint.h>
#include <sys/types.h>

struct lane {
    pid_t pid;
    unsigned port; /* Where to connect. */
};

/* Forwards to that port of loopback. */
void lane_start(struct lane *lane, unsigned to_port, uint64_t bits_a_second);
void lane_end(struct lane *lane);

#endif
