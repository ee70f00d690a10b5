/* test_spawn.c - what a child gets of its host, what it does not, and how a failed exec is told. */
#include "test.h"

#include "balance.h"
#include "base/mem.h"
#include "old_kernel.h"
#include "transport/procfs.h"
#include "transport/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 20000 };

/* --- Driving ------------------------------------------------------------------------------- */

static errand_status verdict_of(const struct spawned *spawned, const char *command,
                                errand_error *err)
{
    struct pollfd fd = {spawned->verdict, POLLIN, 0};

    assert_int_equal(poll(&fd, 1, PATIENCE_MS), 1);
    return errand__spawn_verdict(spawned, command, err);
}

static void bury(struct spawned *spawned)
{
    int fds[] = {spawned->leader, spawned->in, spawned->out, spawned->err, spawned->verdict};

    for (size_t i = 0; i < COUNT(fds); i++) {
        if (fds[i] >= 0)
            assert_int_equal(close(fds[i]), 0);
    }
    (void)kill(-spawned->pid, SIGKILL);
    assert_int_equal(waitpid(spawned->pid, NULL, 0), spawned->pid);
}

/* All that argv prints, and what was sent to it before. */
static const char *output_of(const char *const *argv, const char *input)
{
    static char text[65536];
    struct spawned spawned;
    errand_error error = {0};
    size_t len = 0;

    if (errand__spawn(&spawned, argv, &error) != ERRAND_OK)
        fail_msg("%s", error.text);
    if (verdict_of(&spawned, argv[0], &error) != ERRAND_OK)
        fail_msg("%s", error.text);
    if (input != NULL)
        assert_int_equal(send(spawned.in, input, strlen(input), MSG_NOSIGNAL), strlen(input));
    assert_int_equal(shutdown(spawned.in, SHUT_WR), 0);
    struct pollfd fd = {spawned.out, POLLIN, 0};
    while (len + 1 < sizeof(text) && poll(&fd, 1, PATIENCE_MS) == 1) {
        ssize_t got = read(spawned.out, text + len, sizeof(text) - 1 - len);
        if (got <= 0)
            break;
        len += (size_t)got;
    }
    text[len] = '\0';
    bury(&spawned);
    return text;
}

#define OUTPUT(...) output_of((const char *const[]){__VA_ARGS__, NULL}, NULL)

/* --- What the child gets ------------------------------------------------------------------- */

static void test_spawn__no_descriptor_of_the_host_leaks(void **state)
{
    int leaky[3];

    (void)state;
    for (size_t i = 0; i < COUNT(leaky); i++) {
        leaky[i] = open("/dev/null", O_RDONLY); /* Without close-on-exec. */
        assert_true(leaky[i] >= 0);
    }
    int high = fcntl(leaky[0], F_DUPFD, 700);
    assert_true(high >= 700);
    /* 3 is the folder that ls reads. */
    assert_string_equal(OUTPUT("ls", "/proc/self/fd"), "0\n1\n2\n3\n");
    (void)close(high);
    for (size_t i = 0; i < COUNT(leaky); i++)
        (void)close(leaky[i]);
}

static void test_spawn__standard_streams_are_pipes_that_block(void **state)
{
    (void)state;
    /* 02 is O_RDWR, 01 O_WRONLY, 04000 would be O_NONBLOCK. */
    assert_string_equal(OUTPUT("grep", "-h", "flags", "/proc/self/fdinfo/0", "/proc/self/fdinfo/1",
                               "/proc/self/fdinfo/2"),
                        "flags:\t02\nflags:\t02\nflags:\t01\n");
}

static void on_signal(int number)
{
    (void)number;
}

static void test_spawn__signals_are_as_in_a_fresh_process(void **state)
{
    static const int ignored[] = {SIGINT, SIGPIPE, SIGHUP};
    struct sigaction before[COUNT(ignored)], user_before;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, handle = {.sa_handler = on_signal};
    sigset_t mask, mask_before, mask_after;

    (void)state;
    for (size_t i = 0; i < COUNT(ignored); i++)
        assert_int_equal(sigaction(ignored[i], &ignore, &before[i]), 0);
    assert_int_equal(sigaction(SIGUSR1, &handle, &user_before), 0);
    (void)sigemptyset(&mask);
    (void)sigaddset(&mask, SIGTERM);
    (void)sigaddset(&mask, SIGUSR2);
    assert_int_equal(pthread_sigmask(SIG_BLOCK, &mask, &mask_before), 0);
    const char *text = OUTPUT("cat", "/proc/self/status");
    assert_non_null(strstr(text, "\nSigBlk:\t0000000000000000\n"
                                 "SigIgn:\t0000000000000000\n"
                                 "SigCgt:\t0000000000000000\n"));
    assert_int_equal(pthread_sigmask(SIG_SETMASK, &mask_before, &mask_after), 0);
    assert_int_equal(sigismember(&mask_after, SIGTERM), 1);
    assert_int_equal(sigismember(&mask_after, SIGINT), 0);
    for (size_t i = 0; i < COUNT(ignored); i++) {
        struct sigaction after;
        assert_int_equal(sigaction(ignored[i], &before[i], &after), 0);
        assert_true(after.sa_handler == SIG_IGN);
    }
    assert_int_equal(sigaction(SIGUSR1, &user_before, &handle), 0);
    assert_true(handle.sa_handler == on_signal);
}

