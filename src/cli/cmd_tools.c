/* cmd_tools.c - errand tools: which tools there are, for people, programs and models. Runs none of
 * them. */
#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "cli/choice.h"
#include "cli/cmd.h"
#include "cli/ending.h"
#include "cli/need.h"
#include "cli/opt.h"
#include "cli/say.h"
#include "cli/text.h"
#include "cli/tools.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>

enum tools_option {
    OPT_TOOL = 1,
    OPT_TOOLS,
    OPT_GLOBAL,
    OPT_FAILURES,
    OPT_DTS,
    OPT_JSON,
    OPT_HELP
};

static const struct opt tools_options[] = {
    {OPT_TOOLS, 0, "tools", "DIR",
     "each executable file of the folder is a tool;\n"
     "NAME.json beside it describes it"},
    {OPT_TOOL, 0, "tool", "NAME=COMMAND", "a tool, as for errand run"},
    {OPT_GLOBAL, 0, "global", "NAME=COMMAND", "a global function, as for errand run"},
    {OPT_FAILURES, 0, "failures", "HOW", "throw (default) or value, as for errand run"},
    {OPT_DTS, 0, "dts", NULL, "declarations in TypeScript of all that may be called"},
    {OPT_JSON, 0, "json", NULL, "one JSON object a line"},
    {OPT_HELP, 'h', "help", NULL, "this text"},
};

struct wish {
    struct tools tools;
    bool dts, json, help;
};

static errand_status take(struct wish *wish, int option, const char *value, errand_error *err)
{
    switch ((enum tools_option)option) {
    case OPT_TOOL:
        return tools_add_line(&wish->tools, value, err);
    case OPT_TOOLS:
        return tools_add_folder(&wish->tools, value, err);
    case OPT_GLOBAL:
        return tools_add_global(&wish->tools, value, err);
    case OPT_FAILURES:
        return choice_failures(&wish->tools.failures, value, err);
    case OPT_DTS:
        wish->dts = true;
        return ERRAND_OK;
    case OPT_JSON:
        wish->json = true;
        return ERRAND_OK;
    case OPT_HELP:
        wish->help = true;
        return ERRAND_OK;
    }
    return ERRAND_OK;
}

static errand_status parse(struct wish *wish, int argc, char **argv, errand_error *err)
{
    struct opt_scan scan = {tools_options, COUNT(tools_options), argc, argv, 0, false, NULL};
    errand_status status = ERRAND_OK;

    while (status == ERRAND_OK && !wish->help) {
        int option = opt_next(&scan, err);
        if (option == OPT_END)
            break;
        if (option == OPT_BAD)
            return ERRAND_EINVAL;
        status = option == OPT_WORD
                     ? errand__fail(err, ERRAND_EINVAL, 0,
                                    "tools takes no %s; a folder is given by --tools", scan.value)
                     : take(wish, option, scan.value, err);
    }
    if (status != ERRAND_OK || wish->help)
        return status;
    if (wish->dts && wish->json)
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "--dts and --json are two answers to one question");
    if (wish->tools.count == 0)
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "no tools; errand tools wants --tools DIR, --tool or --global");
    tools_group(&wish->tools);
    return ERRAND_OK;
}

/* A name may be any text, and has one line all the same. */
static void add_name(struct buf *out, const char *name)
{
    for (size_t len = strcspn(name, "\n"); name[len] == '\n'; len = strcspn(name, "\n")) {
        text_guarded(out, span_of(name, len));
        text_words(out, "\\n");
        name += len + 1;
    }
    text_guarded(out, span_text(name));
}

/* One line a tool, its description's first behind it. */
static void list(struct buf *out, const struct tools *tools)
{
    size_t widest = 0;

    for (size_t i = 0; i < tools->count; i++) {
        size_t len = strlen(tools->list[i].name);
        if (len > widest && len <= 32)
            widest = len;
    }
    for (size_t i = 0; i < tools->count; i++) {
        const struct tool *tool = &tools->list[i];
        const char *words = tool->description == NULL ? "" : tool->description;
        size_t len = strlen(tool->name);
        words += strspn(words, " \t\r\n");
        add_name(out, tool->name);
        if (words[0] != '\0') {
            text_format(out, "%*s", (int)(len < widest ? widest - len : 0) + 2, "");
            text_guarded(out, span_of(words, strcspn(words, "\r\n")));
        }
        text_words(out, "\n");
    }
}

static json_t *schema_of(const char *text)
{
    return text == NULL ? NULL : json_loads(text, JSON_DECODE_ANY, NULL);
}

static void list_json(struct buf *out, const struct tools *tools)
{
    for (size_t i = 0; i < tools->count; i++) {
        const struct tool *tool = &tools->list[i];
        json_auto_t *line = json_pack(
            "{s:s*, s:s, s:s*, s:o*, s:o*}", "namespace", tool->global ? NULL : tool->space, "name",
            tool->member, "description", tool->description, "input", schema_of(tool->input_schema),
            "output", schema_of(tool->output_schema));
        size_t len = json_dumpb(line, NULL, 0, JSON_COMPACT);
        AUTO_FREE char *text = need_new(len + 1, 1);
        (void)json_dumpb(line, text, len, JSON_COMPACT);
        text_add(out, span_of(text, len));
        text_words(out, "\n");
    }
}

static int print(const struct wish *wish)
{
    errand_error err = {0};
    char *declarations = NULL;
    struct buf out;

    /* Also the judge of names and schemas. */
    if (errand_declarations(wish->tools.spaces, wish->tools.spaces_count, &declarations, &err) !=
        ERRAND_OK)
        return say(EXIT_USAGE, "%s", err.text);
    errand__buf_init(&out, SIZE_MAX / 2);
    if (wish->dts)
        text_words(&out, declarations);
    else if (wish->json)
        list_json(&out, &wish->tools);
    else
        list(&out, &wish->tools);
    errand_declarations_free(declarations);
    errand_span text = errand__buf_peek(&out);
    bool written = fwrite(text.ptr, 1, text.len, stdout) == text.len && fflush(stdout) == 0;
    int why = errno;
    errand__buf_deinit(&out);
    return written ? EXIT_FINE : say(EXIT_USAGE, "standard output: %s", strerrorname_np(why));
}

static int print_help(void)
{
    (void)fputs("Usage: errand tools [--tools DIR] [--tool NAME=COMMAND] [--dts | --json]\n"
                "\n"
                "Lists the tools that a program would have with these options.\n"
                "\n",
                stdout);
    opt_print_help(stdout, tools_options, COUNT(tools_options));
    return fflush(stdout) == 0 ? EXIT_FINE
                               : say(EXIT_USAGE, "standard output: %s", strerrorname_np(errno));
}

int cmd_tools(int argc, char **argv)
{
    struct wish wish = {.dts = false};
    errand_error err = {0};
    int code = EXIT_FINE;

    errand_status status = parse(&wish, argc, argv, &err);
    if (status != ERRAND_OK)
        code = say(EXIT_USAGE, "%s", err.text);
    else if (wish.help)
        code = print_help();
    else
        code = print(&wish);
    tools_deinit(&wish.tools);
    return code;
}
