/* record.c - written without a buffer: a record matters most when the command did not end well. */
#include "cli/record.h"
#include "base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

errand_status record_open(struct record *record, const char *path, errand_error *err)
{
    struct stat facts;
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);

    *record = (struct record){.path = path, .fd = -1};
    if (fd < 0 && errno == ELOOP)
        return errand__fail(err, ERRAND_EINVAL, 0, "--record: %s is a symbolic link", path);
    if (fd < 0)
        return errand__fail(err, ERRAND_EINVAL, errno, "--record: %s", path);
    if (fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode))
        return errand__fail(err, ERRAND_EINVAL, 0, "--record: %s is no regular file", path);
    if (facts.st_uid != geteuid())
        return errand__fail(err, ERRAND_EINVAL, 0, "--record: %s belongs to another user", path);
    if (fchmod(fd, 0600) != 0 || ftruncate(fd, 0) != 0)
        return errand__fail(err, ERRAND_EINVAL, errno, "--record: %s", path);
    record->fd = steal_fd(&fd);
    return ERRAND_OK;
}

void record_write(void *ctx, errand_span bytes)
{
    struct record *record = ctx;

    while (bytes.len > 0 && record->failed_errno == 0) {
        ssize_t count = write(record->fd, bytes.ptr, bytes.len);
        if (count >= 0)
            bytes = span_after(bytes, (size_t)count);
        else if (errno != EINTR)
            record->failed_errno = errno;
    }
}

void record_close(struct record *record)
{
    if (record->fd >= 0 && close(record->fd) != 0 && record->failed_errno == 0)
        record->failed_errno = errno;
    record->fd = -1;
}
