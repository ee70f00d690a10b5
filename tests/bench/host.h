/* host.h - a loop and a place, and runs on it whose calls are echoed: what is measured. */
#ifndef BENCH_HOST_H
#define BENCH_HOST_H

#include "base/base.h"

struct host {
    errand_loop *loop;
    errand_place *place;
};

/* What one run took, in milliseconds since its start. */
struct lap {
    double first_call, last_call, first_word, end;
    size_t calls;
};

void host_open(struct host *host, const char *address, const char *node, errand_delivery delivery);
void host_close(struct host *host);
errand_run *host_launch(struct host *host, const char *program, errand_language language);
/* Runs one program to its end; gives up unless it returned a value. */
struct lap host_lap(struct host *host, const char *program, errand_language language);

#endif
