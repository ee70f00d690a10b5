/* plan.c - checks and copies the options of a run. */
#include "run/plan.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "core/json.h"
#include "core/json_path.h"
#include "core/utf8.h"
#include "run/abouts.h"
#include "run/binding.h"
#include "run/limits.h"
#include "run/names.h"
#include "run/schema.h"
#include "run/sized.h"

#include <errand/value.h>

#define PLAN_NAME_STANDARD "program"

enum {
    PLAN_SPACES_MOST = 1024,
    PLAN_ENV_MOST = 4096,
    PLAN_MODULES_MOST = 1024,
    PLAN_MODULE_NAME_MOST = 1024,
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
    if (options->values > ERRAND_VALUES_RICH)
        return errand__fail(err, ERRAND_EINVAL, 0, "values: no such kind (%d)",
                            (int)options->values);
    if (options->accept > ERRAND_ACCEPT_EXACT)
        return errand__fail(err, ERRAND_EINVAL, 0, "accept: no such way (%d)",
                            (int)options->accept);
    if (options->globals > ERRAND_GLOBALS_PURE)
        return errand__fail(err, ERRAND_EINVAL, 0, "globals: no such set (%d)",
                            (int)options->globals);
    if (options->network > ERRAND_NETWORK_OFF)
        return errand__fail(err, ERRAND_EINVAL, 0, "network: no such state (%d)",
                            (int)options->network);
    return ERRAND_OK;
}

/* lossy: where its first integer stands that a double may not hold. */
static errand_status check_json(const char *area, errand_span json, size_t *lossy,
                                errand_error *err)
{
    size_t wrong = 0;

    *lossy = SIZE_MAX;
    if (json.len == 0)
        return ERRAND_OK;
    if (json.ptr == NULL)
        return errand__fail(err, ERRAND_EINVAL, 0, "%s: no bytes at its pointer", area);
    if (!errand__json_valid_exact(json, &wrong, lossy))
        return errand__fail(err, ERRAND_EINVAL, 0, "%s: no JSON text at byte %zu", area, wrong);
    return ERRAND_OK;
}

static errand_status check_input(const errand_run_options *options, errand_error *err)
{
    size_t lossy;
    errand_status status = check_json("input", options->input, &lossy, err);

    if (status == ERRAND_OK && options->values == ERRAND_VALUES_STRICT && lossy != SIZE_MAX)
        return errand__json_lossy(err, "input", options->input, lossy);
    if (status != ERRAND_OK || options->values != ERRAND_VALUES_RICH)
        return status;
    static const char area[] = "value: ";
    errand_error why = {0};
    status = errand_value_check(options->values, options->input, &why);
    if (status == ERRAND_OK)
        return status;
    return errand__fail(err, status, 0, "input: %s", why.text + sizeof(area) - 1);
}

static errand_status check_store(const errand_run_options *options, errand_error *err)
{
    size_t lossy;
    errand_status status = check_json("store", options->store, &lossy, err);

    if (status == ERRAND_OK && options->store.len > 0 && !errand__json_is_object(options->store))
        return errand__fail(err, ERRAND_EINVAL, 0, "store: no JSON object");
    return status;
}

