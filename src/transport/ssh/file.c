/* file.c - the carrier's verbs, over a talk with the file service or through a shell. */
#include "transport/ssh/file.h"

#include "base/err.h"
#include "base/mem.h"
#include "transport/cargo.h"
#include "transport/ssh/road.h"
#include "transport/ssh/talk.h"

#include <poll.h>
#include <stdio.h>
#include <sys/random.h>

enum { CLEAR_US = 5 * 1000 * 1000 };

static struct ssh_file *file_of(errand_carrier *self)
{
    return (struct ssh_file *)(void *)self;
}

void errand__ssh_file_wake(struct ssh_file *file)
{
    errand__bell_ring(&file->bell);
}

void errand__ssh_file_detour(struct ssh_file *file)
{
    file->joined = false;
    file->detour = file->stage == SSH_FILE_WAITING;
    if (!file->detour)
        file->stage = SSH_FILE_OVER; /* It was stopped before. */
    errand__ssh_file_wake(file);
}

void errand__ssh_file_lose(struct ssh_file *file, const char *code, const errand_error *why)
{
    file->joined = false;
    if (file->code == NULL && why != NULL)
        file->lost = *why;
    if (file->code == NULL)
        file->code = code;
    if (file->standing)
        errand__ssh_sftp_leave_behind(&file->road->sftp, steal(&file->temporary));
    file->standing = false;
    file->stage = SSH_FILE_OVER;
    errand__ssh_file_wake(file);
}

/* --- The verbs ------------------------------------------------------------------------------- */

static errand_status tell_failure(const struct ssh_file *file, errand_error *err)
{
    if (file->lost.status == ERRAND_OK)
        return errand__cargo_fail(err, file->path, file->cargo.put != 0, file->code, NULL);
    if (err != NULL)
        *err = file->lost;
    return file->lost.status;
}

static errand_status next_of_get(struct ssh_file *file, errand_carrier_notice *out)
{
    if (file->stage != SSH_FILE_CARRYING)
        return ERRAND_AGAIN;
    if (errand__ssh_talk_has_all(file)) {
        errand__ssh_talk_end(file);
        file->told_over = true;
        *out = (errand_carrier_notice){.type = ERRAND_CARRIER_DONE};
        return ERRAND_OK;
    }
    errand_span bytes = errand__ssh_talk_lend(file);
    if (bytes.len == 0)
        return ERRAND_AGAIN;
    *out = (errand_carrier_notice){.type = ERRAND_CARRIER_BYTES, .bytes = bytes};
    return ERRAND_OK;
}

static errand_status next_of_put(struct ssh_file *file, errand_carrier_notice *out)
{
    if (file->stage != SSH_FILE_OVER || file->told_over)
        return ERRAND_AGAIN;
    file->told_over = true;
    *out = (errand_carrier_notice){.type = ERRAND_CARRIER_DONE};
    return ERRAND_OK;
}

static errand_status next_own(struct ssh_file *file, int64_t now_us, errand_carrier_notice *out,
                              errand_error *err)
{
    bool ready = file->stage == SSH_FILE_CARRYING || file->stage == SSH_FILE_NAMING ||
                 (file->stage == SSH_FILE_OVER && file->code == NULL);

    if (file->code != NULL && file->stage != SSH_FILE_OVER && file->clear_us == TIME_NEVER)
        file->clear_us = now_us + CLEAR_US;
    if (file->stage != SSH_FILE_OVER && now_us >= file->clear_us)
        errand__ssh_talk_abandon(file);
    if (file->code != NULL)
        return file->stage == SSH_FILE_OVER ? tell_failure(file, err) : ERRAND_AGAIN;
    if (ready && !file->told_ready) {
        file->told_ready = true;
        *out = (errand_carrier_notice){
            .type = ERRAND_CARRIER_READY, .size = file->cargo.size, .mode = file->cargo.mode};
        return ERRAND_OK;
    }
    return file->cargo.put != 0 ? next_of_put(file, out) : next_of_get(file, out);
}

/* The host has no such service. */
static errand_status take_detour(struct ssh_file *file, int64_t now_us, errand_error *err)
{
    errand_error why = {0};
    errand_status status =
        errand__channel_new(&file->inner, &file->road->base, &file->cargo, now_us, &why);

    file->detour = false;
    if (status == ERRAND_OK)
        return ERRAND_AGAIN;
    file->inner = NULL;
    errand__ssh_file_lose(file, "failed", &why);
    return tell_failure(file, err);
}

static errand_status file_next(errand_carrier *self, int64_t now_us, errand_scratch scratch,
                               errand_carrier_notice *out, errand_error *err)
{
    struct ssh_file *file = file_of(self);
    errand_status status = ERRAND_AGAIN;

    errand__bell_calm(&file->bell);
    if (file->inner == NULL) {
        errand__ssh_talk_take_back(file);
        errand__ssh_sftp_turn(&file->road->sftp, now_us);
        status = next_own(file, now_us, out, err);
        if (status == ERRAND_AGAIN && file->detour)
            status = take_detour(file, now_us, err);
    }
    if (file->inner == NULL)
        return status;
    return file->inner->ops->next(file->inner, now_us, scratch, out, err);
}

