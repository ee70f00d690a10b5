/* bench_first_call.c - from start to the first call at home, against a bare worker's word. */
#include "clock.h"
#include "host.h"
#include "road.h"

#include "base/mem.h"

#include <stdio.h>

enum { ROUNDS = 21 };

static const char js_program[] = "return await tools.echo({ first: true });";
static const char ts_program[] = "interface First { first: boolean }\n"
                                 "const first: First = { first: true };\n"
                                 "return await tools.echo(first satisfies First);";

static double floor_lap(const char *node)
{
    char word[5];
    double start_ms = now_ms();
    struct child child = child_start(node, BENCH_FOLDER "/floor_word.js");
    read_all(child.out, word, sizeof(word));
    double took_ms = now_ms() - start_ms;
    child_end(&child);
    return took_ms;
}

/* How much later than the floor, by the medians and by the best laps of both: the latter tell
 * more on a machine that is not left alone. */
static void row(const char *what, double laps[static ROUNDS], const double floors[static ROUNDS],
                double allowed)
{
    double middle = median(laps, ROUNDS);
    (void)printf("  %-26s %7.1f ms   floor %+6.1f ms, at best %+6.1f   (target: at most %+.0f)\n",
                 what, middle, middle - floors[ROUNDS / 2], laps[0] - floors[0], allowed);
}

static void measure(const char *node)
{
    double floors[ROUNDS], js[ROUNDS], ts[ROUNDS], file[ROUNDS];
    struct host host = {0};
    struct host kept = {0};
    host_open(&host, "local", node, ERRAND_DELIVERY_STDIN);
    host_open(&kept, "local", node, ERRAND_DELIVERY_FILE);
    (void)host_lap(&kept, js_program, ERRAND_LANGUAGE_JS);
    (void)floor_lap(node);
    for (size_t i = 0; i < ROUNDS; i++) { /* In turn, so that all see the same weather. */
        floors[i] = floor_lap(node);
        js[i] = host_lap(&host, js_program, ERRAND_LANGUAGE_JS).first_call;
        ts[i] = host_lap(&host, ts_program, ERRAND_LANGUAGE_TS).first_call;
        file[i] = host_lap(&kept, js_program, ERRAND_LANGUAGE_JS).first_call;
    }
    double floor = median(floors, ROUNDS);
    (void)printf("%s\n  %-26s %7.1f ms\n", node, "floor: a worker's word", floor);
    row("JavaScript", js, floors, 25);
    row("TypeScript", ts, floors, 45);
    row("JavaScript, runner kept", file, floors, 25);
    host_close(&host);
    host_close(&kept);
}

int main(void)
{
    (void)printf("First call of a cold local run, median of %d\n", ROUNDS);
    char *node = NULL;
    for (size_t i = 0; (node = test_node(i)) != NULL; i++) {
        measure(node);
        errand__mem_free(node);
    }
    return 0;
}
