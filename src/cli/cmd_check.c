/* cmd_check.c - errand check: whether a program would start, as a compiler says it. Nothing of it
 * runs.
 *
 * The place compiles it, since what is allowed depends on the node there. */
#include "base/err.h"
#include "base/mem.h"
#include "cli/choice.h"
#include "cli/cmd.h"
#include "cli/ending.h"
#include "cli/excerpt.h"
#include "cli/need.h"
#include "cli/opt.h"
#include "cli/print.h"
#include "cli/say.h"
#include "cli/secret.h"
#include "cli/signals.h"
#include "cli/submission.h"
#include "cli/text.h"

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

enum check_option {
    OPT_ON = 1,
    OPT_TEXT,
    OPT_NODE,
    OPT_LANGUAGE,
    OPT_ACCEPT,
    OPT_LAST_VALUE,
    OPT_MODULE,
    OPT_GLOBALS,
    OPT_NAME,
    OPT_JSON,
    OPT_HELP
};

static const struct opt check_options[] = {
    {OPT_ON, 0, "on", "PLACE", "where it is compiled; default: local"},
    {OPT_TEXT, 'e', NULL, "TEXT", "the program itself, in place of PROGRAM"},
    {OPT_NODE, 0, "node", "PATH", "node over there; default: it is looked for"},
    {OPT_LANGUAGE, 0, "language", "LANGUAGE",
     "js, ts or auto; default: as the name of PROGRAM\n"
     "ends, else auto"},
    {OPT_ACCEPT, 0, "accept", "HOW",
     "lenient (default): also what a model writes around a\n"
     "program; exact: the body of an async function"},
    {OPT_LAST_VALUE, 0, "last-value", NULL, "as for errand run"},
    {OPT_MODULE, 0, "module", "NAME=FILE", "a module that it may import; may be repeated"},
    {OPT_GLOBALS, 0, "globals", "WHICH", "node (default), or pure: no imports but of --module"},
    {OPT_NAME, 0, "name", "NAME", "the program's name in what is said"},
    {OPT_JSON, 0, "json", NULL, "one JSON object on stdout"},
    {OPT_HELP, 'h', "help", NULL, "this text"},
};

struct check {
    const char *address;
    errand_place_options place_options;
    struct submission submission;
    bool json, help;
    struct print print;
    struct secret secret;
    errand_loop *loop;
    errand_place *place;
    errand_run *run;
    int signal_fd;
    int signals_seen;
    bool over; /* The place is closed, or nothing comes of it any more. */
    int exit_code;
};

/* --- Telling ---------------------------------------------------------------------------------- */

/* The place of what is wrong, as far as it is known. */
struct spot {
    const char *module;    /* NULL: it is in the program itself. */
    unsigned line, column; /* 0: not known. */
    errand_span text;      /* Of the line. */
};

/* That the place refused the program, and not that it never came to look at it. */
static bool is_refusal(const errand_outcome *outcome)
{
    return outcome->kind == ERRAND_KIND_EXCEPTION;
}

/* Where the stack says that something is wrong with the module; false: nowhere. */
static bool find_in_module(const errand_module *module, errand_span stack, struct spot *spot)
{
    AUTO_FREE char *mark = need_new(strlen(module->name) + sizeof("\n    at :"), 1);
    struct program source = {.text = (char *)module->source.ptr, .len = module->source.len};
    char numbers[32] = "";

    (void)snprintf(mark, strlen(module->name) + sizeof("\n    at :"), "\n    at %s:", module->name);
    const char *at = stack.len == 0 ? NULL : memmem(stack.ptr, stack.len, mark, strlen(mark));
    if (at == NULL)
        return false;
    errand_span rest = span_after(stack, (size_t)(at - stack.ptr) + strlen(mark));
    memcpy(numbers, rest.ptr, span_head(rest, sizeof(numbers) - 1).len);
    /* cert-err34-c: a width keeps the numbers small. */
    if (sscanf(numbers, "%9u:%9u", &spot->line, &spot->column) != 2) /* NOLINT(cert-err34-c) */
        return false;
    spot->module = module->name;
    spot->text = program_line(&source, spot->line);
    return true;
}

static struct spot spot_of(const struct check *check, const errand_outcome *outcome)
{
    const struct modules *modules = &check->submission.modules;
    struct spot spot = {.line = outcome->line, .column = outcome->column};

    if (spot.line > 0)
        spot.text = program_line(&check->submission.program, spot.line);
    for (size_t i = 0; i < modules->count && spot.line == 0; i++) {
        if (find_in_module(&modules->list[i], outcome->stack, &spot))
            break;
        spot.line = 0;
    }
    return spot;
}

