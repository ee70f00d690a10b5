/* bench_e2b.c - a sandbox of the test server, as it is and 20 ms away: first calls, calls, and 60
 * MiB home; beside E2B's official client. */
#include "clock.h"
#include "cloud.h"
#include "delay.h"
#include "host.h"

#include <curl/curl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 9, FAR_MS = 10, CALLS = 1000, LINE_MOST = 128, URL_MOST = 64 };

static const double mib = 1024.0 * 1024.0;

static const char first_program[] = "return await tools.echo(1);";
static const char row_program[] =
    "await tools.echo(0); for (let i = 0; i < 1000; i++) await tools.echo(i); return 1;";
static const char all_program[] =
    "await tools.echo(0); await Promise.all(Array.from({ length: 1000 }, (_, i) => "
    "tools.echo(i))); return 1;";
static const char large_program[] = "return 'x'.repeat(60 << 20);";

static struct cloud cloud;

static unsigned port_of(const char *url)
{
    return (unsigned)strtoul(strrchr(url, ':') + 1, NULL, 10);
}

static void open_sandbox(struct host *host, errand_e2b_options *e2b)
{
    errand_place_options options = ERRAND_PLACE_OPTIONS_INIT;
    errand_error err = {0};
    options.node = cloud_node();
    options.e2b = e2b;
    if (errand_loop_new(&host->loop, &err) != ERRAND_OK ||
        errand_place_open(&host->place, host->loop, "e2b://base", &options, &err) != ERRAND_OK)
        give_up(err.text);
    (void)host_lap(host, first_program, ERRAND_LANGUAGE_JS);
}

/* --- First calls -------------------------------------------------------------------------- */

static struct child official_start(void)
{
    struct child child = child_start(cloud_node(), BENCH_FOLDER "/floor_sdk.mjs");
    char line[PATH_MAX];
    int len = snprintf(line, sizeof(line), "%s %s %s %s\n", cloud.api_url, cloud.sandbox_url,
                       cloud.key, BENCH_SHOW_LAUNCH);
    write_all(child.in, span_of(line, (size_t)len));
    return child;
}

static void official_lap(const struct child *child, double *took_ms, double *busy_ms)
{
    char line[LINE_MOST];
    size_t len = 0;
    write_all(child->in, SPAN_LITERAL("lap\n"));
    do
        read_all(child->out, &line[len++], 1);
    while (line[len - 1] != '\n' && len < sizeof(line));
    if (sscanf(line, "%lf %lf", took_ms, busy_ms) != 2)
        give_up("the official client says nothing");
}

static void bench_first(void)
{
    double ours[ROUNDS], busy[ROUNDS], theirs[ROUNDS], their_busy[ROUNDS];
    errand_e2b_options e2b = cloud_options(&cloud);
    struct host host = {0};
    open_sandbox(&host, &e2b);
    struct child official = official_start();
    official_lap(&official, &theirs[0], &their_busy[0]);
    for (size_t i = 0; i < ROUNDS; i++) {
        official_lap(&official, &theirs[i], &their_busy[i]);
        double before_ms = cpu_ms();
        ours[i] = host_lap(&host, first_program, ERRAND_LANGUAGE_JS).first_call;
        busy[i] = cpu_ms() - before_ms;
    }
    double ours_ms = median(ours, ROUNDS), theirs_ms = median(theirs, ROUNDS);
    double busy_ms = median(busy, ROUNDS), their_busy_ms = median(their_busy, ROUNDS);
    (void)printf("  first call, warm %8.1f ms   official client, the same %8.1f ms, ratio %.2f   "
                 "(target: under it)\n",
                 ours_ms, theirs_ms, ours_ms / theirs_ms);
    (void)printf("  processor time   %8.1f ms   official client %8.1f ms, ratio %.2f   "
                 "(target: less)\n",
                 busy_ms, their_busy_ms, busy_ms / their_busy_ms);
    child_end(&official);
    host_close(&host);
}

/* --- Calls, 20 ms away -------------------------------------------------------------------- */

static size_t drop_body(char *bytes, size_t size, size_t count, void *ctx)
{
    (void)bytes;
    (void)ctx;
    return size * count;
}

/* As many requests that the service answers at once, one after another over one connection: the way
 * there and back, with all that libcurl and the server need for it. */
