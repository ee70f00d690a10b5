/* record.c - written without a buffer: a record matters most when the command did not end well. */
#include "cli/record.h"
#include "base/err.h"
#include "cli/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPEN_FLAGS = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC };

/* A file that holds something else was hardly meant: a program, a key, a tool. */
static bool holds_something_else(int fd)
{
    static const char first[] = "errand-record ";
    char head[sizeof(first) - 1];
    ssize_t count = pread(fd, head, sizeof(head), 0);

    return count != 0 && (count != (ssize_t)sizeof(head) || memcmp(head, first, sizeof(head)) != 0);
}

errand_status record_open(struct record *record, const char *path, errand_error *err)
{
    struct stat facts;
    AUTO_CLOSE int fd = open(path, OPEN_FLAGS | O_CREAT | O_EXCL, 0600);
    const bool created = fd >= 0;

    *record = (struct record){.path = path, .fd = -1};
    if (!created && errno == EEXIST)
        fd = open(path, OPEN_FLAGS);
    if (fd < 0 && errno == ELOOP)
        return errand__fail(err, ERRAND_EINVAL, 0, "--record: %s is a symbolic link", path);
    if (fd < 0)
        return errand__fail(err, ERRAND_EINVAL, errno, "--record: %s", path);
    if (fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode))
        return errand__fail(err, ERRAND_EINVAL, 0, "--record: %s is no regular file", path);
    if (facts.st_uid != geteuid())
        return errand__fail(err, ERRAND_EINVAL, 0, "--record: %s belongs to another user", path);
    if (holds_something_else(fd))
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "--record: %s is there and holds no record; it is left as it is", path);
    if (fchmod(fd, 0600) != 0)
        return errand__fail(err, ERRAND_EINVAL, errno, "--record: %s", path);
    record->ours = created;
    record->fd = steal_fd(&fd);
    return ERRAND_OK;
}

bool record_is(const struct record *record, const char *path)
{
    struct stat facts, other;

    return record->fd >= 0 && fstat(record->fd, &facts) == 0 && stat(path, &other) == 0 &&
           facts.st_dev == other.st_dev && facts.st_ino == other.st_ino;
}

void record_begin(struct record *record)
{
    if (record->fd >= 0 && !record->emptied && ftruncate(record->fd, 0) != 0)
        record->failed_errno = errno;
    record->emptied = true;
}

void record_write(void *ctx, errand_span bytes)
{
    struct record *record = ctx;

    record_begin(record);
    record->begun = true;
    if (record->failed_errno == 0 && !whole_write(record->fd, bytes))
        record->failed_errno = errno;
}

void record_close(struct record *record)
{
    if (record->fd >= 0 && record->ours && !record->begun)
        (void)unlink(record->path);
    if (record->fd >= 0 && close(record->fd) != 0 && record->failed_errno == 0)
        record->failed_errno = errno;
    record->fd = -1;
}
