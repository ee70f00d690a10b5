/* items_dir.c - writes beside, and links to a name that is free. */
#include "cli/items_dir.h"
#include "base/err.h"
#include "base/mem.h"
#include "cli/need.h"
#include "cli/text.h"
#include "cli/utf8.h"
#include "cli/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    NAME_MOST = 120,
    END_MOST = 12,
    NUMBERS_MOST = 100000,
    NUMBERS_TRIED = 100,
    TEMPS_MOST = 100
};

/* --- Names -------------------------------------------------------------------------------- */

static const char *end_of(errand_span mime)
{
    static const char *const ends[][2] = {
        {"image/png", "png"},         {"image/jpeg", "jpg"},      {"image/gif", "gif"},
        {"image/webp", "webp"},       {"image/svg+xml", "svg"},   {"text/plain", "txt"},
        {"text/csv", "csv"},          {"text/html", "html"},      {"text/markdown", "md"},
        {"application/json", "json"}, {"application/pdf", "pdf"}, {"application/zip", "zip"},
        {"application/xml", "xml"},   {"audio/wav", "wav"},       {"audio/mpeg", "mp3"},
        {"video/mp4", "mp4"},
    };

    for (size_t i = 0; i < COUNT(ends); i++) {
        size_t len = strlen(ends[i][0]);
        if (span_starts(mime, span_text(ends[i][0])) && (mime.len == len || mime.ptr[len] == ';'))
            return ends[i][1];
    }
    return "bin";
}

static errand_span base_of(errand_span path)
{
    size_t from = path.len;

    while (from > 0 && path.ptr[from - 1] != '/' && path.ptr[from - 1] != '\\')
        from--;
    return span_after(path, from);
}

/* The dot that its end begins with; name.len: it has none. */
static size_t dot_of(errand_span name)
{
    size_t at = name.len;

    while (at > 1 && name.ptr[at - 1] != '.')
        at--;
    return at <= 1 || name.len - at > END_MOST ? name.len : at - 1;
}

static void add_safely(struct buf *out, errand_span part)
{
    while (part.len > 0) {
        uint32_t point = 0;
        size_t len = utf8_next(part, &point);
        bool plain = len > 0 && !text_steers(point) && point != '\n' && point != '\t';
        if (plain)
            text_add(out, span_head(part, len));
        else
            text_words(out, "_");
        part = span_after(part, len == 0 ? 1 : len);
    }
}

/* As many whole characters as fit. */
static errand_span cut(errand_span text, size_t most)
{
    size_t len = text.len < most ? text.len : most;

    while (len > 0 && len < text.len && ((unsigned char)text.ptr[len] & 0xc0) == 0x80)
        len--;
    return span_head(text, len);
}

/* What a hidden file begins with, an option, somebody's home, and nothing that one sees. */
static bool leads_astray(char first)
{
    return first == '.' || first == '-' || first == '~' || first == ' ';
}

char *items_dir_name(errand_span name, errand_span mime, const char *unnamed, unsigned number)
{
    struct buf out;
    char plain[32];

    errand__buf_init(&out, TEXT_BYTES_MAX);
    name = base_of(name);
    if (name.len == 0) {
        (void)snprintf(plain, sizeof(plain), "%s-%u", unnamed, number);
        name = span_text(plain);
    }
    if (leads_astray(name.ptr[0])) {
        text_words(&out, "_");
        name = span_after(name, 1);
    }
    size_t dot = dot_of(name);
    add_safely(&out, cut(span_head(name, dot), NAME_MOST));
    if (dot < name.len)
        add_safely(&out, span_after(name, dot));
    else
        text_format(&out, ".%s", end_of(mime));
    errand_span all = errand__buf_peek(&out);
    char *copy = need_copy(all.ptr, all.len);
    errand__buf_deinit(&out);
    return copy;
}

/* "a-2.txt" of "a.txt". */
static char *numbered(const char *name, unsigned number)
{
    size_t dot = dot_of(span_text(name));
    size_t room = strlen(name) + 16;
    char *out = need_new(room, 1);

    (void)snprintf(out, room, "%.*s-%u%s", (int)dot, name, number, name + dot);
    return out;
}

/* --- The folder --------------------------------------------------------------------------- */

errand_status items_dir_open(struct items_dir *dir, const char *path, errand_error *err)
{
    *dir = (struct items_dir){.path = path, .fd = -1};
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return errand__fail(err, ERRAND_EINVAL, errno, "--items %.150s", path);
    dir->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir->fd < 0 || faccessat(dir->fd, ".", W_OK | X_OK, AT_EACCESS) != 0)
        return errand__fail(err, ERRAND_EINVAL, errno, "--items %.150s", path);
    return ERRAND_OK;
}

