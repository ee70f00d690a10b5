/* keeper.c - the command holds the writing end of a pipe; when that closes, for whatever reason,
 * the groups that were told and not taken back are killed. */
#include "cli/keeper.h"
#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GROUPS_MAX = 1024 }; /* More than may run at once. */

static void note(int32_t *groups, int32_t word)
{
    int32_t from = word > 0 ? 0 : -word;
    int32_t to = word > 0 ? word : 0;

    for (size_t i = 0; i < GROUPS_MAX; i++) {
        if (groups[i] == from) {
            groups[i] = to;
            return;
        }
    }
}

static void listen_until_end(int fd)
{
    static int32_t groups[GROUPS_MAX];
    int32_t words[64];

    for (;;) {
        /* Writers write whole words, so that reads find whole words. */
        ssize_t count = read(fd, words, sizeof(words));
        if (count == 0 || (count < 0 && errno != EINTR))
            break;
        for (size_t i = 0; count > 0 && i < (size_t)count / sizeof(words[0]); i++)
            note(groups, words[i]);
    }
    for (size_t i = 0; i < GROUPS_MAX; i++) {
        if (groups[i] > 1)
            (void)kill(-groups[i], SIGKILL);
    }
}

static _Noreturn void be_keeper(int fd)
{
    sigset_t all;

    /* Out of reach of the terminal, and of what is meant for the command. */
    (void)setsid();
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    (void)prctl(PR_SET_NAME, "errand-keeper");
    if (dup2(fd, 0) == 0)
        (void)close_range(1, ~0U, 0);
    listen_until_end(0);
    _exit(0);
}

errand_status keeper_start(struct keeper *keeper, errand_error *err)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return errand__fail(err, ERRAND_EIO, errno, "tools: no pipe");
    pid_t pid = fork();
    if (pid == 0) {
        (void)close(ends[1]);
        be_keeper(ends[0]);
    }
    (void)close(ends[0]);
    if (pid < 0) {
        int why = errno;
        (void)close(ends[1]);
        return errand__fail(err, ERRAND_EIO, why, "tools: no process");
    }
    *keeper = (struct keeper){.pid = pid, .fd = ends[1]};
    return ERRAND_OK;
}

static void tell(const struct keeper *keeper, int32_t word)
{
    ssize_t count = -1;

    while (keeper->fd >= 0 && count < 0) {
        count = write(keeper->fd, &word, sizeof(word));
        if (count < 0 && errno != EINTR)
            return; /* It was killed; the run goes on without. */
    }
}

void keeper_add(const struct keeper *keeper, pid_t group)
{
    tell(keeper, (int32_t)group);
}

void keeper_remove(const struct keeper *keeper, pid_t group)
{
    tell(keeper, -(int32_t)group);
}

void keeper_stop(struct keeper *keeper)
{
    if (keeper->fd < 0)
        return;
    (void)close(keeper->fd);
    keeper->fd = -1;
    while (waitpid(keeper->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
}
