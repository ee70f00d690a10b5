/* boot.c - the boot message. jansson writes it: what goes in is ours and checked. */
#include "run/plan.h"

#include "base/err.h"
#include "base/mem.h"
#include "run/launch.h"

#include <jansson.h>

enum { BOOT_PROTOCOL = 1 };

static const char *language_name(errand_language language)
{
    switch (language) {
    case ERRAND_LANGUAGE_AUTO:
        return "auto";
    case ERRAND_LANGUAGE_JS:
        return "js";
    case ERRAND_LANGUAGE_TS:
        return "ts";
    }
    return "auto";
}

/* What may not be told stays out: null, or a member less. */
static json_t *abouts_of(const struct plan_about *abouts, size_t count)
{
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++) {
        const struct plan_about *about = &abouts[i];
        if (about->description == NULL && about->input == NULL && about->output == NULL) {
            (void)json_array_append_new(list, json_null());
            continue;
        }
        (void)json_array_append_new(list, json_pack("{s:s*, s:s*, s:s*}", "description",
                                                    about->description, "input", about->input,
                                                    "output", about->output));
    }
    return list;
}

static json_t *spaces_of(const struct plan *plan)
{
    json_auto_t *spaces = json_array();

    for (size_t i = 0; i < plan->spaces_count; i++) {
        json_t *functions = json_array();
        for (size_t j = 0; j < plan->spaces[i].functions_count; j++)
            (void)json_array_append_new(functions, json_string(plan->spaces[i].functions[j]));
        const struct plan_space *extra = &plan->extras[i];
        json_t *space =
            json_pack("{s:s, s:o, s:s, s:s}", "name", plan->spaces[i].name, "functions", functions,
                      "error", extra->error_class, "member", extra->error_member);
        if (extra->failures == ERRAND_FAILURES_VALUE)
            (void)json_object_set_new(space, "failures", json_string("value"));
        if (extra->spread)
            (void)json_object_set_new(space, "spread", json_true());
        if (extra->bare)
            (void)json_object_set_new(space, "bare", json_true());
        if (extra->abouts != NULL)
            (void)json_object_set_new(space, "abouts",
                                      abouts_of(extra->abouts, plan->spaces[i].functions_count));
        if (json_array_append_new(spaces, space) != 0)
            return NULL;
    }
    return json_incref(spaces);
}

static json_t *env_of(const struct plan *plan)
{
    json_auto_t *env = json_object();

    for (size_t i = 0; plan->env[i] != NULL; i++) {
        const char *equals = strchr(plan->env[i], '=');
        AUTO_FREE char *name = errand__mem_copy(plan->env[i], (size_t)(equals - plan->env[i]));
        if (name == NULL || json_object_set_new(env, name, json_string(equals + 1)) != 0)
            return NULL;
    }
    return json_incref(env);
}

/* A limit that is off stays out. */
static void put_limit(json_t *limits, const char *name, uint64_t value)
{
    if (value != ERRAND_UNLIMITED && value != 0)
        (void)json_object_set_new(limits, name, json_integer((json_int_t)value));
}

static json_t *limits_of(const errand_limits *limits)
{
    json_t *object = json_object();

    put_limit(object, "compute_ms", limits->compute_ms);
    put_limit(object, "heap_mb", limits->heap_mb);
    put_limit(object, "rss_mb", limits->rss_mb);
    put_limit(object, "output_bytes", limits->output_bytes);
    put_limit(object, "frame_bytes", limits->frame_bytes);
    put_limit(object, "lease_ms", limits->lease_ms);
    put_limit(object, "calls", limits->calls);
    put_limit(object, "calls_open", limits->calls_open);
    put_limit(object, "leave_ms", limits->leave_ms);
    return object;
}

static json_t *assets_of(void)
{
    json_t *assets = json_object();

    for (size_t i = 0; i < errand__assets_count; i++)
        (void)json_object_set_new(assets, errand__assets[i].name.ptr,
                                  json_string(errand__assets_sha256[i]));
    return assets;
}

static const char *values_name(errand_values values)
{
    switch (values) {
    case ERRAND_VALUES_STRICT:
        return "strict";
    case ERRAND_VALUES_JSON:
        return "json";
    case ERRAND_VALUES_RICH:
        return "rich";
    }
    return "strict";
}

static json_t *modules_of(const struct plan *plan)
{
    json_t *modules = json_object();

    for (size_t i = 0; i < plan->modules_count; i++)
        (void)json_object_set_new(
            modules, plan->modules[i].name,
            json_stringn(plan->modules[i].source, plan->modules[i].source_len));
    return modules;
}

/* What a run has only where it was asked for. JSON texts travel as strings, so that nobody on the
 * way rewrites them. */
static int put_options(json_t *boot, const struct plan *plan)
{
    int failed = 0;

    if (plan->accept == ERRAND_ACCEPT_LENIENT)
        failed |= json_object_set_new(boot, "accept", json_string("lenient"));
    if (plan->last_value)
        failed |= json_object_set_new(boot, "last_value", json_true());
    if (plan->check_only)
        failed |= json_object_set_new(boot, "check", json_true());
    if (plan->globals == ERRAND_GLOBALS_PURE)
        failed |= json_object_set_new(boot, "globals", json_string("pure"));
    if (plan->network == ERRAND_NETWORK_OFF)
        failed |= json_object_set_new(boot, "network", json_string("off"));
    if (plan->input != NULL)
        failed |= json_object_set_new(boot, "input", json_stringn(plan->input, plan->input_len));
    if (plan->store != NULL)
        failed |= json_object_set_new(boot, "store", json_stringn(plan->store, plan->store_len));
    if (plan->modules_count > 0)
        failed |= json_object_set_new(boot, "modules", modules_of(plan));
    if (plan->reattaches)
        failed |= json_object_set_new(boot, "segments",
                                      json_integer((json_int_t)plan->limits.replay_bytes));
    return failed;
}

errand_status errand__plan_boot(const struct plan *plan, char **out, size_t *out_len,
                                errand_error *err)
{
    json_auto_t *boot =
        json_pack("{s:i, s:o, s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "protocol", BOOT_PROTOCOL,
                  "program", json_stringn(plan->program, plan->program_len), "name", plan->name,
                  "language", language_name(plan->language), "values", values_name(plan->values),
                  "spaces", spaces_of(plan), "env", env_of(plan), "limits",
                  limits_of(&plan->limits), "assets", assets_of());
    if (boot == NULL || put_options(boot, plan) != 0)
        return errand__fail(err, ERRAND_ENOMEM, 0, "boot: out of memory");
    size_t len = json_dumpb(boot, NULL, 0, JSON_COMPACT);
    char *text = errand__mem_new(len + 1, 1);
    if (len == 0 || text == NULL || json_dumpb(boot, text, len, JSON_COMPACT) != len) {
        errand__mem_free(text);
        return errand__fail(err, ERRAND_ENOMEM, 0, "boot: out of memory");
    }
    *out = text;
    *out_len = len;
    return ERRAND_OK;
}
