/* test_life.c - many at once, and what is left when home, the road or the host goes. */
#include "test.h"

#include "delay.h"
#include "sshd.h"
#include "stay.h"
#include "trip.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 50 };

static struct sshd host;

static void move_in(struct stay *stay)
{
    stay_begin(stay, sshd_file(&host, "config"));
}

/* --- Many ------------------------------------------------------------------------------------- */

static void test_many__more_than_sessions_allowed(void **state)
{
    (void)state;
    struct stay stay;
    errand_run *runs[MANY];
    move_in(&stay);
    for (size_t i = 0; i < MANY; i++)
        runs[i] = stay_run(&stay, "return await tools.echo(7)", 0);
    for (size_t ended = 0; ended < MANY; ended++) {
        const errand_outcome *end = stay_await(&stay, ERRAND_EVENT_END)->as.end;
        if (end->kind != ERRAND_KIND_VALUE || end->warnings_count > 0)
            fail_msg("%s: %.*s %s", end->code, (int)end->message.len, end->message.ptr,
                     end->warnings_count > 0 ? end->warnings[0] : "");
        assert_span(end->value, "7");
    }
    for (size_t i = 0; i < MANY; i++)
        errand_run_free(runs[i]);
    stay_end(&stay);
}

/* One channel at a time is enough, if only for one after another. */
static void test_many__with_one_session_each(void **state)
{
    (void)state;
    sshd_restart(&host, "MaxSessions 1");
    struct stay stay;
    errand_run *runs[3];
    move_in(&stay);
    for (size_t i = 0; i < COUNT(runs); i++)
        runs[i] = stay_run(&stay, "return 1", 0);
    for (size_t i = 0; i < COUNT(runs); i++)
        assert_int_equal(stay_await(&stay, ERRAND_EVENT_END)->as.end->kind, ERRAND_KIND_VALUE);
    for (size_t i = 0; i < COUNT(runs); i++)
        errand_run_free(runs[i]);
    stay_end(&stay);
    sshd_restart(&host, "");
}

static void test_many__a_program_that_nobody_reads_starves_no_other(void **state)
{
    (void)state;
    struct stay stay;
    move_in(&stay);
    errand_run *flood = stay_run(
        &stay, "for (;;) { console.log('x'.repeat(9999)); await null; if (signal.aborted) break; }",
        0);
    errand_run *quiet =
        stay_run(&stay, "for (let i = 0; i < 50; i++) await tools.echo(i); return 'done'", 0);
    const errand_event *event = NULL;
    errand_error error = {0};
    bool done = false;
    while (!done) {
        assert_int_equal(errand_loop_next(stay.loop, STAY_PATIENCE_MS, &event, &error), ERRAND_OK);
        if (event->type == ERRAND_EVENT_CALL)
            assert_int_equal(
                errand_run_reply(event->run, event->as.call.id, event->as.call.args, &error),
                ERRAND_OK);
        done = event->type == ERRAND_EVENT_END && event->run == quiet;
    }
    assert_span(event->as.end->value, "\"done\"");
    errand_run_free(flood);
    errand_run_free(quiet);
    stay_end(&stay);
}

/* --- What is left ----------------------------------------------------------------------------- */

/* A word that the processes of one test bear. */
static const char *draw_word(void)
{
    static char word[40];
    static unsigned count;

    (void)snprintf(word, sizeof(word), "9%06d.%u", (int)getpid() % 1000000, ++count);
    return word;
}

static bool gone_within(const char *word, int ms)
{
    int64_t until_ms = stay_now_ms() + ms;

    while (sshd_count_processes(word) > 0) {
        if (stay_now_ms() > until_ms)
            return false;
        stay_rest_ms(20);
    }
    return true;
}

/* Starts a child of itself that sleeps so long, spins, and tells that it does. */
static const char *sleeper(const char *word, bool spins)
{
    static char program[400];

    (void)snprintf(program, sizeof(program),
                   "const { spawn } = await "
                   "import('node:child_process'); spawn('sleep', ['%s']); await tools.echo(1); "
                   "console.log('up'); %s",
                   word,
                   spins ? "for (;;);" : "await new Promise(() => setInterval(() => 0, 1000))");
    return program;
}

static void test_left__nothing_after_a_cancelled_run(void **state)
{
    (void)state;
    struct stay stay;
    const char *word = draw_word();
    move_in(&stay);
    errand_run *run = stay_run(&stay, sleeper(word, false), 0);
    (void)stay_await(&stay, ERRAND_EVENT_LOG);
    assert_int_equal(sshd_count_processes(word), 1);
    errand_run_cancel(run, "enough");
    const errand_outcome *end = stay_await(&stay, ERRAND_EVENT_END)->as.end;
    assert_int_equal(end->kind, ERRAND_KIND_ABORT);
    assert_int_equal(end->abandoned, 0);
    assert_int_equal(sshd_count_processes(word), 0);
    errand_run_free(run);
    stay_end(&stay);
}

