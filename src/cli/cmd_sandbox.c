/* cmd_sandbox.c - errand sandbox: which there are at an E2B service, how they do, and what becomes
 * of them. Runs nothing. */
#include "base/err.h"
#include "cli/cmd.h"
#include "cli/ending.h"
#include "cli/near.h"
#include "cli/opt.h"
#include "cli/say.h"

#include <errand/e2b.h>

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

enum sandbox_option { OPT_JSON = 1, OPT_HELP };

static const struct opt sandbox_options[] = {
    {OPT_JSON, 0, "json", NULL, "as JSON: one line"},
    {OPT_HELP, 'h', "help", NULL, "this text"},
};

enum { WORDS_MOST = 3, DURATION_MOST = 24 };

struct wish {
    const char *words[WORDS_MOST]; /* VERB ID DURATION, as far as given. */
    size_t words_count;
    bool json, help;
    const char *id;
    uint64_t duration_ms;
};

/* --- What was asked for ----------------------------------------------------------------------- */

/* "90" is 90 s, as behind the ? of a place; else with a unit. */
static errand_status read_duration(uint64_t *out, const char *text, errand_error *err)
{
    errand_limits limits = ERRAND_LIMITS_INIT;
    errand_error none = {0};
    char seconds[32];
    bool bare = text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';

    (void)snprintf(seconds, sizeof(seconds), "%.*s%s", (int)DURATION_MOST, text, bare ? "s" : "");
    if (strlen(text) > DURATION_MOST ||
        errand_limits_set(&limits, "wall", seconds, &none) != ERRAND_OK ||
        limits.wall_ms == ERRAND_UNLIMITED)
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "%.40s is no duration; 300, 300s, 5m and 1h are some", text);
    *out = limits.wall_ms;
    return ERRAND_OK;
}

static errand_status parse(struct wish *wish, int argc, char **argv, errand_error *err)
{
    struct opt_scan scan = {sandbox_options, COUNT(sandbox_options), argc, argv, 0, false, NULL};

    for (int option = opt_next(&scan, err); option != OPT_END; option = opt_next(&scan, err)) {
        if (option == OPT_BAD)
            return ERRAND_EINVAL;
        if (option == OPT_WORD && wish->words_count == WORDS_MOST)
            return errand__fail(err, ERRAND_EINVAL, 0, "%.60s is one word too many", scan.value);
        if (option == OPT_WORD)
            wish->words[wish->words_count++] = scan.value;
        wish->json = wish->json || option == OPT_JSON;
        wish->help = wish->help || option == OPT_HELP;
    }
    return ERRAND_OK;
}

/* --- What is shown ---------------------------------------------------------------------------- */

/* The value is taken. */
static void print_json(json_t *value)
{
    (void)json_dumpf(value, stdout, JSON_COMPACT | JSON_ENSURE_ASCII);
    (void)fputc('\n', stdout);
    json_decref(value);
}

static void set_text(json_t *object, const char *name, const char *text)
{
    if (text[0] != '\0')
        (void)json_object_set_new(object, name, json_string(text));
}

static void set_number(json_t *object, const char *name, uint64_t number)
{
    if (number != 0)
        (void)json_object_set_new(object, name, json_integer((json_int_t)number));
}

static json_t *json_of(const errand_sandbox *sandbox)
{
    json_t *object = json_object();

    set_text(object, "id", sandbox->id);
    set_text(object, "template", sandbox->template_id);
    set_text(object, "alias", sandbox->alias);
    set_text(object, "state", sandbox->state);
    set_text(object, "started_at", sandbox->started_at);
    set_text(object, "end_at", sandbox->end_at);
    set_text(object, "envd", sandbox->envd_version);
    set_number(object, "cpu_count", sandbox->cpu_count);
    set_number(object, "memory_mb", sandbox->memory_mb);
    set_number(object, "disk_mb", sandbox->disk_mb);
    if (sandbox->metadata[0] != '\0')
        (void)json_object_set_new(object, "metadata", json_loads(sandbox->metadata, 0, NULL));
    return object;
}

static void print_row(const errand_sandbox *sandbox)
{
    (void)printf("%-24s %-20s %-8s %s\n", sandbox->id,
                 sandbox->alias[0] != '\0' ? sandbox->alias : sandbox->template_id, sandbox->state,
                 sandbox->end_at);
}

static void print_fact(const char *name, const char *text)
{
    if (text[0] != '\0')
        (void)printf("%-10s %s\n", name, text);
}

