/* spawn.c - fork and exec, and what has to be right between them.
 *
 * The host may have other threads, open descriptors without close-on-exec, blocked signals,
 * handlers, and closed standard streams; the child gets none of that. Between fork and exec only
 * calls are made that may be made in a signal handler: all memory is prepared before. */
#include "transport/spawn.h"

#include "base/err.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    PATHS_BYTES_MOST = 1024 * 1024, /* All places where a command may be, as one text. */
    FIRST_OWN_FD = 3
};

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

/* Of linux/keyctl.h, which not every system has. */
#define JOIN_SESSION_KEYRING 1

/* What who is apart gets of the environment: what a launch leaves of it. */
static const char *const harmless[] = {"PATH", "HOME", "LANG", "LC_ALL", "TZ", "LD_LIBRARY_PATH"};

/* What the child needs, complete before it exists. */
struct plan {
    const char *paths; /* Candidates, each NUL-terminated; an empty one ends them. */
    char *const *argv;
    char *const *env;
    int in, out, err, report;
    uint64_t mark;
    bool apart;
};

/* --- Where a command may be ------------------------------------------------------------ */

static size_t put_path(char *at, const char *dir, size_t dir_len, const char *name)
{
    /* An empty element of PATH is the working directory. */
    size_t len = dir_len == 0 ? 1 : dir_len;

    memcpy(at, dir_len == 0 ? "." : dir, len);
    at[len] = '/';
    memcpy(at + len + 1, name, strlen(name) + 1);
    return len + 1 + strlen(name) + 1;
}

/* NULL: no memory, or a PATH that is too long to be one. */
static char *candidates(const char *name)
{
    const char *path = getenv("PATH");
    size_t name_size = strlen(name) + 1;

    if (strchr(name, '/') != NULL || *name == '\0') {
        char *only = errand__mem_new(name_size + 1, 1);
        if (only != NULL)
            memcpy(only, name, name_size);
        return only;
    }
    if (path == NULL)
        path = "/usr/local/bin:/usr/bin:/bin";
    size_t elements = 1;
    for (const char *at = path; *at != '\0'; at++)
        elements += *at == ':';
    size_t room = strlen(path) + elements * (name_size + 2) + 1;
    char *all = room > PATHS_BYTES_MOST ? NULL : errand__mem_new(room, 1);
    if (all == NULL)
        return NULL;
    char *put = all;
    for (;;) {
        size_t len = strcspn(path, ":");
        put += put_path(put, path, len, name);
        if (path[len] == '\0')
            return all;
        path += len + 1;
    }
}

/* --- The child, until exec ------------------------------------------------------------- */

static _Noreturn void give_up(const struct plan *plan, int why)
{
    ssize_t wrote = 0;

    do
        wrote = write(plan->report, &why, sizeof(why));
    while (wrote < 0 && errno == EINTR);
    _exit(127);
}

static void put_mark(uint64_t mark)
{
    struct rlimit limit;

    if (mark == 0 || getrlimit(RLIMIT_LOCKS, &limit) != 0)
        return;
    limit.rlim_cur = (rlim_t)mark;
    (void)setrlimit(RLIMIT_LOCKS, &limit);
}

