/* modules.h - sources that the program may import by name, from files. */
#ifndef ERRAND_MODULES_H
#define ERRAND_MODULES_H

#include "cli/program.h"

enum { MODULES_MAX = 256 };

struct modules {
    errand_module list[MODULES_MAX]; /* Both taken. */
    size_t count;
};

/* words: NAME=FILE. EINVAL: one line says what is wrong. */
errand_status modules_add(struct modules *modules, const char *words,
                          errand_error *err) ERRAND_CHECKED;
void modules_deinit(struct modules *modules);

#endif
