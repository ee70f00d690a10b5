/* delay.c - one poll, a queue a direction. Bytes are taken as fast as they come: only the length of
 * the road is played, not its width. */
#include "test.h"

#include "delay.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROADS = 32, PIECE = 64 * 1024 };

struct piece {
    struct piece *next;
    int64_t due_us;
    size_t len, sent; /* len 0: the end. */
    char bytes[];
};

struct way {
    int from, to;
    bool ended;
    struct piece *first, **last;
};

struct road {
    struct way there, back;
    bool used;
};

static struct road roads[ROADS];

static int64_t now_us(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void init_way(struct way *way, int from, int to)
{
    *way = (struct way){.from = from, .to = to};
    way->last = &way->first;
}

static void take_in(struct way *way, int64_t due_us)
{
    static char room[PIECE];

    while (!way->ended) {
        ssize_t got = recv(way->from, room, sizeof(room), MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        way->ended = got <= 0;
        struct piece *piece = calloc(1, sizeof(*piece) + (got > 0 ? (size_t)got : 0));
        if (piece == NULL)
            _exit(1);
        piece->due_us = due_us;
        piece->len = got > 0 ? (size_t)got : 0;
        memcpy(piece->bytes, room, piece->len);
        *way->last = piece;
        way->last = &piece->next;
    }
}

/* Sends what is due. */
static void let_out(struct way *way, int64_t at_us)
{
    while (way->first != NULL && way->first->due_us <= at_us) {
        struct piece *piece = way->first;
        if (piece->len == 0)
            (void)shutdown(way->to, SHUT_WR);
        ssize_t sent = piece->len == 0
                           ? 0
                           : send(way->to, piece->bytes + piece->sent, piece->len - piece->sent,
                                  MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && errno == EAGAIN)
            return;
        piece->sent += sent > 0 ? (size_t)sent : piece->len - piece->sent;
        if (piece->sent < piece->len)
            return;
        way->first = piece->next;
        if (way->first == NULL)
            way->last = &way->first;
        free(piece);
    }
}

static bool is_over(const struct road *road)
{
    return road->there.ended && road->back.ended && road->there.first == NULL &&
           road->back.first == NULL;
}

static struct sockaddr_in loopback(unsigned port)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static void begin_road(int near, unsigned to_port)
{
    struct sockaddr_in address = loopback(to_port);
    int on = 1;
    int far = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    size_t at = 0;

    while (at < ROADS && roads[at].used)
        at++;
    if (at == ROADS || connect(far, (struct sockaddr *)&address, sizeof(address)) != 0) {
        (void)close(near);
        (void)close(far);
        return;
    }
    (void)setsockopt(near, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    (void)setsockopt(far, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    init_way(&roads[at].there, near, far);
    init_way(&roads[at].back, far, near);
    roads[at].used = true;
}

/* Adds what a way waits for; sooner of both instants. */
static int64_t want(const struct way *way, struct pollfd *from, struct pollfd *to, int64_t due_us,
                    int64_t at_us)
{
    if (!way->ended)
        from->events |= POLLIN;
    if (way->first == NULL)
        return due_us;
    if (way->first->due_us <= at_us) {
        to->events |= POLLOUT;
        return due_us;
    }
    return way->first->due_us < due_us ? way->first->due_us : due_us;
}

static void step_roads(int64_t late_us)
{
    int64_t at_us = now_us();

    for (size_t i = 0; i < ROADS; i++) {
        struct road *road = &roads[i];
        if (!road->used)
            continue;
        take_in(&road->there, at_us + late_us);
        take_in(&road->back, at_us + late_us);
        let_out(&road->there, at_us);
        let_out(&road->back, at_us);
        if (!is_over(road))
            continue;
        (void)close(road->there.from);
        (void)close(road->there.to);
        road->used = false;
    }
}

static void sleep_until_something(int listener)
{
    struct pollfd fds[1 + 2 * ROADS] = {{listener, POLLIN, 0}};
    nfds_t count = 1;
    int64_t at_us = now_us();
    int64_t due_us = INT64_MAX;

    for (size_t i = 0; i < ROADS; i++) {
        if (!roads[i].used)
            continue;
        struct pollfd *near = &fds[count++], *far = &fds[count++];
        *near = (struct pollfd){roads[i].there.from, 0, 0};
        *far = (struct pollfd){roads[i].there.to, 0, 0};
        due_us = want(&roads[i].there, near, far, due_us, at_us);
        due_us = want(&roads[i].back, far, near, due_us, at_us);
    }
    struct timespec wait = {.tv_sec = 60};
    if (due_us != INT64_MAX)
        wait = (struct timespec){.tv_sec = (due_us - at_us) / 1000000,
                                 .tv_nsec = (due_us - at_us) % 1000000 * 1000};
    (void)ppoll(fds, count, &wait, NULL);
}

static void forward(int listener, unsigned to_port, int ms)
{
    for (;;) {
        sleep_until_something(listener);
        int near = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (near >= 0)
            begin_road(near, to_port);
        step_roads((int64_t)ms * 1000);
    }
}

void delay_start(struct delay *delay, unsigned to_port, int ms)
{
    struct sockaddr_in address = loopback(0);
    socklen_t len = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof(address)) != 0 ||
        listen(listener, 16) != 0 || getsockname(listener, (struct sockaddr *)&address, &len) != 0)
        fail_msg("no delayed road: %d", errno);
    delay->port = ntohs(address.sin_port);
    delay->pid = fork();
    if (delay->pid == 0)
        forward(listener, to_port, ms);
    (void)close(listener);
}

void delay_hold(const struct delay *delay)
{
    assert_int_equal(kill(delay->pid, SIGSTOP), 0);
}

void delay_end(struct delay *delay)
{
    (void)kill(delay->pid, SIGKILL);
    (void)waitpid(delay->pid, NULL, 0);
}
