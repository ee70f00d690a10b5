/* run.c - reads, writes, signals and at last clears up a process on a host; decides nothing.
 *
 * libssh2 1.10 does not show whether an exit status has come, only what it is: an exit with 0 is
 * known once the channel closes, any other at once. */
#include "transport/ssh/run.h"

#include "base/err.h"
#include "base/mem.h"
#include "transport/ssh/road.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>

enum {
    REST_MOST = 1024 * 1024,
    TELL_ROOM = 4096,       /* A read while the number is still to be told. */
    SEND_MOST = 32 * 1024,  /* libssh2 takes a packet at a time. */
    READS_AFTER_DEATH = 64, /* What it wrote last comes first, and who floods can't hold that up. */
    QUIET_US = 200 * 1000,  /* Of silence, for what a host had not read when it told of the exit. */
    CLOSE_US = 3 * 1000 * 1000
};

static struct ssh_run *run_of(errand_process *self)
{
    return (struct ssh_run *)(void *)self;
}

void errand__ssh_run_wake(struct ssh_run *run)
{
    if (run->waits)
        errand__bell_ring(&run->bell);
}

/* What was heard may have been room for what could not be sent. */
static void look_again(struct ssh_run *run, errand_status status)
{
    if (status != ERRAND_AGAIN || !run->blocked)
        return;
    run->blocked = false;
    run->waits = true;
    errand__ssh_run_wake(run);
}

static void calm(struct ssh_run *run)
{
    errand__bell_calm(&run->bell);
    run->waits = false;
}

void errand__ssh_run_fail(struct ssh_run *run, const errand_error *why, const char *code)
{
    if (run->failure.status != ERRAND_OK)
        return;
    run->failure = *why;
    run->code = code;
    errand__ssh_run_wake(run);
}

bool errand__ssh_run_is_waiting(const struct ssh_run *run)
{
    return !run->started && !run->term && !run->kill && !run->closing &&
           run->failure.status == ERRAND_OK;
}

/* --- Starting ------------------------------------------------------------------------------- */

/* The request goes out at the first call; later ones look for its answer. */
static void confirm(struct ssh_run *run)
{
    errand_error why = {0};

    if (run->confirmed || run->raw == NULL)
        return;
    int rc = libssh2_channel_process_startup(run->raw, run->request, (unsigned)strlen(run->request),
                                             run->command, (unsigned)strlen(run->command));
    if (rc == LIBSSH2_ERROR_EAGAIN)
        return;
    run->confirmed = true;
    errand__mem_free(steal(&run->command));
    if (rc == 0 || run->link->wire->broken)
        return;
    (void)errand__fail(&why, ERRAND_EIO, 0, "ssh: the host runs no commands for this user (%d)",
                       rc);
    errand__ssh_run_fail(run, &why, "spawn_failed");
}

void errand__ssh_run_start(struct ssh_run *run, struct ssh_link *link, LIBSSH2_CHANNEL *raw)
{
    run->link = link;
    run->raw = raw;
    run->started = true;
    confirm(run);
    errand__ssh_run_wake(run);
}

/* --- Orders --------------------------------------------------------------------------------- */

static struct ssh_order *order(struct ssh_run *run, enum ssh_order_kind kind, int64_t now_us)
{
    struct ssh_order *made =
        errand__ssh_order_new(run->link, kind, run->tell.pid, run->brand, now_us);

    if (made == NULL)
        return NULL;
    made->next = run->road->orders;
    made->listed = true;
    run->road->orders = made;
    errand__ssh_road_wake(run->road);
    return made;
}

/* Once its number is known. */
static void carry_out(struct ssh_run *run, int64_t now_us)
{
    if (run->tell.pid == 0 || run->link == NULL || (!run->term && !run->kill))
        return;
    if (!run->told_exit)
        (void)order(run, run->kill ? SSH_ORDER_KILL : SSH_ORDER_TERM, now_us);
    run->term = run->kill = false;
}

/* --- Reading -------------------------------------------------------------------------------- */

static bool is_broken(struct ssh_run *run)
{
    if (run->link == NULL)
        return false;
    if (run->link->wire->broken)
        errand__ssh_link_fail(run->link);
    if (!errand__ssh_link_is_dead(run->link))
        return false;
    errand__ssh_run_fail(run, &run->link->failure, NULL);
    return true;
}

