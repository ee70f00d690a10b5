/* bare.c - a login by key, a channel, and a loop. */
#include "bare.h"

#include "clock.h"

#include <arpa/inet.h>
#include <libssh2.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

struct bare {
    int fd;
    LIBSSH2_SESSION *session;
    LIBSSH2_CHANNEL *channel;
};

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

static void log_in(struct bare *bare, const struct sshd *sshd, unsigned port)
{
    bare->fd = connect_to(port);
    bare->session = libssh2_session_init();
    if (bare->session == NULL || libssh2_session_handshake(bare->session, bare->fd) != 0 ||
        libssh2_userauth_publickey_fromfile(bare->session, sshd->user, NULL,
                                            sshd_file(sshd, "id_ed25519"), NULL) != 0)
        give_up("no bare login");
    bare->channel = libssh2_channel_open_session(bare->session);
    if (bare->channel == NULL)
        give_up("no bare channel");
}

static void run(struct bare *bare, const char *command)
{
    if (libssh2_channel_exec(bare->channel, command) != 0)
        give_up("no bare command");
}

static void log_out(struct bare *bare)
{
    (void)libssh2_channel_free(bare->channel);
    (void)libssh2_session_disconnect(bare->session, "done");
    (void)libssh2_session_free(bare->session);
    (void)close(bare->fd);
}

double bare_read(const struct sshd *sshd, unsigned port, const char *command, size_t bytes)
{
    static char room[256 * 1024];
    struct bare bare;
    size_t total = 0;

    log_in(&bare, sshd, port);
    double start_ms = now_ms();
    run(&bare, command);
    for (ssize_t got = 1; got > 0; total += got > 0 ? (size_t)got : 0)
        got = libssh2_channel_read(bare.channel, room, sizeof(room));
    double took_ms = now_ms() - start_ms;
    if (total != bytes)
        give_up("not all came");
    log_out(&bare);
    return took_ms;
}

double bare_echo(const struct sshd *sshd, unsigned port, unsigned words)
{
    static const char word[] = "a word of twenty or so";
    char room[sizeof(word)];
    struct bare bare;

    log_in(&bare, sshd, port);
    run(&bare, "exec cat");
    double start_ms = now_ms();
    for (unsigned i = 0; i < words; i++) {
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
    log_out(&bare);
    return took_ms;
}
