/* keeper.c - one client that stays, and at the end maybe a second one that removes by force. */
#include "transport/keeper.h"

#include "base/err.h"
#include "base/mem.h"
#include "transport/child.h"
#include "transport/container/words.h"

#include <poll.h>

enum {
    KEEPER_SCRATCH = 4096,
    BYE_US = 5 * 1000 * 1000,  /* Asked to go: the container stops and is removed. */
    CLEAR_US = 5 * 1000 * 1000 /* Removed by force. */
};

#define READY "errand-is-ready"

/* Standard input is read by a child of the first process, which itself only waits, since a shell
 * that waits reaps whatever is orphaned in its container. */
const char errand__keeper_script[] =
    "echo " READY ";exec 3<&0;"
    "{ while IFS= read -r l <&3;do [ \"$l\" = bye ]&&break;done;}& wait $!;exit 0";

enum keeper_phase { KEEPER_STARTS, KEEPER_RUNS, KEEPER_LEAVES, KEEPER_CLEARS, KEEPER_OVER };

struct keeper {
    const struct container *container;
    errand_process *client, *clearer; /* Or NULL. */
    enum keeper_phase phase;
    struct container_said said;
    bool exited, clear_failed;
    int exit_code;
    int64_t due_us;
    const char *code;
    errand_error failure;
    char scratch[KEEPER_SCRATCH];
};

static errand_status launch(errand_process **out, const struct words *words, errand_error *err)
{
    return errand__child_new(out, (const char *const *)words->list, err);
}

errand_status errand__keeper_new(struct keeper **out, const struct container *container,
                                 errand_error *err)
{
    struct keeper *keeper = errand__mem_new(1, sizeof(*keeper));

    *out = NULL;
    if (keeper == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "container: no memory");
    keeper->container = container;
    keeper->due_us = TIME_NEVER;
    *out = keeper;
    return ERRAND_OK;
}

static void fail(struct keeper *keeper)
{
    const struct container *container = keeper->container;

    keeper->code = errand__container_meaning(&keeper->said, keeper->exit_code, container->client,
                                             container->name, &keeper->failure);
    if (keeper->code != NULL)
        return;
    keeper->code = "place_failed";
    (void)errand__fail(&keeper->failure, ERRAND_EIO, 0, "%s: %.80s: ended at once, exit code %d",
                       container->client, container->name, keeper->exit_code);
}

/* Takes all that the client says now. */
static void listen_all(struct keeper *keeper, int64_t now_us)
{
    errand_scratch scratch = {keeper->scratch, sizeof(keeper->scratch)};
    errand_notice notice = {0};
    errand_error error = {0};
    errand_status status = ERRAND_OK;

    while (keeper->client != NULL && !keeper->exited &&
           (status = keeper->client->ops->next(keeper->client, now_us, scratch, &notice, &error)) ==
               ERRAND_OK) {
        if (notice.type == ERRAND_NOTICE_OUT || notice.type == ERRAND_NOTICE_ERR)
            errand__container_hear(&keeper->said, notice.bytes);
        if (notice.type == ERRAND_NOTICE_EXITED) {
            keeper->exited = true;
            keeper->exit_code = notice.exit_code;
        }
    }
    if (status < 0) {
        keeper->exited = true;
        keeper->code = "spawn_failed";
        keeper->failure = error;
    }
}

errand_status errand__keeper_open(struct keeper *keeper, int64_t now_us, errand_error *err)
{
    if (keeper->client == NULL) {
        errand_status status = launch(&keeper->client, &keeper->container->start, err);
        if (status != ERRAND_OK)
            return status;
    }
    listen_all(keeper, now_us);
    if (strstr(keeper->said.text, READY) != NULL) {
        keeper->phase = KEEPER_RUNS;
        return ERRAND_OK;
    }
    if (!keeper->exited)
        return ERRAND_AGAIN;
    if (keeper->code == NULL)
        fail(keeper);
    if (err != NULL)
        *err = keeper->failure;
    return keeper->failure.status;
}

const char *errand__keeper_code(const struct keeper *keeper)
{
    return keeper->code;
}

void errand__keeper_tend(struct keeper *keeper, int64_t now_us)
{
    listen_all(keeper, now_us);
}

/* --- Closing ---------------------------------------------------------------------------------- */

