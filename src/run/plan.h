/* plan.h - what a run was asked to do: options checked, completed and copied. */
#ifndef ERRAND_PLAN_H
#define ERRAND_PLAN_H

#include "base/base.h"
#include "core/core.h"

struct plan_module {
    char *name;
    char *source;
    size_t source_len;
};

/* What tools.search and tools.describe find. */
struct plan_about {
    char *description;    /* Or NULL. */
    char *input, *output; /* Types of TypeScript, or NULL. */
};

/* What boot says of a namespace beside its names. */
struct plan_space {
    char *error_class, *error_member;
    struct plan_about *abouts; /* Of each function; NULL: nothing is told of any. */
    errand_failures failures;
    bool spread, bare;
};

struct plan {
    errand_limits limits;
    char *program;
    size_t program_len;
    char *input, *store; /* JSON texts, or NULL. */
    size_t input_len, store_len;
    struct plan_module *modules;
    size_t modules_count;
    char *name;
    errand_language language;
    errand_values values;
    errand_accept accept;
    errand_globals globals;
    errand_network network;
    bool check_only;
    bool last_value;
    bool collect_logs;
    bool reattaches; /* The road may break and be found again. */
    char **env;      /* NULL-terminated "NAME=VALUE". */
    struct core_space *spaces;
    struct plan_space *extras; /* Of each space. */
    size_t spaces_count;
    errand_trace_fn trace;
    void *trace_ctx;
    errand_record_fn record;
    void *record_ctx;
    void *user;
};

/* road_lease_ms: what lease_ms 0 stands for. On failure the plan is empty. */
errand_status errand__plan_init(struct plan *plan, const errand_run_options *options,
                                uint64_t road_lease_ms, errand_error *err) ERRAND_CHECKED;
void errand__plan_deinit(struct plan *plan);
/* The payload of the boot frame; *out is the caller's to free with errand__mem_free(). */
errand_status errand__plan_boot(const struct plan *plan, char **out, size_t *out_len,
                                errand_error *err) ERRAND_CHECKED;
/* Frees what only the boot message needs. */
void errand__plan_forget_program(struct plan *plan);

#endif
