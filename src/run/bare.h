/* bare.h - functions that are globals themselves: which names they may have. */
#ifndef ERRAND_BARE_H
#define ERRAND_BARE_H

#include "base/base.h"

/* Refuses names of functions of bare namespaces that are neither an identifier nor two with a
 * dot between, that come twice, or that are the name of a namespace, of an error class or of an
 * object which other functions are in. The namespaces' own names have been checked. */
errand_status errand__bare_check(const errand_namespace *namespaces, size_t count,
                                 errand_error *err) ERRAND_CHECKED;

#endif
