/* abouts.c - checks only; declare.c and boot.c make words of what passed. */
#include "run/abouts.h"

#include "base/err.h"
#include "core/json.h"
#include "core/utf8.h"

enum {
    ABOUT_DESCRIPTION_MOST = 64 * 1024,
    ABOUT_SCHEMA_MOST = 1024 * 1024,
    ABOUTS_MOST = 64 * 1024 * 1024 /* All together: it travels with every run. */
};

static errand_status check_schema(const char *which, const char *function, const char *text,
                                  errand_error *err)
{
    errand_span json = errand__json_trim(span_text(text));

    if (json.len > ABOUT_SCHEMA_MOST)
        return errand__fail(err, ERRAND_EINVAL, 0, "about %s: its %s schema is over 1 MiB",
                            function, which);
    if (!errand__json_valid(json, NULL))
        return errand__fail(err, ERRAND_EINVAL, 0, "about %s: its %s schema is no JSON text",
                            function, which);
    if (!errand__json_is_object(json) && !span_is(json, "true") && !span_is(json, "false"))
        return errand__fail(err, ERRAND_EINVAL, 0, "about %s: its %s schema is no JSON object",
                            function, which);
    return ERRAND_OK;
}

static errand_status check_about(const errand_about *about, const char *function, size_t *total,
                                 errand_error *err)
{
    const char *const texts[] = {about->description, about->input_schema, about->output_schema};
    errand_status status = ERRAND_OK;

    for (size_t i = 0; i < COUNT(texts); i++)
        *total += texts[i] == NULL ? 0 : strlen(texts[i]);
    if (about->description != NULL && (strlen(about->description) > ABOUT_DESCRIPTION_MOST ||
                                       !errand__utf8_valid(span_text(about->description), NULL)))
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "about %s: its description is over 64 KiB, or no UTF-8", function);
    if (about->input_schema != NULL)
        status = check_schema("input", function, about->input_schema, err);
    if (status == ERRAND_OK && about->output_schema != NULL)
        status = check_schema("output", function, about->output_schema, err);
    if (status == ERRAND_OK && *total > ABOUTS_MOST)
        status = errand__fail(err, ERRAND_EINVAL, 0, "abouts: over 64 MiB together");
    return status;
}

errand_status errand__abouts_check(const errand_namespace *namespaces, size_t count,
                                   errand_error *err)
{
    size_t total = 0;

    for (size_t i = 0; i < count; i++) {
        const errand_namespace *space = &namespaces[i];
        for (size_t k = 0;
             space->abouts != NULL && space->functions != NULL && space->functions[k] != NULL;
             k++) {
            errand_status status = check_about(&space->abouts[k], space->functions[k], &total, err);
            if (status != ERRAND_OK)
                return status;
        }
    }
    return ERRAND_OK;
}
