/* request.c - the options of `errand run`. Opens nothing but the program. */
#include "cli/request.h"
#include "base/err.h"
#include "base/mem.h"
#include "cli/areas.h"
#include "cli/choice.h"
#include "cli/jobs.h"
#include "cli/need.h"
#include "cli/opt.h"

#include <errand/value.h>

#include <stdio.h>
#include <stdlib.h>

enum run_option {
    OPT_ON = 1,
    OPT_TEXT,
    OPT_TOOL,
    OPT_TOOLS,
    OPT_GLOBAL,
    OPT_FAILURES,
    OPT_ASK,
    OPT_JOBS,
    OPT_LIMIT,
    OPT_ENV,
    OPT_PUT,
    OPT_GET,
    OPT_LANGUAGE,
    OPT_VALUES,
    OPT_ACCEPT,
    OPT_LAST_VALUE,
    OPT_MODULE,
    OPT_GLOBALS,
    OPT_NETWORK,
    OPT_INPUT,
    OPT_NAME,
    OPT_NODE,
    OPT_DELIVERY,
    OPT_IDENTITY,
    OPT_SSH_CONFIG,
    OPT_ACCEPT_NEW,
    OPT_KEEP,
    OPT_METADATA,
    OPT_SANDBOX_ENV,
    OPT_NO_INTERNET,
    OPT_ALLOW_OUT,
    OPT_DENY_OUT,
    OPT_ITEMS,
    OPT_STORE,
    OPT_JSON,
    OPT_QUIET,
    OPT_TRACE,
    OPT_RECORD,
    OPT_HELP
};

