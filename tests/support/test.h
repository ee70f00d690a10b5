/* test.h - cmocka with what it wants before it, and a span assertion. */
#ifndef ERRAND_TEST_H
#define ERRAND_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base.h"

#include <string.h>

#define assert_span(span, text)                                   \
    do {                                                          \
        errand_span given_span_ = (span);                         \
        assert_int_equal(given_span_.len, strlen(text));          \
        assert_memory_equal(given_span_.ptr, text, strlen(text)); \
    } while (0)

/* Writes text without its NUL; returns where it ends. */
static inline char *write_at(char *to, errand_span text)
{
    memcpy(to, text.ptr, text.len);
    return to + text.len;
}

#endif
