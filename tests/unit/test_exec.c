/* test_exec.c - the contract of transport.h over children, and what hostile children try. */
#include "test.h"

#include "balance.h"
#include "base/mem.h"
#include "contract.h"
#include "old_kernel.h"
#include "transport/address.h"
#include "transport/procfs.h"
#include "transport/words.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 20000 };

static errand_road *make(const struct drive_road *self)
{
    errand_road *road = NULL;
    char *name = NULL;
    errand_error error = {0};

    if (errand__road_from_address(&road, &name, self->address, NULL, &error) != ERRAND_OK)
        fail_msg("%s: %s", self->address, error.text);
    errand__mem_free(name);
    return road;
}

static const struct drive_road roads[] = {
    {.name = "local", .make = make, .address = "local"},
    {.name = "exec", .make = make, .address = "exec:env HERE=1"},
    {.name = "shell", .make = make, .address = "shell:sh -c"},
};
static const struct drive_road *const local = &roads[0];

/* --- The contract -------------------------------------------------------------------------- */

struct on_a_road {
    const struct drive_road *road;
    const struct contract_check *check;
};

static void test_contract(void **state)
{
    const struct on_a_road *on = *state;
    contract_run(on->check, on->road);
}

/* --- Who is left --------------------------------------------------------------------------- */

/* How many processes live that have text in their command line. */
static size_t count_with(const char *text)
{
    DIR *folder = opendir("/proc");
    size_t count = 0;

    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[300], line[4096];
        (void)snprintf(path, sizeof(path), "/proc/%s/cmdline", entry->d_name);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t len = fd < 0 ? -1 : read(fd, line, sizeof(line));
        if (fd >= 0)
            (void)close(fd);
        count += len > 0 && memmem(line, (size_t)len, text, strlen(text)) != NULL;
    }
    assert_int_equal(closedir(folder), 0);
    return count;
}

static void wait_for(const char *text, size_t at_least)
{
    int64_t until_us = drive_now_us() + (int64_t)PATIENCE_MS * 1000;

    while (count_with(text) < at_least) {
        assert_true(drive_now_us() < until_us);
        (void)usleep(2000);
    }
}

/* Those that were killed just now may take a moment. */
static void assert_gone(const char *text)
{
    int64_t until_us = drive_now_us() + (int64_t)PATIENCE_MS * 1000;

    while (count_with(text) > 0) {
        assert_true(drive_now_us() < until_us);
        (void)usleep(1000);
    }
}

/* A length of sleep that no other process of the machine has. */
static const char *own_sleep(void)
{
    static char text[32];
    static unsigned number;

    (void)snprintf(text, sizeof(text), "%u.%d", 5000 + number++, (int)getpid());
    return text;
}

/* --- Hostile children ---------------------------------------------------------------------- */

enum ending { BY_ITSELF, KILLED, CLOSED_AT_ONCE };

struct escape {
    const char *line; /* %s: the length of sleep. */
    enum ending ending;
    bool named;
};

static const struct escape escapes[] = {
    {"setsid sleep %s & echo; exec sleep 60", KILLED, true},
    {"setsid sleep %s & echo; exec sleep 60", CLOSED_AT_ONCE, true},
    {"setsid sleep %s & sleep 0.3; exit 0", BY_ITSELF, true},
    {"setsid sleep %s </dev/null >/dev/null 2>&1 & sleep 0.3; exit 0", BY_ITSELF, true},
    {"(setsid sh -c \"sleep %s </dev/null >/dev/null 2>&1 & exit\" &); sleep 0.3; exit 3",
     BY_ITSELF, true},
    {"(setsid sh -c \"sleep %s </dev/null >/dev/null 2>&1 & exit\" &); exec sleep 60", KILLED,
     true},
    {"setsid sleep %s </dev/null >/dev/null 2>&1 & sleep 0.3; kill -9 $$", BY_ITSELF, true},
    {"setsid sh -c \"trap : TERM HUP INT; setsid sleep %s & wait\" & sleep 0.3; kill -9 $$",
     BY_ITSELF, true},
    {"setsid sh -c \"kill -STOP \\$\\$; : %s\" & sleep 0.3; exit 0", BY_ITSELF, true},
    {"sleep %s & sleep 0.3; exit 0", BY_ITSELF, false},
    {"sleep %s & exec sleep 60", KILLED, false},
    {"exec <&- >&- 2>&-; setsid sleep %s & sleep 0.3; kill -STOP $$", CLOSED_AT_ONCE, true},
    {"setsid sh -c \"while :; do sleep %s & sleep 0.002; done\" & exec sleep 60", KILLED, true},
    {"setsid sh -c \"while :; do setsid sleep %s & sleep 0.002; done\" & exec sleep 60", KILLED,
     true},
    {"cd /; env -i setsid env -i sleep %s </dev/null >/dev/null 2>&1 & sleep 0.3; exit 0",
     BY_ITSELF, true},
    {"env -i sh -c \"f() { sleep %s & sleep 0.05; }; f & f & f & wait\" & exec sleep 60", KILLED,
     false},
};

