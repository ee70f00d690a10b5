/* test_container.c - the very words that an address of a container stands for, and what the words
 * of a client mean that could not do it. */
#include "test.h"

#include "base/mem.h"
#include "transport/container/address.h"
#include "transport/container/words.h"
#include "transport/keeper.h"

#include <stdio.h>

/* Words of a command. */
enum { MOST = 32 };

/* "*" in the list stands for the name that was drawn. */
static void assert_words(const struct words *words, const char *const *list, const char *drawn)
{
    size_t count = 0;

    while (list[count] != NULL)
        count++;
    for (size_t i = 0; i < count && i < words->count; i++)
        assert_string_equal(words->list[i], strcmp(list[i], "*") == 0 ? drawn : list[i]);
    assert_int_equal(words->count, count);
}

static struct container parse(const char *address)
{
    struct container container;
    AUTO_FREE char *name = NULL;
    errand_error error = {0};

    assert_true(errand__container_address(address));
    if (errand__container_parse(&container, &name, address, &error) != ERRAND_OK)
        fail_msg("%s: %s", address, error.text);
    assert_string_equal(name, address);
    return container;
}

/* --- Containers that run ---------------------------------------------------------------------- */

static const struct {
    const char *address, *name, *words[MOST];
} running[] = {
    {"docker://box", "box", {"docker", "exec", "-i", "box"}},
    {"docker://0a1B_c.d-e", "0a1B_c.d-e", {"docker", "exec", "-i", "0a1B_c.d-e"}},
    {"podman://My_box.1", "My_box.1", {"podman", "exec", "-i", "My_box.1"}},
    {"k8s://agents/worker-7",
     "agents/worker-7",
     {"kubectl", "exec", "-i", "-n", "agents", "worker-7", "--"}},
    {"k8s://agents/worker-7/main",
     "agents/worker-7/main",
     {"kubectl", "exec", "-i", "-n", "agents", "worker-7", "-c", "main", "--"}},
    {"k8s://a/b.c.d/e_f",
     "a/b.c.d/e_f",
     {"kubectl", "exec", "-i", "-n", "a", "b.c.d", "-c", "e_f", "--"}},
};

static void test_container__exec_is_these_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(running); i++) {
        struct container container = parse(running[i].address);
        assert_string_equal(container.name, running[i].name);
        assert_string_equal(container.client, running[i].words[0]);
        assert_words(&container.exec, running[i].words, NULL);
        assert_int_equal(container.start.count, 0);
        assert_int_equal(container.clear.count, 0);
        errand__container_deinit(&container);
    }
}

static void assert_refused(const char *address, const char *words)
{
    struct container container;
    char *name = NULL;
    errand_error error = {0};

    assert_int_equal(errand__container_parse(&container, &name, address, &error), ERRAND_EINVAL);
    assert_null(name);
    assert_null(container.name);
    if (strstr(error.text, words) == NULL)
        fail_msg("%s: %s", address, error.text);
}

static void test_container__what_is_no_name_is_refused(void **state)
{
    static const char *const names[] = {"",    "-it",      "--privileged", ".x",   "_x",
                                        "a b", "a\nb",     "a/b",          "a:b",  "$(a)",
                                        "a'",  "\xc3\xbc", "a\\b",         "a?x=y"};
    static const char *const pods[] = {
        "",      "pod",       "/pod",       "ns/",     "ns//c",    "ns/pod/", "ns/pod/c/", "-A/pod",
        "ns/-x", "ns/pod/-c", "ns/pod/a/b", "ns/po d", "ns/svc:x", "ns/p\nq", "n=s/pod"};
    char address[512];

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        (void)snprintf(address, sizeof(address), "docker://%s", names[i]);
        assert_refused(address, "is no name of a container");
        (void)snprintf(address, sizeof(address), "podman://%s", names[i]);
        assert_refused(address, "such as podman://box");
    }
    for (size_t i = 0; i < COUNT(pods); i++) {
        (void)snprintf(address, sizeof(address), "k8s://%s", pods[i]);
        assert_refused(address, "is no pod: k8s://NAMESPACE/POD or");
    }
}

