/* road.c - the table of roads. */
#include "road.h"

#include "base/mem.h"
#include "brittle.h"
#include "cloud.h"
#include "file.h"
#include "replay.h"
#include "retell.h"
#include "sshd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void put(char out[static ADDRESS_MAX], const char *text)
{
    assert(strlen(text) < ADDRESS_MAX);
    memcpy(out, text, strlen(text) + 1);
}

static void address_local(char out[static ADDRESS_MAX], const char *node)
{
    (void)node;
    put(out, "local");
}

static void address_jail(char out[static ADDRESS_MAX], const char *node)
{
    (void)node;
    put(out, "local?jail");
}

/* A bare environment whose PATH alone leads to node. */
static void address_exec(char out[static ADDRESS_MAX], const char *node)
{
    const char *slash = strrchr(node, '/');
    int len = slash == NULL ? 1 : (int)(slash - node);
    AUTO_FREE char *text =
        text_of("exec:env -i 'PATH=%.*s:/usr/bin:/bin' HOME=/tmp", len, slash == NULL ? "." : node);
    put(out, text);
}

/* A command that stays between home and the runner. */
static void address_between(char out[static ADDRESS_MAX], const char *node)
{
    (void)node;
    put(out, "exec:timeout 300");
}

static void address_shell(char out[static ADDRESS_MAX], const char *node)
{
    (void)node;
    put(out, "shell:sh -c");
}

/* with-daemon names the image; its node is the one that is looked for. */
static void address_docker(char out[static ADDRESS_MAX], const char *node)
{
    (void)node;
    put(out, "docker+run://errand-node");
}

/* Within the first frames, and later ones. */
static errand_road *wrap_brittle(errand_road *inner)
{
    return brittle_road_new(inner, 1, 6, 700);
}

/* --- A child under bubblewrap -------------------------------------------------------------- */

static int trial(const char *const *argv)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        (void)execvp(argv[0], (char *const *)argv);
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* That it is not installed is a failure. That the kernel lets nobody make namespaces is not ours
 * to mend; what is to be said then, tests/cli/test_jail.c sees to. */
static void begin_jail(errand_place_options *options)
{
    static const char *const argv[] = {"bwrap", "--unshare-all", "--ro-bind", "/", "/",
                                       "--",    "true",          NULL};
    int code = trial(argv);

    (void)options;
    if (code == 0 || code == 127)
        return;
    (void)fprintf(stderr, "NOT RUN: this kernel lets nobody have a jail of bubblewrap\n");
    exit(EXIT_SUCCESS);
}

/* --- A host, by SSH ------------------------------------------------------------------------- */

static struct sshd ssh_host;

static void begin_ssh(errand_place_options *options)
{
    static errand_ssh_options ssh = ERRAND_SSH_OPTIONS_INIT;
    static char config[SSHD_PATH + 64];

    (void)unsetenv("SSH_AUTH_SOCK");
    sshd_start(&ssh_host, "");
    (void)snprintf(config, sizeof(config), "%s", sshd_file(&ssh_host, "config"));
    ssh.config_file = config;
    options->ssh = &ssh;
}

static void end_ssh(void)
{
    sshd_end(&ssh_host);
}

static void address_ssh(char out[static ADDRESS_MAX], const char *node)
{
    (void)node;
    put(out, "ssh://box");
}

/* --- A sandbox, by E2B's API ---------------------------------------------------------------- */

static struct cloud cloud;
static errand_e2b_options e2b;

static void begin_e2b(errand_place_options *options)
{
    cloud_start(&cloud, NULL);
    e2b = cloud_options(&cloud);
    options->e2b = &e2b;
}

static void begin_e2b_json(errand_place_options *options)
{
    begin_e2b(options);
    e2b.codec = ERRAND_E2B_CODEC_JSON;
}

static void end_e2b(void)
{
    cloud_end(&cloud);
}

static void address_e2b(char out[static ADDRESS_MAX], const char *node)
{
    (void)node;
    put(out, "e2b://base");
}

#define STDIN ERRAND_DELIVERY_STDIN
#define FILED ERRAND_DELIVERY_FILE

