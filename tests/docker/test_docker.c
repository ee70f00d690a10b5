/* test_docker.c - the command against a real dockerd, which with-daemon brings along: what can't
 * work says why in one line, and what ran is gone, whoever was killed. */
#include "command.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* A container that does nothing; its name is also that of the place. */
#define BOX(name, options, image) \
    "docker run -d --name " name " --network=none " options " " image " sleep 1000 >/dev/null; "
#define RUN(name) "$E run --on docker://" name " "

static const struct line_case running[] = {
    {"a value", BOX("a1", "", "errand-node") RUN("a1") "-e 'return 6 * 7'", NULL, 0, "^42\n$",
     "^$"},
    {"somebody else, on a root that can't be written to",
     BOX("a2", "--read-only --user 1000", "errand-node") RUN("a2") "-e 'return process.getuid()'",
     NULL, 0, "^1000\n$", "^$"},
    {"tools and logs",
     RUN("a1") "--tool 't=cat' -e 'console.log(1); return await tools.t({a: [2]})'", NULL, 0,
     "^\\{\"a\":\\[2\\]\\}\n$", "^1\n$"},
    {"delivered as a file",
     RUN("a1") "--delivery file -e 'return 1' && " RUN("a1") "--delivery file -e 'return 2'", NULL,
     0, "^1\n2\n$", "^$"},
    {"files",
     "printf abc >in; chmod 750 in; " RUN(
         "a1") "--put in:/tmp/x --get /tmp/x:out -e "
               "'return require(\"fs\").statSync(\"/tmp/x\").mode & 511' && cat out",
     NULL, 0, "^488\nabc$", "^$"},
    {"an image",
     "$E run --on docker+run://errand-node -e 'return 1'; docker ps -aq -f name=errand-", NULL, 0,
     "^1\n$", "^$"},
    {"an image, with what it may have",
     "$E run --on 'docker+run://errand-node?memory=256m&cpus=0.5&pids=64' --tool "
     "'look=docker inspect -f \"\\\"{{.HostConfig.Memory}} {{.HostConfig.NanoCpus}} "
     "{{.HostConfig.PidsLimit}} {{.HostConfig.NetworkMode}} {{.HostConfig.AutoRemove}}\\\"\" "
     "$(docker ps -q -f name=errand-)' -e 'return [await tools.look(), "
     "Object.keys(require(\"os\").networkInterfaces())]'; docker ps -aq -f name=errand-",
     NULL, 0, "^\\[\"268435456 500000000 64 none true\",\\[\"lo\"\\]\\]\n$", "^$"},
    {"somebody else's image",
     "$E run --on docker+run://errand-node?user=1000 -e 'return process.getuid()'", NULL, 0,
     "^1000\n$", "^$"},
    {"no network unless it is asked for",
     "$E run --on docker+run://errand-node -e 'return Object.keys(require(\"os\")"
     ".networkInterfaces())'; "
     "$E run --on 'docker+run://errand-node?network=host' -e 'return Object.keys(require(\"os\")"
     ".networkInterfaces()).length >= 1'",
     NULL, 0, "^\\[\"lo\"\\]\ntrue\n$", "^$"},
    {"no more processes than it may have",
     "$E run --on 'docker+run://errand-node?pids=24' -e 'let n = 0; for (let i = 0; i < 40; i++) { "
     "const c = require(\"child_process\").spawn(\"sleep\", [\"9\"]); c.on(\"error\", () => {}); "
     "n += c.pid ? 1 : 0; } return n > 0 && n < 24'",
     NULL, 0, "^true\n$", "^$"},
    {"no more memory than it may have",
     "$E run --on 'docker+run://errand-node?memory=128m' -e 'const a = []; for (;;) "
     "a.push(Buffer.alloc(1e6, 1));'; code=$?; docker ps -aq -f name=errand-; exit $code",
     NULL, 4, "^$", "exited before the program was done \\(signal 9\\)\n"},
};

#define CODE(code)   "ended as worker-exit, " code "\n$"
#define FAILS(words) "(^|\n)errand: " words "\n(errand: hint: .*\n)?errand: "

