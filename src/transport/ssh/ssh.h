/* ssh.h - the road to a host that a person could log in to with ssh. */
#ifndef ERRAND_SSH_H
#define ERRAND_SSH_H

#include <errand/transport.h>

#include "base/base.h"

/* rest: what follows "ssh://". options: complete, or NULL; copied. *name: the address as
 * understood, the caller's to free with errand__mem_free(). */
errand_status errand__ssh_road_new(errand_road **out, char **name, const char *rest,
                                   const errand_ssh_options *options,
                                   errand_error *err) ERRAND_CHECKED;

#endif
