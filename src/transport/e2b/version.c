/* version.c - three numbers; what follows them is nobody's business. */
#include "transport/e2b/version.h"

#include <stdio.h>

struct e2b_version errand__e2b_version_read(const char *text)
{
    struct e2b_version version = {0, 0, 0};
    struct e2b_version none = {0, 0, 0};

    /* cert-err34-c: widths keep the numbers small. */
    if (text == NULL || sscanf(text[0] == 'v' ? text + 1 : text, /* NOLINT(cert-err34-c) */
                               "%6u.%6u.%6u", &version.major, &version.minor, &version.patch) != 3)
        return none;
    return version;
}

bool errand__e2b_version_is_least(struct e2b_version version, unsigned major, unsigned minor,
                                  unsigned patch)
{
    if (version.major == 0 && version.minor == 0 && version.patch == 0)
        return true;
    if (version.major != major)
        return version.major > major;
    return version.minor != minor ? version.minor > minor : version.patch >= patch;
}
