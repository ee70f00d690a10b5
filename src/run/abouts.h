/* abouts.h - what home tells of its functions: is it what it should be. */
#ifndef ERRAND_ABOUTS_H
#define ERRAND_ABOUTS_H

#include "base/base.h"

/* Refuses descriptions that are no UTF-8, schemas that are neither a JSON object nor a boolean,
 * and more of them than a run should carry. */
errand_status errand__abouts_check(const errand_namespace *namespaces, size_t count,
                                   errand_error *err) ERRAND_CHECKED;

#endif
