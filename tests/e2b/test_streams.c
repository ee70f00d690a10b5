/* test_streams.c - what can become of a stream, and what is made of it: cut anywhere, torn, silent,
 * ended in every shape. On the level of the transport. */
#include "test.h"

#include "base/mem.h"
#include "cloud.h"
#include "drive.h"
#include "transport/e2b/e2b.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { PATIENCE_MS = 20000 };

/* Sanitizers keep what was freed. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

static struct cloud cloud;
static errand_road *opened;
static errand_process *going; /* Of a test that failed in the middle. */

static errand_road *make(const struct drive_road *self)
{
    errand_e2b_options options = cloud_options(&cloud);
    errand_error error = {0};
    errand_road *road = NULL;
    char *name = NULL;

    if (errand__e2b_road_new(&road, &name, self->address, &options, &error) != ERRAND_OK)
        fail_msg("%s: %s", self->address, error.text);
    errand__mem_free(name);
    return road;
}

static const struct drive_road place = {
    .name = "e2b", .make = make, .address = "e2b://base", .patience = 3};
static const struct drive_road place_json = {
    .name = "e2b in JSON", .make = make, .address = "e2b://base?codec=json", .patience = 3};

static int start(void **state)
{
    (void)state;
    cloud_start(&cloud, NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    cloud_end(&cloud);
    return 0;
}

static int begin(void **state)
{
    (void)state;
    cloud_no_faults(&cloud);
    opened = drive_open(&place);
    return 0;
}

static int begin_json(void **state)
{
    (void)state;
    cloud_no_faults(&cloud);
    opened = drive_open(&place_json);
    return 0;
}

/* An older service keeps no ends. */
static int begin_older(void **state)
{
    (void)cloud_ask(&cloud, "PATCH", "/settings", "{\"envdVersion\":\"0.5.20\"}");
    (void)begin(state);
    (void)cloud_ask(&cloud, "PATCH", "/settings", "{\"envdVersion\":\"0.6.13\"}");
    return 0;
}

static int leave(void **state)
{
    (void)state;
    cloud_no_faults(&cloud);
    if (going != NULL)
        going->ops->free(going);
    going = NULL;
    drive_close(opened);
    return 0;
}

/* Like drive_start(), with a mark among the words of the line, by which it is found again. */
static void start_marked(struct drive *process, const char *script)
{
    static unsigned number;
    errand_error error = {0};
    char mark[40], line[1024];

    (void)snprintf(mark, sizeof(mark), "%016x0123456789abcdef", ++number);
    (void)snprintf(line, sizeof(line), "exec /bin/sh -c '%s' %.16s", script, mark);
    const errand_launch launch = {.line = line, .mark = mark};
    *process = (struct drive){.road = &place, .opened = opened, .exit_code = -2, .exit_signal = -2};
    assert_int_equal(
        opened->ops->launch(opened, &launch, drive_now_us(), &process->process, &error), ERRAND_OK);
    going = process->process;
}

static void finish(struct drive *process)
{
    drive_finish(process);
    going = NULL;
}

/* --- Cuts ------------------------------------------------------------------------------------- */

static void cut_at(int byte, const char *how)
{
    struct drive process;
    char order[256];

    (void)snprintf(order, sizeof(order), "{'on':{'rpc':'Start'},'do':'cut','at':%d,'how':'%s'}",
                   byte, how);
    cloud_fault(&cloud, order);
    start_marked(&process, "read x; echo $x; exit 3");
    if (!drive_until(&process, "O", PATIENCE_MS))
        fail_msg("%s at %d: %s", how, byte, process.failure.text);
    assert_true(drive_send(&process, SPAN_LITERAL("hello\n"), PATIENCE_MS));
    if (!drive_until(&process, "X", PATIENCE_MS))
        fail_msg("%s at %d: %s, %s", how, byte, process.story, process.failure.text);
    assert_int_equal(process.exit_code, 3);
    /* Bytes may be lost with a stream, and only then. */
    if (!drive_heard(&process, 'D'))
        assert_int_equal(process.out_len, 6);
    finish(&process);
    cloud_no_faults(&cloud);
}

static void test_streams__cut_at_every_byte(void **state)
{
    static const char *const ways[] = {"reset", "close", "end"};

    (void)state;
    for (int byte = 0; byte < 80; byte++)
        cut_at(byte, ways[byte % 3]);
}

static void test_streams__cut_at_every_byte_in_json(void **state)
{
    static const char *const ways[] = {"close", "end", "reset"};

    (void)state;
    for (int byte = 0; byte < 220; byte += 3)
        cut_at(byte, ways[byte % 3]);
}

/* A drop while nothing was under way: all that is said afterwards arrives. */
static void test_streams__attaches_again_and_goes_on(void **state)
{
    struct drive process;

    (void)state;
    cloud_fault(&cloud, "{'on':{'rpc':'Start'},'do':'cut','at':'data','how':'reset'}");
    start_marked(&process, "echo up; read x; echo $x; exit 4");
    assert_true(drive_until(&process, "D", PATIENCE_MS));
    assert_true(drive_until(&process, "A", PATIENCE_MS));
    assert_true(drive_send(&process, SPAN_LITERAL("again\n"), PATIENCE_MS));
    assert_true(drive_until(&process, "X", PATIENCE_MS));
    assert_int_equal(process.exit_code, 4);
    assert_non_null(strstr(process.out, "again\n"));
    finish(&process);
}

static void test_streams__a_kept_end_is_heard_after_a_drop(void **state)
{
    struct drive process;

    (void)state;
    cloud_fault(&cloud, "{'on':{'rpc':'Start'},'do':'cut','at':'data','how':'close'}");
    cloud_fault(&cloud, "{'on':{'rpc':'Connect'},'do':'delay','ms':700}");
    start_marked(&process, "echo up; sleep 0.3; exit 5");
    assert_true(drive_until(&process, "X", PATIENCE_MS));
    assert_true(drive_heard(&process, 'D'));
    assert_int_equal(process.exit_code, 5);
    finish(&process);
}

static void test_streams__an_end_that_nobody_kept_is_a_loss(void **state)
{
    struct drive process;

    (void)state;
    cloud_fault(&cloud, "{'on':{'rpc':'Start'},'do':'cut','at':'data','how':'close'}");
    cloud_fault(&cloud, "{'on':{'rpc':'Connect'},'do':'delay','ms':700}");
    start_marked(&process, "echo up; sleep 0.3; exit 5");
    assert_false(drive_until(&process, "X", PATIENCE_MS));
    assert_string_equal(process.process->ops->code(process.process), "lost");
    assert_non_null(strstr(process.failure.text, "ended while the way to it was broken"));
    finish(&process);
}

static void test_streams__tries_for_long(void **state)
{
    struct drive process;

    (void)state;
    cloud_fault(&cloud, "{'on':{'rpc':'Start'},'do':'cut','at':'data','how':'reset'}");
    cloud_fault(&cloud, "{'on':{'rpc':'Connect'},'count':6,'do':'cut','at':'asked'}");
    start_marked(&process, "echo up; read x; exit 6");
    assert_true(drive_until(&process, "A", PATIENCE_MS));
    assert_true(drive_send(&process, SPAN_LITERAL("x\n"), PATIENCE_MS));
    assert_true(drive_until(&process, "X", PATIENCE_MS));
    assert_int_equal(process.exit_code, 6);
    finish(&process);
}

/* --- What is no start ------------------------------------------------------------------------- */

/* It did start, and the answer is lost: it is found by its mark and not started again. */
static void test_streams__a_start_whose_answer_is_lost(void **state)
{
    struct drive process;

    (void)state;
    cloud_fault(&cloud, "{'on':{'rpc':'Start'},'do':'cut','at':'handled','how':'reset'}");
    start_marked(&process, "read x; echo $x; exit 3");
    assert_true(drive_until(&process, "O", PATIENCE_MS));
    assert_int_equal(cloud_count(&cloud, "Start"), 1);
    assert_true(drive_send(&process, SPAN_LITERAL("hi\n"), PATIENCE_MS));
    assert_true(drive_until(&process, "X", PATIENCE_MS));
    assert_string_equal(process.out, "hi\n");
    assert_int_equal(process.exit_code, 3);
    finish(&process);
}

/* It was never handled; that can't be known, so it is not started again either. */
static void test_streams__a_start_that_got_lost(void **state)
{
    struct drive process;

    (void)state;
    cloud_fault(&cloud, "{'on':{'rpc':'Start'},'do':'cut','at':'asked','how':'reset'}");
    start_marked(&process, "read x; echo $x; exit 3");
    assert_false(drive_until(&process, "O", PATIENCE_MS));
    assert_non_null(strstr(process.failure.text, "whether it was started is not known"));
    assert_int_equal(cloud_count(&cloud, "Start"), 1);
    finish(&process);
}

/* --- Ends ------------------------------------------------------------------------------------- */

static void ends_as(const char *order, const char *script, int exit_code, int exit_signal)
{
    struct drive process;

    if (order[0] != '\0')
        cloud_fault(&cloud, order);
    start_marked(&process, script);
    if (!drive_until(&process, "X", PATIENCE_MS))
        fail_msg("%s: %s, %s", order, process.story, process.failure.text);
    if (process.exit_code != exit_code || process.exit_signal != exit_signal)
        fail_msg("%s: %d, signal %d", order, process.exit_code, process.exit_signal);
    finish(&process);
    cloud_no_faults(&cloud);
}

static void test_streams__ends_of_every_shape(void **state)
{
    (void)state;
    ends_as("{'on':{'rpc':'Start'},'do':'alter','trailer':null}", "exit 7", 7, 0);
    ends_as("{'on':{'rpc':'Start'},'do':'alter','trailer':{'error':{'code':'internal','message':"
            "'late'}}}",
            "exit 7", 7, 0);
    ends_as("{'on':{'rpc':'Start'},'do':'alter','drop':['end']}", "exit 7", 7, 0);
    ends_as("{'on':{'rpc':'Start'},'do':'alter','end':{'exitCode':null}}", "exit 0", 0, 0);
    ends_as("{'on':{'rpc':'Start'},'do':'alter','end':{'exitCode':137,'exited':true,'status':"
            "'SIGKILL','error':null}}",
            "exit 0", -1, 9);
    ends_as("{'on':{'rpc':'Start'},'do':'alter','end':{'exitCode':null,'exited':null,'status':"
            "'wait4 error','error':'wait4: no child processes'}}",
            "exit 0", -1, 0);
    ends_as("{'on':{'rpc':'Start'},'do':'alter','end':{'exitCode':null,'exited':null,'status':null,"
            "'error':null}}",
            "exit 0", 0, 0);
    ends_as("{'on':{'rpc':'Start'},'do':'cut','at':'end','how':'reset'}", "exit 9", 9, 0);
    ends_as("{'on':{'rpc':'Start'},'count':0,'do':'segment','bytes':1}", "echo hi; exit 2", 2, 0);
    ends_as("{'on':{'rpc':'Start'},'do':'buffer','bytes':100}", "echo hi; exit 2", 2, 0);
    ends_as("", "kill -TERM $$", -1, 15);
}

static void test_streams__a_compressed_message_is_a_broken_stream(void **state)
{
    struct drive process;

    (void)state;
    cloud_fault(&cloud, "{'on':{'rpc':'Start'},'do':'alter','flags':1}");
    start_marked(&process, "read x; exit 3");
    assert_true(drive_until(&process, "O", PATIENCE_MS)); /* Found by its mark. */
    assert_true(drive_send(&process, SPAN_LITERAL("x\n"), PATIENCE_MS));
    assert_true(drive_until(&process, "X", PATIENCE_MS));
    assert_int_equal(process.exit_code, 3);
    finish(&process);
}

static void test_streams__a_length_that_no_message_has(void **state)
{
    struct drive process;

    (void)state;
    /* 00 ff ff ff ff */
    cloud_fault(&cloud, "{'on':{'rpc':'Start'},'do':'answer','status':200,'headers':{'Content-Type'"
                        ":'application/connect+proto'},'base64':'AP////8='}");
    start_marked(&process, "exit 3");
    assert_false(drive_until(&process, "O", PATIENCE_MS));
    assert_non_null(strstr(process.failure.text, "no message"));
    finish(&process);
}

/* --- Silence ---------------------------------------------------------------------------------- */

static void test_streams__silence_is_noticed(void **state)
{
    struct drive process;
    errand_notice notice = {0};
    errand_error error = {0};
    errand_scratch scratch = {NULL, 0};

    (void)state;
    cloud_fault(&cloud, "{'on':{'rpc':'Start'},'do':'silence','at':'start'}");
    start_marked(&process, "echo up; read x; exit 3");
    assert_true(drive_until(&process, "O", PATIENCE_MS));
    assert_false(drive_until(&process, "o", 300));
    /* Three keepalives later. */
    int64_t later_us = drive_now_us() + (int64_t)46 * 1000 * 1000;
    assert_int_equal(
        process.process->ops->next(process.process, later_us, scratch, &notice, &error), ERRAND_OK);
    assert_int_equal(notice.type, ERRAND_NOTICE_DROPPED);
    assert_non_null(strstr(notice.bytes.ptr, "three keepalives"));
    finish(&process);
}

/* What answers late or not at all to a start has started it all the same: it is cleared up. */
static void test_streams__a_proxy_that_holds_answers_back(void **state)
{
    struct drive process;
    errand_notice notice = {0};
    errand_error error = {0};
    errand_scratch scratch = {NULL, 0};

    (void)state;
    cloud_fault(&cloud, "{'on':{'rpc':'Start'},'do':'buffer','bytes':1000000}");
    start_marked(&process, "read x; exec sleep 600");
    assert_false(drive_until(&process, "O", 500));
    int64_t later_us = drive_now_us() + (int64_t)31 * 1000 * 1000;
    assert_int_equal(
        process.process->ops->next(process.process, later_us, scratch, &notice, &error),
        ERRAND_AGAIN);
    assert_false(drive_until(&process, "O", PATIENCE_MS));
    assert_string_equal(process.process->ops->code(process.process), "no_answer");
    assert_non_null(strstr(process.failure.text, "a proxy on the way may hold answers back"));
    drive_stop(&process, ERRAND_STOP_CLOSE);
    assert_true(drive_until(&process, "C", PATIENCE_MS));
    assert_string_equal(process.closed, "");
    finish(&process);
}

/* --- Input ------------------------------------------------------------------------------------ */

static void test_streams__input_whose_answer_is_lost_is_not_sent_again(void **state)
{
    struct drive process;

    (void)state;
    cloud_fault(&cloud,
                "{'on':{'rpc':'SendInput'},'do':'answer','status':504,'text':'x','late':true}");
    start_marked(&process, "while read x; do echo $x; done; exit 3");
    assert_true(drive_until(&process, "O", PATIENCE_MS));
    assert_true(drive_send(&process, SPAN_LITERAL("one\n"), PATIENCE_MS));
    assert_true(drive_until(&process, "D", PATIENCE_MS));
    assert_true(drive_until(&process, "A", PATIENCE_MS));
    assert_true(drive_send(&process, SPAN_LITERAL("two\n"), PATIENCE_MS));
    while (process.out_len < 8 && drive_until(&process, "X", 100) == false)
        continue;
    assert_string_equal(process.out, "one\ntwo\n");
    assert_int_equal(cloud_count(&cloud, "SendInput"), 2);
    assert_int_equal(cloud_count(&cloud, "Connect"), 0);
    finish(&process);
}

static void test_streams__input_to_a_closed_end_is_dropped(void **state)
{
    struct drive process;

    (void)state;
    cloud_fault(&cloud, "{'on':{'rpc':'SendInput'},'do':'answer','status':500,'json':{'code':"
                        "'internal','message':'error writing to stdin: stdin not enabled or "
                        "closed'}}");
    start_marked(&process, "sleep 1; exit 3");
    assert_true(drive_until(&process, "O", PATIENCE_MS));
    assert_true(drive_send(&process, SPAN_LITERAL("one\n"), PATIENCE_MS));
    assert_true(drive_send(&process, SPAN_LITERAL("two\n"), PATIENCE_MS));
    assert_true(drive_until(&process, "X", PATIENCE_MS));
    assert_false(drive_heard(&process, 'D'));
    finish(&process);
}

static void test_streams__one_request_at_a_time_and_what_waits_goes_together(void **state)
{
    struct drive process;

    (void)state;
    cloud_fault(&cloud, "{'on':{'rpc':'SendInput'},'do':'delay','ms':300}");
    start_marked(&process, "head -c 60000 | wc -c");
    assert_true(drive_until(&process, "O", PATIENCE_MS));
    char *bytes = calloc(1, 60000);
    assert_non_null(bytes);
    assert_true(drive_send(&process, span_of(bytes, 60000), PATIENCE_MS));
    free(bytes);
    assert_true(drive_until(&process, "X", PATIENCE_MS));
    assert_string_equal(process.out, "60000\n");
    assert_int_equal(cloud_count(&cloud, "SendInput"), 2);
    assert_null(strstr(cloud_ask(&cloud, "GET", "/requests", NULL), "\"rpc\":\"Connect\""));
    finish(&process);
}

/* --- Much ------------------------------------------------------------------------------------- */

static long peak_kib(void)
{
    struct rusage usage;

    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

static void rest_ms(int ms)
{
    (void)poll(NULL, 0, ms);
}

/* Whoever reads slowly slows the process down, and memory stays where it was. */
static void test_streams__much_output_and_a_slow_reader(void **state)
{
    struct drive process;
    enum { MUCH = 64 * 1024 * 1024 };
    long before = peak_kib();

    (void)state;
    start_marked(&process, "head -c 67108864 /dev/zero; exit 3");
    for (int i = 0; i < 20; i++) {
        (void)drive_until(&process, "X", 1);
        rest_ms(50);
    }
    assert_true(drive_until(&process, "X", 80000));
    assert_int_equal(process.out_total, MUCH);
    assert_int_equal(process.exit_code, 3);
    assert_false(drive_heard(&process, 'D'));
    if (!SANITIZED)
        assert_true(peak_kib() - before < 16384L);
    finish(&process);
}

/* --- Clearing up ------------------------------------------------------------------------------ */

static void test_streams__who_left_the_group_is_killed_and_named(void **state)
{
    struct drive process;

    (void)state;
    start_marked(&process, "setsid /bin/sh -c \"sleep 600\" $0 </dev/null >/dev/null 2>&1 & "
                           "sleep 0.3; exit 3");
    assert_true(drive_until(&process, "X", PATIENCE_MS));
    drive_stop(&process, ERRAND_STOP_CLOSE);
    assert_true(drive_until(&process, "C", PATIENCE_MS));
    assert_non_null(strstr(process.closed, "killed what had left the group: s"));
    assert_null(strstr(cloud_ask(&cloud, "GET", "/processes", NULL), "sleep 600"));
    finish(&process);
}

/* Its leader ends, and somebody who left the group holds the pipes: that is no reason to wait. */
static void test_streams__an_exit_while_its_pipes_are_held(void **state)
{
    struct drive process;

    (void)state;
    start_marked(&process, "setsid sleep 600 & sleep 0.3; echo x; exit 5");
    assert_true(drive_until(&process, "o", PATIENCE_MS));
    int64_t began_us = drive_now_us();
    assert_true(drive_until(&process, "X", PATIENCE_MS));
    assert_int_equal(process.exit_code, 5);
    /* Without being told to go; a look takes as long as the machine is busy. */
    assert_true(drive_now_us() - began_us < (int64_t)PATIENCE_MS * 500);
    finish(&process);
}

/* Whoever is only silent is let be. */
static void test_streams__silence_of_a_process_that_lives(void **state)
{
    struct drive process;

    (void)state;
    start_marked(&process, "echo x; sleep 3; echo y; exit 5");
    assert_true(drive_until(&process, "X", PATIENCE_MS));
    assert_int_equal(process.exit_code, 5);
    assert_string_equal(process.out, "x\ny\n");
    finish(&process);
}

#define TEST(name)      cmocka_unit_test_setup_teardown(name, begin, leave)
#define TEST_JSON(name) cmocka_unit_test_setup_teardown(name, begin_json, leave)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(test_streams__cut_at_every_byte),
        TEST_JSON(test_streams__cut_at_every_byte_in_json),
        TEST(test_streams__attaches_again_and_goes_on),
        TEST(test_streams__a_kept_end_is_heard_after_a_drop),
        cmocka_unit_test_setup_teardown(test_streams__an_end_that_nobody_kept_is_a_loss,
                                        begin_older, leave),
        TEST(test_streams__tries_for_long),
        TEST(test_streams__a_start_whose_answer_is_lost),
        TEST_JSON(test_streams__a_start_whose_answer_is_lost),
        TEST(test_streams__a_start_that_got_lost),
        TEST(test_streams__ends_of_every_shape),
        TEST_JSON(test_streams__ends_of_every_shape),
        TEST(test_streams__a_compressed_message_is_a_broken_stream),
        TEST(test_streams__a_length_that_no_message_has),
        TEST(test_streams__silence_is_noticed),
        TEST(test_streams__a_proxy_that_holds_answers_back),
        TEST(test_streams__input_whose_answer_is_lost_is_not_sent_again),
        TEST(test_streams__input_to_a_closed_end_is_dropped),
        TEST(test_streams__one_request_at_a_time_and_what_waits_goes_together),
        TEST(test_streams__much_output_and_a_slow_reader),
        TEST(test_streams__who_left_the_group_is_killed_and_named),
        TEST(test_streams__an_exit_while_its_pipes_are_held),
        TEST(test_streams__silence_of_a_process_that_lives),
    };

    cmocka_set_test_filter(argc > 1 ? argv[1] : NULL);
    return cmocka_run_group_tests(tests, start, end);
}
