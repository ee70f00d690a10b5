/* exec.c - makes the command line of a launch; knows nothing of what comes of the child. */
#include "transport/exec.h"

#include "base/err.h"
#include "base/mem.h"
#include "transport/cargo.h"
#include "transport/child.h"
#include "transport/jail.h"
#include "transport/orphans.h"

#include <poll.h>

/* How long the end of a road waits for those that it killed. */
enum { ROAD_PATIENCE_MS = 200 };

struct exec_road {
    errand_road base;
    enum exec_kind kind;
    struct words prefix;
};

static struct exec_road *road_of(errand_road *self)
{
    return (struct exec_road *)(void *)self;
}

static errand_status exec_open(errand_road *self, int64_t now_us, errand_error *err)
{
    (void)self, (void)now_us, (void)err;
    return ERRAND_OK;
}

/* No shell starts only to become another. *out stays NULL where the line is not of that kind. */
static errand_status launch_shell(errand_process **out, const char *line, errand_error *err)
{
    struct words words = {0};
    errand_status status = errand__words_of_shell(&words, line, err);

    if (status == ERRAND_OK && words.count > 0)
        status = errand__child_new(out, (const char *const *)words.list, err);
    errand__words_deinit(&words);
    return status;
}

/* The words that a launch runs; they are borrowed from the prefix and the launch. */
static const char **command_of(const struct exec_road *road, const char *line)
{
    static const char *const shell[] = {"/bin/sh", "-c"};
    const char **argv = errand__mem_new(road->prefix.count + COUNT(shell) + 2, sizeof(*argv));
    size_t count = 0;

    if (argv == NULL)
        return NULL;
    for (size_t i = 0; i < road->prefix.count; i++)
        argv[count++] = road->prefix.list[i];
    for (size_t i = 0; road->kind != EXEC_SHELL && i < COUNT(shell); i++)
        argv[count++] = shell[i];
    argv[count++] = line;
    return argv;
}

static errand_status exec_launch(errand_road *self, const errand_launch *launch, int64_t now_us,
                                 errand_process **out, errand_error *err)
{
    (void)now_us;
    *out = NULL;
    errand__orphans_bury(0);
    if (road_of(self)->kind == EXEC_LOCAL) {
        errand_status status = launch_shell(out, launch->line, err);
        if (status != ERRAND_OK || *out != NULL)
            return status;
    }
    AUTO_FREE const char **argv = command_of(road_of(self), launch->line);
    if (argv == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "exec: no memory");
    return road_of(self)->kind == EXEC_JAIL ? errand__child_new_jailed(out, argv, err)
                                            : errand__child_new(out, argv, err);
}

static errand_status jail_open(errand_road *self, int64_t now_us, errand_error *err)
{
    (void)self, (void)now_us;
    return errand__jail_ready(err);
}

static errand_status exec_close(errand_road *self, int64_t now_us, errand_error *err)
{
    (void)self, (void)now_us, (void)err;
    return ERRAND_OK;
}

static size_t exec_wants(errand_road *self, struct pollfd *fds, size_t fds_max, int64_t *due_us)
{
    (void)self, (void)fds, (void)fds_max;
    *due_us = TIME_NEVER;
    return 0;
}

static void exec_free(errand_road *self)
{
    struct exec_road *road = road_of(self);

    if (road == NULL)
        return;
    errand__words_deinit(&road->prefix);
    errand__mem_free(road);
    errand__orphans_bury(ROAD_PATIENCE_MS);
}

static errand_status local_carry(errand_road *self, const errand_cargo *cargo, int64_t now_us,
                                 errand_carrier **out, errand_error *err)
{
    (void)self, (void)now_us;
    return errand__files_new(out, cargo, err);
}

static errand_status jail_carry(errand_road *self, const errand_cargo *cargo, int64_t now_us,
                                errand_carrier **out, errand_error *err)
{
    (void)self, (void)cargo, (void)now_us;
    *out = NULL;
    return errand__fail(err, ERRAND_ENOSYS, 0,
                        "local?jail: what a run writes there is gone with it, so that there is "
                        "nothing to copy to or from: take local, or let a tool hand it over");
}

/* A child's silence says nothing, and the end of its stdin says all: there is no lease. */
#define EXEC_OPS(words, opening, way)                                                       \
    {                                                                                       \
        .size = sizeof(errand_road_ops), .name = (words), .open = (opening),                \
        .launch = exec_launch, .close = exec_close, .wants = exec_wants, .free = exec_free, \
        .lease_ms = 0, .delivery = ERRAND_DELIVERY_STDIN, .carry = (way)                    \
    }

static const errand_road_ops exec_ops[] = {
    [EXEC_LOCAL] = EXEC_OPS("local", exec_open, local_carry),
    [EXEC_WORDS] = EXEC_OPS("exec", exec_open, NULL),
    [EXEC_SHELL] = EXEC_OPS("shell", exec_open, NULL),
    [EXEC_JAIL] = EXEC_OPS("jail", jail_open, jail_carry),
};

errand_status errand__exec_road_new(errand_road **out, enum exec_kind kind, struct words *prefix,
                                    errand_error *err)
{
    struct exec_road *road = errand__mem_new(1, sizeof(*road));

    *out = NULL;
    if (road == NULL) {
        errand__words_deinit(prefix);
        return errand__fail(err, ERRAND_ENOMEM, 0, "exec: no memory");
    }
    road->base.ops = &exec_ops[kind];
    road->kind = kind;
    road->prefix = *prefix;
    *prefix = (struct words){0};
    *out = &road->base;
    return ERRAND_OK;
}