/* A client whose daemon dies while a program runs here in place of there. */
#define GONE(how)                                                                    \
    "mkdir -p gone; rm -f gone/once; printf '#!/bin/sh\\n[ ! -e gone/once ] || "     \
    "{ echo Cannot connect to the Docker daemon >&2; exit 1; }\\n"                   \
    ">gone/once; shift 3; \"$@\"; " how "\\n' >gone/docker; chmod 755 gone/docker; " \
    "PATH=$PWD/gone:$PATH " RUN("b9") "-e 'process.kill(process.pid, \"SIGKILL\"); for (;;);'"
#define IS_GONE                                                         \
    "(^|\n)errand: docker: b9: the daemon has gone, or the way to it\n" \
    "(errand: .*\n)*errand: warning: docker: b9: nobody could see whether "

static const struct line_case failing[] = {
    {"a daemon that dies, told by a code", GONE("exit 255"), NULL, 4, "^$", IS_GONE},
    {"a daemon that dies, told by words", GONE("echo error during connect: >&2; exit 1"), NULL, 4,
     "^$", IS_GONE},
    {"no such container", RUN("b0") "-e 0", NULL, 4, "^$",
     FAILS("docker: b0: there is no such container") CODE("container_not_found")},
    {"stopped", "docker create --name b1 errand-node sleep 9 >/dev/null; " RUN("b1") "-e 0", NULL,
     4, "^$", FAILS("docker: b1: the container is not running") CODE("container_stopped")},
    {"paused", BOX("b2", "", "errand-node") "docker pause b2 >/dev/null; " RUN("b2") "-e 0", NULL,
     4, "^$", FAILS("docker: b2: the container is paused") CODE("container_paused")},
    {"without sh", BOX("b3", "", "errand-no-sh") RUN("b3") "-e 0", NULL, 4, "^$",
     FAILS("docker: b3: there is no /bin/sh in the container") CODE("shell_not_found")},
    {"without node", BOX("b4", "", "errand-no-node") RUN("b4") "-e 0", NULL, 4, "^$",
     FAILS("no node was found over there: .*") CODE("node_not_found")},
    {"no daemon", "DOCKER_HOST=unix:///nowhere/docker.sock " RUN("b5") "-e 0", NULL, 4, "^$",
     FAILS("docker: b5: the daemon does not answer") CODE("daemon_unreachable")},
    {"a daemon of somebody else's",
     "cp $E ./copy; chmod 755 . copy; setpriv --reuid 65534 --clear-groups ./copy run --on "
     "docker://b6 -e 0",
     NULL, 4, "^$",
     FAILS("docker: b6: this user may not talk to the daemon") CODE("daemon_denied")},
    {"no client", "PATH=/nowhere " RUN("b7") "-e 0", NULL, 4, "^$",
     FAILS("exec: no such command: docker") CODE("spawn_failed")},
    {"no such image", "$E run --on docker+run://none-such -e 0", NULL, 4, "^$",
     FAILS("docker: none-such: there is no such image on that machine") CODE("image_not_found")},
    {"an image without sh",
     "$E run --on docker+run://errand-no-sh -e 0; code=$?; docker ps -aq -f name=errand-; "
     "exit $code",
     NULL, 4, "^$",
     FAILS("docker: errand-no-sh: there is no /bin/sh in the container") CODE("shell_not_found")},
    {"an image without node",
     "$E run --on docker+run://errand-no-node -e 0; code=$?; docker ps -aq -f name=errand-; "
     "exit $code",
     NULL, 4, "^$", CODE("node_not_found")},
    {"no such network",
     "$E run --on 'docker+run://errand-node?network=none-such' -e 0; code=$?; "
     "docker ps -aq -f name=errand-; exit $code",
     NULL, 4, "^$", FAILS("docker: errand-node: .*none-such.*") CODE("place_failed")},
    {"a limit that is none", "$E run --on 'docker+run://errand-node?memory=much' -e 0", NULL, 2,
     "^$", "place: memory=much: wants a size such as 256m"},
    {"no setting", "$E run --on 'docker+run://errand-node?privileged=1' -e 0", NULL, 2, "^$",
     "\"privileged=1\" is no setting of a container"},
    {"an option for an image", "$E run --on 'docker+run://--privileged' -e 0", NULL, 2, "^$",
     "\"--privileged\" is no name of an image"},
    {"files into a container that is not there", "echo 1 >f; " RUN("b0") "--put f:/x -e 0", NULL, 4,
     "^$", FAILS("docker: b0: there is no such container") CODE("put_failed")},
    {"a full disk",
     "head -c 1000000 /dev/zero >big; " BOX("b8", "--tmpfs /small:size=256k", "errand-node")
         RUN("b8") "--put big:/small/x -e 0; code=$?; docker exec b8 ls -A /small; exit $code",
     NULL, 4, "^$", "errand: put /small/x: no space left over there"},
    {"not permitted",
     "echo 1 >f; " BOX("b9", "--user 1000", "errand-node") RUN("b9") "--put f:/etc/x -e 0", NULL, 4,
     "^$", "errand: put /etc/x: permission denied over there"},
    {"a read-only root",
     "echo 1 >f; " BOX("b10", "--read-only", "errand-node") RUN("b10") "--put f:/tmp/x -e 0", NULL,
     4, "^$", "errand: put /tmp/x: (permission denied|read-only) over there"},
    {"a container that dies while it is put into",
     BOX("b11", "", "errand-node") "truncate -s 400M huge; (sleep 0.4; docker rm -f b11 "
                                   ">/dev/null) & " RUN("b11") "--put huge:/tmp/x -e 0",
     NULL, 4, "^$", "errand: "},
};

