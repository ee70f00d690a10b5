/* test_command.c - the command with a host: doctor names each step that fails and what to do, a
 * passphrase is typed on a terminal, and the trace tells the way without a secret. */
#include "command.h"

#include "sshd.h"

#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sshd host;

/* --- Configurations ------------------------------------------------------------------------- */

static void write_config(const char *name, const char *hostname, unsigned port, const char *known)
{
    sshd_write(&host, name, 0600,
               "Host box\n HostName %s\n Port %u\n User %s\n IdentityFile %s\n"
               " IdentitiesOnly yes\n IdentityAgent none\n UserKnownHostsFile %s\n"
               " GlobalKnownHostsFile /dev/null\n",
               hostname, port, host.user, sshd_file(&host, "id_ed25519"), sshd_file(&host, known));
}

/* In folder $D. */
static void write_all(void)
{
    char name[64], revoked[80];
    const char *node = sshd_node();

    (void)snprintf(name, sizeof(name), "[127.0.0.1]:%u", host.port);
    (void)snprintf(revoked, sizeof(revoked), "@revoked %s", name);
    sshd_know(&host, "known_changed", name, "id_ed25519");
    sshd_know(&host, "known_revoked", revoked, "key_ed25519");
    write_config("nameless", "no.errand.invalid", host.port, "known_hosts");
    write_config("refused", "127.0.0.1", 1, "known_hosts");
    write_config("unknown", "127.0.0.1", host.port, "known_new");
    write_config("changed", "127.0.0.1", host.port, "known_changed");
    sshd_write(&host, "broken", 0600, "%s", "NoSuchOption yes\n");
    /* Who logs in may not be let into the folder of the build. */
    const char *const copy[] = {"cp", SSH_TEST_LATE, sshd_file(&host, "late.so"), NULL};
    assert_true(sshd_command(copy));
    sshd_write(&host, "late", 0755, "#!/bin/sh\nLD_PRELOAD=%s exec %s \"$@\"\n",
               sshd_file(&host, "late.so"), node == NULL ? "node" : node);
    write_config("revoked", "127.0.0.1", host.port, "known_revoked");
}

/* --- Doctor --------------------------------------------------------------------------------- */

#define DOCTOR "$E doctor --on ssh://box --ssh-config $D/"
#define RUN    "$E run --on ssh://box --ssh-config $D/"
#define NODE   " --node \"$(command -v node)\""

/* One after another: some leave something for the next. */
static const struct visit {
    const char *name;
    const char *lines; /* Of sshd_config; NULL: it is left as it is. */
    const char *line;
    int code;
    const char *out;
} visits[] = {
    {"all is well", NULL, DOCTOR "config" NODE, 0,
     "^ok +place +ssh://box\nok +name\nok +connection\nok +host key\nok +login\n"
     "ok +channel +started in .*\nok +shell\nok +node +v[0-9].*\nok +program\n"
     "ok +round trip .* ms for a call\nok +clock +[0-9]+ ms .*\nok +TypeScript.*\n"
     "(ok|note) +TypeScript.*\nok +cache +--delivery file keeps the runner there\n$"},
    {"a configuration that is none", NULL, DOCTOR "broken", 4,
     "\nFAIL +name +ssh: \"ssh -G\" says: .*nosuchoption.*\n +what to do: ssh -G HOST"},
    {"a name without address", NULL, DOCTOR "nameless", 4,
     "\nFAIL +name +ssh: no address of no.errand.invalid: .*\n +what to do: getent hosts "},
    {"nobody listens", NULL, DOCTOR "refused", 4,
     "\nok +name\nFAIL +connection +ssh: no connection to 127.0.0.1 port 1: Connection refused "
     ".*\n +what to do: ssh -v "},
    {"an unknown host", NULL, DOCTOR "unknown", 4,
     "\nok +connection\nFAIL +host key +.* it has ssh-ed25519 SHA256:[A-Za-z0-9+/]+; .* "
     "errand doctor --accept-new-host-key --ssh-config /.*/unknown --on ssh://box .*\n"
     " +what to do: compare the fingerprint"},
    {"which is recorded", NULL, DOCTOR "unknown --accept-new-host-key" NODE, 0,
     "\nok +host key +its key is recorded: ssh-ed25519 SHA256:[A-Za-z0-9+/]+\nok +login\n"},
    {"which is accepted", NULL,
     "rm $D/known_new; " RUN "unknown --accept-new-host-key" NODE " -e 'return 7'", 0, "^7\n$"},
    {"and known from then on", NULL, RUN "unknown" NODE " -e 'return 7'", 0, "^7\n$"},
    {"a changed host", NULL, DOCTOR "changed --accept-new-host-key", 4,
     "\nFAIL +host key +.* changed: now ssh-ed25519 SHA256:.*known_changed:1; .*\n +what to do: "},
    {"a key that was revoked", NULL, DOCTOR "revoked --accept-new-host-key", 4,
     "\nFAIL +host key +.* is revoked by .*known_revoked:1 .*\n +what to do: "},
    {"a key that is not taken", NULL, DOCTOR "config --identity $D/key_ed25519", 4,
     "\nok +host key\nFAIL +login +ssh: box asks .* for a password, and nobody answered; .*\n"
     " +what to do: see that ssh HOST logs in"},
    {"where nothing else is taken", "PasswordAuthentication no",
     DOCTOR "config --identity $D/key_ed25519", 4,
     "\nok +host key\nFAIL +login +ssh: box refuses .*publickey.*; tried: key_ed25519 .*\n"
     " +what to do: see that ssh HOST logs in"},
    {"a host that allows no session", "MaxSessions 0", DOCTOR "config", 4,
     "\nok +login\nFAIL +channel +ssh: the host opens no channel: .*\n +what to do: .*MaxSessions"},
    {"a host that hangs up after the login", "ChrootDirectory /no/such/folder", DOCTOR "config", 4,
     "\nok +login\nFAIL +channel +ssh: .* after the login, .*\n +what to do: .*log"},
    {"a command of its own", "ForceCommand echo 'no programs here'; exit 3", DOCTOR "config", 4,
     "\nok +channel\nFAIL +shell +.*no programs here.*\n +what to do: .*ForceCommand"},
    {"no node", "", DOCTOR "config --node /no/such/node", 4,
     "\nok +shell\nFAIL +node +.*/no/such/node.*\n +what to do: see that node can be executed"},
    {"a clock that goes wrong", NULL, DOCTOR "config --node $D/late", 0,
     "\nok +round trip .*\nnote +clock +3[56][0-9]+ ms ahead of this one\n"},
    {"no room for the runner", "SetEnv HOME=/proc XDG_CACHE_HOME=/proc TMPDIR=/proc",
     DOCTOR "config" NODE, 0, "\nok +program\n(.*\n)*note +cache .*\n +what to do: .* writable"},
};

