/* bench_bytes.c - 60 MiB home from a host by SSH, on loopback and over 1 Gbit/s: what a program
 * returns, a file, and the road alone; beside a read loop over libssh2 alone and beside ssh box
 * cat. All of them carry the same bytes, from a cat of the same file, but for the value.
 * bench_bytes [WHAT]: only those lines whose name begins with WHAT. */
#include "bare.h"
#include "box.h"
#include "clock.h"
#include "lane.h"

#include "base/mem.h"
#include "transport/ssh/ssh.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 5, BYTES = 60 * 1024 * 1024, ROAD_FDS = 8, MIB = 1024 * 1024 };
static const uint64_t gigabit = 1000000000;

static struct box box;
static char command[400]; /* cat of the file. */
static const char *only = "";

static const char value_program[] =
    "const text = 'x'.repeat(60 * 1024 * 1024); await tools.echo(0); return text;";

/* As a frame would bring it: a JSON text, so that home may look at it. */
static void write_file(void)
{
    char *piece = errand__mem_new(MIB, 1);
    const char *path = sshd_file(&box.sshd, "bytes");
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

    if (piece == NULL || fd < 0)
        give_up("no file of bytes");
    memset(piece, 'x', MIB);
    for (size_t i = 0; i < BYTES / MIB; i++) {
        piece[0] = i == 0 ? '"' : 'x';
        piece[MIB - 1] = i + 1 == BYTES / MIB ? '"' : 'x';
        write_all(fd, span_of(piece, MIB));
    }
    (void)close(fd);
    errand__mem_free(piece);
    (void)snprintf(command, sizeof(command), "exec cat %s", path);
}

/* --- The road --------------------------------------------------------------------------------- */

static int64_t now_us(void)
{
    return (int64_t)(now_ms() * 1000);
}

static void sleep_as_wanted(errand_road *road, errand_process *process)
{
    struct pollfd fds[2 * ROAD_FDS];
    int64_t due_us = 0;
    size_t count = road->ops->wants(road, fds, ROAD_FDS, &due_us);
    if (process != NULL)
        count += process->ops->wants(process, 1, 0, fds + count, ROAD_FDS, &due_us);
    (void)poll(fds, (nfds_t)count, 1000);
}

static errand_road *open_road(const char *config)
{
    errand_ssh_options ssh = ERRAND_SSH_OPTIONS_INIT;
    errand_error err = {0};
    errand_road *road = NULL;
    char *name = NULL;
    errand_status status = ERRAND_AGAIN;
    ssh.config_file = sshd_file(&box.sshd, config);
    if (errand__ssh_road_new(&road, &name, "box", &ssh, &err) != ERRAND_OK)
        give_up(err.text);
    errand__mem_free(name);
    while ((status = road->ops->open(road, now_us(), &err)) == ERRAND_AGAIN)
        sleep_as_wanted(road, NULL);
    if (status != ERRAND_OK)
        give_up(err.text);
    return road;
}

/* Without runner and frames. */
static double road_lap(errand_road *road)
{
    static char room[256 * 1024];
    const errand_launch launch = {.line = command};
    errand_notice notice = {0};
    errand_process *process = NULL;
    errand_error err = {0};
    size_t total = 0;
    double start_ms = now_ms();
    if (road->ops->launch(road, &launch, now_us(), &process, &err) != ERRAND_OK)
        give_up(err.text);
    while (total < BYTES) {
        errand_scratch scratch = {room, sizeof(room)};
        errand_status status = process->ops->next(process, now_us(), scratch, &notice, &err);
        if (status < 0)
            give_up(err.text);
        if (status == ERRAND_OK && notice.type == ERRAND_NOTICE_OUT)
            total += notice.bytes.len;
        if (status == ERRAND_OK)
            continue;
        sleep_as_wanted(road, process);
        road->ops->tend(road, now_us());
    }
    double took_ms = now_ms() - start_ms;
    process->ops->free(process);
    return took_ms;
}

/* --- Files and the client --------------------------------------------------------------------- */

static double get_lap(struct host *host)
{
    const char *to = sshd_file(&box.sshd, "home-again");
    errand_error err = {0};
    const errand_event *event = NULL;
    double start_ms = now_ms();
    if (errand_place_get(host->place, sshd_file(&box.sshd, "bytes"), to, NULL, NULL, &err) !=
        ERRAND_OK)
        give_up(err.text);
    do
        if (errand_loop_next(host->loop, 60000, &event, &err) != ERRAND_OK)
            give_up("no file came");
    while (event->type != ERRAND_EVENT_TRANSFER_OVER);
    double took_ms = now_ms() - start_ms;
    if (!event->as.transfer_over.ok)
        give_up(event->as.transfer_over.error);
    (void)unlink(to);
    return took_ms;
}

