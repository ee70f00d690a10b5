/* orphans.c - one list for the process, since owners on several threads come and go. It holds
 * nobody but children that this library started and killed. */
#include "transport/orphans.h"

#include "base/base.h"
#include "base/mem.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/wait.h>

enum { ORPHANS_STEP_MS = 2 };

static pthread_mutex_t orphans_lock = PTHREAD_MUTEX_INITIALIZER;
static struct orphan *orphans;

void errand__orphans_take(struct orphan *orphan, pid_t pid)
{
    orphan->pid = pid;
    (void)pthread_mutex_lock(&orphans_lock);
    orphan->next = orphans;
    orphans = orphan;
    (void)pthread_mutex_unlock(&orphans_lock);
    errand__orphans_bury(0);
}

/* ECHILD: the host ignores SIGCHLD or reaped it; it is gone all the same. */
static bool is_buried(pid_t pid)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG) != 0 ? errno == ECHILD
                                                                   : info.si_pid == pid;
}

/* true: nobody is left. */
static bool bury_once(void)
{
    (void)pthread_mutex_lock(&orphans_lock);
    for (struct orphan **at = &orphans; *at != NULL;) {
        struct orphan *orphan = *at;
        if (!is_buried(orphan->pid)) {
            at = &orphan->next;
            continue;
        }
        *at = orphan->next;
        errand__mem_free(orphan);
    }
    bool empty = orphans == NULL;
    (void)pthread_mutex_unlock(&orphans_lock);
    return empty;
}

void errand__orphans_bury(int patience_ms)
{
    while (!bury_once() && patience_ms > 0) {
        (void)poll(NULL, 0, ORPHANS_STEP_MS);
        patience_ms -= ORPHANS_STEP_MS;
    }
}
