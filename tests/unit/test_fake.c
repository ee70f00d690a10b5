/* test_fake.c - the fake's road and process by themselves, without a driver. */
#include "test.h"

#include "base/mem.h"
#include "transport/fake/fake.h"

#include <stdio.h>
#include <stdlib.h>

#define LINE  "sh 'x' 00112233445566ff 8899aabbccddeeff 5 digest"
#define MARK  "00112233445566ff8899aabbccddeeff"
#define FIRST "\n\n00112233445566ff\nxxxxboot 2\n{}\n00112233445566ff.\n"

struct far {
    errand_road *road;
    errand_process *process;
    int64_t now_us;
    char text[8192]; /* What was told, a word a notice. */
    size_t len;
    size_t notices;
};

static void note(struct far *far, const char *format, errand_span bytes, int number)
{
    int len = snprintf(far->text + far->len, sizeof(far->text) - far->len, format, number,
                       (int)bytes.len, bytes.len == 0 ? "" : bytes.ptr);
    assert_true(len >= 0 && (size_t)len < sizeof(far->text) - far->len);
    far->len += (size_t)len;
}

static void note_notice(struct far *far, const errand_notice *notice)
{
    switch (notice->type) {
    case ERRAND_NOTICE_OPENED:
        note(far, "opened%.0d%.*s;", SPAN_EMPTY, 0);
        break;
    case ERRAND_NOTICE_OUT:
        note(far, "%.0d%.*s|", notice->bytes, 0);
        break;
    case ERRAND_NOTICE_ERR:
        note(far, "%.0derr:%.*s|", notice->bytes, 0);
        break;
    case ERRAND_NOTICE_EOF:
        note(far, "%.0deof%.*s;", SPAN_EMPTY, 0);
        break;
    case ERRAND_NOTICE_EXITED:
        note(far, "exit %d%.*s;", SPAN_EMPTY,
             notice->exit_signal != 0 ? -notice->exit_signal : notice->exit_code);
        break;
    case ERRAND_NOTICE_CLOSED:
        note(far, "%.0dclosed%.*s;", notice->bytes, 0);
        break;
    case ERRAND_NOTICE_DROPPED:
        note(far, "%.0ddropped%.*s;", notice->bytes, 0);
        break;
    case ERRAND_NOTICE_ATTACHED:
        note(far, "%.0dattached%.*s;", SPAN_EMPTY, 0);
        break;
    }
}

/* Takes everything there is now. */
static void listen(struct far *far)
{
    char room[256];
    errand_notice notice = {0};
    errand_error error = {0};
    errand_status status;

    while ((status = far->process->ops->next(far->process, far->now_us,
                                             (errand_scratch){room, sizeof(room)}, &notice,
                                             &error)) == ERRAND_OK) {
        note_notice(far, &notice);
        far->notices++;
        assert_true(far->notices < 10000);
    }
    if (status < 0)
        note(far, "%.0dlost:%.*s;", span_text(error.text), 0);
}

static void open_with(struct far *far, const char *script)
{
    errand_error error = {0};

    *far = (struct far){.now_us = 0};
    assert_int_equal(errand__fake_road_new(&far->road, script, &error), ERRAND_OK);
    assert_int_equal(far->road->ops->open(far->road, 0, &error), ERRAND_OK);
    errand_launch launch = {.line = LINE};
    assert_int_equal(far->road->ops->launch(far->road, &launch, 0, &far->process, &error),
                     ERRAND_OK);
}

static void shut(struct far *far)
{
    far->process->ops->free(far->process);
    far->road->ops->free(far->road);
}

static int64_t due(struct far *far)
{
    int64_t due_us = -1;
    assert_int_equal(far->process->ops->wants(far->process, 1, 1, NULL, 0, &due_us), 0);
    return due_us;
}

/* Sends all that is taken; returns how much. */
static size_t send_text(struct far *far, const char *text)
{
    errand_error error = {0};
    size_t taken = 0;
    assert_int_equal(far->process->ops->send(far->process, span_text(text), &taken, &error),
                     ERRAND_OK);
    return taken;
}

static void order(struct far *far, errand_stop how)
{
    errand_error error = {0};
    assert_int_equal(far->process->ops->stop(far->process, how, far->now_us, &error), ERRAND_OK);
}

static void assert_told(struct far *far, const char *text)
{
    assert_string_equal(far->text, text);
    far->len = 0;
    far->text[0] = '\0';
}

