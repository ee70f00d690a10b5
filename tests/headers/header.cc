/* header.cc - uses each initialiser of the public headers, in strict C++17. */
#include <errand/e2b.h>
#include <errand/errand.h>
#include <errand/fake.h>
#include <errand/transport.h>
#include <errand/value.h>

#include <cstring>

int main()
{
    errand_limits limits = ERRAND_LIMITS_INIT;
    errand_run_options run = ERRAND_RUN_OPTIONS_INIT;
    errand_place_options place = ERRAND_PLACE_OPTIONS_INIT;
    errand_handlers handlers = ERRAND_HANDLERS_INIT;
    bool sized = limits.size == sizeof limits && run.size == sizeof run &&
                 place.size == sizeof place && handlers.size == sizeof handlers;

    /* Linked by its C name. */
    return sized && std::strcmp(errand_version(), ERRAND_VERSION) == 0 ? 0 : 1;
}