#define DOCTOR(name)   "$E doctor --on docker://" name
#define EXAMINE(image) "$E doctor --on docker+run://" image
/* What says of itself that it is too old. */
#define OLD_NODE(name)                                                              \
    "printf '#!/bin/sh\necho \"fail $3 node_too_old v16.20.2 $0\" >&4\n' >old; "    \
    "docker cp old " name ":/bin/node >/dev/null 2>&1; docker exec " name " chmod " \
    "+x /bin/node; "

static const struct line_case examined[] = {
    {"all is well", BOX("g1", "", "errand-node") DOCTOR("g1"), NULL, 0,
     "ok +client\nok +daemon\nok +container +started in [0-9.]+ ms\nok +shell\nok +node +v.*ok "
     "+cache",
     "^$"},
    {"no client", "PATH=/nowhere " DOCTOR("g1"), NULL, 4,
     "FAIL +client +exec: no such command: docker .*what to do: ", "^$"},
    {"no daemon", "DOCKER_HOST=unix:///nowhere/docker.sock " DOCTOR("g1"), NULL, 4,
     "ok +client\nFAIL +daemon +docker: g1: the daemon does not answer .*what to do: start", "^$"},
    {"no container", DOCTOR("g0"), NULL, 4,
     "ok +daemon\nFAIL +container +docker: g0: there is no such container .*docker ps -a", "^$"},
    {"no shell", BOX("g2", "", "errand-no-sh") DOCTOR("g2"), NULL, 4,
     "ok +container\nFAIL +shell +docker: g2: there is no /bin/sh .*busybox", "^$"},
    {"no node", BOX("g3", "", "errand-no-node") DOCTOR("g3"), NULL, 4,
     "ok +shell\nFAIL +node .*install node 18", "^$"},
    {"nowhere to write", BOX("g4", "--read-only --user 1000", "errand-node") DOCTOR("g4"), NULL, 0,
     "ok +node +v.*note +cache .*--delivery stdin works\n +what to do: .*writable", "^$"},
    {"a daemon of somebody else's",
     "cp $E ./copy; chmod 755 . copy; setpriv --reuid 65534 --clear-groups ./copy doctor --on "
     "docker://g1",
     NULL, 4,
     "ok +client\nFAIL +daemon +docker: g1: this user may not talk to the daemon .*usermod", "^$"},
    {"stopped", "docker create --name g5 errand-node sleep 9 >/dev/null; " DOCTOR("g5"), NULL, 4,
     "ok +daemon\nFAIL +container +docker: g5: the container is not running .*docker start", "^$"},
    {"paused", BOX("g6", "", "errand-node") "docker pause g6 >/dev/null; " DOCTOR("g6"), NULL, 4,
     "ok +daemon\nFAIL +container +docker: g6: the container is paused .*docker unpause", "^$"},
    {"an old node", BOX("g7", "", "errand-no-node") OLD_NODE("g7") DOCTOR("g7"), NULL, 4,
     "ok +shell\nFAIL +node +.*v16.*install node 18", "^$"},
    {"an image", EXAMINE("errand-node"), NULL, 0,
     "^ok +place +docker\\+run://errand-node\nok +client\nok +daemon\nok +container +started in "
     "[0-9.]+ ms\nok +shell\nok +node +v.*ok +program\nok +round trip .*ok +clock .*ok +cache",
     "^$"},
    {"no such image", EXAMINE("none-such"), NULL, 4,
     "ok +daemon\nFAIL +container +docker: none-such: there is no such image .*docker pull", "^$"},
    {"an image without sh", EXAMINE("errand-no-sh"), NULL, 4,
     "ok +container\nFAIL +shell +docker: errand-no-sh: there is no /bin/sh", "^$"},
    {"an image without node", EXAMINE("errand-no-node"), NULL, 4,
     "ok +container\nok +shell\nFAIL +node ", "^$"},
    {"no such network", EXAMINE("'errand-node?network=none-such'"), NULL, 4,
     "FAIL +container +docker: errand-node: .*network none-such not found.*what to do: ", "^$"},
    {"no daemon for an image", "DOCKER_HOST=unix:///nowhere/docker.sock " EXAMINE("errand-node"),
     NULL, 4, "ok +client\nFAIL +daemon +docker: errand-node: the daemon does not answer", "^$"},
    {"no client for an image", "PATH=/nowhere $E doctor --on docker+run://errand-node", NULL, 4,
     "FAIL +client +exec: no such command: docker", "^$"},
};