static const struct opt run_options[] = {
    {OPT_ON, 0, "on", "PLACE",
     "where it runs: local (default), local?jail, exec:ARGV,\n"
     "shell:ARGV, docker://NAME, podman://NAME,\n"
     "docker+run://IMAGE, podman+run://IMAGE,\n"
     "k8s://NS/POD[/CONTAINER],\n"
     "ssh://[USER@]HOST[:PORT], e2b://TEMPLATE, e2b:ID"},
    {OPT_TEXT, 'e', NULL, "TEXT", "the program itself, in place of PROGRAM"},
    {OPT_TOOL, 0, "tool", "NAME=COMMAND",
     "a tool: a shell line that reads its argument as\n"
     "JSON and prints its answer as JSON; NS.NAME puts it\n"
     "into namespace NS instead of tools"},
    {OPT_TOOLS, 0, "tools", "DIR",
     "each executable file of the folder is a tool;\n"
     "NAME.json beside it describes it"},
    {OPT_GLOBAL, 0, "global", "NAME=COMMAND",
     "a global function (print, fs.read), whose command\n"
     "reads all its arguments as one JSON array"},
    {OPT_FAILURES, 0, "failures", "HOW",
     "throw (default): a tool that fails rejects; value: it\n"
     "resolves to {ok, data} or {ok, error}"},
    {OPT_ASK, 0, "ask", "NAME", "ask on the terminal each time before that tool runs"},
    {OPT_JOBS, 0, "jobs", "N", "how many tools run at once (16); others wait"},
    {OPT_LIMIT, 0, "limit", "NAME=VALUE",
     "such as wall=30s, compute=5s, output=1MiB, call=10s,\n"
     "approval=5m, heap=256, idle=off"},
    {OPT_ENV, 0, "env", "NAME[=VALUE]",
     "an entry of the program's process.env; without a\n"
     "VALUE it is the one that NAME has here"},
    {OPT_PUT, 0, "put", "LOCAL:REMOTE", "copy this file there before the run; may be repeated"},
    {OPT_GET, 0, "get", "REMOTE:LOCAL",
     "copy that file here after the run, also where the run\n"
     "failed; may be repeated"},
    {OPT_LANGUAGE, 0, "language", "LANGUAGE",
     "js, ts or auto; default: as the name of PROGRAM\n"
     "ends, else auto"},
    {OPT_ACCEPT, 0, "accept", "HOW",
     "lenient (default): also what a model writes around a\n"
     "program, such as fences; exact: it is taken as it is"},
    {OPT_LAST_VALUE, 0, "last-value", NULL, "a text that ends in an expression returns its value"},
    {OPT_MODULE, 0, "module", "NAME=FILE",
     "what the program may import by that name; may be\n"
     "repeated"},
    {OPT_VALUES, 0, "values", "HOW",
     "strict (default): only what JSON can say without loss;\n"
     "json: what JSON.stringify makes of it; rich: dates,\n"
     "maps, bytes and more, as tagged JSON"},
    {OPT_INPUT, 0, "input", "JSON|@FILE", "what the program finds as input; @- is standard input"},
    {OPT_GLOBALS, 0, "globals", "WHICH",
     "node (default): all that node has; pure: nothing but\n"
     "the language, the tools and their like"},
    {OPT_NETWORK, 0, "network", "HOW", "place (default): what the place has; off: none"},
    {OPT_NAME, 0, "name", "NAME", "the program's name in stacks"},
    {OPT_NODE, 0, "node", "PATH", "node over there; default: it is looked for"},
    {OPT_DELIVERY, 0, "delivery", "HOW", "how the runner gets there: auto, stdin or file"},
    {OPT_IDENTITY, 0, "identity", "FILE", "ssh: the private key to log in with, and no other"},
    {OPT_SSH_CONFIG, 0, "ssh-config", "FILE",
     "ssh: in place of ~/.ssh/config and that of the system"},
    {OPT_ACCEPT_NEW, 0, "accept-new-host-key", NULL,
     "ssh: record the key of a host of which none is known"},
    {OPT_KEEP, 0, "keep", NULL, "e2b://: leave the sandbox there until its time is over"},
    {OPT_METADATA, 0, "metadata", "NAME=VALUE", "e2b://: what the sandbox is to be found by"},
    {OPT_SANDBOX_ENV, 0, "sandbox-env", "NAME=VALUE", "e2b://: environment of its processes"},
    {OPT_NO_INTERNET, 0, "no-internet", NULL, "e2b://: it reaches nothing outside"},
    {OPT_ALLOW_OUT, 0, "allow-out", "ADDRESS", "e2b://: what it may reach, such as 10.0.0.0/8"},
    {OPT_DENY_OUT, 0, "deny-out", "ADDRESS", "e2b://: what it may not"},
    {OPT_ITEMS, 0, "items", "DIR",
     "images and files that the program shows are written\n"
     "there; nothing is overwritten"},
    {OPT_STORE, 0, "store", "FILE",
     "what load() finds and store() changes: a JSON object,\n"
     "written where the program returns"},
    {OPT_JSON, 0, "json", NULL, "everything on stdout, as one JSON object a line"},
    {OPT_QUIET, 0, "quiet", NULL, "no logs, no warnings, no status line"},
    {OPT_TRACE, 0, "trace", "AREAS",
     "facts on stderr: run,core,wire,exec,place,boot,ssh,e2b\nor all"},
    {OPT_RECORD, 0, "record", "FILE", "keep what travels, for errand replay (mode 0600)"},
    {OPT_HELP, 'h', "help", NULL, "this text"},
};

errand_status request_suits(const char *place, const char *scheme, const char *option,
                            errand_error *err)
{
    if (option == NULL || span_starts(span_text(place), span_text(scheme)))
        return ERRAND_OK;
    /* What follows a scheme may be a secret. */
    size_t len = strcspn(place, ":?");
    bool attached = span_starts(span_text(place), SPAN_LITERAL("e2b:")) && place[4] != '/';
    return errand__fail(err, ERRAND_EINVAL, 0, "--%s is for %s alone; the place is %.*s%s", option,
                        scheme, (int)len, place,
                        attached ? ":ID, a sandbox that is there already" : "");
}

bool request_keeps_sandbox(const struct request *request)
{
    const char *at = request->place;

    if (!span_starts(span_text(at), SPAN_LITERAL("e2b://")))
        return false;
    for (at += strcspn(at, "?"); *at != '\0'; at += strcspn(at, "&")) {
        at++;
        if (span_is(span_of(at, strcspn(at, "&")), "keep"))
            return true;
    }
    return request->e2b_options.keep != 0;
}

