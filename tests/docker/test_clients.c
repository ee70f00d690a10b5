/* test_clients.c - podman and kubectl as far as they can be had without a cluster: stand-ins that
 * are as strict about their arguments and speak the same words, in front of a real container. */
#include "command.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A container that does nothing; its name is also that of the place. */
#define BOX(name, image) \
    "docker run -d --name " name " --network=none " image " sleep 1000 >/dev/null; "
#define RUN(place) "$E run --on " place " "

#define CODE(code)  "ended as worker-exit, " code "\n$"
#define SAYS(words) "(^|\n)errand: " words "\n(errand: hint: .*\n)?errand: "

static const struct line_case podman[] = {
    {"a value", BOX("p1", "errand-node") RUN("podman://p1") "-e 'return 6 * 7'", NULL, 0, "^42\n$",
     "^$"},
    {"an odd name", BOX("P_1.x-2", "errand-node") RUN("podman://P_1.x-2") "-e 'return 1'", NULL, 0,
     "^1\n$", "^$"},
    {"tools and logs",
     RUN("podman://p1") "--tool 't=cat' -e 'console.log(1); return await tools.t({a: [2]})'", NULL,
     0, "^\\{\"a\":\\[2\\]\\}\n$", "^1\n$"},
    {"files",
     "printf abc >in; " RUN("podman://p1") "--put in:/tmp/x --get /tmp/x:out -e 0 && cat out", NULL,
     0, "^abc$", "^$"},
    {"an image",
     "$E run --on 'podman+run://errand-node?memory=256m&cpus=1.5&pids=64&user=1' "
     "-e 'return process.getuid()'; docker ps -aq -f name=errand-",
     NULL, 0, "^1\n$", "^$"},
    {"missing", RUN("podman://p0") "-e 0", NULL, 4, "^$",
     SAYS("podman: p0: there is no such container") CODE("container_not_found")},
    {"stopped",
     "docker create --name p2 errand-node sleep 9 >/dev/null; " RUN("podman://p2") "-e 0", NULL, 4,
     "^$", SAYS("podman: p2: the container is not running") CODE("container_stopped")},
    {"without sh", BOX("p3", "errand-no-sh") RUN("podman://p3") "-e 0", NULL, 4, "^$",
     SAYS("podman: p3: there is no /bin/sh in the container") CODE("shell_not_found")},
    {"no service", "DOCKER_HOST=unix:///nowhere/x.sock " RUN("podman://p1") "-e 0", NULL, 4, "^$",
     SAYS("podman: p1: the service does not answer") CODE("daemon_unreachable")},
    {"no podman", "PATH=/nowhere " RUN("podman://p1") "-e 0", NULL, 4, "^$",
     SAYS("exec: no such command: podman") CODE("spawn_failed")},
    {"no such image", RUN("podman+run://none-such") "-e 0", NULL, 4, "^$",
     SAYS("podman: none-such: there is no such image on that machine") CODE("image_not_found")},
    {"doctor", "$E doctor --on podman://p1", NULL, 0,
     "ok +client\nok +daemon\nok +container .*\nok +shell\nok +node +v", "^$"},
    {"doctor, missing", "$E doctor --on podman://p0", NULL, 4,
     "ok +daemon\nFAIL +container +podman: p0: there is no such .*what to do: podman ps -a", "^$"},
    {"doctor, no service", "DOCKER_HOST=unix:///nowhere/x.sock $E doctor --on podman://p1", NULL, 4,
     "ok +client\nFAIL +daemon +podman: p1: the service does not answer .*CONTAINER_HOST", "^$"},
    {"doctor, no podman", "PATH=/nowhere $E doctor --on podman://p1", NULL, 4,
     "place +podman://p1\nFAIL +client +exec: no such command: podman .*install podman", "^$"},
    {"doctor, no image", "$E doctor --on podman+run://none-such", NULL, 4,
     "FAIL +container +podman: none-such: .*what to do: podman pull IMAGE", "^$"},
};

