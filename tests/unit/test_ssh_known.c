/* test_ssh_known.c - known_hosts as text: names, patterns, ports, hashes, markers, kinds. */
#include "test.h"

#include "base/mem.h"
#include "transport/ssh/digest.h"
#include "transport/ssh/known.h"

#include <stdio.h>

/* Two keys of one kind and one of another, as base64 and as they travel. */
#define ED_A "AAAAC3NzaC1lZDI1NTE5AAAAIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g"
#define ED_B "AAAAC3NzaC1lZDI1NTE5AAAAICAfHh0cGxoZGBcWFRQTEhEQDw4NDAsKCQgHBgUEAwIB"
#define RSA  "AAAAB3NzaC1yc2EAAAADAQABAAAABAECAwQ="

static struct ssh_known *read_all(const char *text, const char *name)
{
    struct ssh_known *known = errand__mem_new(1, sizeof(*known));

    assert_non_null(known);
    assert_true(errand__ssh_known_read(known, span_text(text), "file", name));
    return known;
}

static void drop(struct ssh_known *known)
{
    errand__ssh_known_deinit(known);
    errand__mem_free(known);
}

static void assert_verdict(const char *text, const char *name, const char *key,
                           enum ssh_known_verdict expected, unsigned line)
{
    unsigned char blob[256];
    const struct ssh_known_key *which = NULL;
    struct ssh_known *known = read_all(text, name);
    size_t len = errand__ssh_base64_decode(blob, sizeof(blob), span_text(key));

    assert_true(len < sizeof(blob));
    enum ssh_known_verdict verdict = errand__ssh_known_judge(known, span_of(blob, len), &which);
    if (verdict != expected || (which == NULL ? 0 : which->line) != line)
        fail_msg("%s of %s: %d, line %u", name, text, (int)verdict,
                 which == NULL ? 0 : which->line);
    drop(known);
}

static void test_ssh_known__same_changed_or_not(void **state)
{
    (void)state;
    assert_verdict("", "host", ED_A, SSH_KNOWN_NOT, 0);
    assert_verdict("host ssh-ed25519 " ED_A "\n", "host", ED_A, SSH_KNOWN_SAME, 1);
    assert_verdict("host ssh-ed25519 " ED_A, "host", ED_A, SSH_KNOWN_SAME, 1);
    assert_verdict("host ssh-ed25519 " ED_A " a comment\r\n", "host", ED_A, SSH_KNOWN_SAME, 1);
    assert_verdict("\n# host\nhost ssh-ed25519 " ED_A "\n", "host", ED_B, SSH_KNOWN_CHANGED, 3);
    assert_verdict("other ssh-ed25519 " ED_A "\n", "host", ED_A, SSH_KNOWN_NOT, 0);
    assert_verdict("host ssh-rsa " RSA "\nhost ssh-ed25519 " ED_A "\n", "host", ED_A,
                   SSH_KNOWN_SAME, 2);
    /* Named is the line of the same kind. */
    assert_verdict("host ssh-rsa " RSA "\nhost ssh-ed25519 " ED_A "\n", "host", ED_B,
                   SSH_KNOWN_CHANGED, 2);
    assert_verdict("host ssh-rsa " RSA "\n", "host", ED_B, SSH_KNOWN_CHANGED, 1);
}

static void test_ssh_known__names(void **state)
{
    static const struct {
        const char *field, *name;
        bool fits;
    } cases[] = {{"host", "host", true},
                 {"HOST", "host", true},
                 {"a,host,b", "host", true},
                 {"ho?t", "host", true},
                 {"*", "host", true},
                 {"*.example.com", "a.example.com", true},
                 {"*.example.com", "example.com", false},
                 {"h*t*", "host.t", true},
                 {"*,!host", "host", false},
                 {"!host,*", "host", false},
                 {"hos", "host", false},
                 {"hosts", "host", false},
                 {"[host]:22", "host", false},
                 {"[host]:2222", "[host]:2222", true},
                 {"[host]:2223", "[host]:2222", false},
                 {"host", "[host]:2222", true}, /* If only for yes. */
                 {",", "host", false}};
    char line[256];
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        (void)snprintf(line, sizeof(line), "%s ssh-ed25519 " ED_A "\n", cases[i].field);
        assert_verdict(line, cases[i].name, ED_A, cases[i].fits ? SSH_KNOWN_SAME : SSH_KNOWN_NOT,
                       cases[i].fits ? 1 : 0);
    }
}

/* A key that is known without the port is good for yes and not for no. */
static void test_ssh_known__without_the_port(void **state)
{
    (void)state;
    assert_verdict("host ssh-ed25519 " ED_A "\n", "[host]:2222", ED_B, SSH_KNOWN_NOT, 0);
    assert_verdict("host ssh-ed25519 " ED_A "\n[host]:2222 ssh-ed25519 " ED_B "\n", "[host]:2222",
                   ED_B, SSH_KNOWN_SAME, 2);
}

