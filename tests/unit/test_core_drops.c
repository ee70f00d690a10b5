/* test_core_drops.c - the life of a run whose way to the process breaks and is found again, and of
 * one whose is not. The far side speaks the lines of docs/protocol.md, section 8, as they stand. */
#include "test.h"

#include "base/err.h"
#include "base/mem.h"
#include "core/segments.h"
#include "played.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define RESUMED "resumed " PLAY_MARK " "
#define CALL_1  "call 1 0 0 2\n{}\n"
#define CALL_2  "call 2 0 1 0\n\n"

enum { WINDOW = 4096, LEASE_MS = 5000 };

struct far {
    struct play play;
    uint64_t said; /* Of the stream to home. */
};

static struct core_setup drops_setup(void)
{
    struct core_setup setup = play_setup();

    setup.reattaches = true;
    setup.limits.replay_bytes = WINDOW;
    setup.limits.lease_ms = LEASE_MS;
    return setup;
}

static struct far opened(const struct core_setup *setup)
{
    struct far far = {.said = 0};

    play_init(&far.play, setup);
    assert_non_null(far.play.core);
    play_opened(&far.play);
    return far;
}

static struct far begun_with(const struct core_setup *setup)
{
    struct far far = opened(setup);

    play_out(&far.play, PLAY_HELLO RESUMED "0 0\n");
    return far;
}

static struct far begun(void)
{
    struct core_setup setup = drops_setup();
    return begun_with(&setup);
}

static void put(struct play *play, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct play *play, const char *format, ...)
{
    char *text = NULL;
    va_list args;

    va_start(args, format);
    assert_true(vasprintf(&text, format, args) >= 0);
    va_end(args);
    play_out(play, text);
    free(text);
}

/* The next piece of the stream. */
static void say(struct far *far, const char *text)
{
    put(&far->play, "seg %" PRIu64 " %zu\n%s\n", far->said, strlen(text), text);
    far->said += strlen(text);
}

static void drop(struct far *far)
{
    errand__core_dropped(far->play.core, far->play.now_us, SPAN_LITERAL("reset by peer"));
    play_drain(&far->play);
    assert_int_equal(errand__core_outbox(far->play.core).len, 0);
}

static void attach(struct far *far)
{
    errand__core_attached(far->play.core, far->play.now_us);
    play_drain(&far->play);
}

/* Since the last time that this was asked. */
static const char *sent(struct far *far)
{
    static char text[sizeof(far->play.sent)];

    memcpy(text, far->play.sent, far->play.sent_len + 1);
    far->play.sent[far->play.sent_len = 0] = '\0';
    return text;
}

#define assert_sent(far, text) assert_string_equal(sent(far), (text))

static unsigned count(const struct play *play, const char *words)
{
    unsigned found = 0;

    for (const char *at = play->text; at != NULL && (at = strstr(at, words)) != NULL; at++)
        found++;
    return found;
}

/* Goes on to a value, whatever was before. */
static void finish(struct far *far)
{
    say(far, PLAY_VALUE);
    play_over(&far->play);
    assert_outcome(&far->play, VALUE, "");
    assert_int_equal(far->play.end->outcome_unknown, 0);
}

static void over(struct far *far)
{
    play_deinit(&far->play);
}

/* --- Without a drop ----------------------------------------------------------------------- */

static void test_core_drops__both_streams_go_in_segments(void **state)
{
    struct far far = begun();
    (void)state;

    assert_sent(&far, "boot 2\n{}\n");
    say(&far, "log in");
    say(&far, "fo 3\n\"a\"\n" CALL_1);
    assert_int_equal(count(&far.play, "log info \"a\" a\n"), 1);
    play_answer(&far.play, 1, "5");
    assert_sent(&far, "seg 0 15\nreply 1 ok 1\n5\n\n");
    put(&far.play, "ack 15\n");
    finish(&far);
    assert_sent(&far, "ack 43\nseg 15 10\nstop 1000\n\n");
    assert_int_equal(far.play.end->drops, 0);
    assert_int_equal(far.play.end->frames_sent, 3);
    over(&far);
}

static void test_core_drops__an_acknowledgement_is_due_for_a_quarter(void **state)
{
    struct far far = begun();
    char text[WINDOW / 4 + 1] = "";
    (void)state;

    (void)sent(&far);
    (void)snprintf(text, sizeof(text), "log info 1008\n\"%1006s\"", "");
    assert_int_equal(strlen(text), WINDOW / 4 - 2);
    say(&far, text);
    say(&far, "\n");
    assert_sent(&far, "");
    say(&far, "c");
    assert_sent(&far, "ack 1024\n");
    say(&far, "all 1 0 0 0\n\n");
    assert_int_equal(far.play.ends, 0);
    finish(&far);
    over(&far);
}

