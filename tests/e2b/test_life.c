/* test_life.c - the life of a sandbox, and files on their way into it: what is asked for, kept,
 * resumed and taken up again. */
#include "test.h"

#include "cloud.h"
#include "visit.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static struct cloud cloud;
static char here[] = "/tmp/errand-e2b-life-XXXXXX";

static int start(void **state)
{
    (void)state;
    cloud_start(&cloud, NULL);
    return mkdtemp(here) == NULL;
}

static int end(void **state)
{
    (void)state;
    cloud_end(&cloud);
    return rmdir(here);
}

static int clean(void **state)
{
    (void)state;
    cloud_no_faults(&cloud);
    return 0;
}

/* --- Sandboxes -------------------------------------------------------------------------------- */

static void act(const char *id, const char *event)
{
    char path[2 * CLOUD_TEXT];

    (void)snprintf(path, sizeof(path), "/sandboxes/%s/%s", id, event);
    (void)cloud_ask(&cloud, "POST", path, "{}");
}

static void test_life__one_that_is_kept_is_found_again(void **state)
{
    struct visit visit = visit_to("e2b://base?keep", "return 1");
    char address[CLOUD_TEXT + 8];
    const char *id = NULL;

    (void)state;
    visit_brings(&visit, "1");
    assert_int_equal(cloud_sandboxes(&cloud, &id), 1);
    (void)snprintf(address, sizeof(address), "e2b:%s", id);
    visit = visit_to(address, "return 2");
    visit_brings(&visit, "2");
    /* Paused it is resumed, by whatever the server has for that. */
    act(address + 4, "pause");
    visit = visit_to(address, "return 3");
    visit_brings(&visit, "3");
    (void)cloud_ask(&cloud, "PATCH", "/settings", "{\"api\":\"v1\"}");
    act(address + 4, "pause");
    visit = visit_to(address, "return 4");
    visit_brings(&visit, "4");
    (void)cloud_ask(&cloud, "PATCH", "/settings", "{\"api\":\"v2\"}");
    assert_int_equal(cloud_sandboxes(&cloud, NULL), 1); /* It is not ours to delete. */
    act(address + 4, "expire");
    visit = visit_to(address, "return 5");
    visit_fails(&visit, "sandbox_gone", "");
}

/* Of a process that was silent for a moment, which on a busy machine comes to pass. */
static unsigned looks(const struct visit *visit)
{
    unsigned count = 0;

    for (const char *at = strstr(visit->facts, "silent: looked"); at != NULL;
         at = strstr(at + 1, "silent: looked"))
        count++;
    return count;
}

static void test_life__the_runner_is_there_the_second_time(void **state)
{
    struct visit visit = visit_to("e2b://base?keep", "return 1");
    char address[CLOUD_TEXT + 8];
    const char *id = NULL;

    (void)state;
    visit_brings(&visit, "1");
    assert_int_equal(cloud_sandboxes(&cloud, &id), 1);
    (void)snprintf(address, sizeof(address), "e2b:%s", id);
    cloud_no_faults(&cloud);
    visit = visit_to(address, "return await home.now(2)");
    visit_brings(&visit, "2");
    /* The run, and who clears up after it; the boot message, the answer, the order to leave. */
    assert_int_equal(cloud_count(&cloud, "Start"), 2 + looks(&visit));
    assert_in_range(cloud_count(&cloud, "SendInput"), 2, 4);
    act(address + 4, "expire");
}

static void test_life__what_a_sandbox_is_to_be_like(void **state)
{
    static const char *const metadata[] = {"who=me", "odd=a=b c", NULL};
    static const char *const env[] = {"GREETING=hello", NULL};
    struct visit visit = visit_to("e2b://base", "return 1");

    (void)state;
    visit.e2b.metadata = metadata;
    visit.e2b.env = env;
    visit.e2b.no_internet = 1;
    visit_brings(&visit, "1");
    const char *journal = cloud_ask(&cloud, "GET", "/requests", NULL);
    assert_non_null(strstr(journal, "/v2/sandboxes"));
    /* No key, and no token, where requests can be looked at. */
    assert_null(strstr(journal, cloud.key));
}

