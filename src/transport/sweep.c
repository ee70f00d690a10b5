/* sweep.c - kills until nobody is found; never waits. */
#include "transport/sweep.h"

#include "transport/procfs.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

void errand__sweep_init(struct sweep *sweep, const struct spawned *spawned)
{
    struct proc_facts facts = {0};

    *sweep = (struct sweep){.of = {.leader = spawned->pid, .mark = spawned->mark}};
    if (errand__proc_facts(spawned->pid, &facts))
        sweep->of.start = facts.start;
}

void errand__sweep_forget_leader(struct sweep *sweep)
{
    sweep->of.leader = 0;
}

void errand__sweep_look(struct sweep *sweep)
{
    errand__descendants_find(&sweep->folk, &sweep->of);
}

/* Before the child has made its session there is no such group yet. */
static void kill_group(pid_t leader)
{
    if (leader > 0 && kill(-leader, SIGKILL) != 0 && errno == ESRCH)
        (void)kill(leader, SIGKILL);
}

static void remember(struct sweep *sweep, const struct kin *kin)
{
    size_t known =
        sweep->victims_count < SWEEP_VICTIMS_MOST ? sweep->victims_count : SWEEP_VICTIMS_MOST;

    for (size_t i = 0; i < known; i++) {
        if (sweep->victims[i].pid == kin->pid && sweep->victims[i].start == kin->start)
            return;
    }
    if (known < SWEEP_VICTIMS_MOST)
        sweep->victims[known] = *kin;
    sweep->victims_count++;
}

void errand__sweep_kill(struct sweep *sweep)
{
    pid_t leader = sweep->of.leader;

    /* Before the kill: a dead leader's orphans are harder to find. */
    errand__sweep_look(sweep);
    kill_group(leader);
    for (size_t i = 0; i < sweep->folk.count; i++) {
        const struct kin *kin = &kin_list(&sweep->folk)[i];
        bool killed = errand__descendants_kill(kin);
        if (killed && kin->group != leader)
            remember(sweep, kin);
    }
    for (size_t i = 0; i < sweep->victims_count && i < SWEEP_VICTIMS_MOST; i++)
        errand__descendants_bury(&sweep->victims[i]);
}

bool errand__sweep_empty(const struct sweep *sweep)
{
    return sweep->folk.count == 0 && !sweep->folk.blind;
}

void errand__sweep_deinit(struct sweep *sweep)
{
    errand__descendants_deinit(&sweep->folk);
}

/* --- Words ----------------------------------------------------------------------------- */

static void add_words(char words[static SWEEP_WORDS], const char *more)
{
    size_t used = strlen(words);

    (void)snprintf(words + used, SWEEP_WORDS - used, "%s", more);
}

static void add_names(char words[static SWEEP_WORDS], const struct kin *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char one[48];
        (void)snprintf(one, sizeof(one), "%s%s (%d)", i == 0 ? " " : ", ", list[i].name,
                       (int)list[i].pid);
        add_words(words, one);
    }
}

void errand__sweep_words(const struct sweep *sweep, const ino_t *inodes, size_t inodes_count,
                         char words[static SWEEP_WORDS])
{
    enum { NAMED_MOST = 6 };
    struct kin holders[NAMED_MOST];
    size_t held = inodes_count == 0 ? 0
                                    : errand__descendants_holders(holders, NAMED_MOST, &sweep->of,
                                                                  inodes, inodes_count);
    size_t killed = sweep->victims_count;

    words[0] = '\0';
    if (killed > 0) {
        add_words(words, "killed what had left the group:");
        add_names(words, sweep->victims, killed < NAMED_MOST ? killed : NAMED_MOST);
    }
    if (killed > NAMED_MOST) {
        char more[48];
        (void)snprintf(more, sizeof(more), " and %zu more", killed - NAMED_MOST);
        add_words(words, more);
    }
    if (held > 0) {
        add_words(words,
                  killed > 0 ? "; its pipes are still held by" : "its pipes are still held by");
        add_names(words, holders, held);
    }
}
