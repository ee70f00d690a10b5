/* child.c - reads, writes, signals and at last clears up a child; decides nothing.
 *
 * The child is not reaped before the end, even when it is known to be dead: as long as its zombie
 * holds the number, a signal to its group can't hit anybody else. */
#include "transport/child.h"

#include "base/err.h"
#include "base/mem.h"
#include "transport/orphans.h"
#include "transport/spawn.h"
#include "transport/sweep.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    LOOK_US = 10 * 1000,       /* Without pidfd: how often it is asked whether the child lives. */
    SWEEP_FIRST_US = 5 * 1000, /* Then twice as long each time. */
    SWEEP_LAST_US = 100 * 1000,
    /* Looks that have to find nobody: a list of children that changes while it is read may leave
     * one out. */
    EMPTY_LOOKS = 2,
    FREE_SWEEPS = 4, /* Of the end that does not wait. */
    /* Reads that may come between the child's death and the word of it: what it wrote before
     * comes first, and a grandchild that floods the pipe can't hold the word back for ever. */
    READS_AFTER_DEATH = 64
};

enum { LINE_OUT, LINE_ERR, LINE_LEADER, LINE_IN, LINE_VERDICT, LINES };

/* A descriptor, and how far it is on its way out: it is closed only after wants has left it out
 * once, so that nobody still waits for its number when somebody else is given it. */
struct line {
    int fd;
    bool over, unlisted;
};

enum leader {
    LEADER_LIVES,
    LEADER_DEAD,  /* And a zombie. */
    LEADER_TAKEN, /* Somebody else has reaped it. */
    LEADER_BURIED
};

struct child {
    errand_process base;
    struct spawned spawned;
    struct line lines[LINES];
    struct sweep sweep;
    struct orphan *grave; /* Taken early: the end must not need memory. */
    char *command;
    errand_error failure; /* Why it never ran. */
    enum leader leader;
    int exit_code, exit_signal;
    bool opened, told_exit, closing, closed;
    bool drained;   /* All that was ready has been read: the next look needs a poll. */
    unsigned ready; /* Lines, as bits. */
    bool jail;
    bool cut; /* A read came back full: there may be more. */
    unsigned reads_after_death;
    int64_t look_due_us, sweep_due_us, sweep_step_us;
    char words[SWEEP_WORDS];
};

static struct child *child_of(errand_process *self)
{
    return (struct child *)(void *)self;
}

/* --- The leader ------------------------------------------------------------------------ */

static void leader_died(struct child *child, const siginfo_t *info)
{
    bool by_signal = info->si_code == CLD_KILLED || info->si_code == CLD_DUMPED;

    child->leader = LEADER_DEAD;
    child->exit_signal = by_signal ? info->si_status : 0;
    child->exit_code = by_signal ? -1 : info->si_status;
}