static void test_docker__doctor_says_which_step_fails(void **state)
{
    (void)state;
    run_cases(examined, COUNT(examined));
}

static void test_docker__runs(void **state)
{
    (void)state;
    run_cases(running, COUNT(running));
}

static void test_docker__what_fails_says_why(void **state)
{
    (void)state;
    run_cases(failing, COUNT(failing));
}

/* --- What is left ----------------------------------------------------------------------------- */

static bool succeeds(const char *line)
{
    struct result result = command(line);
    bool fine = result.code == 0;

    result_free(&result);
    return fine;
}

static void wait_until(const char *line, int within_ms)
{
    int64_t until_ms = now_ms() + within_ms;

    while (!succeeds(line)) {
        if (now_ms() > until_ms)
            fail_msg("not within %d ms: %s", within_ms, line);
        pause_ms(100);
    }
}

/* Its first process alone is left; docker top has a line of headings. */
static void assert_quiet(const char *box, int within_ms)
{
    char line[256];

    (void)snprintf(line, sizeof(line), "[ $(docker top %s -eo pid,args | wc -l) = 2 ]", box);
    wait_until(line, within_ms);
}

static void start_box(const char *name, const char *image)
{
    char line[256];

    (void)snprintf(line, sizeof(line), BOX("%s", "", "%s"), name, image);
    assert_true(succeeds(line));
}

/* The program touches /tmp/began in the container. */
static struct started start_in(const char *box, const char *program)
{
    char line[1024];

    (void)snprintf(line, sizeof(line),
                   "exec $E run --on docker://%s -e 'require(\"fs\").writeFileSync(\"/tmp/began\","
                   "\"\"); %s'",
                   box, program);
    struct started started = command_start(line, NULL);
    (void)snprintf(line, sizeof(line), "docker exec %s stat /tmp/began", box);
    wait_until(line, 20000);
    return started;
}

static const char *const busy[] = {
    "await new Promise((r) => setTimeout(r, 1e6))",
    "for (;;);",
    "require(\"child_process\").execSync(\"sleep 1000\")",
    "const cp = require(\"child_process\"); cp.spawn(\"sleep\", [\"1000\"], {detached: true}); "
    "cp.spawn(\"sh\", [\"-c\", \"sleep 1000 & sleep 1000\"]); "
    "await new Promise((r) => setTimeout(r, 1e6))",
};

