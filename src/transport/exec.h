/* exec.h - the road to a process that is a child of ours: node itself, or what leads to it. */
#ifndef ERRAND_EXEC_H
#define ERRAND_EXEC_H

#include <errand/transport.h>

#include "transport/words.h"

enum exec_kind {
    EXEC_LOCAL, /* /bin/sh -c LINE, or the shell that LINE becomes, at once. */
    EXEC_WORDS, /* prefix… /bin/sh -c LINE: for what hands words on as they are. */
    EXEC_SHELL, /* prefix… LINE: for what hands words to a login shell. */
    EXEC_JAIL   /* As EXEC_WORDS: prefix is that of jail.h. */
};

/* prefix is taken, also on failure; empty for EXEC_LOCAL. */
errand_status errand__exec_road_new(errand_road **out, enum exec_kind kind, struct words *prefix,
                                    errand_error *err) ERRAND_CHECKED;

#endif
