/* descendants.h - who belongs to a run on this machine, also after escaping from its group.
 *
 * Knows the signs by which a process is one of a run's; decides nothing about when to kill. */
#ifndef ERRAND_DESCENDANTS_H
#define ERRAND_DESCENDANTS_H

#include "base/base.h"

#include <sys/types.h>

enum {
    KIN_MOST = 1024, /* Of one look; who is left then is found by the next one. */
    KIN_FEW = 8      /* For which no memory is needed: who is to be killed must be found. */
};

/* What the processes of a run are known by. */
struct kinship {
    pid_t leader; /* Not reaped yet, so that the number is nobody else's; 0: unknown. */
    uint64_t start;
    uint64_t mark; /* See procfs.h; 0: none. */
};

struct kin {
    pid_t pid, group;
    uint64_t start;
    char name[16];
};

/* Zeroed at first; not to be moved. */
struct kinfolk {
    struct kin few[KIN_FEW];
    struct kin *many; /* KIN_MOST of them, or NULL. */
    size_t count;
    bool blind; /* The last look lacked descriptors or memory: there may be more. */
};

static inline struct kin *kin_list(struct kinfolk *folk)
{
    return folk->many == NULL ? folk->few : folk->many;
}

/* All that live, but for the leader: children of the leader, members of its session or group, who
 * bears the mark, who was in the list before, and their descendants. Zombies are gone. */
void errand__descendants_find(struct kinfolk *folk, const struct kinship *of);
/* The same for systems that do not list the children of a process: looks at all processes. */
void errand__descendants_scan(struct kinfolk *folk, const struct kinship *of);
void errand__descendants_deinit(struct kinfolk *folk);

/* KILL, to that process and no later one of its number. false: it was gone. */
bool errand__descendants_kill(const struct kin *kin);
/* Reaps it if it died as a child of this very process, which adopts orphans in a container. */
void errand__descendants_bury(const struct kin *kin);
/* Strangers that hold a socket or a pipe with one of these inodes; as many as fit. */
size_t errand__descendants_holders(struct kin *list, size_t list_max, const struct kinship *of,
                                   const ino_t *inodes, size_t inodes_count);

#endif
