/* test_files.c - files to a place and back, over the road that the command line names:
 * test_files ADDRESS [ROOT]. For e2b: the test server is started. ROOT: a folder over there that
 * may be written to. Of ssh://box a real sshd is started: test_files ssh://box sftp, with a file
 * service, or with the login shell that is named instead and no such service. */
#include "post.h"

#include "cloud.h"
#include "sshd.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *address = "local", *root = "/tmp";
static const char *login; /* "sftp" or a shell; NULL: no sshd. */
static struct sshd host;
static struct cloud cloud;

static int setup(void **state)
{
    struct post *post = calloc(1, sizeof(*post));

    assert_non_null(post);
    const char *nodes = getenv("ERRAND_TEST_NODES");
    if (nodes != NULL && strncmp(address, "docker", 6) != 0)
        (void)snprintf(post->node, sizeof(post->node), "%.*s", (int)strcspn(nodes, ":"), nodes);
    (void)snprintf(post->config, sizeof(post->config), "%s",
                   login == NULL ? "" : sshd_file(&host, "config"));
    post_open(post, address, root);
    *state = post;
    return 0;
}

static int teardown(void **state)
{
    post_close(*state);
    free(*state);
    return 0;
}

static int begin(void **state)
{
    (void)state;
    if (strncmp(address, "e2b:", 4) == 0)
        cloud_start(&cloud, NULL);
    if (login == NULL)
        return 0;
    bool shell = strcmp(login, "sftp") != 0;
    sshd_start(&host, shell ? "" : "Subsystem sftp internal-sftp");
    const char *const argv[] = {"usermod", "-s", login, host.user, NULL};
    if (shell && host.made_user)
        assert_true(sshd_command(argv));
    return 0;
}

static int finish(void **state)
{
    (void)state;
    if (login != NULL)
        sshd_end(&host);
    if (strncmp(address, "e2b:", 4) == 0)
        cloud_end(&cloud);
    return 0;
}

/* Names in a folder, here and over there, that are not hidden from a careful eye. */
static void expect_there(struct post *post, const char *json)
{
    char program[512];

    (void)snprintf(program, sizeof(program), "return require('fs').readdirSync('%s').sort()",
                   post->there);
    post_expect(post, program, json);
}

/* format has one %s; static. */
static const char *program_on(const char *format, const char *folder)
{
    static char program[1024];
    const char *at = strstr(format, "%s");

    (void)snprintf(program, sizeof(program), "%.*s%s%s", (int)(at - format), format, folder,
                   at + 2);
    return program;
}

