/* test_address.c - what an address stands for, and what is refused in which words. */
#include "test.h"

#include "base/mem.h"
#include "transport/address.h"
#include "transport/words.h"

#include <stdio.h>

static void assert_name(const char *address, const char *expected, const char *road_name)
{
    errand_road *road = NULL;
    char *name = NULL;
    errand_error error = {0};

    if (errand__road_from_address(&road, &name, address, NULL, &error) != ERRAND_OK)
        fail_msg("%s: %s", address, error.text);
    assert_string_equal(name, expected);
    assert_string_equal(road->ops->name, road_name);
    assert_int_equal(road->ops->lease_ms, 0);
    assert_int_equal(road->ops->delivery, ERRAND_DELIVERY_STDIN);
    road->ops->free(road);
    errand__mem_free(name);
}

static void assert_refused(const char *address, const char *expected)
{
    errand_road *road = NULL;
    char *name = NULL;
    errand_error error = {0};

    assert_int_equal(errand__road_from_address(&road, &name, address, NULL, &error), ERRAND_EINVAL);
    assert_string_equal(error.text, expected);
    assert_int_equal(error.status, ERRAND_EINVAL);
    assert_null(road);
    assert_null(name);
}

static void assert_ssh_name(const char *address, const char *expected)
{
    errand_road *road = NULL;
    char *name = NULL;
    errand_error error = {0};

    if (errand__road_from_address(&road, &name, address, NULL, &error) != ERRAND_OK)
        fail_msg("%s: %s", address, error.text);
    assert_string_equal(name, expected);
    assert_string_equal(road->ops->name, "ssh");
    assert_int_equal(road->ops->lease_ms, 45000);
    road->ops->free(road);
    errand__mem_free(name);
}

static void test_address__what_it_stands_for(void **state)
{
    (void)state;
    assert_name("local", "local", "local");
    assert_name("local?jail", "local?jail", "jail");
    assert_name("local?jail&network", "local?jail&network", "jail");
    assert_name("local?network&jail", "local?jail&network", "jail");
    assert_name("exec:docker exec -i box", "exec:docker exec -i box", "exec");
    assert_name("shell:ssh  -T\thost ", "shell:ssh -T host", "shell");
    assert_name("docker://box", "docker://box", "container");
    assert_name("podman://My_box.1-a", "podman://My_box.1-a", "container");
    assert_name("k8s://ns/pod-1", "k8s://ns/pod-1", "container");
    assert_name("k8s://ns/pod/main", "k8s://ns/pod/main", "container");
}

static void test_address__quotes_are_those_of_a_shell(void **state)
{
    (void)state;
    assert_name("exec:env 'A=x y' sh", "exec:env 'A=x y' sh", "exec");
    assert_name("exec:env \"A=x y\" sh", "exec:env 'A=x y' sh", "exec");
    assert_name("exec:env A=x\\ y sh", "exec:env 'A=x y' sh", "exec");
    assert_name("exec:a'b'\"c\"\\d", "exec:abcd", "exec");
    assert_name("exec:a ''", "exec:a ''", "exec");
    assert_name("exec:a \"\\\"\\\\\\$\\`\\n\"", "exec:a '\"\\$`\\n'", "exec");
    assert_name("exec:it\\'s", "exec:'it'\\''s'", "exec");
    assert_name("exec:a 'line\nbreak'", "exec:a 'line\nbreak'", "exec");
    assert_name("exec:echo $HOME *;|", "exec:echo $HOME *;|", "exec");
}

static void test_address__a_name_reads_as_the_same_address(void **state)
{
    static const char *const addresses[] = {"exec:a \"b c\" 'd\"e' f\\'g ''",
                                            "shell:ssh -o 'ProxyCommand=nc %h %p' host", "local",
                                            "k8s://a/b/c"};

    (void)state;
    for (size_t i = 0; i < COUNT(addresses); i++) {
        errand_road *road = NULL;
        char *name = NULL;
        errand_error error = {0};
        assert_int_equal(errand__road_from_address(&road, &name, addresses[i], NULL, &error),
                         ERRAND_OK);
        assert_name(name, name, road->ops->name);
        road->ops->free(road);
        errand__mem_free(name);
    }
}

#define KNOWN                                                                           \
    "it can be local[?jail], exec:ARGV, shell:ARGV, ssh://[USER@]HOST, docker://NAME, " \
    "docker+run://IMAGE, the same of podman, k8s://NAMESPACE/POD, e2b://TEMPLATE, e2b:ID"

