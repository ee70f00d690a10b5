/* test_ssh_tell.c - the line by which a process tells its number: taken out wherever it is cut, and
 * nothing else is; and how a configuration is read. */
#include "test.h"

#include "base/mem.h"
#include "transport/ssh/config.h"
#include "transport/ssh/tell.h"

#include <stdio.h>

static void test_ssh_tell__taken_out_at_any_cut(void **state)
{
    struct ssh_tell tell;
    char stream[256], got[512], room[256 + SSH_TELL_HELD];
    (void)state;
    for (size_t cut = 1; cut < 80; cut++) {
        AUTO_FREE char *command = errand__ssh_tell_wrap(&tell, "echo 'x'");
        assert_non_null(command);
        int len =
            snprintf(stream, sizeof(stream), "motd %.10s\n%s 4711\nthe rest", tell.word, tell.word);
        size_t got_len = 0;
        for (size_t at = 0; at < (size_t)len; at += cut) {
            size_t piece = (size_t)len - at < cut ? (size_t)len - at : cut;
            memcpy(room, stream + at, piece);
            size_t left = errand__ssh_tell_filter(&tell, room, piece);
            memcpy(got + got_len, room, left);
            got_len += left;
        }
        got[got_len] = '\0';
        assert_int_equal(tell.pid, 4711);
        assert_memory_equal(got, "motd ", 5);
        assert_string_equal(got + 15, "\nthe rest");
    }
}

static void test_ssh_tell__what_only_looks_like_it(void **state)
{
    static const char *const ends[] = {" \n", " 1\n", " x\n", "\n", " 12x\n", " 12345678901234\n"};
    struct ssh_tell tell;
    char room[256 + SSH_TELL_HELD], expected[256];
    (void)state;
    for (size_t i = 0; i < COUNT(ends); i++) {
        AUTO_FREE char *command = errand__ssh_tell_wrap(&tell, "true");
        assert_non_null(command);
        int len = snprintf(expected, sizeof(expected), "%s%s", tell.word, ends[i]);
        memcpy(room, expected, (size_t)len);
        size_t left = errand__ssh_tell_filter(&tell, room, (size_t)len);
        assert_int_equal(tell.pid, 0);
        assert_int_equal(left, len);
        assert_memory_equal(room, expected, left);
    }
}

static void test_ssh_tell__what_was_held_back_comes_at_the_end(void **state)
{
    struct ssh_tell tell;
    char room[64 + SSH_TELL_HELD];
    (void)state;
    AUTO_FREE char *command = errand__ssh_tell_wrap(&tell, "true");
    assert_non_null(command);
    memcpy(room, tell.word, 10);
    assert_int_equal(errand__ssh_tell_filter(&tell, room, 10), 0);
    errand_span rest = errand__ssh_tell_rest(&tell);
    assert_int_equal(rest.len, 10);
    assert_memory_equal(rest.ptr, tell.word, 10);
    assert_int_equal(errand__ssh_tell_rest(&tell).len, 0);
}

static void test_ssh_tell__quotes_once(void **state)
{
    struct ssh_tell tell;
    (void)state;
    AUTO_FREE char *command = errand__ssh_tell_wrap(&tell, "exec sh -c 'a b' c");
    assert_non_null(command);
    assert_non_null(strstr(command, "'exec sh -c '\\''a b'\\'' c'"));
    assert_null(strchr(command, '!'));
    assert_null(strchr(command, '\n'));
}

/* --- Configuration ---------------------------------------------------------------------------- */

static struct ssh_config read_config(const char *text, errand_status expected)
{
    struct ssh_target target;
    struct ssh_config config;
    errand_error error = {0};

    assert_int_equal(errand__ssh_target_parse(&target, "me@Box:2200", &error), ERRAND_OK);
    assert_int_equal(errand__ssh_config_init(&config, &target, "/agent", &error), ERRAND_OK);
    if (text != NULL)
        assert_int_equal(errand__ssh_config_read(&config, span_text(text), &error), expected);
    assert_int_equal(errand__ssh_config_override(&config, &target, &error), ERRAND_OK);
    errand__ssh_target_deinit(&target);
    return config;
}

static void test_ssh_config__defaults(void **state)
{
    (void)state;
    struct ssh_config config = read_config(NULL, ERRAND_OK);
    assert_string_equal(config.hostname, "box");
    assert_string_equal(config.user, "me");
    assert_int_equal(config.port, 2200);
    assert_string_equal(config.agent, "/agent");
    assert_int_equal(config.identities.count, 3);
    AUTO_FREE char *name = errand__ssh_config_known_name(&config);
    assert_string_equal(name, "[box]:2200");
    errand__ssh_config_deinit(&config);
}

static void test_ssh_config__as_the_client_says(void **state)
{
    (void)state;
    struct ssh_config config = read_config(
        "host box\nuser you\nhostname 10.0.0.7\nport 22\nidentityfile /keys/%r@%h\n"
        "identityfile none\nuserknownhostsfile /a /b\nglobalknownhostsfile /c none\n"
        "proxyjump hop\nproxycommand none\nidentityagent none\nserveraliveinterval 7\n"
        "serveralivecountmax 2\nconnecttimeout none\nidentitiesonly yes\nhashknownhosts yes\n"
        "unheardof thing\nlonely\n",
        ERRAND_OK);
    assert_string_equal(config.hostname, "10.0.0.7");
    assert_string_equal(config.user, "you");
    assert_int_equal(config.identities.count, 1);
    assert_string_equal(config.identities.list[0], "/keys/you@10.0.0.7");
    assert_int_equal(config.known_files.count, 3);
    assert_int_equal(config.user_files, 2);
    assert_string_equal(config.proxy_jump, "hop");
    assert_null(config.proxy_command);
    assert_null(config.agent);
    assert_int_equal(config.alive_s, 7);
    assert_int_equal(config.alive_count, 2);
    assert_int_equal(config.connect_s, 0);
    assert_true(config.identities_only);
    assert_true(config.hash_hosts);
    AUTO_FREE char *name = errand__ssh_config_known_name(&config);
    assert_string_equal(name, "10.0.0.7");
    errand__ssh_config_deinit(&config);
}

static void test_ssh_config__no_configuration(void **state)
{
    static const char *const texts[] = {"", "Usage: ssh\n", "\n\n"};
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct ssh_config config = read_config(texts[i], ERRAND_EIO);
        errand__ssh_config_deinit(&config);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ssh_tell__taken_out_at_any_cut),
        cmocka_unit_test(test_ssh_tell__what_only_looks_like_it),
        cmocka_unit_test(test_ssh_tell__what_was_held_back_comes_at_the_end),
        cmocka_unit_test(test_ssh_tell__quotes_once),
        cmocka_unit_test(test_ssh_config__defaults),
        cmocka_unit_test(test_ssh_config__as_the_client_says),
        cmocka_unit_test(test_ssh_config__no_configuration),
    };
    return cmocka_run_group_tests_name("ssh, told and configured", tests, NULL, NULL);
}
