/* dial.c - the thread, and what it shares with the loop: a desk, a flag and a result.
 *
 * The thread and the loop each hold the dial; who lets go last frees it. So a thread that is
 * stuck in a name lookup is left to itself. */
#include "transport/ssh/dial.h"

#include "base/err.h"
#include "base/mem.h"
#include "transport/ssh/client.h"
#include "transport/ssh/config.h"
#include "transport/ssh/connect.h"
#include "transport/ssh/desk.h"
#include "transport/ssh/diary.h"
#include "transport/ssh/host.h"
#include "transport/ssh/known.h"
#include "transport/ssh/login.h"
#include "transport/ssh/patience.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum {
    CLIENT_MS = 10 * 1000,
    CONFIG_MOST = 256 * 1024,
    GREETINGS = 6, /* A busy host (MaxStartups) hangs up on some. */
    GREETING_PAUSE_MS = 100,
    LEAVE_MS = 200 /* How long who drops the dial waits for the thread, which is asked to leave. */
};

struct ssh_dial {
    pthread_t thread;
    atomic_uint holders;
    atomic_bool over;
    int wake_fd;
    struct ssh_patience patience;
    struct ssh_desk desk;
    struct ssh_diary diary;
    struct ssh_target target;
    struct ssh_vault vault;
    char *agent; /* SSH_AUTH_SOCK, read by the loop's thread. */
    struct ssh_config config;
    struct ssh_known *known;
    char *known_name;
    struct ssh_dialled result;
};

static void let_go(struct ssh_dial *dial)
{
    if (atomic_fetch_sub(&dial->holders, 1) > 1)
        return;
    errand__ssh_wire_free(dial->result.wire);
    errand__ssh_config_deinit(&dial->config);
    if (dial->known != NULL)
        errand__ssh_known_deinit(dial->known);
    errand__mem_free(dial->known);
    errand__mem_free(dial->known_name);
    errand__mem_free(dial->agent);
    errand__ssh_vault_deinit(&dial->vault);
    errand__ssh_target_deinit(&dial->target);
    errand__ssh_desk_deinit(&dial->desk);
    errand__ssh_diary_deinit(&dial->diary);
    errand__ssh_patience_deinit(&dial->patience);
    errand__auto_close(&dial->wake_fd);
    errand__mem_free(dial);
}

/* --- The thread ----------------------------------------------------------------------------- */

static errand_status read_config(struct ssh_dial *dial, errand_error *err)
{
    struct buf text;

    errand__buf_init(&text, CONFIG_MOST);
    errand_status status = errand__ssh_config_init(&dial->config, &dial->target, dial->agent, err);
    if (status == ERRAND_OK) {
        errand__ssh_patience_start(&dial->patience, CLIENT_MS);
        status = errand__ssh_client_ask(&dial->target, &dial->patience, &text, err);
        if (status == ERRAND_OK)
            status = errand__ssh_config_read(&dial->config, errand__buf_peek(&text), err);
    }
    errand__buf_deinit(&text);
    if (status == ERRAND_AGAIN && dial->target.config != NULL)
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "ssh: no ssh client is installed here to read %.120s",
                            dial->target.config);
    const char *source = status == ERRAND_AGAIN ? "no ssh client is here, so by default"
                                                : "the ssh client was asked";
    if (status >= 0)
        status = errand__ssh_config_override(&dial->config, &dial->target, err);
    if (status == ERRAND_OK)
        errand__ssh_diary_note(&dial->diary, "%s: %.60s port %u as %.40s", source,
                               dial->config.hostname, dial->config.port, dial->config.user);
    return status;
}

static errand_status read_known(struct ssh_dial *dial, errand_error *err)
{
    const struct words *files = &dial->config.known_files;
    errand_status status = ERRAND_OK;

    dial->known = errand__mem_new(1, sizeof(*dial->known));
    dial->known_name = errand__ssh_config_known_name(&dial->config);
    if (dial->known == NULL || dial->known_name == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "ssh: no memory");
    for (size_t i = 0; i < files->count && status == ERRAND_OK; i++)
        status = errand__ssh_known_load(dial->known, files->list[i], dial->known_name, err);
    errand__ssh_diary_note(&dial->diary, "known hosts were read: %zu keys of %.100s",
                           dial->known->count, dial->known_name);
    return status;
}