static void test_address__no_address(void **state)
{
    (void)state;
    assert_refused("", "place: no address was given; " KNOWN);
    assert_refused(":x", "place: no address was given; " KNOWN);
    assert_refused("locale", "place: \"locale\" is not a kind of place; " KNOWN);
    assert_refused("Local", "place: \"Local\" is not a kind of place; " KNOWN);
    assert_refused("local ", "place: \"local\" is not a kind of place; " KNOWN);
    assert_refused("docker:box", "place: \"docker:\" is not a kind of place; " KNOWN);
    /* All of it has room, however long that is. */
    assert_refused("an-address-that-is-much-longer-than-any-kind-of-place:x",
                   "place: \"an-address-that-is-much-longer:\" is not a kind of place; " KNOWN);
    /* A password is not repeated. */
    assert_refused("http://me:secret@host", "place: \"http:\" is not a kind of place; " KNOWN);
}

#define SSH_FORM "; ssh://[USER@]HOST[:PORT] is wanted, an IPv6 address in brackets"

static void test_address__ssh(void **state)
{
    (void)state;
    assert_ssh_name("ssh://host", "ssh://host");
    assert_ssh_name("ssh://me@host:2222", "ssh://me@host:2222");
    assert_ssh_name("ssh://[::1]", "ssh://[::1]");
    assert_ssh_name("ssh://me@[fe80::1]:22", "ssh://me@[fe80::1]:22");
    assert_ssh_name("ssh://a@b@host", "ssh://a@b@host"); /* Users of a domain. */
    assert_refused("ssh://me:secret@host",
                   "place: a password does not belong into an address" SSH_FORM);
    static const char *const bad_hosts[] = {
        "ssh://",      "ssh://me@",       "ssh://-oProxyCommand=x",
        "ssh://me@-x", "ssh://::1",       "ssh://a:b:c",
        "ssh://[",     "ssh://[]",        "ssh://[host]",
        "ssh://a b",   "ssh://host/path", "ssh://ho\nst",
        "ssh://$(x)"};
    for (size_t i = 0; i < COUNT(bad_hosts); i++)
        assert_refused(bad_hosts[i], "place: that host is none" SSH_FORM);
    static const char *const bad_users[] = {"ssh://-l@host", "ssh://@host", "ssh://a b@host",
                                            "ssh://`x`@host"};
    for (size_t i = 0; i < COUNT(bad_users); i++)
        assert_refused(bad_users[i], "place: that user is none" SSH_FORM);
    static const char *const bad_ports[] = {"ssh://host:",  "ssh://host:0", "ssh://host:65536",
                                            "ssh://host:x", "ssh://[::1]x", "ssh://host:22x"};
    for (size_t i = 0; i < COUNT(bad_ports); i++)
        assert_refused(bad_ports[i], "place: that port is none" SSH_FORM);
}

static void test_address__no_command(void **state)
{
    static const char text[] = "place: no command after the colon, such as \"docker exec -i box\"";

    (void)state;
    assert_refused("exec:", text);
    assert_refused("exec:   ", text);
    assert_refused("shell:", text);
    assert_refused("exec:''", text);
}

static void test_address__quotes_without_partner(void **state)
{
    (void)state;
    assert_refused("exec:a 'b", "place: a ' has no partner");
    assert_refused("exec:a \"b", "place: a \" has no partner");
    assert_refused("exec:a \"b\\", "place: a \" has no partner");
    assert_refused("exec:a \\", "place: a \\ at the end quotes nothing");
    assert_refused("exec:a\nb", "place: a line break outside of quotes");
}

static void test_address__options_can_t_be_smuggled(void **state)
{
    static const char *const names[] = {"",   "-x", "--privileged", "a b", "a/b", "a\nb",
                                        "a'", "$x", ".a",           "_a",  "bäx", "a?b=c"};
    char address[64], expected[256];

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        char shown[32];
        (void)snprintf(shown, sizeof(shown), "%s", names[i]);
        for (char *at = shown; *at != '\0'; at++)
            *at = (char)(*at == '\n' ? ' ' : *at);
        (void)snprintf(address, sizeof(address), "docker://%s", names[i]);
        (void)snprintf(expected, sizeof(expected),
                       "place: \"%s\" is no name of a container: letters, digits, _ . - are, "
                       "such as docker://box",
                       shown);
        assert_refused(address, expected);
    }
}

