/* bare.c - each global is either a function or an object with functions, and one thing only. */
#include "run/bare.h"

#include "base/err.h"
#include "base/mem.h"
#include "run/binding.h"
#include "run/name_set.h"
#include "run/shown.h"

enum { GLOBAL_NAME_MOST = 256 };

/* What the globals of bare namespaces are. */
struct globals {
    struct name_set functions; /* Whole names. */
    struct name_set objects;   /* What stands before a dot. */
};

static errand_span head_of(const char *name)
{
    return span_of(name, strcspn(name, "."));
}

static errand_status check_words(const char *name, errand_error *err)
{
    char head[GLOBAL_NAME_MOST + 1];
    errand_span span = head_of(name);

    memcpy(head, name, span.len);
    head[span.len] = '\0';
    if (strcmp(head, "tools") == 0)
        return errand__fail(err, ERRAND_EINVAL, 0, "global \"%s\": tools is a namespace's name",
                            name);
    errand_status status = errand__binding_check("global", head, err);
    if (status == ERRAND_OK && name[span.len] == '.' &&
        !errand__binding_is_identifier(name + span.len + 1))
        status =
            errand__fail(err, ERRAND_EINVAL, 0,
                         "global \"%s\": wants an identifier, or two with a dot between", name);
    return status;
}

static errand_status check_global(struct globals *globals, const char *name, errand_error *err)
{
    errand_span head = head_of(name);
    bool dotted = name[head.len] == '.';

    errand_status status = check_words(name, err);
    if (status != ERRAND_OK)
        return status;
    if (!errand__name_set_put(&globals->functions, span_text(errand__shown_own(name))))
        return errand__fail(err, ERRAND_EINVAL, 0, "two globals are called %s", name);
    if (dotted)
        (void)errand__name_set_put(&globals->objects, head);
    if (dotted ? errand__name_set_has(&globals->functions, head)
               : errand__name_set_has(&globals->objects, span_text(errand__shown_own(name))))
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "global \"%s\" conflicts with the namespace of that name", name);
    return ERRAND_OK;
}

static bool is_taken(const struct globals *globals, const char *name)
{
    return errand__name_set_has(&globals->functions, span_text(name)) ||
           errand__name_set_has(&globals->objects, span_text(name));
}

static errand_status check_others(const struct globals *globals, const errand_namespace *space,
                                  errand_error *err)
{
    const char *class = errand__binding_class_of(space);

    if (!space->bare && is_taken(globals, space->name))
        return errand__fail(err, ERRAND_EINVAL, 0, "global \"%s\" conflicts with the namespace",
                            space->name);
    if (is_taken(globals, class))
        return errand__fail(err, ERRAND_EINVAL, 0, "global \"%s\" conflicts with an error class",
                            class);
    return ERRAND_OK;
}

static errand_status check_all(struct globals *globals, const errand_namespace *namespaces,
                               size_t count, errand_error *err)
{
    errand_status status = ERRAND_OK;

    for (size_t i = 0; i < count; i++) {
        const char *const *functions = namespaces[i].functions;
        for (size_t k = 0; namespaces[i].bare && functions != NULL && functions[k] != NULL; k++) {
            status = check_global(globals, functions[k], err);
            if (status != ERRAND_OK)
                return status;
        }
    }
    for (size_t i = 0; status == ERRAND_OK && i < count; i++)
        status = check_others(globals, &namespaces[i], err);
    return status;
}

static size_t count_bare(const errand_namespace *namespaces, size_t count)
{
    size_t total = 0;

    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; namespaces[i].bare && namespaces[i].functions != NULL &&
                           namespaces[i].functions[k] != NULL;
             k++)
            total++;
    }
    return total;
}

errand_status errand__bare_check(const errand_namespace *namespaces, size_t count,
                                 errand_error *err)
{
    size_t most = count_bare(namespaces, count);
    struct globals globals = {{0}, {0}};

    if (most == 0)
        return ERRAND_OK;
    errand_status status = errand__name_set_init(&globals.functions, most);
    if (status == ERRAND_OK)
        status = errand__name_set_init(&globals.objects, most);
    if (status == ERRAND_OK)
        status = check_all(&globals, namespaces, count, err);
    else
        (void)errand__fail(err, status, 0, "namespaces: out of memory");
    errand__name_set_deinit(&globals.functions);
    errand__name_set_deinit(&globals.objects);
    return status;
}
