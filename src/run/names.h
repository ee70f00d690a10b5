/* names.h - which names namespaces, their functions and their error classes may have. */
#ifndef ERRAND_NAMES_H
#define ERRAND_NAMES_H

#include "base/base.h"

/* Refuses namespaces and error classes that are no identifiers, shadow a global or each other;
 * function names that are empty, twice there or no UTF-8; and error members that would hide
 * what every error has. */
errand_status errand__names_check(const errand_namespace *namespaces, size_t count,
                                  errand_error *err) ERRAND_CHECKED;

#endif
