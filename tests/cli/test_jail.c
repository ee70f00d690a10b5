/* local?jail: what a program finds in it, and that it leaves with all it started.
 *
 * Whether a user may have such a jail is the kernel's to say. Where it says no, what the command
 * says then is looked at, and nothing else. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of linux/keyctl.h, which not every system has. */
#define KEYCTL_JOIN_SESSION_KEYRING 1
#define KEY_SPEC_SESSION_KEYRING    (-3)

#define JAIL "$E run --on 'local?jail' "
#define TRIES                                                                      \
    "const w = (p) => { try { require(\"fs\").writeFileSync(p, \"\"); return 1 } " \
    "catch { return 0 } };"
/* A bwrap that is like one that may not. */
#define REFUSED                                                                                \
    "mkdir -p no; printf '#!/bin/sh\\necho \"bwrap: No permissions to create new namespace\" " \
    ">&2\\nexit 1\\n' >no/bwrap; chmod 755 no/bwrap; PATH=$PWD/no:$PATH "

static const struct line_case addresses[] = {
    {"a misspelt parameter", "$E run --on 'local?jial' -e 1", NULL, 2, "",
     "^errand: place: local has no parameter \"jial\"; it can be local\\?jail or "
     "local\\?jail&network\n$"},
    {"no parameter", "$E run --on 'local?' -e 1", NULL, 2, "", "no parameter \"\""},
    {"half a parameter", "$E run --on 'local?jail&' -e 1", NULL, 2, "", "no parameter \"\""},
    {"a parameter with a value", "$E run --on 'local?jail=1' -e 1", NULL, 2, "",
     "no parameter \"jail=1\""},
    {"a network alone", "$E run --on 'local?network' -e 1", NULL, 2, "",
     "network goes with local\\?jail"},
    {"a file to put", "$E run --on 'local?jail' --put a:b -e 1", NULL, 2, "",
     "^errand: --put, --get: what a run in local\\?jail writes is gone with it[^\n]*\n$"},
    {"a file to get", "$E run --on 'local?jail' --get a:b -e 1", NULL, 2, "", "gone with it"},
    {"no bubblewrap",
     "mkdir -p empty; E=$(command -v $E); PATH=$PWD/empty $E run --on 'local?jail' -e 1", NULL, 4,
     "",
     "^errand: local\\?jail: bubblewrap \\(bwrap\\) is not on PATH: install the package "
     "bubblewrap[^\n]*\n"},
    {"no bubblewrap, says the doctor",
     "mkdir -p empty; E=$(command -v $E); PATH=$PWD/empty $E doctor --on 'local?jail'", NULL, 4,
     "FAIL +process .*what to do: install the package bubblewrap", ""},
    {"one that may not", REFUSED JAIL "-e 1", NULL, 4, "",
     "bwrap: No permissions to create new namespace"},
    {"one that may not, says the doctor", REFUSED "$E doctor --on 'local?jail'", NULL, 4,
     "what to do: allow user namespaces ", ""},
};

