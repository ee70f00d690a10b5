/* test_ways.c - from a name to a login: addresses, proxies, hosts that are busy, silent or cut it
 * short, and machines without an ssh client. Has mounts of its own, for which it has to be root:
 * so it can give names addresses, and take node away. */
#include "test.h"

#include "sshd.h"
#include "stay.h"
#include "trip.h"

#include <arpa/inet.h>
#include <errno.h>
#include <glob.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sshd host;

/* --- Names and addresses -------------------------------------------------------------------- */

/* A client's configuration whose keys are known by an alias, whatever the address. */
static void write_config(const char *name, const char *hostname, unsigned port, const char *more)
{
    sshd_write(&host, name, 0600,
               "Host box\n HostName %s\n Port %u\n User %s\n IdentityFile %s\n"
               " IdentitiesOnly yes\n IdentityAgent none\n UserKnownHostsFile %s\n"
               " GlobalKnownHostsFile /dev/null\n HostKeyAlias ways\n%s",
               hostname, port, host.user, sshd_file(&host, "id_ed25519"),
               sshd_file(&host, "known_ways"), more);
}

static struct trip to_box(const char *config)
{
    struct trip trip = trip_to("ssh://box");

    trip.ssh.config_file = sshd_file(&host, config);
    return trip;
}

/* A socket at that port of ::1 which is full: who connects is neither answered nor refused. */
struct deaf {
    int listener;
    int callers[4];
};

static void start_deaf(struct deaf *deaf, unsigned port)
{
    struct sockaddr_in6 address = {
        .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port), .sin6_addr = in6addr_loopback};

    int on = 1;
    deaf->listener = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    /* An sshd was there before, whose connections the kernel has not forgotten. */
    assert_int_equal(setsockopt(deaf->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)), 0);
    assert_int_equal(bind(deaf->listener, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(deaf->listener, 0), 0);
    for (size_t i = 0; i < COUNT(deaf->callers); i++) {
        deaf->callers[i] = socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        (void)connect(deaf->callers[i], (struct sockaddr *)&address, sizeof(address));
    }
}

static void end_deaf(struct deaf *deaf)
{
    (void)close(deaf->listener);
    for (size_t i = 0; i < COUNT(deaf->callers); i++)
        (void)close(deaf->callers[i]);
}

static void test_ways__an_address_of_ipv6(void **state)
{
    char address[128], name[64], lines[64];
    (void)state;
    (void)snprintf(lines, sizeof(lines), "ListenAddress ::1");
    sshd_restart(&host, lines);
    (void)snprintf(name, sizeof(name), "[::1]:%u", host.port);
    (void)snprintf(address, sizeof(address), "ssh://%s@[::1]:%u", host.user, host.port);
    sshd_know(&host, "known_v6", name, "key_ed25519");
    struct trip trip = trip_to(address);
    trip.ssh.identity_file = sshd_file(&host, "id_ed25519");
    trip.ssh.known_hosts_file = sshd_file(&host, "known_v6");
    trip_brings(&trip, "42");
    sshd_restart(&host, "");
    trip_fails(&trip, "connect_failed", "ssh: no connection to ::1 port ");
}

static void test_ways__the_second_address_where_the_first_refuses(void **state)
{
    (void)state;
    write_config("config_two", "two.errand.invalid", host.port, "");
    struct trip trip = to_box("config_two");
    trip_brings(&trip, "42");
}

static void test_ways__the_second_address_where_the_first_is_silent(void **state)
{
    struct deaf deaf;
    (void)state;
    write_config("config_slow", "two.errand.invalid", host.port, " ConnectTimeout 1\n");
    start_deaf(&deaf, host.port);
    struct trip trip = to_box("config_slow");
    trip_brings(&trip, "42");
    assert_true(trip.open_us >= 900L * 1000);
    end_deaf(&deaf);
}

static void test_ways__no_address_answers(void **state)
{
    struct deaf deaf;
    (void)state;
    write_config("config_deaf", "deaf.errand.invalid", host.port, " ConnectTimeout 1\n");
    start_deaf(&deaf, host.port);
    struct trip trip = to_box("config_deaf");
    trip_fails(&trip, "connect_failed", "no connection to deaf.errand.invalid port ");
    assert_non_null(strstr(trip.message, ": Connection timed out"));
    /* Without that setting it is the limit that ends it, by its name. */
    write_config("config_deaf", "deaf.errand.invalid", host.port, "");
    trip.limits.open_ms = 1000;
    trip_fails(&trip, "open_timeout", "");
    assert_string_equal(trip.limit, "open_ms");
    end_deaf(&deaf);
}

