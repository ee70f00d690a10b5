/* names.c - one namespace after the other, and each against those before it. */
#include "run/names.h"

#include "base/err.h"
#include "core/utf8.h"
#include "run/bare.h"
#include "run/binding.h"
#include "run/name_set.h"
#include "run/shown.h"

enum {
    NAMES_LEN_MOST = BINDING_LEN_MOST, /* Of a function. */
    NAMES_FUNCTIONS_MOST = 65536       /* Of one namespace. */
};

/* --- Functions ---------------------------------------------------------------------------- */

static errand_status check_each(const errand_namespace *space, size_t count, struct name_set *seen,
                                errand_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const char *name = space->functions[i];
        size_t len = strlen(name);
        if (len == 0 || len > NAMES_LEN_MOST)
            return errand__fail(err, ERRAND_EINVAL, 0,
                                "namespace %s: a function's name has 1 to %d bytes, not %zu",
                                space->name, NAMES_LEN_MOST, len);
        if (!errand__utf8_valid(span_of(name, len), NULL))
            return errand__fail(err, ERRAND_EINVAL, 0,
                                "namespace %s: the name of function %zu is not UTF-8", space->name,
                                i + 1);
        if (!errand__name_set_put(seen, span_text(errand__shown_own(name))))
            return errand__fail(err, ERRAND_EINVAL, 0, "namespace %s: two functions are called %s",
                                space->name, errand__shown_own(name));
    }
    return ERRAND_OK;
}

static errand_status check_functions(const errand_namespace *space, errand_error *err)
{
    size_t count = 0;

    while (space->functions != NULL && space->functions[count] != NULL) {
        if (++count > NAMES_FUNCTIONS_MOST)
            return errand__fail(err, ERRAND_EINVAL, 0, "namespace %s: over %d functions",
                                space->name, NAMES_FUNCTIONS_MOST);
    }
    struct name_set seen;
    if (errand__name_set_init(&seen, count) != ERRAND_OK)
        return errand__fail(err, ERRAND_ENOMEM, 0, "namespace %s: out of memory", space->name);
    errand_status status = check_each(space, count, &seen, err);
    errand__name_set_deinit(&seen);
    return status;
}

/* --- Namespaces --------------------------------------------------------------------------- */

static const char *const error_properties[] = {
    "name", "message", "stack", "cause", "code", "data", "constructor", "toString", "__proto__",
};

static bool is_property_of_errors(const char *name)
{
    for (size_t i = 0; i < COUNT(error_properties); i++) {
        if (strcmp(name, error_properties[i]) == 0)
            return true;
    }
    return false;
}

static errand_status check_member(const errand_namespace *space, errand_error *err)
{
    const char *member = space->error_member;

    if (member == NULL)
        return ERRAND_OK;
    if (!errand__binding_is_identifier(member) || is_property_of_errors(member))
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "namespace %s: error member property \"%.64s\" is not usable",
                            space->name, member);
    return ERRAND_OK;
}

/* Two namespaces may share an error class; nothing else may have one name. */
static errand_status check_against(const errand_namespace *space, const errand_namespace *earlier,
                                   errand_error *err)
{
    if (strcmp(space->name, earlier->name) == 0)
        return errand__fail(err, ERRAND_EINVAL, 0, "duplicate namespace \"%s\"", space->name);
    if (strcmp(space->name, errand__binding_class_of(earlier)) == 0 ||
        strcmp(errand__binding_class_of(space), earlier->name) == 0)
        return errand__fail(
            err, ERRAND_EINVAL, 0, "namespace \"%s\" and an error class have one name",
            strcmp(space->name, errand__binding_class_of(earlier)) == 0 ? space->name
                                                                        : earlier->name);
    return ERRAND_OK;
}

errand_status errand__names_check(const errand_namespace *namespaces, size_t count,
                                  errand_error *err)
{
    if (count > 0 && namespaces == NULL)
        return errand__fail(err, ERRAND_EINVAL, 0, "namespaces: %zu, but none at their pointer",
                            count);
    for (size_t i = 0; i < count; i++) {
        const errand_namespace *space = &namespaces[i];
        errand_status status = errand__binding_check("namespace", space->name, err);
        if (status == ERRAND_OK)
            status = errand__binding_check("error class", errand__binding_class_of(space), err);
        if (status == ERRAND_OK && strcmp(space->name, errand__binding_class_of(space)) == 0)
            status =
                errand__fail(err, ERRAND_EINVAL, 0,
                             "namespace \"%s\" and its error class have one name", space->name);
        if (status == ERRAND_OK)
            status = check_member(space, err);
        if (status == ERRAND_OK)
            status = check_functions(space, err);
        for (size_t j = 0; status == ERRAND_OK && j < i; j++)
            status = check_against(space, &namespaces[j], err);
        if (status != ERRAND_OK)
            return status;
    }
    return errand__bare_check(namespaces, count, err);
}
