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

static errand_status open_file(struct record *record, const char *path, errand_error *err)
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

static bool is_same_file(int fd, const char *path)
{
    struct stat facts, other;

    return fstat(fd, &facts) == 0 && stat(path, &other) == 0 && facts.st_dev == other.st_dev &&
           facts.st_ino == other.st_ino;
}

/* What is read here, or written besides, is no place for a record. NULL: it is none of that. */
static const char *find_twin(int fd, const struct request *request)
{
    const char *input = request->input_words;
    const char *named[] = {request->submission.path, request->ssh_options.identity_file,
                           request->ssh_options.config_file,
                           input != NULL && input[0] == '@' ? input + 1 : NULL, request->store};
    const char *twin = NULL;

    for (size_t i = 0; i < COUNT(named); i++) {
        if (named[i] != NULL && is_same_file(fd, named[i]))
            twin = named[i];
    }
    for (size_t i = 0; i < request->files.count; i++) {
        if (is_same_file(fd, request->files.list[i].local))
            twin = request->files.list[i].local;
    }
    for (size_t i = 0; i < request->tools.count; i++) {
        const struct tool *tool = &request->tools.list[i];
        if (tool->executable && is_same_file(fd, tool->command))
            twin = tool->command;
    }
    return twin;
}

errand_status record_open(struct record *record, const struct request *request, errand_error *err)
{
    errand_status status = open_file(record, request->record, err);

    if (status != ERRAND_OK)
        return status;
    const char *twin = find_twin(record->fd, request);
    return twin == NULL ? ERRAND_OK
                        : errand__fail(err, ERRAND_EINVAL, 0, "--record: %s is the same file as %s",
                                       request->record, twin);
}

void record_begin(struct record *record)
{
    if (record->fd >= 0 && !record->emptied && ftruncate(record->fd, 0) != 0)
        record->failed_errno = errno;
    record->emptied = true;
}

errand_status record_settle(struct record *record, errand_status status)
{
    if (status != ERRAND_OK && status != ERRAND_EINVAL)
        record_begin(record);
    return status;
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