static void reset_signals(void)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t none;

    for (int number = 1; number < NSIG; number++)
        (void)sigaction(number, &action, NULL); /* KILL, STOP and those of libc refuse. */
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Linux before 5.11: readdir takes memory, so that the folder is read by hand. */
static void seal_by_hand(void)
{
    struct entry { /* As getdents64 writes it. */
        uint64_t inode;
        int64_t offset;
        unsigned short size;
        unsigned char type;
        char name[];
    };
    _Alignas(struct entry) char room[2048];
    int folder = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    for (long got = 0;
         folder >= 0 && (got = syscall(SYS_getdents64, folder, room, sizeof(room))) > 0;) {
        for (long at = 0; at < got;) {
            const struct entry *entry = (const void *)(room + at);
            int fd = 0;
            for (const char *digit = entry->name; *digit >= '0' && *digit <= '9'; digit++)
                fd = fd * 10 + (*digit - '0');
            if (fd >= FIRST_OWN_FD)
                (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
            at += entry->size;
        }
    }
}

/* Whatever the host left open without close-on-exec ends here too. */
static void seal_descriptors(void)
{
    if (syscall(SYS_close_range, FIRST_OWN_FD, ~0U, CLOSE_RANGE_CLOEXEC) != 0)
        seal_by_hand();
}

static bool is_elsewhere(int failure)
{
    return failure == ENOENT || failure == ENOTDIR || failure == EACCES || failure == ESTALE ||
           failure == ENODEV;
}

static void exec_first(const struct plan *plan)
{
    bool named = strchr(plan->argv[0], '/') != NULL;
    int why = ENOENT;

    for (const char *path = plan->paths; *path != '\0'; path += strlen(path) + 1) {
        (void)execve(path, plan->argv, plan->env);
        int failure = errno;
        /* One that may not be run is remembered, one that fails otherwise is it. A folder of PATH
         * that may not be looked into says nothing about the command. */
        if (failure == EACCES && (named || access(path, F_OK) == 0))
            why = EACCES;
        else if (!is_elsewhere(failure))
            give_up(plan, failure);
    }
    give_up(plan, why);
}

static _Noreturn void become(const struct plan *plan)
{
    (void)setsid();
    /* Who escapes from the session by a double fork comes back as the leader's child, where it is
     * found, as long as the leader lives. */
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    put_mark(plan->mark);
    /* Keys are inherited like descriptors, and no namespace parts them. */
    if (plan->apart)
        (void)syscall(SYS_keyctl, JOIN_SESSION_KEYRING, NULL);
    if (dup2(plan->in, STDIN_FILENO) < 0 || dup2(plan->out, STDOUT_FILENO) < 0 ||
        dup2(plan->err, STDERR_FILENO) < 0)
        give_up(plan, errno);
    seal_descriptors();
    reset_signals();
    exec_first(plan);
    _exit(127);
}

/* --- The host -------------------------------------------------------------------------- */

struct ends {
    int host, child;
};

/* Standard streams may be closed in the host: a descriptor of ours must not take their place. */
static bool lift(int *fd)
{
    if (*fd >= FIRST_OWN_FD)
        return true;
    int lifted = fcntl(*fd, F_DUPFD_CLOEXEC, FIRST_OWN_FD);
    if (lifted < 0)
        return false;
    (void)close(*fd);
    *fd = lifted;
    return true;
}

static bool open_ends(struct ends *ends, bool socket)
{
    int pair[2];

    if ((socket ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)
                : pipe2(pair, O_CLOEXEC)) != 0)
        return false;
    *ends = (struct ends){pair[0], pair[1]};
    return lift(&ends->host) && lift(&ends->child) && fcntl(ends->host, F_SETFL, O_NONBLOCK) == 0;
}

static void close_ends(struct ends *ends)
{
    errand__auto_close(&ends->host);
    errand__auto_close(&ends->child);
    *ends = (struct ends){-1, -1};
}

static ino_t inode_of(int fd)
{
    struct stat facts;

    return fstat(fd, &facts) == 0 ? facts.st_ino : 0;
}

/* Below the hard limit, or it could not be set; 0 where there is too little room for chance. */
static uint64_t draw_mark(void)
{
    struct rlimit limit;
    uint64_t mark = 0;

    if (getrlimit(RLIMIT_LOCKS, &limit) != 0 ||
        getrandom(&mark, sizeof(mark), GRND_NONBLOCK) != (ssize_t)sizeof(mark))
        return 0;
    mark >>= 2;
    return mark < limit.rlim_max ? mark : 0;
}

/* No handler of the host may run in the child before its signals are reset. */
static pid_t fork_blocked(const struct plan *plan)
{
    sigset_t all, before;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0)
        become(plan);
    int failure = errno;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = failure;
    return pid;
}

enum { PIPE_IN, PIPE_OUT, PIPE_ERR, PIPE_REPORT, PIPES };

