/* tool.c - fork, feed, drain, wait.
 *
 * The group is killed while its leader is still unreaped, so that its number can't have become
 * another's; what a tool leaves in its group does not outlive it. */
#include "cli/tool.h"
#include "base/err.h"
#include "base/mem.h"
#include "cli/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    DRAIN_US = 250 * 1000,      /* Something may still hold the pipe when the tool has exited. */
    GRACE_US = 2 * 1000 * 1000, /* Between TERM and KILL. */
    STEP_BYTES = 1024 * 1024    /* Read from one tool before the others get their turn. */
};

/* Both ends of the three streams and of the pipe that tells why exec failed. */
struct pipes {
    int in[2], out[2], err[2], fail[2];
};

static void close_fd(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

static void close_pipes(struct pipes *pipes)
{
    for (size_t i = 0; i < 2; i++) {
        close_fd(&pipes->in[i]);
        close_fd(&pipes->out[i]);
        close_fd(&pipes->err[i]);
        close_fd(&pipes->fail[i]);
    }
}

static errand_status open_pipes(struct pipes *pipes, const struct tool *tool, errand_error *err)
{
    *pipes = (struct pipes){{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
    if (pipe2(pipes->in, O_CLOEXEC) == 0 && pipe2(pipes->out, O_CLOEXEC) == 0 &&
        pipe2(pipes->err, O_CLOEXEC) == 0 && pipe2(pipes->fail, O_CLOEXEC) == 0)
        return ERRAND_OK;
    errand_status status = errand__fail(err, ERRAND_EIO, errno, "%s does not start", tool->name);
    close_pipes(pipes);
    return status;
}

static _Noreturn void be_tool(const struct tool *tool, const struct pipes *pipes,
                              const struct tool_start *how)
{
    char shell[] = "/bin/sh";
    char dash_c[] = "-c";
    char *line[] = {shell, dash_c, tool->command, NULL};
    char *file[] = {tool->command, NULL};

    (void)setpgid(0, 0);
    keeper_add(how->keeper, getpid());
    if (dup2(pipes->in[0], 0) == 0 && dup2(pipes->out[1], 1) == 1 && dup2(pipes->err[1], 2) == 2) {
        signals_reset(how->mask);
        /* The path holds a slash: execvp looks nowhere, but gives a script without #! to sh. */
        if (tool->executable)
            (void)execvp(file[0], file);
        else
            (void)execv(line[0], line);
    }
    int why = errno;
    ssize_t ignored = write(pipes->fail[1], &why, sizeof(why));
    (void)ignored;
    _exit(127);
}

static errand_status wait_for_exec(int fd, const struct tool *tool, errand_error *err)
{
    int why = 0;
    ssize_t count = 0;

    do
        count = read(fd, &why, sizeof(why));
    while (count < 0 && errno == EINTR);
    return count <= 0 ? ERRAND_OK
                      : errand__fail(err, ERRAND_EIO, why, "%s does not start", tool->name);
}

static void unblock(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    (void)fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

static void adopt(struct tool_process *process, struct pipes *pipes)
{
    process->in = steal_fd(&pipes->in[1]);
    process->out = steal_fd(&pipes->out[0]);
    process->err = steal_fd(&pipes->err[0]);
    unblock(process->in);
    unblock(process->out);
    unblock(process->err);
}

/* It is our child and unreaped: its number is still its own. */
static void undo_start(struct tool_process *process)
{
    (void)kill(-process->pid, SIGKILL);
    keeper_remove(process->keeper, process->pid);
    while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    process->pid = -1;
}

static errand_status follow(struct tool_process *process, int fail_fd, const struct tool *tool,
                            errand_error *err)
{
    (void)setpgid(process->pid, process->pid);
    errand_status status = wait_for_exec(fail_fd, tool, err);
    if (status == ERRAND_OK) {
        process->pidfd = (int)syscall(SYS_pidfd_open, process->pid, 0);
        if (process->pidfd < 0)
            status =
                errand__fail(err, ERRAND_EIO, errno, "%s: its end can't be polled for", tool->name);
    }
    if (status != ERRAND_OK)
        undo_start(process);
    return status;
}

errand_status tool_start(struct tool_process *process, const struct tool *tool, char *args,
                         size_t args_len, const struct tool_start *how, errand_error *err)
{
    struct pipes pipes;

    *process = (struct tool_process){.pidfd = -1,
                                     .in = -1,
                                     .out = -1,
                                     .err = -1,
                                     .drain_due_us = TIME_NEVER,
                                     .kill_due_us = TIME_NEVER,
                                     .keeper = how->keeper};
    errand__buf_init(&process->answer, how->answer_max);
    errand_status status = open_pipes(&pipes, tool, err);
    if (status != ERRAND_OK)
        return status;
    process->pid = fork();
    if (process->pid == 0)
        be_tool(tool, &pipes, how);
    int why = errno;
    close_fd(&pipes.fail[1]);
    if (process->pid < 0)
        status = errand__fail(err, ERRAND_EIO, why, "%s does not start", tool->name);
    else
        status = follow(process, pipes.fail[0], tool, err);
    if (status == ERRAND_OK) {
        adopt(process, &pipes);
        process->args = args;
        process->args_len = args_len;
    }
    close_pipes(&pipes);
    return status;
}

size_t tool_wants(const struct tool_process *process, struct pollfd *fds)
{
    size_t count = 0;

    if (process->in >= 0)
        fds[count++] = (struct pollfd){.fd = process->in, .events = POLLOUT};
    if (process->out >= 0)
        fds[count++] = (struct pollfd){.fd = process->out, .events = POLLIN};
    if (process->err >= 0)
        fds[count++] = (struct pollfd){.fd = process->err, .events = POLLIN};
    if (process->pidfd >= 0 && !process->exited)
        fds[count++] = (struct pollfd){.fd = process->pidfd, .events = POLLIN};
    return count;
}

int64_t tool_due(const struct tool_process *process)
{
    return process->drain_due_us < process->kill_due_us ? process->drain_due_us
                                                        : process->kill_due_us;
}

static void feed(struct tool_process *process)
{
    while (process->in >= 0) {
        if (process->args_sent == process->args_len) {
            close_fd(&process->in);
            errand__mem_free(process->args);
            process->args = NULL;
            return;
        }
        ssize_t count = write(process->in, process->args + process->args_sent,
                              process->args_len - process->args_sent);
        if (count >= 0)
            process->args_sent += (size_t)count;
        else if (errno == EAGAIN)
            return;
        else if (errno != EINTR)
            process->args_sent = process->args_len; /* It does not want to know. */
    }
}

static void keep_tail(struct tool_process *process, errand_span bytes)
{
    if (bytes.len >= sizeof(process->tail)) {
        process->tail_cut =
            process->tail_cut || process->tail_len > 0 || bytes.len > sizeof(process->tail);
        bytes = span_after(bytes, bytes.len - sizeof(process->tail));
        process->tail_len = 0;
    }
    size_t room = sizeof(process->tail) - process->tail_len;
    if (bytes.len > room) {
        size_t gone = bytes.len - room;
        memmove(process->tail, process->tail + gone, process->tail_len - gone);
        process->tail_len -= gone;
        process->tail_cut = true;
    }
    memcpy(process->tail + process->tail_len, bytes.ptr, bytes.len);
    process->tail_len += bytes.len;
}

static void keep_answer(struct tool_process *process, errand_span bytes)
{
    if (process->overflown || errand__buf_push(&process->answer, bytes) == ERRAND_OK)
        return;
    process->overflown = true;
    (void)kill(-process->pid, SIGKILL);
}

static void drain(struct tool_process *process, int *fd,
                  void (*keep)(struct tool_process *process, errand_span bytes))
{
    char bytes[64 * 1024];
    size_t total = 0;

    while (*fd >= 0 && total < STEP_BYTES) {
        ssize_t count = read(*fd, bytes, sizeof(bytes));
        if (count > 0) {
            keep(process, span_of(bytes, (size_t)count));
            total += (size_t)count;
        } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
            close_fd(fd);
        } else if (errno == EAGAIN) {
            return;
        }
    }
}

static void look_for_exit(struct tool_process *process, int64_t now_us)
{
    siginfo_t info = {.si_pid = 0};

    if (process->exited)
        return;
    if (waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid == 0)
        return;
    process->exited = true;
    process->exit_code = info.si_code == CLD_EXITED ? info.si_status : -1;
    process->exit_signal = info.si_code == CLD_EXITED ? 0 : info.si_status;
    process->drain_due_us = now_us + DRAIN_US;
}

static void bury(struct tool_process *process)
{
    (void)kill(-process->pid, SIGKILL);
    keeper_remove(process->keeper, process->pid);
    while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    close_fd(&process->pidfd);
    close_fd(&process->in);
    close_fd(&process->out);
    close_fd(&process->err);
    process->drain_due_us = TIME_NEVER;
    process->kill_due_us = TIME_NEVER;
    process->over = true;
}

void tool_step(struct tool_process *process, int64_t now_us)
{
    if (process->over)
        return;
    look_for_exit(process, now_us);
    feed(process);
    drain(process, &process->out, keep_answer);
    drain(process, &process->err, keep_tail);
    if (now_us >= process->kill_due_us) {
        (void)kill(-process->pid, SIGKILL);
        process->kill_due_us = TIME_NEVER;
    }
    bool drained = process->out < 0 && process->err < 0;
    if (process->exited && (drained || now_us >= process->drain_due_us))
        bury(process);
}

void tool_end(struct tool_process *process, int64_t now_us, bool at_once)
{
    if (process->over)
        return;
    if (at_once)
        (void)kill(-process->pid, SIGKILL);
    else if (process->kill_due_us == TIME_NEVER) {
        (void)kill(-process->pid, SIGTERM);
        process->kill_due_us = now_us + GRACE_US;
    }
}

void tool_deinit(struct tool_process *process)
{
    if (process->pid > 0 && !process->over) {
        (void)kill(-process->pid, SIGKILL);
        bury(process);
    }
    errand__mem_free(process->args);
    errand__buf_deinit(&process->answer);
    process->args = NULL;
}