static size_t read_raw(struct ssh_run *run, unsigned stream, char *room, size_t len)
{
    if (run->raw == NULL)
        return 0;
    ssize_t got = libssh2_channel_read_ex(run->raw, (int)stream, room, len);

    return got > 0 ? (size_t)got : 0;
}

static size_t take_rest(struct ssh_run *run, unsigned stream, errand_scratch scratch)
{
    errand_span rest = errand__buf_peek(&run->rest[stream]);
    size_t len = rest.len < scratch.len ? rest.len : scratch.len;

    if (len == 0)
        return 0;
    memcpy(scratch.ptr, rest.ptr, len);
    errand__buf_consume(&run->rest[stream], len);
    return len;
}

static void keep_rest(struct ssh_run *run, errand_span bytes)
{
    errand_error why = {0};

    if (bytes.len == 0 || errand__buf_push(&run->rest[1], bytes) == ERRAND_OK)
        return;
    (void)errand__fail(&why, ERRAND_ENOMEM, 0, "ssh: no memory");
    errand__ssh_run_fail(run, &why, NULL);
}

/* Its stderr as long as its number may stand there. */
static void listen_for_number(struct ssh_run *run)
{
    char room[TELL_ROOM + SSH_TELL_HELD];
    size_t got = read_raw(run, 1, room, TELL_ROOM);

    if (got > 0)
        keep_rest(run, span_of(room, errand__ssh_tell_filter(&run->tell, room, got)));
}

static size_t read_stream(struct ssh_run *run, unsigned stream, errand_scratch scratch)
{
    size_t got = take_rest(run, stream, scratch);

    if (got > 0)
        return got;
    if (stream == 0 || run->tell.pid != 0)
        return read_raw(run, stream, scratch.ptr, scratch.len);
    listen_for_number(run);
    return take_rest(run, stream, scratch);
}

/* --- The end -------------------------------------------------------------------------------- */

static int number_of(const char *name)
{
    static const struct {
        const char *name;
        int number;
    } known[] = {{"ABRT", 6},  {"ALRM", 14}, {"FPE", 8},   {"HUP", 1},    {"ILL", 4},
                 {"INT", 2},   {"KILL", 9},  {"PIPE", 13}, {"QUIT", 3},   {"SEGV", 11},
                 {"TERM", 15}, {"USR1", 10}, {"USR2", 12}, {"BUS", 7},    {"TRAP", 5},
                 {"SYS", 31},  {"XCPU", 24}, {"XFSZ", 25}, {"VTALRM", 26}};

    for (size_t i = 0; i < COUNT(known); i++) {
        if (strncmp(name, known[i].name, strlen(known[i].name)) == 0)
            return known[i].number;
    }
    return 0;
}

/* true: it is known to have gone, and how. */
static bool learn_exit(struct ssh_run *run)
{
    char *name = NULL;

    if (run->ended || run->raw == NULL)
        return run->ended;
    (void)libssh2_channel_get_exit_signal(run->raw, &name, NULL, NULL, NULL, NULL, NULL);
    run->exit_code = libssh2_channel_get_exit_status(run->raw);
    run->exit_signal = 0;
    if (name == NULL)
        return run->exit_code != 0;
    run->exit_signal = number_of(name);
    run->exit_code = -1;
    libssh2_free(run->link->wire->session, name);
    return true;
}

/* true: nothing more comes on either stream. Nothing has been read just now. */
static bool look_for_end(struct ssh_run *run)
{
    if (run->ended)
        return true;
    if (run->raw == NULL || libssh2_channel_eof(run->raw) != 1)
        return false;
    keep_rest(run, errand__ssh_tell_rest(&run->tell));
    if (libssh2_channel_wait_closed(run->raw) == 0) {
        (void)learn_exit(run);
        run->ended = true;
        errand__ssh_link_give_back(run->link, steal(&run->raw));
        errand__ssh_road_wake(run->road); /* Somebody may wait for a channel. */
    }
    return true;
}

static bool tell_exit(struct ssh_run *run, errand_notice *out)
{
    if (run->told_exit)
        return false;
    run->told_exit = true;
    *out = (errand_notice){
        .type = ERRAND_NOTICE_EXITED, .exit_code = run->exit_code, .exit_signal = run->exit_signal};
    return true;
}

/* --- Running -------------------------------------------------------------------------------- */

