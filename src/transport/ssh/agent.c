/* agent.c - draft-miller-ssh-agent, the two requests that a login takes. */
#include "transport/ssh/agent.h"

#include "base/err.h"
#include "base/mem.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    ASK_KEYS = 11,
    TELL_KEYS = 12,
    ASK_SIGNATURE = 13,
    TELL_SIGNATURE = 14,
    MESSAGE_MOST = 256 * 1024 /* As OpenSSH's own. */
};

/* --- Numbers and strings -------------------------------------------------------------------- */

static uint32_t number_at(const char *at)
{
    const unsigned char *bytes = (const unsigned char *)at;

    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static bool take_number(errand_span *from, uint32_t *number)
{
    if (from->len < 4)
        return false;
    *number = number_at(from->ptr);
    *from = span_after(*from, 4);
    return true;
}

static bool take_string(errand_span *from, errand_span *string)
{
    uint32_t len = 0;

    if (!take_number(from, &len) || len > from->len)
        return false;
    *string = span_head(*from, len);
    *from = span_after(*from, len);
    return true;
}

static bool put_number(struct buf *to, uint64_t number)
{
    const char bytes[4] = {(char)(number >> 24 & 255), (char)(number >> 16 & 255),
                           (char)(number >> 8 & 255), (char)(number & 255)};

    return errand__buf_push(to, span_of(bytes, sizeof(bytes))) == ERRAND_OK;
}

static bool put_string(struct buf *to, errand_span string)
{
    return put_number(to, string.len) && errand__buf_push(to, string) == ERRAND_OK;
}

/* --- Talking -------------------------------------------------------------------------------- */

static errand_status wait_for(const struct ssh_agent *agent, short events, errand_error *err)
{
    struct pollfd fd = {agent->fd, events, 0};
    enum ssh_waited waited = errand__ssh_patience_wait(agent->patience, &fd, 1);

    return waited == SSH_WAITED_READY
               ? ERRAND_OK
               : errand__ssh_patience_fail(waited, "the agent does not answer", err);
}

static errand_status send_all(const struct ssh_agent *agent, errand_span bytes, errand_error *err)
{
    while (bytes.len > 0) {
        ssize_t sent = send(agent->fd, bytes.ptr, bytes.len, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0) {
            bytes = span_after(bytes, (size_t)sent);
            continue;
        }
        if (errno != EAGAIN && errno != EINTR)
            return errand__fail(err, ERRAND_EIO, errno, "ssh: the agent");
        errand_status status = wait_for(agent, POLLOUT, err);
        if (status != ERRAND_OK)
            return status;
    }
    return ERRAND_OK;
}

static errand_status read_exactly(const struct ssh_agent *agent, char *to, size_t len,
                                  errand_error *err)
{
    while (len > 0) {
        ssize_t got = recv(agent->fd, to, len, MSG_DONTWAIT);
        if (got > 0) {
            to += got;
            len -= (size_t)got;
            continue;
        }
        if (got == 0)
            return errand__fail(err, ERRAND_EIO, 0, "ssh: the agent has gone");
        if (errno != EAGAIN && errno != EINTR)
            return errand__fail(err, ERRAND_EIO, errno, "ssh: the agent");
        errand_status status = wait_for(agent, POLLIN, err);
        if (status != ERRAND_OK)
            return status;
    }
    return ERRAND_OK;
}

/* The answer, without its length, in answer. */
static errand_status converse(const struct ssh_agent *agent, errand_span request,
                              struct buf *answer, errand_error *err)
{
    char len[4];
    errand_status status = send_all(agent, request, err);

    if (status == ERRAND_OK)
        status = read_exactly(agent, len, sizeof(len), err);
    if (status != ERRAND_OK)
        return status;
    uint32_t size = number_at(len);
    if (size == 0 || size > MESSAGE_MOST)
        return errand__fail(err, ERRAND_EIO, 0, "ssh: what the agent says makes no sense");
    AUTO_FREE char *text = errand__mem_new(size, 1);
    if (text == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "ssh: no memory");
    status = read_exactly(agent, text, size, err);
    if (status == ERRAND_OK && errand__buf_push(answer, span_of(text, size)) != ERRAND_OK)
        status = errand__fail(err, ERRAND_ENOMEM, 0, "ssh: no memory");
    return status;
}

/* --- Keys ----------------------------------------------------------------------------------- */

static errand_status connect_to(struct ssh_agent *agent, const char *path, errand_error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    if (strlen(path) >= sizeof(address.sun_path))
        return errand__fail(err, ERRAND_EINVAL, 0, "ssh: the agent's path is too long");
    memcpy(address.sun_path, path, strlen(path) + 1);
    agent->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (agent->fd < 0 ||
        connect(agent->fd, (const struct sockaddr *)&address, sizeof(address)) != 0)
        return errand__fail(err, ERRAND_EIO, errno, "ssh: the agent at %.120s", path);
    return ERRAND_OK;
}

static bool read_keys(struct ssh_agent *agent)
{
    errand_span rest = errand__buf_peek(&agent->list);
    uint32_t count = 0;

    if (rest.len < 1 || rest.ptr[0] != TELL_KEYS)
        return false;
    rest = span_after(rest, 1);
    if (!take_number(&rest, &count))
        return false;
    for (uint32_t i = 0; i < count && agent->count < SSH_AGENT_KEYS; i++) {
        struct ssh_agent_key *key = &agent->keys[agent->count++];
        if (!take_string(&rest, &key->blob) || !take_string(&rest, &key->comment))
            return false;
    }
    return true;
}

errand_status errand__ssh_agent_open(struct ssh_agent *agent, const char *path,
                                     const struct ssh_patience *patience, errand_error *err)
{
    static const char request[] = {0, 0, 0, 1, ASK_KEYS};

    *agent = (struct ssh_agent){.fd = -1, .patience = patience};
    errand__buf_init(&agent->list, MESSAGE_MOST);
    errand_status status = connect_to(agent, path, err);
    if (status == ERRAND_OK)
        status = converse(agent, span_of(request, sizeof(request)), &agent->list, err);
    if (status == ERRAND_OK && !read_keys(agent))
        status = errand__fail(err, ERRAND_EIO, 0, "ssh: what the agent says makes no sense");
    if (status != ERRAND_OK)
        errand__ssh_agent_close(agent);
    return status;
}

/* The signature is a string of two: its kind and itself. */
static errand_status take_signature(errand_span rest, char **signature, size_t *signature_len,
                                    errand_error *err)
{
    errand_span whole = SPAN_EMPTY, kind = SPAN_EMPTY, blob = SPAN_EMPTY;

    if (rest.len < 1 || rest.ptr[0] != TELL_SIGNATURE)
        return errand__fail(err, ERRAND_EAUTH, 0, "ssh: the agent does not sign");
    rest = span_after(rest, 1);
    if (!take_string(&rest, &whole) || !take_string(&whole, &kind) || !take_string(&whole, &blob))
        return errand__fail(err, ERRAND_EIO, 0, "ssh: what the agent says makes no sense");
    *signature = errand__mem_copy(blob.ptr, blob.len);
    *signature_len = blob.len;
    return *signature == NULL ? errand__fail(err, ERRAND_ENOMEM, 0, "ssh: no memory") : ERRAND_OK;
}

errand_status errand__ssh_agent_sign(struct ssh_agent *agent, errand_span blob, errand_span data,
                                     char **signature, size_t *signature_len, errand_error *err)
{
    static const char type[] = {ASK_SIGNATURE};
    struct buf request, answer;

    errand__buf_init(&request, MESSAGE_MOST);
    errand__buf_init(&answer, MESSAGE_MOST);
    bool made = put_number(&request, 1 + 4 + blob.len + 4 + data.len + 4) &&
                errand__buf_push(&request, span_of(type, 1)) == ERRAND_OK &&
                put_string(&request, blob) && put_string(&request, data) && put_number(&request, 0);
    errand_status status = made ? converse(agent, errand__buf_peek(&request), &answer, err)
                                : errand__fail(err, ERRAND_ENOMEM, 0, "ssh: no memory");
    if (status == ERRAND_OK)
        status = take_signature(errand__buf_peek(&answer), signature, signature_len, err);
    errand__buf_deinit(&request);
    errand__buf_deinit(&answer);
    return status;
}

void errand__ssh_agent_close(struct ssh_agent *agent)
{
    errand__auto_close(&agent->fd);
    agent->fd = -1;
    agent->count = 0;
    errand__buf_deinit(&agent->list);
}