static void test_docker__nothing_is_left_when_home_is_killed(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(busy); i++) {
        char box[16];
        (void)snprintf(box, sizeof(box), "c%zu", i);
        start_box(box, "errand-node");
        struct started started = start_in(box, busy[i]);
        assert_int_equal(kill(started.pid, SIGKILL), 0);
        struct result result = command_wait(&started);
        result_free(&result);
        assert_quiet(box, 5000);
    }
}

static void test_docker__nothing_is_left_after_a_cancel(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(busy); i++) {
        char box[16];
        (void)snprintf(box, sizeof(box), "d%zu", i);
        start_box(box, "errand-node");
        struct started started = start_in(box, busy[i]);
        assert_int_equal(kill(started.pid, SIGINT), 0);
        struct result result = command_wait(&started);
        assert_int_equal(result.code, 130);
        assert_null(strstr(result.err, "nobody could see"));
        result_free(&result);
        /* When it says that it is over, it is over. */
        assert_quiet(box, 0);
    }
}

/* Programs of the conformance suite, whose processes do what they can to stay. */
static void test_docker__nothing_is_left_of_hostile_programs(void **state)
{
    static const char *const programs[] = {
        "hazard-c01-children-of-children",
        "hazard-h02-flood-of-children",
        "hostile-escapes-into-own-session",
        "hostile-escapes-and-is-timed-out",
        "hostile-fork-flood",
        "hostile-ignores-term",
        "hostile-pipe-holder",
        "hostile-pipe-holder-in-own-session",
        "hostile-timeout-with-children",
    };

    (void)state;
    start_box("j1", "errand-node");
    for (size_t i = 0; i < COUNT(programs); i++) {
        char line[512];
        (void)snprintf(line, sizeof(line),
                       "$E run --on docker://j1 --limit wall=2s --limit leave=300ms "
                       "--limit kill_grace=300ms %s/%s.js",
                       SCENARIOS, programs[i]);
        struct result result = command(line);
        if (result.code != 0 && result.code != 3)
            fail_msg("%s: %d: %s", programs[i], result.code, result.err);
        assert_null(strstr(result.err, "nobody could see"));
        result_free(&result);
        assert_quiet("j1", 0);
    }
}

static void test_docker__nothing_is_left_when_the_client_is_killed(void **state)
{
    (void)state;
    start_box("e1", "errand-node");
    struct result result =
        command("$E run --on docker://e1 --tool 'k=pkill -KILL -f \"^docker exec -i e[1]\"' "
                "-e 'await tools.k(); for (;;);'");
    assert_int_equal(result.code, 4);
    assert_null(strstr(result.err, "holds its output open"));
    result_free(&result);
    assert_quiet("e1", 3000);
}

static void test_docker__a_container_that_is_stopped_ends_the_run(void **state)
{
    (void)state;
    start_box("h1", "errand-node");
    struct started started = start_in("h1", busy[0]);
    assert_true(succeeds("docker stop -t 1 h1 >/dev/null"));
    struct result result = command_wait(&started);
    assert_int_equal(result.code, 4);
    assert_non_null(strstr(result.err, "exited before the program was done"));
    result_free(&result);
}

/* Nothing in it can be ended or seen; what was told to go does so when it can. */
static void test_docker__a_paused_container_is_told_of(void **state)
{
    (void)state;
    start_box("h2", "errand-node");
    struct started started = start_in("h2", "await new Promise((r) => setTimeout(r, 1e6))");
    assert_true(succeeds("docker pause h2 >/dev/null"));
    assert_int_equal(kill(started.pid, SIGINT), 0);
    struct result result = command_wait(&started);
    assert_int_equal(result.code, 130);
    assert_true(result.took_ms < 30000);
    assert_non_null(strstr(result.err, "docker: h2: nobody could see whether all processes of the "
                                       "run are gone"));
    result_free(&result);
    assert_true(succeeds("docker unpause h2 >/dev/null"));
    assert_quiet("h2", 5000);
}

static void test_docker__nothing_is_left_of_a_shell_that_had_not_begun(void **state)
{
    (void)state;
    start_box("f1", "errand-slow");
    struct started started = command_start("exec $E run --on docker://f1 -e 0", NULL);
    wait_until("docker exec f1 /bin/busybox stat /tmp/began", 20000);
    assert_int_equal(kill(started.pid, SIGKILL), 0);
    struct result result = command_wait(&started);
    result_free(&result);
    assert_quiet("f1", 6000);
}