static bool next_bytes(struct ssh_run *run, errand_scratch scratch, errand_notice *out)
{
    for (unsigned i = 0; i < 2; i++) {
        unsigned stream = (run->turn + i) % 2;
        size_t got = read_stream(run, stream, scratch);
        if (got == 0)
            continue;
        run->turn = stream + 1;
        *out = (errand_notice){.type = stream == 0 ? ERRAND_NOTICE_OUT : ERRAND_NOTICE_ERR,
                               .bytes = span_of(scratch.ptr, got)};
        return true;
    }
    return false;
}

/* A busy host tells of the exit before it has read all that was written; where somebody holds the
 * pipe open, no end says that it has. */
static bool is_quiet(struct ssh_run *run, int64_t now_us)
{
    if (run->quiet_us == 0)
        run->quiet_us = now_us + QUIET_US;
    return run->told_eof || now_us >= run->quiet_us;
}

static errand_status next_running(struct ssh_run *run, int64_t now_us, errand_scratch scratch,
                                  errand_notice *out)
{
    confirm(run);
    bool gone = learn_exit(run);
    if (gone && !run->told_exit && run->reads_after_death++ >= READS_AFTER_DEATH)
        return tell_exit(run, out) ? ERRAND_OK : ERRAND_AGAIN;
    bool told = next_bytes(run, scratch, out);
    if (told)
        run->quiet_us = 0;
    carry_out(run, now_us);
    if (told)
        return ERRAND_OK;
    bool over = look_for_end(run);
    if (next_bytes(run, scratch, out)) /* What had been held back. */
        return ERRAND_OK;
    if (over && !run->told_eof) {
        run->told_eof = true;
        *out = (errand_notice){.type = ERRAND_NOTICE_EOF};
        return ERRAND_OK;
    }
    if (learn_exit(run) && is_quiet(run, now_us) && tell_exit(run, out))
        return ERRAND_OK;
    return ERRAND_AGAIN;
}

/* Told to go before it began: it never will. */
static errand_status next_cancelled(struct ssh_run *run, errand_notice *out)
{
    if (!run->opened) {
        run->opened = true;
        *out = (errand_notice){.type = ERRAND_NOTICE_OPENED};
        return ERRAND_OK;
    }
    run->exit_code = -1;
    return tell_exit(run, out) ? ERRAND_OK : ERRAND_AGAIN;
}

/* --- Closing -------------------------------------------------------------------------------- */

static void discard(struct ssh_run *run, errand_scratch scratch)
{
    confirm(run);
    for (unsigned i = 0; i < READS_AFTER_DEATH && run->raw != NULL; i++) {
        size_t got = read_stream(run, 0, scratch) + read_stream(run, 1, scratch);
        if (got == 0)
            break;
    }
    (void)look_for_end(run);
}

/* What is known of it when it is done with: not that nothing is left. */
static void leave(struct ssh_run *run, const char *words)
{
    run->left = true;
    (void)snprintf(run->words, sizeof(run->words), "%s", words);
}

/* Whoever has it last frees it. */
static void disown(struct ssh_run *run)
{
    struct ssh_order *order = steal(&run->order);

    order->owned = false;
    if (!order->listed)
        errand__mem_free(order);
}

static void judge_order(struct ssh_run *run)
{
    switch (run->order->end) {
    case SSH_ORDER_GOING:
        return;
    case SSH_ORDER_DONE:
        if (run->order->strays > 0)
            (void)snprintf(run->words, sizeof(run->words), "killed what had left the group: %d %s",
                           run->order->strays, run->order->strays == 1 ? "process" : "processes");
        break;
    case SSH_ORDER_STAYS:
        leave(run, "somebody of its group is left on the host, although it was killed");
        break;
    case SSH_ORDER_FAILED:
        leave(run, "nobody could look whether its group is gone from the host");
        break;
    }
    disown(run);
    run->cleared = true;
}

static void clear(struct ssh_run *run, int64_t now_us)
{
    if (run->order != NULL) {
        /* Where the host allows one channel alone, the order needs the run's own. */
        if (run->link->warden.raw == NULL && run->raw != NULL && now_us >= run->close_due_us)
            errand__ssh_link_give_back(run->link, steal(&run->raw));
        return judge_order(run);
    }
    if (run->tell.pid != 0) {
        run->order = order(run, SSH_ORDER_CLEAR, now_us);
        if (run->order == NULL)
            return leave(run, "no memory to look after its group"), (void)(run->cleared = true);
        run->order->owned = true;
        return judge_order(run);
    }
    if (!run->ended && now_us < run->close_due_us)
        return;
    if (!run->ended)
        leave(run, "the host did not tell its number: nobody could look whether it is gone");
    run->cleared = true;
}

