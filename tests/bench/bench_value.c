/* bench_value.c - the largest string that the default limits let home: processor time and
 * memory of the host. */
#include "clock.h"
#include "host.h"
#include "road.h"

#include "base/mem.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static const double mib = 1024.0 * 1024.0;
static const char program[] = "return 'x'.repeat(67108860);";

/* In a child, so that the peak is this run's. */
static void measure(const char *node)
{
    struct host host = {0};
    host_open(&host, "local", node, ERRAND_DELIVERY_STDIN);
    double before_ms = cpu_ms();
    struct lap lap = host_lap(&host, program, ERRAND_LANGUAGE_JS);
    double took_ms = cpu_ms() - before_ms;
    (void)printf("%s\n", node);
    (void)printf("  processor time of home    %7.1f ms   %.0f MB/s (target: at least 250)\n",
                 took_ms, 67108862 / 1e6 / (took_ms / 1e3));
    (void)printf("  until the end             %7.1f ms\n", lap.end);
    (void)printf("  highest resident memory   %7.1f MiB  (target: under %.0f)\n", peak_mib(),
                 67108864 / mib + 16);
    host_close(&host);
}

int main(void)
{
    (void)printf("A string of 67,108,860 characters\n");
    char *node = NULL;
    for (size_t i = 0; (node = test_node(i)) != NULL; i++) {
        (void)fflush(NULL);
        pid_t pid = fork();
        if (pid < 0)
            give_up("no child");
        if (pid == 0) {
            measure(node);
            (void)fflush(NULL);
            _exit(0);
        }
        (void)waitpid(pid, NULL, 0);
        errand__mem_free(node);
    }
    return 0;
}
