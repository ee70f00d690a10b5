/* wire.c - libssh2's door to the network. */
#include "transport/ssh/wire.h"

#include "base/err.h"
#include "base/mem.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    WAITING_FULL = 256 * 1024,     /* More of a program's bytes would only wait. */
    WAITING_DEAF = 1024 * 1024,    /* Who does not read is not heard: what it says makes answers. */
    WAITING_MOST = 8 * 1024 * 1024 /* Not reached: then something is wrong. */
};

/* --- libssh2 -------------------------------------------------------------------------------- */

static void *take_memory(size_t count, void **abstract)
{
    (void)abstract;
    return errand__mem_resize(NULL, count);
}

static void *resize_memory(void *block, size_t count, void **abstract)
{
    (void)abstract;
    return errand__mem_resize(block, count);
}

static void give_memory(void *block, void **abstract)
{
    (void)abstract;
    errand__mem_free(block);
}

static void break_off(struct ssh_wire *wire, int failure)
{
    if (!wire->broken)
        wire->failure = failure;
    wire->broken = true;
}

static ssize_t receive(libssh2_socket_t fd, void *bytes, size_t len, int flags, void **abstract)
{
    struct ssh_wire *wire = *abstract;
    ssize_t got = 0;

    (void)fd;
    if (wire->broken)
        return -ECONNRESET;
    errand_span waiting = errand__buf_peek(&wire->waiting);
    if (wire->may_hear == 0 || waiting.len > WAITING_DEAF) {
        wire->deaf = true;
        return -EAGAIN;
    }
    do
        got = recv(wire->in, bytes, len, flags);
    while (got < 0 && errno == EINTR);
    if (got < 0 && errno == EAGAIN)
        return -EAGAIN;
    if (got <= 0) {
        break_off(wire, got == 0 ? 0 : errno);
        return -ECONNRESET;
    }
    wire->heard += (uint64_t)got;
    wire->may_hear -= (uint64_t)got < wire->may_hear ? (uint64_t)got : wire->may_hear;
    return got;
}

void errand__ssh_wire_flush(struct ssh_wire *wire)
{
    for (;;) {
        errand_span waiting = errand__buf_peek(&wire->waiting);
        if (waiting.len == 0 || wire->broken)
            return;
        ssize_t sent = send(wire->out, waiting.ptr, waiting.len, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            errand__buf_consume(&wire->waiting, (size_t)sent);
            continue;
        }
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && errno != EAGAIN && errno != ENOBUFS)
            break_off(wire, errno);
        return;
    }
}

static ssize_t transmit(libssh2_socket_t fd, const void *bytes, size_t len, int flags,
                        void **abstract)
{
    struct ssh_wire *wire = *abstract;

    (void)fd, (void)flags;
    if (!wire->broken && errand__buf_push(&wire->waiting, span_of(bytes, len)) != ERRAND_OK)
        break_off(wire, ENOMEM);
    if (!wire->broken)
        errand__ssh_wire_flush(wire);
    return wire->broken ? -EPIPE : (ssize_t)len;
}

/* As libssh2 calls it: the other side says why it hangs up. Nothing comes behind that. */
static void hear_farewell(LIBSSH2_SESSION *session, int reason, const char *message,
                          int message_len, const char *language, int language_len, void **abstract)
{
    struct ssh_wire *wire = *abstract;
    size_t len = message_len > 0 ? (size_t)message_len : 0;

    (void)session, (void)reason, (void)language, (void)language_len;
    len = len < sizeof(wire->said) - 1 ? len : sizeof(wire->said) - 1;
    for (size_t i = 0; i < len; i++)
        wire->said[i] = (char)(message[i] < 0x20 || message[i] == 0x7f ? ' ' : message[i]);
    wire->said[len] = '\0';
    break_off(wire, 0);
}

/* --- Life ----------------------------------------------------------------------------------- */

static void start_library(void)
{
    (void)libssh2_init(0);
}

