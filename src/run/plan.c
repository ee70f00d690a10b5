/* plan.c - checks and copies the options of a run. */
#include "run/plan.h"

#include "base/err.h"
#include "base/mem.h"
#include "core/utf8.h"
#include "run/limits.h"
#include "run/names.h"
#include "run/sized.h"

#define PLAN_NAME_STANDARD "program"

enum {
    PLAN_SPACES_MOST = 1024,
    PLAN_ENV_MOST = 4096,
    PLAN_NAME_LEN_MOST = 4096 /* A path. */
};

/* --- Checks --------------------------------------------------------------------------------- */

static errand_status check_program(const errand_run_options *options, errand_error *err)
{
    size_t bad_at = 0;

    if (options->program.len > 0 && options->program.ptr == NULL)
        return errand__fail(err, ERRAND_EINVAL, 0, "program: no bytes at its pointer");
    if (!errand__utf8_valid(options->program, &bad_at))
        return errand__fail(err, ERRAND_EINVAL, 0, "program: not UTF-8 at byte %zu", bad_at);
    if (options->name != NULL && (strlen(options->name) > PLAN_NAME_LEN_MOST ||
                                  !errand__utf8_valid(span_text(options->name), NULL)))
        return errand__fail(err, ERRAND_EINVAL, 0, "name: not UTF-8, or over %d bytes",
                            PLAN_NAME_LEN_MOST);
    if (options->language > ERRAND_LANGUAGE_TS)
        return errand__fail(err, ERRAND_EINVAL, 0, "language: no such language (%d)",
                            (int)options->language);
    if (options->values > ERRAND_VALUES_JSON)
        return errand__fail(err, ERRAND_EINVAL, 0, "values: no such kind (%d)",
                            (int)options->values);
    return ERRAND_OK;
}

static errand_status check_env(const char *const *env, errand_error *err)
{
    for (size_t i = 0; env != NULL && env[i] != NULL; i++) {
        const char *equals = strchr(env[i], '=');
        if (i >= PLAN_ENV_MOST)
            return errand__fail(err, ERRAND_EINVAL, 0, "env: over %d variables", PLAN_ENV_MOST);
        /* A value may be a secret: neither it nor what may be one is quoted. */
        if (equals == NULL || equals == env[i])
            return errand__fail(err, ERRAND_EINVAL, 0, "env: entry %zu is not NAME=VALUE", i + 1);
        if (!errand__utf8_valid(span_text(env[i]), NULL))
            return errand__fail(err, ERRAND_EINVAL, 0, "env: %.*s is not UTF-8",
                                (int)(equals - env[i] > 64 ? 64 : equals - env[i]), env[i]);
    }
    return ERRAND_OK;
}

static errand_status check(const errand_run_options *options, errand_error *err)
{
    errand_status status = check_program(options, err);
    if (status != ERRAND_OK)
        return status;
    if (options->namespaces_count > PLAN_SPACES_MOST)
        return errand__fail(err, ERRAND_EINVAL, 0, "over %d namespaces", PLAN_SPACES_MOST);
    status = errand__names_check(options->namespaces, options->namespaces_count, err);
    if (status != ERRAND_OK)
        return status;
    return check_env(options->env, err);
}

/* --- Copies ----------------------------------------------------------------------------------- */

static void free_strings(char **strings)
{
    for (size_t i = 0; strings != NULL && strings[i] != NULL; i++)
        errand__mem_free(strings[i]);
    errand__mem_free(strings);
}

static char **copy_strings(const char *const *strings, size_t *out_count)
{
    size_t count = 0;

    while (strings != NULL && strings[count] != NULL)
        count++;
    char **copy = errand__mem_new(count + 1, sizeof(*copy));
    for (size_t i = 0; copy != NULL && i < count; i++) {
        copy[i] = errand__mem_copy(strings[i], strlen(strings[i]));
        if (copy[i] == NULL) {
            free_strings(copy); /* Ends at the one that is missing. */
            return NULL;
        }
    }
    if (out_count != NULL)
        *out_count = count;
    return copy;
}

static char *copy_or(const char *text, const char *standard)
{
    const char *chosen = text == NULL ? standard : text;
    return errand__mem_copy(chosen, strlen(chosen));
}

static bool copy_space(struct plan *plan, size_t i, const errand_namespace *from)
{
    struct core_space *space = &plan->spaces[i];

    space->name = errand__mem_copy(from->name, strlen(from->name));
    space->functions = (const char *const *)copy_strings(from->functions, &space->functions_count);
    plan->classes[i] = copy_or(from->error_class, NAMES_ERROR_CLASS);
    plan->members[i] = copy_or(from->error_member, NAMES_ERROR_MEMBER);
    return space->name != NULL && space->functions != NULL && plan->classes[i] != NULL &&
           plan->members[i] != NULL;
}

static bool copy(struct plan *plan, const errand_run_options *options)
{
    size_t count = options->namespaces_count;

    plan->program = errand__mem_copy(options->program.ptr, options->program.len);
    plan->program_len = options->program.len;
    plan->name = copy_or(options->name, PLAN_NAME_STANDARD);
    plan->env = copy_strings(options->env, NULL);
    plan->spaces = errand__mem_new(count + 1, sizeof(*plan->spaces));
    plan->classes = errand__mem_new(count + 1, sizeof(*plan->classes));
    plan->members = errand__mem_new(count + 1, sizeof(*plan->members));
    if (plan->program == NULL || plan->name == NULL || plan->env == NULL || plan->spaces == NULL ||
        plan->classes == NULL || plan->members == NULL)
        return false;
    plan->spaces_count = count;
    for (size_t i = 0; i < count; i++) {
        if (!copy_space(plan, i, &options->namespaces[i]))
            return false;
    }
    return true;
}

errand_status errand__plan_init(struct plan *plan, const errand_run_options *options,
                                uint64_t road_lease_ms, errand_error *err)
{
    errand_run_options given = ERRAND_RUN_OPTIONS_INIT;

    *plan = (struct plan){0};
    errand_status status = errand__sized_copy(&given, sizeof(given), options, "run options", err);
    if (status == ERRAND_OK)
        status = check(&given, err);
    if (status == ERRAND_OK)
        status = errand__limits_complete(&plan->limits, given.limits, road_lease_ms, err);
    if (status != ERRAND_OK)
        return status;
    plan->language = given.language;
    plan->values = given.values;
    plan->collect_logs = given.collect_logs != 0;
    plan->trace = given.trace;
    plan->trace_ctx = given.trace_ctx;
    plan->record = given.record;
    plan->record_ctx = given.record_ctx;
    plan->user = given.user;
    if (copy(plan, &given))
        return ERRAND_OK;
    errand__plan_deinit(plan);
    return errand__fail(err, ERRAND_ENOMEM, 0, "run: out of memory");
}

void errand__plan_forget_program(struct plan *plan)
{
    errand__mem_free(plan->program);
    free_strings(plan->env);
    plan->program = NULL;
    plan->program_len = 0;
    plan->env = NULL;
}

void errand__plan_deinit(struct plan *plan)
{
    errand__plan_forget_program(plan);
    for (size_t i = 0; i < plan->spaces_count; i++) {
        errand__mem_free((void *)plan->spaces[i].name);
        free_strings((char **)plan->spaces[i].functions);
        errand__mem_free(plan->classes[i]);
        errand__mem_free(plan->members[i]);
    }
    errand__mem_free(plan->spaces);
    errand__mem_free(plan->classes);
    errand__mem_free(plan->members);
    errand__mem_free(plan->name);
    *plan = (struct plan){0};
}