/* A runner waits with leaving until home has it all. */
static void test_core_drops__the_end_is_acknowledged_at_once(void **state)
{
    struct far far = begun();
    (void)state;

    (void)sent(&far);
    say(&far, PLAY_VALUE);
    assert_sent(&far, "ack 12\nseg 0 10\nstop 1000\n\n");
    say(&far, "stats 2\n{}\n");
    assert_sent(&far, "ack 23\n");
    play_over(&far.play);
    assert_outcome(&far.play, VALUE, "");
    over(&far);
}

/* --- Where the way may break -------------------------------------------------------------- */

static void test_core_drops__before_opened_it_is_lost(void **state)
{
    struct core_setup setup = drops_setup();
    struct far far = {.said = 0};
    (void)state;

    play_init(&far.play, &setup);
    drop(&far);
    assert_int_equal(errand__core_phase(far.play.core), CORE_CLOSING);
    play_closed(&far.play);
    assert_outcome(&far.play, WORKER_EXIT, "lost");
    assert_span(far.play.end->message, "the stream broke: reset by peer");
    assert_int_equal(far.play.end->outcome_unknown, 0);
    over(&far);
}

static void test_core_drops__with_bare_bytes_to_send_it_is_lost(void **state)
{
    struct core_setup setup = drops_setup();
    struct far far = {.said = 0};
    (void)state;

    play_init(&far.play, &setup);
    errand__core_opened(far.play.core, 0);
    assert_int_equal(errand__core_outbox(far.play.core).len, 10);
    errand__core_sent(far.play.core, 9);
    drop(&far);
    play_closed(&far.play);
    assert_outcome(&far.play, WORKER_EXIT, "lost");
    assert_int_equal(far.play.end->outcome_unknown, 0);
    assert_int_equal(far.play.end->drops, 0);
    over(&far);
}

static void test_core_drops__where_nothing_reattaches_it_is_lost(void **state)
{
    struct core_setup setup = drops_setup();
    (void)state;

    setup.reattaches = false;
    struct far far = opened(&setup);
    play_out(&far.play, PLAY_HELLO CALL_1);
    drop(&far);
    play_closed(&far.play);
    assert_outcome(&far.play, WORKER_EXIT, "lost");
    assert_int_equal(far.play.end->outcome_unknown, 1);
    assert_int_equal(far.play.end->calls[0].status, ERRAND_CALL_CANCELLED);
    over(&far);
}

/* The runner says hello once more, since nobody knows whether home has it. */
static void test_core_drops__before_hello_and_at_every_byte_of_it(void **state)
{
    static const char whole[] = PLAY_HELLO RESUMED "0 0\nseg 0 16\n" CALL_1;
    const size_t hello = sizeof(PLAY_HELLO) - 1;
    (void)state;

    for (size_t len = 0; len < hello; len++) {
        for (size_t gone = len; gone < sizeof(whole); gone += 13) {
            struct core_setup setup = drops_setup();
            struct far far = opened(&setup);
            play_out_bytes(&far.play, span_of(whole, len));
            (void)sent(&far);
            drop(&far);
            attach(&far);
            assert_sent(&far, "resume 1 0\n");
            /* The rest of what was said before, from anywhere, then what answers; in one piece. */
            put(&far.play, "%s" PLAY_HELLO RESUMED "1 0\nseg 0 16\n" CALL_1 "\n", whole + gone);
            far.said = 16;
            assert_int_equal(count(&far.play, "started v22.4.1 4711\n"), 1);
            assert_int_equal(count(&far.play, "call 1 tools.weather {}\n"), 1);
            play_answer(&far.play, 1, "5");
            assert_sent(&far, "seg 0 15\nreply 1 ok 1\n5\n\n");
            finish(&far);
            assert_int_equal(far.play.end->drops, 1);
            assert_int_equal(far.play.end->noise.len, 0);
            over(&far);
        }
    }
}

