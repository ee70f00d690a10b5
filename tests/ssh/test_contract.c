/* test_contract.c - the contract of transport.h over an SSH login. */
#include "test.h"

#include "base/mem.h"
#include "contract.h"
#include "sshd.h"
#include "transport/ssh/ssh.h"

#include <stdio.h>
#include <stdlib.h>

static struct sshd host;

static errand_road *make(const struct drive_road *self)
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

static const struct drive_road road = {.name = "ssh",
                                       .make = make,
                                       .address = "box",
                                       .lacks = CONTRACT_LACKS_EXIT_ZERO,
                                       .patience = 3};

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
    return contract_main("contract over ssh", &road, 1, start, end);
}
