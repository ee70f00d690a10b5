/* file.h - the far end of one file in a sandbox. */
#ifndef ERRAND_E2B_FILE_H
#define ERRAND_E2B_FILE_H

#include <errand/transport.h>

#include "transport/e2b/chore.h"

struct e2b_road;

enum e2b_file_stage {
    E2B_FILE_ASKING,    /* What stands there. */
    E2B_FILE_CARRYING,  /* Bytes. */
    E2B_FILE_CHECKING,  /* Get: whether it is still the same. */
    E2B_FILE_FINISHING, /* Put: it gets its permission bits and its name. */
    E2B_FILE_CLEARING,  /* Put: what is left of it goes. */
    E2B_FILE_OVER
};

struct e2b_file {
    errand_carrier base;
    struct e2b_file *next; /* Of the road. */
    struct e2b_road *road;
    struct bell bell;
    errand_cargo cargo; /* Its path is the one below. */
    char *path;         /* As given, then from the root on. */
    char *temporary;    /* Put: beside it. */
    enum e2b_file_stage stage;
    struct e2b_chore chore;
    struct e2b_exchange *exchange; /* Of CARRYING and CHECKING. */
    char modified[E2B_HTTP_TYPE];  /* Get: when it was, as its first answer says; or empty. */
    struct e2b_patience patience;
    int64_t again_us; /* Get: when the rest is asked for again; TIME_NEVER: it is under way. */
    uint64_t done;    /* Bytes: taken, or handed on. */
    size_t lent;      /* Of the exchange: with the driver until next is called again. */
    bool told_ready, told_done, tail_sent;
    bool checked;     /* Get: what comes is what was asked for. */
    const char *code; /* NULL: nothing went wrong. */
    errand_error failure;
};

errand_status errand__e2b_file_new(errand_carrier **out, struct e2b_road *road,
                                   const errand_cargo *cargo, errand_error *err) ERRAND_CHECKED;

#endif
