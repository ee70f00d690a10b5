/* scenario.c - reads programs and what must come of them. */
#include "scenario.h"

#include "base/mem.h"
#include "file.h"

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

/* Every behaviour of tools.c under its own name, for scenarios that name no space. */
static const char *const usual_tools[] = {"echo",  "add",     "fail", "slow", "never",
                                          "nope",  "big",     "deep", "held", "denied",
                                          "twice", "nothing", "count"};

/* --- One directive ------------------------------------------------------------------------- */

/* What is being read, for complaints. */
struct reading {
    struct scenario *scenario;
    const char *path;
    int line;
};

static void complain(const struct reading *reading, const char *what)
{
    (void)fprintf(stderr, "%s:%d: %s\n", reading->path, reading->line, what);
    exit(2);
}

/* Takes the next word off rest, which may be written as a JSON string. NULL: there is none. */
static char *take_word(const struct reading *reading, char **rest)
{
    char *from = *rest + strspn(*rest, " ");
    if (*from == '\0')
        return NULL;
    if (*from != '"') {
        size_t len = strcspn(from, " ");
        *rest = from + len;
        return errand__mem_copy(from, len);
    }
    json_error_t error;
    json_t *string = json_loads(from, JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK, &error);
    if (!json_is_string(string))
        complain(reading, "a word in quotes is a JSON string");
    char *word = errand__mem_copy(json_string_value(string), json_string_length(string));
    json_decref(string);
    *rest = from + error.position;
    return word;
}

static char *take_rest(char *rest)
{
    rest += strspn(rest, " ");
    return *rest == '\0' ? NULL : errand__mem_copy(rest, strlen(rest));
}

static char *want_word(const struct reading *reading, char **rest)
{
    char *word = take_word(reading, rest);
    if (word == NULL)
        complain(reading, "a word is missing");
    return word;
}

static bool take_number(const struct reading *reading, char **rest, uint64_t *out)
{
    AUTO_FREE char *word = take_word(reading, rest);
    if (word == NULL)
        return false;
    char *end = NULL;
    *out = strtoull(word, &end, 10);
    if (*end != '\0')
        complain(reading, "a number is no number");
    return true;
}

static void read_failures(const struct reading *reading, struct toolbox *box, char **rest)
{
    AUTO_FREE char *how = want_word(reading, rest);
    if (strcmp(how, "value") != 0)
        complain(reading, "failures value");
    box->failures = ERRAND_FAILURES_VALUE;
}

static void read_space(const struct reading *reading, char *rest)
{
    struct scenario *scenario = reading->scenario;
    if (scenario->spaces_count == SPACES_MAX)
        complain(reading, "too many spaces");
    struct toolbox *box = &scenario->boxes[scenario->spaces_count++];
    box->name = want_word(reading, &rest);
    for (;;) {
        AUTO_FREE char *what = take_word(reading, &rest);
        if (what == NULL)
            return;
        if (strcmp(what, "error") == 0)
            box->error_class = want_word(reading, &rest);
        else if (strcmp(what, "member") == 0)
            box->error_member = want_word(reading, &rest);
        else if (strcmp(what, "failures") == 0)
            read_failures(reading, box, &rest);
        else if (strcmp(what, "spread") == 0)
            box->spread = true;
        else if (strcmp(what, "bare") == 0)
            box->bare = true;
        else
            complain(reading,
                     "space NAME [error CLASS] [member PROPERTY] [failures value] [spread] [bare]");
    }
}

/* Of the function before it. */
static void read_about(const struct reading *reading, char *rest)
{
    struct scenario *scenario = reading->scenario;
    struct toolbox *box =
        scenario->spaces_count == 0 ? NULL : &scenario->boxes[scenario->spaces_count - 1];
    if (box == NULL || box->count == 0)
        complain(reading, "about stands behind its fn");
    errand_about *about = &box->abouts[box->count - 1];
    about->description = want_word(reading, &rest);
    about->input_schema = take_word(reading, &rest);
    about->output_schema = take_word(reading, &rest);
    box->told = true;
}

