/* test_soak.c - two thousand runs, many at once, in a few sandboxes whose service goes wrong now
 * and then: each comes to its right end, and nothing of it stays, neither here nor there. */
#include "test.h"

#include "cloud.h"

#include <dirent.h>
#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    PLACES = 4,
    AT_ONCE = 16,
    RUNS = 2000,
    ROUND = 250,   /* Runs from one set of faults to the next. */
    SETTLED = 500, /* Runs after which nothing is to grow. */
    GROWTH_KIB = 4096,
    CALLS_EACH = 3
};

static struct cloud cloud;

static int start(void **state)
{
    (void)state;
    cloud_start(&cloud, NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    cloud_end(&cloud);
    return 0;
}

struct soak {
    errand_loop *loop;
    errand_place *places[PLACES];
    unsigned begun, going, ended, closed;
    uint64_t calls, drops;
    long settled_kib;
};

/* --- What it costs here ----------------------------------------------------------------------- */

static long resident_kib(void)
{
    char line[256];
    long kib = 0;
    FILE *file = fopen("/proc/self/status", "re");

    assert_non_null(file);
    (void)malloc_trim(0);
    while (fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, "VmRSS:", 6) == 0)
            kib = strtol(line + 6, NULL, 10);
    }
    (void)fclose(file);
    return kib;
}

static unsigned descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    unsigned count = 0;

    assert_non_null(folder);
    while (readdir(folder) != NULL)
        count++;
    (void)closedir(folder);
    return count;
}

/* --- Runs ------------------------------------------------------------------------------------- */

/* What goes wrong in a round: streams that break at their beginning, in the middle, just before the
 * end; answers to input that get lost; starts that are refused or whose answer gets lost. */
static void order_faults(void)
{
    static const char *const orders[] = {
        "{'on':{'rpc':'Start'},'skip':5,'count':3,'do':'cut','at':'start','how':'reset'}",
        "{'on':{'rpc':'Start'},'skip':12,'count':3,'do':'cut','at':'data','how':'close'}",
        "{'on':{'rpc':'Start'},'skip':19,'count':3,'do':'cut','at':600,'how':'end'}",
        "{'on':{'rpc':'Connect'},'count':2,'do':'cut','at':'data','how':'reset'}",
        "{'on':{'rpc':'Start'},'skip':40,'count':4,'do':'answer','status':409,'text':'moving'}",
        "{'on':{'rpc':'Start'},'skip':50,'count':2,'do':'answer','status':504,'text':'x',"
        "'late':true}",
        "{'on':{'rpc':'Start'},'skip':60,'count':9,'do':'segment','bytes':7}",
        "{'on':{'rpc':'SendInput'},'skip':70,'count':4,'do':'answer','status':504,'text':'x',"
        "'late':true}",
        "{'on':{'rpc':'SendInput'},'skip':90,'count':4,'do':'answer','status':429,'text':'x'}",
        "{'on':{'rpc':'SendInput'},'skip':99,'count':4,'do':'cut','at':'handled'}",
    };

    cloud_no_faults(&cloud);
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
        cloud_fault(&cloud, orders[i]);
}

static void begin_run(struct soak *soak)
{
    static const char *const functions[] = {"echo", NULL};
    static const errand_namespace home = {.name = "home", .functions = functions};
    errand_run_options options = ERRAND_RUN_OPTIONS_INIT;
    errand_limits limits = ERRAND_LIMITS_INIT;
    errand_error error = {0};
    errand_run *run = NULL;

    if (soak->begun % ROUND == 0)
        order_faults();
    limits.open_ms = limits.boot_ms = limits.close_ms = 60000;
    limits.leave_ms = limits.kill_grace_ms = limits.reap_ms = 20000;
    options.program = SPAN_LITERAL("not read by the stub");
    options.language = ERRAND_LANGUAGE_JS;
    options.namespaces = &home;
    options.namespaces_count = 1;
    options.limits = &limits;
    if (errand_run_start(&run, soak->places[soak->begun % PLACES], &options, &error) != ERRAND_OK)
        fail_msg("%s", error.text);
    soak->begun++;
    soak->going++;
}

