/* address.h - from the words that name a place to the road that leads there. */
#ifndef ERRAND_ADDRESS_H
#define ERRAND_ADDRESS_H

#include <errand/transport.h>

#include "base/base.h"

/* A road for "local", "local?jail", "exec:…", "shell:…", "docker://…", "podman://…", "k8s://…",
 * "ssh://…", "e2b://…", "e2b:…"; not opened yet. options: complete, or NULL; copied. *name: the
 * address as understood, the caller's to free with errand__mem_free(). EINVAL names what does not
 * parse and what would. */
errand_status errand__road_from_address(errand_road **out, char **name, const char *address,
                                        const errand_place_options *options,
                                        errand_error *err) ERRAND_CHECKED;

#endif
