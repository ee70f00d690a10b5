/* spawn.h - starts a child with its own session, three pipes and nothing else of its host. */
#ifndef ERRAND_SPAWN_H
#define ERRAND_SPAWN_H

#include "base/base.h"

#include <sys/types.h>

struct spawned {
    pid_t pid;
    /* Of ours; all close-on-exec, those that are read or written do not block. */
    int leader;  /* A pidfd, or -1 where there is none. */
    int in;      /* A socket: its stdin. */
    int out;     /* A socket: its stdout. */
    int err;     /* A pipe: its stderr. */
    int verdict; /* Ends when exec worked; else brings why it did not. */
    /* Inodes of the ends that the child was given: who holds them is known by them. */
    ino_t in_ino, out_ino, err_ino;
    uint64_t mark; /* See procfs.h; 0: it could not be set. */
};

/* argv[0] is looked for on PATH where it has no slash. Environment and working directory are the
 * host's. May be called while other threads run. OK: there is a child, whose verdict is still to
 * come. On failure there is nothing to release. */
errand_status errand__spawn(struct spawned *out, const char *const *argv,
                            errand_error *err) ERRAND_CHECKED;
/* The same, apart from what a process has of its host beside files and descriptors: of the
 * environment it gets what says where things are and how one speaks, and no key of the session. */
errand_status errand__spawn_apart(struct spawned *out, const char *const *argv,
                                  errand_error *err) ERRAND_CHECKED;
/* OK: the command runs. AGAIN: not known yet. Negative: command could not be started. */
errand_status errand__spawn_verdict(const struct spawned *spawned, const char *command,
                                    errand_error *err) ERRAND_CHECKED;

#endif