static void test_spawn__environment_and_folder_are_the_host_s(void **state)
{
    char here[4096], expected[4200];

    (void)state;
    assert_non_null(getcwd(here, sizeof(here)));
    assert_int_equal(setenv("ERRAND_TEST_WORD", "a b", 1), 0);
    assert_string_equal(OUTPUT("printenv", "ERRAND_TEST_WORD"), "a b\n");
    assert_int_equal(unsetenv("ERRAND_TEST_WORD"), 0);
    (void)snprintf(expected, sizeof(expected), "%s\n", here);
    assert_string_equal(OUTPUT("/bin/pwd"), expected);
}

static void test_spawn__words_arrive_as_they_are(void **state)
{
    (void)state;
    assert_string_equal(OUTPUT("printf", "%s|", "a b", "", "$HOME", "'", "x\ny"),
                        "a b||$HOME|'|x\ny|");
}

static void test_spawn__the_child_leads_a_session_of_its_own(void **state)
{
    struct proc_facts facts;
    struct spawned spawned;
    errand_error error = {0};
    const char *const argv[] = {"sleep", "60", NULL};

    (void)state;
    assert_int_equal(errand__spawn(&spawned, argv, &error), ERRAND_OK);
    assert_int_equal(verdict_of(&spawned, argv[0], &error), ERRAND_OK);
    assert_true(errand__proc_facts(spawned.pid, &facts));
    assert_int_equal(facts.session, spawned.pid);
    assert_int_equal(facts.group, spawned.pid);
    assert_int_equal(facts.parent, getpid());
    assert_string_equal(facts.name, "sleep");
    assert_true(spawned.mark != 0);
    assert_true(errand__proc_mark(spawned.pid) == spawned.mark);
    bury(&spawned);
}

static void test_spawn__orphans_come_back_to_the_child(void **state)
{
    char expected[64];
    const char *text = OUTPUT("sh", "-c",
                              "echo $$; (sh -c 'sleep 0.1; read a b c d e </proc/$$/stat; "
                              "echo $d' &); sleep 0.5");
    long leader = strtol(text, NULL, 10);

    (void)state;
    (void)snprintf(expected, sizeof(expected), "%ld\n%ld\n", leader, leader);
    assert_string_equal(text, expected);
}

static void test_spawn__a_host_without_standard_streams(void **state)
{
    int kept[3];
    char seen[64] = "";

    (void)state;
    for (int fd = 0; fd < 3; fd++) {
        kept[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 100);
        assert_true(kept[fd] >= 100);
    }
    for (int fd = 0; fd < 3; fd++)
        (void)close(fd);
    const char *const argv[] = {"sh", "-c", "cat; echo out; echo err >&2", NULL};
    struct spawned spawned;
    errand_error error = {0};
    errand_status status = errand__spawn(&spawned, argv, &error);
    bool free_again = fcntl(0, F_GETFD) < 0 && fcntl(1, F_GETFD) < 0 && fcntl(2, F_GETFD) < 0;
    for (int fd = 0; fd < 3; fd++) {
        (void)dup2(kept[fd], fd);
        (void)close(kept[fd]);
    }
    assert_int_equal(status, ERRAND_OK);
    assert_true(free_again);
    assert_int_equal(verdict_of(&spawned, argv[0], &error), ERRAND_OK);
    assert_int_equal(send(spawned.in, "in\n", 3, MSG_NOSIGNAL), 3);
    assert_int_equal(shutdown(spawned.in, SHUT_WR), 0);
    struct pollfd fd = {spawned.err, POLLIN, 0};
    assert_int_equal(poll(&fd, 1, PATIENCE_MS), 1);
    assert_int_equal(read(spawned.out, seen, sizeof(seen) - 1), 7);
    assert_string_equal(seen, "in\nout\n");
    bury(&spawned);
}

/* --- A command that can't be run ----------------------------------------------------------- */

static void assert_fails(const char *command, const char *expected, int os_errno)
{
    const char *const argv[] = {command, "x", NULL};
    struct spawned spawned;
    errand_error error = {0};

    assert_int_equal(errand__spawn(&spawned, argv, &error), ERRAND_OK);
    assert_int_equal(verdict_of(&spawned, command, &error), ERRAND_EIO);
    assert_string_equal(error.text, expected);
    assert_int_equal(error.os_errno, os_errno);
    bury(&spawned);
}

static char folder[] = "/tmp/test_spawn.XXXXXX";

