/* test_login.c - who we are and who they are: keys, agents, questions, known hosts; and every way
 * in which that fails, with its line. */
#include "test.h"

#include "sshd.h"
#include "trip.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct sshd host;

static struct trip to_box(void)
{
    struct trip trip = trip_to("ssh://box");

    trip.ssh.config_file = sshd_file(&host, "config");
    return trip;
}

/* --- Keys ----------------------------------------------------------------------------------- */

static void test_login__by_the_key_of_the_configuration(void **state)
{
    (void)state;
    struct trip trip = to_box();
    trip_brings(&trip, "42");
    assert_int_equal(trip.asks, 0);
}

static void test_login__by_a_named_key(void **state)
{
    static const char *const keys[] = {"id_ed25519", "id_ecdsa"};
    (void)state;
    for (size_t i = 0; i < COUNT(keys); i++) {
        struct trip trip = to_box();
        trip.ssh.identity_file = sshd_file(&host, keys[i]);
        trip_brings(&trip, "42");
    }
}

/* Which of both holds depends on the libssh2 that is here, and the text says which. */
static void test_login__rsa_where_sha_1_is_refused(void **state)
{
    (void)state;
    struct trip trip = to_box();
    trip.ssh.identity_file = sshd_file(&host, "id_rsa");
    trip_go(&trip);
    if (trip.kind == ERRAND_KIND_VALUE)
        return;
    assert_string_equal(trip.code, "auth_failed");
    assert_non_null(strstr(trip.message, "signs with SHA-1 only; use an ed25519 key, or libssh2"));
    assert_non_null(strstr(trip.message, "id_rsa"));
}

static void test_login__a_locked_key_asks(void **state)
{
    (void)state;
    struct trip trip = to_box();
    trip.ssh.identity_file = sshd_file(&host, "id_locked");
    trip.answers[0] = "wrong";
    trip.answers[1] = "sesame";
    trip_brings(&trip, "42");
    assert_string_equal(trip.kinds, "passphrase,passphrase");
    assert_non_null(strstr(trip.prompts, "id_locked"));
}

static void test_login__a_locked_key_and_nobody_to_ask(void **state)
{
    (void)state;
    struct trip trip = to_box();
    trip.ssh.identity_file = sshd_file(&host, "id_locked");
    trip_fails(&trip, "auth_failed", "id_locked has a passphrase, and nobody said it");
    assert_int_equal(trip.asks, 1);
    trip.answers[0] = trip.answers[1] = trip.answers[2] = "wrong";
    trip_fails(&trip, "auth_failed", "that is not the passphrase of key");
    assert_null(strstr(trip.message, "wrong"));
}

static void test_login__a_key_that_others_may_read(void **state)
{
    (void)state;
    struct trip trip = to_box();
    assert_int_equal(chmod(sshd_file(&host, "id_ed25519"), 0644), 0);
    trip_fails(&trip, "auth_failed", "open to others (mode 0644), so it is not used; chmod 600");
    assert_int_equal(chmod(sshd_file(&host, "id_ed25519"), 0600), 0);
}

static void test_login__a_key_that_is_not_there(void **state)
{
    (void)state;
    struct trip trip = to_box();
    trip.ssh.identity_file = sshd_file(&host, "id_none");
    trip_fails(&trip, "auth_failed", "there is no key");
}

static void test_login__a_key_that_is_none(void **state)
{
    (void)state;
    struct trip trip = to_box();
    sshd_write(&host, "id_broken", 0600, "%s", "not a key\n");
    trip.ssh.identity_file = sshd_file(&host, "id_broken");
    trip_fails(&trip, "auth_failed", "id_broken can't be read by libssh2");
}

static void test_login__a_key_that_is_not_taken(void **state)
{
    (void)state;
    struct trip trip = to_box();
    trip.ssh.identity_file = sshd_file(&host, "key_ecdsa"); /* A key, but not one of ours. */
    trip_fails(&trip, "auth_failed", "it offers publickey");
    assert_non_null(strstr(trip.message, "tried: key_ecdsa"));
}

/* A host that trusts certificates alone. */
static void test_login__a_certificate_is_not_used_and_named(void **state)
{
    (void)state;
    const char *const sign[] = {
        "ssh-keygen", "-q", "-s",      sshd_file(&host, "key_ecdsa"),        "-I",
        "me",         "-n", host.user, sshd_file(&host, "id_certified.pub"), NULL};
    const char *const make[] = {"ssh-keygen", "-q", "-t", "ed25519",
                                "-N",         "",   "-f", sshd_file(&host, "id_certified"),
                                NULL};
    char lines[SSHD_PATH + 100];
    assert_true(sshd_command(make));
    assert_true(sshd_command(sign));
    (void)snprintf(lines, sizeof(lines), "PasswordAuthentication no\nTrustedUserCAKeys %s",
                   sshd_file(&host, "key_ecdsa.pub"));
    sshd_restart(&host, lines);
    struct trip trip = to_box();
    trip.ssh.identity_file = sshd_file(&host, "id_certified");
    trip_fails(&trip, "auth_failed", "id_certified (without its certificate: not by libssh2)");
    sshd_restart(&host, "PasswordAuthentication no");
}

