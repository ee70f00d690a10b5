/* test_lifetime.c - what is left when home dies, and how much memory home takes.
 *
 * Every case runs in children of this program, which is the reaper of all orphans below it: a
 * process that outlives its run is seen here, in whatever session it hides.
 */
#include "test.h"

#include "base/mem.h"
#include "file.h"
#include "nursery.h"
#include "road.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { MEMORY_COUNTS = 0 }; /* A sanitizer's own memory is not ours. */
#else
enum { MEMORY_COUNTS = 1 };
#endif

enum { KIB = 1024, MIB = 1024 * 1024 };

static const char *const echo_functions[] = {"echo", NULL};
static const errand_namespace tools = {.name = "tools", .functions = echo_functions};

/* A field of /proc/self/status, in KiB. */
static long status_kib(const char *field)
{
    AUTO_FREE char *text = file_read("/proc/self/status", NULL);
    const char *at = strstr(text, field);
    return at == NULL ? -1 : strtol(at + strlen(field) + 1, NULL, 10);
}

/* --- A host ---------------------------------------------------------------------------- */

struct host {
    errand_loop *loop;
    errand_place *place;
    char *node;
};

static bool host_open(struct host *host, const char *address, errand_delivery delivery)
{
    errand_place_options options = ERRAND_PLACE_OPTIONS_INIT;
    errand_error err = {0};
    host->node = test_node(0);
    options.node = host->node;
    options.delivery = delivery;
    if (errand_loop_new(&host->loop, &err) == ERRAND_OK &&
        errand_place_open(&host->place, host->loop, address, &options, &err) == ERRAND_OK)
        return true;
    (void)fprintf(stderr, "%s\n", err.text);
    return false;
}

static void host_close(struct host *host)
{
    errand_place_free(host->place);
    errand_loop_free(host->loop);
    errand__mem_free(host->node);
}

static errand_run *host_start(struct host *host, const char *program, errand_limits *limits)
{
    errand_run_options options = ERRAND_RUN_OPTIONS_INIT;
    options.program = span_text(program);
    options.language = ERRAND_LANGUAGE_JS;
    options.namespaces = &tools;
    options.namespaces_count = 1;
    options.limits = limits;
    options.collect_logs = 1;
    errand_run *run = NULL;
    errand_error err = {0};
    if (errand_run_start(&run, host->place, &options, &err) != ERRAND_OK)
        (void)fprintf(stderr, "%s\n", err.text);
    return run;
}

static bool echo(const errand_event *event)
{
    errand_error err = {0};
    return errand_run_reply(event->run, event->as.call.id, event->as.call.args, &err) == ERRAND_OK;
}

/* --- kill -9 of the host, at many moments ---------------------------------------------- */

struct moment {
    const char *what;
    const char *program;
    int delay_ms; /* After the start, or after "ready" where the program says it. */
    bool says_ready;
};

static const struct moment moments[] = {
    {"before anything", "return 1;", 0, false},
    {"in the shell", "await tools.echo(1); for (;;);", 3, false},
    {"while node starts", "for (;;);", 15, false},
    {"while the runner boots", "for (;;);", 35, false},
    {"about the first word", "for (;;);", 60, false},
    {"in a call", "console.log('ready'); await tools.echo('keep');", 50, true},
    {"while it spins", "console.log('ready'); for (;;);", 50, true},
    {"while it sleeps", "console.log('ready'); await new Promise((r) => setTimeout(r, 60000));", 50,
     true},
    {"in execSync",
     "console.log('ready'); require('node:child_process').execSync('sleep 351; sleep 352');", 100,
     true},
    {"with children",
     "const { spawn } = require('node:child_process');"
     "spawn('sh', ['-c', 'sleep 353 & sleep 354 & wait'], { stdio: 'inherit' });"
     "console.log('ready'); await tools.echo('keep');",
     100, true},
    {"with children in sessions of their own",
     "const { spawn } = require('node:child_process');"
     "for (let i = 0; i < 3; i++) spawn('sleep', ['355'], { detached: true, stdio: 'ignore' });"
     "console.log('ready'); for (;;);",
     100, true},
    {"while it floods", "console.log('ready'); for (;;) console.log('x'.repeat(100000));", 20,
     true},
};

