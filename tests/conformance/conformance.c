/* conformance.c - every scenario over one road and one node, many at once in one loop.
 *
 * conformance ROAD [--node N] [--every N] [PATTERN]: node N counts ERRAND_TEST_NODES from 0;
 * every N: that one of so many scenarios. UPDATE=1 rewrites what is expected wherever it did not
 * come; what it wrote has to be read by a human.
 */
#include "base/mem.h"
#include "check.h"
#include "file.h"
#include "flight.h"
#include "nursery.h"
#include "road.h"
#include "transport/address.h"

#include <dirent.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* More would only wait for each other on a small machine. */
enum { AT_ONCE = 6, SURVIVORS_SHOWN = 16 };

struct suite {
    const struct road *road;
    char *node;
    int node_major;
    struct scenario **scenarios;
    size_t count;
    const char *pattern;
    size_t every; /* One of so many is flown. */
    errand_loop *loop;
    errand_place *place;
    struct flight *flying[AT_ONCE];
    size_t next;
    unsigned passed, failed, other_node, updated;
    bool update;
};

static void stop(const char *what, const errand_error *err)
{
    (void)fprintf(stderr, "conformance: %s: %s\n", what, err->text);
    exit(2);
}

/* --- Verdicts -------------------------------------------------------------------------- */

static void show_lines(const char *label, const char *text)
{
    while (*text != '\0') {
        int len = (int)strcspn(text, "\n");
        (void)printf("  %s %.*s\n", label, len, text);
        text += len;
        text += *text == '\n';
    }
}

static void verdict(struct suite *suite, const struct flight *flight)
{
    const struct scenario *scenario = flight_scenario(flight);
    if (!check_matches(scenario->expected, flight_text(flight))) {
        if (suite->update) {
            scenario_rewrite(scenario, flight_text(flight));
            suite->updated++;
            return;
        }
        (void)printf("FAIL %s over %s\n", scenario->name, suite->road->name);
        show_lines("want:", scenario->expected);
        show_lines("got: ", flight_text(flight));
        suite->failed++;
        return;
    }
    if (suite->road->again != NULL &&
        !suite->road->again(flight_record(flight), flight_text(flight), scenario)) {
        suite->failed++;
        return;
    }
    suite->passed++;
}

/* --- Flying ---------------------------------------------------------------------------- */

static size_t flying_count(const struct suite *suite)
{
    size_t count = 0;
    for (size_t i = 0; i < AT_ONCE; i++)
        count += suite->flying[i] != NULL;
    return count;
}

static bool lone_flight(const struct suite *suite)
{
    for (size_t i = 0; i < AT_ONCE; i++) {
        if (suite->flying[i] != NULL && flight_scenario(suite->flying[i])->alone)
            return true;
    }
    return false;
}

static size_t at_once(const struct suite *suite)
{
    return suite->road->at_once == 0 ? AT_ONCE : suite->road->at_once;
}

/* The next scenario that may start now; NULL: none. */
static const struct scenario *next_scenario(struct suite *suite)
{
    const struct way way = {.segments = suite->road->segments, .breaks = suite->road->wrap != NULL};

    for (; suite->next < suite->count; suite->next++) {
        if (suite->next % suite->every != 0)
            continue;
        const struct scenario *scenario = suite->scenarios[suite->next];
        if (!scenario_fits(scenario, suite->road->name, &way, suite->node_major)) {
            suite->other_node++;
            continue;
        }
        size_t flying = flying_count(suite);
        if (flying == at_once(suite) || lone_flight(suite) || (scenario->alone && flying > 0))
            return NULL;
        suite->next++;
        return scenario;
    }
    return NULL;
}

static void start_some(struct suite *suite)
{
    const struct scenario *scenario = NULL;
    while ((scenario = next_scenario(suite)) != NULL) {
        size_t slot = 0;
        while (suite->flying[slot] != NULL)
            slot++;
        suite->flying[slot] = flight_start(scenario, suite->place, suite->road->again != NULL,
                                           errand_loop_now_us(suite->loop));
    }
}