void items_dir_close(struct items_dir *dir)
{
    if (dir->path != NULL && dir->fd >= 0)
        (void)close(dir->fd);
    errand__mem_free(dir->last);
    *dir = (struct items_dir){.fd = -1};
}

/* A file beside, of a name that nobody else has. */
static int open_beside(struct items_dir *dir, char *name, size_t room)
{
    int fd = -1;

    for (int i = 0; i < TEMPS_MOST && fd < 0; i++) {
        (void)snprintf(name, room, ".errand-%d-%u", (int)getpid(), dir->attempts++);
        fd = openat(dir->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    return fd;
}

/* Where links are unknown, a name that is free is taken by moving. */
static bool give_name(const struct items_dir *dir, const char *beside, const char *name)
{
    if (linkat(dir->fd, beside, dir->fd, name, 0) == 0) {
        (void)unlinkat(dir->fd, beside, 0);
        return true;
    }
    if (errno != EPERM && errno != ENOTSUP && errno != ENOSYS)
        return false;
    if (faccessat(dir->fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
        errno = EEXIST;
        return false;
    }
    return renameat(dir->fd, beside, dir->fd, name) == 0;
}

/* The name that it got, to be freed; or NULL. Where many have the same name, all numbers that
 * others got are passed over: the thousandth does not ask for the first. */
static char *settle_name(struct items_dir *dir, const char *beside, const char *wanted)
{
    char *name = need_copy(wanted, strlen(wanted));

    for (unsigned number = 2; number < NUMBERS_MOST; number++) {
        if (give_name(dir, beside, name)) {
            dir->highest = number > dir->highest ? number : dir->highest;
            return name;
        }
        if (number == NUMBERS_TRIED && dir->highest > number)
            number = dir->highest;
        if (errno != EEXIST)
            break;
        errand__mem_free(name);
        name = numbered(wanted, number);
    }
    errand__mem_free(name);
    return NULL;
}

static bool keep(struct items_dir *dir, const char *wanted, const char *bytes, size_t len)
{
    char beside[64];
    AUTO_CLOSE int fd = open_beside(dir, beside, sizeof(beside));

    if (fd < 0)
        return false;
    AUTO_FREE char *name =
        whole_write(fd, span_of(bytes, len)) ? settle_name(dir, beside, wanted) : NULL;
    if (name == NULL) {
        int failure = errno;
        (void)unlinkat(dir->fd, beside, 0);
        errno = failure;
        return false;
    }
    size_t room = strlen(dir->path) + strlen(name) + 2;
    errand__mem_free(dir->last);
    dir->last = need_new(room, 1);
    (void)snprintf(dir->last, room, "%s%s%s", dir->path,
                   dir->path[strlen(dir->path) - 1] == '/' ? "" : "/", name);
    dir->kept++;
    return true;
}

static char *name_for(struct items_dir *dir, const struct item_view *item)
{
    size_t name_len = 0;
    size_t mime_len = 0;
    AUTO_FREE char *name = item_words(item->name, &name_len);
    AUTO_FREE char *mime = item_words(item->mime, &mime_len);

    bool image = span_starts(span_of(mime, mime_len), SPAN_LITERAL("image/"));
    unsigned number = base_of(span_of(name, name_len)).len > 0 ? 0
                      : image                                  ? ++dir->images
                                                               : ++dir->others;
    return items_dir_name(span_of(name, name_len), span_of(mime, mime_len),
                          image ? "image" : "file", number);
}

const char *items_dir_keep(struct items_dir *dir, const struct item_view *item)
{
    if (dir->path == NULL || dir->failed || item->data.len == 0)
        return NULL;
    AUTO_FREE char *bytes = need_new((size_t)item->size + 3, 1);
    if (!item_decode(item->data, bytes))
        return NULL;
    if (dir->kept == ITEMS_DIR_FILES_MAX) {
        dir->failed = true;
        (void)errand__fail(&dir->why, ERRAND_ELIMIT, 0, "--items %.150s: more than %d files",
                           dir->path, ITEMS_DIR_FILES_MAX);
        return NULL;
    }
    AUTO_FREE char *name = name_for(dir, item);
    if (keep(dir, name, bytes, (size_t)item->size))
        return dir->last;
    dir->failed = true;
    (void)errand__fail(&dir->why, ERRAND_EIO, errno, "--items %.100s: %.100s", dir->path, name);
    return NULL;
}
