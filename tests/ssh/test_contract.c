/* test_contract.c - the contract of transport.h over an SSH login. */
#include "test.h"

#include "base/mem.h"
#include "contract.h"
#include "sshd.h"
#include "transport/ssh/ssh.h"

#include <stdio.h>
#include <stdlib.h>

static struct sshd host;

static errand_road *make(const struct contract_road *self)
{
    errand_ssh_options options = ERRAND_SSH_OPTIONS_INIT;
    errand_error error = {0};
    errand_road *road = NULL;
    char *name = NULL;

    options.config_file = sshd_file(&host, "config");
    if (errand__ssh_road_new(&road, &name, self->address, &options, &error) != ERRAND_OK)
        fail_msg("%s: %s", self->address, error.text);
    errand__mem_free(name);
    return road;
}

static const struct contract_road road = {.name = "ssh",
                                          .make = make,
                                          .address = "box",
                                          .lacks = CONTRACT_LACKS_EXIT_ZERO,
                                          .patience = 3};

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
    sshd_start(&host, "");
    return 0;
}

static int end(void **state)
{
    (void)state;
    sshd_end(&host);
    return 0;
}

int main(void)
{
    struct CMUnitTest *tests = calloc(contract_checks_count, sizeof(*tests));

    if (tests == NULL)
        return 2;
    for (size_t i = 0; i < contract_checks_count; i++)
        tests[i] = (struct CMUnitTest){.name = contract_checks[i].name,
                                       .test_func = test_contract,
                                       .initial_state = (void *)(uintptr_t)&contract_checks[i]};
    int failed =
        _cmocka_run_group_tests("contract over ssh", tests, contract_checks_count, start, end);
    free(tests);
    return failed;
}
