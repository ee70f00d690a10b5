/* sshd.c - spawns sshd with nothing of the machine's own configuration. */
#include "test.h"

#include "sshd.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <netinet/in.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { START_MS = 20000, STEP_MS = 20, PORT_FIRST = 12000, PORTS = 20000, PORT_TRIES = 100 };
static const size_t room = 256UL * 1024; /* Of a file. */

/* libssh2 1.10 loses 56 bytes of libcrypto's with each ECDSA key that it reads from a file: it
 * holds them itself, so that no order to clean up finds them. The sanitizer asks by this name. */
/* NOLINTBEGIN(readability-identifier-naming) */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libcrypto.so\n";
}
/* NOLINTEND(readability-identifier-naming) */

static const char *const sshd_places[] = {"/usr/sbin/sshd", "/usr/local/sbin/sshd",
                                          "/usr/lib/ssh/sshd"};

const char *sshd_file(const struct sshd *host, const char *name)
{
    static char paths[8][SSHD_PATH + 64];
    static unsigned turn;
    char *path = paths[turn++ % COUNT(paths)];

    (void)snprintf(path, sizeof(paths[0]), "%s/%s", host->dir, name);
    return path;
}

void sshd_write(const struct sshd *host, const char *name, unsigned mode, const char *format, ...)
{
    va_list args;
    const char *path = sshd_file(host, name);
    FILE *file = fopen(path, "w");

    if (file == NULL)
        fail_msg("%s: %s", path, strerror(errno));
    va_start(args, format);
    assert_true(vfprintf(file, format, args) >= 0);
    va_end(args);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
}

char *sshd_read(const struct sshd *host, const char *name)
{
    FILE *file = fopen(sshd_file(host, name), "r");
    char *text = calloc(1, room);

    assert_non_null(text);
    if (file == NULL)
        return text;
    (void)!fread(text, 1, room - 1, file);
    (void)fclose(file);
    return text;
}

bool sshd_command(const char *const *argv)
{
    pid_t pid = 0;
    int status = 0;
    posix_spawn_file_actions_t actions;

    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    assert_int_equal(posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0), 0);
    assert_int_equal(posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0), 0);
    int failure =
        posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (failure != 0)
        fail_msg("%s: %s", argv[0], strerror(failure));
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* --- Keys and files ------------------------------------------------------------------------- */

static void make_key(const struct sshd *host, const char *name, const char *type,
                     const char *passphrase)
{
    /* A larger one of RSA takes a second to find. */
    const char *bits = strcmp(type, "rsa") == 0 ? "2048" : "256";
    const char *const argv[] = {"ssh-keygen", "-q", "-t",       type, "-b",
                                bits,         "-N", passphrase, "-f", sshd_file(host, name),
                                NULL};

    if (!sshd_command(argv))
        fail_msg("ssh-keygen -t %s failed", type);
}

static char *public_of(const struct sshd *host, const char *key)
{
    char name[64];

    (void)snprintf(name, sizeof(name), "%s.pub", key);
    return sshd_read(host, name);
}

void sshd_know(const struct sshd *host, const char *file, const char *name, const char *key)
{
    char *public = public_of(host, key);
    char type[64] = "", blob[4096] = "";
    FILE *known = fopen(sshd_file(host, file), "a");

    assert_non_null(known);
    assert_int_equal(sscanf(public, "%63s %4095s", type, blob), 2);
    assert_true(fprintf(known, "%s %s %s\n", name, type, blob) > 0);
    assert_int_equal(fclose(known), 0);
    free(public);
}

static void make_files(struct sshd *host)
{
    static const char *const keys[] = {"id_ed25519", "id_ecdsa", "id_rsa", "id_locked"};
    static const char *const types[] = {"ed25519", "ecdsa", "rsa", "ed25519"};
    char name[64];

    make_key(host, "key_ed25519", "ed25519", "");
    make_key(host, "key_ecdsa", "ecdsa", "");
    make_key(host, "key_rsa", "rsa", "");
    FILE *authorized = fopen(sshd_file(host, "authorized"), "w");
    assert_non_null(authorized);
    for (size_t i = 0; i < COUNT(keys); i++) {
        make_key(host, keys[i], types[i], i == 3 ? "sesame" : "");
        char *public = public_of(host, keys[i]);
        assert_true(fputs(public, authorized) >= 0);
        free(public);
    }
    assert_int_equal(fclose(authorized), 0);
    (void)snprintf(name, sizeof(name), "[127.0.0.1]:%u", host->port);
    sshd_know(host, "known_hosts", name, "key_ed25519");
    sshd_write(host, "config", 0600,
               "Host box\n HostName 127.0.0.1\n Port %u\n User %s\n IdentityFile %s\n"
               " IdentitiesOnly yes\n IdentityAgent none\n UserKnownHostsFile %s\n"
               " GlobalKnownHostsFile /dev/null\n",
               host->port, host->user, sshd_file(host, "id_ed25519"),
               sshd_file(host, "known_hosts"));
}

/* --- sshd ----------------------------------------------------------------------------------- */

static const char *find_sshd(void)
{
    for (size_t i = 0; i < COUNT(sshd_places); i++) {
        if (access(sshd_places[i], X_OK) == 0)
            return sshd_places[i];
    }
    fail_msg("no sshd is installed: ci/setup does that");
    return "";
}

static bool is_free(unsigned port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool bound = bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0;

    (void)close(fd);
    return bound;
}

/* Below those that the kernel gives to whoever connects, since between one sshd and the next it
 * belongs to nobody; and another for each test that runs at the same time. */
static unsigned free_port(void)
{
    for (unsigned i = 0; i < PORT_TRIES; i++) {
        unsigned port = PORT_FIRST + ((unsigned)getpid() * 37 + i * 101) % PORTS;
        if (is_free(port))
            return port;
    }
    fail_msg("no free port from %d on", PORT_FIRST);
    return 0;
}