static errand_status reach(struct ssh_dial *dial, struct ssh_wire **wire, errand_error *err)
{
    struct ssh_proxy proxy = {.err = -1};
    errand_status status = ERRAND_OK;
    int in = -1, out = -1;

    if (errand__ssh_proxy_is_wanted(&dial->config)) {
        dial->result.code = "connect_failed";
        status =
            errand__ssh_proxy_start(&proxy, &dial->config, dial->target.config, &in, &out, err);
        errand__ssh_diary_note(&dial->diary, "started the command that leads there: %d",
                               (int)proxy.pid);
    } else {
        status = errand__ssh_connect(&dial->config, &dial->patience, &dial->diary, &in,
                                     &dial->result.code, err);
        out = in;
    }
    return status == ERRAND_OK ? errand__ssh_wire_new(wire, in, out, &proxy, err) : status;
}

static bool pause_greeting(struct ssh_dial *dial, int attempt)
{
    errand__ssh_diary_note(&dial->diary, "it hung up before its first word: again after %d ms",
                           GREETING_PAUSE_MS << attempt);
    errand__ssh_patience_start(&dial->patience, GREETING_PAUSE_MS << attempt);
    return errand__ssh_patience_wait(&dial->patience, NULL, 0) == SSH_WAITED_TIMEOUT;
}

/* OK: *wire is encrypted, and the host is the one that it should be. */
static errand_status meet(struct ssh_dial *dial, struct ssh_wire **wire, errand_error *err)
{
    errand_status status = ERRAND_AGAIN;

    for (int attempt = 0; status == ERRAND_AGAIN && attempt < GREETINGS; attempt++) {
        if (attempt > 0 && !pause_greeting(dial, attempt - 1))
            break;
        errand__err_clear(err);
        status = reach(dial, wire, err);
        if (status != ERRAND_OK)
            return status;
        struct ssh_host host = {.wire = *wire,
                                .config = &dial->config,
                                .target = &dial->target,
                                .known = dial->known,
                                .known_name = dial->known_name,
                                .diary = &dial->diary,
                                .patience = &dial->patience};
        status = errand__ssh_host_greet(&host, err);
        if (status == ERRAND_OK)
            status = errand__ssh_host_verify(&host, err);
        dial->result.code = host.code;
        if (status != ERRAND_OK)
            errand__ssh_wire_free(steal(wire));
    }
    return status == ERRAND_AGAIN ? ERRAND_EIO : status;
}

static errand_status dial_all(struct ssh_dial *dial, struct ssh_wire **wire, errand_error *err)
{
    errand_status status = read_config(dial, err);

    if (status == ERRAND_OK)
        status = read_known(dial, err);
    if (status != ERRAND_OK)
        dial->result.code = "config_failed";
    if (status == ERRAND_OK)
        status = meet(dial, wire, err);
    if (status != ERRAND_OK)
        return status;
    struct ssh_login login = {.wire = *wire,
                              .config = &dial->config,
                              .patience = &dial->patience,
                              .desk = &dial->desk,
                              .diary = &dial->diary,
                              .vault = &dial->vault};
    status = errand__ssh_login(&login, err);
    if (status != ERRAND_OK)
        dial->result.code = "auth_failed";
    return status;
}

static void *run_dial(void *ctx)
{
    struct ssh_dial *dial = ctx;
    struct ssh_wire *wire = NULL;
    uint64_t one = 1;

    if (dial_all(dial, &wire, &dial->result.error) != ERRAND_OK) {
        errand__ssh_wire_free(wire);
        wire = NULL;
    }
    dial->result.wire = wire;
    dial->result.alive_s = dial->config.alive_s;
    dial->result.alive_count = dial->config.alive_count;
    atomic_store(&dial->over, true);
    (void)!write(dial->wake_fd, &one, sizeof(one));
    let_go(dial);
    return NULL;
}