static void expect_nothing_here_but(const struct post *post, const char *name)
{
    DIR *folder = opendir(post->here);

    assert_non_null(folder);
    for (const struct dirent *entry = NULL; (entry = readdir(folder)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            assert_string_equal(entry->d_name, name);
    }
    (void)closedir(folder);
}

static void round_trip(struct post *post, size_t size, unsigned mode)
{
    const char *here = post_path(post->here, "here"), *back = post_path(post->here, "back");
    const char *there = post_path(post->there, "file");

    post_write(here, size, mode);
    struct posted put = post_put(post, here, there);
    assert_string_equal(put.error, "");
    assert_int_equal(put.bytes, size);
    struct posted got = post_get(post, there, back);
    assert_string_equal(got.error, "");
    assert_int_equal(got.bytes, size);
    post_check(back, size, mode);
    assert_int_equal(unlink(back), 0);
    expect_there(post, "[\"file\"]");
    expect_nothing_here_but(post, "here");
}

static void test_files__sizes_and_modes_are_kept(void **state)
{
    static const size_t sizes[] = {0, 1, 65535, 65536, 65537, 300000};
    static const unsigned modes[] = {0600, 0644, 0755, 0400, 0666, 0711};

    for (size_t i = 0; i < COUNT(sizes); i++)
        round_trip(*state, sizes[i], modes[i]);
}

static void test_files__sixty_mebibytes(void **state)
{
    round_trip(*state, (size_t)60 << 20, 0644);
}

static void test_files__odd_names(void **state)
{
    static const char *const names[] = {
        " a b ",
        "it's",
        "\"q\"",
        "$(id)`id`$HOME",
        "back\\slash\\0101",
        "line\nbreak\n",
        "gr\xc3\xbc\xc3\x9f",
        "-rf",
        "*?[a]",
        ";&|<>!#~",
        "%s%b",
        "a\tb",
    };
    struct post *post = *state;
    const char *here = post_path(post->here, "here"), *back = post_path(post->here, "back");
    char long_name[256];

    memset(long_name, 'n', 255);
    long_name[255] = '\0';
    post_write(here, 10, 0644);
    for (size_t i = 0; i <= COUNT(names); i++) {
        const char *name = i < COUNT(names) ? names[i] : long_name;
        assert_string_equal(post_put(post, here, post_path(post->there, name)).error, "");
        assert_string_equal(post_get(post, post_path(post->there, name), back).error, "");
        post_check(back, 10, 0644);
    }
    char program[512];
    (void)snprintf(program, sizeof(program),
                   "return require('fs').readdirSync('%s').map((name) => name.length)"
                   ".reduce((a, b) => a + b)",
                   post->there);
    post_expect(post, program, "334");
}

static void test_files__what_begins_with_a_dash_is_no_option(void **state)
{
    struct post *post = *state;
    const char *back = post_path(post->here, "back");

    struct posted got = post_get(post, "-rf", back);
    assert_string_equal(got.code, "not_found");
    assert_string_equal(got.error, "get ./-rf: no such file over there");
}

static void test_files__a_file_is_replaced_as_a_whole(void **state)
{
    struct post *post = *state;
    const char *here = post_path(post->here, "here"), *there = post_path(post->there, "file");

    post_write(here, 100000, 0600);
    assert_true(post_put(post, here, there).ok);
    post_write(here, 5, 0755);
    assert_true(post_put(post, here, there).ok);
    const char *back = post_path(post->here, "back");
    post_write(back, 9, 0600);
    assert_true(post_get(post, there, back).ok);
    post_check(back, 5, 0755);
}

static void test_files__what_fails_there_says_why(void **state)
{
    struct post *post = *state;
    const char *here = post_path(post->here, "here"), *back = post_path(post->here, "back");
    char long_path[4000];

    post_write(here, 1000, 0644);
    struct posted put = post_put(post, here, post->there);
    assert_string_equal(put.code, "is_folder");
    put = post_put(post, here, post_path(post->there, "missing/file"));
    assert_string_equal(put.code, "no_folder");
    assert_non_null(strstr(put.error, "no such folder over there"));
    struct posted got = post_get(post, post_path(post->there, "missing"), back);
    assert_string_equal(got.code, "not_found");
    assert_non_null(strstr(got.error, "no such file over there"));
    got = post_get(post, post->there, back);
    assert_string_equal(got.code, "is_folder");
    got = post_get(post, "/dev/null", back);
    assert_string_equal(got.code, "no_file");
    memset(long_path, 'x', sizeof(long_path));
    memcpy(long_path, "/tmp/", 5);
    long_path[sizeof(long_path) - 1] = '\0';
    put = post_put(post, here, long_path);
    assert_false(put.ok);
    expect_there(post, "[]");
    expect_nothing_here_but(post, "here");
}

static void test_files__what_is_no_file_is_not_replaced(void **state)
{
    static const char *const names[] = {"pipe", "to_pipe", "folder", "to_folder"};
    struct post *post = *state;
    const char *here = post_path(post->here, "here");

    post_write(here, 10, 0644);
    post_expect(post,
                program_on("const {execSync} = require('child_process');"
                           "execSync('cd %s; mkfifo pipe; mkdir folder; ln -s pipe to_pipe;"
                           "ln -s folder to_folder; ln -s file to_file; ln -s no to_none');"
                           "return 1",
                           post->there),
                "1");
    for (size_t i = 0; i < COUNT(names); i++) {
        struct posted put = post_put(post, here, post_path(post->there, names[i]));
        assert_string_equal(put.code, strstr(names[i], "pipe") != NULL ? "no_file" : "is_folder");
        assert_non_null(strstr(put.error, "that is "));
    }
    assert_true(post_put(post, here, post_path(post->there, "file")).ok);
    assert_true(post_put(post, here, post_path(post->there, "to_file")).ok);
    assert_true(post_put(post, here, post_path(post->there, "to_none")).ok);
    post_expect(post,
                program_on("const fs = require('fs');"
                           "return fs.readdirSync('%s', {withFileTypes: true})"
                           ".map((e) => e.name + e.isFile() + e.isFIFO()).sort()",
                           post->there),
                "[\"filetruefalse\",\"folderfalsefalse\",\"pipefalsetrue\","
                "\"to_filetruefalse\",\"to_folderfalsefalse\",\"to_nonetruefalse\","
                "\"to_pipefalsefalse\"]");
}

static void test_files__what_is_no_file_here_is_not_replaced(void **state)
{
    static const char *const names[] = {"to_pipe", "to_device", "pipe", "device"};
    struct post *post = *state;
    const char *here = post_path(post->here, "here"), *there = post_path(post->there, "file");
    errand_error error = {0};
    struct stat facts;
    uint64_t id = 0;

    post_write(here, 10, 0644);
    assert_true(post_put(post, here, there).ok);
    assert_int_equal(mkfifo(post_path(post->here, names[2]), 0600), 0);
    if (mknod(post_path(post->here, names[3]), S_IFCHR | 0600, makedev(1, 3)) != 0)
        assert_int_equal(mkfifo(post_path(post->here, names[3]), 0600), 0);
    assert_int_equal(symlink(names[2], post_path(post->here, names[0])), 0);
    assert_int_equal(symlink(names[3], post_path(post->here, names[1])), 0);
    for (size_t i = 0; i < COUNT(names); i++) {
        const char *into = post_path(post->here, names[i]);
        assert_true(errand_place_get(post->place, there, into, NULL, NULL, &error) < 0);
        assert_non_null(strstr(error.text, "that is no regular file"));
        assert_int_equal(lstat(into, &facts), 0);
        assert_false(S_ISREG(facts.st_mode));
        assert_int_equal(unlink(into), 0);
    }
    /* One that turns up on the way is left as it is too. */
    const char *late = post_path(post->here, "late");
    assert_int_equal(errand_place_get(post->place, there, late, NULL, &id, &error), ERRAND_OK);
    assert_int_equal(mkfifo(late, 0600), 0);
    struct posted got = post_wait(post, id);
    assert_string_equal(got.code, "local_file");
    assert_non_null(strstr(got.error, "late: that is no regular file"));
    assert_int_equal(lstat(late, &facts), 0);
    assert_true(S_ISFIFO(facts.st_mode));
    assert_int_equal(unlink(late), 0);
    expect_nothing_here_but(post, "here");
}

static void expect_put_refused(struct post *post, const char *local, const char *remote,
                               const char *text)
{
    errand_error error = {0};
    uint64_t id = 0;

    assert_true(errand_place_put(post->place, local, remote, NULL, &id, &error) < 0);
    if (strstr(error.text, text) == NULL)
        fail_msg("%s, not: %s", text, error.text);
}

static void test_files__what_fails_here_is_told_at_once(void **state)
{
    struct post *post = *state;
    const char *here = post_path(post->here, "here");
    char long_path[5000];
    errand_error error = {0};

    post_write(here, 1000, 0644);
    expect_put_refused(post, post_path(post->here, "none"), "x", "No such file or directory");
    expect_put_refused(post, post->here, "x", "that is a folder");
    expect_put_refused(post, "/dev/zero", "x", "that is no regular file");
    expect_put_refused(post, here, "", "no path over there");
    expect_put_refused(post, here, "/tmp/", "names a folder");
    memset(long_path, 'x', sizeof(long_path));
    long_path[sizeof(long_path) - 1] = '\0';
    expect_put_refused(post, here, long_path, "a path over there of 4999 bytes; 4093 is the most");
    assert_true(errand_place_get(post->place, "x", post->here, NULL, NULL, &error) < 0);
    assert_non_null(strstr(error.text, "Is a directory"));
    assert_true(
        errand_place_get(post->place, "x", post_path(post->here, "no/x"), NULL, NULL, &error) < 0);
    assert_non_null(strstr(error.text, "No such file or directory"));
    errand_transfer_options options = ERRAND_TRANSFER_OPTIONS_INIT;
    options.max_bytes = 999;
    assert_int_equal(errand_place_put(post->place, here, "x", &options, NULL, &error),
                     ERRAND_ELIMIT);
}

/* Files that are not stored say that they are empty. */
static void test_files__what_has_no_size_comes_whole_or_not_at_all(void **state)
{
    struct post *post = *state;
    const char *here = post_path(post->here, "here"), *back = post_path(post->here, "back");
    char program[256];

    expect_put_refused(post, "/proc/version", "x", "it holds more than its size says");
    struct posted got = post_get(post, "/proc/version", back);
    if (got.ok) {
        (void)snprintf(program, sizeof(program),
                       "return require('fs').readFileSync('/proc/version').length === %d",
                       (int)got.bytes);
        post_expect(post, program, "true");
        assert_int_equal(unlink(back), 0);
    } else {
        assert_string_equal(got.code, "changed");
        assert_non_null(strstr(got.error, "it holds more or less than its size says"));
    }
    post_write(here, 10, 0644);
    expect_nothing_here_but(post, "here");
}

static void test_files__what_grows_while_it_is_put_is_refused(void **state)
{
    struct post *post = *state;
    const char *here = post_path(post->here, "here"), *there = post_path(post->there, "file");
    errand_error error = {0};
    uint64_t id = 0;

    post_write(here, 300000, 0644);
    assert_int_equal(errand_place_put(post->place, here, there, NULL, &id, &error), ERRAND_OK);
    post_write(here, 300001, 0644);
    assert_string_equal(post_wait(post, id).code, "changed");
    expect_there(post, "[]");
}

static void test_files__larger_than_asked_for_does_not_come(void **state)
{
    struct post *post = *state;
    const char *here = post_path(post->here, "here"), *there = post_path(post->there, "file");
    errand_transfer_options options = ERRAND_TRANSFER_OPTIONS_INIT;
    errand_error error = {0};
    uint64_t id = 0;

    post_write(here, 1000, 0644);
    assert_true(post_put(post, here, there).ok);
    options.max_bytes = 999;
    assert_int_equal(
        errand_place_get(post->place, there, post_path(post->here, "back"), &options, &id, &error),
        ERRAND_OK);
    struct posted got = post_wait(post, id);
    assert_string_equal(got.code, "too_large");
    expect_nothing_here_but(post, "here");
}

static void test_files__many_at_once_beside_a_run(void **state)
{
    enum { MANY = 8, SIZE = 200000 };
    struct post *post = *state;
    const char *here = post_path(post->here, "here");
    errand_error error = {0};

    post_write(here, SIZE, 0644);
    for (int i = 0; i < MANY; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "file%d", i);
        assert_int_equal(
            errand_place_put(post->place, here, post_path(post->there, name), NULL, NULL, &error),
            ERRAND_OK);
    }
    post_expect(post, "return 40 + 2", "42");
    const errand_event *event = NULL;
    /* Some are over by now; what counts is that all arrive. */
    for (int i = 0; i < MANY; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "file%d", i);
        struct posted got =
            post_get(post, post_path(post->there, name), post_path(post->here, "here"));
        for (int tries = 0; !got.ok && tries < 50; tries++) {
            assert_string_equal(got.code, "not_found");
            (void)!errand_loop_next(post->loop, 50, &event, &error);
            got = post_get(post, post_path(post->there, name), post_path(post->here, "here"));
        }
        post_check(post_path(post->here, "here"), SIZE, 0644);
    }
}

