/* command.h - runs a shell line around the real command, and looks at everything that came of it.
 *
 * The test process adopts orphans, so that a process which a run left behind shows as a child. */
#ifndef ERRAND_TEST_COMMAND_H
#define ERRAND_TEST_COMMAND_H

#include "test.h"

#include <stdbool.h>
#include <sys/types.h>

struct result {
    int code;  /* Exit code; 1000 + N: killed by signal N. */
    char *out; /* NUL-terminated. */
    char *err;
    int64_t took_ms;
};

struct started {
    pid_t pid;
    int out, err;
    int64_t began_ms;
};

/* One setup and teardown for each program of this folder: a fresh folder to be in, $E for the
 * command, a node on PATH. */
int command_setup(void **state);
int command_teardown(void **state);

/* line is for /bin/sh; input may be NULL. $E is the command. "exec $E …" makes the pid that of
 * the command itself. */
struct started command_start(const char *line, const char *input);
struct result command_wait(struct started *started);
struct result command(const char *line);
void result_free(struct result *result);

/* Whether text holds what the extended regular expression says. */
bool matches(const char *text, const char *pattern);
/* No child is left, or none after so many milliseconds: what is left is named, and killed. */
void assert_nothing_left(int within_ms);
/* Waits until a file is there. */
void wait_for_file(const char *path);
void write_file(const char *path, const char *text, int mode);
char *read_file(const char *path); /* To be freed; fails where there is none. */
int64_t now_ms(void);
void pause_ms(int ms);

/* A case of a table. NULL: anything; "": nothing; else an extended regular expression. */
struct line_case {
    const char *name, *line, *input;
    int code;
    const char *out, *err;
};
/* Runs them all; says all that fail, and then fails. Nothing may be left after any. */
void run_cases(const struct line_case *cases, size_t count);

#endif
