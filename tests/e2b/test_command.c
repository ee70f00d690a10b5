/* test_command.c - errand sandbox, as it is typed. */
#include "test.h"

#include "cloud.h"
#include "command.h"

#include <stdio.h>
#include <stdlib.h>

static struct cloud cloud;

static int start(void **state)
{
    int failed = command_setup(state);

    cloud_start(&cloud, NULL);
    return failed;
}

static int end(void **state)
{
    cloud_end(&cloud);
    return command_teardown(state);
}

/* $I is the sandbox. NULL: nothing. */
static void expect(const char *line, int code, const char *out, const char *err)
{
    struct result result = command(line);

    if (result.code != code || (out == NULL ? result.out[0] != '\0' : !matches(result.out, out)) ||
        (err == NULL ? result.err[0] != '\0' : !matches(result.err, err)))
        fail_msg("%s: %d\n%s%s", line, result.code, result.out, result.err);
    /* Whatever happens, no key is told. */
    assert_null(strstr(result.out, cloud.key));
    assert_null(strstr(result.err, cloud.key));
    result_free(&result);
}

static void make_one(void)
{
    const char *id = NULL;
    char line[512];

    (void)snprintf(line, sizeof(line), "$E run --keep --on e2b://base --node '%s' -e 1",
                   cloud_node());
    expect(strcmp(cloud_node(), "node") == 0 ? "$E run --keep --on e2b://base -e 1" : line, 0, "",
           NULL);
    assert_int_equal(cloud_sandboxes(&cloud, &id), 1);
    (void)setenv("I", id, 1);
}

static void test_command__a_life(void **state)
{
    (void)state;
    expect("$E sandbox list", 0, NULL, NULL);
    expect("$E sandbox list --json", 0, "^\\[\\]\n$", NULL);
    make_one();
    expect("$E sandbox list", 0, "^i[a-z0-9]+ +base +running +20..-..-..T.*\n$", NULL);
    expect("$E sandbox --json list", 0,
           "^\\[\\{\"id\":\"i.*\",\"template\":\"base\".*\"state\":\"running\".*\\}\\]\n$", NULL);
    expect("$E sandbox info $I", 0, "^id +i.*\ntemplate +base\n(.*\n)*state +running\n(.*\n)*$",
           NULL);
    expect("$E sandbox info e2b:$I --json", 0, "^\\{\"id\":\"i.*\"envd\":\"0.*\\}\n$", NULL);
    expect("$E sandbox metrics $I", 0, "^cpu .*\nmemory .* MiB\ndisk .* MiB\n$", NULL);
    expect("$E sandbox metrics $I --json", 0, "^\\{\"id\":\"i.*\"memory_total\":[0-9]+.*\\}\n$",
           NULL);
    expect("$E sandbox timeout $I 5m", 0, "^i.* set\n$", NULL);
    expect("$E sandbox refresh $I 600 --json", 0, "^\\{\"id\":\"i.*\",\"done\":\"refreshed\"\\}\n$",
           NULL);
    expect("$E sandbox pause $I", 0, "^i.* paused\n$", NULL);
    expect("$E sandbox list", 0, " paused ", NULL);
    expect("$E sandbox pause $I", 4, NULL, "^errand: e2b: .*already paused.*\n$");
    expect("$E sandbox resume $I", 0, "^i.* running\n$", NULL);
    expect("$E sandbox kill $I", 0, "^i.* killed\n$", NULL);
    expect("$E sandbox info $I", 4, NULL, "^errand: e2b: .*404.*\n$");
    assert_int_equal(cloud_sandboxes(&cloud, NULL), 0);
}

static void test_command__what_goes_wrong(void **state)
{
    (void)state;
    expect("E2B_API_KEY= $E sandbox list", 4, NULL, "^errand: e2b: .*key.*\n$");
    expect("env -u E2B_API_KEY $E sandbox list", 4, NULL, "^errand: e2b: there is no key: .*\n$");
    expect("E2B_API_KEY=e2b_00 $E sandbox list", 4, NULL, "^errand: e2b: .*is the key right.*\n$");
    expect("E2B_API_URL=http://127.0.0.1:9 $E sandbox list", 4, NULL, "^errand: e2b: .*\n$");
    expect("$E sandbox list --json >/dev/full", 2, NULL, "^errand: standard output: ENOSPC\n$");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_command__a_life),
        cmocka_unit_test(test_command__what_goes_wrong),
    };

    return cmocka_run_group_tests(tests, start, end);
}
