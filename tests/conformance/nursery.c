/* nursery.c - reaps orphans, counts survivors. */
#include "nursery.h"

#include "base/mem.h"
#include "file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The letter of its state and its parent; false: not there. */
static bool read_stat(pid_t pid, char *state, pid_t *parent)
{
    AUTO_FREE char *path = text_of("/proc/%d/stat", (int)pid);
    AUTO_FREE char *text = file_read(path, NULL);
    const char *after = text == NULL ? NULL : strrchr(text, ')');
    if (after == NULL || strlen(after) < 5)
        return false;
    *state = after[2];
    *parent = (pid_t)strtol(after + 4, NULL, 10);
    return true;
}

bool process_lives(pid_t pid)
{
    char state = 0;
    pid_t parent = 0;
    return read_stat(pid, &state, &parent) && state != 'Z' && state != 'X';
}

char *process_words(pid_t pid)
{
    AUTO_FREE char *path = text_of("/proc/%d/cmdline", (int)pid);
    size_t len = 0;
    char *words = file_read(path, &len);
    if (words == NULL)
        return errand__mem_copy("", 0);
    for (size_t i = 0; i + 1 < len; i++) {
        if (words[i] == '\0')
            words[i] = ' ';
    }
    return words;
}

size_t children_of(pid_t parent, pid_t *pids, size_t max)
{
    size_t count = 0;
    DIR *proc = opendir("/proc");
    assert(proc != NULL);
    for (const struct dirent *entry = NULL; (entry = readdir(proc)) != NULL;) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        char state = 0;
        pid_t its_parent = 0;
        if (pid <= 0 || !read_stat(pid, &state, &its_parent) || its_parent != parent ||
            state == 'Z')
            continue;
        if (count < max)
            pids[count] = pid;
        count++;
    }
    (void)closedir(proc);
    return count;
}

static void reap_all(void)
{
    while (waitpid(-1, NULL, WNOHANG) > 0) {
    }
}

size_t children_left(int patience_ms, pid_t *pids, size_t max)
{
    enum { STEP_MS = 10 };
    for (int waited = 0;; waited += STEP_MS) {
        reap_all();
        size_t left = children_of(getpid(), pids, max);
        if (left == 0 || waited >= patience_ms)
            return left;
        (void)nanosleep(&(struct timespec){.tv_nsec = STEP_MS * 1000000L}, NULL);
    }
}

void nursery_adopt(void)
{
    int rc = prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    assert(rc == 0);
    (void)rc;
}

int nursery_run(int (*work)(void *ctx), void *ctx)
{
    (void)fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        return 2;
    if (child == 0) {
        int code = work(ctx);
        (void)fflush(NULL);
        _exit(code);
    }
    for (;;) {
        int status = 0;
        pid_t pid = waitpid(-1, &status, 0);
        if (pid < 0 && errno != EINTR)
            return 2;
        if (pid == child)
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
}
