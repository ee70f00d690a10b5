/* errand doctor: each step by its name, and words about what to do where one fails. */
#include "command.h"

static const struct line_case cases[] = {
    {"a place that has it all", "$E doctor", NULL, 0,
     "^ok +place +local\nnote +place +local isolates nothing.*\n"
     "ok +process .*\nok +shell.*\nok +node +v[0-9]+.*\nok +program.*\nok +round trip .* ms.*\n"
     "ok +clock .*\nok +TypeScript .*\n(ok|note) +TypeScript .*\nok +cache ",
     ""},
    {"over exec:", "$E doctor --on exec:env", NULL, 0, "ok +place +exec:env\n", ""},
    {"a command that is not there", "$E doctor --on exec:/no/such/command", NULL, 4,
     "FAIL +process .*no/such/command.*\n +what to do: ", ""},
    {"a command that fails", "$E doctor --on exec:false", NULL, 4, "FAIL +shell ", ""},
    {"no node", "$E doctor --node /no/such/node", NULL, 4,
     "ok +shell.*\nFAIL +node .*no/such/node.*\n +what to do: see that node can be executed", ""},
    {"an old node",
     "printf '#!/bin/sh\\necho v16.20.0\\n' >old; chmod +x old; $E doctor --node \"$PWD/old\"",
     NULL, 4, "FAIL +(node|shell) .*\n +what to do: ", ""},
    {"no key", "env -u E2B_API_KEY -u E2B_DEBUG $E doctor --on e2b://base", NULL, 4,
     "^ok +place +e2b://base\n"
     "FAIL +key +e2b: there is no key.*auth_failed.*\n +what to do: copy the key .*\n$",
     ""},
    {"no room for the runner",
     "echo >file; HOME=$PWD/file XDG_CACHE_HOME=$PWD/file TMPDIR=$PWD/file $E doctor", NULL, 0,
     "note +cache .*--delivery stdin works\n +what to do: .*writable", ""},
};

static void test_doctor__says_what_to_do(void **state)
{
    (void)state;
    run_cases(cases, sizeof(cases) / sizeof(cases[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_doctor__says_what_to_do),
    };
    return cmocka_run_group_tests(tests, command_setup, command_teardown);
}
