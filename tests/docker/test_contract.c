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

static errand_road *make(const struct drive_road *self)
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
static const struct drive_road road = {.name = "docker",
                                       .make = make,
                                       .address = "docker://contract",
                                       .lacks = CONTRACT_LACKS_EOF_FIRST | CONTRACT_LACKS_TERM,
                                       .patience = 5};

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
    cmocka_set_test_filter(argc > 1 ? argv[1] : NULL);
    return contract_main("contract over docker", &road, 1, start, end);
}
