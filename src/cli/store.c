/* store.c - one file, looked at before the run and replaced after it. */
#include "cli/store.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "cli/merge.h"
#include "cli/need.h"
#include "cli/text.h"
#include "cli/whole.h"
#include "core/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- Reading ------------------------------------------------------------------------------ */

/* The file behind symbolic links, or the one that is to be made. */
static errand_status resolve(struct store *store, errand_error *err)
{
    struct stat facts;

    if (realpath(store->path, store->real) != NULL)
        return ERRAND_OK;
    if (errno != ENOENT || strlen(store->path) >= sizeof(store->real) || store->path[0] == '\0')
        return errand__fail(err, ERRAND_EINVAL, errno, "--store %.150s", store->path);
    if (lstat(store->path, &facts) == 0)
        return errand__fail(err, ERRAND_EINVAL, 0, "--store %.150s: a link that leads nowhere",
                            store->path);
    memcpy(store->real, store->path, strlen(store->path) + 1);
    return ERRAND_OK;
}

static errand_status check_text(struct store *store, errand_error *err)
{
    size_t at = 0;
    errand_span text = span_of(store->text, store->len);

    if (errand__json_trim(text).len == 0) {
        errand__mem_free(store->text);
        store->text = NULL;
        store->len = 0;
        return ERRAND_OK;
    }
    if (!errand__json_valid(text, &at))
        return errand__fail(err, ERRAND_EINVAL, 0, "--store %.150s: no JSON text at byte %zu",
                            store->path, at);
    if (!errand__json_is_object(text))
        return errand__fail(err, ERRAND_EINVAL, 0, "--store %.150s: it holds no JSON object",
                            store->path);
    return ERRAND_OK;
}

static errand_status read_text(struct store *store, int fd, size_t size, errand_error *err)
{
    store->text = need_new(size + 1, 1);
    if (!whole_read(fd, store->text, size, &store->len))
        return errand__fail(err, ERRAND_EINVAL, errno, "--store %.150s", store->path);
    return check_text(store, err);
}

static errand_status read_file(struct store *store, errand_error *err)
{
    struct stat facts;
    AUTO_CLOSE int fd = open(store->real, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

    store->mode = 0600;
    if (fd < 0 && errno == ENOENT)
        return ERRAND_OK;
    if (fd < 0 || fstat(fd, &facts) != 0)
        return errand__fail(err, ERRAND_EINVAL, errno, "--store %.150s", store->path);
    if (!S_ISREG(facts.st_mode))
        return errand__fail(err, ERRAND_EINVAL, 0, "--store %.150s: that is no regular file",
                            store->path);
    if (facts.st_size > STORE_BYTES_MAX)
        return errand__fail(err, ERRAND_EINVAL, 0, "--store %.150s: it is over %d bytes",
                            store->path, STORE_BYTES_MAX);
    store->mode = facts.st_mode & 0777;
    store->owner = facts.st_uid;
    store->group = facts.st_gid;
    store->owned = true;
    return read_text(store, fd, (size_t)facts.st_size, err);
}

errand_status store_open(struct store *store, const char *path, errand_error *err)
{
    *store = (struct store){.path = path, .lock = {.fd = -1}};
    errand_status status = resolve(store, err);
    if (status == ERRAND_OK)
        status = lock_take(&store->lock, store->real, store->path, err);
    return status == ERRAND_OK ? read_file(store, err) : status;
}

void store_close(struct store *store)
{
    lock_leave(&store->lock);
    errand__mem_free(store->text);
    store->text = NULL;
}

/* --- Writing ------------------------------------------------------------------------------ */

/* That the new name outlives a power cut is worth a try, and no failure. */
static void sync_folder(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t len = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);

    memcpy(folder, path, len);
    memcpy(folder + len, len == 0 ? "." : "", len == 0 ? 2 : 1);
    AUTO_CLOSE int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0)
        (void)fsync(fd);
}

/* Root may write somebody else's file, which then is still theirs. Others may not always, and lose
 * nothing by it: what they may write they may read. */
static void keep_owner(const struct store *store, int fd)
{
    if (store->owned && fchown(fd, store->owner, store->group) != 0)
        errno = 0;
}

static bool replace(const struct store *store, errand_span bytes)
{
    char beside[PATH_MAX + 32];

    (void)snprintf(beside, sizeof(beside), "%s.%d.new", store->real, (int)getpid());
    (void)unlink(beside); /* Of one that died, and had our number. */
    AUTO_CLOSE int fd =
        open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, store->mode & 0600);
    if (fd < 0)
        return false;
    keep_owner(store, fd);
    if (whole_write(fd, bytes) && fchmod(fd, store->mode) == 0 && fsync(fd) == 0 &&
        rename(beside, store->real) == 0) {
        sync_folder(store->real);
        return true;
    }
    int failure = errno;
    (void)unlink(beside);
    errno = failure;
    return false;
}

bool store_write(struct store *store, errand_span writes)
{
    struct buf out;

    if (store->path == NULL || writes.len == 0)
        return true;
    errand__buf_init(&out, TEXT_BYTES_MAX);
    merge_members(span_of(store->text, store->len), writes, &out);
    bool written = replace(store, errand__buf_peek(&out));
    if (!written)
        (void)errand__fail(&store->why, ERRAND_EIO, errno,
                           "--store %.150s: it is as it was before the run", store->path);
    errand__buf_deinit(&out);
    return written;
}