static void test_container__names_have_a_longest(void **state)
{
    char address[1024];

    (void)state;
    (void)snprintf(address, sizeof(address), "docker://%0253d", 0);
    struct container container = parse(address);
    errand__container_deinit(&container);
    (void)snprintf(address, sizeof(address), "docker://%0254d", 0);
    assert_refused(address, "is no name of a container");
    (void)snprintf(address, sizeof(address), "k8s://ns/%0254d", 0);
    assert_refused(address, "is no pod");
    (void)snprintf(address, sizeof(address), "docker+run://%0513d", 0);
    assert_refused(address, "is no name of an image");
}

/* --- Containers that are started -------------------------------------------------------------- */

static const struct {
    const char *address, *name, *words[MOST];
} started[] = {
    {"docker+run://node:22-slim",
     "node:22-slim",
     {"docker", "run", "--rm", "-i", "--name", "*", "--network", "none", "--pull", "never",
      "--entrypoint", "/bin/sh", "node:22-slim", "-c", errand__keeper_script}},
    {"podman+run://localhost/me/node@sha256:0123",
     "localhost/me/node@sha256:0123",
     {"podman", "run", "--rm", "-i", "--name", "*", "--network", "none", "--pull", "never",
      "--entrypoint", "/bin/sh", "localhost/me/node@sha256:0123", "-c", errand__keeper_script}},
    {"docker+run://n?memory=256m&cpus=1.5&pids=64&network=bridge&user=1000:1000&pull=missing",
     "n",
     {"docker",
      "run",
      "--rm",
      "-i",
      "--name",
      "*",
      "--memory",
      "256m",
      "--cpus",
      "1.5",
      "--pids-limit",
      "64",
      "--network",
      "bridge",
      "--user",
      "1000:1000",
      "--pull",
      "missing",
      "--entrypoint",
      "/bin/sh",
      "n",
      "-c",
      errand__keeper_script}},
    /* In whatever order, and the last one counts. */
    {"docker+run://n?pids=1&memory=1&pids=2&",
     "n",
     {"docker", "run", "--rm", "-i", "--name", "*", "--memory", "1", "--pids-limit", "2",
      "--network", "none", "--pull", "never", "--entrypoint", "/bin/sh", "n", "-c",
      errand__keeper_script}},
};

/* A name nobody else has: "errand-" and 16 digits. */
static const char *drawn_name(const struct container *container)
{
    const char *name = container->start.list[5];

    assert_int_equal(strncmp(name, "errand-", 7), 0);
    assert_int_equal(strspn(name + 7, "0123456789abcdef"), 16);
    assert_int_equal(strlen(name), 7 + 16);
    return name;
}

static void test_container__run_is_these_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(started); i++) {
        struct container container = parse(started[i].address);
        const char *client = started[i].words[0], *name = drawn_name(&container);
        assert_string_equal(container.name, started[i].name);
        assert_words(&container.start, started[i].words, name);
        assert_words(&container.exec, (const char *const[]){client, "exec", "-i", "*", NULL}, name);
        assert_words(&container.clear, (const char *const[]){client, "rm", "-f", "*", NULL}, name);
        errand__container_deinit(&container);
    }
}

static void test_container__each_has_a_name_of_its_own(void **state)
{
    struct container one = parse("docker+run://n"), other = parse("docker+run://n");

    (void)state;
    assert_string_not_equal(drawn_name(&one), drawn_name(&other));
    errand__container_deinit(&one);
    errand__container_deinit(&other);
}