/* --- The loop ------------------------------------------------------------------------------- */

/* Signals of the process are its owner's: none should land on our thread. */
static errand_status start_thread(struct ssh_dial *dial, errand_error *err)
{
    sigset_t all, before;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    atomic_store(&dial->holders, 2);
    int failure = pthread_create(&dial->thread, NULL, run_dial, dial);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure == 0)
        return ERRAND_OK;
    atomic_store(&dial->holders, 1);
    return errand__fail(err, ERRAND_EIO, failure, "ssh: no thread to dial with");
}

static errand_status prepare(struct ssh_dial *dial, const struct ssh_target *target,
                             errand_error *err)
{
    const char *agent = getenv("SSH_AUTH_SOCK");

    dial->patience = (struct ssh_patience){-1, -1};
    dial->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    errand__ssh_desk_init(&dial->desk, dial->wake_fd);
    errand__ssh_diary_init(&dial->diary, dial->wake_fd);
    atomic_store(&dial->holders, 1);
    if (dial->wake_fd < 0)
        return errand__fail(err, ERRAND_EIO, errno, "ssh: no descriptor");
    if (agent != NULL)
        dial->agent = errand__mem_copy(agent, strlen(agent));
    errand_status status = errand__ssh_patience_init(&dial->patience, err);
    return status == ERRAND_OK ? errand__ssh_target_copy(&dial->target, target, err) : status;
}

errand_status errand__ssh_dial_start(struct ssh_dial **out, const struct ssh_target *target,
                                     struct ssh_vault *vault, errand_error *err)
{
    struct ssh_dial *dial = errand__mem_new(1, sizeof(*dial));

    *out = NULL;
    if (dial == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "ssh: no memory");
    errand_status status = prepare(dial, target, err);
    dial->vault = *vault;
    *vault = (struct ssh_vault){0};
    if (status == ERRAND_OK)
        status = start_thread(dial, err);
    if (status != ERRAND_OK) {
        let_go(dial);
        return status;
    }
    *out = dial;
    return ERRAND_OK;
}

int errand__ssh_dial_fd(const struct ssh_dial *dial)
{
    return dial->wake_fd;
}

bool errand__ssh_dial_question(struct ssh_dial *dial, errand_ask *out)
{
    return errand__ssh_desk_next(&dial->desk, out);
}

bool errand__ssh_dial_fact(struct ssh_dial *dial, char line[static SSH_DIARY_LINE])
{
    return errand__ssh_diary_take(&dial->diary, line);
}

bool errand__ssh_dial_answer(struct ssh_dial *dial, uint64_t id, const char *text)
{
    return errand__ssh_desk_answer(&dial->desk, id, text);
}

errand_status errand__ssh_dial_result(struct ssh_dial *dial, struct ssh_vault *vault,
                                      struct ssh_dialled *out)
{
    uint64_t count = 0;

    (void)!read(dial->wake_fd, &count, sizeof(count));
    if (!atomic_load(&dial->over))
        return ERRAND_AGAIN;
    (void)pthread_join(dial->thread, NULL); /* It has only to let go. */
    *out = dial->result;
    dial->result.wire = NULL;
    *vault = dial->vault;
    dial->vault = (struct ssh_vault){0};
    let_go(dial);
    return ERRAND_OK;
}

void errand__ssh_dial_drop(struct ssh_dial *dial)
{
    struct timespec until;

    if (dial == NULL)
        return;
    errand__ssh_patience_cancel(&dial->patience);
    errand__ssh_desk_close(&dial->desk);
    (void)timespec_get(&until, TIME_UTC);
    until.tv_nsec += LEAVE_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    if (pthread_timedjoin_np(dial->thread, NULL, &until) != 0)
        (void)pthread_detach(dial->thread);
    let_go(dial);
}
