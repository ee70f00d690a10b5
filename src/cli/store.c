/* store.c - members are carried over as bytes: a number that this machine can't hold stays what
 * it is. */
#include "cli/store.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "cli/item.h"
#include "cli/need.h"
#include "cli/text.h"
#include "cli/whole.h"
#include "core/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOCK_TRIES = 100 };

/* --- Whose it is -------------------------------------------------------------------------- */

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

static errand_status take_lock(struct store *store, errand_error *err)
{
    (void)snprintf(store->lock, sizeof(store->lock), "%s.lock", store->real);
    for (int i = 0; i < LOCK_TRIES; i++) {
        AUTO_CLOSE int fd =
            open(store->lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
        if (fd < 0)
            return errand__fail(err, ERRAND_EINVAL, errno, "--store %.100s: %.100s", store->path,
                                store->lock);
        if (flock(fd, LOCK_EX | LOCK_NB) != 0)
            return errand__fail(err, ERRAND_EINVAL, 0,
                                "--store %.100s: another run has it (%.80s is locked)", store->path,
                                store->lock);
        if (!still_there(fd, store->lock))
            continue;
        store->lock_fd = steal_fd(&fd);
        return ERRAND_OK;
    }
    return errand__fail(err, ERRAND_EINVAL, 0, "--store %.150s: others come and go", store->path);
}

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
    while (store->len < size) {
        ssize_t count = read(fd, store->text + store->len, size - store->len);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return errand__fail(err, ERRAND_EINVAL, errno, "--store %.150s", store->path);
        if (count == 0)
            break;
        store->len += (size_t)count;
    }
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
    return read_text(store, fd, (size_t)facts.st_size, err);
}

errand_status store_open(struct store *store, const char *path, errand_error *err)
{
    *store = (struct store){.path = path, .lock_fd = -1};
    errand_status status = resolve(store, err);
    if (status == ERRAND_OK)
        status = take_lock(store, err);
    return status == ERRAND_OK ? read_file(store, err) : status;
}

void store_close(struct store *store)
{
    if (store->path != NULL && store->lock_fd >= 0) {
        if (is_bare(store->lock_fd)) /* Of that name there may have been somebody's file. */
            (void)unlink(store->lock);
        (void)close(store->lock_fd);
    }
    errand__mem_free(store->text);
    store->text = NULL;
    store->lock_fd = -1;
}

/* --- Writing ------------------------------------------------------------------------------ */

/* The keys that are no longer what they were, sorted. */
struct keys {
    struct key {
        char *text;
        size_t len;
    } * list;
    size_t count, room;
};

static void add_key(struct keys *keys, errand_span string)
{
    if (keys->count == keys->room) {
        keys->room = keys->room == 0 ? 64 : keys->room * 2;
        keys->list = need_resize(keys->list, keys->room * sizeof(*keys->list));
    }
    struct key *key = &keys->list[keys->count++];
    key->text = item_words(string, &key->len);
}

static int compare_keys(const void *a, const void *b)
{
    const struct key *one = a;
    const struct key *other = b;

    if (one->len != other->len)
        return one->len < other->len ? -1 : 1;
    return memcmp(one->text, other->text, one->len);
}

static void free_keys(struct keys *keys)
{
    for (size_t i = 0; i < keys->count; i++)
        errand__mem_free(keys->list[i].text);
    errand__mem_free(keys->list);
}

static bool has_key(const struct keys *keys, errand_span string)
{
    struct key key = {0};

    key.text = item_words(string, &key.len);
    bool has = keys->count > 0 &&
               bsearch(&key, keys->list, keys->count, sizeof(key), compare_keys) != NULL;
    errand__mem_free(key.text);
    return has;
}

static void add_member(struct buf *out, errand_span key, errand_span value, bool *any)
{
    text_words(out, *any ? ",\n  " : "\n  ");
    text_add(out, key);
    text_words(out, ": ");
    text_add(out, value);
    *any = true;
}

static void find_parts(errand_span writes, errand_span *set, errand_span *gone)
{
    struct json_members members;
    errand_span key;
    errand_span value;

    errand__json_members_init(&members, writes);
    while (errand__json_members_next(&members, &key, &value)) {
        if (errand__json_string_is(key, "set"))
            *set = value;
        else
            *gone = value;
    }
}

/* Old members but those that were deleted or set, and then those that were set. */
static void merge(const struct store *store, errand_span writes, struct buf *out)
{
    struct keys keys = {0};
    struct json_members members;
    errand_span set = SPAN_EMPTY;
    errand_span gone = SPAN_EMPTY;
    errand_span key;
    errand_span value;
    bool any = false;

    find_parts(writes, &set, &gone);
    errand__json_members_init(&members, set);
    while (errand__json_members_next(&members, &key, &value))
        add_key(&keys, key);
    errand__json_elements_init(&members, gone);
    while (errand__json_elements_next(&members, &key))
        add_key(&keys, key);
    if (keys.count > 0)
        qsort(keys.list, keys.count, sizeof(*keys.list), compare_keys);
    text_words(out, "{");
    if (store->text != NULL) {
        errand__json_members_init(&members, span_of(store->text, store->len));
        while (errand__json_members_next(&members, &key, &value)) {
            if (!has_key(&keys, key))
                add_member(out, key, value, &any);
        }
    }
    errand__json_members_init(&members, set);
    while (errand__json_members_next(&members, &key, &value))
        add_member(out, key, value, &any);
    text_words(out, any ? "\n}\n" : "}\n");
    free_keys(&keys);
}

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

static bool replace(const struct store *store, errand_span bytes)
{
    char beside[PATH_MAX + 32];

    (void)snprintf(beside, sizeof(beside), "%s.%d.new", store->real, (int)getpid());
    (void)unlink(beside); /* Of one that died, and had our number. */
    AUTO_CLOSE int fd =
        open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, store->mode & 0600);
    if (fd < 0)
        return false;
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
    merge(store, writes, &out);
    bool written = replace(store, errand__buf_peek(&out));
    if (!written)
        (void)errand__fail(&store->why, ERRAND_EIO, errno,
                           "--store %.150s: it is as it was before the run", store->path);
    errand__buf_deinit(&out);
    return written;
}