/* A host that never ends by itself; a byte on fd tells that the program said ready. */
static void host_until_killed(const struct moment *moment, int fd)
{
    struct host host = {0};
    if (!host_open(&host, "local", ERRAND_DELIVERY_STDIN))
        _exit(2);
    errand_limits limits = ERRAND_LIMITS_INIT;
    limits.output_bytes = UINT64_C(1) << 40;
    limits.frame_bytes = limits.output_bytes;
    errand_run *run = host_start(&host, moment->program, &limits);
    if (run == NULL)
        _exit(4);
    for (;;) {
        const errand_event *event = NULL;
        errand_error err = {0};
        (void)!errand_loop_next(host.loop, -1, &event, &err);
        if (event != NULL && event->type == ERRAND_EVENT_LOG &&
            span_is(event->as.log.text, "ready"))
            (void)!write(fd, "r", 1);
        if (event != NULL && event->type == ERRAND_EVENT_END) {
            (void)fprintf(stderr, "%s: %s: %.*s\n", moment->what, event->as.end->code,
                          (int)event->as.end->message.len, event->as.end->message.ptr);
            errand_run_free(run);
            _exit(3);
        }
    }
}

static void pause_ms(int ms)
{
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    (void)nanosleep(&time, NULL);
}

static void kill_host_at(const struct moment *moment)
{
    int fds[2];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    pid_t host = fork();
    assert_true(host >= 0);
    if (host == 0)
        host_until_killed(moment, fds[1]);
    (void)close(fds[1]);
    char byte = 0;
    if (moment->says_ready)
        assert_int_equal(read(fds[0], &byte, 1), 1);
    (void)close(fds[0]);
    pause_ms(moment->delay_ms);
    if (moment->says_ready) /* There is something to be left behind. */
        assert_true(children_of(host, NULL, 0) > 0);
    assert_int_equal(kill(host, SIGKILL), 0);
    pid_t left[4];
    size_t count = children_left(2000, left, COUNT(left));
    for (size_t i = 0; i < count && i < COUNT(left); i++) {
        AUTO_FREE char *words = process_words(left[i]);
        print_message("killed %s, still lives: %.100s\n", moment->what, words);
        (void)kill(left[i], SIGKILL);
    }
    assert_int_equal(count, 0);
}

static void test_lifetime__killed_host_leaves_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(moments); i++)
        kill_host_at(&moments[i]);
}

/* --- Fifty runs with real nodes -------------------------------------------------------- */

enum { REAL_RUNS = 50 };

static const char real_program[] =
    "const seen = [];"
    "for (let i = 0; i < 20; i++) seen.push((await tools.echo({ i })).i);"
    "const all = await Promise.all(seen.map((i) => tools.echo(i)));"
    "return all.reduce((a, b) => a + b);";

static int fifty_runs(void *ctx)
{
    (void)ctx;
    struct host host = {0};
    if (!host_open(&host, "local", ERRAND_DELIVERY_STDIN))
        return 1;
    errand_run *runs[REAL_RUNS] = {0};
    size_t right = 0, ended = 0;
    for (size_t i = 0; i < REAL_RUNS; i++)
        runs[i] = host_start(&host, real_program, NULL);
    while (ended < REAL_RUNS) {
        const errand_event *event = NULL;
        errand_error err = {0};
        if (errand_loop_next(host.loop, 60000, &event, &err) != ERRAND_OK)
            break;
        if (event->type == ERRAND_EVENT_CALL && !echo(event))
            break;
        if (event->type != ERRAND_EVENT_END)
            continue;
        ended++;
        right += event->as.end->kind == ERRAND_KIND_VALUE && span_is(event->as.end->value, "190");
    }
    for (size_t i = 0; i < REAL_RUNS; i++)
        errand_run_free(runs[i]);
    host_close(&host);
    print_message("%zu of %d runs right\n", right, REAL_RUNS);
    return right == REAL_RUNS ? 0 : 1;
}

static void test_lifetime__fifty_real_runs_in_one_loop(void **state)
{
    (void)state;
    assert_int_equal(nursery_run(fifty_runs, NULL), 0);
    assert_int_equal(children_left(2000, NULL, 0), 0);
}

/* --- A thousand runs ------------------------------------------------------------------- */

enum { STUB_RUNS = 1000, STUB_CALLS = 100, ALL_CALLS = 100000, RUN_MEMORY_KIB = 64 };

struct crowd {
    struct host host;
    errand_run *runs[STUB_RUNS];
    size_t started, ended, right, calls;
    long rss_before, rss_with_all;
};

/* Nobody is answered before all are there. */
static void answer_first_calls(struct crowd *crowd)
{
    crowd->rss_with_all = status_kib("VmRSS:");
    for (size_t i = 0; i < STUB_RUNS; i++) {
        errand_error err = {0};
        if (errand_run_reply(crowd->runs[i], 1, SPAN_LITERAL("{\"n\":1}"), &err) != ERRAND_OK)
            (void)fprintf(stderr, "%s\n", err.text);
    }
}

