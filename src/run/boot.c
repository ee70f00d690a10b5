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

static json_t *spaces_of(const struct plan *plan)
{
    json_auto_t *spaces = json_array();

    for (size_t i = 0; i < plan->spaces_count; i++) {
        json_t *functions = json_array();
        for (size_t j = 0; j < plan->spaces[i].functions_count; j++)
            (void)json_array_append_new(functions, json_string(plan->spaces[i].functions[j]));
        json_t *space = json_pack("{s:s, s:o, s:s, s:s}", "name", plan->spaces[i].name, "functions",
                                  functions, "error", plan->classes[i], "member", plan->members[i]);
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

    if (errand__amaro.len > 0)
        (void)json_object_set_new(assets, "amaro", json_string(errand__amaro_sha256));
    return assets;
}

errand_status errand__plan_boot(const struct plan *plan, char **out, size_t *out_len,
                                errand_error *err)
{
    json_auto_t *boot =
        json_pack("{s:i, s:o, s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "protocol", BOOT_PROTOCOL,
                  "program", json_stringn(plan->program, plan->program_len), "name", plan->name,
                  "language", language_name(plan->language), "values",
                  plan->values == ERRAND_VALUES_JSON ? "json" : "strict", "spaces", spaces_of(plan),
                  "env", env_of(plan), "limits", limits_of(&plan->limits), "assets", assets_of());
    if (boot != NULL && plan->reattaches)
        (void)json_object_set_new(boot, "segments",
                                  json_integer((json_int_t)plan->limits.replay_bytes));
    if (boot == NULL)
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