static errand_status take_limit(struct request *request, const char *words, errand_error *err)
{
    char name[64];
    const char *equals = strchr(words, '=');
    errand_error why = {0};

    if (equals == NULL || equals == words || (size_t)(equals - words) >= sizeof(name))
        return errand__fail(err, ERRAND_EINVAL, 0, "--limit %s: wants NAME=VALUE", words);
    memcpy(name, words, (size_t)(equals - words));
    name[equals - words] = '\0';
    if (errand_limits_set(&request->limits, name, equals + 1, &why) == ERRAND_OK)
        return ERRAND_OK;
    return errand__fail(err, why.status, 0, "--limit %s: %s", words, why.text);
}

static errand_status take_jobs(struct request *request, const char *word, errand_error *err)
{
    char *end = NULL;
    unsigned long count = strtoul(word, &end, 10);

    if (word[0] < '0' || word[0] > '9' || *end != '\0' || count < 1 || count > JOBS_AT_ONCE_MAX)
        return errand__fail(err, ERRAND_EINVAL, 0, "--jobs %s: wants a number from 1 to %d", word,
                            JOBS_AT_ONCE_MAX);
    request->jobs = count;
    return ERRAND_OK;
}

static char *join_env(const char *name, size_t name_len, const char *value)
{
    size_t room = name_len + strlen(value) + 2;
    char *entry = need_new(room, 1);

    (void)snprintf(entry, room, "%.*s=%s", (int)name_len, name, value);
    return entry;
}

/* Where the entry of that name stands, or count: a later one takes the place of an earlier. */
static size_t find_env(const struct request *request, const char *name, size_t name_len)
{
    size_t i = 0;

    while (i < request->env_count &&
           (strncmp(request->env[i], name, name_len) != 0 || request->env[i][name_len] != '='))
        i++;
    return i;
}

static errand_status take_env(struct request *request, const char *words, errand_error *err)
{
    const char *equals = strchr(words, '=');
    size_t name_len = equals == NULL ? strlen(words) : (size_t)(equals - words);
    const char *value = equals == NULL ? getenv(words) : equals + 1;

    if (name_len == 0)
        return errand__fail(err, ERRAND_EINVAL, 0, "--env %s: wants NAME or NAME=VALUE", words);
    if (value == NULL)
        return errand__fail(err, ERRAND_EINVAL, 0, "--env %s: it is not set here", words);
    if (request->env_count == REQUEST_ENV_MAX)
        return errand__fail(err, ERRAND_EINVAL, 0, "--env: more than %d", REQUEST_ENV_MAX);
    size_t at = find_env(request, words, name_len);
    if (at == request->env_count) {
        request->env = need_resize(request->env, (at + 2) * sizeof(*request->env));
        request->env_count++;
        request->env[at] = NULL;
        request->env[at + 1] = NULL;
    }
    errand__mem_free(request->env[at]);
    request->env[at] = join_env(words, name_len, value);
    return ERRAND_OK;
}

static errand_status take_ask(struct request *request, const char *name, errand_error *err)
{
    if (request->asks_count == REQUEST_ASKS_MAX)
        return errand__fail(err, ERRAND_EINVAL, 0, "--ask: more than %d", REQUEST_ASKS_MAX);
    request->asks[request->asks_count++] = name;
    return ERRAND_OK;
}

static errand_status take_sandbox(const char **list, const char *option, const char *value,
                                  errand_error *err)
{
    size_t count = 0;

    while (list[count] != NULL)
        count++;
    if (count == REQUEST_SANDBOX_MAX)
        return errand__fail(err, ERRAND_EINVAL, 0, "%s: more than %d", option, REQUEST_SANDBOX_MAX);
    list[count] = value;
    return ERRAND_OK;
}

static const char *name_of(enum run_option option)
{
    size_t i = 0;

    while (run_options[i].id != (int)option)
        i++;
    return run_options[i].name;
}

/* How a host is logged in to. */
static errand_status take_ssh(struct request *request, enum run_option option, const char *value)
{
    request->of_ssh = name_of(option);
    if (option == OPT_IDENTITY)
        request->ssh_options.identity_file = value;
    else if (option == OPT_SSH_CONFIG)
        request->ssh_options.config_file = value;
    else
        request->ssh_options.accept_new_host_key = 1;
    return ERRAND_OK;
}