static void test_files__cancelled_leaves_nothing(void **state)
{
    struct post *post = *state;
    const char *here = post_path(post->here, "here"), *there = post_path(post->there, "file");
    errand_error error = {0};
    uint64_t id = 0;

    post_write(here, (size_t)40 << 20, 0644);
    assert_int_equal(errand_place_put(post->place, here, there, NULL, &id, &error), ERRAND_OK);
    const errand_event *event = NULL;
    assert_int_equal(errand_loop_next(post->loop, 0, &event, &error), ERRAND_AGAIN);
    errand_place_transfer_cancel(post->place, id);
    errand_place_transfer_cancel(post->place, id);
    errand_place_transfer_cancel(post->place, id + 1000);
    struct posted put = post_wait(post, id);
    assert_string_equal(put.code, "cancelled");
    expect_there(post, "[]");
}

/* Whether a shell over there writes the file, on this machine. */
static bool a_shell_writes(void)
{
    return strncmp(address, "exec:", 5) == 0 || strncmp(address, "shell:", 6) == 0 ||
           (login != NULL && strcmp(login, "sftp") != 0);
}

static bool is_empty(const char *folder)
{
    DIR *dir = opendir(folder);
    int names = 0;

    assert_non_null(dir);
    while (readdir(dir) != NULL)
        names++;
    (void)closedir(dir);
    return names == 2;
}