/* Learns whether it is dead, and leaves the zombie where it is. */
static void look_at_leader(struct child *child)
{
    siginfo_t info = {0};

    if (child->leader != LEADER_LIVES)
        return;
    if (waitid(P_PID, (id_t)child->spawned.pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0) {
        if (info.si_pid == child->spawned.pid)
            leader_died(child, &info);
        return;
    }
    if (errno != ECHILD)
        return;
    /* The host waits for any child, or ignores SIGCHLD: how it ended is not known. */
    child->leader = LEADER_TAKEN;
    child->exit_code = -1;
    errand__sweep_forget_leader(&child->sweep);
}

static void bury_leader(struct child *child)
{
    siginfo_t info;

    if (child->leader == LEADER_DEAD)
        (void)waitid(P_PID, (id_t)child->spawned.pid, &info, WEXITED | WNOHANG);
    child->leader = LEADER_BURIED;
    errand__sweep_forget_leader(&child->sweep);
}

/* --- Lines ----------------------------------------------------------------------------- */

static void end_line(struct child *child, size_t which)
{
    child->lines[which].over = true;
    child->ready &= ~(1u << which);
}

static bool is_open(const struct child *child, size_t which)
{
    return child->lines[which].fd >= 0 && !child->lines[which].over;
}

static void close_unlisted(struct child *child)
{
    for (size_t i = 0; i < LINES; i++) {
        if (child->lines[i].unlisted)
            errand__auto_close(&child->lines[i].fd), child->lines[i].fd = -1;
        child->lines[i].unlisted = false;
    }
}

/* One call for all, and none when nothing has happened since the last one. */
static void poll_lines(struct child *child, int64_t now_us)
{
    struct pollfd fds[LINE_LEADER + 1];

    for (size_t i = 0; i <= LINE_LEADER; i++)
        fds[i] = (struct pollfd){is_open(child, i) ? child->lines[i].fd : -1, POLLIN, 0};
    child->ready = 0;
    if (poll(fds, COUNT(fds), 0) > 0) {
        for (size_t i = 0; i <= LINE_LEADER; i++)
            child->ready |= fds[i].revents != 0 ? 1u << i : 0;
    }
    if (child->lines[LINE_LEADER].fd < 0 && !child->told_exit && now_us >= child->look_due_us) {
        child->look_due_us = now_us + LOOK_US;
        child->ready |= 1u << LINE_LEADER;
    }
}

static ssize_t read_line(struct child *child, size_t which, errand_scratch scratch)
{
    ssize_t got = 0;

    do
        got = read(child->lines[which].fd, scratch.ptr, scratch.len);
    while (got < 0 && errno == EINTR);
    if (got < 0 && errno == EAGAIN)
        return -1;
    return got < 0 ? 0 : got; /* A broken pipe has ended. */
}

/* true: *out is a notice. */
static bool serve_line(struct child *child, size_t which, errand_scratch scratch,
                       errand_notice *out)
{
    ssize_t got = read_line(child, which, scratch);

    child->ready &= ~(1u << which);
    if (got < 0)
        return false;
    if (got == 0) {
        end_line(child, which);
        *out = (errand_notice){.type = ERRAND_NOTICE_EOF};
        return which == LINE_OUT;
    }
    child->cut |= (size_t)got == scratch.len;
    *out = (errand_notice){.type = which == LINE_OUT ? ERRAND_NOTICE_OUT : ERRAND_NOTICE_ERR,
                           .bytes = span_of(scratch.ptr, (size_t)got)};
    return true;
}

static bool serve_leader(struct child *child, errand_notice *out)
{
    child->ready &= ~(1u << LINE_LEADER);
    look_at_leader(child);
    if (child->leader == LEADER_LIVES || child->told_exit)
        return false;
    if (child->cut && child->reads_after_death++ < READS_AFTER_DEATH) {
        child->ready = 0; /* What it wrote last is read first; then the poll tells again. */
        return false;
    }
    child->told_exit = true;
    end_line(child, LINE_LEADER);
    *out = (errand_notice){.type = ERRAND_NOTICE_EXITED,
                           .exit_code = child->exit_code,
                           .exit_signal = child->exit_signal};
    return true;
}

/* --- Running --------------------------------------------------------------------------- */

static errand_status next_opening(struct child *child, errand_notice *out, errand_error *err)
{
    if (child->failure.status == ERRAND_OK) {
        errand_status status =
            errand__spawn_verdict(&child->spawned, child->command, &child->failure);
        if (status == ERRAND_AGAIN)
            return ERRAND_AGAIN;
        end_line(child, LINE_VERDICT);
    }
    if (child->failure.status != ERRAND_OK) {
        if (err != NULL)
            *err = child->failure;
        return child->failure.status;
    }
    child->opened = true;
    *out = (errand_notice){.type = ERRAND_NOTICE_OPENED};
    return ERRAND_OK;
}

/* Each line that was ready gets its turn before any is asked again. */
static errand_status next_running(struct child *child, int64_t now_us, errand_scratch scratch,
                                  errand_notice *out)
{
    if (child->drained) { /* What came since will make a descriptor readable. */
        child->drained = false;
        return ERRAND_AGAIN;
    }
    for (;;) {
        if (child->ready == 0) {
            child->cut = false;
            poll_lines(child, now_us);
        }
        if (child->ready == 0)
            return ERRAND_AGAIN;
        bool told = false;
        for (size_t i = 0; !told && i <= LINE_LEADER; i++) {
            if ((child->ready & 1u << i) == 0)
                continue;
            told = i == LINE_LEADER ? serve_leader(child, out) : serve_line(child, i, scratch, out);
        }
        if (!told)
            continue;
        child->drained = child->ready == 0 && !child->cut;
        return ERRAND_OK;
    }
}

/* --- Closing --------------------------------------------------------------------------- */

/* Throws away what is left; true: somebody still holds the other end. */
static bool is_held(struct child *child, size_t which, errand_scratch scratch)
{
    for (unsigned i = 0; is_open(child, which) && i < READS_AFTER_DEATH; i++) {
        ssize_t got = read_line(child, which, scratch);
        if (got < 0)
            return true;
        if (got == 0)
            end_line(child, which);
    }
    return is_open(child, which);
}

static void tell_what_was_left(struct child *child, errand_scratch scratch, errand_notice *out)
{
    ino_t held[2] = {is_held(child, LINE_OUT, scratch) ? child->spawned.out_ino : 0,
                     is_held(child, LINE_ERR, scratch) ? child->spawned.err_ino : 0};
    size_t count = held[0] != 0 || held[1] != 0 ? COUNT(held) : 0;

    if (!child->jail)
        errand__sweep_words(&child->sweep, held, count, child->words);
    *out = (errand_notice){.type = ERRAND_NOTICE_CLOSED, .bytes = span_text(child->words)};
}

/* Kills whom it finds. true: nobody, in a row; a look from before the leader's death does not
 * count, since somebody may have been born after it. */
static bool sweep(struct child *child)
{
    bool leaderless = child->leader != LEADER_LIVES;
    unsigned empty = 0;

    do {
        errand__sweep_kill(&child->sweep);
        empty++;
    } while (leaderless && errand__sweep_empty(&child->sweep) && empty < EMPTY_LOOKS);
    look_at_leader(child);
    return leaderless && errand__sweep_empty(&child->sweep);
}

/* Without /proc nobody is ever found, and the group answers itself once its zombie is gone. */
static bool is_quiet(struct child *child)
{
    if (!sweep(child))
        return false;
    pid_t group = child->leader == LEADER_TAKEN ? 0 : child->spawned.pid;
    bool blind = child->sweep.of.start == 0;
    bury_leader(child);
    return !blind || group == 0 || kill(-group, SIGKILL) != 0;
}

static errand_status next_closing(struct child *child, int64_t now_us, errand_scratch scratch,
                                  errand_notice *out)
{
    if (child->closed)
        return ERRAND_AGAIN;
    if (child->leader == LEADER_LIVES) {
        look_at_leader(child);
        if (child->leader != LEADER_LIVES)
            child->sweep_due_us = now_us; /* No need to wait any longer. */
    }
    if (child->opened && !child->told_exit && child->leader != LEADER_LIVES) {
        child->cut = false;
        return serve_leader(child, out) ? ERRAND_OK : ERRAND_AGAIN;
    }
    if (now_us < child->sweep_due_us)
        return ERRAND_AGAIN;
    if (!is_quiet(child)) {
        child->sweep_due_us = now_us + child->sweep_step_us;
        child->sweep_step_us =
            child->sweep_step_us * 2 > SWEEP_LAST_US ? SWEEP_LAST_US : child->sweep_step_us * 2;
        return ERRAND_AGAIN;
    }
    child->closed = true;
    tell_what_was_left(child, scratch, out);
    for (size_t i = 0; i < LINES; i++)
        end_line(child, i);
    return ERRAND_OK;
}

/* --- The verbs ------------------------------------------------------------------------- */

static errand_status child_next(errand_process *self, int64_t now_us, errand_scratch scratch,
                                errand_notice *out, errand_error *err)
{
    struct child *child = child_of(self);

    assert(scratch.len > 0);
    close_unlisted(child);
    if (child->closing)
        return next_closing(child, now_us, scratch, out);
    if (!child->opened)
        return next_opening(child, out, err);
    return next_running(child, now_us, scratch, out);
}

static errand_status child_send(errand_process *self, errand_span bytes, size_t *taken,
                                errand_error *err)
{
    struct child *child = child_of(self);
    ssize_t sent = 0;

    *taken = 0;
    if (!is_open(child, LINE_IN)) {
        *taken = bytes.len;
        return ERRAND_OK;
    }
    do
        sent = send(child->lines[LINE_IN].fd, bytes.ptr, bytes.len, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    if (sent >= 0) {
        *taken = (size_t)sent;
        return ERRAND_OK;
    }
    if (errno == EAGAIN || errno == ENOBUFS)
        return ERRAND_OK;
    if (errno != EPIPE && errno != ECONNRESET)
        return errand__fail(err, ERRAND_EIO, errno, "exec: its stdin");
    end_line(child, LINE_IN); /* It reads no more: EXITED tells. */
    *taken = bytes.len;
    return ERRAND_OK;
}

/* Not by close alone: a process that the host forked meanwhile may have a copy. */
static void end_stdin(struct child *child)
{
    if (is_open(child, LINE_IN))
        (void)shutdown(child->lines[LINE_IN].fd, SHUT_WR);
    end_line(child, LINE_IN);
}

/* To the group; to the child alone where it has not made one yet. CONT, since who is stopped
 * can't hear. */
static void tell_to_go(struct child *child)
{
    pid_t pid = child->spawned.pid;

    look_at_leader(child);
    errand__sweep_look(&child->sweep);
    if (child->leader == LEADER_TAKEN || child->leader == LEADER_BURIED)
        return;
    if (kill(-pid, SIGTERM) != 0 && errno == ESRCH)
        (void)kill(pid, SIGTERM);
    (void)kill(-pid, SIGCONT);
}

static errand_status child_stop(errand_process *self, errand_stop how, int64_t now_us,
                                errand_error *err)
{
    struct child *child = child_of(self);

    (void)err;
    if (child->closing)
        return ERRAND_OK;
    switch (how) {
    case ERRAND_STOP_TERM:
        tell_to_go(child);
        break;
    case ERRAND_STOP_KILL:
        /* What leads to another machine may be out of reach of signals, its stdin is not. */
        end_stdin(child);
        look_at_leader(child);
        errand__sweep_kill(&child->sweep);
        break;
    case ERRAND_STOP_CLOSE:
        end_stdin(child);
        child->closing = true;
        child->sweep_due_us = now_us;
        child->sweep_step_us = SWEEP_FIRST_US;
        break;
    }
    return ERRAND_OK;
}

static bool is_wanted(const struct child *child, size_t which, int reading, int writing)
{
    if (!is_open(child, which) || child->closed)
        return false;
    switch (which) {
    case LINE_IN:
        return writing && child->opened;
    case LINE_VERDICT:
        return reading && !child->opened && !child->closing;
    case LINE_LEADER:
        return reading && (child->closing ? child->leader == LEADER_LIVES : child->opened);
    default:
        return reading && child->opened && !child->closing;
    }
}

static int64_t due_of(const struct child *child)
{
    if (child->closed)
        return TIME_NEVER;
    if (child->closing)
        return child->sweep_due_us;
    bool asks = child->lines[LINE_LEADER].fd < 0 && !child->told_exit && child->opened;
    return asks ? child->look_due_us : TIME_NEVER;
}

static size_t child_wants(errand_process *self, int reading, int writing, struct pollfd *fds,
                          size_t fds_max, int64_t *due_us)
{
    struct child *child = child_of(self);
    size_t count = 0;

    for (size_t i = 0; i < LINES; i++) {
        child->lines[i].unlisted = child->lines[i].over;
        if (!is_wanted(child, i, reading, writing))
            continue;
        if (count < fds_max)
            fds[count] = (struct pollfd){child->lines[i].fd, i == LINE_IN ? POLLOUT : POLLIN, 0};
        count++;
    }
    *due_us = reading ? due_of(child) : TIME_NEVER;
    return count;
}

static void child_free(errand_process *self)
{
    struct child *child = child_of(self);

    if (child == NULL)
        return;
    end_stdin(child);
    look_at_leader(child);
    for (unsigned i = 0; !child->closed && i < FREE_SWEEPS && !sweep(child); i++)
        continue;
    if (child->leader == LEADER_LIVES || child->leader == LEADER_DEAD)
        errand__orphans_take(steal(&child->grave), child->spawned.pid);
    for (size_t i = 0; i < LINES; i++)
        errand__auto_close(&child->lines[i].fd);
    errand__sweep_deinit(&child->sweep);
    errand__mem_free(child->grave);
    errand__mem_free(child->command);
    errand__mem_free(child);
}

static const errand_process_ops child_ops = {.size = sizeof(errand_process_ops),
                                             .next = child_next,
                                             .send = child_send,
                                             .stop = child_stop,
                                             .wants = child_wants,
                                             .free = child_free};

static errand_status child_new(errand_process **out, const char *const *argv, bool jail,
                               errand_error *err)
{
    struct child *child = errand__mem_new(1, sizeof(*child));

    *out = NULL;
    if (child == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "exec: no memory");
    child->base.ops = &child_ops;
    child->jail = jail;
    child->grave = errand__mem_new(1, sizeof(*child->grave));
    child->command = errand__mem_copy(argv[0], strlen(argv[0]));
    errand_status status = child->grave == NULL || child->command == NULL
                               ? errand__fail(err, ERRAND_ENOMEM, 0, "exec: no memory")
                           : jail ? errand__spawn_apart(&child->spawned, argv, err)
                                  : errand__spawn(&child->spawned, argv, err);
    if (status != ERRAND_OK) {
        errand__mem_free(child->grave);
        errand__mem_free(child->command);
        errand__mem_free(child);
        return status;
    }
    const struct spawned *spawned = &child->spawned;
    const int fds[LINES] = {[LINE_OUT] = spawned->out,
                            [LINE_ERR] = spawned->err,
                            [LINE_LEADER] = spawned->leader,
                            [LINE_IN] = spawned->in,
                            [LINE_VERDICT] = spawned->verdict};
    for (size_t i = 0; i < LINES; i++)
        child->lines[i].fd = fds[i];
    errand__sweep_init(&child->sweep, spawned);
    *out = &child->base;
    return ERRAND_OK;
}

errand_status errand__child_new(errand_process **out, const char *const *argv, errand_error *err)
{
    return child_new(out, argv, false, err);
}

errand_status errand__child_new_jailed(errand_process **out, const char *const *argv,
                                       errand_error *err)
{
    return child_new(out, argv, true, err);
}
