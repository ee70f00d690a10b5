/* test_contract.c - the contract of transport.h over a sandbox, in both codecs. */
#include "test.h"

#include "base/mem.h"
#include "cloud.h"
#include "contract.h"
#include "transport/e2b/e2b.h"

#include <stdio.h>
#include <stdlib.h>

static struct cloud cloud;
static const char *id; /* Of the sandbox that all checks share. */

static errand_road *make(const struct contract_road *self)
{
    errand_e2b_options options = cloud_options(&cloud);
    errand_error error = {0};
    errand_road *road = NULL;
    char *name = NULL;
    char address[CLOUD_TEXT + 64];

    (void)snprintf(address, sizeof(address), "e2b:%s%s", id, self->address);
    if (errand__e2b_road_new(&road, &name, address, &options, &error) != ERRAND_OK)
        fail_msg("%s: %s", address, error.text);
    errand__mem_free(name);
    return road;
}

static const struct contract_road roads[] = {{.name = "e2b in proto",
                                              .make = make,
                                              .address = "?codec=proto",
                                              .lacks = CONTRACT_LACKS_EXIT_HELD,
                                              .patience = 3},
                                             {.name = "e2b in JSON",
                                              .make = make,
                                              .address = "?codec=json",
                                              .lacks = CONTRACT_LACKS_EXIT_HELD,
                                              .patience = 3}};

static void over(const struct contract_road *road, const struct contract_check *check)
{
    size_t descriptors = contract_count_descriptors();
    size_t children = contract_count_children();
    errand_road *opened = contract_open(road);

    check->run(road, opened);
    contract_close(opened);
    assert_int_equal(contract_count_descriptors(), descriptors);
    assert_int_equal(contract_count_children(), children);
}

static void test_contract(void **state)
{
    for (size_t i = 0; i < COUNT(roads); i++)
        over(&roads[i], *state);
}

static int start(void **state)
{
    (void)state;
    cloud_start(&cloud, NULL);
    return 0;
}

/* A sandbox that was created and is kept, for all others to attach to. */
static int make_sandbox(void **state)
{
    errand_e2b_options options = cloud_options(&cloud);
    errand_error error = {0};
    errand_road *road = NULL;
    char *name = NULL;

    (void)state;
    options.keep = 1;
    assert_int_equal(errand__e2b_road_new(&road, &name, "e2b://base", &options, &error), ERRAND_OK);
    errand__mem_free(name);
    while (road->ops->open(road, contract_now_us(), &error) == ERRAND_AGAIN)
        continue;
    assert_int_equal(error.status, ERRAND_OK);
    contract_close(road);
    assert_int_equal(cloud_sandboxes(&cloud, &id), 1);
    return 0;
}

static int begin(void **state)
{
    return start(state) + make_sandbox(state);
}

static int end(void **state)
{
    (void)state;
    cloud_end(&cloud);
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
        _cmocka_run_group_tests("contract over e2b", tests, contract_checks_count, begin, end);
    free(tests);
    return failed;
}