static bool answers(unsigned port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool answered = connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0;

    (void)close(fd);
    return answered;
}

static void give_up(const struct sshd *host)
{
    char *log = sshd_read(host, "sshd.log");

    print_error("sshd does not start: %s\n", log);
    free(log);
    fail();
}

static void run_sshd(struct sshd *host, const char *lines)
{
    const char *config = sshd_file(host, "sshd_config");
    const char *log = sshd_file(host, "sshd.log");

    sshd_write(host, "sshd_config", 0600,
               "%s\n" /* Of two that differ, sshd takes the first. */
               "Port %u\nListenAddress 127.0.0.1\nHostKey %s\nHostKey %s\nHostKey %s\n"
               "AuthorizedKeysFile %s\nStrictModes no\nUsePAM no\nPidFile none\n"
               "PermitRootLogin yes\nKbdInteractiveAuthentication no\nLogLevel VERBOSE\n",
               lines, host->port, sshd_file(host, "key_rsa"), sshd_file(host, "key_ecdsa"),
               sshd_file(host, "key_ed25519"), sshd_file(host, "authorized"));
    const char *const argv[] = {find_sshd(), "-D", "-E", log, "-f", config, NULL};
    (void)mkdir("/run/sshd", 0755); /* As root, sshd wants an empty folder there. */
    int failure =
        posix_spawn(&host->pid, argv[0], NULL, NULL, (char *const *)(uintptr_t)argv, environ);
    if (failure != 0)
        fail_msg("%s: %s", argv[0], strerror(failure));
    for (int ms = 0; !answers(host->port); ms += STEP_MS) {
        if (ms > START_MS || waitpid(host->pid, NULL, WNOHANG) != 0)
            give_up(host);
        (void)nanosleep(&(struct timespec){.tv_nsec = STEP_MS * 1000000L}, NULL);
    }
}

/* Whether somebody else could start what lies there. */
static bool open_to_all(const char *path)
{
    char part[SSHD_PATH];
    struct stat facts;

    for (size_t len = 1; path != NULL && path[len - 1] != '\0'; len++) {
        if (path[len] != '/' && path[len] != '\0')
            continue;
        (void)snprintf(part, sizeof(part), "%.*s", (int)len, path);
        if (stat(part, &facts) != 0 || (facts.st_mode & S_IXOTH) == 0)
            return false;
    }
    return true;
}

/* Whoever builds this may have startup files that print, or take seconds. */
static void make_user(struct sshd *host)
{
    char user[64];

    (void)snprintf(user, sizeof(user), "errand-%d", (int)getpid());
    const char *const argv[] = {
        "useradd", "-m", "-d", sshd_file(host, "home"), "-s", "/bin/sh", "-p", "*", user, NULL};
    if (getuid() != 0 || !open_to_all(sshd_node()) || !sshd_command(argv))
        return;
    (void)snprintf(host->user, sizeof(host->user), "%s", user);
    host->made_user = true;
}

static void remove_user(const struct sshd *host)
{
    const char *const argv[] = {"sh", "-c", "userdel -f \"$0\" 2>/dev/null", host->user, NULL};

    if (host->made_user)
        (void)sshd_command(argv);
}

void sshd_start(struct sshd *host, const char *lines)
{
    const struct passwd *who = getpwuid(getuid());

    *host = (struct sshd){.port = free_port()};
    assert_non_null(who);
    (void)snprintf(host->user, sizeof(host->user), "%s", who->pw_name);
    (void)snprintf(host->dir, sizeof(host->dir), "/tmp/errand-sshd-XXXXXX");
    assert_non_null(mkdtemp(host->dir));
    assert_int_equal(chmod(host->dir, 0755), 0);
    make_user(host);
    make_files(host);
    run_sshd(host, lines);
}

/* sshd's children lead groups of their own; they bear the folder's name in none of their words,
 * so they are found by their parent. */
static void end_tree(pid_t pid)
{
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0);
}

void sshd_restart(struct sshd *host, const char *lines)
{
    end_tree(host->pid);
    run_sshd(host, lines);
}

static int remove_one(const char *path, const struct stat *about, int flag, struct FTW *where)
{
    (void)about, (void)flag, (void)where;
    return remove(path);
}

void sshd_end(struct sshd *host)
{
    end_tree(host->pid);
    remove_user(host);
    (void)nftw(host->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *sshd_address(const struct sshd *host)
{
    static char address[128];

    (void)snprintf(address, sizeof(address), "ssh://%s@127.0.0.1:%u", host->user, host->port);
    return address;
}

/* --- Processes ------------------------------------------------------------------------------ */

unsigned sshd_count_processes(const char *text)
{
    DIR *folder = opendir("/proc");
    unsigned count = 0;

    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[300], line[16384];
        (void)snprintf(path, sizeof(path), "/proc/%s/cmdline", entry->d_name);
        int fd =
            strtol(entry->d_name, NULL, 10) == getpid() ? -1 : open(path, O_RDONLY | O_CLOEXEC);
        ssize_t len = fd < 0 ? -1 : read(fd, line, sizeof(line));
        if (fd >= 0)
            (void)close(fd);
        count += len > 0 && memmem(line, (size_t)len, text, strlen(text)) != NULL;
    }
    (void)closedir(folder);
    return count;
}

const char *sshd_node(void)
{
    static char path[SSHD_PATH];
    const char *nodes = getenv("ERRAND_TEST_NODES");

    if (nodes == NULL || *nodes == '\0')
        return NULL;
    (void)snprintf(path, sizeof(path), "%.*s", (int)strcspn(nodes, ":"), nodes);
    return path;
}