static void test_fake__says_frames_with_their_sizes(void **state)
{
    (void)state;
    struct far far;
    open_with(&far, "frame hello MARK | {}\nlog info a\"b\ncall 3 0 1 [1]\ncall next 0 0\n");
    listen(&far);
    assert_told(&far, "opened;hello " MARK " 2\n{}\nlog info 6\n\"a\\\"b\"\ncall 3 0 1 3\n[1]\n"
                      "call 4 0 0 0\n\n|");
    shut(&far);
}

static void test_fake__joins_what_is_said_at_one_instant(void **state)
{
    (void)state;
    struct far far;
    open_with(&far, "raw \"a\"\nraw \"b\" times 3\nnoise \"e\"\nraw \"c\"\n+1ms raw \"d\"\n");
    listen(&far);
    assert_told(&far, "opened;abbb|err:e|c|");
    assert_int_equal(due(&far), 1000);
    far.now_us = 1000;
    listen(&far);
    assert_told(&far, "d|");
    assert_true(due(&far) == TIME_NEVER);
    shut(&far);
}

static void test_fake__cuts(void **state)
{
    (void)state;
    struct far far;
    open_with(&far, "cut 2 every 5us\nraw \"abcde\"\ncut off\nraw \"fgh\"\n");
    listen(&far);
    assert_told(&far, "opened;ab|");
    assert_int_equal(due(&far), 5);
    far.now_us = 5;
    listen(&far);
    far.now_us = 10;
    listen(&far);
    assert_told(&far, "cd|e|fgh|");
    shut(&far);
    open_with(&far, "cut at 4\nraw \"abc\"\nraw \"def\"\n");
    listen(&far);
    assert_told(&far, "opened;abcd|ef|");
    shut(&far);
}

static void test_fake__repeats_and_floods(void **state)
{
    (void)state;
    struct far far;
    open_with(&far, "repeat 2\nraw \"a\"\nrepeat 3\nraw \"b\"\nend\nend\nflood 2 3\n");
    listen(&far);
    assert_told(&far, "opened;abbbabbblog log 5\n\"xxx\"\nlog log 5\n\"xxx\"\n|");
    shut(&far);
}

static void test_fake__awaits_what_home_says(void **state)
{
    (void)state;
    struct far far;
    open_with(&far, "await boot\nraw \"b\"\ncall 7 0 0 1\nawait reply 7 ok {\"t\":1}\n"
                    "raw \"r\"\nawait stop\nraw \"s\"\n");
    listen(&far);
    assert_told(&far, "opened;");
    assert_int_equal(send_text(&far, FIRST), strlen(FIRST));
    assert_int_equal(due(&far), 0);
    listen(&far);
    assert_told(&far, "bcall 7 0 0 1\n1\n|");
    (void)send_text(&far, "reply 7 ok 7\n{\"t\":");
    listen(&far);
    assert_told(&far, "");
    (void)send_text(&far, "1}\n");
    listen(&far);
    assert_told(&far, "r|");
    (void)send_text(&far, "stop 50\n");
    listen(&far);
    assert_told(&far, "s|");
    shut(&far);
}

static void test_fake__another_answer_loses_the_road(void **state)
{
    (void)state;
    struct far far;
    open_with(&far, "call 7 0 0 1\nawait reply 7 ok 2\n");
    listen(&far);
    far.len = 0;
    (void)send_text(&far, FIRST "reply 7 ok 1\n1\n");
    listen(&far);
    assert_told(&far, "lost:fake: line 2: call 7 was answered ok with 1 bytes, which is not what "
                      "the script awaits;");
    shut(&far);
}

static void assert_unheard(const char *text, const char *why)
{
    struct far far;
    errand_error error = {0};
    size_t taken = 0;

    open_with(&far, "call 7 0 0 1\n");
    listen(&far);
    (void)send_text(&far, FIRST);
    assert_int_equal(far.process->ops->send(far.process, span_text(text), &taken, &error),
                     ERRAND_EINVAL);
    assert_string_equal(error.text, why);
    shut(&far);
}

