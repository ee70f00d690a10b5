/* fuzz.h - what every target is; standalone.c runs it over files where libFuzzer is not there. */
#ifndef ERRAND_FUZZ_H
#define ERRAND_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An assertion that stays in every build. */
#define MUST(condition)       \
    do {                      \
        if (!(condition))     \
            __builtin_trap(); \
    } while (0)

#endif