/* From the first byte to the last: logging in is another bench's. */
static double cat_lap(const char *config)
{
    static char room[256 * 1024];
    char *const argv[] = {
        "ssh", "-F", (char *)(uintptr_t)sshd_file(&box.sshd, config), "-T", "box", command, NULL};
    posix_spawn_file_actions_t actions;
    int out[2];
    pid_t pid = 0;
    size_t total = 0;
    double start_ms = 0;
    if (pipe2(out, O_CLOEXEC) != 0 || posix_spawn_file_actions_init(&actions) != 0 ||
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) != 0 ||
        posix_spawn_file_actions_adddup2(&actions, out[1], 1) != 0 ||
        posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ) != 0)
        give_up("no ssh client");
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)close(out[1]);
    for (ssize_t got = 1; got > 0; total += got > 0 ? (size_t)got : 0) {
        got = read(out[0], room, sizeof(room));
        if (start_ms == 0)
            start_ms = now_ms();
    }
    double took_ms = now_ms() - start_ms;
    (void)close(out[0]);
    (void)waitpid(pid, NULL, 0);
    if (total != BYTES)
        give_up("ssh did not bring all");
    return took_ms;
}

static double value_lap(struct host *host)
{
    struct lap lap = host_lap(host, value_program, ERRAND_LANGUAGE_JS);

    return lap.end - lap.last_call;
}

/* --- Lines ------------------------------------------------------------------------------------ */

struct way {
    const char *name, *floor, *config, *target;
    unsigned port;
};

static double floor_lap(const struct way *way)
{
    return way->floor[0] == 's' ? cat_lap(way->config)
                                : bare_read(&box.sshd, way->port, command, BYTES);
}

struct laps {
    double ours[ROUNDS], floors[ROUNDS];
    double ours_cpu[ROUNDS], floors_cpu[ROUNDS]; /* Of this process. */
};

static void print_line(const struct way *way, struct laps *laps)
{
    double *ours = laps->ours, *floors = laps->floors;
    double ours_ms = median(ours, ROUNDS);
    double floor_ms = median(floors, ROUNDS);
    double ours_cpu = median(laps->ours_cpu, ROUNDS);
    double floor_cpu = median(laps->floors_cpu, ROUNDS);

    (void)printf("  %-16s %8.1f ms   %-13s %8.1f ms, ratio %.2f, at best %.2f   (target: %s)\n",
                 way->name, ours_ms, way->floor, floor_ms, floor_ms / ours_ms, floors[0] / ours[0],
                 way->target);
    if (way->floor[0] != 's')
        (void)printf("  %-16s %8.1f ms   %-13s %8.1f ms, ratio %.2f\n", "  processor time",
                     ours_cpu, "", floor_cpu, floor_cpu / ours_cpu);
    (void)fflush(stdout);
}

static bool is_wanted(const struct way *way)
{
    return strncmp(way->name, only, strlen(only)) == 0;
}

/* In turn, so that both see the same weather. */
static void bench_road(const struct way *way)
{
    struct laps laps;
    if (!is_wanted(way))
        return;
    errand_road *road = open_road(way->config);
    (void)road_lap(road);
    for (size_t i = 0; i < ROUNDS; i++) {
        double cpu[3] = {cpu_ms()};
        laps.floors[i] = floor_lap(way);
        cpu[1] = cpu_ms();
        laps.ours[i] = road_lap(road);
        cpu[2] = cpu_ms();
        laps.floors_cpu[i] = cpu[1] - cpu[0];
        laps.ours_cpu[i] = cpu[2] - cpu[1];
    }
    road->ops->free(road);
    print_line(way, &laps);
}

static void bench_place(const struct way *way, double (*lap)(struct host *))
{
    struct laps laps;
    struct host host = {0};
    if (!is_wanted(way))
        return;
    box_open(&box, &host, way->config);
    (void)lap(&host);
    for (size_t i = 0; i < ROUNDS; i++) {
        double cpu[3] = {cpu_ms()};
        laps.floors[i] = floor_lap(way);
        cpu[1] = cpu_ms();
        laps.ours[i] = lap(&host);
        cpu[2] = cpu_ms();
        laps.floors_cpu[i] = cpu[1] - cpu[0];
        laps.ours_cpu[i] = cpu[2] - cpu[1];
    }
    host_close(&host);
    print_line(way, &laps);
}

int main(int argc, char **argv)
{
    static const char bare[] = "libssh2 alone", client[] = "ssh box cat";
    struct lane lane;

    only = argc > 1 ? argv[1] : "";
    box_start(&box);
    write_file();
    lane_start(&lane, box.sshd.port, gigabit);
    box_configure(&box, "narrow", lane.port);
    (void)printf("60 MiB home by SSH, medians of %d\n", ROUNDS);
    unsigned near = box.sshd.port;
    bench_road(&(struct way){"road, loopback", bare, "near", "at least 0.9", near});
    bench_road(&(struct way){"road, 1 Gbit/s", client, "narrow", "at least 0.8", lane.port});
    bench_place(
        &(struct way){"value, loopback", bare, "near", "none: the runner measures it first", near},
        value_lap);
    bench_place(&(struct way){"value, 1 Gbit/s", client, "narrow", "at least 0.8", lane.port},
                value_lap);
    bench_place(&(struct way){"file, loopback", bare, "near", "none", near}, get_lap);
    bench_place(&(struct way){"file, 1 Gbit/s", client, "narrow", "none", lane.port}, get_lap);
    lane_end(&lane);
    box_end(&box);
    return 0;
}
