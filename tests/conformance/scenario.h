/* scenario.h - one program and what must come of it, read from two sibling files.
 *
 * NAME.js or NAME.ts is the program; NAME.expect holds directives, a line "---", and the
 * canonical text of check.h. Knows the directives; knows nothing of roads and runs.
 */
#ifndef CONFORMANCE_SCENARIO_H
#define CONFORMANCE_SCENARIO_H

#include "base/base.h"

enum { SPACES_MAX = 8, FUNCTIONS_MAX = 32, ENV_MAX = 16, MODULES_MAX = 8 };

/* What answers a call: a behaviour of tools.c and what it is given. */
struct tool {
    char *name;
    char *behaviour;
    char *given; /* The rest of the line, or NULL. */
};

struct toolbox {
    char *name, *error_class, *error_member;
    struct tool tools[FUNCTIONS_MAX];
    size_t count;
    const char *names[FUNCTIONS_MAX + 1];
    errand_about abouts[FUNCTIONS_MAX];
    bool told; /* Of one function at least. */
    errand_failures failures;
    bool spread, bare;
};

/* When the run is cancelled. */
enum cancel_when { CANCEL_NEVER, CANCEL_START, CANCEL_LOG, CANCEL_CALL, CANCEL_AFTER };

/* What is shown beyond what always is. */
enum show { SHOW_STACK = 1, SHOW_LOGS = 2, SHOW_HINT = 4, SHOW_STATS = 8, SHOW_ERROR = 16 };

struct scenario {
    char *name;        /* Of the files, without folder and ending. */
    char *expect_path; /* Where UPDATE=1 writes. */
    char *program;     /* Text. */
    size_t program_len;
    char *program_name;
    errand_language language;
    errand_values values;
    errand_globals globals;
    errand_network network;
    char *input; /* JSON text, or NULL. */
    errand_limits limits;
    struct toolbox boxes[SPACES_MAX];
    errand_namespace spaces[SPACES_MAX];
    size_t spaces_count;
    errand_accept accept;
    bool last_value;
    errand_module modules[MODULES_MAX]; /* Taken: names and sources. */
    size_t modules_count;
    char *store; /* JSON text, or NULL. */
    char *env[ENV_MAX + 1];
    size_t env_count;
    enum cancel_when cancel;
    uint64_t cancel_number; /* Call, or milliseconds. */
    char *cancel_text;      /* Of the log. */
    bool cancel_twice;
    char *reason;
    char *roads;               /* Those it runs on, or NULL: all. */
    char *leaves;              /* How the command line of what may stay behind begins. */
    int node_from, node_below; /* Major versions. */
    bool bare;                 /* It writes frames of its own, where no segments go. */
    bool check_only;           /* It is compiled and does not run. */
    bool steady;               /* It writes what is lost where the way breaks. */
    bool alone;                /* Nothing else runs meanwhile. */
    unsigned show;
    char *directives; /* The head of the expect file, as it stands. */
    char *expected;   /* What follows it. */
};

/* All scenarios of a folder whose name contains pattern, by name; NULL-terminated. Ends the
 * program with a line on a file that makes no sense: a test that can't be read is no test. */
struct scenario **scenarios_load(const char *folder, const char *pattern, size_t *count);
void scenarios_free(struct scenario **all);
/* How both streams go. */
struct way {
    bool segments;
    bool breaks;
};
bool scenario_fits(const struct scenario *scenario, const char *road, const struct way *way,
                   int node_major);
/* Replaces what is expected. */
void scenario_rewrite(const struct scenario *scenario, const char *text);

#endif
