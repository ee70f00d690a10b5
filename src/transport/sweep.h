/* sweep.h - clearing up after a child: finds what is left of its run, kills it, and remembers who
 * had escaped. */
#ifndef ERRAND_SWEEP_H
#define ERRAND_SWEEP_H

#include "base/base.h"
#include "transport/descendants.h"
#include "transport/spawn.h"

enum { SWEEP_VICTIMS_MOST = 16, SWEEP_WORDS = 512 };

struct sweep {
    struct kinship of;
    struct kinfolk folk;
    struct kin victims[SWEEP_VICTIMS_MOST]; /* Who had escaped; more are only counted. */
    size_t victims_count;
};

/* At once after the start. */
void errand__sweep_init(struct sweep *sweep, const struct spawned *spawned);
/* The number of the leader may be somebody else's from now on. */
void errand__sweep_forget_leader(struct sweep *sweep);
/* Looks who is there, for when the leader dies of what is to come. */
void errand__sweep_look(struct sweep *sweep);
/* Looks, and kills the leader's group and all who are found. */
void errand__sweep_kill(struct sweep *sweep);
/* Of the last kill: nobody was there any more but maybe the leader, as far as could be seen, and
 * all could be. */
bool errand__sweep_empty(const struct sweep *sweep);
/* What had to be done, as words for people; empty: nothing. holders: who still has our pipes. */
void errand__sweep_words(const struct sweep *sweep, const ino_t *inodes, size_t inodes_count,
                         char words[static SWEEP_WORDS]);
void errand__sweep_deinit(struct sweep *sweep);

#endif