static errand_status next_closing(struct ssh_run *run, int64_t now_us, errand_scratch scratch,
                                  errand_notice *out)
{
    if (run->closed)
        return ERRAND_AGAIN;
    if (run->started && !run->cleared) {
        discard(run, scratch);
        clear(run, now_us);
        if (!run->cleared)
            return ERRAND_AGAIN;
    }
    if (run->raw != NULL)
        errand__ssh_link_give_back(run->link, steal(&run->raw));
    run->closed = true;
    errand__ssh_road_wake(run->road);
    *out = (errand_notice){
        .type = ERRAND_NOTICE_CLOSED, .bytes = span_text(run->words), .left = run->left};
    return ERRAND_OK;
}

/* --- The contract --------------------------------------------------------------------------- */

static uint64_t heard_by(const struct ssh_run *run)
{
    return run->link == NULL ? 0 : run->link->wire->heard;
}

static errand_status next_step(struct ssh_run *run, int64_t now_us, errand_scratch scratch,
                               errand_notice *out)
{
    /* Of what never began there is nothing to clear. */
    if (run->failure.status != ERRAND_OK && !(run->closing && !run->started))
        return ERRAND_AGAIN;
    if (run->closing)
        return next_closing(run, now_us, scratch, out);
    if (run->started && run->opened)
        return next_running(run, now_us, scratch, out);
    return run->started || run->term || run->kill ? next_cancelled(run, out) : ERRAND_AGAIN;
}

static errand_status run_next(errand_process *self, int64_t now_us, errand_scratch scratch,
                              errand_notice *out, errand_error *err)
{
    struct ssh_run *run = run_of(self);
    errand_status status = ERRAND_AGAIN;

    calm(run);
    run->road->now_us = now_us;
    if (run->closed)
        return ERRAND_AGAIN;
    if (errand__ssh_run_is_waiting(run))
        errand__ssh_road_serve(run->road, run, now_us);
    uint64_t before = heard_by(run);
    uint64_t heard;
    do { /* What is asked for second may hear what was asked for first. */
        heard = heard_by(run);
        status = next_step(run, now_us, scratch, out);
    } while (status == ERRAND_AGAIN && heard_by(run) != heard);
    errand__ssh_road_settle(run->road, run->link, run);
    if (heard_by(run) != before)
        look_again(run, status);
    if (status == ERRAND_AGAIN && (is_broken(run) || run->failure.status != ERRAND_OK)) {
        if (err != NULL)
            *err = run->failure;
        return run->failure.status;
    }
    return status;
}

static errand_status run_send(errand_process *self, errand_span bytes, size_t *taken,
                              errand_error *err)
{
    struct ssh_run *run = run_of(self);

    (void)err;
    *taken = 0;
    if (run->raw == NULL || run->told_exit || run->closing) {
        *taken = bytes.len;
        return ERRAND_OK;
    }
    while (bytes.len > 0 && bytes.len >= run->owed && !errand__ssh_wire_is_full(run->link->wire)) {
        size_t len = run->owed > 0 ? run->owed : bytes.len < SEND_MOST ? bytes.len : SEND_MOST;
        ssize_t sent = libssh2_channel_write_ex(run->raw, 0, bytes.ptr, len);
        bool holds = sent == LIBSSH2_ERROR_EAGAIN && libssh2_channel_window_write(run->raw) > 0;
        run->owed = holds ? len : 0;
        if (sent <= 0)
            break;
        *taken += (size_t)sent;
        bytes = span_after(bytes, (size_t)sent);
    }
    run->blocked = bytes.len > 0;
    errand__ssh_road_settle(run->road, run->link, run);
    return ERRAND_OK;
}

static errand_status run_stop(errand_process *self, errand_stop how, int64_t now_us,
                              errand_error *err)
{
    struct ssh_run *run = run_of(self);

    (void)err;
    if (run->closing)
        return ERRAND_OK;
    switch (how) {
    case ERRAND_STOP_TERM:
        run->term = true;
        break;
    case ERRAND_STOP_KILL:
        /* Who can't be reached by a signal still hears the end of its stdin. */
        run->kill = true;
        if (run->raw != NULL)
            (void)libssh2_channel_send_eof(run->raw);
        break;
    case ERRAND_STOP_CLOSE:
        run->closing = true;
        run->close_due_us = now_us + CLOSE_US;
        if (run->raw != NULL)
            (void)libssh2_channel_send_eof(run->raw);
        break;
    }
    if (how != ERRAND_STOP_CLOSE)
        carry_out(run, now_us);
    errand__ssh_road_settle(run->road, run->link, run);
    errand__ssh_road_wake(run->road);
    return ERRAND_OK;
}