static void test_container__what_is_no_image_or_setting_is_refused(void **state)
{
    static const char *const images[] = {"", "-v", "--privileged", "/x", "a b", "a\nb", "$(a)"};
    static const struct {
        const char *settings, *words;
    } bad[] = {
        {"privileged=1", "\"privileged=1\" is no setting of a container"},
        {"memory", "\"memory\" is no setting"},
        {"=1", "is no setting"},
        {"Memory=1", "is no setting"},
        {"memory=", "memory=: wants a size such as 256m"},
        {"memory=much", "wants a size"},
        {"memory=1t", "wants a size"},
        {"memory=-1", "wants a size"},
        {"memory=1234567890123456", "wants a size"},
        {"memory=1m2", "wants a size"},
        {"cpus=", "wants a number such as 1.5"},
        {"cpus=.5", "wants a number such as 1.5"},
        {"cpus=1.", "wants a number such as 1.5"},
        {"cpus=1.2.3", "wants a number such as 1.5"},
        {"pids=-1", "wants a number such as 64"},
        {"pids=1234567890", "wants a number such as 64"},
        {"network=--privileged", "wants none, bridge or the name of a network"},
        {"network=container:x", "wants none, bridge or the name of a network"},
        {"user=-1", "wants a user"},
        {"user=a b", "wants a user"},
        {"pull=maybe", "wants never, missing or always"},
        {"memory=1m&memory=x", "memory=x: wants a size"},
    };
    char address[512];

    (void)state;
    for (size_t i = 0; i < COUNT(images); i++) {
        (void)snprintf(address, sizeof(address), "podman+run://%s", images[i]);
        assert_refused(address, "is no name of an image; podman+run://node:22-slim is");
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        (void)snprintf(address, sizeof(address), "docker+run://n?%s", bad[i].settings);
        assert_refused(address, bad[i].words);
    }
    (void)snprintf(address, sizeof(address), "docker+run://n?user=%0200d", 0);
    assert_refused(address, "wants a user");
}

/* --- What clients say ------------------------------------------------------------------------- */

#define DOCKER_EXEC "OCI runtime exec failed: exec failed: "
#define KUBE_EXEC                                                                              \
    "error: Internal error occurred: error executing command in container: failed to exec in " \
    "container: failed to start exec \"0a1b\": " DOCKER_EXEC

