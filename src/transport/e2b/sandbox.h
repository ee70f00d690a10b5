/* sandbox.h - a sandbox as the API tells of it. */
#ifndef ERRAND_E2B_SANDBOX_H
#define ERRAND_E2B_SANDBOX_H

#include "base/base.h"
#include "transport/e2b/version.h"

#include <jansson.h>

enum { E2B_SANDBOX_WORD = 128 };

struct e2b_sandbox {
    char id[E2B_SANDBOX_WORD], template[E2B_SANDBOX_WORD], domain[E2B_SANDBOX_WORD];
    char state[E2B_SANDBOX_WORD];  /* "running", "paused", or empty: not said. */
    char end_at[E2B_SANDBOX_WORD]; /* As it was said, or empty. */
    char alias[E2B_SANDBOX_WORD], started_at[E2B_SANDBOX_WORD];
    uint64_t cpu_count, memory_mb, disk_mb; /* 0: not said. */
    char *metadata;                         /* JSON text in ASCII, or NULL. */
    char version_text[E2B_SANDBOX_WORD];
    struct e2b_version version;
    char *token; /* NULL: none is needed. */
};

/* false: that is none. What is deinitialised before stays so. */
bool errand__e2b_sandbox_read(struct e2b_sandbox *sandbox, const json_t *object);
/* From the bytes of an answer. */
bool errand__e2b_sandbox_parse(struct e2b_sandbox *sandbox, errand_span bytes);
void errand__e2b_sandbox_deinit(struct e2b_sandbox *sandbox);

#endif
