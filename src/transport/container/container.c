/* container.c - a child that is a client, and what its exit says of a process it is not.
 *
 * A signal ends the client and not the process in the container: that one ends with its standard
 * input. Where the client did not stay to see it, a second one looks until nothing of the run is
 * left. What a client says when it can't is told in words of its own (words.c). */
#include "transport/container/container.h"

#include "base/err.h"
#include "base/mem.h"
#include "transport/brand.h"
#include "transport/child.h"
#include "transport/container/words.h"
#include "transport/keeper.h"
#include "transport/orphans.h"

#include <poll.h>
#include <stdio.h>

enum {
    ROAD_PATIENCE_MS = 200, /* For those that the end of a road killed. */
    SEEK_WORDS = 16,        /* Of the mark, among the words of the process. */
    MARK_MOST = 64,         /* All of it. */
    HUSHED_MOST = 16,       /* Pieces in a row, since the far side can say the same words. */
    LAST_WORDS = 255,       /* Of the client; it says them in one piece. */
    SEEK_US = 8 * 1000 * 1000
};

struct container_road {
    errand_road base;
    struct container container;
    struct keeper *keeper; /* NULL: the container was there before. */
};

struct container_process {
    errand_process base;
    const struct container *container;
    errand_process *client, *seeker;
    struct container_said said;
    char mark[MARK_MOST + 1];
    bool opened, exited, stopped, closing, sought;
    bool
        found_out; /* The seeker has nothing more to say; what it named stays open until the end. */
    bool eof_held; /* Until it is known why. */
    bool gone;     /* The client is; exited says that it stayed to see the process go. */
    int seek_exit; /* -1: it did not. */
    int64_t due_us;
    const char *code;
    errand_error failure;
    char words[160];
    char last[LAST_WORDS + 1]; /* Of its stderr. */
};

static struct container_road *road_of(errand_road *self)
{
    return (struct container_road *)(void *)self;
}

static struct container_process *process_of(errand_process *self)
{
    return (struct container_process *)(void *)self;
}

/* --- Whether nothing is left ------------------------------------------------------------------ */

/* $1: a part of the mark; $2: the brand. Who has the former among its words or bears the latter is
 * waited for, then killed with its group. Exit code 3: somebody could not be killed. Of a zombie
 * nothing is left. The list is made before grep, which has the mark among its own words, exists. */
static const char seek_script[] =
    "i=0;while :;do f=;for d in /proc/[0-9]*;do p=${d#/proc/};[ \"$p\" = $$ ]&&continue;"
    "grep -q \"$1\" \"$d/cmdline\" 2>/dev/null||"
    "{ [ \"$2\" ]&&grep -q \"^Max file locks  *$2 \" \"$d/limits\" 2>/dev/null&&"
    "grep -q \") [^ZX] \" \"$d/stat\" 2>/dev/null;}&&f=\"$f $p\";done;"
    "[ \"$f\" ]||exit 0;i=$((i+1));[ $i -gt 40 ]&&exit 3;"
    "[ $i -gt 5 ]&&for p in $f;do kill -9 -$p 2>/dev/null;kill -9 $p 2>/dev/null;done;"
    "sleep 0.1 2>/dev/null||sleep 1;done";

static bool seek(struct container_process *process, int64_t now_us)
{
    const struct words *exec = &process->container->exec;
    char part[SEEK_WORDS + 1], brand[BRAND_TEXT];
    const char *const tail[] = {"/bin/sh", "-c", seek_script, "errand", part, brand};
    AUTO_FREE const char **argv = errand__mem_new(exec->count + COUNT(tail) + 1, sizeof(*argv));
    errand_error error = {0};
    size_t count = 0;

    if (argv == NULL)
        return false;
    (void)snprintf(part, sizeof(part), "%.*s", SEEK_WORDS, process->mark);
    errand__brand_of(brand, process->mark);
    for (size_t i = 0; i < exec->count; i++)
        argv[count++] = exec->list[i];
    for (size_t i = 0; i < COUNT(tail); i++)
        argv[count++] = tail[i];
    process->due_us = now_us + SEEK_US;
    return errand__child_new(&process->seeker, argv, &error) == ERRAND_OK;
}

