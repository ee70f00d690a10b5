/* shown.h - by which names a program knows the functions of a namespace. */
#ifndef ERRAND_SHOWN_H
#define ERRAND_SHOWN_H

#include "base/base.h"

/* name as an identifier: each code point that may not stand at its place becomes one "_". out has
 * room for strlen(name) + 2 bytes. */
void errand__shown_identifier(char *out, const char *name);

/* What the program has under a function's own name: whatever has a "then" would be taken for a
 * promise. */
const char *errand__shown_own(const char *name);

struct shown {
    char **names; /* Of each function the identifier, or where another has that, its own name;
                     NULL: another has both. */
    size_t count;
};

/* The names of functions have been checked. */
errand_status errand__shown_init(struct shown *shown, const errand_namespace *space) ERRAND_CHECKED;
void errand__shown_deinit(struct shown *shown);

#endif
