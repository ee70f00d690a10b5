/* bench_ssh.c - a host behind an SSH login on loopback, as it is and 100 ms away: first calls,
 * calls, and a large value home; beside the ssh client and beside libssh2 alone. */
#include "clock.h"
#include "host.h"
#include "road.h"

#include "base/mem.h"
#include "delay.h"
#include "sshd.h"
#include "transport/ssh.h"

#include <arpa/inet.h>
#include <libssh2.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    ROUNDS = 7,
    FAR_ROUNDS = 5,
    FAR_MS = 50, /* Each way. */
    NEAR_MS = 5,
    VALUE_BYTES = 60 * 1024 * 1024,
    CALLS = 1000,
    ROAD_FDS = 8
};

static struct sshd sshd;
static char *node;

static const char first_program[] = "return await tools.echo(1);";
static const char row_program[] =
    "await tools.echo(0); for (let i = 0; i < 1000; i++) await tools.echo(i); return 1;";
static const char all_program[] =
    "await tools.echo(0); await Promise.all(Array.from({ length: 1000 }, (_, i) => "
    "tools.echo(i))); return 1;";
static const char value_program[] =
    "const text = 'x'.repeat(60 * 1024 * 1024); await tools.echo(0); return text;";

/* A client's configuration for the host at that port, known by a name that fits every port. */
static void write_config(const char *name, unsigned port)
{
    sshd_write(&sshd, name, 0600,
               "Host box\n HostName 127.0.0.1\n Port %u\n User %s\n IdentityFile %s\n"
               " IdentitiesOnly yes\n IdentityAgent none\n UserKnownHostsFile %s\n"
               " GlobalKnownHostsFile /dev/null\n HostKeyAlias bench\n StrictHostKeyChecking yes\n",
               port, sshd.user, sshd_file(&sshd, "id_ed25519"), sshd_file(&sshd, "known_bench"));
}

static void open_box(struct host *host, const char *config)
{
    errand_place_options options = ERRAND_PLACE_OPTIONS_INIT;
    errand_ssh_options ssh = ERRAND_SSH_OPTIONS_INIT;
    errand_error err = {0};

    ssh.config_file = sshd_file(&sshd, config);
    options.ssh = &ssh;
    options.node = node;
    if (errand_loop_new(&host->loop, &err) != ERRAND_OK ||
        errand_place_open(&host->place, host->loop, "ssh://box", &options, &err) != ERRAND_OK)
        give_up(err.text);
}

static double cold_lap(const char *config)
{
    struct host host = {0};
    open_box(&host, config);
    struct lap lap = host_lap(&host, first_program, ERRAND_LANGUAGE_JS);
    host_close(&host);
    return lap.first_call;
}

static double client_lap(const char *config)
{
    const char *const argv[] = {"ssh", "-F", sshd_file(&sshd, config), "-T", "box", "true", NULL};
    double start_ms = now_ms();
    if (!sshd_command(argv))
        give_up("ssh box true failed");
    return now_ms() - start_ms;
}

static double word_lap(void)
{
    char word[5];
    double start_ms = now_ms();
    struct child child = child_start(node, BENCH_FOLDER "/floor_word.js");
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
    (void)printf("  cold, %-8s %8.1f ms   ssh box true and a worker's word %8.1f ms, %+.1f ms, at "
                 "best %+.1f   (target: at most +30)\n",
                 what, ours_ms, floor_ms, ours_ms - floor_ms, ours[0] - client[0] - word[0]);
}

/* --- libssh2 alone ------------------------------------------------------------------------------
 */

static int connect_to(unsigned port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int on = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0)
        give_up("no connection");
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    return fd;
}

struct bare {
    int fd;
    LIBSSH2_SESSION *session;
    LIBSSH2_CHANNEL *channel;
};

