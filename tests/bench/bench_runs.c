/* bench_runs.c - a thousand runs at once in one loop, against a far side of a few kilobytes:
 * what the host itself costs. */
#include "clock.h"
#include "host.h"

#include "base/mem.h"
#include "file.h"

#include <stdio.h>
#include <sys/resource.h>

enum { RUNS = 1000, CALLS = 100 };

int main(void)
{
    static errand_run *runs[RUNS];
    struct host host = {0};
    struct rlimit files = {0};
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
    AUTO_FREE char *address = text_of("exec:'%s' file %d", BENCH_STUB, CALLS);
    host_open(&host, address, NULL, ERRAND_DELIVERY_FILE);
    double start_ms = now_ms();
    double cpu_start_ms = cpu_ms();
    double before_mib = peak_mib();
    for (size_t i = 0; i < RUNS; i++)
        runs[i] = host_launch(&host, "stub", ERRAND_LANGUAGE_JS);
    size_t ended = 0, calls = 0;
    while (ended < RUNS) {
        const errand_event *event = NULL;
        errand_error err = {0};
        if (errand_loop_next(host.loop, 60000, &event, &err) != ERRAND_OK)
            give_up("nothing happens");
        if (event->type == ERRAND_EVENT_END)
            ended++;
        if (event->type != ERRAND_EVENT_CALL)
            continue;
        calls++;
        if (errand_run_reply(event->run, event->as.call.id, event->as.call.args, &err) < 0)
            give_up(err.text);
    }
    double took_ms = now_ms() - start_ms;
    double cpu_took_ms = cpu_ms() - cpu_start_ms;
    (void)printf("%d runs at once, %zu calls\n", RUNS, calls);
    (void)printf("  until the last end        %7.0f ms\n", took_ms);
    (void)printf("  processor time of home    %7.1f us a run, calls and all\n",
                 cpu_took_ms / RUNS * 1000);
    (void)printf("  memory at the highest     %7.1f KiB a run (target: under 64)\n",
                 (peak_mib() - before_mib) * 1024 / RUNS);
    for (size_t i = 0; i < RUNS; i++)
        errand_run_free(runs[i]);
    host_close(&host);
    return 0;
}
