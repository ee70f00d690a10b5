/* sim.c - many made-up worlds, each from a seed.
 *
 *     sim SEED            one world, told in full
 *     sim FIRST COUNT     that many, from FIRST on; says which failed
 *     sim FIRST COUNT N   the same, but stops at the Nth that failed
 */
#include "world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { FAILURES_MAX = 10 };

/* I10: the same seed is the same story, also when every byte comes alone. */
static bool check_seed(uint64_t seed, bool trace)
{
    const struct world_options first = {.trace = trace};
    const struct world_options again = {.crumbs = seed % 2 == 1};
    uint64_t story = 0;
    uint64_t told_again = 0;

    if (!world_play(seed, &first, &story) || !world_play(seed, &again, &told_again))
        return false;
    if (story == told_again)
        return true;
    (void)fprintf(stderr, "seed %" PRIu64 ": I10: another story%s\n", seed,
                  again.crumbs ? " in crumbs" : "");
    return false;
}

int main(int argc, char **argv)
{
    unsigned failures = 0;

    if (argc < 2 || argc > 4) {
        (void)fprintf(stderr, "usage: sim SEED | sim FIRST COUNT [FAILURES]\n");
        return 2;
    }
    uint64_t seed = strtoull(argv[1], NULL, 10);
    uint64_t count = argc == 2 ? 1 : strtoull(argv[2], NULL, 10);
    uint64_t most = argc < 4 ? FAILURES_MAX : strtoull(argv[3], NULL, 10);
    for (uint64_t i = 0; i < count && failures < most; i++)
        failures += !check_seed(seed + i, argc == 2);
    (void)printf("%" PRIu64 " seeds from %" PRIu64 ", %u failed\n", count, seed, failures);
    return failures == 0 ? 0 : 1;
}
