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

#define assert_span(span, text)                                  \
    do {                                                         \
        errand_span assert_span_ = (span);                       \
        assert_int_equal(assert_span_.len, strlen(text));        \
        assert_memory_equal(assert_span_.ptr, text, strlen(text)); \
    } while (0)

#endif
