/* scenario.c - reads a scenario file. Mistakes in it are ours: they are printed, and that is it. */
#include "scenario.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static bool complain(const char *what, const char *line)
{
    (void)fprintf(stderr, "scenario: %s: %s\n", what, line);
    return false;
}

static bool read_file(const char *path, char **bytes, size_t *len)
{
    enum { FILE_MAX = 1024 * 1024 };
    FILE *file = fopen(path, "rb");

    if (file == NULL)
        return complain(strerror(errno), path);
    *bytes = calloc(1, FILE_MAX + 1);
    if (*bytes == NULL)
        abort();
    *len = fread(*bytes, 1, FILE_MAX, file);
    (void)fclose(file);
    return *len < FILE_MAX ? true : complain("too large", path);
}

/* Cuts the next word off. */
static char *word(char **rest)
{
    char *start = *rest + strspn(*rest, " ");
    char *end = start + strcspn(start, " ");

    *rest = end + strspn(end, " ");
    *end = '\0';
    return start;
}

static bool time_of(const char *text, int64_t *us)
{
    char *unit = NULL;
    long long number = strtoll(text, &unit, 10);

    if (unit == text)
        return false;
    if (strcmp(unit, "ms") == 0)
        *us = number * 1000;
    else if (strcmp(unit, "s") == 0)
        *us = number * 1000000;
    else if (strcmp(unit, "m") == 0)
        *us = number * 60000000;
    else if (strcmp(unit, "h") == 0)
        *us = number * 3600000000;
    else
        return false;
    return true;
}

static bool number_of(const char *text, uint64_t *number)
{
    char *end = NULL;
    *number = strtoull(text, &end, 10);
    return end != text && *end == '\0';
}

static bool read_limits(struct scenario *scenario, char *rest)
{
    while (*rest != '\0') {
        char *name = word(&rest);
        char *value = strchr(name, '=');
        errand_error error;
        if (value == NULL)
            return complain("wants NAME=VALUE", name);
        *value++ = '\0';
        if (errand_limits_set(&scenario->limits, name, value, &error) != ERRAND_OK)
            return complain(error.text, name);
    }
    return true;
}

static bool read_functions(struct scenario *scenario, char *rest)
{
    size_t count = 0;

    while (*rest != '\0' && count < FUNCTIONS_MAX)
        scenario->functions[count++] = word(&rest);
    scenario->functions[count] = NULL;
    return true;
}

static bool read_option(struct scenario *scenario, char *line)
{
    char *rest = line;
    char *name = word(&rest);
    uint64_t runs = 0;

    if (*name == '\0' || *name == '#')
        return true;
    if (strcmp(name, "limits") == 0)
        return read_limits(scenario, rest);
    if (strcmp(name, "functions") == 0)
        return read_functions(scenario, rest);
    if (strcmp(name, "collect") == 0)
        return scenario->collect = true;
    if (strcmp(name, "whole") == 0)
        return scenario->whole = true;
    if (strcmp(name, "steady") == 0 && *rest != '\0')
        return scenario->steady = true;
    if (strcmp(name, "runs") == 0 && number_of(rest, &runs) && runs <= RUNS_MAX) {
        scenario->runs = (unsigned)runs;
        return true;
    }
    return complain("no such option", name);
}

static bool read_trigger(struct rule *rule, char **rest)
{
    static const struct {
        const char *name;
        enum trigger trigger;
    } triggers[] = {
        {"started", ON_STARTED}, {"log", ON_LOG},   {"noise", ON_NOISE},
        {"call", ON_CALL},       {"over", ON_OVER}, {"end", ON_END},
    };
    char *first = word(rest);

    if (strcmp(first, "at") == 0) {
        rule->trigger = ON_TIME;
        return time_of(word(rest), &rule->after_us);
    }
    if (strcmp(first, "on") != 0)
        return false;
    char *event = word(rest);
    for (size_t i = 0; i < COUNT(triggers); i++) {
        if (strcmp(event, triggers[i].name) != 0)
            continue;
        rule->trigger = triggers[i].trigger;
        if (rule->trigger != ON_CALL && rule->trigger != ON_OVER)
            return true;
        char *which = word(rest);
        rule->any = strcmp(which, "*") == 0;
        return rule->any || number_of(which, &rule->call);
    }
    return false;
}

