/* tools.c - a list, grouped into namespaces at the end; starts nothing. */
#include "cli/tools.h"
#include "base/err.h"
#include "base/mem.h"
#include "cli/near.h"
#include "cli/need.h"

static const char plain_space[] = "tools";
/* Of functions that are globals; the program does not see it. */
static const char global_space[] = "globals";

static bool same_name(const struct tool *a, const struct tool *b)
{
    return a->global == b->global && strcmp(a->space, b->space) == 0 &&
           strcmp(a->member, b->member) == 0;
}

static void tool_deinit(struct tool *tool)
{
    errand__mem_free(tool->name);
    errand__mem_free(tool->space);
    errand__mem_free(tool->command);
    errand__mem_free(tool->description);
    errand__mem_free(tool->input_schema);
    errand__mem_free(tool->output_schema);
}

void tool_words_deinit(struct tool_words *words)
{
    errand__mem_free(words->description);
    errand__mem_free(words->input_schema);
    errand__mem_free(words->output_schema);
    *words = (struct tool_words){0};
}

static char *copy_or_null(const char *text)
{
    return text == NULL ? NULL : need_copy(text, strlen(text));
}

static void name_tool(struct tool *tool, errand_span name)
{
    tool->name = need_copy(name.ptr, name.len);
    char *dot = strchr(tool->name, '.');
    if (tool->global) {
        tool->space = need_copy(global_space, strlen(global_space));
        tool->member = tool->name;
        return;
    }
    if (dot == NULL) {
        tool->space = need_copy(plain_space, strlen(plain_space));
        tool->member = tool->name;
        return;
    }
    tool->space = need_copy(tool->name, (size_t)(dot - tool->name));
    tool->member = dot + 1;
}

static errand_status two_of_one_name(const struct tool *first, const struct tool *second,
                                     errand_error *err)
{
    /* A shell line may hold a secret; a path may be told. */
    return errand__fail(err, ERRAND_EINVAL, 0, "tools: two are called %s.%s: %.80s and %.80s",
                        second->space, second->member,
                        first->executable ? first->command : "that of --tool",
                        second->executable ? second->command : "that of --tool");
}

/* Takes what tool owns, also on failure. */
static errand_status add(struct tools *tools, struct tool *tool, errand_error *err)
{
    errand_status status = ERRAND_OK;

    if (tool->space[0] == '\0' || tool->member[0] == '\0')
        status =
            errand__fail(err, ERRAND_EINVAL, 0, "tools: '%s' is no name for a tool", tool->name);
    if (tools->count == TOOLS_MAX)
        status = errand__fail(err, ERRAND_EINVAL, 0, "tools: more than %d", TOOLS_MAX);
    for (size_t i = 0; i < tools->count && status == ERRAND_OK; i++) {
        if (same_name(&tools->list[i], tool))
            status = two_of_one_name(&tools->list[i], tool, err);
    }
    if (status != ERRAND_OK) {
        tool_deinit(tool);
        return status;
    }
    if (tools->count == tools->room) {
        tools->room = tools->room == 0 ? 16 : tools->room * 2;
        tools->list = need_resize(tools->list, tools->room * sizeof(*tools->list));
    }
    tools->list[tools->count++] = *tool;
    return ERRAND_OK;
}

static errand_status add_words(struct tools *tools, const char *words, bool global,
                               errand_error *err)
{
    const char *option = global ? "--global" : "--tool";
    const char *equals = strchr(words, '=');
    struct tool tool = {.global = global};

    if (equals == NULL || equals == words)
        return errand__fail(err, ERRAND_EINVAL, 0, "%s %s: wants NAME=COMMAND", option, words);
    if (equals[1] == '\0')
        return errand__fail(err, ERRAND_EINVAL, 0, "%s %s: the command is empty", option, words);
    name_tool(&tool, span_of(words, (size_t)(equals - words)));
    tool.command = need_copy(equals + 1, strlen(equals + 1));
    return add(tools, &tool, err);
}

errand_status tools_add_line(struct tools *tools, const char *words, errand_error *err)
{
    return add_words(tools, words, false, err);
}