static LIBSSH2_SESSION *new_session(struct ssh_wire *wire)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, start_library);
    LIBSSH2_SESSION *session =
        libssh2_session_init_ex(take_memory, give_memory, resize_memory, wire);
    if (session == NULL)
        return NULL;
    libssh2_session_set_blocking(session, 0);
    /* libssh2 wants each of its callbacks as a pointer to data. */
    (void)libssh2_session_callback_set(session, LIBSSH2_CALLBACK_RECV, (void *)(uintptr_t)receive);
    (void)libssh2_session_callback_set(session, LIBSSH2_CALLBACK_SEND, (void *)(uintptr_t)transmit);
    (void)libssh2_session_callback_set(session, LIBSSH2_CALLBACK_DISCONNECT,
                                       (void *)(uintptr_t)hear_farewell);
    return session;
}

errand_status errand__ssh_wire_new(struct ssh_wire **out, int in, int out_fd,
                                   const struct ssh_proxy *proxy, errand_error *err)
{
    struct ssh_wire *wire = errand__mem_new(1, sizeof(*wire));

    *out = NULL;
    if (wire == NULL) {
        struct ssh_proxy lost = *proxy;
        (void)close(in);
        if (out_fd != in)
            (void)close(out_fd);
        errand__ssh_proxy_end(&lost);
        return errand__fail(err, ERRAND_ENOMEM, 0, "ssh: no memory");
    }
    wire->in = in;
    wire->out = out_fd;
    wire->proxy = *proxy;
    wire->may_hear = UINT64_MAX;
    errand__buf_init(&wire->waiting, WAITING_MOST);
    wire->session = new_session(wire);
    if (wire->session == NULL) {
        errand__ssh_wire_free(wire);
        return errand__fail(err, ERRAND_ENOMEM, 0, "ssh: no memory");
    }
    *out = wire;
    return ERRAND_OK;
}

void errand__ssh_wire_turn(struct ssh_wire *wire, uint64_t may_hear)
{
    wire->may_hear = may_hear;
    wire->deaf = false;
    errand__ssh_wire_flush(wire);
    errand__ssh_proxy_listen(&wire->proxy);
}

bool errand__ssh_wire_is_full(const struct ssh_wire *wire)
{
    return errand__buf_peek(&wire->waiting).len > WAITING_FULL;
}

const char *errand__ssh_wire_why(struct ssh_wire *wire, char *room, size_t room_len)
{
    const char *words = errand__ssh_proxy_words(&wire->proxy);
    char text[128];

    if (words[0] != '\0')
        (void)snprintf(room, room_len, "the proxy says: %s", words);
    else if (wire->said[0] != '\0')
        (void)snprintf(room, room_len, "the host says: %s", wire->said);
    else if (wire->failure == 0)
        (void)snprintf(room, room_len, "the host closed the connection");
    else
        (void)snprintf(room, room_len, "%s", strerror_r(wire->failure, text, sizeof(text)));
    return room;
}

enum ssh_waited errand__ssh_wire_wait(struct ssh_wire *wire, const struct ssh_patience *patience)
{
    bool sends = errand__buf_peek(&wire->waiting).len > 0;
    struct pollfd fds[] = {{wire->in, POLLIN, 0}, {wire->out, POLLOUT, 0}};
    enum ssh_waited waited = errand__ssh_patience_wait(patience, fds, sends ? 2 : 1);

    if (waited == SSH_WAITED_READY)
        errand__ssh_wire_flush(wire);
    return waited;
}

void errand__ssh_wire_free(struct ssh_wire *wire)
{
    if (wire == NULL)
        return;
    /* From here on every send fails, and libssh2 waits for no answer. */
    break_off(wire, 0);
    for (int i = 0; wire->session != NULL && i < 100; i++) {
        if (libssh2_session_free(wire->session) != LIBSSH2_ERROR_EAGAIN)
            break;
    }
    if (wire->in >= 0)
        (void)close(wire->in);
    if (wire->out >= 0 && wire->out != wire->in)
        (void)close(wire->out);
    errand__ssh_proxy_end(&wire->proxy);
    errand__buf_deinit(&wire->waiting);
    errand__mem_free(wire);
}