/* As with E2B_DEBUG: no API and no key, and the service of one sandbox is all there is. */
static void test_life__a_service_alone(void **state)
{
    static const char *const words[] = {"--standalone", "0", NULL};
    struct visit visit = visit_to("e2b://base", "return 1 + (await home.now(1))");
    struct cloud other;

    (void)state;
    cloud_start(&other, words);
    (void)unsetenv("E2B_API_KEY");
    (void)setenv("E2B_API_URL", "http://127.0.0.1:1", 1);
    visit.e2b.debug = 1;
    visit.e2b.sandbox_url = other.envd_url;
    visit_brings(&visit, "2");
    cloud_end(&other);
    (void)setenv("E2B_API_KEY", cloud.key, 1);
    (void)setenv("E2B_API_URL", cloud.api_url, 1);
    (void)setenv("E2B_SANDBOX_URL", cloud.sandbox_url, 1);
}

static unsigned sockets_seen;

static void look_at_sockets(void)
{
    struct sockaddr_storage name = {0};

    for (int fd = 3; fd < 256; fd++) {
        socklen_t len = sizeof(name);
        /* A pair of libcurl's own leads nowhere. */
        if (getsockname(fd, (struct sockaddr *)&name, &len) != 0 || name.ss_family != AF_INET)
            continue;
        sockets_seen++;
        assert_true((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
    }
}

/* Children of this process, such as tools, get none of its connections. */
static void test_life__connections_stay_here(void **state)
{
    struct visit visit = visit_to("e2b://base", "return await home.now(1)");

    (void)state;
    visit.at_call = look_at_sockets;
    visit_brings(&visit, "1");
    assert_true(sockets_seen > 0);
}

/* --- Files ------------------------------------------------------------------------------------ */

enum { SIZE = 3 * 1024 * 1024 };

struct errands {
    errand_loop *loop;
    errand_place *place;
    char local[64], back[64], remote[80];
};

static void set_out(struct errands *errands)
{
    errand_place_options options = ERRAND_PLACE_OPTIONS_INIT;
    errand_e2b_options e2b = cloud_options(&cloud);
    errand_error error = {0};
    static unsigned number;

    options.e2b = &e2b;
    (void)snprintf(errands->local, sizeof(errands->local), "%s/local", here);
    (void)snprintf(errands->back, sizeof(errands->back), "%s/back", here);
    (void)snprintf(errands->remote, sizeof(errands->remote), "errand life %u", ++number);
    FILE *file = fopen(errands->local, "we");
    assert_non_null(file);
    for (unsigned i = 0; i < SIZE / 4; i++)
        (void)fwrite(&i, 4, 1, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(errands->local, 0751), 0);
    assert_int_equal(errand_loop_new(&errands->loop, &error), ERRAND_OK);
    assert_int_equal(
        errand_place_open(&errands->place, errands->loop, "e2b://base", &options, &error),
        ERRAND_OK);
}

/* The code, or "". */
static const char *carry(struct errands *errands, bool put)
{
    static char code[64];
    const errand_event *event = NULL;
    errand_error error = {0};
    uint64_t id = 0;
    errand_status status =
        put ? errand_place_put(errands->place, errands->local, errands->remote, NULL, &id, &error)
            : errand_place_get(errands->place, errands->remote, errands->back, NULL, &id, &error);

    assert_int_equal(status, ERRAND_OK);
    do
        assert_int_equal(errand_loop_next(errands->loop, 60000, &event, &error), ERRAND_OK);
    while (event->type != ERRAND_EVENT_TRANSFER_OVER);
    (void)snprintf(code, sizeof(code), "%s", event->as.transfer_over.code);
    return code;
}

static void expect_back(const struct errands *errands)
{
    FILE *file = fopen(errands->back, "re");
    struct stat stat;
    unsigned word = 0;

    assert_non_null(file);
    for (unsigned i = 0; i < SIZE / 4; i++) {
        assert_int_equal(fread(&word, 4, 1, file), 1);
        assert_int_equal(word, i);
    }
    assert_int_equal(fread(&word, 1, 1, file), 0);
    assert_int_equal(fstat(fileno(file), &stat), 0);
    assert_int_equal(stat.st_mode & 0777, 0751);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(unlink(errands->back), 0);
}

static void come_home(struct errands *errands)
{
    const errand_event *event = NULL;

    errand_place_close(errands->place);
    while (errand_loop_next(errands->loop, 20000, &event, NULL) == ERRAND_OK &&
           event->type != ERRAND_EVENT_PLACE_CLOSED)
        continue;
    errand_place_free(errands->place);
    errand_loop_free(errands->loop);
    assert_int_equal(unlink(errands->local), 0);
}

static void test_life__a_download_is_taken_up_again(void **state)
{
    struct errands errands;

    (void)state;
    set_out(&errands);
    assert_string_equal(carry(&errands, true), "");
    cloud_fault(&cloud, "{'on':{'method':'GET','path':'/files*'},'do':'cut','at':700000,'how':"
                        "'reset'}");
    cloud_fault(&cloud, "{'on':{'method':'GET','path':'/files*'},'skip':1,'do':'cut','at':900001,"
                        "'how':'close'}");
    assert_string_equal(carry(&errands, false), "");
    expect_back(&errands);
    come_home(&errands);
}

/* --- Files that change, and a sandbox that says nothing any more ------------------------------ */

/* Where it is on this machine: the newest sandbox is told last. */
static void path_of(const struct errands *errands, char path[static 512])
{
    const char *text = cloud_ask(&cloud, "GET", "/sandboxes", NULL);
    static const char word[] = "\"home\":\"";
    const char *home = NULL;

    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
        home = at + strlen(word);
    assert_non_null(home);
    (void)snprintf(path, 512, "%.*s/%s", (int)strcspn(home, "\""), home, errands->remote);
}

static void grow(const char *path)
{
    FILE *file = fopen(path, "ae");

    assert_non_null(file);
    assert_int_equal(fputs("more", file), 1);
    assert_int_equal(fclose(file), 0);
}

static void shrink(const char *path)
{
    assert_int_equal(truncate(path, SIZE / 3), 0);
}

/* As long as before. A date has whole seconds. */
static void rewrite(const char *path)
{
    const struct timespec times[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
    FILE *file = fopen(path, "r+e");

    assert_non_null(file);
    assert_int_equal(fseek(file, SIZE - 4, SEEK_SET), 0);
    assert_int_equal(fputs("else", file), 1);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* Whether the first bytes are at home, in the file that is to become the one asked for. */
static bool some_came(void)
{
    char path[512];
    struct stat stat = {0};
    DIR *dir = opendir(here);
    const struct dirent *entry;

    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL && stat.st_size == 0) {
        (void)snprintf(path, sizeof(path), "%s/%s", here, entry->d_name);
        if (strncmp(entry->d_name, ".errand-", 8) == 0)
            assert_int_equal(lstat(path, &stat), 0);
    }
    assert_int_equal(closedir(dir), 0);
    return stat.st_size > 0;
}

static bool was_asked(void)
{
    return cloud_hits(&cloud) > 0;
}

struct changes {
    uint64_t stall_ms;
    void (*deed)(const char *path); /* In the middle of it, or NULL. */
    bool (*when)(void);
};

static const char *fetch(struct errands *errands, const struct changes *changes)
{
    static char code[64];
    errand_transfer_options options = ERRAND_TRANSFER_OPTIONS_INIT;
    const errand_event *event = NULL;
    errand_error error = {0};
    uint64_t id = 0;
    char path[512];
    bool done = changes->deed == NULL;

    path_of(errands, path);
    options.stall_ms = changes->stall_ms;
    assert_int_equal(
        errand_place_get(errands->place, errands->remote, errands->back, &options, &id, &error),
        ERRAND_OK);
    do {
        errand_status status = errand_loop_next(errands->loop, done ? 60000 : 20, &event, &error);
        if (status == ERRAND_AGAIN && !done && changes->when()) {
            changes->deed(path);
            done = true;
        }
    } while (event == NULL || event->type != ERRAND_EVENT_TRANSFER_OVER);
    (void)snprintf(code, sizeof(code), "%s", event->as.transfer_over.code);
    assert_true(done);
    if (code[0] != '\0')
        assert_int_equal(event->as.transfer_over.retryable, 1);
    return code;
}

/* In pieces, so that there is time. */
#define SLOWLY "{'on':{'method':'GET','path':'/files*'},'do':'segment','bytes':65536,'ms':40}"

static void test_life__a_file_that_changes_while_it_is_fetched(void **state)
{
    static void (*const deeds[])(const char *) = {grow, shrink, rewrite};
    struct errands errands;

    (void)state;
    set_out(&errands);
    for (size_t i = 0; i < COUNT(deeds); i++) {
        const struct changes changes = {.deed = deeds[i], .when = some_came};
        assert_string_equal(carry(&errands, true), "");
        cloud_fault(&cloud, SLOWLY);
        assert_string_equal(fetch(&errands, &changes), "changed");
        assert_int_equal(access(errands.back, F_OK), -1);
        cloud_no_faults(&cloud);
    }
    come_home(&errands);
}

/* Between the look at it and its first byte. */
static void test_life__a_file_that_changed_before_its_first_byte(void **state)
{
    static void (*const deeds[])(const char *) = {grow, shrink};
    struct errands errands;

    (void)state;
    set_out(&errands);
    for (size_t i = 0; i < COUNT(deeds); i++) {
        const struct changes changes = {.deed = deeds[i], .when = was_asked};
        assert_string_equal(carry(&errands, true), "");
        cloud_fault(&cloud, "{'on':{'method':'GET','path':'/files*'},'do':'delay','ms':400}");
        assert_string_equal(fetch(&errands, &changes), "changed");
        cloud_no_faults(&cloud);
    }
    come_home(&errands);
}

/* What knows no parts answers with the whole once more. */
static void test_life__a_whole_file_again_is_compared(void **state)
{
    const struct changes changes = {.deed = NULL};
    struct errands errands;

    (void)state;
    set_out(&errands);
    assert_string_equal(carry(&errands, true), "");
    cloud_fault(&cloud, "{'on':{'method':'GET','path':'/files*'},'skip':1,'do':'answer',"
                        "'status':200,'headers':{'Content-Length':3145728},'text':'x'}");
    assert_string_equal(fetch(&errands, &changes), "changed"); /* No date, where one was. */
    come_home(&errands);
}

static void test_life__a_download_that_falls_silent(void **state)
{
    const struct changes impatient = {.stall_ms = 1500}, patient = {.stall_ms = 0};
    struct errands errands;

    (void)state;
    set_out(&errands);
    assert_string_equal(carry(&errands, true), "");
    cloud_fault(&cloud, "{'on':{'method':'GET','path':'/files*'},'do':'silence','at':500000}");
    assert_string_equal(fetch(&errands, &impatient), "stalled");
    cloud_no_faults(&cloud);
    /* Whoever waits longer has it all the same: the rest is asked for anew. */
    cloud_fault(&cloud, "{'on':{'method':'GET','path':'/files*'},'do':'silence','at':500000}");
    cloud_fault(&cloud, "{'on':{'method':'GET','path':'/files*'},'skip':2,'do':'silence','at':"
                        "'handled','ms':100}");
    assert_string_equal(fetch(&errands, &patient), "");
    expect_back(&errands);
    come_home(&errands);
}

static void test_life__an_upload_in_parts_for_older_services(void **state)
{
    struct errands errands;

    (void)state;
    (void)cloud_ask(&cloud, "PATCH", "/settings", "{\"envdVersion\":\"0.5.6\"}");
    set_out(&errands);
    assert_string_equal(carry(&errands, true), "");
    assert_string_equal(carry(&errands, false), "");
    expect_back(&errands);
    come_home(&errands);
    (void)cloud_ask(&cloud, "PATCH", "/settings", "{\"envdVersion\":\"0.6.13\"}");
}

static void test_life__an_upload_that_fails(void **state)
{
    struct errands errands;

    (void)state;
    set_out(&errands);
    cloud_fault(&cloud, "{'on':{'method':'POST','path':'/files*'},'do':'cut','at':'asked'}");
    assert_string_equal(carry(&errands, true), "lost");
    assert_string_equal(carry(&errands, false), "not_found");
    cloud_no_faults(&cloud);
    cloud_fault(&cloud, "{'on':{'method':'POST','path':'/files*'},'do':'answer','status':507,"
                        "'json':{'code':507,'message':'not enough disk space'}}");
    assert_string_equal(carry(&errands, true), "no_space");
    come_home(&errands);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_life__one_that_is_kept_is_found_again, clean),
        cmocka_unit_test_teardown(test_life__the_runner_is_there_the_second_time, clean),
        cmocka_unit_test_teardown(test_life__what_a_sandbox_is_to_be_like, clean),
        cmocka_unit_test_teardown(test_life__a_service_alone, clean),
        cmocka_unit_test_teardown(test_life__connections_stay_here, clean),
        cmocka_unit_test_teardown(test_life__a_download_is_taken_up_again, clean),
        cmocka_unit_test_teardown(test_life__a_file_that_changes_while_it_is_fetched, clean),
        cmocka_unit_test_teardown(test_life__a_file_that_changed_before_its_first_byte, clean),
        cmocka_unit_test_teardown(test_life__a_whole_file_again_is_compared, clean),
        cmocka_unit_test_teardown(test_life__a_download_that_falls_silent, clean),
        cmocka_unit_test_teardown(test_life__an_upload_in_parts_for_older_services, clean),
        cmocka_unit_test_teardown(test_life__an_upload_that_fails, clean),
    };

    cmocka_set_test_filter(argc > 1 ? argv[1] : NULL);
    return cmocka_run_group_tests(tests, start, end);
}
