/* descendants.c - a walk down from the leader, and one up from ourselves.
 *
 * While the leader lives it adopts the orphans of the run (it is a subreaper), and the walk down
 * finds all. Once it is dead they are children of somebody above us: of this process, of an
 * ancestor, or of init. Those few lists of children are read, and who bears a sign of the run is
 * taken. So the cost depends on the run and on our ancestors, not on how busy the machine is. */
#include "transport/descendants.h"

#include "base/mem.h"
#include "transport/procfs.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    CHILDREN_MOST = 4096,  /* Of one process that are looked at. */
    ANCESTORS_MOST = 64,   /* Between us and init. */
    PROCESSES_MOST = 32768 /* Of the machine; the default of the kernel's own limit. */
};

/* --- The list -------------------------------------------------------------------------- */

static void note_lack(struct kinfolk *folk, int why)
{
    folk->blind = folk->blind || errand__proc_lacked(why);
}

static bool facts_of(struct kinfolk *folk, pid_t pid, struct proc_facts *facts)
{
    if (errand__proc_facts(pid, facts))
        return true;
    note_lack(folk, errno);
    return false;
}

/* The main thread of a process can end before the others: it looks like a zombie and is none. */
static bool is_gone(const struct proc_facts *facts)
{
    return (facts->state == 'Z' || facts->state == 'X') && facts->threads <= 1;
}

static bool has(struct kinfolk *folk, pid_t pid)
{
    for (size_t i = 0; i < folk->count; i++) {
        if (kin_list(folk)[i].pid == pid)
            return true;
    }
    return false;
}

/* Room for one more. Without memory it stays at a few. */
static bool has_room(struct kinfolk *folk)
{
    if (folk->count < KIN_FEW || folk->many != NULL)
        return folk->count < KIN_MOST;
    folk->many = errand__mem_new(KIN_MOST, sizeof(*folk->many));
    if (folk->many == NULL)
        return false;
    memcpy(folk->many, folk->few, sizeof(folk->few));
    return true;
}

static void add(struct kinfolk *folk, const struct kinship *of, const struct proc_facts *facts)
{
    if (is_gone(facts) || facts->pid == of->leader || facts->pid == getpid() ||
        has(folk, facts->pid) || !has_room(folk))
        return;
    struct kin *kin = &kin_list(folk)[folk->count++];
    *kin = (struct kin){.pid = facts->pid, .group = facts->group, .start = facts->start};
    memcpy(kin->name, facts->name, sizeof(kin->name));
}

/* Who was found by an earlier look and lives on stays, whatever it has changed meanwhile; also who
 * can't be looked at. */
static void keep_living(struct kinfolk *folk)
{
    size_t kept = 0;

    for (size_t i = 0; i < folk->count; i++) {
        struct proc_facts facts;
        struct kin kin = kin_list(folk)[i];
        if (errand__proc_facts(kin.pid, &facts)) {
            if (facts.start != kin.start || is_gone(&facts))
                continue;
            kin.group = facts.group;
        } else if (!errand__proc_lacked(errno)) {
            continue;
        }
        kin_list(folk)[kept++] = kin;
    }
    folk->count = kept;
}

void errand__descendants_deinit(struct kinfolk *folk)
{
    errand__mem_free(folk->many);
    *folk = (struct kinfolk){0};
}

/* --- Signs ----------------------------------------------------------------------------- */

static bool bears_sign(struct kinfolk *folk, const struct proc_facts *facts,
                       const struct kinship *of)
{
    if (facts->start < of->start)
        return false;
    if (of->leader > 0 && (facts->session == of->leader || facts->group == of->leader))
        return true;
    if (of->mark == 0)
        return false;
    uint64_t mark = errand__proc_mark(facts->pid);
    if (mark == 0)
        note_lack(folk, errno);
    return mark == of->mark;
}

/* --- Walking --------------------------------------------------------------------------- */

/* Takes children of pid: all, or those that bear a sign. false: the system does not list them. */
static bool take_children(struct kinfolk *folk, const struct kinship *of, pid_t pid, bool all)
{
    pid_t pids[CHILDREN_MOST];
    ssize_t count = errand__proc_children(pid, pids, COUNT(pids));

    note_lack(folk, errno);
    for (ssize_t i = 0; i < count; i++) {
        struct proc_facts facts;
        if (facts_of(folk, pids[i], &facts) && (all || bears_sign(folk, &facts, of)))
            add(folk, of, &facts);
    }
    return count >= 0;
}