static void test_docker__a_container_of_ours_goes_with_home(void **state)
{
    (void)state;
    struct started started =
        command_start("exec $E run --on docker+run://errand-node --tool 't=touch began' "
                      "-e 'await tools.t(); for (;;);'",
                      NULL);
    wait_for_file("began");
    assert_true(succeeds("[ -n \"$(docker ps -q -f name=errand-)\" ]"));
    assert_int_equal(kill(started.pid, SIGKILL), 0);
    struct result result = command_wait(&started);
    result_free(&result);
    wait_until("[ -z \"$(docker ps -aq -f name=errand-)\" ]", 10000);
}

static void kill_home(struct started *started)
{
    assert_int_equal(kill(started->pid, SIGKILL), 0);
    struct result result = command_wait(started);
    result_free(&result);
}

#define SPINS_IN_IMAGE "exec $E run --on docker+run://errand-node -e 'for (;;);'"

static void test_docker__a_container_that_comes_up_goes_with_home(void **state)
{
    static const int moments_ms[] = {0, 50, 100, 200, 400, 800};

    (void)state;
    for (size_t i = 0; i < COUNT(moments_ms); i++) {
        struct started started = command_start(SPINS_IN_IMAGE, NULL);
        pause_ms(moments_ms[i]);
        kill_home(&started);
    }
    /* The clients that still start one go on until it has said its first word. */
    wait_until("! pgrep -f '^docker run --r[m]'", 30000);
    wait_until("[ -z \"$(docker ps -aq -f name=errand-)\" ]", 10000);
}

static void test_docker__a_container_of_ours_goes_with_home_and_client(void **state)
{
    (void)state;
    struct started started = command_start(SPINS_IN_IMAGE, NULL);
    wait_until("[ -n \"$(docker ps -q -f name=errand-)\" ]", 20000);
    assert_int_equal(kill(started.pid, SIGSTOP), 0); /* It must not look after it any more. */
    assert_true(succeeds("pkill -KILL -f '^docker (run --r[m]|exec -i errand-)'"));
    kill_home(&started);
    wait_until("[ -z \"$(docker ps -aq -f name=errand-)\" ]", 10000);
}

static void test_docker__a_container_of_ours_that_is_removed_ends_the_run(void **state)
{
    (void)state;
    struct result result =
        command("$E run --on docker+run://errand-node --tool 't=docker rm -f $(docker ps -q -f "
                "name=errand-) >/dev/null' -e 'await tools.t(); for (;;);'");
    assert_int_equal(result.code, 4);
    result_free(&result);
    assert_true(succeeds("[ -z \"$(docker ps -aq -f name=errand-)\" ]"));
}

/* An argument: only the tests whose names it matches, as *paused*. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_docker__runs),
        cmocka_unit_test(test_docker__what_fails_says_why),
        cmocka_unit_test(test_docker__doctor_says_which_step_fails),
        cmocka_unit_test(test_docker__nothing_is_left_when_home_is_killed),
        cmocka_unit_test(test_docker__nothing_is_left_after_a_cancel),
        cmocka_unit_test(test_docker__nothing_is_left_of_hostile_programs),
        cmocka_unit_test(test_docker__nothing_is_left_when_the_client_is_killed),
        cmocka_unit_test(test_docker__a_container_that_is_stopped_ends_the_run),
        cmocka_unit_test(test_docker__a_paused_container_is_told_of),
        cmocka_unit_test(test_docker__nothing_is_left_of_a_shell_that_had_not_begun),
        cmocka_unit_test(test_docker__a_container_of_ours_goes_with_home),
        cmocka_unit_test(test_docker__a_container_that_comes_up_goes_with_home),
        cmocka_unit_test(test_docker__a_container_of_ours_goes_with_home_and_client),
        cmocka_unit_test(test_docker__a_container_of_ours_that_is_removed_ends_the_run),
    };
    cmocka_set_test_filter(argc > 1 ? argv[1] : NULL);
    return cmocka_run_group_tests(tests, command_setup, command_teardown);
}
