/* test_agent.c - agents that go away, refuse, lie or say nothing in the middle of a login: a socket
 * of ours that plays them. None of them keeps a key file from being tried, and none is waited for
 * longer than the place may take to open. */
#include "test.h"

#include "sshd.h"
#include "trip.h"

#include "base/base.h"
#include "transport/ssh/digest.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { TELL_FAILURE = 5, TELL_KEYS = 12, TELL_SIGNATURE = 14, ROOM = 4096 };

static struct sshd host;

/* --- The agent ------------------------------------------------------------------------------ */

enum manner {
    AGENT_GONE,          /* Hangs up when it is asked for keys. */
    AGENT_GONE_AT_SIGN,  /* Hangs up when it shall sign. */
    AGENT_REFUSES,       /* To sign. */
    AGENT_SIGNS_BADLY,   /* Some bytes or other. */
    AGENT_SIGNS_NOTHING, /* An answer that ends in the middle. */
    AGENT_ENDLESS,       /* An answer that claims gigabytes. */
    AGENT_MANY_KEYS,     /* More keys than it sends. */
    AGENT_SILENT
};

static struct {
    pthread_mutex_t lock; /* Around its manner and its key. */
    enum manner manner;
    int fd;
    unsigned char blob[ROOM]; /* Of the key that it claims to have. */
    size_t blob_len;
    pthread_t thread;
} agent = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void put_number(unsigned char *to, size_t number)
{
    to[0] = (unsigned char)(number >> 24 & 255);
    to[1] = (unsigned char)(number >> 16 & 255);
    to[2] = (unsigned char)(number >> 8 & 255);
    to[3] = (unsigned char)(number & 255);
}

/* Returns what follows it. */
static unsigned char *put_string(unsigned char *to, errand_span string)
{
    put_number(to, string.len);
    memcpy(to + 4, string.ptr, string.len);
    return to + 4 + string.len;
}

static void say(int fd, const unsigned char *bytes, size_t len)
{
    unsigned char size[4];

    put_number(size, len);
    (void)!send(fd, size, sizeof(size), MSG_NOSIGNAL);
    (void)!send(fd, bytes, len, MSG_NOSIGNAL);
}

static void tell_keys(int fd)
{
    unsigned char answer[ROOM + 32] = {TELL_KEYS};

    put_number(answer + 1, agent.manner == AGENT_MANY_KEYS ? 1000000 : 1);
    unsigned char *at = put_string(answer + 5, span_of(agent.blob, agent.blob_len));
    at = put_string(at, SPAN_LITERAL("mine"));
    say(fd, answer, (size_t)(at - answer));
}

static void tell_signature(int fd, size_t claimed)
{
    unsigned char answer[128] = {TELL_SIGNATURE};

    put_number(answer + 1, 4 + 11 + 4 + claimed);
    put_number(put_string(answer + 5, SPAN_LITERAL("ssh-ed25519")), claimed);
    say(fd, answer, sizeof(answer) - 40);
}

/* false: it hangs up. */
static bool sign(int fd)
{
    static const unsigned char failure[] = {TELL_FAILURE};

    switch (agent.manner) {
    case AGENT_REFUSES:
        say(fd, failure, sizeof(failure));
        return true;
    case AGENT_SIGNS_BADLY:
        tell_signature(fd, 64);
        return true;
    case AGENT_SIGNS_NOTHING:
        tell_signature(fd, 4000);
        return true;
    case AGENT_GONE:
    case AGENT_GONE_AT_SIGN:
    case AGENT_ENDLESS:
    case AGENT_MANY_KEYS:
    case AGENT_SILENT:
        break;
    }
    return false;
}

static bool answer(int fd, unsigned char kind)
{
    static const unsigned char endless[] = {0x7f, 0xff, 0xff, 0xff, TELL_KEYS};

    if (agent.manner == AGENT_GONE)
        return false;
    if (agent.manner == AGENT_SILENT)
        return true;
    if (agent.manner == AGENT_ENDLESS)
        return send(fd, endless, sizeof(endless), MSG_NOSIGNAL) > 0;
    if (kind != 11)
        return sign(fd);
    tell_keys(fd);
    return true;
}

static void serve(int fd)
{
    unsigned char request[ROOM];

    for (;;) {
        if (recv(fd, request, 5, MSG_WAITALL) != 5)
            return;
        size_t rest = ((size_t)request[2] << 8 | request[3]) - 1;
        unsigned char kind = request[4];
        if (rest > sizeof(request) ||
            (rest > 0 && recv(fd, request, rest, MSG_WAITALL) != (ssize_t)rest))
            return;
        (void)pthread_mutex_lock(&agent.lock);
        bool stays = answer(fd, kind);
        (void)pthread_mutex_unlock(&agent.lock);
        if (!stays)
            return;
    }
}

