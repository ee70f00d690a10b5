/* test_shells.c - login shells of all kinds, startup files that print or read, passwords, and hosts
 * that behave oddly. Makes users of its own, for which it has to be root, and removes them. */
#include "test.h"

#include "sshd.h"
#include "trip.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct sshd host;

static const struct shell {
    const char *name, *path;
    const char *rc;   /* What it reads before a command. NULL: nothing. */
    const char *read; /* How it reads a line of its input. */
} shells[] = {{"sh", "/bin/sh", NULL, NULL},
              {"bash", "/bin/bash", ".bashrc", "read -r line"},
              {"zsh", "/usr/bin/zsh", ".zshenv", "read -r line"},
              {"fish", "/usr/bin/fish", ".config/fish/config.fish", "read line"},
              {"csh", "/bin/csh", ".cshrc", "set line = \"$<\""},
              {"tcsh", "/usr/bin/tcsh", ".tcshrc", "set line = \"$<\""}};

static void user_of(char user[static 40], const char *shell)
{
    (void)snprintf(user, 40, "errand-%d-%s", (int)getpid() % 100000, shell);
}

static const char *home_of(const char *user)
{
    const struct passwd *who = getpwnam(user);

    if (who == NULL)
        fail_msg("no user %s", user);
    return who == NULL ? "" : who->pw_dir;
}

static void add_user(const char *name, const char *shell)
{
    char user[40];

    user_of(user, name);
    const char *const argv[] = {"useradd", "-m",  "-d", sshd_file(&host, user),
                                "-s",      shell, user, NULL};
    if (access(shell, X_OK) != 0 || !sshd_command(argv))
        fail_msg("no user with %s could be made; this test wants to be root", shell);
    /* Without a password an account may count as locked. */
    char line[200];
    (void)snprintf(line, sizeof(line), "echo '%s:open-%s' | chpasswd", user, name);
    const char *const set[] = {"sh", "-c", line, NULL};
    assert_true(sshd_command(set));
}

static void remove_user(const char *name)
{
    char user[40];

    user_of(user, name);
    const char *const argv[] = {"sh", "-c", "userdel -f -r \"$0\" 2>/dev/null", user, NULL};
    (void)sshd_command(argv);
}

static void write_rc(const struct shell *shell, const char *format, ...)
{
    char user[40], command[600], path[SSHD_PATH + 100];
    va_list args;

    user_of(user, shell->name);
    (void)snprintf(path, sizeof(path), "%s/%s", home_of(user), shell->rc);
    (void)snprintf(command, sizeof(command), "mkdir -p \"$(dirname '%s')\"", path);
    const char *const make[] = {"sh", "-c", command, NULL};
    assert_true(sshd_command(make));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    va_start(args, format);
    assert_true(vfprintf(file, format, args) > 0);
    va_end(args);
    assert_int_equal(fclose(file), 0);
}

static struct trip to_user(const char *shell)
{
    static char address[200];
    char user[40];
    struct trip trip = trip_to(address);

    user_of(user, shell);
    (void)snprintf(address, sizeof(address), "ssh://%s@box", user);
    trip.ssh.config_file = sshd_file(&host, "config");
    return trip;
}

static void test_shell__each_runs_a_program(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(shells); i++) {
        struct trip trip = to_user(shells[i].name);
        trip_brings(&trip, "42");
        trip.delivery = ERRAND_DELIVERY_FILE;
        trip_brings(&trip, "42");
    }
}

static void test_shell__startup_files_that_print(void **state)
{
    static const int sizes[] = {1, 64 * 1024};
    (void)state;
    for (size_t i = 0; i < COUNT(shells); i++) {
        for (size_t k = 0; k < COUNT(sizes) && shells[i].rc != NULL; k++) {
            write_rc(&shells[i], "head -c %d /dev/zero | tr '\\0' x\n", sizes[k]);
            struct trip trip = to_user(shells[i].name);
            trip_brings(&trip, "42");
        }
    }
}

static void test_shell__a_startup_file_that_prints_without_end(void **state)
{
    (void)state;
    write_rc(&shells[1], "%s\n", "head -c 1000000 /dev/zero | tr '\\0' x");
    struct trip trip = to_user("bash");
    trip.limits.close_ms = 1000; /* Nobody there will answer. */
    trip_fails(&trip, "boot_noise", "");
    assert_memory_equal(trip.noise, "xxxx", 4);
    /* So does every other shell, that of the signals too. */
    write_rc(&shells[1], "%s\n", "yes 987659");
    trip_fails(&trip, "boot_noise", "");
    /* sshd hangs up on it as soon as it gets to that. */
    for (int i = 0; i < 100 && sshd_count_processes("987659") > 0; i++)
        (void)nanosleep(&(struct timespec){.tv_nsec = 50 * 1000000L}, NULL);
    assert_int_equal(sshd_count_processes("987659"), 0);
    write_rc(&shells[1], "%s\n", "true");
}