static void test_core_drops__between_hello_and_resumed(void **state)
{
    static const char line[] = RESUMED "0 0\n";
    (void)state;

    for (size_t len = 0; len < sizeof(line) - 1; len++) {
        struct core_setup setup = drops_setup();
        struct far far = opened(&setup);
        play_out(&far.play, PLAY_HELLO);
        play_out_bytes(&far.play, span_of(line, len));
        (void)sent(&far);
        drop(&far);
        attach(&far);
        assert_sent(&far, "resume 1 0\n");
        put(&far.play, "%s" PLAY_HELLO RESUMED "1 0\n", line + len);
        say(&far, CALL_1);
        assert_int_equal(count(&far.play, "started"), 1);
        assert_int_equal(count(&far.play, "call 1 "), 1);
        finish(&far);
        over(&far);
    }
}

/* Answers given while the way is broken arrive once, and so does one that was under way. */
static void test_core_drops__with_calls_in_flight(void **state)
{
    struct far far = begun();
    (void)state;

    say(&far, CALL_1 CALL_2);
    play_answer(&far.play, 1, "11");
    (void)sent(&far); /* Under way: it does not arrive. */
    drop(&far);
    play_answer(&far.play, 2, "22");
    assert_sent(&far, "");
    play_pass(&far.play, 1000);
    attach(&far);
    assert_sent(&far, "resume 1 30\n");
    put(&far.play, "garbage from before\n" RESUMED "1 0\n");
    assert_sent(&far, "seg 0 16\nreply 1 ok 2\n11\n\nseg 16 16\nreply 2 ok 2\n22\n\n");
    put(&far.play, "ack 32\n");
    drop(&far);
    attach(&far);
    assert_sent(&far, "resume 2 30\n");
    put(&far.play, RESUMED "2 32\n");
    assert_sent(&far, "");
    finish(&far);
    assert_int_equal(far.play.end->drops, 2);
    assert_int_equal(far.play.end->calls[0].status, ERRAND_CALL_OK);
    assert_int_equal(far.play.end->calls[1].status, ERRAND_CALL_OK);
    over(&far);
}

/* What the runner says again is known in part, or not at all, or wholly. */
static void test_core_drops__what_is_said_again_is_taken_once(void **state)
{
    static const char stream[] = "log info 3\n\"a\"\nlog info 3\n\"b\"\n";
    const size_t len = sizeof(stream) - 1;
    (void)state;

    for (size_t heard = 0; heard <= len; heard++) {
        for (size_t from = 0; from <= heard; from += 3) {
            struct far far = begun();
            put(&far.play, "seg 0 %zu\n%.*s", len, (int)heard, stream);
            (void)sent(&far);
            drop(&far);
            attach(&far);
            put(&far.play, RESUMED "1 0\n");
            if (from < len)
                put(&far.play, "seg %zu %zu\n%s\n", from, len - from, stream + from);
            far.said = len;
            assert_int_equal(count(&far.play, "log info \"a\" a\n"), 1);
            assert_int_equal(count(&far.play, "log info \"b\" b\n"), 1);
            finish(&far);
            assert_int_equal(far.play.end->logs_total, 2);
            over(&far);
        }
    }
}

static void test_core_drops__while_leaving(void **state)
{
    struct far far = begun();
    (void)state;

    say(&far, PLAY_VALUE);
    (void)sent(&far); /* The acknowledgement and stop do not arrive. */
    drop(&far);
    attach(&far);
    assert_sent(&far, "resume 1 12\n");
    put(&far.play, RESUMED "1 0\n");
    assert_sent(&far, "seg 0 10\nstop 1000\n\n");
    say(&far, "left 1 5 x\n");
    assert_sent(&far, "ack 23\n");
    play_over(&far.play);
    assert_outcome(&far.play, VALUE, "");
    assert_int_equal(count(&far.play, "warning killed what had left the group: x (5)\n"), 1);
    over(&far);
}

/* The ladder climbs without a way: orders go by another one. */
static void test_core_drops__while_leaving_and_not_found_again(void **state)
{
    struct far far = begun();
    (void)state;

    say(&far, PLAY_VALUE);
    drop(&far);
    play_pass(&far.play, 1000);
    assert_string_equal(far.play.orders, "T");
    play_pass(&far.play, 2000);
    assert_string_equal(far.play.orders, "TK");
    play_exited(&far.play, -1, 9);
    play_pass(&far.play, 1000);
    assert_string_equal(far.play.orders, "TKC");
    play_closed(&far.play);
    assert_outcome(&far.play, VALUE, "");
    assert_int_equal(far.play.end->outcome_unknown, 0);
    over(&far);
}

