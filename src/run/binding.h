/* binding.h - what a global of a program may be called. */
#ifndef ERRAND_BINDING_H
#define ERRAND_BINDING_H

#include "base/base.h"

enum { BINDING_LEN_MOST = 256 }; /* It travels in every stack. */

/* Letters, digits, _ and $, at most BINDING_LEN_MOST of them, and no digit first. */
bool errand__binding_is_identifier(const char *name);
/* Refuses what is no identifier, or stands for something already. what: a word for the text. */
errand_status errand__binding_check(const char *what, const char *name,
                                    errand_error *err) ERRAND_CHECKED;

/* What its errors are called, and by which member they name the function: as told, or as usual. */
const char *errand__binding_class_of(const errand_namespace *space);
const char *errand__binding_member_of(const errand_namespace *space);

#endif
