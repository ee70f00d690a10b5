/* files.c - the far end of a file where the far side is this machine: plain files, a piece at a
 * time. Knows no loop; between two pieces others get their turn. */
#include "transport/beside.h"
#include "transport/cargo.h"

#include "base/err.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct files {
    errand_carrier base;
    bool put, told_ready, told_done;
    char *path;
    uint64_t size, carried;
    uint32_t mode;
    int source; /* Get; else -1. */
    struct beside target;
    const char *code;
};

static struct files *files_of(errand_carrier *self)
{
    return (struct files *)(void *)self;
}

static errand_status fail(struct files *files, const char *code, errand_error *err)
{
    files->code = code;
    errand__beside_deinit(&files->target);
    return errand__cargo_fail(err, files->path, files->put, code, NULL);
}

static errand_status open_source(struct files *files, errand_error *err)
{
    struct stat facts;

    /* Without O_NONBLOCK a named pipe would hold everybody up. */
    files->source = open(files->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (files->source < 0 || fstat(files->source, &facts) != 0)
        return fail(files, errand__cargo_code(errno), err);
    if (S_ISDIR(facts.st_mode))
        return fail(files, "is_folder", err);
    if (!S_ISREG(facts.st_mode))
        return fail(files, "no_file", err);
    if ((uint64_t)facts.st_size > files->size)
        return fail(files, "too_large", err);
    files->size = (uint64_t)facts.st_size;
    files->mode = (uint32_t)facts.st_mode & 0777;
    return ERRAND_OK;
}

static errand_status make_ready(struct files *files, errand_carrier_notice *out, errand_error *err)
{
    errand_status status = ERRAND_OK;

    if (files->put) {
        int failure = errand__beside_open(&files->target, files->path);
        if (failure == ENOENT)
            return fail(files, "no_folder", err);
        if (failure != 0)
            return fail(files, errand__cargo_code(failure), err);
    } else {
        status = open_source(files, err);
    }
    files->told_ready = true;
    *out = (errand_carrier_notice){
        .type = ERRAND_CARRIER_READY, .size = files->size, .mode = files->mode};
    return status;
}

static errand_status read_piece(struct files *files, errand_scratch scratch,
                                errand_carrier_notice *out, errand_error *err)
{
    uint64_t left = files->size - files->carried;
    ssize_t got = 0;

    do
        got = read(files->source, scratch.ptr, left < scratch.len ? (size_t)left : scratch.len);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return fail(files, errand__cargo_code(errno), err);
    if (got == 0)
        return fail(files, "changed", err);
    files->carried += (uint64_t)got;
    *out = (errand_carrier_notice){.type = ERRAND_CARRIER_BYTES,
                                   .bytes = span_of(scratch.ptr, (size_t)got)};
    return ERRAND_OK;
}

static errand_status files_next(errand_carrier *self, int64_t now_us, errand_scratch scratch,
                                errand_carrier_notice *out, errand_error *err)
{
    struct files *files = files_of(self);

    (void)now_us;
    if (files->code != NULL)
        return errand__cargo_fail(err, files->path, files->put, files->code, NULL);
    if (!files->told_ready)
        return make_ready(files, out, err);
    if (files->told_done)
        return ERRAND_AGAIN;
    if (files->carried < files->size)
        return files->put ? ERRAND_AGAIN : read_piece(files, scratch, out, err);
    if (!files->put && errand__cargo_goes_on(files->source, files->size))
        return fail(files, "changed", err);
    int failure = files->put ? errand__beside_finish(&files->target, files->mode) : 0;
    if (failure != 0)
        return fail(files, errand__cargo_code(failure), err);
    files->told_done = true;
    *out = (errand_carrier_notice){.type = ERRAND_CARRIER_DONE};
    return ERRAND_OK;
}

static errand_status files_send(errand_carrier *self, errand_span bytes, size_t *taken,
                                errand_error *err)
{
    struct files *files = files_of(self);
    int failure = errand__beside_write(&files->target, bytes);

    *taken = 0;
    if (failure != 0)
        return fail(files, errand__cargo_code(failure), err);
    files->carried += bytes.len;
    *taken = bytes.len;
    return ERRAND_OK;
}

static void files_stop(errand_carrier *self, int64_t now_us)
{
    struct files *files = files_of(self);

    (void)now_us;
    if (files->code == NULL && !files->told_done)
        (void)fail(files, "cancelled", NULL);
}

/* There is nothing to wait for; the driver comes back by itself as long as there is work. */
static size_t files_wants(errand_carrier *self, int reading, int writing, struct pollfd *fds,
                          size_t fds_max, int64_t *due_us)
{
    (void)self, (void)fds, (void)fds_max;
    *due_us = reading || writing ? 0 : TIME_NEVER;
    return 0;
}

static const char *files_code(errand_carrier *self)
{
    return files_of(self)->code;
}

static void files_free(errand_carrier *self)
{
    struct files *files = files_of(self);

    if (files == NULL)
        return;
    errand__auto_close(&files->source);
    errand__beside_deinit(&files->target);
    errand__mem_free(files->path);
    errand__mem_free(files);
}

static const errand_carrier_ops files_ops = {.size = sizeof(errand_carrier_ops),
                                             .next = files_next,
                                             .send = files_send,
                                             .stop = files_stop,
                                             .wants = files_wants,
                                             .free = files_free,
                                             .code = files_code};

errand_status errand__files_new(errand_carrier **out, const errand_cargo *cargo, errand_error *err)
{
    struct files *files = errand__mem_new(1, sizeof(*files));

    *out = NULL;
    if (files == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "files: no memory");
    *files = (struct files){.base.ops = &files_ops,
                            .put = cargo->put != 0,
                            .path = errand__mem_copy(cargo->path, strlen(cargo->path)),
                            .size = cargo->size,
                            .mode = cargo->mode,
                            .source = -1,
                            .target = {.fd = -1}};
    if (files->path == NULL) {
        files_free(&files->base);
        return errand__fail(err, ERRAND_ENOMEM, 0, "files: no memory");
    }
    *out = &files->base;
    return ERRAND_OK;
}
