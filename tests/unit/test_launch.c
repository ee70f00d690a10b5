/* The launch line as a text: what every shell takes alike, and what stands in front and behind. */
#include "test.h"

#include "base/mem.h"
#include "run/launch.h"

#define MARK "00112233445566778899aabbccddeeff"

static struct launch launch_of(bool file, const char *node)
{
    struct launch launch;
    errand_error err = {0};
    const struct launch_wishes wishes = {.file = file, .node = node, .heap_mb = 512};
    assert_int_equal(errand__launch_init(&launch, MARK, &wishes, &err), ERRAND_OK);
    return launch;
}

static size_t count(const char *text, char what)
{
    size_t found = 0;
    for (const char *p = text; *p != '\0'; p++)
        found += *p == what;
    return found;
}

static void test_launch__line_has_only_what_all_shells_take_alike(void **state)
{
    (void)state;
    for (int file = 0; file <= 1; file++) {
        struct launch launch = launch_of(file == 1, NULL);
        assert_true(strlen(launch.line) < 8000);
        assert_int_equal(count(launch.line, '\\'), 0);
        assert_int_equal(count(launch.line, '!'), 0);
        assert_int_equal(count(launch.line, '\n'), 0);
        /* Script, stage-0 and node: three words in quotes. */
        assert_int_equal(count(launch.line, '\''), 6);
        assert_int_equal(strncmp(launch.line, "exec /bin/sh -c '", 17), 0);
        errand__launch_deinit(&launch);
    }
}

static void test_launch__mark_is_nowhere_whole(void **state)
{
    (void)state;
    for (int file = 0; file <= 1; file++) {
        struct launch launch = launch_of(file == 1, "/opt/my node/bin/node");
        assert_null(strstr(launch.line, MARK));
        assert_non_null(strstr(launch.line, " 0011223344556677 8899aabbccddeeff "));
        assert_non_null(strstr(launch.line, errand__runner_sha256));
        assert_non_null(strstr(launch.line, " '/opt/my node/bin/node'"));
        errand__launch_deinit(&launch);
    }
}

static void test_launch__head_brings_the_runner_only_where_it_is_to(void **state)
{
    (void)state;
    static const char half[] = "\n\n0011223344556677\n";
    struct launch by_stdin = launch_of(false, NULL), by_file = launch_of(true, NULL);
    assert_int_equal(by_stdin.head_len, by_file.head_len + errand__runner.len);
    assert_memory_equal(by_stdin.head, by_file.head, by_file.head_len);
    assert_memory_equal(by_file.head + by_file.head_len - strlen(half), half, strlen(half));
    assert_memory_equal(by_stdin.head + by_file.head_len, errand__runner.ptr, errand__runner.len);
    assert_span(span_of(by_stdin.tail, by_stdin.tail_len), "0011223344556677.\n");
    assert_span(span_of(by_file.tail, by_file.tail_len), "0011223344556677.\n");
    errand__launch_deinit(&by_stdin);
    errand__launch_deinit(&by_file);
}

static void test_launch__node_paths_that_no_shell_could_be_given_are_refused(void **state)
{
    (void)state;
    char endless[2000];
    memset(endless, 'x', sizeof(endless) - 1);
    endless[sizeof(endless) - 1] = '\0';
    const char *const bad[] = {"",   "it's",      "back\\slash", "bang!", "line\nbreak",
                               "-e", "tab\there", "del\x7f",     endless};
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct launch launch;
        errand_error err = {0};
        const struct launch_wishes wishes = {.node = bad[i], .heap_mb = 512};
        assert_int_equal(errand__launch_init(&launch, MARK, &wishes, &err), ERRAND_EINVAL);
        assert_int_equal(strncmp(err.text, "launch: the path of node ", 25), 0);
        assert_null(launch.line);
        errand__launch_deinit(&launch);
    }
}

static void test_launch__no_memory_leaves_nothing(void **state)
{
    (void)state;
    bool done = false;
    for (long allowed = 0; !done; allowed++) {
        assert_true(allowed < 100);
        struct launch launch;
        errand_error err = {0};
        errand__mem_countdown = allowed;
        const struct launch_wishes wishes = {.heap_mb = 512};
        errand_status status = errand__launch_init(&launch, MARK, &wishes, &err);
        errand__mem_countdown = -1;
        done = status == ERRAND_OK;
        if (!done)
            assert_int_equal(status, ERRAND_ENOMEM);
        errand__launch_deinit(&launch);
    }
}

static void test_launch__what_is_embedded_is_whole(void **state)
{
    (void)state;
    assert_true(errand__runner.len > 1000);
    assert_true(errand__runner.len < 64 * 1024);
    assert_int_equal(strlen(errand__runner_sha256), 64);
    assert_true(errand__assets_count <= CORE_ASSETS_MOST);
    for (size_t i = 0; i < errand__assets_count; i++) {
        const struct core_asset *asset = &errand__assets[i];
        assert_int_equal(strlen(asset->name.ptr), asset->name.len);
        assert_int_equal(strlen(errand__assets_sha256[i]), 64);
        assert_true(asset->payload.len > 1000);
        assert_int_equal(asset->payload.ptr[0], '"');
        assert_int_equal(asset->payload.ptr[asset->payload.len - 1], '"');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launch__line_has_only_what_all_shells_take_alike),
        cmocka_unit_test(test_launch__mark_is_nowhere_whole),
        cmocka_unit_test(test_launch__head_brings_the_runner_only_where_it_is_to),
        cmocka_unit_test(test_launch__node_paths_that_no_shell_could_be_given_are_refused),
        cmocka_unit_test(test_launch__no_memory_leaves_nothing),
        cmocka_unit_test(test_launch__what_is_embedded_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