static void test_address__no_pod(void **state)
{
    static const char *const rests[] = {
        "",        "a",    "a/",   "/a",     "a/b/",  "a/b/c/",           "a//b",
        "a/b/c/d", "-n/b", "a/-b", "a/b/-c", "a/b c", "a/b/c/d/e/f/g/h/i"};
    char address[64], expected[256];

    (void)state;
    for (size_t i = 0; i < COUNT(rests); i++) {
        (void)snprintf(address, sizeof(address), "k8s://%s", rests[i]);
        (void)snprintf(expected, sizeof(expected),
                       "place: \"%s\" is no pod: k8s://NAMESPACE/POD or "
                       "k8s://NAMESPACE/POD/CONTAINER is",
                       rests[i]);
        assert_refused(address, expected);
    }
}

static void test_address__sizes_have_an_end(void **state)
{
    enum { ROOM = 80 * 1024 };
    static char text[ROOM];
    size_t len = 0;

    (void)state;
    memcpy(text, "exec:", 5);
    memset(text + 5, 'a', WORDS_BYTES_MOST);
    text[5 + WORDS_BYTES_MOST] = '\0';
    assert_name(text, text, "exec");
    memset(text + 5, 'a', WORDS_BYTES_MOST + 1);
    text[6 + WORDS_BYTES_MOST] = '\0';
    assert_refused(text, "place: longer than 65536 bytes");

    memset(text, 0, sizeof(text));
    memcpy(text, "exec:", 5);
    for (len = 5; len < 5 + 2 * WORDS_MOST; len += 2)
        memcpy(text + len, "a ", 2);
    text[len - 1] = '\0';
    assert_name(text, text, "exec");
    memcpy(text + len - 1, " a", 2);
    assert_refused(text, "place: more than 1000 words");

    memcpy(text, "docker://", 9);
    memset(text + 9, 'a', 300);
    text[309] = '\0';
    errand_road *road = NULL;
    char *name = NULL;
    errand_error error = {0};
    assert_int_equal(errand__road_from_address(&road, &name, text, NULL, &error), ERRAND_EINVAL);
    assert_true(strlen(error.text) < sizeof(error.text));
}

static void test_address__the_worst_quoting_fits(void **state)
{
    static char text[6 + WORDS_BYTES_MOST];
    errand_road *road = NULL;
    char *name = NULL;
    errand_error error = {0};

    (void)state;
    (void)snprintf(text, sizeof(text), "exec:");
    for (size_t i = 5; i + 2 < sizeof(text); i += 2) {
        text[i] = '\\';
        text[i + 1] = '\'';
    }
    assert_int_equal(errand__road_from_address(&road, &name, text, NULL, &error), ERRAND_OK);
    assert_int_equal(strlen(name), 5 + 2 + 4 * (size_t)WORDS_BYTES_MOST / 2);
    road->ops->free(road);
    errand__mem_free(name);
}

static void test_address__survives_without_memory(void **state)
{
    (void)state;
    for (long allowed = 0;; allowed++) {
        errand_road *road = NULL;
        char *name = NULL;
        errand_error error = {0};
        errand__mem_countdown = allowed;
        errand_status status = errand__road_from_address(&road, &name, "k8s://a/b/c", NULL, &error);
        errand__mem_countdown = -1;
        if (status == ERRAND_OK) {
            assert_true(allowed > 5);
            road->ops->free(road);
            errand__mem_free(name);
            return;
        }
        assert_int_equal(status, ERRAND_ENOMEM);
        assert_null(road);
        assert_null(name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_address__what_it_stands_for),
        cmocka_unit_test(test_address__quotes_are_those_of_a_shell),
        cmocka_unit_test(test_address__a_name_reads_as_the_same_address),
        cmocka_unit_test(test_address__no_address),
        cmocka_unit_test(test_address__ssh),
        cmocka_unit_test(test_address__no_command),
        cmocka_unit_test(test_address__quotes_without_partner),
        cmocka_unit_test(test_address__options_can_t_be_smuggled),
        cmocka_unit_test(test_address__no_pod),
        cmocka_unit_test(test_address__sizes_have_an_end),
        cmocka_unit_test(test_address__the_worst_quoting_fits),
        cmocka_unit_test(test_address__survives_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