static const struct {
    const char *client, *said;
    int exit_code;
    const char *code, *words; /* NULL: it is not the client that failed. */
} clients[] = {
    /* Docker says it after the headers of the answer, then it comes on standard output. */
    {"docker", "Error response from daemon: No such container: box\n", 1, "container_not_found",
     "docker: box: there is no such container"},
    {"docker", "Error response from daemon: Container 0a1b is not running\n", 1,
     "container_stopped", "docker: box: the container is not running"},
    {"docker", "Error response from daemon: container 0a1b is not running\n", 1,
     "container_stopped", "docker: box: the container is not running"},
    {"docker",
     "Error response from daemon: Container box is paused, unpause the container before exec\n", 1,
     "container_paused", "docker: box: the container is paused"},
    {"docker",
     "Error response from daemon: Container 0a1b is restarting, wait until the container is "
     "running\n",
     1, "container_stopped", "docker: box: the container is not running"},
    {"docker",
     DOCKER_EXEC "container_linux.go:380: starting container process caused: exec: \"/bin/sh\": "
                 "stat /bin/sh: no such file or directory: unknown\r\n",
     126, "shell_not_found", "docker: box: there is no /bin/sh in the container"},
    {"docker",
     DOCKER_EXEC "unable to start container process: exec: \"/bin/sh\": stat /bin/sh: no such "
                 "file or directory: unknown\n",
     127, "shell_not_found", "docker: box: there is no /bin/sh in the container"},
    {"docker",
     DOCKER_EXEC "unable to start container process: exec: \"/bin/sh\": permission denied: "
                 "unknown\n",
     126, "shell_not_found", "docker: box: /bin/sh in the container may not be run"},
    {"docker",
     "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon "
     "running?\n",
     1, "daemon_unreachable", "docker: box: the daemon does not answer"},
    {"docker",
     "failed to connect to the docker API at unix:///var/run/docker.sock; check if the path is "
     "correct and if the daemon is running: dial unix /var/run/docker.sock: connect: no such file "
     "or directory\n",
     1, "daemon_unreachable", "docker: box: the daemon does not answer"},
    {"docker",
     "error during connect: Post \"http://host:2375/v1.41/containers/box/exec\": dial tcp: lookup "
     "host: no such host\n",
     1, "daemon_unreachable", "docker: box: the daemon does not answer"},
    {"docker",
     "permission denied while trying to connect to the Docker daemon socket at "
     "unix:///var/run/docker.sock: Get \"http://%2Fvar%2Frun%2Fdocker.sock/v1.24/containers/box/"
     "json\": dial unix /var/run/docker.sock: connect: permission denied\n",
     1, "daemon_denied", "docker: box: this user may not talk to the daemon"},
    {"docker",
     "Got permission denied while trying to connect to the Docker daemon socket at unix:///x\n", 1,
     "daemon_denied", "docker: box: this user may not talk to the daemon"},
    {"docker",
     "Unable to find image 'box' locally\ndocker: Error response from daemon: No such image: "
     "box:latest.\n\nRun 'docker run --help' for more information\n",
     125, "image_not_found", "docker: box: there is no such image on that machine"},
    {"docker",
     "Unable to find image 'box' locally\ndocker: Error response from daemon: Get "
     "\"https://registry-1.docker.io/v2/\": dial tcp: lookup registry-1.docker.io: no such host\n\n"
     "Run 'docker run --help' for more information\n",
     125, "place_failed",
     "docker: box: Get \"https://registry-1.docker.io/v2/\": dial tcp: lookup"},
    {"docker",
     "Failed to initialize: unable to resolve docker endpoint: context \"other\": context not "
     "found: open contexts/meta/0/meta.json: no such file or directory\n",
     1, "daemon_unreachable", "docker: box: DOCKER_HOST or its context leads to no daemon"},
    {"docker",
     "docker: Error response from daemon: pull access denied for box, repository does not exist "
     "or may require 'docker login'.\nSee 'docker run --help'.\n",
     125, "image_not_found", "docker: box: there is no such image"},
    {"docker",
     "docker: Error response from daemon: network none-such not found.\nSee 'docker run --help'.\n",
     125, "place_failed", "docker: box: network none-such not found."},

    {"podman", "Error: no container with name or ID \"box\" found: no such container\n", 125,
     "container_not_found", "podman: box: there is no such container"},
    {"podman",
     "Error: can only create exec sessions on running containers: container state improper\n", 255,
     "container_stopped", "podman: box: the container is not running"},
    {"podman", "Error: cannot exec into container that is not running: container state improper\n",
     126, "container_stopped", "podman: box: the container is not running"},
    {"podman", "Error: OCI runtime error: the container `0a1b` is paused.\n", 255,
     "container_paused", "podman: box: the container is paused"},
    {"podman",
     "Error: crun: executable file `/bin/sh` not found: No such file or directory: OCI runtime "
     "attempted to invoke a command that was not found\n",
     127, "shell_not_found", "podman: box: there is no /bin/sh in the container"},
    {"podman",
     "Error: crun: executable file `/bin/sh` not found in $PATH: No such file or directory: OCI "
     "runtime attempted to invoke a command that was not found\n",
     127, "shell_not_found", "podman: box: there is no /bin/sh in the container"},
    {"podman",
     "Error: runc: exec failed: unable to start container process: exec: \"/bin/sh\": stat "
     "/bin/sh: no such file or directory: OCI runtime attempted to invoke a command that was not "
     "found\n",
     127, "shell_not_found", "podman: box: there is no /bin/sh in the container"},
    {"podman", "Error: crun: open executable: Permission denied: OCI permission denied\n", 126,
     "shell_not_found", "podman: box: /bin/sh in the container may not be run"},
    {"podman",
     "Cannot connect to Podman. Please verify your connection to the Linux system using `podman "
     "system connection list`\nError: unable to connect to Podman socket: dial unix "
     "/run/podman/podman.sock: connect: no such file or directory\n",
     125, "daemon_unreachable", "podman: box: the service does not answer"},
    {"podman", "Error: box: image not known\n", 125, "image_not_found",
     "podman: box: there is no such image on that machine"},
    {"podman",
     "Error: short-name \"box\" did not resolve to an alias and no unqualified-search registries "
     "are defined in \"/etc/containers/registries.conf\"\n",
     125, "place_failed", "podman: box: short-name \"box\" did not resolve"},

    {"kubectl", "Error from server (NotFound): pods \"box\" not found\n", 1, "container_not_found",
     "kubectl: box: there is no such pod"},
    {"kubectl", "Error from server (NotFound): namespaces \"ns\" not found\n", 1,
     "container_not_found", "kubectl: box: there is no such namespace"},
    {"kubectl", "Error from server (BadRequest): container c is not valid for pod box\n", 1,
     "container_not_found", "kubectl: box: the pod has no such container"},
    {"kubectl", "error: container c not found in pod box\n", 1, "container_not_found",
     "kubectl: box: the pod has no such container"},
    {"kubectl",
     "error: cannot exec into a container in a completed pod; current phase is Succeeded\n", 1,
     "container_stopped", "kubectl: box: the pod has ended"},
    {"kubectl", "error: unable to upgrade connection: container not found (\"main\")\n", 1,
     "container_stopped", "kubectl: box: the container is not running"},
    {"kubectl",
     "error: Internal error occurred: unable to upgrade connection: container not found "
     "(\"main\")\n",
     1, "container_stopped", "kubectl: box: the container is not running"},
    {"kubectl", "Error from server (BadRequest): pod box does not have a host assigned\n", 1,
     "container_stopped", "kubectl: box: the pod has not started yet"},
    {"kubectl",
     "Error from server (Forbidden): pods \"box\" is forbidden: User \"me\" cannot create resource "
     "\"pods/exec\" in API group \"\" in the namespace \"ns\"\n",
     1, "daemon_denied", "kubectl: box: this user may not do that"},
    {"kubectl", "error: You must be logged in to the server (Unauthorized)\n", 1, "daemon_denied",
     "kubectl: box: the server wants a login"},
    {"kubectl",
     "The connection to the server localhost:8080 was refused - did you specify the right host or "
     "port?\n",
     1, "daemon_unreachable", "kubectl: box: the server does not answer"},
    {"kubectl",
     "Unable to connect to the server: dial tcp: lookup cluster on 10.0.0.1:53: no such host\n", 1,
     "daemon_unreachable", "kubectl: box: the server does not answer"},
    {"kubectl", "error: context \"none-such\" does not exist\n", 1, "daemon_unreachable",
     "kubectl: box: its configuration names no such cluster"},
    {"kubectl",
     KUBE_EXEC "unable to start container process: exec: \"/bin/sh\": stat /bin/sh: no such file "
               "or directory: unknown\n",
     1, "shell_not_found", "kubectl: box: there is no /bin/sh in the container"},
    {"kubectl",
     "Defaulted container \"main\" out of: main, side\n" DOCKER_EXEC
     "unable to start container process: exec: \"/bin/sh\": stat /bin/sh: no such file or "
     "directory: unknown\ncommand terminated with exit code 126\n",
     126, "shell_not_found", "kubectl: box: there is no /bin/sh in the container"},

    /* A process that was there, and what it said. */
    {"docker", "my service is not running\n", 3, NULL, NULL},
    {"docker", "No such container\n", 0, NULL, NULL},
    {"docker", "boom\n", 1, NULL, NULL},
    {"kubectl", "command terminated with exit code 1\n", 1, NULL, NULL},
    {"docker", "", 137, NULL, NULL},
    {"docker", "", 255, NULL, NULL},
};