static void print_amount(const char *name, uint64_t amount, const char *unit)
{
    if (amount != 0)
        (void)printf("%-10s %" PRIu64 "%s\n", name, amount, unit);
}

static void print_facts(const errand_sandbox *sandbox)
{
    print_fact("id", sandbox->id);
    print_fact("template", sandbox->template_id);
    print_fact("alias", sandbox->alias);
    print_fact("state", sandbox->state);
    print_fact("started", sandbox->started_at);
    print_fact("ends", sandbox->end_at);
    print_fact("envd", sandbox->envd_version);
    print_amount("cpus", sandbox->cpu_count, "");
    print_amount("memory", sandbox->memory_mb, " MiB");
    print_amount("disk", sandbox->disk_mb, " MiB");
    print_fact("metadata", sandbox->metadata);
}

/* --- Verbs ------------------------------------------------------------------------------------ */

static errand_status list(const struct wish *wish, errand_error *err)
{
    errand_sandboxes *all = NULL;
    errand_status status = errand_sandboxes_list(&all, NULL, err);

    if (status != ERRAND_OK)
        return status;
    json_t *array = wish->json ? json_array() : NULL;
    for (size_t i = 0; i < errand_sandboxes_count(all); i++) {
        if (wish->json)
            (void)json_array_append_new(array, json_of(errand_sandboxes_at(all, i)));
        else
            print_row(errand_sandboxes_at(all, i));
    }
    if (wish->json)
        print_json(array);
    errand_sandboxes_free(all);
    return ERRAND_OK;
}

static errand_status info(const struct wish *wish, errand_error *err)
{
    errand_sandboxes *one = NULL;
    errand_status status = errand_sandboxes_find(&one, wish->id, NULL, err);

    if (status != ERRAND_OK)
        return status;
    if (wish->json)
        print_json(json_of(errand_sandboxes_at(one, 0)));
    else
        print_facts(errand_sandboxes_at(one, 0));
    errand_sandboxes_free(one);
    return ERRAND_OK;
}

static errand_status metrics(const struct wish *wish, errand_error *err)
{
    errand_sandbox_usage usage = ERRAND_SANDBOX_USAGE_INIT;
    errand_status status = errand_sandbox_metrics(&usage, wish->id, NULL, err);
    const uint64_t mib = UINT64_C(1024) * 1024;

    if (status == ERRAND_AGAIN)
        return errand__fail(err, ERRAND_EIO, 0, "e2b: %.60s has not said yet how busy it is",
                            wish->id);
    if (status != ERRAND_OK)
        return status;
    if (wish->json) {
        json_t *object = json_pack("{s:s,s:f}", "id", wish->id, "cpu_percent", usage.cpu_percent);
        set_number(object, "cpu_count", usage.cpu_count);
        set_number(object, "memory_used", usage.memory_used);
        set_number(object, "memory_total", usage.memory_total);
        set_number(object, "disk_used", usage.disk_used);
        set_number(object, "disk_total", usage.disk_total);
        print_json(object);
        return ERRAND_OK;
    }
    (void)printf("%-10s %.1f %% of %" PRIu64 "\n", "cpu", usage.cpu_percent, usage.cpu_count);
    (void)printf("%-10s %" PRIu64 " of %" PRIu64 " MiB\n", "memory", usage.memory_used / mib,
                 usage.memory_total / mib);
    (void)printf("%-10s %" PRIu64 " of %" PRIu64 " MiB\n", "disk", usage.disk_used / mib,
                 usage.disk_total / mib);
    return ERRAND_OK;
}

static errand_status tell(const struct wish *wish, const char *done, errand_status status)
{
    if (status != ERRAND_OK)
        return status;
    if (wish->json)
        print_json(json_pack("{s:s,s:s}", "id", wish->id, "done", done));
    else
        (void)printf("%s %s\n", wish->id, done);
    return ERRAND_OK;
}

static errand_status set_timeout(const struct wish *wish, errand_error *err)
{
    return tell(wish, "set", errand_sandbox_timeout(wish->id, wish->duration_ms, NULL, err));
}

static errand_status refresh(const struct wish *wish, errand_error *err)
{
    return tell(wish, "refreshed", errand_sandbox_refresh(wish->id, wish->duration_ms, NULL, err));
}

static errand_status pause_it(const struct wish *wish, errand_error *err)
{
    return tell(wish, "paused", errand_sandbox_pause(wish->id, NULL, err));
}