static void test_fake__does_not_trust_home(void **state)
{
    (void)state;
    assert_unheard("hullo\n", "fake: home sent what is no frame: hullo");
    assert_unheard("stop 05\n", "fake: home sent what is no frame: stop 05");
    assert_unheard("reply 7 maybe 0\n\n", "fake: home sent what is no frame: reply 7 maybe 0");
    assert_unheard("reply 7 ok 1\n12", "fake: a payload from home is longer than its header says");
    assert_unheard("reply 8 ok 0\n\n", "fake: home answered call 8, which was never made");
    assert_unheard("reply 7 ok 0\n\nreply 7 ok 0\n\n", "fake: home answered call 7 twice");
    assert_unheard("boot 2\n{}\n", "fake: home sent what is no frame: boot 2");
}

static void test_fake__skips_the_runner_it_wanted(void **state)
{
    (void)state;
    struct far far;
    open_with(&far, "want\nawait ping\nraw \"p\"\n");
    listen(&far);
    assert_told(&far, "opened;want " MARK "\n|");
    (void)send_text(&far, FIRST "stop ping 3\n");
    listen(&far);
    assert_told(&far, "p|");
    shut(&far);
}

static void test_fake__leaves_dies_and_closes_unless_told_otherwise(void **state)
{
    (void)state;
    struct far far;
    open_with(&far, "hello {}\n");
    listen(&far);
    far.len = 0;
    (void)send_text(&far, FIRST "ping 9\nstop 1\n");
    listen(&far);
    assert_told(&far, "eof;exit 0;");
    order(&far, ERRAND_STOP_CLOSE);
    listen(&far);
    assert_told(&far, "closed;");
    assert_true(due(&far) == TIME_NEVER);
    shut(&far);

    open_with(&far, "ignore term\nhold pipe\nclose warns two left\nclose after 1ms\nhang\n");
    listen(&far);
    order(&far, ERRAND_STOP_TERM);
    listen(&far);
    assert_told(&far, "opened;");
    order(&far, ERRAND_STOP_KILL);
    listen(&far);
    assert_told(&far, "exit -9;");
    order(&far, ERRAND_STOP_CLOSE);
    listen(&far);
    assert_told(&far, "");
    assert_int_equal(due(&far), 1000);
    far.now_us = 1000;
    listen(&far);
    assert_told(&far, "closedtwo left;");
    shut(&far);
}

static void test_fake__answers_pings_between_frames(void **state)
{
    (void)state;
    struct far far;
    open_with(&far, "hello {}\ncut 20 every 1us\nlog info 0123456789\nhang\n");
    listen(&far);
    far.len = 0;
    (void)send_text(&far, FIRST "ping 9\n");
    far.now_us = 1;
    listen(&far);
    far.now_us = 2;
    listen(&far);
    assert_told(&far, "789\"\n|beat 9\n|");
    shut(&far);
}

static void test_fake__takes_as_little_as_it_is_told_to(void **state)
{
    (void)state;
    struct far far;
    open_with(&far, "deaf\n+5us take 3\n+1us take 2 every 10us\n+100us take all\n");
    listen(&far);
    assert_int_equal(send_text(&far, "abcdef"), 0);
    assert_int_equal(due(&far), 5);
    far.now_us = 5;
    listen(&far);
    assert_int_equal(due(&far), 5); /* Home may go on. */
    assert_int_equal(send_text(&far, "abcdef"), 3);
    far.now_us = 6;
    listen(&far);
    assert_int_equal(send_text(&far, "abcdef"), 2);
    assert_int_equal(send_text(&far, "cdef"), 0);
    assert_int_equal(due(&far), 16);
    far.now_us = 106;
    listen(&far);
    assert_int_equal(send_text(&far, "abcdef"), 6);
    shut(&far);
}

static void test_fake__parts_are_for_one_run_each(void **state)
{
    (void)state;
    struct far far;
    errand_error error = {0};
    errand_launch launch = {.line = LINE};

    open_with(&far, "exit 1\nnext run\nrefuse no more of these\nnext run\nkilled ABRT\n");
    listen(&far);
    assert_told(&far, "opened;eof;exit 1;");
    far.process->ops->free(far.process);
    assert_int_equal(far.road->ops->launch(far.road, &launch, 0, &far.process, &error), ERRAND_EIO);
    assert_string_equal(error.text, "no more of these");
    assert_int_equal(far.road->ops->launch(far.road, &launch, 0, &far.process, &error), ERRAND_OK);
    listen(&far);
    assert_told(&far, "opened;eof;exit -6;");
    shut(&far);
}