static void *be_agent(void *ctx)
{
    (void)ctx;
    for (int fd; (fd = accept(agent.fd, NULL, NULL)) >= 0;) {
        serve(fd);
        (void)close(fd);
    }
    return NULL;
}

/* A key that lives in a device; its public half is of no account. */
static void make_security_key(void)
{
    static const char half[32] = "";
    (void)pthread_mutex_lock(&agent.lock);
    unsigned char *at = put_string(agent.blob, SPAN_LITERAL("sk-ssh-ed25519@openssh.com"));

    at = put_string(at, span_of(half, sizeof(half)));
    agent.blob_len = (size_t)(at - agent.blob);
    (void)pthread_mutex_unlock(&agent.lock);
}

static void learn_key(void)
{
    char *text = sshd_read(&host, "id_ed25519.pub");
    char blob[ROOM] = "";

    assert_int_equal(sscanf(text, "%*s %4095s", blob), 1);
    agent.blob_len = errand__ssh_base64_decode(agent.blob, sizeof(agent.blob), span_text(blob));
    assert_true(agent.blob_len != SIZE_MAX);
    free(text);
}

static void start_agent(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = sshd_file(&host, "agent");

    learn_key();
    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    agent.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(agent.fd, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(agent.fd, 8), 0);
    assert_int_equal(pthread_create(&agent.thread, NULL, be_agent, NULL), 0);
    assert_int_equal(setenv("SSH_AUTH_SOCK", path, 1), 0);
}

/* --- Tests ---------------------------------------------------------------------------------- */

static struct trip with_agent(const char *config, enum manner manner)
{
    struct trip trip = trip_to("ssh://box");

    (void)pthread_mutex_lock(&agent.lock);
    agent.manner = manner;
    (void)pthread_mutex_unlock(&agent.lock);
    trip.ssh.config_file = sshd_file(&host, config);
    return trip;
}

static void test_agent__each_fault_has_its_words(void **state)
{
    static const struct {
        enum manner manner;
        const char *words;
    } cases[] = {{AGENT_GONE, "tried: no agent"},
                 {AGENT_GONE_AT_SIGN, "ssh: the agent has gone"},
                 {AGENT_REFUSES, "ssh: the agent does not sign"},
                 {AGENT_SIGNS_BADLY, "tried: agent's mine"},
                 {AGENT_SIGNS_NOTHING, "ssh: what the agent says makes no sense"},
                 {AGENT_ENDLESS, "tried: no agent"},
                 {AGENT_MANY_KEYS, "tried: no agent"}};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct trip trip = with_agent("config_agent", cases[i].manner);
        trip_fails(&trip, "auth_failed", cases[i].words);
    }
}

static void test_agent__a_key_file_is_tried_all_the_same(void **state)
{
    (void)state;
    for (enum manner manner = AGENT_GONE; manner < AGENT_SILENT; manner++) {
        struct trip trip = with_agent("config_both", manner);
        trip_brings(&trip, "42");
    }
}

static void test_agent__silence_is_cut_short_by_the_limit(void **state)
{
    (void)state;
    struct trip trip = with_agent("config_both", AGENT_SILENT);
    trip.limits.open_ms = 1000;
    trip_fails(&trip, "open_timeout", "");
    assert_string_equal(trip.limit, "open_ms");
}

static void test_agent__a_security_key_is_named(void **state)
{
    (void)state;
    make_security_key();
    struct trip trip = with_agent("config_agent", AGENT_REFUSES);
    trip_fails(&trip, "auth_failed", "tried: agent's mine (a security key: not by libssh2)");
    trip.ssh.config_file = sshd_file(&host, "config_both");
    trip_brings(&trip, "42");
}

static void write_config(const char *name, const char *identity)
{
    sshd_write(&host, name, 0600,
               "Host box\n HostName 127.0.0.1\n Port %u\n User %s\n IdentityFile %s\n"
               " UserKnownHostsFile %s\n GlobalKnownHostsFile /dev/null\n",
               host.port, host.user, identity, sshd_file(&host, "known_hosts"));
}

static int start(void **state)
{
    (void)state;
    sshd_start(&host, "PasswordAuthentication no");
    write_config("config_agent", "none");
    write_config("config_both", sshd_file(&host, "id_ecdsa"));
    start_agent();
    return 0;
}

static int end(void **state)
{
    (void)state;
    (void)shutdown(agent.fd, SHUT_RDWR);
    assert_int_equal(pthread_join(agent.thread, NULL), 0);
    (void)close(agent.fd);
    sshd_end(&host);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agent__each_fault_has_its_words),
        cmocka_unit_test(test_agent__a_key_file_is_tried_all_the_same),
        cmocka_unit_test(test_agent__silence_is_cut_short_by_the_limit),
        cmocka_unit_test(test_agent__a_security_key_is_named), /* From then on it has that one. */
    };
    return cmocka_run_group_tests_name("agents in the middle of a login", tests, start, end);
}
