/* areas.h - what --trace is to tell about. */
#ifndef ERRAND_AREAS_H
#define ERRAND_AREAS_H

#include "base/base.h"

/* EINVAL: one of the list is no area; the line says which there are, or which was meant. */
errand_status areas_check(const char *list, errand_error *err) ERRAND_CHECKED;
/* Whether the list, which may be NULL, holds this one. */
bool areas_hold(const char *list, const char *area);

#endif