static void run_escape(const struct escape *escape)
{
    struct drive process;
    const char *length = own_sleep();
    char line[512];

    struct balance held = balance_now();
    errand_road *road = drive_open(local);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    (void)snprintf(line, sizeof(line), escape->line, length);
#pragma GCC diagnostic pop
    drive_start(&process, local, road, line);
    assert_true(drive_until(&process, "O", PATIENCE_MS));
    if (escape->ending == BY_ITSELF) {
        assert_true(drive_until(&process, "X", PATIENCE_MS));
    } else {
        wait_for(length, 1);
        (void)drive_until(&process, "X", 300); /* Until it has escaped. */
    }
    if (escape->ending == KILLED) {
        drive_stop(&process, ERRAND_STOP_KILL);
        assert_true(drive_until(&process, "X", PATIENCE_MS));
    }
    drive_stop(&process, ERRAND_STOP_CLOSE);
    assert_true(drive_until(&process, "C", PATIENCE_MS));
    if (count_with(length) != 0)
        fail_msg("left behind: %s", line);
    if (escape->named != (strstr(process.closed, "killed what had left the group: s") != NULL))
        fail_msg("%s: \"%s\"", line, process.closed);
    drive_finish(&process);
    drive_close(road);
    assert_balance(&held);
}

static void test_exec__nobody_escapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(escapes); i++)
        run_escape(&escapes[i]);
}

/* A host whose descriptors are all taken can't look, and does not say that nobody is there. */
static void test_exec__nobody_escapes_a_host_without_descriptors(void **state)
{
    struct drive process;
    struct rlimit before, none;
    const char *length = own_sleep();
    char line[256];

    (void)state;
    struct balance held = balance_now();
    errand_road *road = drive_open(local);
    (void)snprintf(line, sizeof(line),
                   "setsid sleep %s </dev/null >/dev/null 2>&1 & sleep 0.3; exit 0", length);
    drive_start(&process, local, road, line);
    assert_true(drive_until(&process, "X", PATIENCE_MS));
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = STDERR_FILENO + 1;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    drive_stop(&process, ERRAND_STOP_CLOSE);
    bool closed = drive_until(&process, "C", 300);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_false(closed);
    assert_true(drive_until(&process, "C", PATIENCE_MS));
    assert_int_equal(count_with(length), 0);
    assert_non_null(strstr(process.closed, "killed what had left the group: sleep"));
    drive_finish(&process);
    drive_close(road);
    assert_balance(&held);
}

static void test_exec__free_kills_those_who_escaped_too(void **state)
{
    struct drive process;
    const char *length = own_sleep();
    char line[256];

    (void)state;
    struct balance held = balance_now();
    errand_road *road = drive_open(local);
    (void)snprintf(line, sizeof(line),
                   "setsid sleep %s >/dev/null & setsid sleep %s & exec sleep %s", length, length,
                   length);
    drive_start(&process, local, road, line);
    assert_true(drive_until(&process, "O", PATIENCE_MS));
    wait_for(length, 3);
    drive_drop(&process);
    drive_close(road);
    assert_gone(length);
    assert_balance(&held);
}

