/* version.h - what the service inside of a sandbox can do, by its version. */
#ifndef ERRAND_E2B_VERSION_H
#define ERRAND_E2B_VERSION_H

#include "base/base.h"

struct e2b_version {
    unsigned major, minor, patch; /* All 0: unknown, which counts as the newest. */
};

struct e2b_version errand__e2b_version_read(const char *text);
bool errand__e2b_version_is_least(struct e2b_version version, unsigned major, unsigned minor,
                                  unsigned patch);

#endif
