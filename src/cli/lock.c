/* lock.c - the kernel's lock on a file beside it: who dies leaves none behind. */
#include "cli/lock.h"
#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100 };

/* Who leaves takes the file of the lock away: one that was opened before that is none. */
static bool still_there(int fd, const char *path)
{
    struct stat ours, there;

    return fstat(fd, &ours) == 0 && stat(path, &there) == 0 && ours.st_dev == there.st_dev &&
           ours.st_ino == there.st_ino;
}

/* Whether the file is as it was made, with nothing in it. */
static bool is_bare(int fd)
{
    struct stat facts;

    return fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size == 0;
}

errand_status lock_take(struct lock *lock, const char *real, const char *shown, errand_error *err)
{
    (void)snprintf(lock->path, sizeof(lock->path), "%s.lock", real);
    for (int i = 0; i < TRIES; i++) {
        AUTO_CLOSE int fd =
            open(lock->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
        if (fd < 0)
            return errand__fail(err, ERRAND_EINVAL, errno, "--store %.100s: %.100s", shown,
                                lock->path);
        if (flock(fd, LOCK_EX | LOCK_NB) != 0)
            return errand__fail(err, ERRAND_EINVAL, 0,
                                "--store %.100s: another run has it (%.80s is locked)", shown,
                                lock->path);
        if (!still_there(fd, lock->path))
            continue;
        lock->fd = steal_fd(&fd);
        return ERRAND_OK;
    }
    return errand__fail(err, ERRAND_EINVAL, 0, "--store %.150s: others come and go", shown);
}

void lock_leave(struct lock *lock)
{
    if (lock->fd < 0)
        return;
    if (is_bare(lock->fd)) /* Of that name there may have been somebody's file. */
        (void)unlink(lock->path);
    (void)close(lock->fd);
    lock->fd = -1;
}