static int wait_ms(struct suite *suite)
{
    int64_t due = TIME_NEVER;
    for (size_t i = 0; i < AT_ONCE; i++) {
        if (suite->flying[i] == NULL)
            continue;
        if (flight_over(suite->flying[i]))
            return 0;
        if (flight_due(suite->flying[i]) < due)
            due = flight_due(suite->flying[i]);
    }
    int64_t wait_us = due - errand_loop_now_us(suite->loop);
    return wait_us <= 0 ? 0 : (int)(wait_us / 1000 + 1);
}

static void land_some(struct suite *suite)
{
    for (size_t i = 0; i < AT_ONCE; i++) {
        struct flight *flight = suite->flying[i];
        if (flight == NULL)
            continue;
        flight_tick(flight, errand_loop_now_us(suite->loop));
        if (!flight_over(flight))
            continue;
        verdict(suite, flight);
        flight_free(flight);
        suite->flying[i] = NULL;
    }
}

static void take_events(struct suite *suite)
{
    const errand_event *event = NULL;
    errand_error err = {0};
    int patience_ms = wait_ms(suite);
    errand_status status = errand_loop_next(suite->loop, patience_ms, &event, &err);
    if (status < 0)
        stop("loop", &err);
    while (status == ERRAND_OK) {
        if (event->run != NULL)
            flight_event(errand_run_user(event->run), event, errand_loop_now_us(suite->loop));
        status = errand_loop_next(suite->loop, 0, &event, &err);
    }
    if (status < 0)
        stop("loop", &err);
}

static void fly(struct suite *suite)
{
    for (;;) {
        start_some(suite);
        if (flying_count(suite) == 0 && suite->next == suite->count)
            return;
        take_events(suite);
        land_some(suite);
    }
}

/* --- The place ------------------------------------------------------------------------- */

static void open_wrapped(struct suite *suite, const char *address,
                         const errand_place_options *options)
{
    errand_road *road = NULL;
    errand_error err = {0};
    AUTO_FREE char *name = NULL;
    if (errand__road_from_address(&road, &name, address, options, &err) < 0)
        stop("road", &err);
    road = suite->road->wrap(road);
    if (errand_place_open_road(&suite->place, suite->loop, road, name, options, &err) < 0)
        stop("place", &err);
}

static void open_place(struct suite *suite)
{
    char address[ADDRESS_MAX];
    errand_place_options options = ERRAND_PLACE_OPTIONS_INIT;
    if (suite->road->begin != NULL)
        suite->road->begin(&options);
    suite->road->address(address, suite->node);
    options.delivery = suite->road->delivery;
    options.node = suite->road->names_node ? suite->node : NULL;
    errand_error err = {0};
    if (errand_loop_new(&suite->loop, &err) < 0)
        stop("loop", &err);
    if (suite->road->wrap != NULL)
        open_wrapped(suite, address, &options);
    else if (errand_place_open(&suite->place, suite->loop, address, &options, &err) < 0)
        stop("place", &err);
}

static void close_place(struct suite *suite)
{
    const errand_event *event = NULL;
    errand_error err = {0};
    errand_place_close(suite->place);
    bool closed = false;
    while (!closed && errand_loop_next(suite->loop, 15000, &event, &err) == ERRAND_OK)
        closed = event->type == ERRAND_EVENT_PLACE_CLOSED;
    if (!closed) {
        (void)printf("FAIL the place never closed\n");
        suite->failed++;
    }
    errand_place_free(suite->place);
    errand_loop_free(suite->loop);
    if (suite->road->end != NULL)
        suite->road->end();
}

/* Asks the node over there which one it is, and warms the place. */
static int ask_major(struct suite *suite)
{
    static const char text[] = "return +process.versions.node.split('.')[0];";
    errand_run_options options = ERRAND_RUN_OPTIONS_INIT;
    options.program = span_text(text);
    options.language = ERRAND_LANGUAGE_JS;
    errand_error err = {0};
    errand_run *run = NULL;
    if (errand_run_start(&run, suite->place, &options, &err) < 0)
        stop("first run", &err);
    const errand_event *event = NULL;
    int major = 0;
    while (major == 0 && errand_loop_next(suite->loop, 40000, &event, &err) == ERRAND_OK) {
        if (event->type != ERRAND_EVENT_END)
            continue;
        const errand_outcome *end = event->as.end;
        AUTO_FREE char *value = errand__mem_copy(end->value.ptr, end->value.len);
        major = (int)strtol(value, NULL, 10);
        if (end->kind != ERRAND_KIND_VALUE || major <= 0) {
            (void)fprintf(stderr, "conformance: no first word: %s: %.*s\n", end->code,
                          (int)end->message.len, end->message.ptr);
            exit(2);
        }
    }
    errand_run_free(run);
    return major;
}