/* A stranger that got hold of a pipe is named, and nothing is done to it. */
static void test_exec__a_stranger_that_holds_a_pipe_is_named(void **state)
{
    struct drive process;
    char path[64], expected[64];

    (void)state;
    errand_road *road = drive_open(local);
    drive_start(&process, local, road, "echo $$; exec sleep 60");
    assert_true(drive_until(&process, "o", PATIENCE_MS));
    (void)snprintf(path, sizeof(path), "/proc/%ld/fd/2", strtol(process.out, NULL, 10));
    pid_t stranger = fork();
    if (stranger == 0) {
        if (open(path, O_WRONLY) >= 0)
            (void)execlp("sleep", "sleep", "60", (char *)NULL);
        _exit(1);
    }
    assert_true(stranger > 0);
    struct proc_facts facts = {0};
    for (int i = 0; i < PATIENCE_MS && strcmp(facts.name, "sleep") != 0; i++) {
        (void)usleep(1000);
        assert_true(errand__proc_facts(stranger, &facts));
    }
    drive_stop(&process, ERRAND_STOP_CLOSE);
    assert_true(drive_until(&process, "C", PATIENCE_MS));
    (void)snprintf(expected, sizeof(expected), "its pipes are still held by sleep (%d)",
                   (int)stranger);
    assert_string_equal(process.closed, expected);
    assert_int_equal(waitpid(stranger, NULL, WNOHANG), 0);
    assert_int_equal(kill(stranger, SIGKILL), 0);
    assert_int_equal(waitpid(stranger, NULL, 0), stranger);
    drive_finish(&process);
    drive_close(road);
}

/* --- The host ------------------------------------------------------------------------------ */

static void test_exec__a_command_that_is_not_there(void **state)
{
    static const struct drive_road dockr = {
        .name = "dockr", .make = make, .address = "exec:dockr exec -i box"};
    struct drive process;

    (void)state;
    struct balance held = balance_now();
    errand_road *road = drive_open(&dockr);
    for (int i = 0; i < 2; i++) {
        drive_start(&process, &dockr, road, "exit 0");
        assert_false(drive_until(&process, "O", PATIENCE_MS));
        assert_int_equal(process.failure.status, ERRAND_EIO);
        assert_string_equal(process.failure.text, "exec: no such command: dockr");
        assert_false(drive_until(&process, "O", 20));
        if (i == 0) {
            drive_stop(&process, ERRAND_STOP_CLOSE);
            assert_true(drive_until(&process, "C", PATIENCE_MS));
            assert_int_equal(process.story_len, 1);
        }
        drive_drop(&process);
    }
    drive_close(road);
    assert_balance(&held);
}

static void test_exec__other_children_of_the_host_are_left_alone(void **state)
{
    struct drive process;
    int status = 0;

    (void)state;
    pid_t other = fork();
    if (other == 0)
        _exit(42);
    assert_true(other > 0);
    errand_road *road = drive_open(local);
    drive_start(&process, local, road, "exit 0");
    assert_true(drive_until(&process, "X", PATIENCE_MS));
    drive_finish(&process);
    drive_close(road);
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_int_equal(WEXITSTATUS(status), 42);
}

/* The system reaps then, and nobody learns how it ended. */
static void test_exec__a_host_that_ignores_sigchld(void **state)
{
    struct drive process;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    const char *length = own_sleep();
    char line[128];

    (void)state;
    struct balance held = balance_now();
    assert_int_equal(sigaction(SIGCHLD, &ignore, &before), 0);
    errand_road *road = drive_open(local);
    (void)snprintf(line, sizeof(line), "sleep %s & setsid sleep %s & sleep 0.1; exit 7", length,
                   length);
    drive_start(&process, local, road, line);
    assert_true(drive_until(&process, "X", PATIENCE_MS));
    assert_int_equal(process.exit_code, -1);
    assert_int_equal(process.exit_signal, 0);
    drive_stop(&process, ERRAND_STOP_CLOSE);
    assert_true(drive_until(&process, "C", PATIENCE_MS));
    assert_int_equal(count_with(length), 0);
    drive_finish(&process);
    drive_close(road);
    assert_int_equal(sigaction(SIGCHLD, &before, NULL), 0);
    assert_balance(&held);
}

static void test_exec__signals_of_the_host_are_untouched(void **state)
{
    struct drive process;
    struct sigaction pipe_before, pipe_after, child_before, child_after;
    sigset_t mask_before, mask_after;

    (void)state;
    assert_int_equal(sigaction(SIGPIPE, NULL, &pipe_before), 0);
    assert_int_equal(sigaction(SIGCHLD, NULL, &child_before), 0);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &mask_before), 0);
    errand_road *road = drive_open(local);
    drive_start(&process, local, road, "exec <&-; sleep 0.1");
    assert_true(drive_until(&process, "E", PATIENCE_MS));
    assert_true(drive_send(&process, SPAN_LITERAL("x"), PATIENCE_MS));
    drive_finish(&process);
    drive_close(road);
    assert_int_equal(sigaction(SIGPIPE, NULL, &pipe_after), 0);
    assert_int_equal(sigaction(SIGCHLD, NULL, &child_after), 0);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &mask_after), 0);
    assert_true(pipe_before.sa_handler == pipe_after.sa_handler);
    assert_true(child_before.sa_handler == child_after.sa_handler);
    for (int number = 1; number < 32; number++)
        assert_int_equal(sigismember(&mask_before, number), sigismember(&mask_after, number));
}