static void test_core_drops__while_closing_and_after_the_end(void **state)
{
    struct far far = begun();
    (void)state;

    say(&far, PLAY_VALUE);
    play_eof(&far.play);
    play_exited(&far.play, 0, 0);
    assert_int_equal(errand__core_phase(far.play.core), CORE_CLOSING);
    drop(&far);
    attach(&far);
    assert_int_equal(far.play.ends, 0);
    play_closed(&far.play);
    assert_outcome(&far.play, VALUE, "");
    assert_int_equal(far.play.end->abandoned, 0);
    drop(&far);
    attach(&far);
    play_out(&far.play, RESUMED "1 0\n");
    assert_int_equal(far.play.ends, 1);
    assert_int_equal(far.play.end->drops, 0);
    assert_int_equal(errand__core_due(far.play.core), TIME_NEVER);
    over(&far);
}

static void test_core_drops__attached_without_a_drop_is_nothing(void **state)
{
    struct far far = begun();
    (void)state;

    (void)sent(&far);
    attach(&far);
    assert_sent(&far, "");
    say(&far, CALL_1);
    drop(&far);
    attach(&far);
    attach(&far);
    assert_sent(&far, "resume 1 16\n");
    put(&far.play, RESUMED "1 0\n");
    finish(&far);
    over(&far);
}

/* No resumption into half a boot message: it would be read as a part of it. */
static void test_core_drops__nothing_is_said_into_half_a_boot(void **state)
{
    struct core_setup setup = drops_setup();
    struct far far = {.said = 0};
    (void)state;

    play_init(&far.play, &setup);
    errand__core_opened(far.play.core, 0);
    errand__core_sent(far.play.core, 5);
    play_cancel(&far.play, "");
    assert_int_equal(errand__core_phase(far.play.core), CORE_LEAVING);
    drop(&far);
    attach(&far);
    assert_sent(&far, "");
    play_over(&far.play);
    assert_outcome(&far.play, ABORT, "cancelled");
    over(&far);
}

/* --- Twice in a row ----------------------------------------------------------------------- */

static void test_core_drops__two_in_a_row(void **state)
{
    struct far far = begun();
    (void)state;

    say(&far, CALL_1);
    play_answer(&far.play, 1, "5");
    (void)sent(&far);
    drop(&far);
    attach(&far);
    assert_sent(&far, "resume 1 16\n"); /* Which the runner gets, and its answer breaks off. */
    play_out(&far.play, RESUMED "1 ");
    drop(&far);
    attach(&far);
    assert_sent(&far, "resume 2 16\n");
    put(&far.play, "15\nseg 16 3\n?!?\n" RESUMED "2 15\n");
    assert_sent(&far, "");
    finish(&far);
    assert_int_equal(far.play.end->drops, 2);
    over(&far);
}

/* The answer to the first resumption comes when the second one was already asked for. */
static void test_core_drops__an_older_epoch_is_passed_over(void **state)
{
    struct far far = begun();
    (void)state;

    say(&far, CALL_1);
    play_answer(&far.play, 1, "5");
    drop(&far);
    attach(&far);
    drop(&far);
    attach(&far);
    (void)sent(&far);
    put(&far.play, RESUMED "1 0\nseg 16 3\n?!?\n");
    assert_sent(&far, "");
    put(&far.play, RESUMED "0 0\n");
    assert_sent(&far, "");
    put(&far.play, RESUMED "2 3\n");
    assert_sent(&far, "seg 3 12\nly 1 ok 1\n5\n\n");
    finish(&far);
    over(&far);
}

/* --- Time --------------------------------------------------------------------------------- */

static void test_core_drops__not_found_again_within_the_lease(void **state)
{
    struct far far = begun();
    (void)state;

    say(&far, CALL_1 CALL_2);
    play_answer(&far.play, 1, "5");
    play_pass(&far.play, 100);
    drop(&far);
    play_pass(&far.play, LEASE_MS - 1);
    assert_string_equal(far.play.orders, "");
    play_pass(&far.play, 1);
    assert_int_equal(count(&far.play, "over 2 ended\n"), 1);
    assert_string_equal(far.play.orders, "T");
    play_exited(&far.play, -1, 15);
    play_pass(&far.play, 1000);
    play_closed(&far.play);
    assert_outcome(&far.play, WORKER_EXIT, "lost");
    assert_string_equal(far.play.end->limit, "lease_ms");
    assert_span(far.play.end->message, "the stream broke and was not found again (5000ms)");
    assert_int_equal(far.play.end->outcome_unknown, 1);
    assert_int_equal(far.play.end->calls_count, 2);
    assert_int_equal(far.play.end->calls[0].status, ERRAND_CALL_OK);
    assert_int_equal(far.play.end->calls[1].status, ERRAND_CALL_CANCELLED);
    over(&far);
}

