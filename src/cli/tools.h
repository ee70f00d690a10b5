/* tools.h - which tools there are, and by which names the program knows them.
 *
 * A name without a dot belongs to the namespace "tools"; "mail.send" is send of namespace mail. */
#ifndef ERRAND_TOOLS_H
#define ERRAND_TOOLS_H

#include "base/base.h"

struct tool {
    char *name;         /* As given: "weather", "mail.send". */
    char *space;        /* "tools", "mail". */
    const char *member; /* Inside name: "weather", "send". */
    char *command;      /* A shell line, or the path of an executable. */
    bool executable;    /* command is a path. */
    bool global;        /* A global function itself, with all its arguments. */
    char *description;  /* These three: or NULL. */
    char *input_schema, *output_schema;
    bool ask; /* Only when a human agrees. */
};

struct tools {
    struct tool *list;
    size_t count, room;
    /* Made by tools_group(); what the library gets. Index i of space s is list[indexes[s][i]]. */
    errand_namespace *spaces;
    size_t spaces_count;
    errand_failures failures; /* Of all namespaces; set before tools_group(). */
    size_t **indexes;
};

enum { TOOLS_MAX = 4096 }; /* More names than any program could want. */

/* A shell line: words is NAME=COMMAND. */
errand_status tools_add_line(struct tools *tools, const char *words,
                             errand_error *err) ERRAND_CHECKED;
/* The same, for a function that is a global itself, such as print or fs.read. */
errand_status tools_add_global(struct tools *tools, const char *words,
                               errand_error *err) ERRAND_CHECKED;
/* Each executable file of the folder. */
errand_status tools_add_folder(struct tools *tools, const char *path,
                               errand_error *err) ERRAND_CHECKED;
/* What a file beside a tool says of it; each may be NULL. */
struct tool_words {
    char *description, *input_schema, *output_schema;
};
void tool_words_deinit(struct tool_words *words);
/* All are copied. */
errand_status tools_add_file(struct tools *tools, errand_span name, const char *path,
                             const struct tool_words *words, errand_error *err) ERRAND_CHECKED;
/* Marks a tool as one to ask for. EINVAL: there is none of that name. */
errand_status tools_ask(struct tools *tools, const char *name, errand_error *err) ERRAND_CHECKED;
/* Once, when all tools are there. */
void tools_group(struct tools *tools);
void tools_deinit(struct tools *tools);

#endif