static void hand_over(struct spawned *out, struct ends ends[PIPES])
{
    out->in_ino = inode_of(ends[PIPE_IN].child);
    out->out_ino = inode_of(ends[PIPE_OUT].child);
    out->err_ino = inode_of(ends[PIPE_ERR].child);
    out->in = steal_fd(&ends[PIPE_IN].host);
    out->out = steal_fd(&ends[PIPE_OUT].host);
    out->err = steal_fd(&ends[PIPE_ERR].host);
    out->verdict = steal_fd(&ends[PIPE_REPORT].host);
}

/* Borrows from the environment; env is NULL-terminated and has room. */
static void pick_harmless(char *env[static COUNT(harmless) + 1])
{
    size_t count = 0;

    for (size_t i = 0; i < COUNT(harmless); i++) {
        size_t len = strlen(harmless[i]);
        for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
            if (strncmp(*entry, harmless[i], len) != 0 || (*entry)[len] != '=')
                continue;
            env[count++] = *entry;
            break;
        }
    }
    env[count] = NULL;
}

static errand_status start(struct spawned *out, struct ends ends[PIPES], const char *const *argv,
                           bool apart, errand_error *err)
{
    static const bool is_socket[PIPES] = {[PIPE_IN] = true, [PIPE_OUT] = true};
    AUTO_FREE char *paths = candidates(argv[0]);
    char *env[COUNT(harmless) + 1];

    if (paths == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "exec: no memory");
    for (size_t i = 0; i < PIPES; i++) {
        if (!open_ends(&ends[i], is_socket[i]))
            return errand__fail(err, ERRAND_EIO, errno, "exec: no pipe to a process");
    }
    pick_harmless(env);
    struct plan plan = {.paths = paths,
                        .argv = (char *const *)(uintptr_t)argv, /* As execve has it. */
                        .env = apart ? env : environ,
                        .apart = apart,
                        .in = ends[PIPE_IN].child,
                        .out = ends[PIPE_OUT].child,
                        .err = ends[PIPE_ERR].child,
                        .report = ends[PIPE_REPORT].child,
                        .mark = draw_mark()};
    pid_t pid = fork_blocked(&plan);
    if (pid < 0)
        return errand__fail(err, ERRAND_EIO, errno, "exec: no new process");
    *out = (struct spawned){.pid = pid, .mark = plan.mark};
    out->leader = (int)syscall(SYS_pidfd_open, pid, 0);
    if (out->leader >= 0)
        (void)lift(&out->leader);
    hand_over(out, ends);
    return ERRAND_OK;
}

static errand_status spawn(struct spawned *out, const char *const *argv, bool apart,
                           errand_error *err)
{
    struct ends ends[PIPES];

    for (size_t i = 0; i < PIPES; i++)
        ends[i] = (struct ends){-1, -1};
    errand_status status = start(out, ends, argv, apart, err);
    for (size_t i = 0; i < PIPES; i++)
        close_ends(&ends[i]);
    return status;
}

errand_status errand__spawn(struct spawned *out, const char *const *argv, errand_error *err)
{
    return spawn(out, argv, false, err);
}

errand_status errand__spawn_apart(struct spawned *out, const char *const *argv, errand_error *err)
{
    return spawn(out, argv, true, err);
}

static errand_status tell_why(int why, const char *command, errand_error *err)
{
    if (why == ENOENT && strchr(command, '/') != NULL && access(command, F_OK) == 0)
        return errand__fail(err, ERRAND_EIO, 0,
                            "exec: what %.150s names in its first line is missing", command);
    if (why == ENOENT || why == ENOTDIR)
        return errand__fail(err, ERRAND_EIO, 0, "exec: no such command: %.180s", command);
    if (why == EACCES)
        return errand__fail(err, ERRAND_EIO, why, "exec: may not be run: %.150s", command);
    return errand__fail(err, ERRAND_EIO, why, "exec: can't run %.150s", command);
}

errand_status errand__spawn_verdict(const struct spawned *spawned, const char *command,
                                    errand_error *err)
{
    int why = 0;
    ssize_t got = 0;

    do
        got = read(spawned->verdict, &why, sizeof(why));
    while (got < 0 && errno == EINTR);
    if (got < 0 && errno == EAGAIN)
        return ERRAND_AGAIN;
    return got == (ssize_t)sizeof(why) ? tell_why(why, command, err) : ERRAND_OK;
}