/* Attached is not agreed; and a second drop gives no more time than the first. */
static void test_core_drops__the_lease_counts_from_the_first_drop(void **state)
{
    struct far far = begun();
    (void)state;

    say(&far, CALL_1);
    drop(&far);
    play_pass(&far.play, 2000);
    attach(&far);
    play_pass(&far.play, 1000);
    play_out(&far.play, "bytes of before, for as long as they come");
    drop(&far);
    play_pass(&far.play, 1000);
    attach(&far);
    play_pass(&far.play, 999);
    assert_string_equal(far.play.orders, "");
    play_pass(&far.play, 1);
    assert_string_equal(far.play.orders, "T");
    play_over(&far.play);
    assert_outcome(&far.play, WORKER_EXIT, "lost");
    over(&far);
}

static void test_core_drops__found_again_the_lease_begins_anew(void **state)
{
    struct far far = begun();
    (void)state;

    say(&far, CALL_1);
    drop(&far);
    play_pass(&far.play, LEASE_MS - 1);
    attach(&far);
    put(&far.play, RESUMED "1 0\n");
    play_pass(&far.play, LEASE_MS - 1);
    drop(&far);
    play_pass(&far.play, LEASE_MS - 1);
    attach(&far);
    put(&far.play, RESUMED "2 0\n");
    play_pass(&far.play, LEASE_MS - 1);
    assert_string_equal(far.play.orders, "");
    play_pass(&far.play, 1); /* And silence is what it was. */
    play_over(&far.play);
    assert_outcome(&far.play, WORKER_EXIT, "lost");
    assert_span(far.play.end->message, "nothing was heard of the runner (5000ms)");
    over(&far);
}

/* While it is broken pings are pointless; of those that are due, at most one waits. */
static void test_core_drops__pings_do_not_pile_up(void **state)
{
    struct far far = begun();
    (void)state;

    (void)sent(&far);
    drop(&far);
    play_pass(&far.play, LEASE_MS - 1);
    attach(&far);
    put(&far.play, RESUMED "1 0\n");
    assert_sent(&far, "resume 1 0\nseg 0 7\nping 1\n\n");
    say(&far, "beat 1\n");
    finish(&far);
    over(&far);
}

static void test_core_drops__without_a_lease_it_waits(void **state)
{
    struct core_setup setup = drops_setup();
    (void)state;

    setup.limits.lease_ms = 0;
    struct far far = begun_with(&setup);
    drop(&far);
    play_pass(&far.play, 599999);
    assert_string_equal(far.play.orders, "");
    attach(&far);
    put(&far.play, RESUMED "1 0\n");
    finish(&far);
    over(&far);
}

static void test_core_drops__without_a_lease_the_wall_ends_it(void **state)
{
    struct core_setup setup = drops_setup();
    (void)state;

    setup.limits.lease_ms = 0;
    struct far far = begun_with(&setup);
    drop(&far);
    play_pass(&far.play, 600000);
    assert_string_equal(far.play.orders, "T");
    play_pass(&far.play, 2000);
    assert_string_equal(far.play.orders, "TK");
    play_pass(&far.play, 5000);
    play_closed(&far.play);
    assert_outcome(&far.play, TIMEOUT, "wall_timeout");
    over(&far);
}

static void test_core_drops__cancelled_while_broken(void **state)
{
    struct far far = begun();
    (void)state;

    say(&far, CALL_1);
    (void)sent(&far);
    drop(&far);
    play_cancel(&far.play, "enough");
    assert_int_equal(count(&far.play, "over 1 ended\n"), 1);
    assert_sent(&far, "");
    play_pass(&far.play, 500);
    attach(&far);
    put(&far.play, RESUMED "1 0\n");
    assert_sent(&far, "resume 1 16\nseg 0 10\nstop 1000\n\n");
    play_over(&far.play);
    assert_outcome(&far.play, ABORT, "cancelled");
    assert_string_equal(far.play.orders, "C");
    over(&far);
}

