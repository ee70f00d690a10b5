/* tool.h - one tool at work: a process group of ours with an argument, an answer and words on
 * standard error. Knows no run and no JSON. */
#ifndef ERRAND_TOOL_H
#define ERRAND_TOOL_H

#include "base/buf.h"
#include "cli/keeper.h"
#include "cli/tools.h"

#include <poll.h>
#include <signal.h>

enum { TOOL_FDS = 4, TOOL_STDERR_TAIL = 4096 };

struct tool_process {
    pid_t pid;
    int pidfd, in, out, err; /* -1: closed. */
    char *args;              /* Goes to its standard input. */
    size_t args_len, args_sent;
    struct buf answer;
    bool overflown; /* The answer grew over its cap. */
    char tail[TOOL_STDERR_TAIL];
    size_t tail_len;
    bool tail_cut;
    bool exited, over; /* over: nothing of it is left. */
    int exit_code, exit_signal;
    int64_t drain_due_us, kill_due_us;
    const struct keeper *keeper;
};

/* What every tool of a run starts with. */
struct tool_start {
    const struct keeper *keeper;
    const sigset_t *mask; /* The signal mask it gets. */
    size_t answer_max;
};

/* args is taken on success. */
errand_status tool_start(struct tool_process *process, const struct tool *tool, char *args,
                         size_t args_len, const struct tool_start *how,
                         errand_error *err) ERRAND_CHECKED;
/* Fills in what to poll for, at most TOOL_FDS; returns how many. */
size_t tool_wants(const struct tool_process *process, struct pollfd *fds);
/* The instant to come back at without any descriptor being ready. */
int64_t tool_due(const struct tool_process *process);
/* Moves what can be moved. */
void tool_step(struct tool_process *process, int64_t now_us);
/* TERM to its group, KILL after two seconds; at once: KILL. Its over follows. */
void tool_end(struct tool_process *process, int64_t now_us, bool at_once);
void tool_deinit(struct tool_process *process);

#endif
