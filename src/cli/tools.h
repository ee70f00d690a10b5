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
    char *description;  /* Or NULL. */
    bool ask;           /* Only when a human agrees. */
};

struct tools {
    struct tool *list;
    size_t count, room;
    /* Made by tools_group(); what the library gets. Index i of space s is list[indexes[s][i]]. */
    errand_namespace *spaces;
    size_t spaces_count;
    size_t **indexes;
};

enum { TOOLS_MAX = 4096 }; /* More names than any program could want. */

/* A shell line: words is NAME=COMMAND. */
errand_status tools_add_line(struct tools *tools, const char *words,
                             errand_error *err) ERRAND_CHECKED;
/* Each executable file of the folder. */
errand_status tools_add_folder(struct tools *tools, const char *path,
                               errand_error *err) ERRAND_CHECKED;
/* name and the others are copied; description may be NULL. */
errand_status tools_add_file(struct tools *tools, errand_span name, const char *path,
                             const char *description, errand_error *err) ERRAND_CHECKED;
/* Marks a tool as one to ask for. EINVAL: there is none of that name. */
errand_status tools_ask(struct tools *tools, const char *name, errand_error *err) ERRAND_CHECKED;
/* Once, when all tools are there. */
void tools_group(struct tools *tools);
void tools_deinit(struct tools *tools);

#endif
