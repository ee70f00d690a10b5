/* bench_calls.c - ten thousand calls, one after another and all at once, against the same
 * bytes echoed through a bare worker. */
#include "clock.h"
#include "host.h"
#include "road.h"

#include "base/mem.h"

#include <stdio.h>

enum { CALLS = 10000, LAPS = 5 };

static const char sequence[] = "for (let i = 0; i < 10000; i++) await tools.echo({ n: i });";
static const char at_once[] = "await Promise.all(Array.from({ length: 10000 }, "
                              "(_, i) => tools.echo({ n: i })));";

/* As many round trips of as many bytes as a call and its reply have. */
static double floor_lap(const char *node)
{
    struct child child = child_start(node, BENCH_FOLDER "/floor_echo.js");
    char bytes[64];
    write_all(child.in, SPAN_LITERAL("warm"));
    read_all(child.out, bytes, 4);
    double start_ms = now_ms();
    for (int i = 0; i < CALLS; i++) {
        int len = snprintf(bytes, sizeof(bytes), "reply %d ok 10\n{\"n\":%d}\n", i + 1, i);
        write_all(child.in, span_of(bytes, (size_t)len));
        read_all(child.out, bytes, (size_t)len);
    }
    double took_ms = now_ms() - start_ms;
    child_end(&child);
    return took_ms;
}

/* From the first call to the last one. */
static double calls_lap(struct host *host, const char *program)
{
    struct lap lap = host_lap(host, program, ERRAND_LANGUAGE_JS);
    if (lap.calls != CALLS)
        give_up("calls are missing");
    return lap.end - lap.first_call;
}

static void measure(const char *node)
{
    struct host host = {0};
    double floors[LAPS], sequential[LAPS], parallel[LAPS];
    host_open(&host, "local", node, ERRAND_DELIVERY_STDIN);
    for (size_t i = 0; i < LAPS; i++) {
        floors[i] = floor_lap(node);
        sequential[i] = calls_lap(&host, sequence);
        parallel[i] = calls_lap(&host, at_once);
    }
    double floor = median(floors, LAPS) / CALLS * 1000;
    double one = median(sequential, LAPS) / CALLS * 1000;
    double many = median(parallel, LAPS) / CALLS * 1000;
    (void)printf("%s\n", node);
    (void)printf("  floor: an echo            %7.1f us a call\n", floor);
    (void)printf("  one after another         %7.1f us a call   ratio %.2f (target: at most 2.0)\n",
                 one, one / floor);
    (void)printf("  all at once               %7.1f us a call   ratio %.2f (target: under 0.3)\n",
                 many, many / floor);
    host_close(&host);
}

int main(void)
{
    (void)printf("%d calls, median of %d\n", CALLS, LAPS);
    char *node = NULL;
    for (size_t i = 0; (node = test_node(i)) != NULL; i++) {
        measure(node);
        errand__mem_free(node);
    }
    return 0;
}