/* true: it is over; seek_exit says how. */
static bool listen_to_seeker(struct container_process *process, int64_t now_us,
                             errand_scratch scratch)
{
    struct container_said *said = &process->said;
    errand_notice notice = {0};
    errand_error error = {0};
    errand_status status;

    while ((status = process->seeker->ops->next(process->seeker, now_us, scratch, &notice,
                                                &error)) == ERRAND_OK) {
        if (notice.type == ERRAND_NOTICE_OUT || notice.type == ERRAND_NOTICE_ERR)
            errand__container_hear(said, notice.bytes);
        if (notice.type != ERRAND_NOTICE_EXITED)
            continue;
        process->seek_exit = notice.exit_code;
        return true;
    }
    return status < 0 || now_us >= process->due_us;
}

/* A container that is not there any more, or does not run, has no process. */
static bool is_quiet(const struct container_process *process)
{
    const char *code = errand__container_meaning(&process->said, process->seek_exit, "", "", NULL);

    return process->seek_exit == 0 || (code != NULL && (strcmp(code, "container_not_found") == 0 ||
                                                        strcmp(code, "container_stopped") == 0));
}

static void tell_closed(struct container_process *process, errand_notice *out)
{
    bool unseen = process->sought && !is_quiet(process);

    process->words[0] = '\0';
    if (unseen)
        (void)snprintf(process->words, sizeof(process->words),
                       "%s: %.80s: nobody could see whether all processes of the run are gone",
                       process->container->client, process->container->name);
    *out = (errand_notice){
        .type = ERRAND_NOTICE_CLOSED, .bytes = span_text(process->words), .left = unseen};
}

/* --- A process -------------------------------------------------------------------------------- */

static bool needs_to_seek(const struct container_process *process)
{
    bool failed = process->code != NULL && strcmp(process->code, "lost") != 0;

    return process->opened && process->mark[0] != '\0' && !process->sought && !failed &&
           (process->stopped || !process->exited);
}

static errand_status next_closing(struct container_process *process, int64_t now_us,
                                  errand_scratch scratch, errand_notice *out, errand_error *err)
{
    if (process->seeker != NULL) {
        if (process->found_out || !listen_to_seeker(process, now_us, scratch))
            return ERRAND_AGAIN;
        process->found_out = true;
        tell_closed(process, out);
        return ERRAND_OK;
    }
    errand_status status = process->client->ops->next(process->client, now_us, scratch, out, err);
    if (status != ERRAND_OK || out->type != ERRAND_NOTICE_CLOSED || !needs_to_seek(process)) {
        process->exited |= status == ERRAND_OK && out->type == ERRAND_NOTICE_EXITED;
        return status;
    }
    process->sought = true;
    process->said = (struct container_said){0};
    process->seek_exit = -1;
    if (seek(process, now_us))
        return ERRAND_AGAIN;
    tell_closed(process, out);
    return ERRAND_OK;
}

/* Nobody but a process over there has joined the mark: the client's words have its halves at most.
 */
static bool has_spoken(const struct container_process *process)
{
    return strlen(process->mark) > SEEK_WORDS && strstr(process->said.text, process->mark) != NULL;
}

/* docker, of a daemon that died under it, or can't be reached any more: with a code or with words,
 * as chance will have it. A runner exits with neither code. */
static bool lost_its_daemon(const struct container_process *process, int exit_code)
{
    enum { NO_DAEMON = 255 };
    const char *last = process->last;

    if (strcmp(process->container->client, "docker") != 0)
        return false;
    return exit_code == NO_DAEMON ||
           (exit_code == 1 && (strstr(last, "error during connect") != NULL ||
                               strstr(last, "Cannot connect to the Docker daemon") != NULL ||
                               strstr(last, "unexpected EOF") != NULL));
}

/* An exit that was the client's own failure is told as such. */
static errand_status judge_exit(struct container_process *process, errand_notice *notice,
                                errand_error *err)
{
    enum { SIGNALS_FROM = 128, SIGNALS_TO = 128 + 64 };
    const struct container *container = process->container;

    process->gone = true;
    process->exited = notice->exit_signal == 0 && !process->stopped;
    if (process->stopped)
        return ERRAND_OK;
    if (!has_spoken(process))
        process->code =
            errand__container_meaning(&process->said, notice->exit_code, container->client,
                                      container->name, &process->failure);
    if (process->code == NULL && lost_its_daemon(process, notice->exit_code)) {
        process->code = "lost";
        process->exited = false;
        (void)errand__fail(&process->failure, ERRAND_EIO, 0,
                           "docker: %.120s: the daemon has gone, or the way to it",
                           container->name);
    }
    if (process->code == NULL) {
        /* As the client says that the process died of a signal. */
        if (notice->exit_code > SIGNALS_FROM && notice->exit_code <= SIGNALS_TO) {
            notice->exit_signal = notice->exit_code - SIGNALS_FROM;
            notice->exit_code = -1;
        }
        return ERRAND_OK;
    }
    process->eof_held = false;
    if (err != NULL)
        *err = process->failure;
    return process->failure.status;
}