errand_status tools_add_global(struct tools *tools, const char *words, errand_error *err)
{
    return add_words(tools, words, true, err);
}

errand_status tools_add_file(struct tools *tools, errand_span name, const char *path,
                             const struct tool_words *words, errand_error *err)
{
    struct tool tool = {.executable = true};

    name_tool(&tool, name);
    tool.command = need_copy(path, strlen(path));
    tool.description = copy_or_null(words->description);
    tool.input_schema = copy_or_null(words->input_schema);
    tool.output_schema = copy_or_null(words->output_schema);
    return add(tools, &tool, err);
}

static bool ask_for(struct tools *tools, const char *name, bool global)
{
    struct tool wanted = {.global = global};
    bool found = false;

    name_tool(&wanted, span_text(name));
    for (size_t i = 0; i < tools->count && !found; i++) {
        found = same_name(&tools->list[i], &wanted);
        tools->list[i].ask = tools->list[i].ask || found;
    }
    tool_deinit(&wanted);
    return found;
}

errand_status tools_ask(struct tools *tools, const char *name, errand_error *err)
{
    bool found = ask_for(tools, name, false);

    found = ask_for(tools, name, true) || found;
    if (found)
        return ERRAND_OK;
    AUTO_FREE const char **names = need_new(tools->count + 1, sizeof(*names));
    for (size_t i = 0; i < tools->count; i++)
        names[i] = tools->list[i].name;
    const char *meant = near_word(name, names, tools->count);
    return errand__fail(err, ERRAND_EINVAL, 0, "--ask %s: there is no such tool%s%s%s", name,
                        meant == NULL ? "" : "; did you mean ", meant == NULL ? "" : meant,
                        meant == NULL ? "" : "?");
}

static size_t find_space(struct tools *tools, const struct tool *tool)
{
    for (size_t i = 0; i < tools->spaces_count; i++) {
        if (strcmp(tools->spaces[i].name, tool->space) == 0 &&
            (tools->spaces[i].bare != 0) == tool->global)
            return i;
    }
    tools->spaces[tools->spaces_count] = (errand_namespace){.name = tool->space,
                                                            .failures = tools->failures,
                                                            .spread = tool->global,
                                                            .bare = tool->global};
    return tools->spaces_count++;
}

static void fill_space(struct tools *tools, size_t space, const size_t *space_of)
{
    const char **functions = need_new(tools->count + 1, sizeof(*functions));
    size_t *indexes = need_new(tools->count, sizeof(*indexes));
    errand_about *abouts = need_new(tools->count, sizeof(*abouts));
    size_t count = 0;

    for (size_t i = 0; i < tools->count; i++) {
        if (space_of[i] != space)
            continue;
        const struct tool *tool = &tools->list[i];
        functions[count] = tool->member;
        abouts[count] = (errand_about){tool->description, tool->input_schema, tool->output_schema};
        indexes[count++] = i;
    }
    tools->spaces[space].abouts = abouts;
    tools->spaces[space].functions = functions;
    tools->indexes[space] = indexes;
}

void tools_group(struct tools *tools)
{
    if (tools->count == 0)
        return;
    AUTO_FREE size_t *space_of = need_new(tools->count, sizeof(*space_of));
    tools->spaces = need_new(tools->count, sizeof(*tools->spaces));
    tools->indexes = need_new(tools->count, sizeof(*tools->indexes));
    for (size_t i = 0; i < tools->count; i++)
        space_of[i] = find_space(tools, &tools->list[i]);
    for (size_t space = 0; space < tools->spaces_count; space++)
        fill_space(tools, space, space_of);
}

void tools_deinit(struct tools *tools)
{
    for (size_t i = 0; i < tools->spaces_count; i++) {
        errand__mem_free((void *)(uintptr_t)tools->spaces[i].functions);
        errand__mem_free((void *)(uintptr_t)tools->spaces[i].abouts);
        errand__mem_free(tools->indexes[i]);
    }
    errand__mem_free(tools->spaces);
    errand__mem_free(tools->indexes);
    for (size_t i = 0; i < tools->count; i++)
        tool_deinit(&tools->list[i]);
    errand__mem_free(tools->list);
    *tools = (struct tools){0};
}