static void tell_refusal(struct check *check, const errand_outcome *outcome)
{
    struct buf *err = &check->print.err.queue;
    struct spot spot = spot_of(check, outcome);

    text_guarded(err, span_text(spot.module == NULL ? check->submission.name : spot.module));
    if (spot.line > 0)
        text_format(err, ":%u:%u", spot.line, spot.column);
    text_words(err, ": error: ");
    text_guarded(err, outcome->message);
    text_words(err, "\n");
    if (spot.text.len > 0)
        excerpt_add(err, &(struct excerpt){.number = spot.line,
                                           .line = spot.text,
                                           .column = spot.column,
                                           .masked = true});
    if (outcome->hint.len == 0)
        return;
    text_words(err, "hint: ");
    text_guarded(err, outcome->hint);
    text_words(err, "\n");
}

static void json_member(struct buf *out, const char *name, errand_span words)
{
    if (words.len == 0)
        return;
    text_format(out, ",\"%s\":", name);
    text_json_string(out, words);
}

static void tell_json(struct check *check, const errand_outcome *outcome)
{
    struct buf *out = &check->print.out.queue;
    struct spot spot = spot_of(check, outcome);

    if (outcome->kind == ERRAND_KIND_VALUE) {
        text_words(out, "{\"ok\":true}\n");
        return;
    }
    text_words(out, "{\"ok\":false");
    json_member(out, "code", span_text(outcome->code));
    json_member(out, "name", outcome->name);
    json_member(out, "message", outcome->message);
    if (spot.module != NULL)
        json_member(out, "module", span_text(spot.module));
    if (spot.line > 0)
        text_format(out, ",\"line\":%u,\"column\":%u", spot.line, spot.column);
    json_member(out, "hint", outcome->hint);
    json_member(out, "text", spot.text);
    text_words(out, "}\n");
}

static void tell(struct check *check, const errand_outcome *outcome, int64_t at_us)
{
    check->exit_code = ending_code(outcome);
    if (check->json)
        tell_json(check, outcome);
    else if (is_refusal(outcome))
        tell_refusal(check, outcome);
    else if (outcome->kind != ERRAND_KIND_VALUE)
        print_end(&check->print, outcome, at_us, check->exit_code);
}

/* --- Waiting ---------------------------------------------------------------------------------- */

static void on_event(struct check *check, const errand_event *event)
{
    if (event->type == ERRAND_EVENT_ASK)
        secret_ask(&check->secret, event->place, &event->as.ask, &check->print);
    if (event->type == ERRAND_EVENT_END) {
        tell(check, event->as.end, event->at_us);
        errand_place_close(check->place);
    }
    if (event->type == ERRAND_EVENT_PLACE_CLOSED)
        check->over = true;
}

static void take_events(struct check *check)
{
    errand_status status = ERRAND_OK;

    while (status == ERRAND_OK && !check->over) {
        const errand_event *event = NULL;
        errand_error err = {0};
        status = errand_loop_next(check->loop, 0, &event, &err);
        if (status == ERRAND_OK)
            on_event(check, event);
        if (status < 0) {
            check->exit_code = say(ending_code_of_status(status), "%s", err.text);
            check->over = true;
        }
    }
}

static void take_signals(struct check *check)
{
    for (int number = signals_next(check->signal_fd); number != 0;
         number = signals_next(check->signal_fd)) {
        errand_run_cancel(check->run, ending_reason(number));
        check->signals_seen++;
        /* A third: nobody wants to wait for anything. */
        if (check->signals_seen > 2) {
            check->exit_code = EXIT_SIGNAL + number;
            check->over = true;
        }
    }
}

static void wait_for_end(struct check *check)
{
    while (!check->over) {
        take_events(check);
        secret_step(&check->secret, check->place);
        if (check->over)
            break;
        struct pollfd fds[] = {
            {.fd = check->signal_fd, .events = POLLIN},
            {.fd = errand_loop_fd(check->loop), .events = POLLIN},
            {.fd = check->secret.asked == 0 ? -1 : check->secret.tty, .events = POLLIN}};
        (void)poll(fds, COUNT(fds), errand_loop_timeout_ms(check->loop));
        take_signals(check);
    }
}

/* Until it is written, or nobody takes it and someone is tired of waiting. */
static void drain(struct check *check)
{
    struct print *print = &check->print;

    for (print_flush(print); !print_is_empty(print); print_flush(print)) {
        int number = print_wait(print, check->signal_fd);
        if (number == 0)
            continue;
        check->exit_code = EXIT_SIGNAL + number;
        return;
    }
}

/* --- Beginning and end ------------------------------------------------------------------------ */