static bool replayed_and_retold(errand_span record, const char *text,
                                const struct scenario *scenario)
{
    return replay_agrees(record, text, scenario) && retold_agrees(record, text, scenario);
}

static const struct road roads[] = {
    {.name = "local",
     .about = "a child, the runner in front of the program",
     .delivery = STDIN,
     .names_node = true,
     .address = address_local},
    {.name = "local-file",
     .about = "a child, the runner kept in a file",
     .delivery = FILED,
     .names_node = true,
     .address = address_local},
    {.name = "exec",
     .about = "env -i PATH=…: node is looked for",
     .delivery = STDIN,
     .address = address_exec},
    {.name = "between",
     .about = "timeout 300: the child is not the runner",
     .delivery = STDIN,
     .names_node = true,
     .address = address_between},
    {.name = "shell",
     .about = "sh -c: one word is appended",
     .delivery = STDIN,
     .names_node = true,
     .address = address_shell},
    {.name = "replay",
     .about = "local, and each record through the core again, cut anew",
     .delivery = STDIN,
     .names_node = true,
     .again = replay_agrees,
     .address = address_local},
    {.name = "fake",
     .about = "replay, and each record told again by a fake place in made-up time",
     .delivery = STDIN,
     .names_node = true,
     .again = replayed_and_retold,
     .address = address_local},
    {.name = "brittle",
     .about = "local, by a way that breaks again and again",
     .delivery = STDIN,
     .names_node = true,
     .segments = true,
     .again = replay_agrees,
     .address = address_local,
     .wrap = wrap_brittle},
    {.name = "jail",
     .about = "a child under bubblewrap, with nothing of this machine but its files to be read",
     .delivery = STDIN,
     .names_node = true,
     .address = address_jail,
     .begin = begin_jail},
    {.name = "docker",
     .about = "a container that is started for it: tests/docker/with-daemon",
     .delivery = STDIN,
     .address = address_docker,
     .at_once = 3},
    {.name = "ssh",
     .about = "a login by SSH to an sshd on loopback",
     .delivery = STDIN,
     .names_node = true,
     .address = address_ssh,
     .begin = begin_ssh,
     .end = end_ssh},
    {.name = "ssh-file",
     .about = "the same, the runner kept in a file",
     .delivery = FILED,
     .names_node = true,
     .address = address_ssh,
     .begin = begin_ssh,
     .end = end_ssh},
    {.name = "e2b",
     .about = "a sandbox of the test server, in the binary form",
     .delivery = STDIN,
     .names_node = true,
     .segments = true,
     .address = address_e2b,
     .begin = begin_e2b,
     .end = end_e2b},
    {.name = "e2b-json",
     .about = "the same in JSON, the runner kept in a file",
     .delivery = FILED,
     .names_node = true,
     .segments = true,
     .address = address_e2b,
     .begin = begin_e2b_json,
     .end = end_e2b},
};

const struct road *road_named(const char *name)
{
    for (size_t i = 0; i < COUNT(roads); i++) {
        if (strcmp(roads[i].name, name) == 0)
            return &roads[i];
    }
    return NULL;
}

void roads_list(void)
{
    for (size_t i = 0; i < COUNT(roads); i++)
        (void)fprintf(stderr, "  %-12s %s\n", roads[i].name, roads[i].about);
}

/* The first node on PATH; NULL: none. */
static char *node_on_path(void)
{
    const char *path = getenv("PATH");
    while (path != NULL && *path != '\0') {
        int len = (int)strcspn(path, ":");
        AUTO_FREE char *node = text_of("%.*s/node", len, path);
        if (access(node, X_OK) == 0)
            return steal(&node);
        path += len;
        path += *path == ':';
    }
    return NULL;
}

char *test_node(size_t index)
{
    const char *nodes = getenv("ERRAND_TEST_NODES");
    if (nodes == NULL || *nodes == '\0')
        return index == 0 ? node_on_path() : NULL;
    for (; *nodes != '\0'; index--) {
        size_t len = strcspn(nodes, ":");
        if (index == 0)
            return errand__mem_copy(nodes, len);
        nodes += len;
        nodes += *nodes == ':';
    }
    return NULL;
}