static void bare_start(struct bare *bare, unsigned port, const char *command)
{
    bare->fd = connect_to(port);
    bare->session = libssh2_session_init();
    if (bare->session == NULL || libssh2_session_handshake(bare->session, bare->fd) != 0 ||
        libssh2_userauth_publickey_fromfile(bare->session, sshd.user, NULL,
                                            sshd_file(&sshd, "id_ed25519"), NULL) != 0)
        give_up("no bare login");
    bare->channel = libssh2_channel_open_session(bare->session);
    if (bare->channel == NULL || libssh2_channel_exec(bare->channel, command) != 0)
        give_up("no bare channel");
}

static void bare_end(struct bare *bare)
{
    (void)libssh2_channel_free(bare->channel);
    (void)libssh2_session_disconnect(bare->session, "done");
    (void)libssh2_session_free(bare->session);
    (void)close(bare->fd);
}

static double bare_lap(void)
{
    static char room[256 * 1024];
    struct bare bare;
    size_t total = 0;
    bare_start(&bare, sshd.port, "head -c 62914560 /dev/zero");
    double start_ms = now_ms();
    for (ssize_t got = 1; got > 0; total += (size_t)got)
        got = libssh2_channel_read(bare.channel, room, sizeof(room));
    double took_ms = now_ms() - start_ms;
    if (total != VALUE_BYTES)
        give_up("not all came");
    bare_end(&bare);
    return took_ms;
}