static void test_ways__a_name_without_address(void **state)
{
    (void)state;
    write_config("config_none", "no.errand.invalid", host.port, "");
    struct trip trip = to_box("config_none");
    trip_fails(&trip, "name_not_found", "ssh: no address of no.errand.invalid: ");
}

/* The lookup itself can't be cut short: it is left behind. */
static void test_ways__a_name_server_that_does_not_answer(void **state)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(53), .sin_addr.s_addr = htonl(0x7f000035)};
    int mute = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    (void)state;
    assert_int_equal(bind(mute, (struct sockaddr *)&address, sizeof(address)), 0);
    sshd_write(&host, "resolv", 0644, "%s", "nameserver 127.0.0.53\n");
    assert_int_equal(mount(sshd_file(&host, "resolv"), "/etc/resolv.conf", NULL, MS_BIND, NULL), 0);
    write_config("config_slow", "slow.errand.test", host.port, "");
    struct trip trip = to_box("config_slow");
    trip.limits.open_ms = 500;
    int64_t began_ms = stay_now_ms();
    trip_fails(&trip, "open_timeout", "");
    assert_true(stay_now_ms() - began_ms < 4000);
    assert_int_equal(umount2("/etc/resolv.conf", MNT_DETACH), 0);
    (void)close(mute);
}

/* --- Proxies -------------------------------------------------------------------------------- */

static void add_jumps(const char *config, const char *jump)
{
    char more[SSHD_PATH * 4];

    (void)snprintf(more, sizeof(more),
                   " ProxyJump %s\nHost one two nowhere\n HostName 127.0.0.1\n Port %u\n User %s\n"
                   " IdentityFile %s\n IdentityAgent none\n UserKnownHostsFile %s\n"
                   " HostKeyAlias ways\nHost nowhere\n HostName no.errand.invalid\n",
                   jump, host.port, host.user, sshd_file(&host, "id_ed25519"),
                   sshd_file(&host, "known_ways"));
    write_config(config, "127.0.0.1", host.port, more);
}

static void test_ways__over_two_jumps(void **state)
{
    (void)state;
    add_jumps("config_jumps", "one,two");
    struct trip trip = to_box("config_jumps");
    trip_brings(&trip, "42");
    assert_int_equal(sshd_count_processes(sshd_file(&host, "config_jumps")), 0);
}

static void test_ways__over_a_jump_that_leads_nowhere(void **state)
{
    (void)state;
    sshd_write(&host, "config_lost", 0600,
               "Host nowhere\n HostName no.errand.invalid\nHost box\n HostName 127.0.0.1\n"
               " Port %u\n ProxyJump nowhere\n",
               host.port);
    struct trip trip = to_box("config_lost");
    trip_fails(&trip, "connect_failed", "Could not resolve hostname no.errand.invalid");
}

static void test_ways__a_proxy_command_that_is_none(void **state)
{
    (void)state;
    write_config("config_proxy", "127.0.0.1", host.port, " ProxyCommand no-such-command %h %p\n");
    struct trip trip = to_box("config_proxy");
    trip_fails(&trip, "connect_failed", "no-such-command");
}

static void test_ways__a_proxy_command_that_says_nothing(void **state)
{
    (void)state;
    write_config("config_mute", "127.0.0.1", host.port, " ProxyCommand sleep 987654\n");
    struct trip trip = to_box("config_mute");
    trip.limits.open_ms = 1000;
    trip_fails(&trip, "open_timeout", "");
    assert_int_equal(sshd_count_processes("987654"), 0);
}

/* --- No client ------------------------------------------------------------------------------ */