static const struct line_case kubectl[] = {
    {"a value, and nothing of what kubectl says besides",
     BOX("ns.k1", "errand-node") RUN("k8s://ns/k1") "-e 'return 6 * 7'", NULL, 0, "^42\n$", "^$"},
    {"a container of the pod",
     BOX("ns.k1.main", "errand-node") RUN("k8s://ns/k1/main") "-e 'return 1'", NULL, 0, "^1\n$",
     "^$"},
    {"tools and logs",
     RUN("k8s://ns/k1") "--tool 't=cat' -e 'console.log(1); return await tools.t({a: [2]})'", NULL,
     0, "^\\{\"a\":\\[2\\]\\}\n$", "^1\n$"},
    {"files",
     "printf abc >in; " RUN("k8s://ns/k1") "--put in:/tmp/x --get /tmp/x:out -e 0 && cat out", NULL,
     0, "^abc$", "^$"},
    {"what the program prints is kept",
     RUN("k8s://ns/k1") "-e 'require(\"child_process\").execSync(\"echo oops >&2\", {stdio: "
                        "\"inherit\"}); return 1'",
     NULL, 0, "^1\n$", "^oops\n$"},
    {"no pod", RUN("k8s://ns/k0") "-e 0", NULL, 4, "^$",
     SAYS("kubectl: ns/k0: there is no such pod") CODE("container_not_found")},
    {"no container", RUN("k8s://ns/k1/other") "-e 0", NULL, 4, "^$",
     SAYS("kubectl: ns/k1/other: the pod has no such container") CODE("container_not_found")},
    {"its container does not run",
     "docker create --name ns.k2 errand-node sleep 9 >/dev/null; " RUN("k8s://ns/k2") "-e 0", NULL,
     4, "^$", SAYS("kubectl: ns/k2: the container is not running") CODE("container_stopped")},
    {"without sh", BOX("ns.k3", "errand-no-sh") RUN("k8s://ns/k3") "-e 0", NULL, 4, "^$",
     SAYS("kubectl: ns/k3: there is no /bin/sh in the container") CODE("shell_not_found")},
    {"not allowed", RUN("k8s://forbidden/k1") "-e 0", NULL, 4, "^$",
     SAYS("kubectl: forbidden/k1: this user may not do that") CODE("daemon_denied")},
    {"no server", "DOCKER_HOST=unix:///nowhere/x.sock " RUN("k8s://ns/k1") "-e 0", NULL, 4, "^$",
     SAYS("kubectl: ns/k1: the server does not answer") CODE("daemon_unreachable")},
    {"no kubectl", "PATH=/nowhere " RUN("k8s://ns/k1") "-e 0", NULL, 4, "^$",
     SAYS("exec: no such command: kubectl") CODE("spawn_failed")},
    {"doctor", "$E doctor --on k8s://ns/k1", NULL, 0,
     "ok +client\nok +daemon\nok +container .*\nok +shell\nok +node +v", "^$"},
    {"doctor, no pod", "$E doctor --on k8s://ns/k0", NULL, 4,
     "ok +daemon\nFAIL +container +kubectl: ns/k0: there is no such pod .*kubectl get pods", "^$"},
    {"doctor, not allowed", "$E doctor --on k8s://forbidden/k1", NULL, 4,
     "ok +client\nFAIL +daemon +kubectl: forbidden/k1: this user may not .*can-i create", "^$"},
    {"doctor, no server", "DOCKER_HOST=unix:///nowhere/x.sock $E doctor --on k8s://ns/k1", NULL, 4,
     "ok +client\nFAIL +daemon +kubectl: ns/k1: the server .*cluster-info", "^$"},
    {"doctor, no kubectl", "PATH=/nowhere $E doctor --on k8s://ns/k1", NULL, 4,
     "FAIL +client +exec: no such command: kubectl .*install kubectl", "^$"},
};

static void test_clients__podman(void **state)
{
    (void)state;
    run_cases(podman, COUNT(podman));
}

static void test_clients__kubectl(void **state)
{
    (void)state;
    run_cases(kubectl, COUNT(kubectl));
}

/* --- What is left ----------------------------------------------------------------------------- */

/* Waits until a shell line succeeds. */
static void wait_until(const char *line, int within_ms)
{
    int64_t until_ms = now_ms() + within_ms;

    for (;;) {
        struct result result = command(line);
        bool fine = result.code == 0;
        result_free(&result);
        if (fine)
            return;
        if (now_ms() > until_ms)
            fail_msg("not within %d ms: %s", within_ms, line);
        pause_ms(100);
    }
}

static const struct {
    const char *place, *box;
} places[] = {{"podman://p1", "p1"}, {"k8s://ns/k1", "ns.k1"}, {"k8s://ns/k1/main", "ns.k1.main"}};

/* The boxes are those of the tables above; docker top has a line of headings. */
static void end_by(int number, int code)
{
    for (size_t i = 0; i < COUNT(places); i++) {
        char line[512];
        (void)snprintf(line, sizeof(line),
                       "docker exec %s rm -f /tmp/began; exec $E run --on %s -e "
                       "'require(\"fs\").writeFileSync(\"/tmp/began\", \"\"); for (;;);'",
                       places[i].box, places[i].place);
        struct started started = command_start(line, NULL);
        (void)snprintf(line, sizeof(line), "docker exec %s stat /tmp/began", places[i].box);
        wait_until(line, 20000);
        assert_int_equal(kill(started.pid, number), 0);
        struct result result = command_wait(&started);
        assert_int_equal(result.code, code);
        assert_null(strstr(result.err, "nobody could see"));
        result_free(&result);
        (void)snprintf(line, sizeof(line), "[ $(docker top %s -eo pid,args | wc -l) = 2 ]",
                       places[i].box);
        wait_until(line, number == SIGKILL ? 5000 : 0);
    }
}

static void test_clients__nothing_is_left_after_a_cancel(void **state)
{
    (void)state;
    end_by(SIGINT, 130);
}

static void test_clients__nothing_is_left_when_home_is_killed(void **state)
{
    (void)state;
    end_by(SIGKILL, 1000 + SIGKILL);
}

static void test_clients__a_container_of_podman_goes_with_home(void **state)
{
    (void)state;
    struct started started =
        command_start("exec $E run --on podman+run://errand-node --tool 't=touch began' "
                      "-e 'await tools.t(); for (;;);'",
                      NULL);
    wait_for_file("began");
    assert_int_equal(kill(started.pid, SIGKILL), 0);
    struct result result = command_wait(&started);
    result_free(&result);
    wait_until("[ -z \"$(docker ps -aq -f name=errand-)\" ]", 10000);
}

static int setup(void **state)
{
    char path[8192];

    assert_int_equal(command_setup(state), 0);
    (void)snprintf(path, sizeof(path), "%s:%s", STAND_INS, getenv("PATH"));
    return setenv("PATH", path, 1);
}

/* An argument: only the tests whose names it matches, as *paused*. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clients__podman),
        cmocka_unit_test(test_clients__kubectl),
        cmocka_unit_test(test_clients__nothing_is_left_after_a_cancel),
        cmocka_unit_test(test_clients__nothing_is_left_when_home_is_killed),
        cmocka_unit_test(test_clients__a_container_of_podman_goes_with_home),
    };
    cmocka_set_test_filter(argc > 1 ? argv[1] : NULL);
    return cmocka_run_group_tests(tests, setup, command_teardown);
}
