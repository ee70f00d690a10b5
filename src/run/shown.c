/* shown.c - the runner lays namespaces out by the same rules (runner-js/src/tools.js). */
#include "run/shown.h"

#include "base/mem.h"
#include "core/utf8.h"
#include "run/name_set.h"

void errand__shown_identifier(char *out, const char *name)
{
    errand_span rest = span_text(name);
    char *at = out;

    while (rest.len > 0) {
        char c = rest.ptr[0];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
        bool digit = c >= '0' && c <= '9' && at != out;
        size_t step = errand__utf8_step(rest);
        *at = '_';
        if (letter || digit)
            *at = c;
        at++;
        rest = span_after(rest, step == 0 ? 1 : step);
    }
    if (at == out)
        *at++ = '_';
    *at = '\0';
    if (strcmp(out, "then") == 0)
        memcpy(out, "then_", sizeof("then_"));
}

const char *errand__shown_own(const char *name)
{
    return strcmp(name, "then") == 0 ? "then_" : name;
}

/* In tools the first to ask for a name gets it. Elsewhere own names come before all. */
static void choose(char **name, const char *own, struct name_set *taken, bool first_wins)
{
    bool same = strcmp(*name, own) == 0;

    if (!first_wins && same)
        return;
    if (errand__name_set_put(taken, span_text(*name)))
        return;
    errand__mem_free(*name);
    *name = errand__mem_copy(own, strlen(own));
    if (*name == NULL || !first_wins)
        return;
    if (!same && errand__name_set_put(taken, span_text(*name)))
        return;
    errand__mem_free(*name);
    *name = NULL;
}

static bool fill(struct shown *shown, const errand_namespace *space, struct name_set *taken)
{
    bool first_wins = strcmp(space->name, "tools") == 0;

    for (size_t i = 0; i < shown->count && space->functions != NULL; i++) {
        const char *name = space->functions[i];
        shown->names[i] = errand__mem_new(strlen(name) + 2 + sizeof("then_"), 1);
        if (shown->names[i] == NULL)
            return false;
        errand__shown_identifier(shown->names[i], name);
        if (!first_wins)
            (void)errand__name_set_put(taken, span_text(errand__shown_own(name)));
    }
    for (size_t i = 0; i < shown->count && space->functions != NULL; i++)
        choose(&shown->names[i], errand__shown_own(space->functions[i]), taken, first_wins);
    return true;
}

errand_status errand__shown_init(struct shown *shown, const errand_namespace *space)
{
    struct name_set taken = {0};
    bool filled = false;

    *shown = (struct shown){0};
    while (space->functions != NULL && space->functions[shown->count] != NULL)
        shown->count++;
    shown->names = errand__mem_new(shown->count + 1, sizeof(*shown->names));
    if (shown->names != NULL && errand__name_set_init(&taken, shown->count * 2) == ERRAND_OK)
        filled = fill(shown, space, &taken);
    errand__name_set_deinit(&taken);
    if (filled)
        return ERRAND_OK;
    errand__shown_deinit(shown);
    return ERRAND_ENOMEM;
}

void errand__shown_deinit(struct shown *shown)
{
    for (size_t i = 0; shown->names != NULL && i < shown->count; i++)
        errand__mem_free(shown->names[i]);
    errand__mem_free(shown->names);
    *shown = (struct shown){0};
}