static void test_ways__without_a_client_of_ssh(void **state)
{
    char name[64];
    (void)state;
    const char *before = getenv("PATH");
    char *path = strdup(before == NULL ? "" : before);
    assert_non_null(path);
    (void)snprintf(name, sizeof(name), "[127.0.0.1]:%u", host.port);
    sshd_know(&host, "known_plain", name, "key_ed25519");
    assert_int_equal(setenv("PATH", host.dir, 1), 0);
    struct trip trip = trip_to(sshd_address(&host));
    trip.ssh.identity_file = sshd_file(&host, "id_ed25519");
    trip.ssh.known_hosts_file = sshd_file(&host, "known_plain");
    trip_brings(&trip, "42");
    trip.ssh.config_file = sshd_file(&host, "config");
    trip_fails(&trip, "config_failed", "no ssh client is installed here to read");
    assert_int_equal(setenv("PATH", path, 1), 0);
    free(path);
}

/* --- Busy hosts ----------------------------------------------------------------------------- */

struct caller {
    pthread_t thread;
    long ms;
    int fd;
};

static void *hang_up(void *ctx)
{
    const struct caller *caller = ctx;

    stay_rest_ms(caller->ms);
    (void)close(caller->fd);
    return NULL;
}

/* Who connects and never logs in takes the only place of a start. */
static void call(struct caller *caller)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)host.port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    caller->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(caller->fd, (struct sockaddr *)&address, sizeof(address)), 0);
    char byte = 0;
    assert_int_equal(recv(caller->fd, &byte, 1, 0), 1);
}

static void test_busy__a_host_that_takes_one_start_at_a_time(void **state)
{
    struct caller caller;
    (void)state;
    sshd_restart(&host, "MaxStartups 1:100:1");
    write_config("config_busy", "127.0.0.1", host.port, "");
    call(&caller);
    caller.ms = 700;
    assert_int_equal(pthread_create(&caller.thread, NULL, hang_up, &caller), 0);
    struct trip trip = to_box("config_busy");
    trip_brings(&trip, "42");
    assert_int_equal(pthread_join(caller.thread, NULL), 0);
    call(&caller);
    trip_fails(&trip, "connect_failed", "hangs up; it says: Exceeded MaxStartups");
    (void)close(caller.fd);
    sshd_restart(&host, "");
}

static void test_busy__many_at_once_where_starts_are_few(void **state)
{
    enum { MANY = 50 };
    struct stay stay;
    errand_run *runs[MANY];
    (void)state;
    sshd_restart(&host, "MaxStartups 1:100:1\nMaxSessions 3");
    write_config("config_busy", "127.0.0.1", host.port, "");
    stay_begin(&stay, sshd_file(&host, "config_busy"));
    for (size_t i = 0; i < MANY; i++)
        runs[i] = stay_run(&stay, "return await tools.echo(7)", 0);
    for (size_t ended = 0; ended < MANY; ended++) {
        const errand_outcome *end = stay_await(&stay, ERRAND_EVENT_END)->as.end;
        if (end->kind != ERRAND_KIND_VALUE || end->warnings_count > 0)
            fail_msg("%s: %.*s", end->code, (int)end->message.len, end->message.ptr);
    }
    for (size_t i = 0; i < MANY; i++)
        errand_run_free(runs[i]);
    stay_end(&stay);
    sshd_restart(&host, "");
}

/* --- Hosts that cut it short ---------------------------------------------------------------- */

static void test_short__closed_after_the_login(void **state)
{
    (void)state;
    sshd_restart(&host, "ChrootDirectory /no/such/folder");
    write_config("config_short", "127.0.0.1", host.port, "");
    struct trip trip = to_box("config_short");
    trip_fails(&trip, "place_failed", "lost after the login, before any channel");
    sshd_restart(&host, "");
}

static void test_short__a_command_that_ends_with_127(void **state)
{
    (void)state;
    sshd_restart(&host, "ForceCommand no-such-command-there");
    write_config("config_short", "127.0.0.1", host.port, "");
    struct trip trip = to_box("config_short");
    trip_fails(&trip, "runner_exited", "127");
    assert_non_null(strstr(trip.message, "no-such-command-there"));
    sshd_restart(&host, "");
}

/* The host is there and may be the right one, but they have no words in common. */
static void test_short__no_encryption_in_common(void **state)
{
    (void)state;
    sshd_restart(&host, "KexAlgorithms sntrup761x25519-sha512@openssh.com");
    write_config("config_short", "127.0.0.1", host.port, "");
    struct trip trip = to_box("config_short");
    trip_fails(&trip, "connect_failed",
               "have no way of encryption or no kind of host key in common");
    sshd_restart(&host, "");
}

