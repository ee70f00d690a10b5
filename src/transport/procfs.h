/* procfs.h - what Linux tells about a process, one file at a time. Where /proc is missing or
 * hides a process, it is not known. Where this process had too little to look at all, errno says
 * so when the function returns; errand__proc_lacked() knows. */
#ifndef ERRAND_PROCFS_H
#define ERRAND_PROCFS_H

#include "base/base.h"

#include <sys/types.h>

struct proc_facts {
    pid_t pid, parent, group, session;
    uint64_t threads; /* That have not ended. */
    uint64_t start;   /* With the pid it names a process for ever, the pid alone does not. */
    char state;       /* 'Z': dead, and its parent does not know yet. */
    char name[16];    /* Printable. */
};

/* Of errno behind a function below: descriptors or memory ran out, so that nothing can be said. */
bool errand__proc_lacked(int why);

bool errand__proc_facts(pid_t pid, struct proc_facts *out);

/* The mark that a run's first process was given: a random soft limit on file locks. The kernel
 * ignores that limit (since 2.4.25), and every process inherits it through fork, exec, setsid and
 * the death of all its ancestors, so that who escaped in every other way is still known by it. A
 * program may take it off, but has to know of it. 0: none, or not known. */
uint64_t errand__proc_mark(pid_t pid);

/* Pids of children, of all threads, as many as fit. -1: the system does not tell. */
ssize_t errand__proc_children(pid_t pid, pid_t *pids, size_t pids_max);

/* All processes, for systems that do not list children. */
size_t errand__proc_all(pid_t *pids, size_t pids_max);

/* true: it holds a descriptor of one of these inodes (0: none) of a socket or a pipe. */
bool errand__proc_holds(pid_t pid, const ino_t *inodes, size_t count);

#endif
