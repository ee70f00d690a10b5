/* keeper.h - a small process that outlives a killed command just long enough to end its tools. */
#ifndef ERRAND_KEEPER_H
#define ERRAND_KEEPER_H

#include "base/base.h"

#include <sys/types.h>

struct keeper {
    pid_t pid;
    int fd; /* What it listens to; -1: there is none. */
};

/* To be called before there are descriptors that nobody else may hold. */
errand_status keeper_start(struct keeper *keeper, errand_error *err) ERRAND_CHECKED;
/* A process group to end when the command goes. Async-signal-safe. */
void keeper_add(const struct keeper *keeper, pid_t group);
/* Before the group's leader is reaped: its number may be another's afterwards. */
void keeper_remove(const struct keeper *keeper, pid_t group);
void keeper_stop(struct keeper *keeper);

#endif