/* A half of an answer that went out as a piece is completed before stop, also after a break. */
static void test_core_drops__half_a_frame_is_completed(void **state)
{
    struct far far = begun();
    char json[2 * WINDOW] = "";
    (void)state;

    memset(json, 'x', sizeof(json) - 1);
    json[0] = json[sizeof(json) - 2] = '"';
    say(&far, CALL_1);
    (void)sent(&far);
    play_answer(&far.play, 1, json);
    assert_int_equal(strncmp(sent(&far), "seg 0 4096\nreply 1 ok 8191\n", 27), 0);
    play_cancel(&far.play, "");
    assert_sent(&far, "ack 16\n");
    drop(&far);
    attach(&far);
    put(&far.play, RESUMED "1 4000\n");
    const char *again = sent(&far);
    assert_int_equal(strncmp(again, "resume 1 16\nseg 4000 96\nxxx", 27), 0);
    assert_non_null(strstr(again, "seg 4096 4000\nxxx"));
    put(&far.play, "ack 8096\n");
    const char *rest = sent(&far);
    assert_non_null(strstr(rest, "\"\nstop 1000\n\n"));
    play_over(&far.play);
    over(&far);
}

/* --- Ends while the way is broken --------------------------------------------------------- */

/* Nobody knows what it said last. */
static void test_core_drops__gone_before_it_was_found_again(void **state)
{
    struct far far = begun();
    (void)state;

    say(&far, "log info 3\n\"a\"\n");
    drop(&far);
    attach(&far);
    play_over(&far.play);
    assert_outcome(&far.play, WORKER_EXIT, "runner_exited");
    assert_int_equal(far.play.end->outcome_unknown, 1);
    over(&far);
    far = begun();
    drop(&far);
    attach(&far);
    put(&far.play, RESUMED "1 0\n");
    play_over(&far.play);
    assert_outcome(&far.play, WORKER_EXIT, "runner_exited");
    assert_int_equal(far.play.end->outcome_unknown, 0);
    over(&far);
}

static void test_core_drops__lost_for_good_while_broken(void **state)
{
    struct far far = begun();
    errand_error why = {0};
    (void)state;

    say(&far, CALL_1);
    drop(&far);
    (void)errand__fail(&why, ERRAND_EIO, 0, "the sandbox is gone");
    errand__core_lost(far.play.core, far.play.now_us, "sandbox_expired", &why);
    drop(&far);
    play_drain(&far.play);
    play_closed(&far.play);
    assert_outcome(&far.play, WORKER_EXIT, "sandbox_expired");
    assert_int_equal(far.play.end->outcome_unknown, 1);
    assert_int_equal(far.play.end->calls[0].status, ERRAND_CALL_CANCELLED);
    assert_int_equal(far.play.end->drops, 1);
    over(&far);
}

/* --- Windows ------------------------------------------------------------------------------ */

/* A far side that asks and never acknowledges. */
static void test_core_drops__what_is_not_acknowledged_does_not_pile_up(void **state)
{
    struct core_setup setup = drops_setup();
    char json[1001] = "";
    unsigned taken = 0;
    (void)state;

    setup.limits.frame_bytes = 4000;
    struct far far = begun_with(&setup);
    memset(json, 'x', sizeof(json) - 1);
    json[0] = json[sizeof(json) - 2] = '"';
    for (unsigned id = 1; id <= 30; id++) {
        char call[64];
        errand_error err = {0};
        (void)snprintf(call, sizeof(call), "call %u 0 0 0\n\n", id);
        say(&far, call);
        (void)sent(&far);
        errand_status status =
            errand__core_answer(far.play.core, far.play.now_us, id, true, span_text(json), &err);
        assert_true(status == ERRAND_OK || status == ERRAND_ELIMIT);
        taken += status == ERRAND_OK;
        assert_true(taken < id || status == ERRAND_OK);
        play_drain(&far.play);
    }
    /* A window of them is under way, and frame_bytes wait. */
    assert_true(taken == 8);
    (void)sent(&far);
    play_pass(&far.play, 1000);
    assert_sent(&far, "");
    put(&far.play, "ack 4096\n");
    assert_int_equal(strncmp(sent(&far), "seg 4096 4096\n", 14), 0);
    put(&far.play, "ack 4097\n");
    assert_int_equal(strncmp(sent(&far), "seg 8192 1\n", 11), 0);
    say(&far, PLAY_VALUE);
    play_over(&far.play);
    assert_outcome(&far.play, VALUE, "");
    over(&far);
}

/* --- Liars -------------------------------------------------------------------------------- */

