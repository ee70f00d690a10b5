/* connect.c - an address that does not answer takes its share of the time and no more. */
#include "transport/ssh/connect.h"

#include "base/err.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    ALL_MS = 40 * 1000, /* Within the 60 s that opening a place may take. */
    ONE_MS_LEAST = 5 * 1000,
    ONE_MS_MOST = 20 * 1000,
    ADDRESSES_MOST = 16
};

static int share_of(const struct ssh_config *config, size_t addresses)
{
    if (config->connect_s > 0)
        return config->connect_s > INT_MAX / 1000 ? INT_MAX : (int)config->connect_s * 1000;
    int ms = ALL_MS / (int)(addresses == 0 ? 1 : addresses);
    return ms < ONE_MS_LEAST ? ONE_MS_LEAST : ms > ONE_MS_MOST ? ONE_MS_MOST : ms;
}

/* 0, or why not, as errno; ECANCELED: nobody wants it any more. */
static int connect_one(const struct addrinfo *to, struct ssh_patience *patience, int ms, int *out)
{
    int on = 1;
    int failure = 0;
    socklen_t len = sizeof(failure);
    AUTO_CLOSE int fd =
        socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, to->ai_protocol);

    if (fd < 0)
        return errno;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    if (connect(fd, to->ai_addr, to->ai_addrlen) != 0) {
        if (errno != EINPROGRESS)
            return errno;
        struct pollfd ready = {fd, POLLOUT, 0};
        errand__ssh_patience_start(patience, ms);
        enum ssh_waited waited = errand__ssh_patience_wait(patience, &ready, 1);
        if (waited != SSH_WAITED_READY)
            return waited == SSH_WAITED_TIMEOUT ? ETIMEDOUT : ECANCELED;
        if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &len) != 0)
            return errno;
    }
    if (failure == 0)
        *out = steal_fd(&fd);
    return failure;
}

static void note(struct ssh_diary *diary, const struct addrinfo *to, int failure)
{
    char name[NI_MAXHOST] = "?", text[128];

    (void)getnameinfo(to->ai_addr, to->ai_addrlen, name, sizeof(name), NULL, 0, NI_NUMERICHOST);
    errand__ssh_diary_note(diary, "%.80s %s%s", name,
                           failure == 0 ? "was connected" : "did not answer: ",
                           failure == 0 ? "" : strerror_r(failure, text, sizeof(text)));
}

/* 0, or why none of the list can be reached. */
static int connect_any(const struct addrinfo *list, const struct ssh_config *config,
                       struct ssh_patience *patience, struct ssh_diary *diary, int *fd)
{
    size_t count = 0;
    int failure = ETIMEDOUT;

    for (const struct addrinfo *at = list; at != NULL && count < ADDRESSES_MOST; at = at->ai_next)
        count++;
    int ms = share_of(config, count);
    for (; count > 0; count--, list = list->ai_next) {
        failure = connect_one(list, patience, ms, fd);
        note(diary, list, failure);
        if (failure == 0 || failure == ECANCELED)
            break;
    }
    return failure;
}

errand_status errand__ssh_connect(const struct ssh_config *config, struct ssh_patience *patience,
                                  struct ssh_diary *diary, int *fd, const char **code,
                                  errand_error *err)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL;
    char port[16];

    *fd = -1;
    (void)snprintf(port, sizeof(port), "%u", config->port);
    int found = getaddrinfo(config->hostname, port, &hints, &list);
    if (found != 0) {
        *code = "name_not_found";
        (void)errand__fail(err, ERRAND_EIO, 0, "ssh: no address of %.120s: %s", config->hostname,
                           gai_strerror(found));
        if (found == EAI_AGAIN)
            errand__err_retryable(err, 0);
        return ERRAND_EIO;
    }
    int failure = connect_any(list, config, patience, diary, fd);
    freeaddrinfo(list);
    if (failure == 0)
        return ERRAND_OK;
    *code = "connect_failed";
    return errand__fail(err, ERRAND_EIO, failure, "ssh: no connection to %.120s port %u",
                        config->hostname, config->port);
}
