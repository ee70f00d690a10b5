/* submission.c - what the command line leaves open is read off the program's file. */
#include "cli/submission.h"
#include "base/err.h"
#include "base/mem.h"
#include "cli/choice.h"
#include "cli/need.h"
#include "cli/text.h"

static errand_status claim(struct submission *submission, const char *word, errand_error *err)
{
    if (submission->given)
        return errand__fail(err, ERRAND_EINVAL, 0, "one program at a time; %s is one too many",
                            word);
    submission->given = true;
    return ERRAND_OK;
}

errand_status submission_take_path(struct submission *submission, const char *path,
                                   errand_error *err)
{
    errand_status status = claim(submission, path, err);

    if (status == ERRAND_OK)
        submission->path = path;
    return status;
}

errand_status submission_take_text(struct submission *submission, const char *text,
                                   errand_error *err)
{
    errand_status status = claim(submission, "-e", err);

    return status == ERRAND_OK ? program_take(&submission->program, "program", "-e", text, err)
                               : status;
}

errand_status submission_take_language(struct submission *submission, const char *word,
                                       errand_error *err)
{
    submission->language_given = true;
    return choice_language(&submission->language, word, err);
}

/* A path is any bytes, a name a text of one line. */
static const char *name_by_path(struct submission *submission)
{
    struct buf name;

    errand__buf_init(&name, TEXT_BYTES_MAX);
    text_utf8(&name, span_text(submission->program.name));
    errand_span all = errand__buf_peek(&name);
    submission->path_name = need_copy(all.ptr, all.len);
    errand__buf_deinit(&name);
    for (char *at = submission->path_name; *at != '\0'; at++) {
        if (*at == '\n' || *at == '\r')
            *at = ' ';
    }
    return submission->path_name;
}

errand_status submission_read(struct submission *submission, const char *command, errand_error *err)
{
    errand_status status = ERRAND_OK;

    if (!submission->given)
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "no program; errand %s wants a file, - or -e TEXT", command);
    if (submission->path != NULL)
        status = program_read(&submission->program, "program", submission->path, err);
    if (!submission->language_given)
        submission->language = submission->program.language;
    if (submission->name == NULL)
        submission->name = name_by_path(submission);
    return status;
}

void submission_fill(const struct submission *submission, errand_run_options *options)
{
    options->program = span_of(submission->program.text, submission->program.len);
    options->name = submission->name;
    options->language = submission->language;
    options->accept = submission->accept;
    options->last_value = submission->last_value ? 1 : 0;
    options->globals = submission->globals;
    options->modules = submission->modules.list;
    options->modules_count = submission->modules.count;
}

void submission_deinit(struct submission *submission)
{
    modules_deinit(&submission->modules);
    program_deinit(&submission->program);
    errand__mem_free(submission->path_name);
}