/* libssh2 takes no packet that is so long, and sshd sends none that is longer still. */
static void test_short__a_banner_that_is_too_long(void **state)
{
    static const struct {
        int bytes;
        const char *words;
    } cases[] = {{100 * 1000, "its Banner should have at most 30,000 bytes"},
                 {1000 * 1000, "the host closed the connection; its log may say why"}};
    char lines[SSHD_PATH + 100];
    (void)state;
    (void)snprintf(lines, sizeof(lines), "Banner %s", sshd_file(&host, "banner"));
    write_config("config_short", "127.0.0.1", host.port, "");
    for (size_t i = 0; i < COUNT(cases); i++) {
        sshd_write(&host, "banner", 0644, "%0*d\n", cases[i].bytes, 0);
        sshd_restart(&host, lines);
        struct trip trip = to_box("config_short");
        trip_fails(&trip, "auth_failed", cases[i].words);
    }
    sshd_restart(&host, "");
}

static void hide_node(void)
{
    glob_t found = {0};
    static const char *const places[] = {"/usr/local/bin/node", "/usr/bin/node", "/snap/bin/node",
                                         "/opt/*/bin/node"};

    for (size_t i = 0; i < COUNT(places); i++)
        (void)glob(places[i], i == 0 ? 0 : GLOB_APPEND, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc; i++)
        assert_int_equal(mount("/dev/null", found.gl_pathv[i], NULL, MS_BIND, NULL), 0);
    globfree(&found);
}

static void test_short__no_node(void **state)
{
    (void)state;
    hide_node();
    write_config("config_short", "127.0.0.1", host.port, "");
    struct trip trip = to_box("config_short");
    trip.node = NULL;
    trip_fails(&trip, "node_not_found", "/usr/bin");
    trip.node = "/no/such/node";
    trip_fails(&trip, "node_not_run", "/no/such/node");
}

/* --- Around them ---------------------------------------------------------------------------- */

/* A name with two addresses, of which IPv6 goes first; here alone. */
static void mount_hosts(void)
{
    sshd_write(&host, "hosts", 0644, "%s",
               "127.0.0.1 localhost\n127.0.0.1 two.errand.invalid\n::1 two.errand.invalid\n"
               "::1 deaf.errand.invalid\n");
    assert_int_equal(mount(sshd_file(&host, "hosts"), "/etc/hosts", NULL, MS_BIND, NULL), 0);
}

static int start(void **state)
{
    (void)state;
    (void)unsetenv("SSH_AUTH_SOCK");
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_PRIVATE | MS_REC, NULL) != 0)
        fail_msg("no mounts of its own: %s; this test wants to be root", strerror(errno));
    sshd_start(&host, "");
    mount_hosts();
    sshd_know(&host, "known_ways", "ways", "key_ed25519");
    return 0;
}

static int end(void **state)
{
    (void)state;
    (void)umount2("/etc/hosts", MNT_DETACH);
    sshd_end(&host);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ways__an_address_of_ipv6),
        cmocka_unit_test(test_ways__the_second_address_where_the_first_refuses),
        cmocka_unit_test(test_ways__the_second_address_where_the_first_is_silent),
        cmocka_unit_test(test_ways__no_address_answers),
        cmocka_unit_test(test_ways__a_name_without_address),
        cmocka_unit_test(test_ways__a_name_server_that_does_not_answer),
        cmocka_unit_test(test_ways__over_two_jumps),
        cmocka_unit_test(test_ways__over_a_jump_that_leads_nowhere),
        cmocka_unit_test(test_ways__a_proxy_command_that_is_none),
        cmocka_unit_test(test_ways__a_proxy_command_that_says_nothing),
        cmocka_unit_test(test_ways__without_a_client_of_ssh),
        cmocka_unit_test(test_busy__a_host_that_takes_one_start_at_a_time),
        cmocka_unit_test(test_busy__many_at_once_where_starts_are_few),
        cmocka_unit_test(test_short__closed_after_the_login),
        cmocka_unit_test(test_short__a_command_that_ends_with_127),
        cmocka_unit_test(test_short__no_encryption_in_common),
        cmocka_unit_test(test_short__a_banner_that_is_too_long),
        cmocka_unit_test(test_short__no_node),
    };
    return cmocka_run_group_tests_name("ways to a host", tests, start, end);
}