static bool visit(const struct visit *it)
{
    if (it->lines != NULL)
        sshd_restart(&host, it->lines);
    struct result result = command(it->line);
    bool fine = result.code == it->code && matches(result.out, it->out) && result.err[0] == '\0';
    if (!fine)
        print_error("%s: exit %d, not %d; or out, or err\n%s%s", it->name, result.code, it->code,
                    result.out, result.err);
    result_free(&result);
    return fine;
}

static void test_doctor__says_what_to_do(void **state)
{
    (void)state;
    size_t failed = 0;
    for (size_t i = 0; i < sizeof(visits) / sizeof(visits[0]); i++)
        failed += visit(&visits[i]) ? 0 : 1;
    sshd_restart(&host, "");
    assert_int_equal(failed, 0);
}

/* --- Terminal ------------------------------------------------------------------------------- */

struct terminal {
    int fd;
    pid_t pid;
    char text[64 * 1024];
    size_t len;
};

static struct terminal terminal;

static void open_terminal(const char *line)
{
    terminal.len = 0;
    terminal.text[0] = '\0';
    terminal.pid = forkpty(&terminal.fd, NULL, NULL, NULL);
    assert_true(terminal.pid >= 0);
    if (terminal.pid == 0) {
        (void)execl("/bin/sh", "sh", "-c", line, (char *)NULL);
        _exit(127);
    }
}

/* Until it shows what is wanted for the count-th time (NULL: until its user has left). */
static void read_until(const char *wanted, int count)
{
    int64_t until_ms = now_ms() + 20000;

    for (;;) {
        const char *at = terminal.text;
        int seen = 0;
        while (wanted != NULL && (at = strstr(at, wanted)) != NULL && ++seen < count)
            at++;
        if (wanted != NULL && seen >= count)
            return;
        struct pollfd ready = {.fd = terminal.fd, .events = POLLIN};
        (void)poll(&ready, 1, 100);
        ssize_t got = ready.revents == 0 ? 0
                                         : read(terminal.fd, terminal.text + terminal.len,
                                                sizeof(terminal.text) - 1 - terminal.len);
        if (got < 0 && wanted == NULL)
            return;
        if (got < 0 || now_ms() > until_ms)
            fail_msg("it never showed \"%s\": %s", wanted == NULL ? "(end)" : wanted,
                     terminal.text);
        terminal.len += (size_t)got;
        terminal.text[terminal.len] = '\0';
    }
}

static void type(const char *keys)
{
    assert_int_equal(write(terminal.fd, keys, strlen(keys)), strlen(keys));
}