/* --- Many ---------------------------------------------------------------------------------- */

static void test_exec__hundred_at_once(void **state)
{
    enum { MANY = 100 };
    static struct drive many[MANY];
    const char *length = own_sleep();
    char line[128];

    (void)state;
    struct balance held = balance_now();
    errand_road *road = drive_open(local);
    (void)snprintf(line, sizeof(line), "setsid sleep %s & read x; echo $x; exec sleep %s", length,
                   length);
    for (size_t i = 0; i < MANY; i++)
        drive_start(&many[i], local, road, line);
    for (size_t i = 0; i < MANY; i++) {
        assert_true(drive_until(&many[i], "O", PATIENCE_MS));
        assert_true(drive_send(&many[i], SPAN_LITERAL("here\n"), PATIENCE_MS));
    }
    for (size_t i = 0; i < MANY; i++)
        assert_true(drive_until(&many[i], "o", PATIENCE_MS));
    for (size_t i = 0; i < MANY; i++)
        drive_stop(&many[i], i % 2 ? ERRAND_STOP_KILL : ERRAND_STOP_CLOSE);
    for (size_t i = 0; i < MANY; i++)
        drive_finish(&many[i]);
    assert_int_equal(count_with(length), 0);
    drive_close(road);
    assert_balance(&held);
}

static void test_exec__hundred_dropped_at_once_leave_no_zombie(void **state)
{
    enum { MANY = 100 };
    static struct drive many[MANY];

    (void)state;
    struct balance held = balance_now();
    errand_road *road = drive_open(local);
    for (size_t i = 0; i < MANY; i++)
        drive_start(&many[i], local, road, "exec sleep 60");
    for (size_t i = 0; i < MANY; i++)
        drive_drop(&many[i]);
    drive_close(road);
    assert_balance(&held);
}

/* cmocka's assertions belong to the main thread: others return what went wrong. */
static const char *run_to_its_end(errand_process *process)
{
    char room[4096];
    errand_scratch scratch = {room, sizeof(room)};

    for (int turn = 0; turn < PATIENCE_MS; turn++) {
        errand_notice notice = {0};
        errand_status status = process->ops->next(process, drive_now_us(), scratch, &notice, NULL);
        if (status < 0 || (notice.type == ERRAND_NOTICE_EXITED && notice.exit_code != 4))
            return "a wrong end";
        if (notice.type == ERRAND_NOTICE_CLOSED)
            return NULL;
        if (notice.type == ERRAND_NOTICE_EXITED)
            (void)process->ops->stop(process, ERRAND_STOP_CLOSE, drive_now_us(), NULL);
        if (status == ERRAND_AGAIN)
            (void)usleep(500);
    }
    return "not closed";
}

static void *run_ten(void *unused)
{
    errand_road *road = NULL;
    char *name = NULL;
    const char *wrong = NULL;

    (void)unused;
    if (errand__road_from_address(&road, &name, "local", NULL, NULL) != ERRAND_OK)
        return "no road";
    errand__mem_free(name);
    for (int i = 0; i < 10 && wrong == NULL; i++) {
        errand_process *process = NULL;
        errand_launch launch = {.line = "echo x; exit 4"};
        if (road->ops->launch(road, &launch, drive_now_us(), &process, NULL) != ERRAND_OK)
            return "no process";
        wrong = run_to_its_end(process);
        process->ops->free(process);
    }
    road->ops->free(road);
    return (void *)(uintptr_t)wrong;
}

static void test_exec__a_line_that_becomes_a_shell_has_its_words(void **state)
{
    (void)state;
    static const char *const none[] = {
        "echo x",
        "exec /bin/true x",
        "exec /bin/shy x",
        "exec /bin/sh -c 'x' $HOME",
        "exec /bin/sh -c 'x';exit",
        "exec /bin/sh -c 'x' \"y\"",
        "exec /bin/sh -c 'x' y\\ z",
        "exec /bin/sh -c 'x\n' y\nz",
        "exec /bin/sh -c 'x",
    };
    static const char *const expected[] = {"/bin/sh", "-c", "a $b; \"c\" #", "0f-1", "", "x y"};
    struct words words = {0};
    errand_error error = {0};

    for (size_t i = 0; i < COUNT(none); i++) {
        assert_int_equal(errand__words_of_shell(&words, none[i], &error), ERRAND_OK);
        assert_int_equal(words.count, 0);
    }
    const char *line = "exec /bin/sh -c 'a $b; \"c\" #' 0f-1 '' x' y'";
    assert_int_equal(errand__words_of_shell(&words, line, &error), ERRAND_OK);
    assert_int_equal(words.count, COUNT(expected));
    for (size_t i = 0; i < COUNT(expected); i++)
        assert_string_equal(words.list[i], expected[i]);
    errand__words_deinit(&words);
}