/* What a sandbox that is to be made is like. */
static errand_status take_e2b(struct request *request, enum run_option option, const char *value,
                              errand_error *err)
{
    request->of_e2b = name_of(option);
    if (option == OPT_METADATA)
        return take_sandbox(request->metadata, "--metadata", value, err);
    if (option == OPT_SANDBOX_ENV)
        return take_sandbox(request->sandbox_env, "--sandbox-env", value, err);
    if (option == OPT_ALLOW_OUT)
        return take_sandbox(request->allow_out, "--allow-out", value, err);
    if (option == OPT_DENY_OUT)
        return take_sandbox(request->deny_out, "--deny-out", value, err);
    if (option == OPT_KEEP)
        request->e2b_options.keep = 1;
    else
        request->e2b_options.no_internet = 1;
    return ERRAND_OK;
}

/* What is kept as it was given. */
static errand_status take_word(struct request *request, enum run_option option, const char *value)
{
    const struct {
        enum run_option option;
        const char **word;
    } words[] = {{OPT_ON, &request->place},
                 {OPT_INPUT, &request->input_words},
                 {OPT_NAME, &request->submission.name},
                 {OPT_ITEMS, &request->items},
                 {OPT_STORE, &request->store},
                 {OPT_RECORD, &request->record}};

    for (size_t i = 0; i < COUNT(words); i++) {
        if (words[i].option == option)
            *words[i].word = value;
    }
    return ERRAND_OK;
}

static errand_status take(struct request *request, int option, const char *value, errand_error *err)
{
    switch ((enum run_option)option) {
    case OPT_ON:
    case OPT_INPUT:
    case OPT_NAME:
    case OPT_ITEMS:
    case OPT_STORE:
    case OPT_RECORD:
        return take_word(request, (enum run_option)option, value);
    case OPT_TEXT:
        return submission_take_text(&request->submission, value, err);
    case OPT_TOOL:
        return tools_add_line(&request->tools, value, err);
    case OPT_TOOLS:
        return tools_add_folder(&request->tools, value, err);
    case OPT_GLOBAL:
        return tools_add_global(&request->tools, value, err);
    case OPT_FAILURES:
        return choice_failures(&request->tools.failures, value, err);
    case OPT_ASK:
        return take_ask(request, value, err);
    case OPT_JOBS:
        return take_jobs(request, value, err);
    case OPT_LIMIT:
        return take_limit(request, value, err);
    case OPT_ENV:
        return take_env(request, value, err);
    case OPT_PUT:
        return files_add(&request->files, true, value, err);
    case OPT_GET:
        return files_add(&request->files, false, value, err);
    case OPT_LANGUAGE:
        return submission_take_language(&request->submission, value, err);
    case OPT_ACCEPT:
        return choice_accept(&request->submission.accept, value, err);
    case OPT_LAST_VALUE:
        request->submission.last_value = true;
        return ERRAND_OK;
    case OPT_MODULE:
        return modules_add(&request->submission.modules, value, err);
    case OPT_VALUES:
        return choice_values(&request->values, value, err);
    case OPT_GLOBALS:
        return choice_globals(&request->submission.globals, value, err);
    case OPT_NETWORK:
        return choice_network(&request->network, value, err);
    case OPT_NODE:
        request->place_options.node = value;
        return ERRAND_OK;
    case OPT_DELIVERY:
        return choice_delivery(&request->place_options.delivery, value, err);
    case OPT_IDENTITY:
    case OPT_SSH_CONFIG:
    case OPT_ACCEPT_NEW:
        return take_ssh(request, (enum run_option)option, value);
    case OPT_KEEP:
    case OPT_METADATA:
    case OPT_SANDBOX_ENV:
    case OPT_NO_INTERNET:
    case OPT_ALLOW_OUT:
    case OPT_DENY_OUT:
        return take_e2b(request, (enum run_option)option, value, err);
    case OPT_JSON:
        request->json = true;
        return ERRAND_OK;
    case OPT_QUIET:
        request->quiet = true;
        return ERRAND_OK;
    case OPT_TRACE:
        request->traces = value;
        return areas_check(value, err);
    case OPT_HELP:
        request->help = true;
        return ERRAND_OK;
    }
    return ERRAND_OK;
}

