/* command.c - fork, a shell, two pipes read to their ends. */
#include "command.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OUTPUT_MAX = 64 * 1024 * 1024, LINE_LIMIT_MS = 60000 };

static char folder[] = "/tmp/errand-cli-XXXXXX";

/* --- Around each program ---------------------------------------------------------------------- */

static void put_node_on_path(void)
{
    const char *nodes = getenv("ERRAND_TEST_NODES");
    const char *path = getenv("PATH");
    char joined[8192];

    if (nodes == NULL || nodes[0] == '\0')
        return;
    size_t len = strcspn(nodes, ":");
    while (len > 0 && nodes[len - 1] != '/')
        len--;
    assert_true(len > 1);
    (void)snprintf(joined, sizeof(joined), "%.*s:%s", (int)len - 1, nodes,
                   path == NULL ? "/usr/bin:/bin" : path);
    assert_int_equal(setenv("PATH", joined, 1), 0);
}

int command_setup(void **state)
{
    (void)state;
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    assert_int_equal(setenv("E", ERRAND_COMMAND, 1), 0);
    assert_int_equal(setenv("EXAMPLES", ERRAND_EXAMPLES, 1), 0);
    assert_int_equal(unsetenv("NO_COLOR"), 0);
    put_node_on_path();
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    return 0;
}

int command_teardown(void **state)
{
    (void)state;
    assert_int_equal(chdir("/"), 0);
    pid_t pid = fork();
    if (pid == 0) {
        (void)execlp("rm", "rm", "-rf", folder, (char *)NULL);
        _exit(127);
    }
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    return 0;
}

/* --- Time and files --------------------------------------------------------------------------- */

int64_t now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void pause_ms(int ms)
{
    (void)poll(NULL, 0, ms);
}

void wait_for_file(const char *path)
{
    for (int i = 0; i < 3000; i++) {
        if (access(path, F_OK) == 0)
            return;
        pause_ms(10);
    }
    fail_msg("%s never came", path);
}

void write_file(const char *path, const char *text, int mode)
{
    FILE *file = fopen(path, "we");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, (mode_t)mode), 0);
}

static char *read_to_end(int fd)
{
    char *text = malloc(OUTPUT_MAX);
    size_t len = 0;

    assert_non_null(text);
    for (;;) {
        ssize_t count = read(fd, text + len, OUTPUT_MAX - 1 - len);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        len += (size_t)count;
    }
    text[len] = '\0';
    char *fitted = realloc(text, len + 1);
    assert_non_null(fitted);
    return fitted;
}

char *read_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        fail_msg("%s is not there", path);
    char *text = read_to_end(fd);
    (void)close(fd);
    return text;
}

/* --- Running ---------------------------------------------------------------------------------- */