static void test_left__nothing_after_connect_and_drop(void **state)
{
    (void)state;
    const char *word = draw_word();
    for (int i = 0; i < 20; i++) {
        struct stay stay;
        move_in(&stay);
        errand_run *run = stay_run(&stay, sleeper(word, i % 3 == 0), 0);
        if (i % 4 == 0)
            (void)stay_await(&stay, ERRAND_EVENT_LOG);
        else if (i % 4 == 1)
            (void)stay_await(&stay, ERRAND_EVENT_STARTED);
        else
            stay_rest_ms(10L * i);
        errand_run_free(run);
        stay_drop(&stay);
    }
    assert_true(gone_within(word, 10000));
}

/* A host that runs one program and tells by a byte that it is up. */
static pid_t fork_home(const char *program, uint64_t lease_ms, int *up)
{
    int pair[2];

    assert_int_equal(pipe(pair), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct stay stay;
        move_in(&stay);
        (void)stay_run(&stay, program, lease_ms);
        (void)stay_await(&stay, ERRAND_EVENT_LOG);
        (void)!write(pair[1], "u", 1);
        const errand_event *event = stay_await(&stay, ERRAND_EVENT_END);
        (void)!write(pair[1], event->as.end->code, strlen(event->as.end->code));
        _exit(0);
    }
    (void)close(pair[1]);
    *up = pair[0];
    char byte = 0;
    assert_int_equal(read(*up, &byte, 1), 1);
    return pid;
}

static void bury(pid_t pid, int up)
{
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0);
    (void)close(up);
}

static void test_left__nothing_when_home_is_killed(void **state)
{
    (void)state;
    for (int spins = 0; spins < 2; spins++) {
        int up = -1;
        const char *word = draw_word();
        pid_t home = fork_home(sleeper(word, spins == 1), 0, &up);
        assert_int_equal(sshd_count_processes(word), 1);
        bury(home, up);
        assert_true(gone_within(word, 3000));
    }
}

/* The parent of an sshd; 0: it is none. */
static pid_t parent_of_sshd(const char *name)
{
    char path[300], line[512] = "";

    (void)snprintf(path, sizeof(path), "/proc/%s/stat", name);
    int fd = strtol(name, NULL, 10) > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t len = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);
    if (fd >= 0)
        (void)close(fd);
    const char *after = len > 0 && strstr(line, "(sshd") != NULL ? strrchr(line, ')') : NULL;
    return after == NULL ? 0 : (pid_t)strtol(after + 4, NULL, 10);
}

static size_t children_of_sshd(pid_t parent, pid_t *pids, size_t most)
{
    size_t count = 0;
    DIR *folder = opendir("/proc");

    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (parent_of_sshd(entry->d_name) == parent && count < most)
            pids[count++] = (pid_t)strtol(entry->d_name, NULL, 10);
    }
    (void)closedir(folder);
    return count;
}

/* Processes of sshd that serve a connection: its children, and theirs without privileges. */
static size_t serving(pid_t *pids, size_t most)
{
    size_t count = children_of_sshd(host.pid, pids, most);

    for (size_t i = 0, first = count; i < first; i++)
        count += children_of_sshd(pids[i], pids + count, most - count);
    return count;
}

static void send_all(const pid_t *pids, size_t count, int number)
{
    for (size_t i = 0; i < count; i++)
        (void)kill(pids[i], number);
}

static void test_left__nothing_when_the_connection_is_cut(void **state)
{
    (void)state;
    struct stay stay;
    pid_t pids[8];
    const char *word = draw_word();
    move_in(&stay);
    errand_run *run = stay_run(&stay, sleeper(word, true), 0);
    (void)stay_await(&stay, ERRAND_EVENT_LOG);
    size_t count = serving(pids, COUNT(pids));
    assert_true(count > 0);
    send_all(pids, count, SIGKILL);
    const errand_outcome *end = stay_await(&stay, ERRAND_EVENT_END)->as.end;
    assert_string_equal(end->code, "lost");
    assert_int_equal(end->outcome_unknown, 1);
    assert_true(gone_within(word, 3000));
    errand_run_free(run);
    /* The place dials again for those that come later. */
    run = stay_run(&stay, "return 3", 0);
    end = stay_await(&stay, ERRAND_EVENT_END)->as.end;
    assert_span(end->value, "3");
    errand_run_free(run);
    stay_end(&stay);
}