static errand_status resume(const struct wish *wish, errand_error *err)
{
    return tell(wish, "running", errand_sandbox_resume(wish->id, NULL, err));
}

static errand_status kill_it(const struct wish *wish, errand_error *err)
{
    return tell(wish, "killed", errand_sandbox_kill(wish->id, NULL, err));
}

static const struct verb {
    const char *name, *takes;
    size_t words; /* With its name. */
    errand_status (*run)(const struct wish *wish, errand_error *err);
} verbs[] = {
    {"list", "", 1, list},
    {"info", " ID", 2, info},
    {"metrics", " ID", 2, metrics},
    {"timeout", " ID DURATION", 3, set_timeout},
    {"refresh", " ID DURATION", 3, refresh},
    {"pause", " ID", 2, pause_it},
    {"resume", " ID", 2, resume},
    {"kill", " ID", 2, kill_it},
};

static const char help[] =
    "Usage: errand sandbox list                    those that run or are paused\n"
    "       errand sandbox info ID                 all that is known of one\n"
    "       errand sandbox metrics ID              how busy it is\n"
    "       errand sandbox timeout ID DURATION     it ends so long from now\n"
    "       errand sandbox refresh ID DURATION     not sooner than that\n"
    "       errand sandbox pause ID                it is kept, and nothing goes on in it\n"
    "       errand sandbox resume ID               it goes on\n"
    "       errand sandbox kill ID                 it ends\n"
    "\n"
    "Asks the E2B service that E2B_API_KEY, E2B_DOMAIN and E2B_API_URL name, as the\n"
    "places e2b://TEMPLATE and e2b:ID do. DURATION: seconds, or with a unit: 90s, 5m, 1h.\n"
    "\n"
    "Exit codes: 0 done; 2 usage; 4 the service\n"
    "\n";

/* NULL: err says why. */
static const struct verb *find_verb(const struct wish *wish, errand_error *err)
{
    const char *names[COUNT(verbs)];

    if (wish->words_count == 0) {
        (void)errand__fail(err, ERRAND_EINVAL, 0,
                           "errand sandbox wants list, info, metrics, timeout, refresh, pause, "
                           "resume or kill");
        return NULL;
    }
    for (size_t i = 0; i < COUNT(verbs); i++) {
        names[i] = verbs[i].name;
        if (strcmp(verbs[i].name, wish->words[0]) != 0)
            continue;
        if (wish->words_count == verbs[i].words)
            return &verbs[i];
        (void)errand__fail(err, ERRAND_EINVAL, 0, "it is: errand sandbox %s%s", verbs[i].name,
                           verbs[i].takes);
        return NULL;
    }
    const char *meant = near_word(wish->words[0], names, COUNT(names));
    (void)errand__fail(err, ERRAND_EINVAL, 0, "errand sandbox knows no %.40s%s%s%s", wish->words[0],
                       meant == NULL ? "" : "; did you mean ", meant == NULL ? "" : meant,
                       meant == NULL ? "" : "?");
    return NULL;
}

static errand_status carry_out(struct wish *wish, errand_error *err)
{
    const struct verb *verb = find_verb(wish, err);

    if (verb == NULL)
        return ERRAND_EINVAL;
    for (size_t i = 0; i < verb->words; i++)
        assert(wish->words[i] != NULL); /* As many as it takes were given. */
    if (verb->words > 1) {              /* As a place is named, too. */
        bool place = strncmp(wish->words[1], "e2b:", 4) == 0 && wish->words[1][4] != '/';
        wish->id = wish->words[1] + (place ? 4 : 0);
    }
    if (verb->words > 2 && read_duration(&wish->duration_ms, wish->words[2], err) != ERRAND_OK)
        return ERRAND_EINVAL;
    return verb->run(wish, err);
}

int cmd_sandbox(int argc, char **argv)
{
    struct wish wish = {0};
    errand_error err = {0};

    errand_status status = parse(&wish, argc, argv, &err);
    if (status == ERRAND_OK && wish.help) {
        (void)fputs(help, stdout);
        opt_print_help(stdout, sandbox_options, COUNT(sandbox_options));
    } else if (status == ERRAND_OK) {
        status = carry_out(&wish, &err);
    }
    if (status != ERRAND_OK)
        return say(ending_code_of_status(status), "%s", err.text);
    if (fflush(stdout) == EOF)
        return say(EXIT_USAGE, "standard output: %s", strerrorname_np(errno));
    return EXIT_FINE;
}