/* --- What is left ---------------------------------------------------------------------- */

static size_t open_descriptors(void)
{
    size_t count = 0;
    DIR *dir = opendir("/proc/self/fd");
    assert(dir != NULL);
    while (readdir(dir) != NULL)
        count++;
    (void)closedir(dir);
    return count;
}

static int work(void *ctx)
{
    struct suite *suite = ctx;
    size_t before = open_descriptors();
    open_place(suite);
    suite->node_major = ask_major(suite);
    suite->scenarios = scenarios_load(CONFORMANCE_SCENARIOS, suite->pattern, &suite->count);
    fly(suite);
    close_place(suite);
    size_t after = open_descriptors();
    if (after != before) {
        (void)printf("FAIL %zu descriptors before, %zu after\n", before, after);
        suite->failed++;
    }
    scenarios_free(suite->scenarios);
    (void)printf("%s, node %d: %u passed, %u failed, %u not for it\n", suite->road->name,
                 suite->node_major, suite->passed, suite->failed, suite->other_node);
    if (suite->updated > 0)
        (void)printf("%u rewritten: read them\n", suite->updated);
    return suite->failed > 0 || suite->passed + suite->updated == 0;
}

static bool may_stay(struct suite *suite, const char *words)
{
    for (size_t i = 0; i < suite->count; i++) {
        const char *leaves = suite->scenarios[i]->leaves;
        if (leaves != NULL && strncmp(words, leaves, strlen(leaves)) == 0)
            return true;
    }
    return false;
}

/* How many processes outlived the suite without being allowed to; ends them. */
static unsigned count_survivors(struct suite *suite)
{
    pid_t pids[SURVIVORS_SHOWN];
    unsigned bad = 0;
    size_t left = children_left(2000, pids, COUNT(pids));
    suite->scenarios = scenarios_load(CONFORMANCE_SCENARIOS, suite->pattern, &suite->count);
    for (size_t i = 0; i < left && i < COUNT(pids); i++) {
        AUTO_FREE char *words = process_words(pids[i]);
        (void)kill(pids[i], SIGKILL);
        if (may_stay(suite, words))
            continue;
        (void)printf("FAIL still lives: %d %s\n", (int)pids[i], words);
        bad++;
    }
    scenarios_free(suite->scenarios);
    return bad;
}

static int remove_one(const char *path, const struct stat *about, int flag, struct FTW *where)
{
    (void)about;
    (void)flag;
    (void)where;
    return remove(path);
}

int main(int argc, char **argv)
{
    struct suite suite = {.pattern = "", .every = 1, .update = getenv("UPDATE") != NULL};
    size_t node = 0;
    suite.road = argc < 2 ? NULL : road_named(argv[1]);
    if (suite.road == NULL) {
        (void)fprintf(stderr, "conformance ROAD [--node N] [--every N] [PATTERN]\n");
        roads_list();
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--node") == 0 && i + 1 < argc)
            node = (size_t)strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--every") == 0 && i + 1 < argc)
            suite.every = (size_t)strtoul(argv[++i], NULL, 10);
        else
            suite.pattern = argv[i];
    }
    suite.node = test_node(node);
    char home[] = "/tmp/conformance-XXXXXX";
    if (suite.every == 0 || suite.node == NULL || mkdtemp(home) == NULL ||
        setenv("HOME", home, 1) != 0) {
        (void)fprintf(stderr, "conformance: no node, no folder for its home, or none of many\n");
        return 2;
    }
    (void)unsetenv("XDG_CACHE_HOME");
    (void)setenv("ERRAND_CONFORMANCE_SECRET", "must not be seen", 1);
    nursery_adopt();
    int code = nursery_run(work, &suite);
    if (count_survivors(&suite) > 0)
        code = 1;
    errand__mem_free(suite.node);
    (void)nftw(home, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return code;
}
