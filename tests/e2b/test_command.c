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

/* As words behind "errand run". */
static const char *with_node(void)
{
    static char words[512];

    (void)snprintf(words, sizeof(words), " --node '%s' ", cloud_node());
    return strcmp(cloud_node(), "node") == 0 ? " " : words;
}

static void make_one(void)
{
    const char *id = NULL;
    char line[1024];

    (void)snprintf(line, sizeof(line), "$E run --keep --on e2b://base%s-e 1", with_node());
    expect(line, 0, "",
           "^errand: kept: --on e2b:i[a-z0-9]+ goes there, errand sandbox kill i[a-z0-9]+ ends "
           "it\n$");
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

static void test_command__who_stays_is_told(void **state)
{
    char line[1024];

    (void)state;
    (void)snprintf(line, sizeof(line), "$E run --json --on 'e2b://base?keep'%s-e 1", with_node());
    expect(line, 0, "\"sandbox\":\"i[a-z0-9]+\",\"exit\":0\\}\n$", NULL);
    (void)snprintf(line, sizeof(line), "$E run --quiet --keep --on e2b://base%s-e 1", with_node());
    expect(line, 0, "", NULL);
    (void)snprintf(line, sizeof(line), "$E run --json --on e2b://base%s-e 1", with_node());
    expect(line, 0, "\"process_may_be_running\":false,\"exit\":0\\}\n$", NULL);
    expect("$E run --on e2b:i0 --keep -e 1", 2, NULL,
           "--keep is for e2b:// alone; the place is e2b:ID, a sandbox that is there already\n$");
    expect("$E sandbox list --json | grep -o '\"id\":\"[a-z0-9]*' | cut -d'\"' -f4 | "
           "while read -r i; do $E sandbox kill $i; done",
           0, "^i.* killed\ni.* killed\n$", NULL);
}

/* Older services inside take files in other ways, and want to be told as whom. */
static void test_command__files_of_older_sandboxes(void **state)
{
    static const char *const versions[] = {"0.1.0", "0.3.0", "0.5.0", "0.5.7"};

    (void)state;
    for (size_t i = 0; i < COUNT(versions); i++) {
        char line[1024], setting[64];
        (void)snprintf(setting, sizeof(setting), "{\"envdVersion\":\"%s\"}", versions[i]);
        (void)cloud_ask(&cloud, "PATCH", "/settings", setting);
        (void)snprintf(line, sizeof(line),
                       "echo %s >there; rm -f back; $E run --on e2b://base%s--put there:file "
                       "--get file:back -e 'return 1' && cat back",
                       versions[i], with_node());
        expect(line, 0, versions[i], NULL);
    }
    (void)cloud_ask(&cloud, "PATCH", "/settings", "{\"envdVersion\":\"0.6.13\"}");
}

/* What fails in front of the sandbox says nothing of what stands behind that. */
static void test_command__doctor_names_who_fails(void **state)
{
    static const struct {
        const char *fault, *out;
    } cases[] = {
        {"{'on':{'plane':'api'},'count':0,'do':'answer','status':500,'text':'upstream'}",
         "\nok +connection\nFAIL +service +e2b: the server failed with HTTP 500: upstream "},
        {"{'on':{'plane':'envd'},'count':0,'do':'answer','status':200,'headers':{'Content-Type':"
         "'text/html'},'text':'<p>hi</p>'}",
         "\nok +template\nFAIL +envd .*\n +what to do: the API answers, and the way into "
         "sandboxes does not: see E2B_SANDBOX_URL"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        cloud_fault(&cloud, cases[i].fault);
        expect("$E doctor --on e2b://base", 4, cases[i].out, NULL);
        cloud_no_faults(&cloud);
    }
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
        cmocka_unit_test(test_command__who_stays_is_told),
        cmocka_unit_test(test_command__files_of_older_sandboxes),
        cmocka_unit_test(test_command__doctor_names_who_fails),
        cmocka_unit_test(test_command__what_goes_wrong),
    };

    return cmocka_run_group_tests(tests, start, end);
}
