/* test_services.c - files over a real sshd: what its file service refuses, services that are none
 * or talk nonsense, and roads that break. */
#include "post.h"

#include "sshd.h"

#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define SERVICE "Subsystem sftp internal-sftp"

static struct sshd host;

static int begin(void **state)
{
    (void)state;
    sshd_start(&host, SERVICE);
    return 0;
}

static int finish(void **state)
{
    (void)state;
    sshd_end(&host);
    return 0;
}

static void move_in(struct post *post, const char *lines)
{
    *post = (struct post){0};
    sshd_restart(&host, lines);
    (void)snprintf(post->config, sizeof(post->config), "%s", sshd_file(&host, "config"));
    (void)snprintf(post->node, sizeof(post->node), "%s", sshd_node() == NULL ? "" : sshd_node());
    post_open(post, "ssh://box", "/tmp");
}

static void expect_there(struct post *post, const char *json)
{
    char program[512];

    (void)snprintf(program, sizeof(program), "return require('fs').readdirSync('%s').sort()",
                   post->there);
    post_expect(post, program, json);
}

static void expect_failed(struct posted posted, const char *code)
{
    if (posted.ok || strcmp(posted.code, code) != 0)
        fail_msg("wanted %s, got %s: %s", code, posted.code, posted.error);
}

/* The one who logs in owns it. */
static void give_to_user(const char *path)
{
    const struct passwd *who = getpwnam(host.user);

    assert_non_null(who);
    assert_int_equal(chown(path, who->pw_uid, who->pw_gid), 0);
}

/* --- A full disk ------------------------------------------------------------------------------ */

static void fill_disk(const char *lines)
{
    struct post post;

    move_in(&post, lines);
    const char *full = post_path(post.there, "full"), *here = post_path(post.here, "here");
    assert_int_equal(mkdir(full, 0755), 0);
    if (mount("none", full, "tmpfs", MS_NOSUID | MS_NODEV, "size=1m") != 0)
        fail_msg("no small disk: this test wants to be root");
    give_to_user(full);
    post_write(here, (size_t)8 << 20, 0644);
    struct posted put = post_put(&post, here, post_path(full, "file"));
    char program[512];
    (void)snprintf(program, sizeof(program), "return require('fs').readdirSync('%s')", full);
    char *left = post_ask(&post, program);
    post_write(here, 1000, 0644);
    struct posted small = post_put(&post, here, post_path(full, "file"));
    assert_int_equal(umount2(full, MNT_DETACH), 0);
    expect_failed(put, "no_space");
    assert_non_null(strstr(put.error, "full/file: no space left over there"));
    assert_string_equal(left, "[]");
    assert_string_equal(small.error, "");
    free(left);
    post_close(&post);
}

static void test_services__a_full_disk(void **state)
{
    (void)state;
    fill_disk(SERVICE);
}

static void test_services__a_full_disk_without_a_file_service(void **state)
{
    (void)state;
    fill_disk("");
}

/* --- What is refused -------------------------------------------------------------------------- */

static void refuse(const char *lines)
{
    struct post post;

    move_in(&post, lines);
    const char *here = post_path(post.here, "here"), *back = post_path(post.here, "back");
    const char *closed = post_path(post.there, "closed");
    post_write(here, 100, 0644);
    assert_int_equal(mkdir(closed, 0755), 0); /* Ours, not the user's. */
    post_write(post_path(closed, "secret"), 10, 0600);
    assert_int_equal(mkfifo(post_path(closed, "pipe"), 0666), 0);
    assert_int_equal(symlink("nowhere", post_path(closed, "dangling")), 0);
    assert_int_equal(symlink(".", post_path(closed, "folder")), 0);
    expect_failed(post_put(&post, here, post_path(closed, "file")), "denied");
    expect_failed(post_get(&post, post_path(closed, "secret"), back), "denied");
    expect_failed(post_get(&post, post_path(closed, "pipe"), back), "no_file");
    expect_failed(post_get(&post, post_path(closed, "dangling"), back), "not_found");
    expect_failed(post_get(&post, post_path(closed, "folder"), back), "is_folder");
    expect_failed(post_put(&post, here, post_path(closed, "folder")), "is_folder");
    expect_failed(post_put(&post, here, post_path(closed, "pipe")), "no_file");
    expect_failed(post_put(&post, here, post_path(closed, "secret/file")), "no_folder");
    struct posted got = post_get(&post, post_path(closed, "secret"), back);
    assert_non_null(strstr(got.error, "closed/secret: permission denied over there"));
    assert_int_equal(access(back, F_OK), -1);
    expect_there(&post, "[\"closed\"]");
    for (size_t i = 0; i < 4; i++) {
        static const char *const names[] = {"secret", "pipe", "dangling", "folder"};
        assert_int_equal(unlink(post_path(closed, names[i])), 0);
    }
    assert_int_equal(rmdir(closed), 0);
    post_close(&post);
}