static void test_ssh_known__marks(void **state)
{
    (void)state;
    assert_verdict("host ssh-ed25519 " ED_A "\n@revoked * ssh-ed25519 " ED_A "\n", "host", ED_A,
                   SSH_KNOWN_REVOKED, 2);
    assert_verdict("@revoked host ssh-ed25519 " ED_A "\n", "host", ED_B, SSH_KNOWN_NOT, 0);
    assert_verdict("@cert-authority host ssh-ed25519 " ED_A "\n", "host", ED_A, SSH_KNOWN_NOT, 0);
    assert_verdict("@unheard-of host ssh-ed25519 " ED_A "\n", "host", ED_A, SSH_KNOWN_NOT, 0);
}

/* Made by ssh-keygen -H. */
static void test_ssh_known__hashed(void **state)
{
    char line[512], salt_text[64], hash_text[64];
    unsigned char hash[SSH_SHA1_LEN];
    static const char salt[] = "twenty bytes of salt";
    (void)state;
    errand__ssh_hmac_sha1(hash, span_of(salt, 20), SPAN_LITERAL("[host]:2222"));
    assert_true(errand__ssh_base64_encode(salt_text, sizeof(salt_text), span_of(salt, 20)));
    assert_true(errand__ssh_base64_encode(hash_text, sizeof(hash_text), span_of(hash, 20)));
    (void)snprintf(line, sizeof(line), "|1|%s|%s ssh-ed25519 " ED_A "\n", salt_text, hash_text);
    assert_verdict(line, "[host]:2222", ED_A, SSH_KNOWN_SAME, 1);
    assert_verdict(line, "[host]:2222", ED_B, SSH_KNOWN_CHANGED, 1);
    assert_verdict(line, "host", ED_A, SSH_KNOWN_NOT, 0);
    assert_verdict("|1|||", "host", ED_A, SSH_KNOWN_NOT, 0);
    assert_verdict("|1|x|y ssh-ed25519 " ED_A "\n", "host", ED_A, SSH_KNOWN_NOT, 0);
    assert_verdict("|1| ssh-ed25519 " ED_A "\n", "host", ED_A, SSH_KNOWN_NOT, 0);
}

static void test_ssh_known__lines_that_make_no_sense(void **state)
{
    static const char *const lines[] = {"host",
                                        "host ssh-ed25519",
                                        "host ssh-ed25519 !!!!",
                                        ("host ssh-rsa " ED_A),
                                        ("host " ED_A),
                                        "host ssh-ed25519 AAAA",
                                        "@revoked",
                                        "@revoked host",
                                        " \t ",
                                        "host 1024 35 1234"};
    (void)state;
    for (size_t i = 0; i < COUNT(lines); i++)
        assert_verdict(lines[i], "host", ED_A, SSH_KNOWN_NOT, 0);
}

static void test_ssh_known__kinds(void **state)
{
    (void)state;
    struct ssh_known *known =
        read_all("host ssh-ed25519 " ED_A "\n@revoked host ssh-rsa " RSA "\n", "host");
    assert_true(errand__ssh_known_has_type(known, "ssh-ed25519"));
    assert_false(errand__ssh_known_has_type(known, "ssh-rsa"));
    drop(known);
}

/* RFC 2202 and RFC 4648. */
static void test_ssh_digest__as_the_standards_say(void **state)
{
    static const unsigned char jefe[] = {0xef, 0xfc, 0xdf, 0x6a, 0xe5, 0xeb, 0x2f,
                                         0xa2, 0xd2, 0x74, 0x16, 0xd5, 0xf1, 0x84,
                                         0xdf, 0x9c, 0x25, 0x9a, 0x7c, 0x79};
    static const char *const pairs[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
    unsigned char out[64];
    char text[64];
    (void)state;
    errand__ssh_hmac_sha1(out, SPAN_LITERAL("Jefe"), SPAN_LITERAL("what do ya want for nothing?"));
    assert_memory_equal(out, jefe, sizeof(jefe));
    for (size_t i = 0; i < COUNT(pairs); i++) {
        assert_true(errand__ssh_base64_encode(text, sizeof(text), span_text(pairs[i][0])));
        assert_string_equal(text, pairs[i][1]);
        size_t len = errand__ssh_base64_decode(out, sizeof(out), span_text(pairs[i][1]));
        assert_int_equal(len, strlen(pairs[i][0]));
        assert_memory_equal(out, pairs[i][0], len);
    }
    assert_true(errand__ssh_base64_decode(out, 1, SPAN_LITERAL("Zm9v")) == SIZE_MAX);
    assert_true(errand__ssh_base64_decode(out, sizeof(out), SPAN_LITERAL("Z*9v")) == SIZE_MAX);
    assert_false(errand__ssh_base64_encode(text, 4, SPAN_LITERAL("foo")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ssh_known__same_changed_or_not),
        cmocka_unit_test(test_ssh_known__names),
        cmocka_unit_test(test_ssh_known__without_the_port),
        cmocka_unit_test(test_ssh_known__marks),
        cmocka_unit_test(test_ssh_known__hashed),
        cmocka_unit_test(test_ssh_known__lines_that_make_no_sense),
        cmocka_unit_test(test_ssh_known__kinds),
        cmocka_unit_test(test_ssh_digest__as_the_standards_say),
    };
    return cmocka_run_group_tests_name("known hosts", tests, NULL, NULL);
}
