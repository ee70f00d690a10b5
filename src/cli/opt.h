/* opt.h - options from a table; the table is also the help. */
#ifndef ERRAND_OPT_H
#define ERRAND_OPT_H

#include "base/base.h"

#include <stdio.h>

struct opt {
    int id;            /* Positive; what the caller switches on. */
    char letter;       /* -e; or 0. */
    const char *name;  /* --name; or NULL. */
    const char *value; /* What it takes, as the help shows it; NULL: nothing. */
    const char *help;  /* Lines end with \n but for the last. */
};

enum { OPT_BAD = -1, OPT_END = -2, OPT_WORD = -3 };

struct opt_scan {
    const struct opt *table;
    size_t table_count;
    int argc;
    char **argv;
    int next;
    bool words_only;   /* Behind "--". */
    const char *value; /* Of the option, or the word. */
};

/* The id of the next option, OPT_WORD for a word that is none, OPT_END, or OPT_BAD: err says
 * why. "-" alone is a word. */
int opt_next(struct opt_scan *scan, errand_error *err);
void opt_print_help(FILE *out, const struct opt *table, size_t count);

#endif
