/* clock.c - measures; knows nothing of runs. */
#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

double now_ms(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static double span_ms(struct timeval time)
{
    return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

double cpu_ms(void)
{
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    return span_ms(usage.ru_utime) + span_ms(usage.ru_stime);
}

double peak_mib(void)
{
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

double median(double *values, size_t count)
{
    qsort(values, count, sizeof(double), by_size);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

void give_up(const char *what)
{
    (void)fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

/* With no more of an environment than a runner gets: some of what it may hold slows node down. */
static void become(const char *node, const char *script)
{
    char path[1024], home[1024];
    (void)snprintf(path, sizeof(path), "PATH=%s", getenv("PATH"));
    (void)snprintf(home, sizeof(home), "HOME=%s", getenv("HOME"));
    char *const bare[] = {path, home, NULL};
    const char *const words[] = {node, script, NULL};
    (void)execvpe(node, (char *const *)(uintptr_t)words, bare); /* One that is looked for, too. */
    _exit(127);
}

struct child child_start(const char *node, const char *script)
{
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
        give_up("no pipe");
    pid_t pid = fork();
    if (pid < 0)
        give_up("no child");
    if (pid == 0) {
        (void)dup2(in[0], 0);
        (void)dup2(out[1], 1);
        become(node, script);
    }
    (void)close(in[0]);
    (void)close(out[1]);
    return (struct child){pid, in[1], out[0]};
}

void child_end(struct child *child)
{
    (void)kill(child->pid, SIGKILL);
    (void)waitpid(child->pid, NULL, 0);
    (void)close(child->in);
    (void)close(child->out);
}

void write_all(int fd, errand_span bytes)
{
    while (bytes.len > 0) {
        ssize_t put = write(fd, bytes.ptr, bytes.len);
        if (put < 0 && errno != EINTR)
            give_up("the floor hung up");
        if (put > 0)
            bytes = span_after(bytes, (size_t)put);
    }
}

void read_all(int fd, char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t got = read(fd, bytes, len);
        if (got == 0 || (got < 0 && errno != EINTR))
            give_up("the floor hung up");
        if (got > 0) {
            bytes += got;
            len -= (size_t)got;
        }
    }
}