static void hear(struct container_said *said, const char *text)
{
    errand__container_hear(said, span_text(text));
}

static void test_container__what_clients_say_has_a_meaning(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(clients); i++) {
        struct container_said said = {0};
        errand_error error = {0};
        hear(&said, clients[i].said);
        const char *code = errand__container_meaning(&said, clients[i].exit_code, clients[i].client,
                                                     "box", &error);
        if (clients[i].code == NULL && code == NULL)
            continue;
        if (code == NULL || clients[i].code == NULL)
            fail_msg("%s: %s", clients[i].said, code == NULL ? "no meaning" : error.text);
        assert_string_equal(code, clients[i].code);
        assert_int_equal(error.status, ERRAND_EIO);
        if (strncmp(error.text, clients[i].words, strlen(clients[i].words)) != 0)
            fail_msg("%s: %s", clients[i].said, error.text);
    }
}

static void test_container__only_the_first_words_count(void **state)
{
    static char lines[3 * CONTAINER_SAID_MOST];
    struct container_said said = {0};
    errand_error error = {0};

    (void)state;
    memset(lines, '.', sizeof(lines) - 1);
    hear(&said, "Error response from daemon: No such container: box\n");
    hear(&said, lines);
    assert_int_equal(said.total, 51 + sizeof(lines) - 1);
    assert_int_equal(strlen(said.text), CONTAINER_SAID_MOST);
    assert_null(errand__container_meaning(&said, 1, "docker", "box", &error));
}