static void test_services__what_is_refused(void **state)
{
    (void)state;
    refuse(SERVICE);
}

static void test_services__what_is_refused_without_a_file_service(void **state)
{
    (void)state;
    refuse("");
}

/* A link is followed where a file is read and replaced where one is written. */
static void follow(const char *lines)
{
    struct post post;

    move_in(&post, lines);
    const char *here = post_path(post.here, "here"), *back = post_path(post.here, "back");
    const char *there = post_path(post.there, "file"), *link = post_path(post.there, "link");
    post_write(here, 1000, 0640);
    assert_true(post_put(&post, here, there).ok);
    assert_int_equal(symlink("file", link), 0);
    assert_true(post_get(&post, link, back).ok);
    post_check(back, 1000, 0640);
    post_write(here, 7, 0604);
    assert_true(post_put(&post, here, link).ok);
    post_check(link, 7, 0604);
    post_check(there, 1000, 0640);
    struct stat facts;
    assert_int_equal(lstat(link, &facts), 0);
    assert_true(S_ISREG(facts.st_mode));
    post_close(&post);
}

static void test_services__links(void **state)
{
    (void)state;
    follow(SERVICE);
    follow("");
}

/* --- Large, and stopped on the way ------------------------------------------------------------ */

static void test_services__a_hundred_mebibytes(void **state)
{
    enum { SIZE = 100 * 1024 * 1024 };
    struct post post;

    (void)state;
    move_in(&post, SERVICE);
    const char *here = post_path(post.here, "here"), *there = post_path(post.there, "file");
    post_write(here, SIZE, 0644);
    assert_string_equal(post_put(&post, here, there).error, "");
    assert_string_equal(post_get(&post, there, here).error, "");
    post_check(here, SIZE, 0644);
    post_close(&post);
}

/* Looks at what happens for a while. */
static void linger(struct post *post, unsigned turns)
{
    const errand_event *event = NULL;
    errand_error error = {0};

    for (unsigned i = 0; i < turns; i++)
        assert_true(errand_loop_next(post->loop, 5, &event, &error) >= 0);
}

/* true: something of that name begins to stand in the folder over there. */
static bool is_on_its_way(const struct post *post)
{
    char command[300];

    (void)snprintf(command, sizeof(command), "ls -A %s | grep -q '^.errand-'", post->there);
    const char *const argv[] = {"sh", "-c", command, NULL};
    return sshd_command(argv);
}

static uint64_t put_half(struct post *post)
{
    const char *here = post_path(post->here, "here"), *there = post_path(post->there, "file");
    errand_error error = {0};
    uint64_t id = 0;

    post_write(here, (size_t)80 << 20, 0644);
    assert_int_equal(errand_place_put(post->place, here, there, NULL, &id, &error), ERRAND_OK);
    for (int i = 0; i < 400 && !is_on_its_way(post); i++)
        linger(post, 1);
    assert_true(is_on_its_way(post));
    return id;
}

static void test_services__cancelled_half_way(void **state)
{
    struct post post;
    errand_error error = {0};
    uint64_t id = 0;

    (void)state;
    move_in(&post, SERVICE);
    id = put_half(&post);
    errand_place_transfer_cancel(post.place, id);
    expect_failed(post_wait(&post, id), "cancelled");
    expect_there(&post, "[]");
    const char *here = post_path(post.here, "here"), *there = post_path(post.there, "file");
    assert_true(post_put(&post, here, there).ok);
    assert_int_equal(errand_place_get(post.place, there, here, NULL, &id, &error), ERRAND_OK);
    linger(&post, 3);
    errand_place_transfer_cancel(post.place, id);
    expect_failed(post_wait(&post, id), "cancelled");
    post_check(here, (size_t)80 << 20, 0644);
    post_close(&post);
}

/* What stood under the name still does, and the next file goes by a new connection. */
static void test_services__cut_half_way(void **state)
{
    struct post post;

    (void)state;
    move_in(&post, SERVICE);
    const char *small = post_path(post.here, "small"), *there = post_path(post.there, "file");
    post_write(small, 10, 0644);
    assert_true(post_put(&post, small, there).ok);
    uint64_t id = put_half(&post);
    const char *const argv[] = {"pkill", "-KILL", "-f", host.user, NULL};
    assert_true(sshd_command(argv));
    struct posted put = post_wait(&post, id);
    assert_false(put.ok);
    post_check(there, 10, 0644);
    assert_string_equal(post_put(&post, small, there).error, "");
    expect_there(&post, "[\"file\"]");
    post_close(&post);
}

/* --- Channels --------------------------------------------------------------------------------- */

/* The service gives up its channel to a run, and the run to it. */
static void test_services__where_one_session_is_allowed(void **state)
{
    struct post post;

    (void)state;
    move_in(&post, SERVICE "\nMaxSessions 1");
    const char *here = post_path(post.here, "here"), *there = post_path(post.there, "file");
    post_write(here, 100000, 0644);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(post_put(&post, here, there).error, "");
        post_expect(&post, "return 1", "1");
        assert_string_equal(post_get(&post, there, here).error, "");
    }
    post_close(&post);
}

