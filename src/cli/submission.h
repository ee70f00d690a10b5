/* submission.h - the program that a command line names, and how it is to be read. */
#ifndef ERRAND_SUBMISSION_H
#define ERRAND_SUBMISSION_H

#include "cli/modules.h"
#include "cli/program.h"

struct submission {
    struct program program;
    bool given;
    const char *path; /* Of the program; NULL: -e. */
    const char *name; /* In what is said of it. */
    char *path_name;  /* What it is called where its path is no text. Or NULL. */
    errand_language language;
    bool language_given;
    errand_accept accept;
    bool last_value;
    errand_globals globals;
    struct modules modules;
};

/* A word of the command line that belongs to no option. EINVAL, as of the next: a second one. */
errand_status submission_take_path(struct submission *submission, const char *path,
                                   errand_error *err) ERRAND_CHECKED;
/* What stood behind -e. */
errand_status submission_take_text(struct submission *submission, const char *text,
                                   errand_error *err) ERRAND_CHECKED;
errand_status submission_take_language(struct submission *submission, const char *word,
                                       errand_error *err) ERRAND_CHECKED;
/* When all options are known. command: who says that there is none, or none that can be read. */
errand_status submission_read(struct submission *submission, const char *command,
                              errand_error *err) ERRAND_CHECKED;
/* What of the options is about the program. It is borrowed. */
void submission_fill(const struct submission *submission, errand_run_options *options);
void submission_deinit(struct submission *submission);

#endif