static errand_status take_input(struct request *request, errand_error *err)
{
    const char *words = request->input_words;
    const char *path = request->submission.path;

    if (words[0] == '\0' || strcmp(words, "@") == 0)
        return errand__fail(err, ERRAND_EINVAL, 0, "--input: wants JSON or @FILE");
    if (strcmp(words, "@-") == 0 && path != NULL && strcmp(path, "-") == 0)
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "--input @-: standard input is the program already");
    if (words[0] != '@')
        return program_take(&request->input, "input", "--input", words, err);
    errand_status status = program_read(&request->input, "input", words + 1, err);
    if (status == ERRAND_OK && request->input.len == 0)
        return errand__fail(err, ERRAND_EINVAL, 0, "input: %s is empty", request->input.name);
    return status;
}

/* Looked at before anything starts or travels. */
static errand_status read_input(struct request *request, errand_error *err)
{
    static const char area[] = "value: ";
    errand_error why = {0};

    if (request->input_words == NULL)
        return ERRAND_OK;
    errand_status status = take_input(request, err);
    if (status != ERRAND_OK)
        return status;
    status =
        errand_value_check(request->values, span_of(request->input.text, request->input.len), &why);
    if (status == ERRAND_OK)
        return status;
    return errand__fail(err, ERRAND_EINVAL, 0, "input: %s", why.text + sizeof(area) - 1);
}

errand_status request_parse(struct request *request, int argc, char **argv, errand_error *err)
{
    struct opt_scan scan = {run_options, COUNT(run_options), argc, argv, 0, false, NULL};
    errand_status status = ERRAND_OK;

    *request = (struct request){.place = "local",
                                .place_options = ERRAND_PLACE_OPTIONS_INIT,
                                .ssh_options = ERRAND_SSH_OPTIONS_INIT,
                                .e2b_options = ERRAND_E2B_OPTIONS_INIT,
                                .limits = ERRAND_LIMITS_INIT,
                                .jobs = JOBS_AT_ONCE};
    request->place_options.ssh = &request->ssh_options;
    request->place_options.e2b = &request->e2b_options;
    request->e2b_options.metadata = request->metadata;
    request->e2b_options.env = request->sandbox_env;
    request->e2b_options.allow_out = request->allow_out;
    request->e2b_options.deny_out = request->deny_out;
    while (status == ERRAND_OK && !request->help) {
        int option = opt_next(&scan, err);
        if (option == OPT_END)
            break;
        if (option == OPT_BAD)
            return ERRAND_EINVAL;
        status = option == OPT_WORD ? submission_take_path(&request->submission, scan.value, err)
                                    : take(request, option, scan.value, err);
    }
    if (status != ERRAND_OK || request->help)
        return status;
    status = request_suits(request->place, "ssh://", request->of_ssh, err);
    if (status == ERRAND_OK)
        status = request_suits(request->place, "e2b://", request->of_e2b, err);
    if (status == ERRAND_OK && request->files.count > 0 &&
        span_starts(span_text(request->place), SPAN_LITERAL("local?")))
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "--put, --get: what a run in local?jail writes is gone with it; take "
                            "local, or let a tool hand it over");
    /* A sandbox that is made for this run is made without. */
    if (request->network == ERRAND_NETWORK_OFF && request->allow_out[0] == NULL &&
        span_starts(span_text(request->place), SPAN_LITERAL("e2b://")))
        request->e2b_options.no_internet = 1;
    for (size_t i = 0; i < request->asks_count && status == ERRAND_OK; i++)
        status = tools_ask(&request->tools, request->asks[i], err);
    tools_group(&request->tools);
    if (status == ERRAND_OK)
        status = submission_read(&request->submission, "run", err);
    return status == ERRAND_OK ? read_input(request, err) : status;
}

void request_deinit(struct request *request)
{
    for (size_t i = 0; i < request->env_count; i++)
        errand__mem_free(request->env[i]);
    errand__mem_free(request->env);
    files_deinit(&request->files);
    submission_deinit(&request->submission);
    program_deinit(&request->input);
    tools_deinit(&request->tools);
}

void request_print_help(void)
{
    (void)fputs("Usage: errand run [options] PROGRAM|-\n"
                "\n"
                "Runs the body of an async function somewhere else. Its value comes to standard\n"
                "output as JSON, its logs to standard error. It calls tools with\n"
                "await tools.NAME(argument); they run here.\n"
                "\n",
                stdout);
    opt_print_help(stdout, run_options, COUNT(run_options));
}
