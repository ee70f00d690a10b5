/* test_contract.c - the contract of transport.h over a container, which with-daemon's daemon runs.
 */
#include "test.h"

#include "base/mem.h"
#include "contract.h"
#include "transport/address.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void docker(const char *const *words)
{
    int status = -1;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        (void)freopen("/dev/null", "w", stdout);
        (void)execvp("docker", (char *const *)(uintptr_t)words);
        _exit(127);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static errand_road *make(const struct contract_road *self)
{
    errand_error error = {0};
    errand_road *road = NULL;
    char *name = NULL;

    if (errand__road_from_address(&road, &name, self->address, NULL, &error) != ERRAND_OK)
        fail_msg("%s: %s", self->address, error.text);
    errand__mem_free(name);
    return road;
}

/* What a client says before it exits tells whether it failed, so that an early end of its output
 * waits for that; and a signal reaches the client alone. */
static const struct contract_road road = {.name = "docker",
                                          .make = make,
                                          .address = "docker://contract",
                                          .lacks = CONTRACT_LACKS_EOF_FIRST | CONTRACT_LACKS_TERM,
                                          .patience = 5};

static void test_contract(void **state)
{
    const struct contract_check *check = *state;
    size_t descriptors = contract_count_descriptors();
    size_t children = contract_count_children();
    errand_road *opened = contract_open(&road);

    check->run(&road, opened);
    contract_close(opened);
    assert_int_equal(contract_count_descriptors(), descriptors);
    assert_int_equal(contract_count_children(), children);
}

static int start(void **state)
{
    (void)state;
    docker((const char *const[]){"docker", "run", "-d", "--name", "contract", "--network=none",
                                 "errand-no-node", "sleep", "10000", NULL});
    return 0;
}

static int end(void **state)
{
    (void)state;
    docker((const char *const[]){"docker", "rm", "-f", "contract", NULL});
    return 0;
}

/* An argument: only the checks whose names it matches, as *flood*. */
int main(int argc, char **argv)
{
    struct CMUnitTest *tests = calloc(contract_checks_count, sizeof(*tests));

    if (tests == NULL)
        return 2;
    for (size_t i = 0; i < contract_checks_count; i++)
        tests[i] = (struct CMUnitTest){.name = contract_checks[i].name,
                                       .test_func = test_contract,
                                       .initial_state = (void *)(uintptr_t)&contract_checks[i]};
    cmocka_set_test_filter(argc > 1 ? argv[1] : NULL);
    int failed =
        _cmocka_run_group_tests("contract over docker", tests, contract_checks_count, start, end);
    free(tests);
    return failed;
}