static void begin_leaving(struct keeper *keeper, int64_t now_us)
{
    errand_error error = {0};
    size_t taken = 0;

    keeper->phase = KEEPER_LEAVES;
    keeper->due_us = now_us + BYE_US;
    (void)keeper->client->ops->send(keeper->client, SPAN_LITERAL("bye\n"), &taken, &error);
}

/* A client that stayed until the end has seen the container removed. */
static void begin_clearing(struct keeper *keeper, int64_t now_us)
{
    errand_error error = {0};

    keeper->phase = KEEPER_CLEARS;
    keeper->due_us = now_us + CLEAR_US;
    if (keeper->client != NULL)
        (void)keeper->client->ops->stop(keeper->client, ERRAND_STOP_KILL, now_us, &error);
    if (launch(&keeper->clearer, &keeper->container->clear, &error) != ERRAND_OK) {
        keeper->clear_failed = true;
        keeper->phase = KEEPER_OVER;
    }
}

/* The client is asked to remove what is gone already most of the time; that is fine too. */
static void listen_clearer(struct keeper *keeper, int64_t now_us)
{
    errand_scratch scratch = {keeper->scratch, sizeof(keeper->scratch)};
    struct container_said said = {0};
    errand_notice notice = {0};
    errand_error error = {0};
    errand_status status;

    while ((status = keeper->clearer->ops->next(keeper->clearer, now_us, scratch, &notice,
                                                &error)) == ERRAND_OK) {
        if (notice.type == ERRAND_NOTICE_ERR)
            errand__container_hear(&said, notice.bytes);
        if (notice.type != ERRAND_NOTICE_EXITED)
            continue;
        keeper->clear_failed =
            notice.exit_code != 0 && strstr(said.text, "o such container") == NULL;
        keeper->phase = KEEPER_OVER;
        return;
    }
    if (status < 0 || now_us >= keeper->due_us) {
        keeper->clear_failed = true;
        keeper->phase = KEEPER_OVER;
    }
}

errand_status errand__keeper_close(struct keeper *keeper, int64_t now_us, errand_error *err)
{
    if (keeper->client == NULL)
        return ERRAND_OK; /* It was never started. */
    if (keeper->phase == KEEPER_STARTS)
        begin_clearing(keeper, now_us); /* Half way up, or it failed. */
    if (keeper->phase == KEEPER_RUNS)
        begin_leaving(keeper, now_us);
    listen_all(keeper, now_us);
    if (keeper->phase == KEEPER_LEAVES && keeper->exited && keeper->exit_code == 0)
        keeper->phase = KEEPER_OVER;
    if (keeper->phase == KEEPER_LEAVES && (keeper->exited || now_us >= keeper->due_us))
        begin_clearing(keeper, now_us);
    if (keeper->phase == KEEPER_CLEARS)
        listen_clearer(keeper, now_us);
    if (keeper->phase != KEEPER_OVER)
        return ERRAND_AGAIN;
    return keeper->clear_failed ? errand__fail(err, ERRAND_EIO, 0, "%s: %.120s may be left",
                                               keeper->container->client, keeper->container->name)
                                : ERRAND_OK;
}

static void add_wants(errand_process *process, struct pollfd *fds, size_t fds_max, size_t *count,
                      int64_t *due_us)
{
    int64_t its_due_us = TIME_NEVER;
    size_t room = *count < fds_max ? fds_max - *count : 0;

    if (process == NULL)
        return;
    *count += process->ops->wants(process, 1, 0, fds + (room > 0 ? *count : 0), room, &its_due_us);
    if (its_due_us < *due_us)
        *due_us = its_due_us;
}

size_t errand__keeper_wants(struct keeper *keeper, struct pollfd *fds, size_t fds_max,
                            int64_t *due_us)
{
    size_t count = 0;

    *due_us = keeper->phase == KEEPER_OVER ? TIME_NEVER : keeper->due_us;
    if (keeper->phase == KEEPER_OVER)
        return 0;
    if (!keeper->exited)
        add_wants(keeper->client, fds, fds_max, &count, due_us);
    add_wants(keeper->clearer, fds, fds_max, &count, due_us);
    return count;
}

void errand__keeper_free(struct keeper *keeper)
{
    if (keeper == NULL)
        return;
    if (keeper->client != NULL)
        keeper->client->ops->free(keeper->client);
    if (keeper->clearer != NULL)
        keeper->clearer->ops->free(keeper->clearer);
    errand__mem_free(keeper);
}