/* The next notice of the client, without what it says of its own. */
static errand_status listen(struct container_process *process, int64_t now_us,
                            errand_scratch scratch, errand_notice *out, errand_error *err)
{
    for (unsigned hushed = 0;; hushed++) {
        errand_status status =
            process->client->ops->next(process->client, now_us, scratch, out, err);
        if (status != ERRAND_OK ||
            (out->type != ERRAND_NOTICE_OUT && out->type != ERRAND_NOTICE_ERR))
            return status;
        errand__container_hear(&process->said, out->bytes);
        if (out->type == ERRAND_NOTICE_ERR)
            (void)snprintf(process->last, sizeof(process->last), "%.*s",
                           (int)span_head(out->bytes, LAST_WORDS).len, out->bytes.ptr);
        if (out->type == ERRAND_NOTICE_ERR && hushed < HUSHED_MOST)
            out->bytes = errand__container_hush(process->container->client, out->bytes);
        if (out->bytes.len > 0)
            return ERRAND_OK;
    }
}

/* How the client exits will tell why its output ended. */
static bool awaits_exit(const struct container_process *process)
{
    return !process->gone && !process->stopped;
}

static errand_status container_next(errand_process *self, int64_t now_us, errand_scratch scratch,
                                    errand_notice *out, errand_error *err)
{
    struct container_process *process = process_of(self);

    if (process->closing)
        return next_closing(process, now_us, scratch, out, err);
    if (process->eof_held && !awaits_exit(process)) {
        process->eof_held = false;
        *out = (errand_notice){.type = ERRAND_NOTICE_EOF};
        return ERRAND_OK;
    }
    errand_status status = listen(process, now_us, scratch, out, err);
    /* A client that fails, or is failed, closes its output before it exits, and the exit says more.
     */
    if (status == ERRAND_OK && out->type == ERRAND_NOTICE_EOF && awaits_exit(process)) {
        process->eof_held = true;
        status = listen(process, now_us, scratch, out, err);
    }
    if (status != ERRAND_OK)
        return status;
    process->opened = true;
    return out->type == ERRAND_NOTICE_EXITED ? judge_exit(process, out, err) : ERRAND_OK;
}

static errand_status container_send(errand_process *self, errand_span bytes, size_t *taken,
                                    errand_error *err)
{
    struct container_process *process = process_of(self);

    return process->client->ops->send(process->client, bytes, taken, err);
}

static errand_status container_stop(errand_process *self, errand_stop how, int64_t now_us,
                                    errand_error *err)
{
    struct container_process *process = process_of(self);

    if (how == ERRAND_STOP_CLOSE)
        process->closing = true;
    else if (!process->exited)
        process->stopped = true;
    return process->client->ops->stop(process->client, how, now_us, err);
}

static size_t container_wants(errand_process *self, int reading, int writing, struct pollfd *fds,
                              size_t fds_max, int64_t *due_us)
{
    struct container_process *process = process_of(self);

    if (process->seeker == NULL) {
        size_t of_client =
            process->client->ops->wants(process->client, reading, writing, fds, fds_max, due_us);
        if (reading && process->eof_held && !process->closing && !awaits_exit(process))
            *due_us = 0; /* It has something to tell. */
        return of_client;
    }
    *due_us = TIME_NEVER;
    if (!reading || process->found_out)
        return 0;
    size_t count = process->seeker->ops->wants(process->seeker, 1, 0, fds, fds_max, due_us);
    if (process->due_us < *due_us)
        *due_us = process->due_us;
    return count;
}

static const char *container_code(errand_process *self)
{
    return process_of(self)->code;
}

static void container_process_free(errand_process *self)
{
    struct container_process *process = process_of(self);

    if (process == NULL)
        return;
    process->client->ops->free(process->client);
    if (process->seeker != NULL)
        process->seeker->ops->free(process->seeker);
    errand__mem_free(process);
}

static const errand_process_ops process_ops = {.size = sizeof(errand_process_ops),
                                               .next = container_next,
                                               .send = container_send,
                                               .stop = container_stop,
                                               .wants = container_wants,
                                               .free = container_process_free,
                                               .code = container_code};

/* --- The road --------------------------------------------------------------------------------- */