/* A host that stands still acknowledges what is sent and says nothing. */
static void test_left__silence_is_found_by_both(void **state)
{
    (void)state;
    enum { LEASE_MS = 2000 };
    struct stay stay;
    pid_t pids[8];
    const char *word = draw_word();
    move_in(&stay);
    errand_run *run = stay_run(&stay, sleeper(word, false), LEASE_MS);
    (void)stay_await(&stay, ERRAND_EVENT_LOG);
    size_t count = serving(pids, COUNT(pids));
    assert_true(count > 0);
    send_all(pids, count, SIGSTOP);
    int64_t began_ms = stay_now_ms();
    const errand_outcome *end = stay_await(&stay, ERRAND_EVENT_END)->as.end;
    assert_string_equal(end->code, "lost");
    /* The lease, then the ladder, then clearing in vain. */
    assert_true(stay_now_ms() - began_ms < 2L * LEASE_MS + 8L * STAY_STEP_MS);
    assert_true(gone_within(word, 3 * LEASE_MS));
    send_all(pids, count, SIGKILL);
    errand_run_free(run);
    stay_end(&stay);
}

/* --- A road that swallows --------------------------------------------------------------------- */

static void write_config(unsigned port, const char *more)
{
    sshd_write(&host, "config_road", 0600,
               "Host box\n HostName 127.0.0.1\n Port %u\n User %s\n IdentityFile %s\n"
               " IdentitiesOnly yes\n IdentityAgent none\n UserKnownHostsFile %s\n"
               " GlobalKnownHostsFile /dev/null\n HostKeyAlias road\n%s",
               port, host.user, sshd_file(&host, "id_ed25519"), sshd_file(&host, "known_road"),
               more);
}

/* The far side knows that it is alone, and does not wait for its program to let it. */
static void test_road__both_ends_notice_that_nothing_comes(void **state)
{
    enum { LEASE_MS = 2000 };
    (void)state;
    for (int spins = 0; spins < 2; spins++) {
        struct stay stay;
        struct delay delay;
        const char *word = draw_word();
        delay_start(&delay, host.port, 1);
        write_config(delay.port, "");
        stay_begin(&stay, sshd_file(&host, "config_road"));
        errand_run *run = stay_run(&stay, sleeper(word, spins == 1), LEASE_MS);
        (void)stay_await(&stay, ERRAND_EVENT_LOG);
        delay_hold(&delay);
        int64_t began_ms = stay_now_ms();
        assert_true(gone_within(word, 2 * LEASE_MS));
        const errand_outcome *end = stay_await(&stay, ERRAND_EVENT_END)->as.end;
        assert_string_equal(end->code, "lost");
        assert_true(stay_now_ms() - began_ms < 2L * LEASE_MS + 8L * STAY_STEP_MS);
        errand_run_free(run);
        stay_drop(&stay);
        delay_end(&delay);
    }
}

/* Long before the lease of 45 s. */
static void test_road__a_dead_host_is_found_by_asking(void **state)
{
    enum { LONG_LEASE_MS = 45000 };
    (void)state;
    struct stay stay;
    struct delay delay;
    delay_start(&delay, host.port, 1);
    write_config(delay.port, " ServerAliveInterval 1\n ServerAliveCountMax 2\n");
    stay_begin(&stay, sshd_file(&host, "config_road"));
    errand_run *run = stay_run(&stay, sleeper(draw_word(), false), LONG_LEASE_MS);
    (void)stay_await(&stay, ERRAND_EVENT_LOG);
    stay_rest_ms(1500);
    delay_hold(&delay);
    int64_t began_ms = stay_now_ms();
    const errand_outcome *end = stay_await(&stay, ERRAND_EVENT_END)->as.end;
    assert_string_equal(end->code, "lost");
    assert_non_null(strstr(end->message.ptr, "no word from the host for "));
    assert_true(stay_now_ms() - began_ms < 15000);
    errand_run_free(run);
    stay_drop(&stay);
    delay_end(&delay);
}

static int start(void **state)
{
    (void)state;
    (void)unsetenv("SSH_AUTH_SOCK");
    sshd_start(&host, "");
    sshd_know(&host, "known_road", "road", "key_ed25519");
    return 0;
}

static int end(void **state)
{
    (void)state;
    sshd_end(&host);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many__more_than_sessions_allowed),
        cmocka_unit_test(test_many__with_one_session_each),
        cmocka_unit_test(test_many__a_program_that_nobody_reads_starves_no_other),
        cmocka_unit_test(test_left__nothing_after_a_cancelled_run),
        cmocka_unit_test(test_left__nothing_after_connect_and_drop),
        cmocka_unit_test(test_left__nothing_when_home_is_killed),
        cmocka_unit_test(test_left__nothing_when_the_connection_is_cut),
        cmocka_unit_test(test_left__silence_is_found_by_both),
        cmocka_unit_test(test_road__both_ends_notice_that_nothing_comes),
        cmocka_unit_test(test_road__a_dead_host_is_found_by_asking),
    };
    return cmocka_run_group_tests_name("life over ssh", tests, start, end);
}