/* --- Agent ---------------------------------------------------------------------------------- */

static void add_to_agent(const char *option, const char *key)
{
    const char *const argv[] = {"ssh-add", option, key, NULL};

    assert_true(sshd_command(argv));
}

static pid_t start_agent(void)
{
    const char *socket = sshd_file(&host, "agent");
    char command[SSHD_PATH * 3];

    (void)snprintf(command, sizeof(command), "ssh-agent -D -a %s & echo $! >%s", socket,
                   sshd_file(&host, "agent.pid"));
    const char *const argv[] = {"sh", "-c", command, NULL};
    assert_true(sshd_command(argv));
    for (int i = 0; i < 500 && access(socket, F_OK) != 0; i++)
        (void)nanosleep(&(struct timespec){.tv_nsec = 10000 * 1000L}, NULL);
    (void)setenv("SSH_AUTH_SOCK", socket, 1);
    const char *const add[] = {"ssh-add", "-q", sshd_file(&host, "id_ecdsa"), NULL};
    bool added = false;
    for (int i = 0; i < 100 && !added; i++) {
        added = sshd_command(add);
        (void)nanosleep(&(struct timespec){.tv_nsec = 50 * 1000000L}, NULL);
    }
    assert_true(added);
    char *text = sshd_read(&host, "agent.pid");
    pid_t pid = (pid_t)strtol(text, NULL, 10);
    free(text);
    return pid;
}

/* A configuration names one by its public half; the host has enough after two. */
static void by_the_named_one_of_many(void)
{
    char *public = sshd_read(&host, "id_ecdsa.pub");
    struct trip trip = to_box();

    add_to_agent("-D", NULL);
    for (int i = 0; i < 6; i++) {
        char key[32];
        (void)snprintf(key, sizeof(key), "id_other%d", i);
        const char *const make[] = {"ssh-keygen",          "-q", "-t", "ed25519", "-N", "", "-f",
                                    sshd_file(&host, key), NULL};
        assert_true(sshd_command(make));
        add_to_agent("-q", sshd_file(&host, key));
    }
    add_to_agent("-q", sshd_file(&host, "id_ecdsa"));
    sshd_restart(&host, "PasswordAuthentication no\nMaxAuthTries 2");
    sshd_write(&host, "named.pub", 0644, "%s", public);
    for (int i = 0; i < 2; i++) {
        sshd_write(&host, "config_named", 0600,
                   "Host box\n HostName 127.0.0.1\n Port %u\n User %s\n IdentityFile %s\n"
                   " UserKnownHostsFile %s\n GlobalKnownHostsFile /dev/null\n",
                   host.port, host.user, sshd_file(&host, i == 0 ? "named.pub" : "named"),
                   sshd_file(&host, "known_hosts"));
        trip.ssh.config_file = sshd_file(&host, "config_named");
        trip_brings(&trip, "42");
    }
    free(public);
    sshd_restart(&host, "PasswordAuthentication no");
}

static void test_login__by_an_agent(void **state)
{
    (void)state;
    sshd_write(&host, "config_agent", 0600,
               "Host box\n HostName 127.0.0.1\n Port %u\n User %s\n IdentityFile none\n"
               " UserKnownHostsFile %s\n GlobalKnownHostsFile /dev/null\n",
               host.port, host.user, sshd_file(&host, "known_hosts"));
    struct trip trip = to_box();
    trip.ssh.config_file = sshd_file(&host, "config_agent");
    trip_fails(&trip, "auth_failed", "tried: nothing, there is no key");
    pid_t agent = start_agent();
    trip_brings(&trip, "42");
    by_the_named_one_of_many();
    trip.ssh.config_file = sshd_file(&host, "config_agent");
    /* An agent that stands still is left after a while; one that is gone at once. */
    (void)kill(agent, SIGKILL);
    (void)nanosleep(&(struct timespec){.tv_nsec = 200000 * 1000L}, NULL);
    trip_fails(&trip, "auth_failed", "tried: no agent");
    (void)unsetenv("SSH_AUTH_SOCK");
}

/* --- Known hosts ---------------------------------------------------------------------------- */

static char name[64];

static struct trip to_known(const char *file)
{
    struct trip trip = to_box();