static size_t run_wants(errand_process *self, int reading, int writing, struct pollfd *fds,
                        size_t fds_max, int64_t *due_us)
{
    struct ssh_run *run = run_of(self);

    *due_us = TIME_NEVER;
    if (run->closed || (!reading && !(writing && run->opened)))
        return 0;
    if (reading && run->closing && run->raw != NULL && run->close_due_us > run->road->now_us)
        *due_us = run->close_due_us;
    if (reading && run->quiet_us > run->road->now_us && !run->told_exit && !run->closing)
        *due_us = run->quiet_us;
    run->waits = true;
    if (fds_max > 0)
        fds[0] = (struct pollfd){run->bell.fd, POLLIN, 0};
    return 1;
}

static void run_free(errand_process *self)
{
    struct ssh_run *run = run_of(self);

    if (run == NULL)
        return;
    LIST_DROP(run->road->runs, run, next);
    if (run->order != NULL)
        disown(run);
    else if (run->link != NULL && run->tell.pid != 0 && !run->closed)
        (void)order(run, SSH_ORDER_KILL, run->road->now_us);
    if (run->raw != NULL)
        errand__ssh_link_give_back(run->link, run->raw);
    errand__ssh_road_settle(run->road, run->link, run);
    errand__ssh_road_wake(run->road);
    errand__bell_deinit(&run->bell);
    for (size_t i = 0; i < COUNT(run->rest); i++)
        errand__buf_deinit(&run->rest[i]);
    errand__mem_free(run->command);
    errand__mem_free(run);
}

static const char *run_code(errand_process *self)
{
    return run_of(self)->code;
}

static const errand_process_ops run_ops = {.size = sizeof(errand_process_ops),
                                           .next = run_next,
                                           .send = run_send,
                                           .stop = run_stop,
                                           .wants = run_wants,
                                           .free = run_free,
                                           .code = run_code};

/* command is taken; NULL: there was no memory for it. */
static errand_status run_new(errand_process **out, struct ssh_road *road, const char *request,
                             const struct ssh_tell *tell, char *command, errand_error *err)
{
    struct ssh_run *run = errand__mem_new(1, sizeof(*run));

    *out = NULL;
    if (run == NULL) {
        errand__mem_free(command);
        return errand__fail(err, ERRAND_ENOMEM, 0, "ssh: no memory");
    }
    run->base.ops = &run_ops;
    run->road = road;
    run->request = request;
    run->tell = *tell;
    run->command = command;
    int failure = errand__bell_init(&run->bell) ? 0 : errno;
    for (size_t i = 0; i < COUNT(run->rest); i++)
        errand__buf_init(&run->rest[i], REST_MOST);
    if (failure != 0 || run->command == NULL) {
        errand__bell_deinit(&run->bell);
        errand__mem_free(run->command);
        errand__mem_free(run);
        return failure != 0 ? errand__fail(err, ERRAND_EIO, failure, "ssh: no descriptor")
                            : errand__fail(err, ERRAND_ENOMEM, 0, "ssh: no memory");
    }
    run->next = road->runs;
    road->runs = run;
    *out = &run->base;
    return ERRAND_OK;
}

errand_status errand__ssh_run_new(errand_process **out, struct ssh_road *road,
                                  const errand_launch *launch, errand_error *err)
{
    struct ssh_tell tell = {0};
    AUTO_FREE char *line = errand__brand_line(launch->mark, launch->line);
    char *command = line == NULL ? NULL : errand__ssh_tell_wrap(&tell, line);
    errand_status status = run_new(out, road, "exec", &tell, command, err);

    if (status == ERRAND_OK)
        errand__brand_of(run_of(*out)->brand, launch->mark);
    return status;
}

errand_status errand__ssh_run_new_subsystem(errand_process **out, struct ssh_road *road,
                                            const char *name, errand_error *err)
{
    const struct ssh_tell mute = {0};

    return run_new(out, road, "subsystem", &mute, errand__mem_copy(name, strlen(name)), err);
}
