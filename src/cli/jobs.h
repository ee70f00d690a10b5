/* jobs.h - the calls of a run, each on its way through question, queue and tool to its answer. */
#ifndef ERRAND_JOBS_H
#define ERRAND_JOBS_H

#include "cli/print.h"
#include "cli/tool.h"

#include <sys/queue.h>

enum { JOBS_AT_ONCE = 16, JOBS_AT_ONCE_MAX = 256 };

enum job_state {
    JOB_ASKED,   /* A human has to agree. */
    JOB_QUEUED,  /* Its tool will start when there is room. */
    JOB_RUNNING, /* Its tool runs. */
    JOB_UNWANTED /* Its tool is being ended; nobody waits for an answer. */
};

struct job {
    TAILQ_ENTRY(job) link; /* In the list of its state; JOB_UNWANTED stands in running. */
    struct job *next_same; /* In its bucket. */
    enum job_state state;
    uint64_t call;
    const struct tool *tool;
    char *args;
    size_t args_len;
    int64_t arrived_us;
    struct tool_process *process; /* Once it runs. */
};

TAILQ_HEAD(job_list, job);

struct jobs {
    const struct tools *tools;
    struct print *print;
    errand_loop *loop;
    errand_run *run; /* NULL once it ended: then nobody is answered. */
    struct tool_start start;
    size_t at_once, running_count;
    size_t waiting_bytes, waiting_max; /* Arguments that wait for a human or for room. */
    struct job_list asked, queued, running;
    struct job *buckets[1024];
};

/* The fields up to at_once, and waiting_max, are the caller's to fill in. */
void jobs_init(struct jobs *jobs);
/* A CALL event. */
void jobs_call(struct jobs *jobs, const errand_event *event);
/* A CALL_OVER event. */
void jobs_call_over(struct jobs *jobs, const errand_event *event);
/* The one that a human is asked about, or NULL. */
const struct job *jobs_asked(const struct jobs *jobs);
/* The human's answer about that one. why: words for the program when it is no. */
void jobs_decide(struct jobs *jobs, bool allowed, const char *why);
/* At most TOOL_FDS for each that may run at once. */
size_t jobs_wants(const struct jobs *jobs, struct pollfd *fds);
int64_t jobs_due(const struct jobs *jobs);
void jobs_step(struct jobs *jobs, int64_t now_us);
/* Ends all tools; at_once: without patience. */
void jobs_end(struct jobs *jobs, bool at_once);
void jobs_deinit(struct jobs *jobs);

#endif