static bool adopts_orphans(void)
{
    int yes = 0;

    return getpid() == 1 || (prctl(PR_GET_CHILD_SUBREAPER, &yes, 0, 0, 0) == 0 && yes != 0);
}

/* An orphan becomes a child of the nearest ancestor that adopts; only our own choice is known. */
static bool take_orphans(struct kinfolk *folk, const struct kinship *of)
{
    pid_t pid = getpid();
    bool told = adopts_orphans() ? take_children(folk, of, pid, false) : true;
    struct proc_facts facts;

    for (size_t i = 0; told && i < ANCESTORS_MOST; i++) {
        if (!facts_of(folk, pid, &facts) || facts.parent <= 0)
            break;
        pid = facts.parent;
        told = take_children(folk, of, pid, false);
    }
    return told;
}

void errand__descendants_find(struct kinfolk *folk, const struct kinship *of)
{
    folk->blind = false;
    keep_living(folk);
    bool told = of->leader <= 0 || take_children(folk, of, of->leader, true);
    if (!told || !take_orphans(folk, of)) {
        errand__descendants_scan(folk, of);
        return;
    }
    for (size_t i = 0; i < folk->count; i++)
        (void)take_children(folk, of, kin_list(folk)[i].pid, true);
}

/* --- Scanning -------------------------------------------------------------------------- */

static bool is_child_of_ours(struct kinfolk *folk, const struct kinship *of, pid_t parent)
{
    return (of->leader > 0 && parent == of->leader) || has(folk, parent);
}

/* One pass over all: a child with a lower number than its parent is found by the next pass. */
static void scan_once(struct kinfolk *folk, const struct kinship *of, const pid_t *pids,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct proc_facts facts;
        if (facts_of(folk, pids[i], &facts) && facts.start >= of->start &&
            (is_child_of_ours(folk, of, facts.parent) || bears_sign(folk, &facts, of)))
            add(folk, of, &facts);
    }
}

void errand__descendants_scan(struct kinfolk *folk, const struct kinship *of)
{
    enum { PASSES_MOST = 8 };
    AUTO_FREE pid_t *pids = errand__mem_new(PROCESSES_MOST, sizeof(*pids));

    folk->blind = pids == NULL;
    if (pids == NULL)
        return;
    keep_living(folk);
    size_t count = errand__proc_all(pids, PROCESSES_MOST);
    note_lack(folk, errno);
    size_t before = SIZE_MAX;
    for (size_t i = 0; i < PASSES_MOST && folk->count != before; i++) {
        before = folk->count;
        scan_once(folk, of, pids, count);
    }
}

/* --- Ends ------------------------------------------------------------------------------ */

bool errand__descendants_kill(const struct kin *kin)
{
    struct proc_facts facts;
    AUTO_CLOSE int fd = (int)syscall(SYS_pidfd_open, kin->pid, 0);

    /* The descriptor holds on to whoever has the number now; then it is seen who that is. */
    if (!errand__proc_facts(kin->pid, &facts) || facts.start != kin->start)
        return false;
    /* Its session was made by the run, so that its group holds nobody else: a kill of the group
     * also gets who is being forked just now. */
    if (facts.group > 1 && facts.session != getsid(0))
        (void)kill(-facts.group, SIGKILL);
    return fd >= 0 ? syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) == 0
                   : kill(kin->pid, SIGKILL) == 0;
}

void errand__descendants_bury(const struct kin *kin)
{
    struct proc_facts facts;
    siginfo_t info;

    if (errand__proc_facts(kin->pid, &facts) && facts.start == kin->start &&
        facts.parent == getpid() && is_gone(&facts))
        (void)waitid(P_PID, (id_t)kin->pid, &info, WEXITED | WNOHANG);
}

size_t errand__descendants_holders(struct kin *list, size_t list_max, const struct kinship *of,
                                   const ino_t *inodes, size_t inodes_count)
{
    AUTO_FREE pid_t *pids = errand__mem_new(PROCESSES_MOST, sizeof(*pids));
    size_t count = pids == NULL ? 0 : errand__proc_all(pids, PROCESSES_MOST);
    size_t found = 0;

    for (size_t i = 0; i < count && found < list_max; i++) {
        struct proc_facts facts;
        if (pids[i] == getpid() || !errand__proc_holds(pids[i], inodes, inodes_count) ||
            !errand__proc_facts(pids[i], &facts) || facts.start < of->start)
            continue;
        list[found] = (struct kin){.pid = facts.pid, .group = facts.group, .start = facts.start};
        memcpy(list[found++].name, facts.name, sizeof(facts.name));
    }
    return found;
}