static void add_tool(struct toolbox *box, struct tool tool)
{
    assert(box->count < FUNCTIONS_MAX);
    box->tools[box->count] = tool;
    box->names[box->count++] = tool.name;
}

static void read_fn(const struct reading *reading, char *rest)
{
    struct scenario *scenario = reading->scenario;
    if (scenario->spaces_count == 0)
        complain(reading, "fn stands behind its space");
    struct toolbox *box = &scenario->boxes[scenario->spaces_count - 1];
    if (box->count == FUNCTIONS_MAX)
        complain(reading, "too many functions");
    char *name = want_word(reading, &rest);
    char *behaviour = take_word(reading, &rest);
    if (behaviour == NULL)
        behaviour = errand__mem_copy(name, strlen(name));
    add_tool(box, (struct tool){name, behaviour, take_rest(rest)});
}

static void read_limit(const struct reading *reading, char *rest)
{
    AUTO_FREE char *name = want_word(reading, &rest);
    AUTO_FREE char *value = want_word(reading, &rest);
    errand_error err = {0};
    if (errand_limits_set(&reading->scenario->limits, name, value, &err) < 0)
        complain(reading, err.text);
}

static void read_cancel(const struct reading *reading, char *rest)
{
    struct scenario *scenario = reading->scenario;
    AUTO_FREE char *when = want_word(reading, &rest);
    if (strcmp(when, "start") == 0)
        scenario->cancel = CANCEL_START;
    else if (strcmp(when, "log") == 0)
        scenario->cancel = CANCEL_LOG;
    else if (strcmp(when, "call") == 0)
        scenario->cancel = CANCEL_CALL;
    else if (strcmp(when, "after") == 0)
        scenario->cancel = CANCEL_AFTER;
    else
        complain(reading, "cancel start | log TEXT | call N | after MS, each with [twice]");
    if (scenario->cancel == CANCEL_LOG)
        scenario->cancel_text = want_word(reading, &rest);
    else if (scenario->cancel != CANCEL_START &&
             !take_number(reading, &rest, &scenario->cancel_number))
        complain(reading, "a number is missing");
    AUTO_FREE char *twice = take_word(reading, &rest);
    scenario->cancel_twice = twice != NULL && strcmp(twice, "twice") == 0;
}

static void read_show(const struct reading *reading, char *rest)
{
    static const char *const names[] = {"stack", "logs", "hint", "stats", "error"};
    for (;;) {
        AUTO_FREE char *word = take_word(reading, &rest);
        if (word == NULL)
            return;
        size_t i = 0;
        while (i < COUNT(names) && strcmp(word, names[i]) != 0)
            i++;
        if (i == COUNT(names))
            complain(reading, "show stack, logs, hint, stats or error");
        reading->scenario->show |= 1u << i;
    }
}

static void read_node(const struct reading *reading, char *rest)
{
    AUTO_FREE char *how = want_word(reading, &rest);
    uint64_t major = 0;
    if (!take_number(reading, &rest, &major))
        complain(reading, "node >= N, or node < N");
    if (strcmp(how, ">=") == 0)
        reading->scenario->node_from = (int)major;
    else if (strcmp(how, "<") == 0)
        reading->scenario->node_below = (int)major;
    else
        complain(reading, "node >= N, or node < N");
}

static void read_language(const struct reading *reading, char *rest)
{
    AUTO_FREE char *word = want_word(reading, &rest);
    struct scenario *scenario = reading->scenario;
    if (strcmp(word, "auto") == 0)
        scenario->language = ERRAND_LANGUAGE_AUTO;
    else if (strcmp(word, "js") == 0)
        scenario->language = ERRAND_LANGUAGE_JS;
    else if (strcmp(word, "ts") == 0)
        scenario->language = ERRAND_LANGUAGE_TS;
    else
        complain(reading, "language auto, js or ts");
}