/* As many words to cat and back, one after another. */
static double bare_echo(unsigned port)
{
    static const char word[] = "a word of twenty or so";
    char room[sizeof(word)];
    struct bare bare;
    bare_start(&bare, port, "exec cat");
    double start_ms = now_ms();
    for (int i = 0; i < CALLS; i++) {
        if (libssh2_channel_write(bare.channel, word, sizeof(word)) != (ssize_t)sizeof(word))
            give_up("not all went");
        for (size_t got = 0; got < sizeof(word);) {
            ssize_t count = libssh2_channel_read(bare.channel, room + got, sizeof(room) - got);
            if (count <= 0)
                give_up("not all came");
            got += (size_t)count;
        }
    }
    double took_ms = now_ms() - start_ms;
    bare_end(&bare);
    return took_ms;
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

static int64_t now_us(void)
{
    return (int64_t)(now_ms() * 1000);
}

/* The road without runner and frames: what head prints. */
static double road_lap(errand_road *road)
{
    static char room[256 * 1024];
    const errand_launch launch = {.line = "exec head -c 62914560 /dev/zero"};
    errand_notice notice = {0};
    errand_process *process = NULL;
    errand_error err = {0};
    size_t total = 0;
    double start_ms = now_ms();
    if (road->ops->launch(road, &launch, now_us(), &process, &err) != ERRAND_OK)
        give_up(err.text);
    while (total < VALUE_BYTES) {
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

static errand_road *open_road(void)
{
    errand_ssh_options ssh = ERRAND_SSH_OPTIONS_INIT;
    errand_error err = {0};
    errand_road *road = NULL;
    char *name = NULL;
    errand_status status = ERRAND_AGAIN;
    ssh.config_file = sshd_file(&sshd, "near");
    if (errand__ssh_road_new(&road, &name, "box", &ssh, &err) != ERRAND_OK)
        give_up(err.text);
    errand__mem_free(name);
    while ((status = road->ops->open(road, now_us(), &err)) == ERRAND_AGAIN)
        sleep_as_wanted(road, NULL);
    if (status != ERRAND_OK)
        give_up(err.text);
    return road;
}

static void bench_road(void)
{
    double ours[FAR_ROUNDS], bare[FAR_ROUNDS];
    errand_road *road = open_road();
    for (size_t i = 0; i < FAR_ROUNDS; i++) {
        ours[i] = road_lap(road);
        bare[i] = bare_lap();
    }
    double ours_ms = median(ours, FAR_ROUNDS);
    double bare_ms = median(bare, FAR_ROUNDS);
    (void)printf("  60 MiB, bare   %8.1f ms   libssh2 alone %8.1f ms, ratio %.2f, at best %.2f   "
                 "(target: at least 0.9)\n",
                 ours_ms, bare_ms, bare_ms / ours_ms, bare[0] / ours[0]);
    road->ops->free(road);
}

static void bench_warm(const char *config)
{
    double ours[FAR_ROUNDS], words[FAR_ROUNDS];
    struct host host = {0};
    open_box(&host, config);
    (void)host_lap(&host, first_program, ERRAND_LANGUAGE_JS);
    for (size_t i = 0; i < FAR_ROUNDS; i++) {
        words[i] = word_lap();
        ours[i] = host_lap(&host, first_program, ERRAND_LANGUAGE_JS).first_call;
    }
    double word_ms = median(words, FAR_ROUNDS);
    double ours_ms = median(ours, FAR_ROUNDS);
    (void)printf(
        "  warm, far      %8.1f ms   a worker's word %.1f ms; %.2f round trips over it, at "
        "best %.2f   (target: 2)\n",
        ours_ms, word_ms, (ours_ms - word_ms) / (2 * FAR_MS), (ours[0] - words[0]) / (2 * FAR_MS));
    host_close(&host);
}

static void bench_calls(const char *config, const char *what, const char *program, double floor_ms)
{
    struct host host = {0};
    open_box(&host, config);
    (void)host_lap(&host, first_program, ERRAND_LANGUAGE_JS);
    struct lap lap = host_lap(&host, program, ERRAND_LANGUAGE_JS);
    double took_ms = lap.last_call - lap.first_call;
    (void)printf("  %-14s %8.1f ms   floor %8.1f ms, %+.1f ms   (target: at most +1000)\n", what,
                 took_ms, floor_ms, took_ms - floor_ms);
    host_close(&host);
}

static void bench_value(void)
{
    double ours[FAR_ROUNDS], bare[FAR_ROUNDS];
    struct host host = {0};
    open_box(&host, "near");
    for (size_t i = 0; i < FAR_ROUNDS; i++) {
        struct lap lap = host_lap(&host, value_program, ERRAND_LANGUAGE_JS);
        ours[i] = lap.end - lap.last_call;
        bare[i] = bare_lap();
    }
    double ours_ms = median(ours, FAR_ROUNDS);
    double bare_ms = median(bare, FAR_ROUNDS);
    (void)printf("  60 MiB home    %8.1f ms   libssh2 alone %8.1f ms, ratio %.2f, at best %.2f   "
                 "(the runner takes most of it, as on local)\n",
                 ours_ms, bare_ms, bare_ms / ours_ms, bare[0] / ours[0]);
    host_close(&host);
}

int main(void)
{
    struct delay far, near;

    node = test_node(0);
    (void)unsetenv("SSH_AUTH_SOCK");
    sshd_start(&sshd, "");
    sshd_know(&sshd, "known_bench", "bench", "key_ed25519");
    delay_start(&far, sshd.port, FAR_MS);
    delay_start(&near, sshd.port, NEAR_MS);
    write_config("near", sshd.port);
    write_config("far", far.port);
    write_config("short", near.port);
    (void)printf("A host by SSH on loopback, medians of %d; far: %d ms round trip\n", ROUNDS,
                 2 * FAR_MS);
    bench_cold("loopback", "near", ROUNDS);
    bench_cold("far", "far", FAR_ROUNDS);
    bench_warm("far");
    bench_calls("near", "1,000 near", row_program, bare_echo(sshd.port));
    bench_calls("short", "1,000 in a row", row_program, bare_echo(near.port));
    bench_calls("far", "1,000 at once", all_program, 4.0 * FAR_MS);
    bench_road();
    bench_value();
    delay_end(&far);
    delay_end(&near);
    sshd_end(&sshd);
    errand__mem_free(node);
    return 0;
}