static const char *const lies[] = {
    PLAY_HELLO RESUMED "0 0\nseg 1 2\n{}\n",
    PLAY_HELLO RESUMED "0 0\nseg 0 2\nca\nseg 3 2\nll\n",
    PLAY_HELLO RESUMED "0 0\n" RESUMED "0 0\n",
    PLAY_HELLO RESUMED "0 0\nseg 0 2\nca\n" RESUMED "0 0\n",
    PLAY_HELLO RESUMED "0 0\nack 1\n",
    PLAY_HELLO RESUMED "0 1\n",
    PLAY_HELLO RESUMED "1 0\n",
    PLAY_HELLO RESUMED "0 00\n",
    PLAY_HELLO RESUMED "9007199254740992 0\n",
    PLAY_HELLO RESUMED "0 0\nlog info 2\n\"\"\n",
    PLAY_HELLO RESUMED "0 0\nseg 0 0\n\n",
    PLAY_HELLO RESUMED "0 0\nseg 0 32769\n",
    PLAY_HELLO RESUMED "0 0\nseg 0 2\ncall",
    PLAY_HELLO RESUMED "0 0\nseg 0 8\ngarbage\n\n",
    PLAY_HELLO "log info 3\n\"a\"\n" RESUMED "0 0\nseg 0 4\n-_-\n\n",
    PLAY_HELLO PLAY_HELLO RESUMED "0 0\nresume 1 0\n",
    RESUMED "0 0\nseg 0 3\nhel\n",
    "noise\n" RESUMED "0 0\nseg 0 175\n" PLAY_HELLO "\n",
    "hello " PLAY_MARK " 131\n{}" RESUMED "0 0\nseg 0 130\n" PLAY_HELLO_BODY "\n",
};

static void lie(const char *text, size_t cut)
{
    struct core_setup setup = drops_setup();
    struct far far = opened(&setup);
    errand_span rest = span_text(text);

    while (rest.len > 0) {
        errand_span part = span_head(rest, cut);
        rest = span_after(rest, part.len);
        play_out_bytes(&far.play, part);
    }
    if (errand__core_phase(far.play.core) != CORE_LEAVING)
        fail_msg("goes on, cut at %zu, after: %s", cut, text);
    assert_string_equal(far.play.orders, "T");
    assert_int_equal(count(&far.play, "log "), 0);
    play_over(&far.play);
    assert_outcome(&far.play, WORKER_EXIT, "protocol");
    over(&far);
}

static void test_core_drops__what_ends_as_protocol_in_any_chunking(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(lies); i++) {
        for (size_t cut = 1; cut <= strlen(lies[i]); cut++)
            lie(lies[i], cut);
    }
}

/* Behind hello nothing counts until the segments begin, however it comes. */
static void test_core_drops__what_stands_between_is_skipped_in_any_chunking(void **state)
{
    static const char story[] =
        "motd\nwant " PLAY_MARK "\n" PLAY_HELLO "log info 3\n\"a\"\n" PLAY_HELLO RESUMED
        "0 0\nseg 0 15\nlog info 3\n\"b\"\n\nseg 15 12\n" PLAY_VALUE "\n";
    (void)state;
    for (size_t cut = 1; cut <= sizeof(story); cut++) {
        struct core_setup setup = drops_setup();
        setup.runner = SPAN_LITERAL("RUNNER");
        struct far far = opened(&setup);
        for (errand_span rest = SPAN_LITERAL(story); rest.len > 0;) {
            errand_span part = span_head(rest, cut);
            rest = span_after(rest, part.len);
            play_out_bytes(&far.play, part);
        }
        assert_int_equal(count(&far.play, "started "), 1);
        assert_int_equal(count(&far.play, "log "), 1);
        play_over(&far.play);
        assert_outcome(&far.play, VALUE, "");
        assert_int_equal(far.play.end->noise_total, 5);
        over(&far);
    }
}

/* --- Without memory ----------------------------------------------------------------------- */

/* true: so many allocations were enough. */
static bool ends_with(long allowed)
{
    struct core_setup setup = drops_setup();
    struct far far = {.said = 0};

    setup.collect_logs = true;
    errand__mem_countdown = allowed;
    play_init(&far.play, &setup);
    if (far.play.core != NULL) {
        play_opened(&far.play);
        play_out(&far.play, PLAY_HELLO RESUMED "0 0\n");
        say(&far, "log info 3\n\"a\"\n" CALL_1 CALL_2);
        (void)!errand__core_answer(far.play.core, 0, 1, true, SPAN_LITERAL("1"), NULL);
        play_drain(&far.play);
        drop(&far);
        (void)!errand__core_answer(far.play.core, 0, 2, true, SPAN_LITERAL("2"), NULL);
        attach(&far);
        put(&far.play, RESUMED "1 0\n");
        say(&far, PLAY_VALUE);
        drop(&far);
        attach(&far);
        put(&far.play, RESUMED "2 0\n");
        play_over(&far.play);
        (void)play_silence(&far.play, 20);
        assert_int_equal(far.play.ends, 1);
        /* Whole frames, and none twice, whatever failed. */
        assert_true(count(&far.play, "log info") <= 1);
    }
    bool enough = errand__mem_countdown > 0;
    errand__mem_countdown = -1;
    over(&far);
    return enough;
}