static void read_values(const struct reading *reading, char *rest)
{
    AUTO_FREE char *word = want_word(reading, &rest);
    if (strcmp(word, "json") == 0)
        reading->scenario->values = ERRAND_VALUES_JSON;
    else if (strcmp(word, "rich") == 0)
        reading->scenario->values = ERRAND_VALUES_RICH;
    else
        complain(reading, "values json or rich");
}

static void read_input(const struct reading *reading, char *rest)
{
    reading->scenario->input = take_rest(rest);
}

static void read_globals(const struct reading *reading, char *rest)
{
    AUTO_FREE char *word = want_word(reading, &rest);
    if (strcmp(word, "pure") != 0)
        complain(reading, "globals pure");
    reading->scenario->globals = ERRAND_GLOBALS_PURE;
}

static void read_network(const struct reading *reading, char *rest)
{
    AUTO_FREE char *word = want_word(reading, &rest);
    if (strcmp(word, "off") != 0)
        complain(reading, "network off");
    reading->scenario->network = ERRAND_NETWORK_OFF;
}

static void read_accept(const struct reading *reading, char *rest)
{
    AUTO_FREE char *word = want_word(reading, &rest);
    if (strcmp(word, "exact") != 0)
        complain(reading, "accept exact");
    reading->scenario->accept = ERRAND_ACCEPT_EXACT;
}

static void read_last_value(const struct reading *reading, char *rest)
{
    if (rest[strspn(rest, " ")] != '\0')
        complain(reading, "last-value stands alone");
    reading->scenario->last_value = true;
}

static void read_check(const struct reading *reading, char *rest)
{
    if (rest[strspn(rest, " ")] != '\0')
        complain(reading, "check stands alone");
    reading->scenario->check_only = true;
}

static void read_module(const struct reading *reading, char *rest)
{
    struct scenario *scenario = reading->scenario;
    if (scenario->modules_count == MODULES_MAX)
        complain(reading, "too many modules");
    errand_module *module = &scenario->modules[scenario->modules_count++];
    module->name = want_word(reading, &rest);
    module->source = span_text(want_word(reading, &rest));
}

static void read_env(const struct reading *reading, char *rest)
{
    struct scenario *scenario = reading->scenario;
    if (scenario->env_count == ENV_MAX)
        complain(reading, "too much environment");
    scenario->env[scenario->env_count++] = want_word(reading, &rest);
}

static void read_store(const struct reading *reading, char *rest)
{
    reading->scenario->store = take_rest(rest);
}

static void read_reason(const struct reading *reading, char *rest)
{
    reading->scenario->reason = want_word(reading, &rest);
}

static void read_name(const struct reading *reading, char *rest)
{
    reading->scenario->program_name = want_word(reading, &rest);
}

static void read_bare(const struct reading *reading, char *rest)
{
    if (rest[strspn(rest, " ")] != '\0')
        complain(reading, "bare stands alone");
    reading->scenario->bare = true;
}

static void read_steady(const struct reading *reading, char *rest)
{
    if (rest[strspn(rest, " ")] != '\0')
        complain(reading, "steady stands alone");
    reading->scenario->steady = true;
}

static void read_roads(const struct reading *reading, char *rest)
{
    reading->scenario->roads = take_rest(rest);
}

static void read_leaves(const struct reading *reading, char *rest)
{
    reading->scenario->leaves = take_rest(rest);
}

static void read_alone(const struct reading *reading, char *rest)
{
    if (rest[strspn(rest, " ")] != '\0')
        complain(reading, "alone stands alone");
    reading->scenario->alone = true;
}