/* As kubectl 1.32 says that nobody answers. */
static void test_container__kubectl_repeats_itself(void **state)
{
    static const char line[] =
        "E1130 10:48:39.188651 1286 memcache.go:265] \"Unhandled Error\" err=\"couldn't get "
        "current server API group list: Get "
        "\\\"https://a-cluster-with-a-rather-long-name.region-2.example:6443/api?timeout=32s\\\": "
        "dial tcp 10.0.0.1:6443: connect: connection refused\"\n";
    struct container_said said = {0};
    errand_error error = {0};

    (void)state;
    for (int i = 0; i < 4; i++)
        hear(&said, line);
    hear(&said, "The connection to the server x:6443 was refused - did you specify the right host "
                "or port?\n");
    assert_string_equal(errand__container_meaning(&said, 1, "kubectl", "ns/pod", &error),
                        "daemon_unreachable");
}

static void assert_hushed(const char *client, const char *bytes, const char *left)
{
    assert_span(errand__container_hush(client, span_text(bytes)), left);
}

static void test_container__what_kubectl_says_of_every_run_is_left_out(void **state)
{
    (void)state;
    assert_hushed("kubectl", "", "");
    assert_hushed("kubectl", "Defaulted container \"main\" out of: main, side\n", "");
    assert_hushed("kubectl", "Defaulted container \"main\" out of: main\nboom\n", "boom\n");
    assert_hushed("kubectl", "command terminated with exit code 137\n", "");
    assert_hushed("kubectl", "command terminated with exit code 137", "");
    assert_hushed("kubectl", "boom\ncommand terminated with exit code 137\n", "boom\n");
    assert_hushed("kubectl", "no line\n\n", "no line\n\n");
    assert_hushed("kubectl", "a command terminated with exit code 1\n",
                  "a command terminated with exit code 1\n");
    assert_hushed("docker", "command terminated with exit code 137\n",
                  "command terminated with exit code 137\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_container__exec_is_these_words),
        cmocka_unit_test(test_container__what_is_no_name_is_refused),
        cmocka_unit_test(test_container__names_have_a_longest),
        cmocka_unit_test(test_container__run_is_these_words),
        cmocka_unit_test(test_container__each_has_a_name_of_its_own),
        cmocka_unit_test(test_container__what_is_no_image_or_setting_is_refused),
        cmocka_unit_test(test_container__what_clients_say_has_a_meaning),
        cmocka_unit_test(test_container__only_the_first_words_count),
        cmocka_unit_test(test_container__kubectl_repeats_itself),
        cmocka_unit_test(test_container__what_kubectl_says_of_every_run_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