static void test_core_drops__without_memory_it_still_ends(void **state)
{
    long allowed = 0;
    (void)state;

    while (!ends_with(allowed))
        assert_true(++allowed < 1000);
    assert_true(allowed > 5);
}

/* A piece for which there was no memory is not kept either: else it would go out twice. */
static void test_core_drops__a_piece_without_memory_is_none(void **state)
{
    struct segments segments;
    errand_span rest = SPAN_LITERAL(RESUMED "0 0\n");
    errand_span part = SPAN_EMPTY;
    const char *why = NULL;
    (void)state;

    for (long allowed = 0; allowed < 2; allowed++) {
        rest = SPAN_LITERAL(RESUMED "0 0\n");
        errand__segments_init(&segments, WINDOW, SPAN_LITERAL(PLAY_MARK));
        assert_int_equal(errand__segments_take(&segments, &rest, &part, &why), SEGMENTS_NOTHING);
        errand__mem_countdown = allowed;
        assert_int_equal(errand__segments_wrap(&segments, SPAN_LITERAL("stop 1\n")), ERRAND_ENOMEM);
        errand__mem_countdown = -1;
        assert_int_equal(errand__segments_wrap(&segments, SPAN_LITERAL("stop 1\n")), ERRAND_OK);
        assert_span(errand__segments_wire(&segments), "seg 0 7\nstop 1\n\n");
        errand__segments_sent(&segments, errand__segments_wire(&segments).len);
        assert_int_equal(errand__segments_offer(&segments, true), ERRAND_OK);
        assert_int_equal(errand__segments_wire(&segments).len, 0);
        errand__segments_deinit(&segments);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_core_drops__both_streams_go_in_segments),
        cmocka_unit_test(test_core_drops__an_acknowledgement_is_due_for_a_quarter),
        cmocka_unit_test(test_core_drops__the_end_is_acknowledged_at_once),
        cmocka_unit_test(test_core_drops__before_opened_it_is_lost),
        cmocka_unit_test(test_core_drops__with_bare_bytes_to_send_it_is_lost),
        cmocka_unit_test(test_core_drops__where_nothing_reattaches_it_is_lost),
        cmocka_unit_test(test_core_drops__before_hello_and_at_every_byte_of_it),
        cmocka_unit_test(test_core_drops__between_hello_and_resumed),
        cmocka_unit_test(test_core_drops__with_calls_in_flight),
        cmocka_unit_test(test_core_drops__what_is_said_again_is_taken_once),
        cmocka_unit_test(test_core_drops__while_leaving),
        cmocka_unit_test(test_core_drops__while_leaving_and_not_found_again),
        cmocka_unit_test(test_core_drops__while_closing_and_after_the_end),
        cmocka_unit_test(test_core_drops__attached_without_a_drop_is_nothing),
        cmocka_unit_test(test_core_drops__nothing_is_said_into_half_a_boot),
        cmocka_unit_test(test_core_drops__two_in_a_row),
        cmocka_unit_test(test_core_drops__an_older_epoch_is_passed_over),
        cmocka_unit_test(test_core_drops__not_found_again_within_the_lease),
        cmocka_unit_test(test_core_drops__the_lease_counts_from_the_first_drop),
        cmocka_unit_test(test_core_drops__found_again_the_lease_begins_anew),
        cmocka_unit_test(test_core_drops__pings_do_not_pile_up),
        cmocka_unit_test(test_core_drops__without_a_lease_it_waits),
        cmocka_unit_test(test_core_drops__without_a_lease_the_wall_ends_it),
        cmocka_unit_test(test_core_drops__cancelled_while_broken),
        cmocka_unit_test(test_core_drops__half_a_frame_is_completed),
        cmocka_unit_test(test_core_drops__gone_before_it_was_found_again),
        cmocka_unit_test(test_core_drops__lost_for_good_while_broken),
        cmocka_unit_test(test_core_drops__what_is_not_acknowledged_does_not_pile_up),
        cmocka_unit_test(test_core_drops__what_ends_as_protocol_in_any_chunking),
        cmocka_unit_test(test_core_drops__what_stands_between_is_skipped_in_any_chunking),
        cmocka_unit_test(test_core_drops__without_memory_it_still_ends),
        cmocka_unit_test(test_core_drops__a_piece_without_memory_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