static const struct line_case inside[] = {
    {"a value", JAIL "-e 'return 1 + 1'", NULL, 0, "^2\n$", ""},
    {"no process but its own",
     JAIL "-e 'return require(\"fs\").readdirSync(\"/proc\").filter(n => +n > 0).length <= 3'",
     NULL, 0, "^true\n$", ""},
    {"what can be written",
     JAIL "-e '" TRIES "return [\"./x\", \"/tmp/x\", process.env.HOME + \"/x\", \"/etc/x\", \"/x\","
          "\"/usr/x\"].map(w)' --env HOME",
     NULL, 0, "^\\[1,1,1,0,0,0\\]\n$", ""},
    {"others' work is hidden",
     "touch here; F=$PWD/here " JAIL
     "--env F -e 'return [require(\"fs\").existsSync(process.env.F),"
     "require(\"fs\").readdirSync(\".\").length]'",
     NULL, 0, "^\\[false,[0-9]+\\]\n$", ""},
    {"our environment is not there",
     "PASS_WORD=verysecret " JAIL
     "-e 'const fs = require(\"fs\"); const all = fs.readdirSync(\"/proc\").filter(n => +n > 0)"
     ".map(n => fs.readFileSync(`/proc/${n}/environ`, \"latin1\")).join(); "
     "return [all.includes(\"PASS_WORD\"), all.includes(\"PATH\")]'",
     NULL, 0, "^\\[false,true\\]\n$", ""},
    {"the system's switches",
     JAIL "-e 'return [\"/proc/sys/kernel/core_pattern\", \"/proc/sys/vm/overcommit_memory\","
          "\"/proc/sysrq-trigger\"].filter(n => { try { require(\"fs\").accessSync(n, 2); "
          "return 1 } catch { return 0 } })'",
     NULL, 0, "^\\[\\]\n$", ""},
    {"what stands beside a node is hidden",
     "mkdir beside; ln -s \"$(command -v node)\" beside/node; touch beside/key; " JAIL
     "--node $PWD/beside/node -e "
     "'return require(\"fs\").readdirSync(require(\"path\").dirname(process.argv0))'",
     NULL, 0, "^\\[\"node\"\\]\n$", ""},
    {"a home behind a link is hidden",
     "D=$(mktemp -d \"$(dirname \"$(command -v $E)\")/homeXXXXXX\"); mkdir $D/real; "
     "ln -s real $D/link; touch $D/real/key; HOME=$D/link " JAIL
     "--env D=$D -e 'return [require(\"fs\").readdirSync(process.env.D + \"/real\"),"
     "process.cwd() === process.env.D + \"/real\"]'; rm -r $D",
     NULL, 0, "^\\[\\[\\],true\\]\n$", ""},
    {"a folder that is gone", "mkdir gone; cd gone; rmdir ../gone; " JAIL "-e 'return 1'", NULL, 0,
     "^1\n$", ""},
    {"nothing stays", JAIL "-e '" TRIES "return w(\"/tmp/errand-stays\")'; ls /tmp/errand-stays",
     NULL, 2, "^1\n$", "errand-stays"},
    {"no network", JAIL "-e 'return Object.keys(require(\"os\").networkInterfaces())'", NULL, 0,
     "^\\[(\"lo\")?\\]\n$", ""},
    {"the network is off, and surely", "$E run --json --on 'local?jail' --network off -e 1", NULL,
     0, "\"network\":\"enforced\",\"exit\":0", ""},
    {"no capabilities",
     JAIL "-e 'return require(\"fs\").readFileSync(\"/proc/self/status\", \"latin1\")"
          ".match(/CapEff:\\s*(.*)/)[1]'",
     NULL, 0, "^\"0+\"\n$", ""},
    {"a tool", JAIL "--tool t=cat -e 'return tools.t({a: 1})'", NULL, 0, "^\\{\"a\":1\\}\n$", ""},
    {"types", JAIL "-e 'enum A { B = 7 } return A.B'", NULL, 0, "^7\n$", ""},
    {"pure", JAIL "--globals pure -e 'return typeof process'", NULL, 0, "^\"undefined\"\n$", ""},
    {"a runner in a file", JAIL "--delivery file -e 'return 1'", NULL, 0, "^1\n$", ""},
    {"the wall",
     JAIL "--limit wall=1s -e 'require(\"child_process\").spawn(\"sleep\", [\"300\"], "
          "{detached: true}); for (;;);'",
     NULL, 3, "", "wall_ms"},
    {"computing", JAIL "--limit compute=300ms -e 'for (;;);'", NULL, 3, "", "compute_ms"},
    {"memory",
     JAIL "--limit heap=64 --limit rss=300 -e "
          "'const a = []; for (;;) a.push(new Array(1e5).fill(a.length))'",
     NULL, 3, "", "out_of_memory"},
    {"children stay behind nowhere",
     JAIL
     "-e 'const { spawn } = require(\"child_process\"); for (let i = 0; i < 5; i++) "
     "spawn(\"sh\", [\"-c\", \"setsid sleep 300 & setsid setsid sleep 300 & wait\"], "
     "{detached: true, stdio: \"ignore\"}).unref(); return new Promise(r => setTimeout(r, 200))'",
     NULL, 0, "", NULL},
    {"a runner that is killed", JAIL "-e 'process.kill(process.pid, \"SIGKILL\")'", NULL, 4, "",
     "^errand: "},
    {"others are out of reach", JAIL "-e 'process.kill(-1, \"SIGKILL\")'", NULL, 1, "",
     "kill ESRCH"},
    {"the doctor", "$E doctor --on 'local?jail'", NULL, 0,
     "^ok +place +local\\?jail\nok +process .*\nok +shell", ""},
};

