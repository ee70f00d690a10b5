/* e2b.h - the road to a sandbox behind an API like E2B's. */
#ifndef ERRAND_E2B_H
#define ERRAND_E2B_H

#include <errand/transport.h>

#include "base/base.h"

/* Whether the address is one of these: "e2b://…" or "e2b:…". */
bool errand__e2b_address(const char *address);
/* options: complete, or NULL; copied. *name: the address as understood, the caller's to free with
 * errand__mem_free(). */
errand_status errand__e2b_road_new(errand_road **out, char **name, const char *address,
                                   const errand_e2b_options *options,
                                   errand_error *err) ERRAND_CHECKED;

#endif