static void test_exec__several_threads(void **state)
{
    pthread_t threads[4];

    (void)state;
    struct balance held = balance_now();
    for (size_t i = 0; i < COUNT(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_ten, NULL), 0);
    for (size_t i = 0; i < COUNT(threads); i++) {
        void *wrong = NULL;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        if (wrong != NULL)
            fail_msg("%s", (char *)wrong);
    }
    assert_balance(&held);
}

/* --- Without memory ------------------------------------------------------------------------ */

/* Whom a run has left behind is found and killed all the same. */
static void test_exec__survives_without_memory(void **state)
{
    const char *length = own_sleep();
    char line[128];
    bool launched = false;

    (void)state;
    struct balance held = balance_now();
    errand_road *road = drive_open(local);
    (void)snprintf(line, sizeof(line), "setsid sleep %s & exec sleep %s", length, length);
    for (long allowed = 0; allowed < 20; allowed++) {
        errand_process *process = NULL;
        errand_launch launch = {.line = line};
        errand_error error = {0};
        errand__mem_countdown = allowed;
        errand_status status = road->ops->launch(road, &launch, drive_now_us(), &process, &error);
        errand__mem_countdown = 0;
        if (status == ERRAND_OK) {
            launched = true;
            wait_for(length, 2);
            process->ops->free(process);
        } else {
            assert_int_equal(status, ERRAND_ENOMEM);
            assert_null(process);
        }
        errand__mem_countdown = -1;
        assert_gone(length);
    }
    assert_true(launched);
    drive_close(road);
    assert_balance(&held);
}

/* With the word "old-kernel": the same without what new kernels have. */
int main(int argc, char **argv)
{
    static const struct CMUnitTest own[] = {
        cmocka_unit_test(test_exec__nobody_escapes),
        cmocka_unit_test(test_exec__nobody_escapes_a_host_without_descriptors),
        cmocka_unit_test(test_exec__free_kills_those_who_escaped_too),
        cmocka_unit_test(test_exec__a_stranger_that_holds_a_pipe_is_named),
        cmocka_unit_test(test_exec__a_command_that_is_not_there),
        cmocka_unit_test(test_exec__other_children_of_the_host_are_left_alone),
        cmocka_unit_test(test_exec__a_host_that_ignores_sigchld),
        cmocka_unit_test(test_exec__signals_of_the_host_are_untouched),
        cmocka_unit_test(test_exec__hundred_at_once),
        cmocka_unit_test(test_exec__hundred_dropped_at_once_leave_no_zombie),
        cmocka_unit_test(test_exec__a_line_that_becomes_a_shell_has_its_words),
        cmocka_unit_test(test_exec__several_threads),
        cmocka_unit_test(test_exec__survives_without_memory),
    };
    enum { MOST = 200 };
    static struct CMUnitTest tests[MOST];
    static struct on_a_road ons[MOST];
    static char names[MOST][96];
    size_t count = 0;

    if (argc > 1 && (strcmp(argv[1], "old-kernel") != 0 || !old_kernel_begin()))
        return 2;
    for (size_t i = 0; i < COUNT(roads); i++) {
        for (size_t j = 0; j < contract_checks_count && count < MOST; j++, count++) {
            (void)snprintf(names[count], sizeof(names[count]), "test_%s__%s", roads[i].name,
                           contract_checks[j].name);
            ons[count] = (struct on_a_road){&roads[i], &contract_checks[j]};
            tests[count] =
                (struct CMUnitTest){names[count], test_contract, NULL, NULL, &ons[count]};
        }
    }
    for (size_t i = 0; i < COUNT(own) && count < MOST; i++, count++)
        tests[count] = own[i];
    /* The macro of cmocka counts an array; ours has a count. */
    return _cmocka_run_group_tests("exec", tests, count, NULL, NULL);
}
