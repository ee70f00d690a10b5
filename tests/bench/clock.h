/* clock.h - instants, medians, and a child behind two pipes: what every bench needs. */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include "base/base.h"

#include <sys/types.h>

double now_ms(void);
/* Processor time of this process, user and system. */
double cpu_ms(void);
/* Highest resident memory of this process. */
double peak_mib(void);
/* Sorts them, the least first. */
double median(double *values, size_t count);
/* Ends the program with a line. */
void give_up(const char *what) __attribute__((noreturn));

struct child {
    pid_t pid;
    int in, out; /* Its stdin and stdout, as seen from here. */
};

struct child child_start(const char *node, const char *script);
void child_end(struct child *child);
void write_all(int fd, errand_span bytes);
/* Reads exactly len bytes. */
void read_all(int fd, char *bytes, size_t len);

#endif
