/* A run without a network, or with nothing but the language: what the command says of it.
 *
 * Whether a user may have a network namespace of his own is the kernel's to say. Where he may not,
 * the cases in which it is cut off are told from those by what is to be said instead. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NETS                                                                                   \
    "require(\"fs\").readFileSync(\"/proc/self/net/dev\", \"latin1\").split(\"\\n\").slice(2)" \
    ".map(l => l.split(\":\")[0].trim()).filter(Boolean)"
#define IN_CHILD                                                                       \
    "return require(\"child_process\").execFileSync(process.execPath, [\"-p\", \"JSON" \
    ".stringify(require(\\\"os\\\").networkInterfaces())\"]).toString().trim()"
/* Programs of that name that may not. */
#define REFUSING(names)                                                                            \
    "mkdir -p no; rm -f no/*; for n in " names "; do printf '#!/bin/sh\\nexit 1\\n' >no/$n; done;" \
    "chmod 755 no/*; PATH=$PWD/no:$PATH "
#define REFUSED REFUSING("unshare bwrap")
#define BWRAP   "bwrap --dev-bind / / --unshare-net -- true"

static const struct line_case told[] = {
    {"pure", "$E run --globals pure -e 'return typeof process'", NULL, 0, "^\"undefined\"\n$", ""},
    {"node", "$E run --globals node -e 'return typeof process'", NULL, 0, "^\"object\"\n$", ""},
    {"no such globals", "$E run --globals none -e 1", NULL, 2, "",
     "^errand: --globals none: wants node or pure\n"},
    {"no such network", "$E run --network on -e 1", NULL, 2, "",
     "^errand: --network on: wants place or off\n"},
    {"the place's", "$E run --json --network place -e 1", NULL, 0, "\"outcome_unknown\":false,",
     ""},
    {"nothing is said where nothing ran", "$E run --json --network off --node /no/such -e 1", NULL,
     4, "\"process_may_be_running\":false,\"exit\":4\\}\n$", ""},
    {"an error that is caught",
     "$E run --quiet --network off -e 'return fetch(\"http://127.0.0.1:9\").catch(e => [e.code, "
     "e.message])'",
     NULL, 0, "^\\[\"ENETUNREACH\",\"the network is off for this program\"\\]\n$", ""},
    {"hidden", REFUSED "$E run --network off -e 'return 1'", NULL, 0, "^1\n$",
     "^errand: warning: the network was only hidden .*\\(advisory\\)[^\n]*\n$"},
    {"hidden, quietly", REFUSED "$E run --quiet --network off -e 'return 1'", NULL, 0, "^1\n$",
     "^$"},
    {"hidden, as JSON", REFUSED "$E run --json --network off -e 'return 1'", NULL, 0,
     "\"network\":\"advisory\",\"exit\":0\\}\n$", ""},
    {"hidden and pure", REFUSED "$E run --json --globals pure --network off -e 'return 1'", NULL, 0,
     "\"network\":\"advisory\",\"exit\":0\\}\n$", ""},
    {"stats are not asked",
     REFUSED "$E run --json --network off -e 'const text = JSON.stringify({ network: \"none\" });"
             "require(\"fs\").writeSync(4, `stats ${text.length}\\n${text}\\n`); return 1'",
     NULL, 5, "\"network\":\"advisory\"", NULL},
};

static const struct line_case cut_off[] = {
    {"a child has none either", "$E run --network off -e '" IN_CHILD "'", NULL, 0, "^\"\\{\\}\"\n$",
     ""},
    {"as JSON", "$E run --json --network off -e 'return 1'", NULL, 0,
     "\"network\":\"enforced\",\"exit\":0\\}\n$", ""},
    {"pure", "$E run --json --network off --globals pure -e 'return 1'", NULL, 0,
     "\"network\":\"enforced\",\"exit\":0\\}\n$", ""},
    {"with files", "$E run --quiet --delivery file --network off -e 'return " NETS "'", NULL, 0,
     "^\\[\"lo\"", ""},
    {"a limit holds",
     "$E run --limit wall=1s --network off -e 'require(\"child_process\").spawn(\"sleep\", "
     "[\"300\"], {detached: true}); for (;;);'",
     NULL, 3, "", "wall_ms"},
};

static const struct line_case by_bubblewrap[] = {
    {"a child has none but its own", REFUSING("unshare") "$E run --network off -e '" IN_CHILD "'",
     NULL, 0, "^\"\\{\\\\\"lo\\\\\":\\[[^]]*\\]\\}\"\n$", ""},
    {"as JSON", REFUSING("unshare") "$E run --json --network off -e 'return 1'", NULL, 0,
     "\"network\":\"enforced\",\"exit\":0\\}\n$", ""},
    {"a limit holds",
     REFUSING("unshare") "$E run --limit wall=1s --network off -e 'require(\"child_process\")"
                         ".spawn(\"sleep\", [\"300\"], {detached: true}); for (;;);'",
     NULL, 3, "", "wall_ms"},
};

static const struct line_case as_it_may[] = {
    {"told as it is", "$E run --json --network off -e 'return 1'", NULL, 0,
     "\"network\":\"advisory\",\"exit\":0\\}\n$", ""},
};

static void test_network__what_is_said_of_it(void **state)
{
    (void)state;
    run_cases(told, sizeof(told) / sizeof(told[0]));
}

static bool may(const char *line)
{
    struct result result = command(line);
    bool allowed = result.code == 0;

    if (!allowed)
        print_message("a network namespace may not be had here: %s", result.err);
    result_free(&result);
    return allowed;
}

static void test_network__is_cut_off_where_that_may_be(void **state)
{
    (void)state;
    if (may("unshare -cn true || unshare -rn true || " BWRAP))
        run_cases(cut_off, sizeof(cut_off) / sizeof(cut_off[0]));
    else
        run_cases(as_it_may, sizeof(as_it_may) / sizeof(as_it_may[0]));
}

static void test_network__is_cut_off_by_bubblewrap(void **state)
{
    (void)state;
    if (may(BWRAP))
        run_cases(by_bubblewrap, sizeof(by_bubblewrap) / sizeof(by_bubblewrap[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_network__what_is_said_of_it),
        cmocka_unit_test(test_network__is_cut_off_where_that_may_be),
        cmocka_unit_test(test_network__is_cut_off_by_bubblewrap),
    };
    return cmocka_run_group_tests(tests, command_setup, command_teardown);
}