static const char *make_file(const char *name, const char *text, mode_t mode)
{
    static char path[128];

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
    assert_int_equal(close(fd), 0);
    return path;
}

static void remove_file(const char *name)
{
    char path[128];

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    assert_int_equal(unlink(path), 0);
}

static void test_spawn__why_a_command_can_t_be_run(void **state)
{
    char expected[256];

    (void)state;
    assert_fails("dockr", "exec: no such command: dockr", 0);
    assert_fails("", "exec: no such command: ", 0);
    assert_fails("/no/such/file", "exec: no such command: /no/such/file", 0);
    assert_fails("/dev/null/x", "exec: no such command: /dev/null/x", 0);
    assert_fails("/tmp", "exec: may not be run: /tmp: Permission denied", EACCES);

    const char *path = make_file("script", "#!/no/such/shell\n", 0755);
    (void)snprintf(expected, sizeof(expected), "exec: what %s names in its first line is missing",
                   path);
    assert_fails(path, expected, 0);
    path = make_file("script", "echo\n", 0644);
    (void)snprintf(expected, sizeof(expected), "exec: may not be run: %s: Permission denied", path);
    assert_fails(path, expected, EACCES);
    path = make_file("script", "no program", 0755);
    (void)snprintf(expected, sizeof(expected), "exec: can't run %s: Exec format error", path);
    assert_fails(path, expected, ENOEXEC);
    remove_file("script");
}

static void test_spawn__path_is_searched_in_order(void **state)
{
    char path[8192], before[4096];
    const char *now = getenv("PATH");

    (void)state;
    (void)snprintf(before, sizeof(before), "%s", now == NULL ? "/bin" : now);
    (void)make_file("printenv", "#!/bin/sh\necho ours\n", 0755);
    (void)snprintf(path, sizeof(path), "/no/such:/dev/null:%s:%s", folder, before);
    assert_int_equal(setenv("PATH", path, 1), 0);
    assert_string_equal(OUTPUT("printenv"), "ours\n");
    /* One that may not be run is passed over. */
    (void)make_file("printenv", "#!/bin/sh\necho ours\n", 0644);
    assert_string_equal(OUTPUT("printenv", "PWD_NONE_SUCH"), "");
    (void)make_file("here", "#!/bin/sh\necho here\n", 0755);
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(setenv("PATH", ":/bin", 1), 0);
    assert_string_equal(OUTPUT("here"), "here\n");
    assert_int_equal(setenv("PATH", "/no/such:/dev/null:/etc/passwd", 1), 0);
    assert_fails("here", "exec: no such command: here", 0);
    assert_int_equal(unsetenv("PATH"), 0);
    assert_string_equal(OUTPUT("echo", "default"), "default\n");
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(setenv("PATH", before, 1), 0);
    remove_file("printenv");
    remove_file("here");
}

static void test_spawn__no_descriptors_are_left(void **state)
{
    struct rlimit before, few;
    const char *const argv[] = {"true", NULL};

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    size_t open_now = balance_descriptors();
    int lowest = dup(STDIN_FILENO);
    assert_true(lowest >= 0);
    assert_int_equal(close(lowest), 0);
    errand_status status = ERRAND_EIO;
    for (rlim_t room = 0; status != ERRAND_OK; room++) {
        struct spawned spawned;
        errand_error error = {0};
        few = before;
        few.rlim_cur = (rlim_t)lowest + room;
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
        status = errand__spawn(&spawned, argv, &error);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
        if (status == ERRAND_OK) {
            assert_true(room >= 8);
            bury(&spawned);
        } else {
            assert_int_equal(status, ERRAND_EIO);
            assert_string_equal(error.text, "exec: no pipe to a process: Too many open files");
        }
        assert_int_equal(balance_descriptors(), open_now);
    }
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL ? -1 : 0;
}

static int drop_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

/* With the word "old-kernel": the same without what new kernels have. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spawn__no_descriptor_of_the_host_leaks),
        cmocka_unit_test(test_spawn__standard_streams_are_pipes_that_block),
        cmocka_unit_test(test_spawn__signals_are_as_in_a_fresh_process),
        cmocka_unit_test(test_spawn__environment_and_folder_are_the_host_s),
        cmocka_unit_test(test_spawn__words_arrive_as_they_are),
        cmocka_unit_test(test_spawn__the_child_leads_a_session_of_its_own),
        cmocka_unit_test(test_spawn__orphans_come_back_to_the_child),
        cmocka_unit_test(test_spawn__a_host_without_standard_streams),
        cmocka_unit_test(test_spawn__why_a_command_can_t_be_run),
        cmocka_unit_test(test_spawn__path_is_searched_in_order),
        cmocka_unit_test(test_spawn__no_descriptors_are_left),
    };
    if (argc > 1 && (strcmp(argv[1], "old-kernel") != 0 || !old_kernel_begin()))
        return 2;
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