static void end_run(struct soak *soak, const errand_event *event)
{
    const errand_outcome *end = event->as.end;

    if (end->kind != ERRAND_KIND_VALUE || !span_is(end->value, "6"))
        fail_msg("after %u runs: %s %.*s", soak->ended, end->code, (int)end->message.len,
                 end->message.ptr);
    if (end->warnings_count > 0)
        fail_msg("after %u runs: %s", soak->ended, end->warnings[0]);
    assert_int_equal(end->process_may_be_running, 0);
    soak->drops += end->drops;
    soak->going--;
    errand_run_free(event->run);
    if (++soak->ended == SETTLED)
        soak->settled_kib = resident_kib();
}

static void hear(struct soak *soak, const errand_event *event)
{
    if (event->type == ERRAND_EVENT_CALL) {
        soak->calls++;
        assert_int_equal(errand_run_reply(event->run, event->as.call.id, event->as.call.args, NULL),
                         ERRAND_OK);
    }
    if (event->type == ERRAND_EVENT_END)
        end_run(soak, event);
    soak->closed += event->type == ERRAND_EVENT_PLACE_CLOSED;
}

static void go_on(struct soak *soak)
{
    const errand_event *event = NULL;
    errand_error error = {0};

    if (errand_loop_next(soak->loop, 100000, &event, &error) != ERRAND_OK)
        fail_msg("nothing happens any more after %u ends", soak->ended);
    hear(soak, event);
}

/* --- What stays over there -------------------------------------------------------------------- */

/* What was told to end is given the time to. */
static void assert_quiet(void)
{
    static const char open[] = "\"openConnections\":";
    bool quiet = false;

    for (int i = 0; i < 100 && !quiet; i++) {
        const char *text = cloud_ask(&cloud, "GET", "/sandboxes", NULL);
        quiet = true;
        for (const char *at = strstr(text, open); at != NULL; at = strstr(at + 1, open))
            quiet = quiet && strtol(at + strlen(open), NULL, 10) == 0;
        (void)poll(NULL, 0, 20);
    }
    assert_true(quiet);
}

static void assert_nobody(const char *id)
{
    char path[CLOUD_TEXT];

    (void)snprintf(path, sizeof(path), "/processes?sandbox=%s", id);
    assert_string_equal(cloud_ask(&cloud, "GET", path, NULL), "[]\n");
}

static void open_places(struct soak *soak)
{
    errand_place_options options = ERRAND_PLACE_OPTIONS_INIT;
    errand_e2b_options e2b = cloud_options(&cloud);
    errand_error error = {0};

    options.e2b = &e2b;
    options.node = E2B_STUB;
    assert_int_equal(errand_loop_new(&soak->loop, &error), ERRAND_OK);
    for (size_t i = 0; i < PLACES; i++) {
        if (errand_place_open(&soak->places[i], soak->loop, "e2b://base", &options, &error) !=
            ERRAND_OK)
            fail_msg("%s", error.text);
    }
}

static void close_places(struct soak *soak)
{
    for (size_t i = 0; i < PLACES; i++)
        errand_place_close(soak->places[i]);
    while (soak->closed < PLACES)
        go_on(soak);
    for (size_t i = 0; i < PLACES; i++)
        errand_place_free(soak->places[i]);
    errand_loop_free(soak->loop);
}

static void test_soak__two_thousand_runs(void **state)
{
    struct soak soak = {0};
    const char *id = NULL;

    (void)state;
    (void)resident_kib();
    unsigned before = descriptors();
    open_places(&soak);
    while (soak.ended < RUNS) {
        while (soak.begun < RUNS && soak.going < AT_ONCE)
            begin_run(&soak);
        go_on(&soak);
    }
    assert_int_equal(soak.calls, RUNS * CALLS_EACH);
    long grown = resident_kib() - soak.settled_kib;
    print_message("%d runs, %llu broken streams, %ld KiB more than after %d\n", RUNS,
                  (unsigned long long)soak.drops, grown, SETTLED);
    assert_true(soak.drops >= RUNS / ROUND * 4);
    assert_true(grown < GROWTH_KIB);
    assert_quiet();
    assert_int_equal(cloud_sandboxes(&cloud, &id), PLACES);
    assert_nobody(id);
    close_places(&soak);
    assert_int_equal(cloud_sandboxes(&cloud, NULL), 0);
    assert_int_equal(descriptors(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_soak__two_thousand_runs),
    };

    return cmocka_run_group_tests(tests, start, end);
}