static void test_shell__startup_files_that_read_a_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(shells); i++) {
        if (shells[i].rc == NULL)
            continue;
        write_rc(&shells[i], "%s\n", shells[i].read);
        struct trip trip = to_user(shells[i].name);
        trip_brings(&trip, "42");
    }
}

static void test_shell__a_startup_file_that_swallows_all(void **state)
{
    (void)state;
    write_rc(&shells[1], "%s\n", "head -c 1000 >/dev/null");
    struct trip trip = to_user("bash");
    trip_fails(&trip, "stdin_eaten", "");
    write_rc(&shells[1], "%s\n", "true");
}

static void test_shell__none_to_log_in_with(void **state)
{
    (void)state;
    struct trip trip = to_user("nologin");
    trip_fails(&trip, "runner_exited", "not available");
}

/* --- Passwords -------------------------------------------------------------------------------- */

static struct trip by_password(void)
{
    struct trip trip = to_user("sh");

    trip.ssh.identity_file = sshd_file(&host, "key_ecdsa"); /* Not taken. */
    return trip;
}

static void test_password__asked_for_until_it_is_right(void **state)
{
    (void)state;
    struct trip trip = by_password();
    trip.answers[0] = "wrong";
    trip.answers[1] = "open-sh";
    trip_brings(&trip, "42");
    assert_string_equal(trip.kinds, "password,password");
    trip.answers[0] = trip.answers[1] = NULL;
    trip_fails(&trip, "auth_failed", "for a password, and nobody answered");
    trip.answers[0] = trip.answers[1] = trip.answers[2] = "wrong";
    trip_fails(&trip, "auth_failed", "it offers publickey,password; tried: key_ecdsa, password");
}

/* Hosts count tries, those included to which a person had no part. */
static void test_password__is_asked_for_before_the_host_has_enough(void **state)
{
    (void)state;
    sshd_restart(&host, "KbdInteractiveAuthentication yes\nMaxAuthTries 5");
    struct trip trip = by_password();
    trip.answers[0] = "wrong";
    trip.answers[1] = "open-sh";
    trip_brings(&trip, "42");
    trip.answers[1] = trip.answers[2] = "wrong";
    trip_fails(&trip, "auth_failed", "the host says: Too many authentication failures; tried: key");
    assert_int_equal(trip.asks, 2);
    sshd_restart(&host, "");
}

/* That nobody says a password hides nothing about the keys. */
static void test_password__not_said_names_the_keys(void **state)
{
    (void)state;
    struct trip trip = by_password();
    trip_fails(&trip, "auth_failed", "nobody answered; log in with a key");
    assert_non_null(strstr(trip.message, "tried: key_ecdsa"));
    trip.ssh.identity_file = sshd_file(&host, "id_rsa");
    trip_go(&trip);
    if (trip.kind == ERRAND_KIND_VALUE) /* A libssh2 that signs as it should. */
        return;
    assert_non_null(strstr(trip.message, "signs with SHA-1 only; use an ed25519 key, or libssh2"));
}

static void test_password__as_the_host_asks(void **state)
{
    (void)state;
    sshd_restart(&host, "PasswordAuthentication no\nKbdInteractiveAuthentication yes\nUsePAM yes");
    struct trip trip = by_password();
    trip.answers[0] = "open-sh";
    trip_brings(&trip, "42");
    assert_string_equal(trip.kinds, "interactive");
    assert_non_null(strstr(trip.prompts, "@box) "));
    assert_non_null(strstr(trip.prompts, "assword:"));
    sshd_restart(&host, "");
}

/* --- Odd hosts -------------------------------------------------------------------------------- */

static void test_odd__a_command_of_its_own(void **state)
{
    (void)state;
    sshd_restart(&host, "ForceCommand echo only this; exit 3");
    struct trip trip = to_user("sh");
    trip_fails(&trip, "runner_exited", "only this");
    sshd_restart(&host, "");
}

