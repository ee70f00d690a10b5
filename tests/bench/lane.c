/* lane.c - a thread a direction that forwards a piece and then waits for as long as the piece takes
 * on such a road. Who was late, because the machine was busy, catches up by no more than a few
 * pieces: so much a switch would hold. Only the width of the road is played, not its length. */
#include "lane.h"

#include "clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 32 * 1024, PIECES_LATE = 8, LISTEN = 16 };

struct way {
    int from, to;
    uint64_t bits_a_second;
};

static int64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void wait_until(int64_t at_ns)
{
    const struct timespec at = {.tv_sec = at_ns / 1000000000, .tv_nsec = at_ns % 1000000000};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
        continue;
}

static bool send_all(int fd, const char *bytes, size_t len)
{
    for (size_t sent = 0; sent < len;) {
        ssize_t count = send(fd, bytes + sent, len - sent, MSG_NOSIGNAL);
        if (count < 0 && errno != EINTR)
            return false;
        sent += count > 0 ? (size_t)count : 0;
    }
    return true;
}

static void *forward(void *argument)
{
    struct way way = *(struct way *)argument;
    char room[PIECE];
    int64_t free_ns = 0; /* When the road has taken what was sent. */
    int64_t piece_ns = (int64_t)(UINT64_C(8000000000) * PIECE / way.bits_a_second);

    free(argument);
    for (;;) {
        ssize_t got = recv(way.from, room, sizeof(room), 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0 || !send_all(way.to, room, (size_t)got))
            break;
        int64_t late_ns = now_ns() - PIECES_LATE * piece_ns;
        free_ns = free_ns > late_ns ? free_ns : late_ns;
        free_ns += (int64_t)(UINT64_C(8000000000) * (uint64_t)got / way.bits_a_second);
        if (free_ns > now_ns())
            wait_until(free_ns);
    }
    (void)shutdown(way.from, SHUT_RD);
    (void)shutdown(way.to, SHUT_WR);
    return NULL;
}

static void begin_way(int from, int to, uint64_t bits_a_second)
{
    struct way *way = malloc(sizeof(*way));
    pthread_t thread;

    if (way == NULL)
        _exit(1);
    *way = (struct way){from, to, bits_a_second};
    if (pthread_create(&thread, NULL, forward, way) != 0)
        _exit(1);
    (void)pthread_detach(thread);
}

static struct sockaddr_in loopback(unsigned port)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

/* The few connections of a bench are closed by the end of the process. */
static void serve(int listener, unsigned to_port, uint64_t bits_a_second)
{
    struct sockaddr_in address = loopback(to_port);
    int on = 1;

    for (;;) {
        int near = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        int far = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (near < 0 || far < 0 || connect(far, (struct sockaddr *)&address, sizeof(address)) != 0)
            _exit(1);
        (void)setsockopt(near, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        (void)setsockopt(far, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        begin_way(near, far, bits_a_second);
        begin_way(far, near, bits_a_second);
    }
}

void lane_start(struct lane *lane, unsigned to_port, uint64_t bits_a_second)
{
    struct sockaddr_in address = loopback(0);
    socklen_t len = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof(address)) != 0 ||
        listen(listener, LISTEN) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &len) != 0)
        give_up("no narrow road");
    lane->port = ntohs(address.sin_port);
    lane->pid = fork();
    if (lane->pid < 0)
        give_up("no child");
    if (lane->pid == 0)
        serve(listener, to_port, bits_a_second);
    (void)close(listener);
}

void lane_end(struct lane *lane)
{
    (void)kill(lane->pid, SIGKILL);
    (void)waitpid(lane->pid, NULL, 0);
}