static errand_status file_send(errand_carrier *self, errand_span bytes, size_t *taken,
                               errand_error *err)
{
    struct ssh_file *file = file_of(self);

    if (file->inner != NULL)
        return file->inner->ops->send(file->inner, bytes, taken, err);
    *taken = 0;
    while (bytes.len > 0 && file->stage == SSH_FILE_CARRYING && file->joined &&
           !errand__ssh_sftp_is_full(&file->road->sftp)) {
        errand_span piece = span_head(bytes, SFTP_PIECE);
        if (!errand__ssh_talk_send(file, piece))
            break;
        *taken += piece.len;
        bytes = span_after(bytes, piece.len);
    }
    if (file->joined)
        errand__ssh_talk_go_on(file); /* That may have been all. */
    return ERRAND_OK;
}

static void file_stop(errand_carrier *self, int64_t now_us)
{
    struct ssh_file *file = file_of(self);

    if (file->inner != NULL) {
        file->inner->ops->stop(file->inner, now_us);
        return;
    }
    if (file->stage == SSH_FILE_OVER || file->code != NULL)
        return;
    file->clear_us = now_us + CLEAR_US;
    file->detour = false;
    errand__ssh_talk_stop(file);
    errand__ssh_road_wake(file->road);
    errand__ssh_file_wake(file);
}

static size_t file_wants(errand_carrier *self, int reading, int writing, struct pollfd *fds,
                         size_t fds_max, int64_t *due_us)
{
    struct ssh_file *file = file_of(self);

    if (file->inner != NULL)
        return file->inner->ops->wants(file->inner, reading, writing, fds, fds_max, due_us);
    *due_us = file->stage == SSH_FILE_OVER ? TIME_NEVER : file->clear_us;
    if (file->joined && file->road->sftp.due_us < *due_us)
        *due_us = file->road->sftp.due_us;
    if (fds_max > 0)
        fds[0] = (struct pollfd){file->bell.fd, POLLIN, 0};
    return 1;
}

static const char *file_code(errand_carrier *self)
{
    struct ssh_file *file = file_of(self);

    return file->inner != NULL ? file->inner->ops->code(file->inner) : file->code;
}

static void file_free(errand_carrier *self)
{
    struct ssh_file *file = file_of(self);

    if (file == NULL)
        return;
    if (file->inner != NULL)
        file->inner->ops->free(file->inner);
    else if (file->stage != SSH_FILE_OVER)
        errand__ssh_talk_abandon(file);
    errand__bell_deinit(&file->bell);
    for (size_t i = 0; i < COUNT(file->pieces); i++)
        errand__mem_free(file->pieces[i].bytes);
    errand__mem_free(file->temporary);
    errand__mem_free(file->path);
    errand__mem_free(file);
}

static const errand_carrier_ops file_ops = {.size = sizeof(errand_carrier_ops),
                                            .next = file_next,
                                            .send = file_send,
                                            .stop = file_stop,
                                            .wants = file_wants,
                                            .free = file_free,
                                            .code = file_code};

/* --- Beginning ------------------------------------------------------------------------------- */

/* ".errand-…" in the same folder; NULL: no memory or no random bytes. */
static char *beside(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t folder = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    unsigned char chance[8];
    char *name = errand__mem_new(folder + sizeof(".errand-") + 2 * sizeof(chance), 1);

    if (name == NULL || getrandom(chance, sizeof(chance), 0) != (ssize_t)sizeof(chance)) {
        errand__mem_free(name);
        return NULL;
    }
    memcpy(name, path, folder);
    int len = snprintf(name + folder, sizeof(".errand-"), ".errand-");
    for (size_t i = 0; i < sizeof(chance); i++)
        (void)snprintf(name + folder + len + 2 * i, 3, "%02x", chance[i]);
    return name;
}

errand_status errand__ssh_file_new(errand_carrier **out, struct ssh_road *road,
                                   const errand_cargo *cargo, errand_error *err)
{
    struct ssh_file *file = errand__mem_new(1, sizeof(*file));

    *out = NULL;
    if (file == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "files: no memory");
    file->base.ops = &file_ops;
    file->road = road;
    bool belled = errand__bell_init(&file->bell);
    file->clear_us = TIME_NEVER;
    file->path = errand__mem_copy(cargo->path, strlen(cargo->path));
    file->temporary = cargo->put != 0 ? beside(cargo->path) : NULL;
    file->cargo = *cargo;
    file->cargo.path = file->path;
    errand_status status = ERRAND_OK;
    if (!belled || file->path == NULL || (cargo->put != 0 && file->temporary == NULL))
        status = errand__fail(err, ERRAND_ENOMEM, 0, "files: no memory or no descriptor");
    if (status == ERRAND_OK)
        status = errand__ssh_sftp_join(&road->sftp, file, err);
    if (status != ERRAND_OK) {
        file->stage = SSH_FILE_OVER;
        file_free(&file->base);
        return status;
    }
    *out = &file->base;
    return ERRAND_OK;
}
