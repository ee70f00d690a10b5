/* program.h - the text to run, or to be run with: from a file, standard input or the command
 * line. */
#ifndef ERRAND_PROGRAM_H
#define ERRAND_PROGRAM_H

#include "base/base.h"

struct program {
    char *text; /* NUL-terminated, UTF-8. */
    size_t len;
    const char *what;         /* "program", or what else it is, for complaints. */
    const char *name;         /* For stacks; borrowed from the command line. */
    errand_language language; /* As the name's ending tells. */
};

enum { PROGRAM_BYTES_MAX = 64 * 1024 * 1024 };

/* path: "-" is standard input. EINVAL: unreadable, too large, or no UTF-8 (says where). */
errand_status program_read(struct program *program, const char *what, const char *path,
                           errand_error *err) ERRAND_CHECKED;
/* text: what stood behind the option of that name. */
errand_status program_take(struct program *program, const char *what, const char *option,
                           const char *text, errand_error *err) ERRAND_CHECKED;
void program_deinit(struct program *program);
/* Line number, counted from 1, without its line break; empty where there is none. */
errand_span program_line(const struct program *program, uint32_t number);

#endif