/* message | name | code */
static void split_rejection(struct rule *rule)
{
    char **parts[] = {&rule->name, &rule->code};
    char *at = rule->text;

    for (size_t i = 0; i < COUNT(parts); i++) {
        char *bar = strstr(at, " | ");
        if (bar == NULL)
            return;
        *bar = '\0';
        *parts[i] = at = bar + 3;
    }
}

static bool read_act(struct rule *rule, char *rest)
{
    static const struct {
        const char *name;
        enum act act;
        bool about_call;
    } acts[] = {
        {"reply", ACT_REPLY, true},   {"reject", ACT_REJECT, true},  {"hold", ACT_HOLD, true},
        {"resume", ACT_RESUME, true}, {"cancel", ACT_CANCEL, false}, {"free", ACT_FREE, false},
        {"start", ACT_START, false},  {"close", ACT_CLOSE, false},
    };
    char *name = word(&rest);

    for (size_t i = 0; i < COUNT(acts); i++) {
        if (strcmp(name, acts[i].name) != 0)
            continue;
        rule->act = acts[i].act;
        if (acts[i].about_call) {
            char *about = word(&rest);
            rule->it = strcmp(about, "it") == 0;
            if (!rule->it && !number_of(about, &rule->about))
                return false;
        }
        rule->text = rest;
        if (rule->act == ACT_REPLY && strncmp(rest, "times ", 6) == 0)
            return number_of(rest + 6, &rule->times);
        if (rule->act == ACT_REJECT)
            split_rejection(rule);
        return true;
    }
    return false;
}

static bool read_rule(struct scenario *scenario, char *line)
{
    struct rule rule = {.trigger = ON_TIME};
    char *rest = line + strspn(line, " ");
    char kept[200];

    if (*rest == '\0' || *rest == '#')
        return true;
    (void)snprintf(kept, sizeof(kept), "%s", rest);
    if (scenario->rules_count == RULES_MAX || !read_trigger(&rule, &rest))
        return complain("no such trigger", kept);
    if (strncmp(rest, "after ", 6) == 0) {
        (void)word(&rest);
        if (!time_of(word(&rest), &rule.after_us))
            return complain("no such time", kept);
    }
    if (!read_act(&rule, rest))
        return complain("no such act", kept);
    scenario->rules[scenario->rules_count++] = rule;
    return true;
}

static bool read_head(struct scenario *scenario, char *head, char *host)
{
    static char usual[][8] = {"weather", "echo"};
    bool ok = true;

    scenario->functions[0] = usual[0];
    scenario->functions[1] = usual[1];
    while (ok && head != NULL && *head != '\0') {
        char *line = strsep(&head, "\n");
        ok = read_option(scenario, line);
    }
    while (ok && host != NULL && *host != '\0') {
        char *line = strsep(&host, "\n");
        ok = read_rule(scenario, line);
    }
    return ok;
}

/* Ends the section before it; NULL: there is none. */
static char *section(char *text, const char *title)
{
    char *at = strstr(text, title);

    if (at == NULL)
        return NULL;
    *at = '\0';
    return at + strlen(title);
}

bool scenario_load(struct scenario *scenario, const char *path)
{
    *scenario = (struct scenario){.limits = ERRAND_LIMITS_INIT, .runs = 1};
    if (!read_file(path, &scenario->bytes, &scenario->len))
        return false;
    char *expect = section(scenario->bytes, "\nexpect:\n");
    scenario->far = section(scenario->bytes, "\nfar:\n");
    char *host = section(scenario->bytes, "\nhost:\n");
    scenario->expect_at = expect == NULL ? scenario->len : (size_t)(expect - scenario->bytes);
    if (scenario->far == NULL)
        return complain("has no far side", path);
    return read_head(scenario, scenario->bytes, host);
}

void scenario_deinit(struct scenario *scenario)
{
    free(scenario->bytes);
    scenario->bytes = NULL;
}

const char *scenario_expected(const struct scenario *scenario)
{
    return scenario->bytes + scenario->expect_at;
}

bool scenario_rewrite(const struct scenario *scenario, const char *path, const char *story)
{
    char *bytes = NULL;
    size_t len = 0;

    (void)scenario;
    if (!read_file(path, &bytes, &len))
        return false;
    char *expect = strstr(bytes, "\nexpect:\n");
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        free(bytes);
        return complain(strerror(errno), path);
    }
    size_t kept = expect == NULL ? len : (size_t)(expect - bytes) + 1;
    (void)fwrite(bytes, 1, kept, file);
    (void)fprintf(file, "expect:\n%s", story);
    free(bytes);
    return fclose(file) == 0;
}