static void wait_until(const char *folder, bool empty)
{
    const struct timespec pause = {.tv_nsec = 2000000};

    for (int i = 0; i < 15000 && is_empty(folder) != empty; i++)
        (void)nanosleep(&pause, NULL);
    assert_int_equal(is_empty(folder), empty);
}

/* Another home, which puts a file until it is ended. */
static void put_for_ever(const struct post *post, const char *here, const char *there)
{
    errand_place_options options = ERRAND_PLACE_OPTIONS_INIT;
    errand_ssh_options ssh = ERRAND_SSH_OPTIONS_INIT;
    const errand_event *event = NULL;
    errand_loop *loop = NULL;
    errand_place *place = NULL;
    errand_error error = {0};

    ssh.config_file = post->config;
    options.ssh = post->config[0] == '\0' ? NULL : &ssh;
    if (errand_loop_new(&loop, &error) != ERRAND_OK ||
        errand_place_open(&place, loop, address, &options, &error) != ERRAND_OK ||
        errand_place_put(place, here, there, NULL, NULL, &error) != ERRAND_OK)
        return;
    while (errand_loop_next(loop, 60000, &event, &error) == ERRAND_OK)
        continue;
}

static void test_files__a_home_that_dies_leaves_nothing(void **state)
{
    struct post *post = *state;
    const char *here = post_path(post->here, "here"), *there = post_path(post->there, "file");

    if (!a_shell_writes())
        return;
    post_write(here, 0, 0644);
    assert_int_equal(truncate(here, (off_t)4 << 30), 0);
    pid_t home = fork();
    assert_true(home >= 0);
    if (home == 0) {
        put_for_ever(post, here, there);
        _exit(0);
    }
    wait_until(post->there, false);
    assert_int_equal(kill(home, SIGKILL), 0);
    assert_int_equal(waitpid(home, NULL, 0), home);
    wait_until(post->there, true);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_files__sizes_and_modes_are_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(test_files__sixty_mebibytes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_files__odd_names, setup, teardown),
        cmocka_unit_test_setup_teardown(test_files__what_begins_with_a_dash_is_no_option, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_files__a_file_is_replaced_as_a_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(test_files__what_fails_there_says_why, setup, teardown),
        cmocka_unit_test_setup_teardown(test_files__what_is_no_file_is_not_replaced, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_files__what_is_no_file_here_is_not_replaced, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_files__what_fails_here_is_told_at_once, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_files__what_has_no_size_comes_whole_or_not_at_all,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_files__what_grows_while_it_is_put_is_refused, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_files__larger_than_asked_for_does_not_come, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_files__many_at_once_beside_a_run, setup, teardown),
        cmocka_unit_test_setup_teardown(test_files__cancelled_leaves_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_files__a_home_that_dies_leaves_nothing, setup,
                                        teardown),
    };

    if (argc > 1)
        address = argv[1];
    if (strncmp(address, "ssh:", 4) == 0)
        login = argc > 2 ? argv[2] : "sftp";
    else if (argc > 2)
        root = argv[2];
    return cmocka_run_group_tests(tests, begin, finish);
}