static int close_terminal(void)
{
    int status = 0;

    read_until(NULL, 1);
    while (waitpid(terminal.pid, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    (void)close(terminal.fd);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

#define LOCKED RUN "config --identity $D/id_locked" NODE

static void test_terminal__a_passphrase_is_typed(void **state)
{
    (void)state;
    open_terminal(LOCKED " --trace ssh -e 'return 6 * 7' 2>&1");
    read_until("Passphrase of key ", 1);
    type("wrong-words\n");
    read_until("Passphrase of key ", 2);
    type("sesame\n");
    assert_int_equal(close_terminal(), 0);
    if (!matches(terminal.text, "[\nK]42\r\n"))
        fail_msg("%s", terminal.text);
    assert_true(matches(terminal.text, "ssh +a passphrase was asked for"));
    assert_null(strstr(terminal.text, "sesame"));
    assert_null(strstr(terminal.text, "wrong-words"));
}

/* Doctor logs in more than once. What was wrong is not said again. */
static void test_terminal__doctor_asks_once(void **state)
{
    (void)state;
    open_terminal(DOCTOR "config --identity $D/id_locked" NODE);
    read_until("Passphrase of key ", 1);
    type("wrong-words\n");
    read_until("Passphrase of key ", 2);
    type("sesame\n");
    assert_int_equal(close_terminal(), 0);
    if (!matches(terminal.text, "ok +cache "))
        fail_msg("%s", terminal.text);
    assert_null(strstr(terminal.text, "sesame"));
}

static void test_terminal__a_passphrase_is_declined(void **state)
{
    (void)state;
    open_terminal(LOCKED " -e 'return 1'");
    read_until("Passphrase of key ", 1);
    type("\003");
    assert_int_not_equal(close_terminal(), 0);
}

static void test_terminal__none_is_there(void **state)
{
    (void)state;
    struct result result = command("setsid -w sh -c '" LOCKED " -e 1'");
    assert_int_equal(result.code, 4);
    assert_true(matches(result.err, "id_locked has a passphrase, and nobody said it; ssh-add"));
    result_free(&result);
}

/* --- Signals -------------------------------------------------------------------------------- */

/* All that sshd has forked for those who are logged in. */
static void tell_logins(const char *signal)
{
    char line[200];

    (void)snprintf(line, sizeof(line),
                   "for p in $(pgrep -P %d); do kill -s %s $(pgrep -P $p) $p || :; done",
                   (int)host.pid, signal);
    const char *const argv[] = {"sh", "-c", line, NULL};
    (void)sshd_command(argv);
}

static void test_signals__a_third_leaves_a_host_that_stands_still(void **state)
{
    (void)state;
    struct started started =
        command_start("exec " RUN "config" NODE " --json --tool 't=touch began' -e 'await "
                      "tools.t(); await new Promise((r) => setTimeout(r, 1e6))'",
                      NULL);
    wait_for_file("began");
    tell_logins("STOP");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(kill(started.pid, SIGINT), 0);
        pause_ms(200);
    }
    int64_t from_ms = now_ms();
    struct result result = command_wait(&started);
    tell_logins("CONT");
    assert_int_equal(result.code, 130);
    assert_true(now_ms() - from_ms < 3000);
    if (!matches(result.out, "\n\\{\"event\":\"end\".*\"kind\":\"abort\",\"code\":\"cancelled\",.*"
                             "\"abandoned\":true,\"outcome_unknown\":true,.*\"exit\":130\\}\n$"))
        fail_msg("%s", result.out);
    result_free(&result);
}

/* --- Trace ---------------------------------------------------------------------------------- */

static void test_trace__tells_the_steps_of_the_way(void **state)
{
    (void)state;
    struct result result = command(RUN "config" NODE " --trace ssh -e 'return 1'");
    assert_int_equal(result.code, 0);
    assert_true(matches(result.err,
                        "ssh +a connection was begun\n.* ssh +the ssh client was asked: "
                        "127.0.0.1 port [0-9]+ as .*\n.*known hosts were read: 1 .*\n"
                        ".*127.0.0.1 was connected\n.*agreed on .*\n.*its key stands "
                        "in .*known_hosts:1\n.*logged in as .*\n.*connections: 1\n"));
    result_free(&result);
    result = command(RUN "changed --trace ssh -e 1");
    assert_int_equal(result.code, 4);
    assert_true(matches(result.err, "ssh +that road was none: ssh: the key of .* changed"));
    result_free(&result);
}

static int start(void **state)
{
    (void)unsetenv("SSH_AUTH_SOCK");
    sshd_start(&host, "");
    write_all();
    assert_int_equal(setenv("D", host.dir, 1), 0);
    return command_setup(state);
}

static int end(void **state)
{
    sshd_end(&host);
    return command_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_doctor__says_what_to_do),
        cmocka_unit_test(test_terminal__a_passphrase_is_typed),
        cmocka_unit_test(test_terminal__doctor_asks_once),
        cmocka_unit_test(test_terminal__a_passphrase_is_declined),
        cmocka_unit_test(test_terminal__none_is_there),
        cmocka_unit_test(test_signals__a_third_leaves_a_host_that_stands_still),
        cmocka_unit_test(test_trace__tells_the_steps_of_the_way),
    };
    return cmocka_run_group_tests_name("the command over ssh", tests, start, end);
}
