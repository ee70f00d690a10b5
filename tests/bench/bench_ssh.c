/* bench_ssh.c - a host behind an SSH login on loopback, as it is and 100 ms away: first calls and
 * calls; beside the ssh client, a bare worker and libssh2 alone. */
#include "bare.h"
#include "box.h"
#include "clock.h"
#include "delay.h"

#include <stdio.h>

enum {
    ROUNDS = 7,
    FAR_ROUNDS = 5,
    FAR_MS = 50, /* Each way. */
    NEAR_MS = 5,
    CALLS = 1000
};

static struct box box;

static const char first_program[] = "return await tools.echo(1);";
static const char row_program[] =
    "await tools.echo(0); for (let i = 0; i < 1000; i++) await tools.echo(i); return 1;";
static const char all_program[] =
    "await tools.echo(0); await Promise.all(Array.from({ length: 1000 }, (_, i) => "
    "tools.echo(i))); return 1;";

static double cold_lap(const char *config)
{
    struct host host = {0};
    box_open(&box, &host, config);
    struct lap lap = host_lap(&host, first_program, ERRAND_LANGUAGE_JS);
    host_close(&host);
    return lap.first_call;
}

static double client_lap(const char *config)
{
    const char *const argv[] = {"ssh",  "-F", sshd_file(&box.sshd, config), "-T", "box",
                                "true", NULL};
    double start_ms = now_ms();
    if (!sshd_command(argv))
        give_up("ssh box true failed");
    return now_ms() - start_ms;
}

static double word_lap(void)
{
    char word[5];
    double start_ms = now_ms();
    struct child child = child_start(box.node, BENCH_FOLDER "/floor_word.js");
    read_all(child.out, word, sizeof(word));
    double took_ms = now_ms() - start_ms;
    child_end(&child);
    return took_ms;
}

static void bench_cold(const char *what, const char *config, size_t rounds)
{
    double ours[ROUNDS], client[ROUNDS], word[ROUNDS];
    (void)cold_lap(config);
    for (size_t i = 0; i < rounds; i++) { /* In turn, so that all see the same weather. */
        client[i] = client_lap(config);
        word[i] = word_lap();
        ours[i] = cold_lap(config);
    }
    double floor_ms = median(client, rounds) + median(word, rounds);
    double ours_ms = median(ours, rounds);
    (void)printf("  cold, %-8s %8.1f ms   ssh box true and a worker's word %8.1f ms, ratio %.2f, "
                 "%+.1f ms, at best %+.1f   (target: at most +30)\n",
                 what, ours_ms, floor_ms, floor_ms / ours_ms, ours_ms - floor_ms,
                 ours[0] - client[0] - word[0]);
}

static void bench_warm(const char *config)
{
    double ours[FAR_ROUNDS], words[FAR_ROUNDS];
    struct host host = {0};
    box_open(&box, &host, config);
    (void)host_lap(&host, first_program, ERRAND_LANGUAGE_JS);
    for (size_t i = 0; i < FAR_ROUNDS; i++) {
        words[i] = word_lap();
        ours[i] = host_lap(&host, first_program, ERRAND_LANGUAGE_JS).first_call;
    }
    double word_ms = median(words, FAR_ROUNDS);
    double ours_ms = median(ours, FAR_ROUNDS);
    (void)printf(
        "  warm, far      %8.1f ms   2 round trips and a worker's word %8.1f ms, ratio %.2f; "
        "%.2f round trips over the word, at best %.2f   (target: 2)\n",
        ours_ms, word_ms + 4 * FAR_MS, (word_ms + 4 * FAR_MS) / ours_ms,
        (ours_ms - word_ms) / (2 * FAR_MS), (ours[0] - words[0]) / (2 * FAR_MS));
    host_close(&host);
}

static void bench_calls(const char *config, const char *what, const char *program, double floor_ms)
{
    struct host host = {0};
    box_open(&box, &host, config);
    (void)host_lap(&host, first_program, ERRAND_LANGUAGE_JS);
    struct lap lap = host_lap(&host, program, ERRAND_LANGUAGE_JS);
    double took_ms = lap.last_call - lap.first_call;
    (void)printf(
        "  %-14s %8.1f ms   floor %8.1f ms, ratio %.2f, %+.1f ms   (target: at most +1000)\n", what,
        took_ms, floor_ms, floor_ms / took_ms, took_ms - floor_ms);
    host_close(&host);
}

int main(void)
{
    struct delay far, near;

    box_start(&box);
    delay_start(&far, box.sshd.port, FAR_MS);
    delay_start(&near, box.sshd.port, NEAR_MS);
    box_configure(&box, "far", far.port);
    box_configure(&box, "short", near.port);
    (void)printf("A host by SSH on loopback, medians of %d; far: %d ms round trip\n", ROUNDS,
                 2 * FAR_MS);
    bench_cold("loopback", "near", ROUNDS);
    bench_cold("far", "far", FAR_ROUNDS);
    bench_warm("far");
    bench_calls("near", "1,000 near", row_program, bare_echo(&box.sshd, box.sshd.port, CALLS));
    bench_calls("short", "1,000 in a row", row_program, bare_echo(&box.sshd, near.port, CALLS));
    bench_calls("far", "1,000 at once", all_program, 4.0 * FAR_MS);
    delay_end(&far);
    delay_end(&near);
    box_end(&box);
    return 0;
}