    trip.ssh.known_hosts_file = sshd_file(&host, file);
    (void)snprintf(name, sizeof(name), "[127.0.0.1]:%u", host.port);
    return trip;
}

static void test_known__unknown_then_accepted(void **state)
{
    (void)state;
    struct trip trip = to_known("known_new/hosts");
    trip_fails(&trip, "host_key_unknown", "it has ssh-ed25519 SHA256:");
    char line[SSHD_PATH + 100];
    (void)snprintf(line, sizeof(line),
                   "if that is right: errand doctor --accept-new-host-key --ssh-config %s --on "
                   "ssh://box",
                   trip.ssh.config_file);
    assert_non_null(strstr(trip.message, line));
    assert_int_equal(access(sshd_file(&host, "known_new/hosts"), F_OK), -1);
    trip.ssh.accept_new_host_key = 1;
    trip_brings(&trip, "42");
    struct stat facts;
    assert_int_equal(stat(sshd_file(&host, "known_new/hosts"), &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
    trip.ssh.accept_new_host_key = 0;
    trip_brings(&trip, "42");
    assert_int_equal(unlink(sshd_file(&host, "known_new/hosts")), 0);
    assert_int_equal(rmdir(sshd_file(&host, "known_new")), 0);
}

static void test_known__changed_is_never_accepted(void **state)
{
    (void)state;
    struct trip trip = to_known("known_changed");
    sshd_write(&host, "known_changed", 0600, "%s", "# A comment.\n\n");
    sshd_know(&host, "known_changed", name, "id_ed25519");
    trip.ssh.accept_new_host_key = 1;
    trip_fails(&trip, "host_key_changed", "known_changed:3");
    char *text = sshd_read(&host, "known_changed");
    assert_null(strstr(strstr(text, "ssh-ed25519") + 1, "ssh-"));
    free(text);
}

/* What is too long for a line that could be run is not shown by half. */
static void test_known__unknown_by_long_names(void **state)
{
    char folder[SSHD_PATH + 100];
    (void)state;
    (void)snprintf(folder, sizeof(folder),
                   "%s/./././././././././././././././././././././././"
                   "./././././././././././././././././././././config",
                   host.dir);
    struct trip trip = to_known("known_none");
    trip.ssh.config_file = folder;
    trip_fails(&trip, "host_key_unknown", "if that is right: --accept-new-host-key records it");
}

/* Another kind of key that is known means that this one is not the host's. */
static void test_known__another_kind_only(void **state)
{
    (void)state;
    struct trip trip = to_known("known_kind");
    sshd_know(&host, "known_kind", name, "id_ecdsa");
    trip.ssh.accept_new_host_key = 1;
    trip_fails(&trip, "host_key_changed", "known_kind:1");
}

/* The host shows several; it is asked for one that is known. */
static void test_known__kinds_that_are_known_are_asked_for(void **state)
{
    (void)state;
    struct trip trip = to_known("known_ecdsa");
    sshd_know(&host, "known_ecdsa", name, "key_ecdsa");
    trip_brings(&trip, "42");
}

static void test_known__revoked(void **state)
{
    char pattern[80];
    (void)state;
    struct trip trip = to_known("known_revoked");
    sshd_know(&host, "known_revoked", name, "key_ed25519");
    (void)snprintf(pattern, sizeof(pattern), "@revoked %s", "*");
    sshd_know(&host, "known_revoked", pattern, "key_ed25519");
    trip.ssh.accept_new_host_key = 1;
    trip_fails(&trip, "host_key_revoked", "known_revoked:2");
}

static void test_known__hashed(void **state)
{
    (void)state;
    struct trip trip = to_known("known_hashed");
    sshd_know(&host, "known_hashed", name, "key_ed25519");
    const char *const hash[] = {"ssh-keygen", "-H", "-f", sshd_file(&host, "known_hashed"), NULL};
    assert_true(sshd_command(hash));
    char *text = sshd_read(&host, "known_hashed");
    assert_null(strstr(text, "127.0.0.1"));
    free(text);
    trip_brings(&trip, "42");
}

static void test_known__recorded_hashed_where_so_told(void **state)
{
    (void)state;
    sshd_write(&host, "config_hash", 0600,
               "Host box\n HostName 127.0.0.1\n Port %u\n User %s\n IdentityFile %s\n"
               " UserKnownHostsFile %s\n GlobalKnownHostsFile /dev/null\n HashKnownHosts yes\n",
               host.port, host.user, sshd_file(&host, "id_ed25519"),
               sshd_file(&host, "known_made"));
    struct trip trip = to_box();
    trip.ssh.config_file = sshd_file(&host, "config_hash");
    trip.ssh.accept_new_host_key = 1;
    trip_brings(&trip, "42");
    const char *const find[] = {"ssh-keygen", "-F", name, "-f", sshd_file(&host, "known_made"),
                                NULL};
    assert_true(sshd_command(find));
    char *text = sshd_read(&host, "known_made");
    assert_memory_equal(text, "|1|", 3);
    free(text);
}

/* --- Ways to fail before any of that -------------------------------------------------------- */

static void test_way__refused(void **state)
{
    (void)state;
    struct trip trip = trip_to("ssh://127.0.0.1:1");
    trip_fails(&trip, "connect_failed", "no connection to 127.0.0.1 port 1: Connection refused");
}

static void test_way__no_such_name(void **state)
{
    (void)state;
    struct trip trip = trip_to("ssh://no.such.name.invalid");
    trip_fails(&trip, "name_not_found", "no address of no.such.name.invalid");
}

static void test_way__a_configuration_that_is_none(void **state)
{
    (void)state;
    struct trip trip = to_box();
    sshd_write(&host, "config_bad", 0600, "%s", "NoSuchOption yes\n");
    trip.ssh.config_file = sshd_file(&host, "config_bad");
    trip_fails(&trip, "config_failed", "\"ssh -G\" says");
}

static void test_way__through_a_command(void **state)
{
    (void)state;
    sshd_write(&host, "config_proxy", 0600,
               "Host jump\n HostName 127.0.0.1\n Port %u\n User %s\n IdentityFile %s\n"
               " UserKnownHostsFile %s\nHost box\n HostName 127.0.0.1\n Port %u\n User %s\n"
               " IdentityFile %s\n UserKnownHostsFile %s\n ProxyJump jump\n"
               "Host other\n HostName 127.0.0.1\n Port %u\n User %s\n IdentityFile %s\n"
               " UserKnownHostsFile %s\n ProxyCommand ssh -F %s -W %%h:%%p jump\n"
               "Host lost\n HostName 127.0.0.1\n Port %u\n ProxyCommand echo no way >&2; exit 1\n",
               host.port, host.user, sshd_file(&host, "id_ed25519"),
               sshd_file(&host, "known_hosts"), host.port, host.user,
               sshd_file(&host, "id_ed25519"), sshd_file(&host, "known_hosts"), host.port,
               host.user, sshd_file(&host, "id_ed25519"), sshd_file(&host, "known_hosts"),
               sshd_file(&host, "config_proxy"), host.port);
    struct trip trip = to_box();
    trip.ssh.config_file = sshd_file(&host, "config_proxy");
    trip_brings(&trip, "42");
    trip.address = "ssh://other";
    trip_brings(&trip, "42");
    trip.address = "ssh://lost";
    trip_fails(&trip, "connect_failed", "no way");
    (void)snprintf(name, sizeof(name), "[127.0.0.1]:%u", host.port);
    assert_int_equal(sshd_count_processes(name), 0);
    assert_int_equal(sshd_count_processes(name + 1), 0);
}

static int start(void **state)
{
    (void)state;
    (void)unsetenv("SSH_AUTH_SOCK");
    sshd_start(&host, "PasswordAuthentication no");
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
        cmocka_unit_test(test_login__by_the_key_of_the_configuration),
        cmocka_unit_test(test_login__by_a_named_key),
        cmocka_unit_test(test_login__rsa_where_sha_1_is_refused),
        cmocka_unit_test(test_login__a_locked_key_asks),
        cmocka_unit_test(test_login__a_locked_key_and_nobody_to_ask),
        cmocka_unit_test(test_login__a_key_that_others_may_read),
        cmocka_unit_test(test_login__a_key_that_is_not_there),
        cmocka_unit_test(test_login__a_key_that_is_none),
        cmocka_unit_test(test_login__a_key_that_is_not_taken),
        cmocka_unit_test(test_login__a_certificate_is_not_used_and_named),
        cmocka_unit_test(test_login__by_an_agent),
        cmocka_unit_test(test_known__unknown_then_accepted),
        cmocka_unit_test(test_known__changed_is_never_accepted),
        cmocka_unit_test(test_known__unknown_by_long_names),
        cmocka_unit_test(test_known__another_kind_only),
        cmocka_unit_test(test_known__kinds_that_are_known_are_asked_for),
        cmocka_unit_test(test_known__revoked),
        cmocka_unit_test(test_known__hashed),
        cmocka_unit_test(test_known__recorded_hashed_where_so_told),
        cmocka_unit_test(test_way__refused),
        cmocka_unit_test(test_way__no_such_name),
        cmocka_unit_test(test_way__a_configuration_that_is_none),
        cmocka_unit_test(test_way__through_a_command),
    };
    return cmocka_run_group_tests_name("ssh login", tests, start, end);
}