static const struct directive {
    const char *word;
    void (*read)(const struct reading *reading, char *rest);
} directives[] = {
    {"space", read_space},       {"fn", read_fn},           {"limit", read_limit},
    {"cancel", read_cancel},     {"show", read_show},       {"node", read_node},
    {"language", read_language}, {"values", read_values},   {"env", read_env},
    {"reason", read_reason},     {"name", read_name},       {"roads", read_roads},
    {"bare", read_bare},         {"steady", read_steady},   {"leaves", read_leaves},
    {"alone", read_alone},       {"globals", read_globals}, {"network", read_network},
    {"store", read_store},       {"input", read_input},     {"about", read_about},
    {"check", read_check},       {"accept", read_accept},   {"last-value", read_last_value},
    {"module", read_module},
};

static void read_directive(const struct reading *reading, char *line)
{
    char *rest = line;
    AUTO_FREE char *word = take_word(reading, &rest);
    if (word == NULL || word[0] == '#')
        return;
    for (size_t i = 0; i < COUNT(directives); i++) {
        if (strcmp(directives[i].word, word) != 0)
            continue;
        directives[i].read(reading, rest);
        return;
    }
    complain(reading, "no such directive");
}

/* --- One scenario -------------------------------------------------------------------------- */

static void usual_box(struct scenario *scenario)
{
    struct toolbox *box = &scenario->boxes[scenario->spaces_count++];
    box->name = errand__mem_copy("tools", strlen("tools"));
    for (size_t i = 0; i < COUNT(usual_tools); i++) {
        size_t len = strlen(usual_tools[i]);
        add_tool(box, (struct tool){.name = errand__mem_copy(usual_tools[i], len),
                                    .behaviour = errand__mem_copy(usual_tools[i], len)});
    }
}

static void tie_spaces(struct scenario *scenario)
{
    for (size_t i = 0; i < scenario->spaces_count; i++) {
        const struct toolbox *box = &scenario->boxes[i];
        scenario->spaces[i] = (errand_namespace){
            .name = box->name,
            .functions = box->names,
            .error_class = box->error_class,
            .error_member = box->error_member,
            .abouts = box->told ? box->abouts : NULL,
            .failures = box->failures,
            .spread = box->spread,
            .bare = box->bare,
        };
    }
}

/* Splits an expect file in two, in place, and reads the first part. */
static void read_expect(struct scenario *scenario, char *text)
{
    struct reading reading = {scenario, scenario->expect_path, 0};
    scenario->directives = errand__mem_copy("", 0);
    const char *head = text;
    AUTO_FREE char *copy = errand__mem_copy(text, strlen(text));
    for (char *line = copy; line != NULL && *line != '\0';) {
        char *end = strchr(line, '\n');
        if (end != NULL)
            *end = '\0';
        reading.line++;
        if (strcmp(line, "---") == 0) {
            errand__mem_free(scenario->directives);
            scenario->directives = errand__mem_copy(head, (size_t)(line - copy));
            scenario->expected =
                errand__mem_copy(end == NULL ? "" : text + (end + 1 - copy),
                                 end == NULL ? 0 : strlen(text + (end + 1 - copy)));
            break;
        }
        read_directive(&reading, line);
        line = end == NULL ? NULL : end + 1;
    }
    if (scenario->expected == NULL)
        complain(&reading, "no line ---");
}

static struct scenario *load_one(const char *folder, const char *file, size_t stem)
{
    struct scenario *scenario = errand__mem_new(1, sizeof(*scenario));
    assert(scenario != NULL);
    scenario->limits = (errand_limits)ERRAND_LIMITS_INIT;
    scenario->name = errand__mem_copy(file, stem);
    scenario->expect_path = text_of("%s/%s.expect", folder, scenario->name);
    scenario->language = strcmp(file + stem, ".ts") == 0 ? ERRAND_LANGUAGE_TS : ERRAND_LANGUAGE_JS;
    AUTO_FREE char *path = text_of("%s/%s", folder, file);
    scenario->program = file_read(path, &scenario->program_len);
    AUTO_FREE char *expect = file_read(scenario->expect_path, NULL);
    if (expect == NULL)
        expect = errand__mem_copy("---\n", 4);
    read_expect(scenario, expect);
    if (scenario->spaces_count == 0)
        usual_box(scenario);
    tie_spaces(scenario);
    return scenario;
}

