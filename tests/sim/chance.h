/* chance.h - numbers that a seed determines. */
#ifndef ERRAND_TEST_CHANCE_H
#define ERRAND_TEST_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

struct chance {
    uint64_t state;
};

/* splitmix64. */
static inline uint64_t chance_next(struct chance *chance)
{
    uint64_t z = chance->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* From least to most, both included. */
static inline int64_t chance_range(struct chance *chance, int64_t least, int64_t most)
{
    return least + (int64_t)(chance_next(chance) % (uint64_t)(most - least + 1));
}

static inline bool chance_percent(struct chance *chance, unsigned percent)
{
    return chance_next(chance) % 100 < percent;
}

#endif
