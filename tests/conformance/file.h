/* file.h - whole files as memory. */
#ifndef CONFORMANCE_FILE_H
#define CONFORMANCE_FILE_H

#include "base/base.h"

/* NUL-terminated; NULL: not there. */
char *file_read(const char *path, size_t *len);
/* printf into memory of its own. */
char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
