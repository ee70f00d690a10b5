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

static errand_road *make(const struct drive_road *self)
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

static const struct drive_road roads[] = {{.name = "e2b in proto",
                                           .make = make,
                                           .address = "?codec=proto",
                                           .lacks = CONTRACT_LACKS_EXIT_HELD,
                                           .patience = 3},
                                          {.name = "e2b in JSON",
                                           .make = make,
                                           .address = "?codec=json",
                                           .lacks = CONTRACT_LACKS_EXIT_HELD,
                                           .patience = 3}};

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
    while (road->ops->open(road, drive_now_us(), &error) == ERRAND_AGAIN)
        continue;
    assert_int_equal(error.status, ERRAND_OK);
    drive_close(road);
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
    return contract_main("contract over e2b", roads, COUNT(roads), begin, end);
}