static errand_status check_modules(const errand_run_options *options, errand_error *err)
{
    if (options->modules_count > PLAN_MODULES_MOST)
        return errand__fail(err, ERRAND_EINVAL, 0, "over %d modules", PLAN_MODULES_MOST);
    for (size_t i = 0; i < options->modules_count; i++) {
        const errand_module *module = &options->modules[i];
        if (module->name == NULL || module->name[0] == '\0' ||
            strlen(module->name) > PLAN_MODULE_NAME_MOST ||
            !errand__utf8_valid(span_text(module->name), NULL))
            return errand__fail(err, ERRAND_EINVAL, 0,
                                "module %zu: its name is empty, no UTF-8, or over %d bytes", i + 1,
                                PLAN_MODULE_NAME_MOST);
        if (module->source.ptr == NULL && module->source.len > 0)
            return errand__fail(err, ERRAND_EINVAL, 0, "module %s: no bytes at its pointer",
                                module->name);
        if (!errand__utf8_valid(module->source, NULL))
            return errand__fail(err, ERRAND_EINVAL, 0, "module %s: not UTF-8", module->name);
        for (size_t j = 0; j < i; j++) {
            if (strcmp(options->modules[j].name, module->name) == 0)
                return errand__fail(err, ERRAND_EINVAL, 0, "two modules are called %s",
                                    module->name);
        }
    }
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

static errand_status check_failures(const errand_run_options *options, errand_error *err)
{
    for (size_t i = 0; i < options->namespaces_count; i++) {
        if (options->namespaces[i].failures > ERRAND_FAILURES_VALUE)
            return errand__fail(err, ERRAND_EINVAL, 0, "namespace %s: failures: no such way (%d)",
                                options->namespaces[i].name, (int)options->namespaces[i].failures);
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
    if (status == ERRAND_OK)
        status = errand__abouts_check(options->namespaces, options->namespaces_count, err);
    if (status == ERRAND_OK)
        status = check_failures(options, err);
    if (status == ERRAND_OK)
        status = check_input(options, err);
    if (status == ERRAND_OK)
        status = check_store(options, err);
    if (status == ERRAND_OK)
        status = check_modules(options, err);
    return status == ERRAND_OK ? check_env(options->env, err) : status;
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

static char *copy_text(const char *text)
{
    return errand__mem_copy(text, strlen(text));
}

/* Of a schema what the program is told: its type. */
static bool copy_type(char **out, const char *schema)
{
    struct buf text;

    if (schema == NULL)
        return true;
    errand__buf_init(&text, SIZE_MAX / 2);
    if (errand__schema_type(&text, schema, 0) == ERRAND_OK)
        *out = errand__mem_copy(errand__buf_peek(&text).ptr, errand__buf_peek(&text).len);
    errand__buf_deinit(&text);
    return *out != NULL;
}

/* Only tools can be searched. */
static bool copy_abouts(struct plan_space *extra, const errand_namespace *from, size_t count)
{
    if (from->abouts == NULL || from->bare || strcmp(from->name, "tools") != 0)
        return true;
    extra->abouts = errand__mem_new(count + 1, sizeof(*extra->abouts));
    if (extra->abouts == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        const errand_about *about = &from->abouts[i];
        struct plan_about *copy = &extra->abouts[i];
        const char *words = about->description;
        if (words != NULL && (copy->description = errand__mem_copy(words, strlen(words))) == NULL)
            return false;
        if (!copy_type(&copy->input, about->input_schema) ||
            !copy_type(&copy->output, about->output_schema))
            return false;
    }
    return true;
}

static void free_abouts(struct plan_space *extra, size_t count)
{
    for (size_t i = 0; extra->abouts != NULL && i < count; i++) {
        errand__mem_free(extra->abouts[i].description);
        errand__mem_free(extra->abouts[i].input);
        errand__mem_free(extra->abouts[i].output);
    }
    errand__mem_free(extra->abouts);
    extra->abouts = NULL;
}

static bool copy_space(struct plan *plan, size_t i, const errand_namespace *from)
{
    struct core_space *space = &plan->spaces[i];
    struct plan_space *extra = &plan->extras[i];

    space->name = errand__mem_copy(from->name, strlen(from->name));
    space->functions = (const char *const *)copy_strings(from->functions, &space->functions_count);
    extra->error_class = copy_text(errand__binding_class_of(from));
    extra->error_member = copy_text(errand__binding_member_of(from));
    extra->failures = from->failures;
    extra->spread = from->spread != 0;
    extra->bare = from->bare != 0;
    return space->name != NULL && space->functions != NULL && extra->error_class != NULL &&
           extra->error_member != NULL && copy_abouts(extra, from, space->functions_count);
}

static bool copy_spaces(struct plan *plan, const errand_run_options *options)
{
    size_t count = options->namespaces_count;

    plan->spaces = errand__mem_new(count + 1, sizeof(*plan->spaces));
    plan->extras = errand__mem_new(count + 1, sizeof(*plan->extras));
    if (plan->spaces == NULL || plan->extras == NULL)
        return false;
    plan->spaces_count = count;
    for (size_t i = 0; i < count; i++) {
        if (!copy_space(plan, i, &options->namespaces[i]))
            return false;
    }
    return true;
}

/* An empty span is none. */
static bool copy_span(char **out, size_t *out_len, errand_span from)
{
    if (from.len == 0)
        return true;
    *out = errand__mem_copy(from.ptr, from.len);
    *out_len = from.len;
    return *out != NULL;
}

static bool copy_modules(struct plan *plan, const errand_run_options *options)
{
    plan->modules = errand__mem_new(options->modules_count + 1, sizeof(*plan->modules));
    if (plan->modules == NULL)
        return false;
    plan->modules_count = options->modules_count;
    for (size_t i = 0; i < options->modules_count; i++) {
        const errand_module *from = &options->modules[i];
        struct plan_module *module = &plan->modules[i];
        module->name = errand__mem_copy(from->name, strlen(from->name));
        module->source = errand__mem_copy(from->source.ptr, from->source.len);
        module->source_len = from->source.len;
        if (module->name == NULL || module->source == NULL)
            return false;
    }
    return true;
}

/* Stacks are read by lines. */
static char *copy_name(const char *name)
{
    char *copy = copy_text(name == NULL ? PLAN_NAME_STANDARD : name);

    for (char *at = copy; at != NULL && *at != '\0'; at++) {
        if (*at == '\n' || *at == '\r')
            *at = ' ';
    }
    return copy;
}

static bool copy(struct plan *plan, const errand_run_options *options)
{
    plan->program = errand__mem_copy(options->program.ptr, options->program.len);
    plan->program_len = options->program.len;
    plan->name = copy_name(options->name);
    plan->env = copy_strings(options->env, NULL);
    return plan->program != NULL && plan->name != NULL && plan->env != NULL &&
           copy_span(&plan->input, &plan->input_len, options->input) &&
           copy_span(&plan->store, &plan->store_len, options->store) &&
           copy_modules(plan, options) && copy_spaces(plan, options);
}

/* What nobody reads where nothing runs is checked, and then stays here: without namespaces there is
 * nothing that the far side could call. */
static void drop_unread(errand_run_options *given)
{
    given->namespaces_count = 0;
    given->env = NULL;
    given->input = given->store = SPAN_EMPTY;
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
    if (given.check_only)
        drop_unread(&given);
    plan->language = given.language;
    plan->values = given.values;
    plan->accept = given.accept;
    plan->globals = given.globals;
    plan->network = given.network;
    plan->last_value = given.last_value != 0;
    plan->check_only = given.check_only != 0;
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
    errand__mem_free(plan->input);
    errand__mem_free(plan->store);
    for (size_t i = 0; i < plan->modules_count; i++) {
        errand__mem_free(plan->modules[i].name);
        errand__mem_free(plan->modules[i].source);
    }
    errand__mem_free(plan->modules);
    for (size_t i = 0; i < plan->spaces_count; i++)
        free_abouts(&plan->extras[i], plan->spaces[i].functions_count);
    plan->program = plan->input = plan->store = NULL;
    plan->modules = NULL;
    plan->program_len = plan->input_len = plan->store_len = plan->modules_count = 0;
    plan->env = NULL;
}

void errand__plan_deinit(struct plan *plan)
{
    errand__plan_forget_program(plan);
    for (size_t i = 0; i < plan->spaces_count; i++) {
        errand__mem_free((void *)plan->spaces[i].name);
        free_strings((char **)plan->spaces[i].functions);
        errand__mem_free(plan->extras[i].error_class);
        errand__mem_free(plan->extras[i].error_member);
        free_abouts(&plan->extras[i], plan->spaces[i].functions_count);
    }
    errand__mem_free(plan->spaces);
    errand__mem_free(plan->extras);
    errand__mem_free(plan->name);
    *plan = (struct plan){0};
}