static errand_status container_open(errand_road *self, int64_t now_us, errand_error *err)
{
    struct container_road *road = road_of(self);

    return road->keeper == NULL ? ERRAND_OK : errand__keeper_open(road->keeper, now_us, err);
}

static const char **command_of(const struct container *container, const char *line)
{
    const char *const tail[] = {"/bin/sh", "-c", line};
    const char **argv = errand__mem_new(container->exec.count + COUNT(tail) + 1, sizeof(*argv));
    size_t count = 0;

    if (argv == NULL)
        return NULL;
    for (size_t i = 0; i < container->exec.count; i++)
        argv[count++] = container->exec.list[i];
    for (size_t i = 0; i < COUNT(tail); i++)
        argv[count++] = tail[i];
    return argv;
}

static errand_status container_launch(errand_road *self, const errand_launch *launch,
                                      int64_t now_us, errand_process **out, errand_error *err)
{
    const struct container *container = &road_of(self)->container;

    (void)now_us;
    *out = NULL;
    errand__orphans_bury(0);
    AUTO_FREE char *line = errand__brand_line(launch->mark, launch->line);
    AUTO_FREE const char **argv = line == NULL ? NULL : command_of(container, line);
    struct container_process *process = errand__mem_new(1, sizeof(*process));
    if (argv == NULL || process == NULL) {
        errand__mem_free(process);
        return errand__fail(err, ERRAND_ENOMEM, 0, "container: no memory");
    }
    process->base.ops = &process_ops;
    process->container = container;
    if (launch->mark != NULL)
        memcpy(process->mark, launch->mark, strnlen(launch->mark, MARK_MOST));
    errand_status status = errand__child_new(&process->client, argv, err);
    if (status != ERRAND_OK) {
        errand__mem_free(process);
        return status;
    }
    *out = &process->base;
    return ERRAND_OK;
}

static errand_status container_close(errand_road *self, int64_t now_us, errand_error *err)
{
    struct container_road *road = road_of(self);

    return road->keeper == NULL ? ERRAND_OK : errand__keeper_close(road->keeper, now_us, err);
}

static size_t container_road_wants(errand_road *self, struct pollfd *fds, size_t fds_max,
                                   int64_t *due_us)
{
    struct container_road *road = road_of(self);

    *due_us = TIME_NEVER;
    return road->keeper == NULL ? 0 : errand__keeper_wants(road->keeper, fds, fds_max, due_us);
}

static void container_tend(errand_road *self, int64_t now_us)
{
    struct container_road *road = road_of(self);

    if (road->keeper != NULL)
        errand__keeper_tend(road->keeper, now_us);
}

static const char *container_road_code(errand_road *self)
{
    const struct container_road *road = road_of(self);

    return road->keeper == NULL ? NULL : errand__keeper_code(road->keeper);
}

static void container_road_free(errand_road *self)
{
    struct container_road *road = road_of(self);

    if (road == NULL)
        return;
    errand__keeper_free(road->keeper);
    errand__container_deinit(&road->container);
    errand__mem_free(road);
    errand__orphans_bury(ROAD_PATIENCE_MS);
}

/* A child's silence says nothing, and the end of its stdin says all: there is no lease. */
static const errand_road_ops road_ops = {.size = sizeof(errand_road_ops),
                                         .name = "container",
                                         .open = container_open,
                                         .launch = container_launch,
                                         .close = container_close,
                                         .wants = container_road_wants,
                                         .free = container_road_free,
                                         .lease_ms = 0,
                                         .delivery = ERRAND_DELIVERY_STDIN,
                                         .tend = container_tend,
                                         .code = container_road_code};

void errand__container_deinit(struct container *container)
{
    errand__mem_free(container->name);
    errand__words_deinit(&container->exec);
    errand__words_deinit(&container->start);
    errand__words_deinit(&container->clear);
    *container = (struct container){0};
}

errand_status errand__container_road_new(errand_road **out, struct container *container,
                                         errand_error *err)
{
    struct container_road *road = errand__mem_new(1, sizeof(*road));

    *out = NULL;
    if (road == NULL) {
        errand__container_deinit(container);
        return errand__fail(err, ERRAND_ENOMEM, 0, "container: no memory");
    }
    road->base.ops = &road_ops;
    road->container = *container;
    *container = (struct container){0};
    errand_status status = ERRAND_OK;
    if (road->container.start.count > 0)
        status = errand__keeper_new(&road->keeper, &road->container, err);
    if (status != ERRAND_OK) {
        container_road_free(&road->base);
        return status;
    }
    *out = &road->base;
    return ERRAND_OK;
}