static int by_name(const void *a, const void *b)
{
    const struct scenario *const *left = a;
    const struct scenario *const *right = b;
    return strcmp((*left)->name, (*right)->name);
}

struct scenario **scenarios_load(const char *folder, const char *pattern, size_t *count)
{
    enum { MAX = 1024 };
    struct scenario **all = errand__mem_new(MAX + 1, sizeof(struct scenario *));
    DIR *dir = opendir(folder);
    if (all == NULL || dir == NULL) {
        (void)fprintf(stderr, "%s: no such folder\n", folder);
        exit(2);
    }
    *count = 0;
    for (const struct dirent *entry = NULL; (entry = readdir(dir)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot == NULL || (strcmp(dot, ".js") != 0 && strcmp(dot, ".ts") != 0))
            continue;
        if (strstr(entry->d_name, pattern) == NULL)
            continue;
        assert(*count < MAX);
        all[(*count)++] = load_one(folder, entry->d_name, (size_t)(dot - entry->d_name));
    }
    (void)closedir(dir);
    qsort(all, *count, sizeof(struct scenario *), by_name);
    return all;
}

static void toolbox_deinit(struct toolbox *box)
{
    errand__mem_free(box->name);
    errand__mem_free(box->error_class);
    errand__mem_free(box->error_member);
    for (size_t i = 0; i < box->count; i++) {
        errand__mem_free(box->tools[i].name);
        errand__mem_free(box->tools[i].behaviour);
        errand__mem_free(box->tools[i].given);
        errand__mem_free((void *)(uintptr_t)box->abouts[i].description);
        errand__mem_free((void *)(uintptr_t)box->abouts[i].input_schema);
        errand__mem_free((void *)(uintptr_t)box->abouts[i].output_schema);
    }
}

static void scenario_free(struct scenario *scenario)
{
    char *const texts[] = {
        scenario->name,        scenario->expect_path, scenario->program,  scenario->program_name,
        scenario->cancel_text, scenario->reason,      scenario->store,    scenario->roads,
        scenario->leaves,      scenario->directives,  scenario->expected, scenario->input,
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        errand__mem_free(texts[i]);
    for (size_t i = 0; i < scenario->spaces_count; i++)
        toolbox_deinit(&scenario->boxes[i]);
    for (size_t i = 0; i < scenario->env_count; i++)
        errand__mem_free(scenario->env[i]);
    for (size_t i = 0; i < scenario->modules_count; i++) {
        errand__mem_free((void *)scenario->modules[i].name);
        errand__mem_free((void *)scenario->modules[i].source.ptr);
    }
    errand__mem_free(scenario);
}

void scenarios_free(struct scenario **all)
{
    for (size_t i = 0; all[i] != NULL; i++)
        scenario_free(all[i]);
    errand__mem_free(all);
}

bool scenario_fits(const struct scenario *scenario, const char *road, const struct way *way,
                   int node_major)
{
    if ((scenario->bare && way->segments) || (scenario->steady && way->breaks))
        return false;
    if (node_major < scenario->node_from)
        return false;
    if (scenario->node_below != 0 && node_major >= scenario->node_below)
        return false;
    if (scenario->roads == NULL)
        return true;
    AUTO_FREE char *padded = text_of(" %s ", scenario->roads);
    AUTO_FREE char *wanted = text_of(" %s ", road);
    return strstr(padded, wanted) != NULL;
}

void scenario_rewrite(const struct scenario *scenario, const char *text)
{
    FILE *file = fopen(scenario->expect_path, "wbe");
    if (file == NULL || fprintf(file, "%s---\n%s", scenario->directives, text) < 0)
        (void)fprintf(stderr, "%s: not written\n", scenario->expect_path);
    if (file != NULL)
        (void)fclose(file);
}