static double floor_ms(const char *url)
{
    CURL *easy = curl_easy_init();
    double began_ms = 0;

    (void)curl_easy_setopt(easy, CURLOPT_URL, url);
    (void)curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, drop_body);
    for (size_t i = 0; i <= CALLS; i++) {
        if (i == 1)
            began_ms = now_ms();
        if (curl_easy_perform(easy) != CURLE_OK)
            give_up("no answer to measure the floor with");
    }
    curl_easy_cleanup(easy);
    return now_ms() - began_ms;
}

static void bench_row(errand_e2b_options *where, const char *what)
{
    struct host host = {0};
    double floor = floor_ms(where->sandbox_url);
    open_sandbox(&host, where);
    double before_ms = cpu_ms();
    struct lap lap = host_lap(&host, row_program, ERRAND_LANGUAGE_JS);
    double busy_ms = cpu_ms() - before_ms;
    double took_ms = lap.last_call - lap.first_call;
    (void)printf("  %-16s %8.1f ms   floor %8.1f ms, ratio %.2f, %+.1f ms   (target: at most "
                 "+1000)\n  %-16s %8.2f ms a call\n",
                 what, took_ms, floor, took_ms / floor, took_ms - floor, "  processor time",
                 busy_ms / CALLS);
    host_close(&host);
}

static void bench_calls(errand_e2b_options *far, const char *what, const char *program,
                        double most_ms)
{
    struct host host = {0};
    open_sandbox(&host, far);
    struct lap lap = host_lap(&host, program, ERRAND_LANGUAGE_JS);
    double took_ms = lap.last_call - lap.first_call;
    (void)printf("  %-16s %8.1f ms   %.1f round trips   (target: at most %.0f ms)\n", what, took_ms,
                 took_ms / (2 * FAR_MS), most_ms);
    host_close(&host);
}

/* What a call costs apart from the way. */
static void bench_near(void)
{
    errand_e2b_options e2b = cloud_options(&cloud);
    bench_row(&e2b, "1,000 near");
}

static void bench_far(void)
{
    struct delay api, envd;
    char api_url[URL_MOST], envd_url[URL_MOST];
    errand_e2b_options far = cloud_options(&cloud);
    delay_start(&api, port_of(cloud.api_url), FAR_MS);
    delay_start(&envd, port_of(cloud.sandbox_url), FAR_MS);
    (void)snprintf(api_url, sizeof(api_url), "http://127.0.0.1:%u", api.port);
    (void)snprintf(envd_url, sizeof(envd_url), "http://127.0.0.1:%u", envd.port);
    far.api_url = api_url;
    far.sandbox_url = envd_url;
    bench_row(&far, "1,000 in a row");
    bench_calls(&far, "1,000 at once", all_program, 50.0 * 2 * FAR_MS);
    delay_end(&api);
    delay_end(&envd);
}

/* --- 60 MiB home -------------------------------------------------------------------------- */

static void measure_large(void)
{
    errand_e2b_options e2b = cloud_options(&cloud);
    struct host host = {0};
    open_sandbox(&host, &e2b);
    double before_ms = cpu_ms();
    struct lap lap = host_lap(&host, large_program, ERRAND_LANGUAGE_JS);
    double busy_ms = cpu_ms() - before_ms;
    (void)printf("  60 MiB home      %8.1f ms   processor time %.1f ms, %.0f MB/s   (target: at "
                 "least 150)\n",
                 lap.end, busy_ms, 60 * mib / 1e6 / (busy_ms / 1e3));
    (void)printf("  its memory       %8.1f MiB   (target: under %d)\n", peak_mib(), 64 + 16);
    host_close(&host);
}

/* In a child, so that the peak is this run's. */
static void bench_large(void)
{
    (void)fflush(NULL);
    pid_t pid = fork();
    if (pid < 0)
        give_up("no child");
    if (pid == 0) {
        measure_large();
        (void)fflush(NULL);
        _exit(0);
    }
    (void)waitpid(pid, NULL, 0);
}

/* One part alone, where it is named: first, near, far or large. */
int main(int argc, char **argv)
{
    const char *part = argc > 1 ? argv[1] : "";

    cloud_start(&cloud, NULL);
    (void)printf("A sandbox of the test server, medians of %d\n", ROUNDS);
    if (part[0] == '\0' || strcmp(part, "first") == 0)
        bench_first();
    if (part[0] == '\0' || strcmp(part, "near") == 0)
        bench_near();
    if (part[0] == '\0' || strcmp(part, "far") == 0)
        bench_far();
    if (part[0] == '\0' || strcmp(part, "large") == 0)
        bench_large();
    cloud_end(&cloud);
    return 0;
}