static void test_services__after_a_run_that_failed(void **state)
{
    struct post post;
    char program[400];
    errand_run_options options = ERRAND_RUN_OPTIONS_INIT;
    errand_run *run = NULL;
    const errand_event *event = NULL;
    errand_error error = {0};

    (void)state;
    move_in(&post, SERVICE);
    (void)snprintf(program, sizeof(program),
                   "require('fs').writeFileSync('%s/file', 'x'); process.exit(3)", post.there);
    options.program = span_text(program);
    assert_int_equal(errand_run_start(&run, post.place, &options, &error), ERRAND_OK);
    do
        assert_int_equal(errand_loop_next(post.loop, 60000, &event, &error), ERRAND_OK);
    while (event->type != ERRAND_EVENT_END);
    assert_true(event->as.end->kind != ERRAND_KIND_VALUE);
    errand_run_free(run);
    struct posted got =
        post_get(&post, post_path(post.there, "file"), post_path(post.here, "back"));
    assert_string_equal(got.error, "");
    assert_int_equal(got.bytes, 1);
    post_close(&post);
}

/* --- Services that are none ------------------------------------------------------------------- */

/* Then files go through a shell. */
static void test_services__services_that_are_none(void **state)
{
    static const char *const services[] = {
        "Subsystem sftp /bin/false",
        "Subsystem sftp /no/such/program",
        "Subsystem sftp /bin/cat",
        "Subsystem sftp /usr/bin/head -c 300000 /dev/zero",
        "Subsystem sftp /bin/echo Welcome to this host!",
        "Subsystem sftp internal-sftp -P posix-rename",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(services); i++) {
        struct post post;
        move_in(&post, services[i]);
        const char *here = post_path(post.here, "here"), *there = post_path(post.there, "file");
        post_write(here, 100000, 0600);
        struct posted put = post_put(&post, here, there);
        if (!put.ok)
            fail_msg("%s: %s", services[i], put.error);
        assert_string_equal(post_get(&post, there, here).error, "");
        post_check(here, 100000, 0600);
        post_close(&post);
    }
}

/* A service that begins well and then is of no use: the file fails with a line, and the place does
 * not. code NULL: it is good enough. */
static void test_services__services_without_virtue(void **state)
{
    static const struct {
        const char *vice, *code;
    } cases[] = {
        {"says no version", "denied"}, /* Through a shell. */
        {"names a huge size", "lost"},
        {"answers what was not asked", "lost"},
        {"has no end", "lost"},
        {"gives a long handle", "failed"},
        {"gives more than asked", "failed"},
        {"gives nothing", "failed"},
        {"tears its answer", "failed"},
        {"leaves", "lost"},
        {"opens with an OK", "failed"},
        {"goes on", "changed"},
        {"gives little by little and askew", NULL},
    };
    enum { SIZE = 300000 };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct post post;
        char lines[1000], name[64];
        (void)snprintf(name, sizeof(name), "vice%zu", i);
        sshd_write(&host, name, 0755, "#!/bin/sh\nexec %s %s '%s' %s\n",
                   sshd_node() == NULL ? "node" : sshd_node(), FILES_FOLDER "/sftp_server.js",
                   cases[i].vice, sshd_file(&host, "served"));
        post_write(sshd_file(&host, "served"), SIZE, 0644);
        (void)snprintf(lines, sizeof(lines), "Subsystem sftp %s", sshd_file(&host, name));
        move_in(&post, lines);
        const char *back = post_path(post.here, "back");
        struct posted got = post_get(&post, "/etc/shadow", back);
        if (cases[i].code != NULL && strcmp(got.code, cases[i].code) != 0)
            fail_msg("%s: wanted %s, got %s: %s", cases[i].vice, cases[i].code, got.code,
                     got.error);
        if (cases[i].code == NULL)
            post_check(back, SIZE, 0640);
        else
            assert_int_equal(access(back, F_OK), -1);
        post_expect(&post, "return 1", "1");
        post_close(&post);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_services__a_full_disk),
        cmocka_unit_test(test_services__a_full_disk_without_a_file_service),
        cmocka_unit_test(test_services__what_is_refused),
        cmocka_unit_test(test_services__what_is_refused_without_a_file_service),
        cmocka_unit_test(test_services__links),
        cmocka_unit_test(test_services__a_hundred_mebibytes),
        cmocka_unit_test(test_services__cancelled_half_way),
        cmocka_unit_test(test_services__cut_half_way),
        cmocka_unit_test(test_services__where_one_session_is_allowed),
        cmocka_unit_test(test_services__after_a_run_that_failed),
        cmocka_unit_test(test_services__services_that_are_none),
        cmocka_unit_test(test_services__services_without_virtue),
    };

    return cmocka_run_group_tests(tests, begin, finish);
}
