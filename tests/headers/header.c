/* header.c - uses each initialiser of the public headers, in strict C99 and C17. */
#include <errand/e2b.h>
#include <errand/errand.h>
#include <errand/fake.h>
#include <errand/transport.h>
#include <errand/value.h>

#include <stdio.h>
#include <string.h>

/* What follows the size must be zero: that is what makes zero the default for ever. */
static int rest_is_zero(const void *object, size_t size)
{
    const unsigned char *bytes = object;
    size_t at;
    for (at = sizeof(size_t); at < size; at++)
        if (bytes[at] != 0)
            return 0;
    return 1;
}

#define CHECK(object) ((object).size == sizeof(object) && rest_is_zero(&(object), sizeof(object)))

int main(void)
{
    /* Static, so that the padding is zero too. */
    static const errand_limits limits = ERRAND_LIMITS_INIT;
    static const errand_run_options run = ERRAND_RUN_OPTIONS_INIT;
    static const errand_place_options place = ERRAND_PLACE_OPTIONS_INIT;
    static const errand_handlers handlers = ERRAND_HANDLERS_INIT;

    if (!CHECK(limits) || !CHECK(run) || !CHECK(place) || !CHECK(handlers)) {
        (void)fputs("an initialiser leaves something behind\n", stderr);
        return 1;
    }
    if (strcmp(errand_version(), ERRAND_VERSION) != 0) {
        (void)fputs("header and library are of two versions\n", stderr);
        return 1;
    }
    return 0;
}
