/* delay.h - a road of a given length: a process that forwards what comes to a port, each byte so
 * many milliseconds late. */
#ifndef SSH_TEST_DELAY_H
#define SSH_TEST_DELAY_H

#include <sys/types.h>

struct delay {
    pid_t pid;
    unsigned port; /* Where to connect. */
};

/* Forwards to that port of loopback, ms late each way. */
void delay_start(struct delay *delay, unsigned to_port, int ms);
/* From now on nothing comes through, and nobody is told. */
void delay_hold(const struct delay *delay);
void delay_end(struct delay *delay);

#endif
