/* beside.c - written under a name of its own, renamed at the end. */
#include "transport/beside.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char temporary_name[] = ".errand-XXXXXX";

static char *beside_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t folder = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    char *name = errand__mem_new(folder + sizeof(temporary_name), 1);

    if (name == NULL)
        return NULL;
    memcpy(name, path, folder);
    memcpy(name + folder, temporary_name, sizeof(temporary_name));
    return name;
}

/* 0 or an errno: whether what stands under that name, or what it leads to, may be replaced. */
static int look_at(const char *path)
{
    struct stat facts;

    if (stat(path, &facts) != 0 || S_ISREG(facts.st_mode))
        return 0;
    return S_ISDIR(facts.st_mode) ? EISDIR : EINVAL;
}

int errand__beside_open(struct beside *beside, const char *path)
{
    *beside = (struct beside){.fd = -1};
    if (path[0] == '\0')
        return ENOENT;
    int failure = path[strlen(path) - 1] == '/' ? EISDIR : look_at(path);
    if (failure != 0)
        return failure;
    beside->path = errand__mem_copy(path, strlen(path));
    AUTO_FREE char *temporary = beside_of(path);
    failure = beside->path == NULL || temporary == NULL ? ENOMEM : 0;
    if (failure == 0) {
        beside->fd = mkostemp(temporary, O_CLOEXEC);
        failure = beside->fd < 0 ? errno : 0;
    }
    if (failure == 0)
        beside->temporary = steal(&temporary);
    else
        errand__beside_deinit(beside);
    return failure;
}

int errand__beside_write(struct beside *beside, errand_span bytes)
{
    while (bytes.len > 0) {
        ssize_t wrote = write(beside->fd, bytes.ptr, bytes.len);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return errno;
        bytes = span_after(bytes, (size_t)wrote);
    }
    return 0;
}

int errand__beside_finish(struct beside *beside, uint32_t mode)
{
    int fd = steal_fd(&beside->fd);
    int failure = fchmod(fd, (mode_t)(mode & 0777)) == 0 ? 0 : errno;

    /* Some file systems say only now that there was no room. */
    if (close(fd) != 0 && failure == 0)
        failure = errno;
    if (failure == 0)
        failure = look_at(beside->path);
    if (failure == 0 && rename(beside->temporary, beside->path) != 0)
        failure = errno;
    if (failure != 0)
        return failure;
    errand__mem_free(steal(&beside->temporary));
    return 0;
}

void errand__beside_deinit(struct beside *beside)
{
    errand__auto_close(&beside->fd);
    if (beside->temporary != NULL)
        (void)unlink(beside->temporary);
    errand__mem_free(beside->temporary);
    errand__mem_free(beside->path);
    *beside = (struct beside){.fd = -1};
}