static const struct line_case forbidden[] = {
    {"says what to do", "$E doctor --on 'local?jail'", NULL, 4,
     "what to do: allow user namespaces ", ""},
};

static void test_jail__what_its_address_says(void **state)
{
    (void)state;
    run_cases(addresses, sizeof(addresses) / sizeof(addresses[0]));
}

static bool allowed(void)
{
    struct result may = command("bwrap --unshare-all --ro-bind / / -- true");
    bool ok = may.code == 0;

    if (!ok)
        print_message("NOT RUN: this kernel lets nobody have a jail: %s", may.err);
    result_free(&may);
    return ok;
}

static void test_jail__what_a_program_finds_in_it(void **state)
{
    (void)state;
    struct result there = command("command -v bwrap");
    if (there.code != 0)
        fail_msg("bubblewrap is not installed: ci/setup does it");
    result_free(&there);

    if (allowed())
        run_cases(inside, sizeof(inside) / sizeof(inside[0]));
    else
        run_cases(forbidden, sizeof(forbidden) / sizeof(forbidden[0]));
}

/* A key of the session that the command is started in can be had there, and not in the jail. */
static void test_jail__our_keys_are_not_there(void **state)
{
    static const char name[] = "errand-test";
    char line[1024];

    (void)state;
    if (!allowed() || syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 ||
        syscall(SYS_add_key, "user", name, "secret", 6, KEY_SPEC_SESSION_KEYRING) < 0) {
        print_message("NOT RUN: this kernel has no keys, or lets nobody have a jail\n");
        return;
    }
    for (int jailed = 0; jailed < 2; jailed++) {
        (void)snprintf(line, sizeof(line),
                       "$E run --on 'local%s' -e 'return require(\"child_process\").execFileSync("
                       "\"perl\", [\"-e\", \"my ($t, $n) = qw(user %s); "
                       "print syscall(%ld, $t, $n, 0, 0) > 0 ? 1 : 0\"]) + \"\"'",
                       jailed != 0 ? "?jail" : "", name, (long)SYS_request_key);
        struct result result = command(line);
        assert_string_equal(result.err, "");
        assert_string_equal(result.out, jailed != 0 ? "\"0\"\n" : "\"1\"\n");
        result_free(&result);
    }
}

/* Whoever ends us ends what is in there. */
static void test_jail__dies_with_us(void **state)
{
    (void)state;
    if (!allowed())
        return;
    struct result result = command(
        JAIL "-e 'console.log(\"up\"); require(\"child_process\").spawn(\"sleep\", [\"300\"], "
             "{detached: true}); for (;;);' 2>up & pid=$!; "
             "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do "
             "grep -q up up && break; sleep 0.3; done; grep -q up up && kill -9 $pid");
    assert_int_equal(result.code, 0);
    result_free(&result);
    assert_nothing_left(5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jail__what_its_address_says),
        cmocka_unit_test(test_jail__what_a_program_finds_in_it),
        cmocka_unit_test(test_jail__our_keys_are_not_there),
        cmocka_unit_test(test_jail__dies_with_us),
    };
    return cmocka_run_group_tests(tests, command_setup, command_teardown);
}
