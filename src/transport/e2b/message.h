/* message.h - what is asked of a sandbox's process service, before it is put into bytes. */
#ifndef ERRAND_E2B_MESSAGE_H
#define ERRAND_E2B_MESSAGE_H

#include "base/base.h"

/* Start. */
struct e2b_start {
    const char *cmd;
    const char *const *args; /* NULL-terminated. */
    bool input;              /* Bytes will come for its standard input. */
};

#endif