static void test_odd__no_channel_at_all(void **state)
{
    (void)state;
    sshd_restart(&host, "MaxSessions 0");
    struct trip trip = to_user("sh");
    trip_fails(&trip, "place_failed", "the host opens no channel");
    assert_false(trip.abandoned);
    sshd_restart(&host, "");
}

static void test_odd__a_banner_before_the_login(void **state)
{
    (void)state;
    sshd_write(&host, "banner", 0644, "%0*d\n", 20000, 0);
    char lines[SSHD_PATH + 100];
    (void)snprintf(lines, sizeof(lines), "Banner %s", sshd_file(&host, "banner"));
    sshd_restart(&host, lines);
    struct trip trip = to_user("sh");
    trip_brings(&trip, "42");
    sshd_restart(&host, "");
}

struct odd {
    int fd;
    unsigned port;
    size_t says; /* Bytes, lines that are no greeting. */
    pthread_t thread;
};

static void *be_odd(void *ctx)
{
    const struct odd *odd = ctx;
    static const char line[] = "this is not the server that you look for, whoever you may be\r\n";
    int fd = accept(odd->fd, NULL, NULL);

    for (size_t said = 0; fd >= 0 && said < odd->says; said += sizeof(line) - 1) {
        if (send(fd, line, sizeof(line) - 1, MSG_NOSIGNAL) < 0)
            break;
    }
    char byte = 0;
    while (fd >= 0 && recv(fd, &byte, 1, 0) > 0)
        continue;
    (void)close(fd);
    return NULL;
}

static void start_odd(struct odd *odd, size_t says)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(address);

    *odd = (struct odd){.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), .says = says};
    assert_int_equal(bind(odd->fd, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(odd->fd, 4), 0);
    assert_int_equal(getsockname(odd->fd, (struct sockaddr *)&address, &len), 0);
    odd->port = ntohs(address.sin_port);
    assert_int_equal(pthread_create(&odd->thread, NULL, be_odd, odd), 0);
}

static void end_odd(struct odd *odd)
{
    (void)pthread_join(odd->thread, NULL);
    (void)close(odd->fd);
}

static void test_odd__a_megabyte_and_no_greeting(void **state)
{
    (void)state;
    struct odd odd;
    char address[64];
    start_odd(&odd, 1024UL * 1024);
    (void)snprintf(address, sizeof(address), "ssh://127.0.0.1:%u", odd.port);
    struct trip trip = trip_to(address);
    trip_fails(&trip, "connect_failed", "256 KiB and no greeting of SSH");
    end_odd(&odd);
}

static void test_odd__who_says_nothing(void **state)
{
    (void)state;
    struct odd odd;
    char address[64];
    start_odd(&odd, 0);
    (void)snprintf(address, sizeof(address), "ssh://127.0.0.1:%u", odd.port);
    struct trip trip = trip_to(address);
    trip.limits.open_ms = 1500;
    trip_fails(&trip, "open_timeout", "");
    end_odd(&odd);
}

static int start(void **state)
{
    (void)state;
    (void)unsetenv("SSH_AUTH_SOCK");
    sshd_start(&host, "");
    for (size_t i = 0; i < COUNT(shells); i++)
        add_user(shells[i].name, shells[i].path);
    add_user("nologin", "/usr/sbin/nologin");
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(shells); i++)
        remove_user(shells[i].name);
    remove_user("nologin");
    sshd_end(&host);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shell__each_runs_a_program),
        cmocka_unit_test(test_shell__startup_files_that_print),
        cmocka_unit_test(test_shell__a_startup_file_that_prints_without_end),
        cmocka_unit_test(test_shell__startup_files_that_read_a_line),
        cmocka_unit_test(test_shell__a_startup_file_that_swallows_all),
        cmocka_unit_test(test_shell__none_to_log_in_with),
        cmocka_unit_test(test_password__asked_for_until_it_is_right),
        cmocka_unit_test(test_password__is_asked_for_before_the_host_has_enough),
        cmocka_unit_test(test_password__not_said_names_the_keys),
        cmocka_unit_test(test_password__as_the_host_asks),
        cmocka_unit_test(test_odd__a_command_of_its_own),
        cmocka_unit_test(test_odd__no_channel_at_all),
        cmocka_unit_test(test_odd__a_banner_before_the_login),
        cmocka_unit_test(test_odd__a_megabyte_and_no_greeting),
        cmocka_unit_test(test_odd__who_says_nothing),
    };
    return cmocka_run_group_tests_name("shells behind ssh", tests, start, end);
}