/* A file without a name: input of any size, and output that nobody has to read meanwhile. */
static int nameless_file(const char *text)
{
    int fd = open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    size_t len = text == NULL ? 0 : strlen(text);
    assert_int_equal(write(fd, text == NULL ? "" : text, len), len);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

struct started command_start(const char *line, const char *input)
{
    struct started started = {.began_ms = now_ms()};
    int in = nameless_file(input);

    started.out = nameless_file(NULL);
    started.err = nameless_file(NULL);
    started.pid = fork();
    assert_true(started.pid >= 0);
    if (started.pid == 0) {
        (void)dup2(in, 0);
        (void)dup2(started.out, 1);
        (void)dup2(started.err, 2);
        (void)execl("/bin/sh", "sh", "-c", line, (char *)NULL);
        _exit(127);
    }
    (void)close(in);
    return started;
}

static int wait_code(pid_t pid, int64_t until_ms)
{
    int status = 0;

    for (;;) {
        pid_t gone = waitpid(pid, &status, WNOHANG);
        if (gone == pid)
            break;
        assert_true(gone == 0 || errno == EINTR);
        if (now_ms() > until_ms) {
            (void)kill(pid, SIGKILL);
            until_ms = INT64_MAX;
        }
        pause_ms(5);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

struct result command_wait(struct started *started)
{
    struct result result = {.code = wait_code(started->pid, started->began_ms + LINE_LIMIT_MS)};

    result.took_ms = now_ms() - started->began_ms;
    assert_int_equal(lseek(started->out, 0, SEEK_SET), 0);
    assert_int_equal(lseek(started->err, 0, SEEK_SET), 0);
    result.out = read_to_end(started->out);
    result.err = read_to_end(started->err);
    (void)close(started->out);
    (void)close(started->err);
    return result;
}

struct result command(const char *line)
{
    struct started started = command_start(line, NULL);
    return command_wait(&started);
}

void result_free(struct result *result)
{
    free(result->out);
    free(result->err);
    result->out = result->err = NULL;
}

/* --- What is left ----------------------------------------------------------------------------- */

static pid_t parent_of(const char *pid)
{
    char path[64];
    char text[512] = "";

    (void)snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t count = read(fd, text, sizeof(text) - 1);
    (void)close(fd);
    const char *after = count > 0 ? strrchr(text, ')') : NULL;
    return after == NULL || strlen(after) < 5 ? -1 : (pid_t)strtol(after + 4, NULL, 10);
}

static void end_children(void)
{
    DIR *all = opendir("/proc");

    assert_non_null(all);
    for (struct dirent *entry = readdir(all); entry != NULL; entry = readdir(all)) {
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9' ||
            parent_of(entry->d_name) != getpid())
            continue;
        char path[64];
        (void)snprintf(path, sizeof(path), "/proc/%.20s/cmdline", entry->d_name);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        char words[256] = "";
        ssize_t count = fd < 0 ? 0 : read(fd, words, sizeof(words) - 1);
        (void)close(fd);
        for (ssize_t i = 0; i + 1 < count; i++)
            if (words[i] == '\0')
                words[i] = ' ';
        print_error("left behind: %s %s\n", entry->d_name, words);
        (void)kill((pid_t)strtol(entry->d_name, NULL, 10), SIGKILL);
    }
    (void)closedir(all);
}

static bool something_left(int within_ms)
{
    int64_t until_ms = now_ms() + within_ms;

    for (;;) {
        pid_t gone = waitpid(-1, NULL, WNOHANG);
        if (gone < 0 && errno == ECHILD)
            return false;
        if (gone == 0 && now_ms() > until_ms)
            return true;
        if (gone == 0)
            pause_ms(5);
    }
}

void assert_nothing_left(int within_ms)
{
    if (!something_left(within_ms))
        return;
    end_children();
    (void)something_left(2000);
    fail_msg("a process was left behind");
}

/* --- Tables ----------------------------------------------------------------------------------- */

bool matches(const char *text, const char *pattern)
{
    regex_t compiled;
    int status = regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB);

    if (status != 0)
        fail_msg("no regular expression: %s", pattern);
    status = regexec(&compiled, text, 0, NULL, 0);
    regfree(&compiled);
    return status == 0;
}

static bool as_expected(const char *text, const char *pattern)
{
    if (pattern == NULL)
        return true;
    return pattern[0] == '\0' ? text[0] == '\0' : matches(text, pattern);
}

static bool run_case(const struct line_case *it)
{
    struct started started = command_start(it->line, it->input);
    struct result result = command_wait(&started);
    bool left = something_left(2000);
    bool fine = result.code == it->code && as_expected(result.out, it->out) &&
                as_expected(result.err, it->err) && !left;

    if (left)
        end_children();
    if (!fine)
        print_error("%s\n  line: %s\n  exit %d, not %d; or out or err\n  out: %.2000s\n"
                    "  want: %s\n  err: %.2000s\n  want: %s\n",
                    it->name, it->line, result.code, it->code, result.out,
                    it->out == NULL ? "(any)" : it->out, result.err,
                    it->err == NULL ? "(any)" : it->err);
    result_free(&result);
    return fine;
}

void run_cases(const struct line_case *cases, size_t count)
{
    size_t failed = 0;

    for (size_t i = 0; i < count; i++)
        failed += run_case(&cases[i]) ? 0 : 1;
    if (failed > 0)
        fail_msg("%zu of %zu cases", failed, count);
}