static void test_fake__place_opens_late_or_not_at_all(void **state)
{
    (void)state;
    errand_road *road = NULL;
    errand_error error = {0};
    int64_t due_us = 0;

    assert_int_equal(
        errand__fake_road_new(&road, "open after 2s\nopen fails nobody home\nlease 45s\n", &error),
        ERRAND_OK);
    assert_int_equal(road->ops->lease_ms, 45000);
    assert_int_equal(road->ops->open(road, 7, &error), ERRAND_AGAIN);
    (void)road->ops->wants(road, NULL, 0, &due_us);
    assert_int_equal(due_us, 2000007);
    assert_int_equal(road->ops->open(road, 2000007, &error), ERRAND_EIO);
    assert_string_equal(error.text, "nobody home");
    road->ops->free(road);
}

static void test_fake__misuse_names_the_line(void **state)
{
    (void)state;
    static const struct {
        const char *script, *text;
    } cases[] = {
        {"hello\nfoo", "fake: line 2: no such step: foo"},
        {"+20", "fake: line 1: wants a time in us, ms, s, m or h"},
        {"+ms", "fake: line 1: wants a time such as 20ms"},
        {"+99999999999999999999s", "fake: line 1: wants a time such as 20ms"},
        {"+99999h hello", "fake: line 1: a time of more than 400 days"},
        {"exit 256", "fake: line 1: wants a number from 0 to 255, not '256'"},
        {"exit 0 now", "fake: line 1: too much: now"},
        {"raw \"a", "fake: line 1: a quote is not closed"},
        {"raw \"\"", "fake: line 1: there is nothing between the quotes"},
        {"raw \"\\q\"", "fake: line 1: knows \\n \\r \\t \\\" \\\\ \\0 \\xHH and \\M in quotes"},
        {"repeat 3\ncut 1\nend", "fake: line 3: what is repeated has to say or wait something"},
        {"repeat 3\nhello", "fake: line 2: repeat without end"},
        {"end", "fake: line 1: end without repeat"},
        {"hello\nstart", "fake: line 2: start comes once, before anything is said"},
        {"done", "fake: line 1: wants: done ok [PAYLOAD], or done error PAYLOAD"},
        {"await nothing",
         "fake: line 1: awaits boot, stop, ping, asset, term, kill, reply or input"},
        {"ignore me", "fake: line 1: ignores stop, term, kill or ping"},
        {"flood 1000000000 1000000000\nflood 9 9", "fake: line 1: that is more than can be said"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        errand_road *road = NULL;
        errand_error error = {0};
        assert_int_equal(errand__fake_road_new(&road, cases[i].script, &error), ERRAND_EINVAL);
        assert_string_equal(error.text, cases[i].text);
    }
}

static void test_fake__runs_out_of_memory_in_words(void **state)
{
    (void)state;
    static const char script[] = "hello\nraw \"\\M\"\nnext run\nfail x\nlog a \"b\"\n";
    errand_error error = {0};
    errand_road *road = NULL;
    errand_status status = ERRAND_ENOMEM;

    for (long n = 0; status == ERRAND_ENOMEM; n++) {
        error = (errand_error){0};
        errand__mem_countdown = n;
        status = errand__fake_road_new(&road, script, &error);
        errand__mem_countdown = -1;
        assert_true(n < 1000);
        if (status != ERRAND_OK)
            assert_string_equal(error.text, "fake: no memory");
    }
    assert_int_equal(status, ERRAND_OK);
    road->ops->free(road);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fake__says_frames_with_their_sizes),
        cmocka_unit_test(test_fake__joins_what_is_said_at_one_instant),
        cmocka_unit_test(test_fake__cuts),
        cmocka_unit_test(test_fake__repeats_and_floods),
        cmocka_unit_test(test_fake__awaits_what_home_says),
        cmocka_unit_test(test_fake__another_answer_loses_the_road),
        cmocka_unit_test(test_fake__does_not_trust_home),
        cmocka_unit_test(test_fake__skips_the_runner_it_wanted),
        cmocka_unit_test(test_fake__leaves_dies_and_closes_unless_told_otherwise),
        cmocka_unit_test(test_fake__answers_pings_between_frames),
        cmocka_unit_test(test_fake__takes_as_little_as_it_is_told_to),
        cmocka_unit_test(test_fake__parts_are_for_one_run_each),
        cmocka_unit_test(test_fake__place_opens_late_or_not_at_all),
        cmocka_unit_test(test_fake__misuse_names_the_line),
        cmocka_unit_test(test_fake__runs_out_of_memory_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