static void crowd_event(struct crowd *crowd, const errand_event *event)
{
    if (event->type == ERRAND_EVENT_CALL) {
        crowd->calls++;
        if (event->as.call.id > 1)
            (void)echo(event);
        else if (++crowd->started == STUB_RUNS)
            answer_first_calls(crowd);
    }
    if (event->type != ERRAND_EVENT_END)
        return;
    const errand_outcome *end = event->as.end;
    bool right = end->kind == ERRAND_KIND_VALUE && span_is(end->value, "100");
    if (!right && crowd->ended == crowd->right)
        (void)fprintf(stderr, "%s: %.*s\n", end->code, (int)end->message.len, end->message.ptr);
    crowd->ended++;
    crowd->right += right;
}

static int thousand_runs(void *ctx)
{
    struct crowd *crowd = ctx;
    AUTO_FREE char *address = text_of("exec:'%s' file %d", CONFORMANCE_STUB, STUB_CALLS);
    if (!host_open(&crowd->host, address, ERRAND_DELIVERY_FILE))
        return 1;
    errand_limits limits = ERRAND_LIMITS_INIT;
    limits.boot_ms = 120000;
    crowd->rss_before = status_kib("VmRSS:");
    for (size_t i = 0; i < STUB_RUNS; i++)
        crowd->runs[i] = host_start(&crowd->host, "stub", &limits);
    while (crowd->ended < STUB_RUNS) {
        const errand_event *event = NULL;
        errand_error err = {0};
        if (errand_loop_next(crowd->host.loop, 60000, &event, &err) != ERRAND_OK)
            break;
        crowd_event(crowd, event);
    }
    long each = (crowd->rss_with_all - crowd->rss_before) / STUB_RUNS;
    print_message("%zu of %d runs right, %zu calls, %ld KiB a run\n", crowd->right, STUB_RUNS,
                  crowd->calls, each);
    for (size_t i = 0; i < STUB_RUNS; i++)
        errand_run_free(crowd->runs[i]);
    host_close(&crowd->host);
    bool small = !MEMORY_COUNTS || each < RUN_MEMORY_KIB;
    return crowd->right == STUB_RUNS && crowd->calls == ALL_CALLS && small ? 0 : 1;
}

static void test_lifetime__thousand_runs_in_one_loop(void **state)
{
    (void)state;
    struct rlimit files = {0};
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
    files.rlim_cur = files.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
    static struct crowd crowd;
    assert_int_equal(nursery_run(thousand_runs, &crowd), 0);
    assert_int_equal(children_left(2000, NULL, 0), 0);
}

/* --- Memory ---------------------------------------------------------------------------- */

struct heavy {
    const char *program;
    errand_kind kind;
    size_t value_len;
    long most_kib; /* Resident memory of home, at its highest. */
};

static int heavy_run(void *ctx)
{
    const struct heavy *heavy = ctx;
    struct host host = {0};
    if (!host_open(&host, "local", ERRAND_DELIVERY_STDIN))
        return 1;
    errand_run *run = host_start(&host, heavy->program, NULL);
    const errand_event *event = NULL;
    errand_error err = {0};
    const errand_outcome *end = NULL;
    while (end == NULL && errand_loop_next(host.loop, 60000, &event, &err) == ERRAND_OK) {
        if (event->type == ERRAND_EVENT_END)
            end = event->as.end;
    }
    bool right = end != NULL && end->kind == heavy->kind && end->value.len == heavy->value_len;
    long high = status_kib("VmHWM:");
    print_message("%s: %ld KiB at the most, of %ld\n",
                  end == NULL ? "no end" : errand_kind_name(end->kind), high, heavy->most_kib);
    errand_run_free(run);
    host_close(&host);
    return right && (!MEMORY_COUNTS || high < heavy->most_kib) ? 0 : 1;
}

static void test_lifetime__flood_stays_under_cap_and_8_mib(void **state)
{
    (void)state;
    struct heavy flood = {
        .program = "for (;;) console.log('x'.repeat(1e6));",
        .kind = ERRAND_KIND_OUTPUT_LIMIT,
        .most_kib = (64 + 8) * MIB / KIB,
    };
    assert_int_equal(nursery_run(heavy_run, &flood), 0);
}

static void test_lifetime__largest_string_stays_under_its_size_and_16_mib(void **state)
{
    (void)state;
    struct heavy largest = {
        .program = "return 'x'.repeat(67108860);",
        .kind = ERRAND_KIND_VALUE,
        .value_len = 67108862,
        .most_kib = (64 + 16) * MIB / KIB,
    };
    assert_int_equal(nursery_run(heavy_run, &largest), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lifetime__killed_host_leaves_nothing),
        cmocka_unit_test(test_lifetime__fifty_real_runs_in_one_loop),
        cmocka_unit_test(test_lifetime__thousand_runs_in_one_loop),
        cmocka_unit_test(test_lifetime__flood_stays_under_cap_and_8_mib),
        cmocka_unit_test(test_lifetime__largest_string_stays_under_its_size_and_16_mib),
    };
    nursery_adopt();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