static errand_status start(struct check *check, errand_error *err)
{
    errand_run_options options = ERRAND_RUN_OPTIONS_INIT;
    sigset_t mask;

    submission_fill(&check->submission, &options);
    options.check_only = 1;
    errand_status status = signals_open(&check->signal_fd, &mask, err);
    if (status == ERRAND_OK)
        status = errand_loop_new(&check->loop, err);
    if (status == ERRAND_OK)
        status = errand_place_open(&check->place, check->loop, check->address,
                                   &check->place_options, err);
    if (status == ERRAND_OK)
        status = errand_run_start(&check->run, check->place, &options, err);
    return status;
}

/* What is no mistake of whoever asked is an ending like those of places that fail later. */
static void tell_unstarted(struct check *check, const errand_error *err)
{
    errand_outcome outcome = ending_of_error(err);

    check->exit_code = ending_code_of_status(err->status);
    if (check->json && check->exit_code != EXIT_USAGE)
        tell_json(check, &outcome);
    else
        print_note(&check->print, "%s", err->text);
}

static int look_at(struct check *check)
{
    errand_error err = {0};

    print_init(&check->print, check->json, true);
    if (start(check, &err) == ERRAND_OK)
        wait_for_end(check);
    else
        tell_unstarted(check, &err);
    secret_deinit(&check->secret);
    errand_run_free(check->run);
    errand_place_free(check->place);
    errand_loop_free(check->loop);
    drain(check);
    if (check->print.out.failed_errno != 0)
        check->exit_code =
            say(EXIT_USAGE, "standard output: %s", strerrordesc_np(check->print.out.failed_errno));
    if (check->signal_fd >= 0)
        (void)close(check->signal_fd);
    print_deinit(&check->print);
    return check->exit_code;
}

/* --- Command line ----------------------------------------------------------------------------- */

static errand_status take(struct check *check, int option, const char *value, errand_error *err)
{
    if (option == OPT_WORD)
        return submission_take_path(&check->submission, value, err);
    if (option == OPT_TEXT)
        return submission_take_text(&check->submission, value, err);
    if (option == OPT_LANGUAGE)
        return submission_take_language(&check->submission, value, err);
    if (option == OPT_ACCEPT)
        return choice_accept(&check->submission.accept, value, err);
    if (option == OPT_GLOBALS)
        return choice_globals(&check->submission.globals, value, err);
    if (option == OPT_MODULE)
        return modules_add(&check->submission.modules, value, err);
    if (option == OPT_ON)
        check->address = value;
    if (option == OPT_NODE)
        check->place_options.node = value;
    if (option == OPT_NAME)
        check->submission.name = value;
    if (option == OPT_LAST_VALUE)
        check->submission.last_value = true;
    check->json = check->json || option == OPT_JSON;
    check->help = check->help || option == OPT_HELP;
    return ERRAND_OK;
}

static errand_status parse(struct check *check, int argc, char **argv, errand_error *err)
{
    struct opt_scan scan = {check_options, COUNT(check_options), argc, argv, 0, false, NULL};
    errand_status status = ERRAND_OK;

    while (status == ERRAND_OK && !check->help) {
        int option = opt_next(&scan, err);
        if (option == OPT_END)
            break;
        if (option == OPT_BAD)
            return ERRAND_EINVAL;
        status = take(check, option, scan.value, err);
    }
    if (status != ERRAND_OK || check->help)
        return status;
    return submission_read(&check->submission, "check", err);
}

static int print_help(void)
{
    (void)fputs("Usage: errand check [options] PROGRAM|-\n"
                "\n"
                "Says whether a program would start: it is taken to a place and compiled there,\n"
                "and nothing of it runs. What is wrong with it comes to standard error, with its\n"
                "line and a caret. Exits with 0 where it is fine, 1 where it is not, 2 for wrong\n"
                "use, 4 where no place or no node could tell.\n"
                "\n",
                stdout);
    opt_print_help(stdout, check_options, COUNT(check_options));
    return EXIT_FINE;
}

int cmd_check(int argc, char **argv)
{
    struct check check = {.address = "local",
                          .place_options = ERRAND_PLACE_OPTIONS_INIT,
                          .signal_fd = -1,
                          .exit_code = EXIT_PLACE};
    errand_error err = {0};
    int code = EXIT_FINE;

    secret_init(&check.secret);
    if (parse(&check, argc, argv, &err) != ERRAND_OK)
        code = say(EXIT_USAGE, "%s", err.text);
    else if (check.help)
        code = print_help();
    else
        code = look_at(&check);
    submission_deinit(&check.submission);
    return code;
}
