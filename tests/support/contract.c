/* contract.c - a small driver, and the sentences of transport.h as checks. */
#include "test.h"

#include "contract.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    KEPT_MOST = 1 << 20, /* Of each stream. */
    SCRATCH_LEN = 64 * 1024,
    FDS_MOST = 8,
    PATIENCE_MS = 20000 /* What never takes so long; a busy machine may be slow. */
};

int64_t contract_now_us(void)
{
    struct timespec now;

    assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &now), 0);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* --- Driving ------------------------------------------------------------------------------- */

bool contract_heard(const struct contract_process *process, char letter)
{
    return memchr(process->story, letter, process->story_len) != NULL;
}

static void tell(struct contract_process *process, char letter)
{
    bool again = process->story_len > 0 && process->story[process->story_len - 1] == letter;

    if (again && (letter == 'o' || letter == 'e'))
        return;
    if (letter != 'o' && letter != 'e' && contract_heard(process, letter))
        fail_msg("%s: %c came twice, after %s", process->road->name, letter, process->story);
    if (contract_heard(process, 'C'))
        fail_msg("%s: %c came after CLOSED", process->road->name, letter);
    if (letter != 'O' && letter != 'C' && !contract_heard(process, 'O'))
        fail_msg("%s: %c came before OPENED", process->road->name, letter);
    if (letter == 'o' && contract_heard(process, 'E'))
        fail_msg("%s: OUT came after EOF", process->road->name);
    /* A flood on both streams alternates for long. */
    if (process->story_len + 8 > sizeof(process->story) && (letter == 'o' || letter == 'e'))
        return;
    assert_true(process->story_len + 1 < sizeof(process->story));
    process->story[process->story_len++] = letter;
}

static void keep(char **kept, size_t *kept_len, size_t *total, errand_span bytes)
{
    size_t room = KEPT_MOST - *kept_len;
    size_t count = bytes.len < room ? bytes.len : room;

    if (*kept == NULL)
        *kept = calloc(1, KEPT_MOST + 1);
    assert_non_null(*kept);
    memcpy(*kept + *kept_len, bytes.ptr, count);
    *kept_len += count;
    (*kept)[*kept_len] = '\0';
    *total += bytes.len;
}

static void hear(struct contract_process *process, const errand_notice *notice)
{
    switch (notice->type) {
    case ERRAND_NOTICE_OPENED:
        tell(process, 'O');
        break;
    case ERRAND_NOTICE_OUT:
        tell(process, 'o');
        assert_true(notice->bytes.len > 0);
        keep(&process->out, &process->out_len, &process->out_total, notice->bytes);
        break;
    case ERRAND_NOTICE_ERR:
        tell(process, 'e');
        assert_true(notice->bytes.len > 0);
        keep(&process->err, &process->err_len, &process->err_total, notice->bytes);
        break;
    case ERRAND_NOTICE_EOF:
        tell(process, 'E');
        break;
    case ERRAND_NOTICE_EXITED:
        tell(process, 'X');
        process->exit_code = notice->exit_code;
        process->exit_signal = notice->exit_signal;
        break;
    case ERRAND_NOTICE_CLOSED:
        tell(process, 'C');
        assert_true(notice->bytes.len < sizeof(process->closed));
        memcpy(process->closed, notice->bytes.ptr, notice->bytes.len);
        process->closed[notice->bytes.len] = '\0';
        break;
    case ERRAND_NOTICE_DROPPED:
        tell(process, 'D');
        break;
    case ERRAND_NOTICE_ATTACHED:
        tell(process, 'A');
        break;
    }
}

static errand_status listen_once(struct contract_process *process)
{
    static char room[SCRATCH_LEN];
    errand_scratch scratch = {room,
                              process->scratch_len == 0 ? sizeof(room) : process->scratch_len};
    errand_notice notice = {0};
    errand_error error = {0};
    errand_process *self = process->process;
    errand_status status = self->ops->next(self, contract_now_us(), scratch, &notice, &error);

    if (status == ERRAND_OK)
        hear(process, &notice);
    if (status < 0) {
        assert_int_equal(error.status, status);
        process->failure = error;
    }
    return status;
}

static bool tends(const errand_road *road)
{
    return road->ops->size >= offsetof(errand_road_ops, tend) + sizeof(road->ops->tend) &&
           road->ops->tend != NULL;
}

/* What an open road wants of its own; nothing where it has nothing to tend. */
static size_t road_wants(errand_road *road, struct pollfd *fds, size_t fds_max, int64_t *due_us)
{
    int64_t own_due_us = INT64_MAX;
    size_t count = 0;

    if (tends(road))
        count = road->ops->wants(road, fds, fds_max, &own_due_us);
    if (own_due_us < *due_us)
        *due_us = own_due_us;
    assert_true(count <= fds_max);
    return count;
}

static void tend(errand_road *road)
{
    if (tends(road))
        road->ops->tend(road, contract_now_us());
}

/* Sleeps as wants says, and not past until_us. */
static void sleep_as_wanted(struct contract_process *process, bool writing, int64_t until_us)
{
    struct pollfd fds[2 * FDS_MOST];
    int64_t due_us = 0;
    errand_process *self = process->process;
    size_t count = self->ops->wants(self, 1, writing, fds, FDS_MOST, &due_us);
    int64_t now_us = contract_now_us();

    assert_true(count <= FDS_MOST);
    count += road_wants(process->opened, fds + count, FDS_MOST, &due_us);
    if (due_us > until_us)
        due_us = until_us;
    int64_t ms = due_us <= now_us ? 0 : (due_us - now_us + 999) / 1000;
    assert_true(poll(fds, count, ms > 60000 ? 60000 : (int)ms) >= 0 || errno == EINTR);
    tend(process->opened);
}

static bool heard_any(const struct contract_process *process, const char *letters)
{
    for (; *letters != '\0'; letters++) {
        if (contract_heard(process, *letters))
            return true;
    }
    return false;
}

static int64_t deadline(const struct contract_process *process, int ms)
{
    unsigned patience = process->road->patience == 0 ? 1 : process->road->patience;

    return contract_now_us() + (int64_t)ms * patience * 1000;
}

bool contract_until(struct contract_process *process, const char *letters, int ms)
{
    int64_t until_us = deadline(process, ms);

    for (;;) {
        errand_status status = ERRAND_OK;
        while (!heard_any(process, letters) && status == ERRAND_OK && contract_now_us() < until_us)
            status = listen_once(process);
        if (heard_any(process, letters))
            return true;
        if (status < 0 || contract_now_us() >= until_us)
            return false;
        sleep_as_wanted(process, false, until_us);
    }
}

static size_t send_once(struct contract_process *process, errand_span bytes)
{
    size_t taken = SIZE_MAX;
    errand_error error = {0};
    errand_process *self = process->process;

    assert_int_equal(self->ops->send(self, bytes, &taken, &error), ERRAND_OK);
    assert_true(taken <= bytes.len);
    return taken;
}

bool contract_send(struct contract_process *process, errand_span bytes, int ms)
{
    int64_t until_us = deadline(process, ms);

    while (bytes.len > 0 && contract_now_us() < until_us) {
        size_t taken = send_once(process, bytes);
        bytes = span_after(bytes, taken);
        if (taken > 0)
            continue;
        while (listen_once(process) == ERRAND_OK && contract_now_us() < until_us)
            continue;
        sleep_as_wanted(process, true, until_us);
    }
    return bytes.len == 0;
}

void contract_stop(struct contract_process *process, errand_stop how)
{
    errand_error error = {0};
    errand_process *self = process->process;

    assert_int_equal(self->ops->stop(self, how, contract_now_us(), &error), ERRAND_OK);
}

void contract_start(struct contract_process *process, const struct contract_road *road,
                    errand_road *opened, const char *line)
{
    errand_error error = {0};
    errand_launch launch = {.line = line};

    *process = (struct contract_process){
        .road = road, .opened = opened, .exit_code = -2, .exit_signal = -2};
    errand_status status =
        opened->ops->launch(opened, &launch, contract_now_us(), &process->process, &error);
    if (status != ERRAND_OK)
        fail_msg("%s: launch: %s", road->name, error.text);
    assert_non_null(process->process);
}

void contract_drop(struct contract_process *process)
{
    process->process->ops->free(process->process);
    free(process->out);
    free(process->err);
    *process = (struct contract_process){0};
}

void contract_finish(struct contract_process *process)
{
    if (!contract_heard(process, 'C')) {
        contract_stop(process, ERRAND_STOP_CLOSE);
        if (!contract_until(process, "C", PATIENCE_MS))
            fail_msg("%s: not closed; story %s", process->road->name, process->story);
    }
    contract_drop(process);
}

errand_road *contract_open(const struct contract_road *road)
{
    errand_road *made = road->make(road);
    errand_error error = {0};
    struct pollfd fds[FDS_MOST];
    int64_t due_us = 0;

    assert_non_null(made);
    for (;;) {
        errand_status status = made->ops->open(made, contract_now_us(), &error);
        if (status == ERRAND_OK)
            return made;
        if (status < 0)
            fail_msg("%s: open: %s", road->name, error.text);
        size_t count = made->ops->wants(made, fds, FDS_MOST, &due_us);
        assert_true(count <= FDS_MOST);
        (void)poll(fds, count, 100);
    }
}

void contract_close(errand_road *road)
{
    errand_error error = {0};
    struct pollfd fds[FDS_MOST];
    int64_t due_us = 0;
    errand_status status = ERRAND_AGAIN;

    while ((status = road->ops->close(road, contract_now_us(), &error)) == ERRAND_AGAIN) {
        size_t count = road->ops->wants(road, fds, FDS_MOST, &due_us);
        (void)poll(fds, count, 100);
    }
    assert_int_equal(status, ERRAND_OK);
    road->ops->free(road);
}

/* --- OPENED -------------------------------------------------------------------------------- */

#define CHECK(name) static void name(const struct contract_road *road, errand_road *opened)

CHECK(opened_comes_once_and_first)
{
    struct contract_process process;

    contract_start(&process, road, opened, "echo out; echo err >&2; exit 0");
    assert_true(contract_until(&process, "X", PATIENCE_MS));
    assert_int_equal(process.story[0], 'O');
    contract_finish(&process);
}

CHECK(opened_comes_while_the_process_is_silent)
{
    struct contract_process process;

    contract_start(&process, road, opened, "exec sleep 60");
    assert_true(contract_until(&process, "O", PATIENCE_MS));
    assert_false(contract_until(&process, "oeEXC", 50));
    contract_finish(&process);
}

/* --- OUT and ERR --------------------------------------------------------------------------- */

CHECK(out_comes_in_order_through_any_scratch)
{
    static const size_t lens[] = {1, 7, 4096, 0};
    struct contract_process process;
    enum { ROOM = 64 * 1024 };
    char *expected = malloc(ROOM);
    size_t len = 0;

    assert_non_null(expected);
    for (int i = 1; i <= 3000; i++)
        len += (size_t)snprintf(expected + len, ROOM - len, "%d\n", i);
    for (size_t i = 0; i < COUNT(lens); i++) {
        contract_start(&process, road, opened,
                       "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo $i; done");
        process.scratch_len = lens[i];
        assert_true(contract_until(&process, "E", PATIENCE_MS));
        assert_int_equal(process.out_len, len);
        assert_memory_equal(process.out, expected, len);
        contract_finish(&process);
    }
    free(expected);
}

CHECK(err_is_kept_apart_from_out)
{
    struct contract_process process;

    contract_start(&process, road, opened, "echo one; echo two >&2; echo three; echo four >&2");
    assert_true(contract_until(&process, "X", PATIENCE_MS));
    (void)contract_until(&process, "E", PATIENCE_MS);
    assert_string_equal(process.out, "one\nthree\n");
    assert_string_equal(process.err, "two\nfour\n");
    contract_finish(&process);
}

CHECK(every_byte_travels_both_ways)
{
    struct contract_process process;
    char bytes[256 * 64];

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (char)(i * 7 + i / 256);
    contract_start(&process, road, opened, "exec head -c 16384");
    assert_true(contract_until(&process, "O", PATIENCE_MS));
    assert_true(contract_send(&process, span_of(bytes, sizeof(bytes)), PATIENCE_MS));
    assert_true(contract_until(&process, "E", PATIENCE_MS));
    assert_int_equal(process.out_len, sizeof(bytes));
    assert_memory_equal(process.out, bytes, sizeof(bytes));
    contract_finish(&process);
}

CHECK(a_flood_on_one_stream_does_not_hide_the_other)
{
    struct contract_process process;

    contract_start(&process, road, opened, "yes >&2 & echo here; exec yes");
    int64_t until_us = deadline(&process, PATIENCE_MS);
    while ((process.out_total < 1000000 || process.err_total < 1000000) &&
           contract_now_us() < until_us) {
        if (listen_once(&process) == ERRAND_AGAIN)
            sleep_as_wanted(&process, false, until_us);
    }
    assert_true(process.out_total >= 1000000);
    assert_true(process.err_total >= 1000000);
    contract_finish(&process);
}

/* --- EOF and EXITED ------------------------------------------------------------------------ */

CHECK(eof_may_come_before_exited)
{
    struct contract_process process;

    contract_start(&process, road, opened, "exec >&- 2>&-; sleep 0.2; exit 5");
    if ((road->lacks & CONTRACT_LACKS_EOF_FIRST) == 0) {
        assert_true(contract_until(&process, "E", PATIENCE_MS));
        assert_false(contract_heard(&process, 'X'));
    }
    assert_true(contract_until(&process, "X", PATIENCE_MS));
    assert_true(contract_until(&process, "E", PATIENCE_MS));
    assert_int_equal(process.exit_code, 5);
    contract_finish(&process);
}

static bool is_held(const struct contract_road *road)
{
    return (road->lacks & CONTRACT_LACKS_EXIT_HELD) != 0;
}

/* What holds the pipe is of its group, and dies; that it had exited before is told then. */
static void tell_to_go_if_held(struct contract_process *process)
{
    if (!is_held(process->road))
        return;
    assert_true(contract_until(process, "O", PATIENCE_MS));
    assert_false(contract_until(process, "X", 300));
    contract_stop(process, ERRAND_STOP_TERM);
}

CHECK(exited_comes_while_a_grandchild_holds_the_pipe)
{
    struct contract_process process;

    contract_start(&process, road, opened, "sleep 60 & exit 6");
    tell_to_go_if_held(&process);
    assert_true(contract_until(&process, "X", PATIENCE_MS));
    if (!is_held(road))
        assert_false(contract_heard(&process, 'E'));
    assert_int_equal(process.exit_code, 6);
    contract_finish(&process);
}

CHECK(what_was_written_last_comes_before_exited)
{
    struct contract_process process;

    bool zero = (road->lacks & CONTRACT_LACKS_EXIT_ZERO) == 0;
    contract_start(&process, road, opened,
                   is_held(road) ? "head -c 100000 /dev/zero; echo end; exit 0"
                   : zero        ? "sleep 60 & head -c 100000 /dev/zero; echo end; exit 0"
                                 : "sleep 60 & head -c 100000 /dev/zero; echo end; exit 1");
    process.scratch_len = 4096;
    assert_true(contract_until(&process, "X", PATIENCE_MS));
    assert_int_equal(process.out_len, 100004);
    assert_string_equal(process.out + 100000, "end\n");
    contract_finish(&process);
}

CHECK(exited_comes_although_a_grandchild_floods_the_pipe)
{
    struct contract_process process;

    contract_start(&process, road, opened, "yes & sleep 0.1; exit 8");
    process.scratch_len = 512;
    tell_to_go_if_held(&process);
    assert_true(contract_until(&process, "X", PATIENCE_MS));
    assert_int_equal(process.exit_code, 8);
    contract_finish(&process);
}

CHECK(a_signal_is_told)
{
    struct contract_process process;

    contract_start(&process, road, opened, "kill -9 $$");
    assert_true(contract_until(&process, "X", PATIENCE_MS));
    if ((road->lacks & CONTRACT_LACKS_EXIT_SIGNAL) == 0)
        assert_int_equal(process.exit_signal, 9);
    contract_finish(&process);
}

/* --- send ---------------------------------------------------------------------------------- */

CHECK(send_takes_a_prefix_and_the_rest_later)
{
    struct contract_process process;
    enum { LEN = 4 * 1024 * 1024 };
    char *bytes = calloc(1, LEN);
    errand_span rest = span_of(bytes, LEN);

    assert_non_null(bytes);
    contract_start(&process, road, opened, "sleep 0.3; wc -c");
    assert_true(contract_until(&process, "O", PATIENCE_MS));
    bool refused = false;
    int64_t until_us = deadline(&process, PATIENCE_MS);
    /* At first none may be taken: the other side has to say how much it can hold. */
    while ((!refused || rest.len == LEN) && rest.len > 0 && contract_now_us() < until_us) {
        size_t taken = send_once(&process, rest);
        rest = span_after(rest, taken);
        refused = taken == 0;
    }
    assert_true(refused);
    assert_true(rest.len < LEN);
    assert_true(contract_send(&process, rest, PATIENCE_MS));
    free(bytes);
    contract_finish(&process);
}

CHECK(sending_nothing_is_fine)
{
    struct contract_process process;

    contract_start(&process, road, opened, "exec sleep 60");
    assert_true(contract_until(&process, "O", PATIENCE_MS));
    assert_int_equal(send_once(&process, SPAN_EMPTY), 0);
    contract_finish(&process);
}

CHECK(what_a_dead_process_can_t_take_is_dropped)
{
    struct contract_process process;
    enum { LEN = 64 * 1024 * 1024 };
    char *bytes = calloc(1, LEN);

    assert_non_null(bytes);
    contract_start(&process, road, opened, "exit 7");
    assert_true(contract_until(&process, "O", PATIENCE_MS));
    assert_true(contract_send(&process, span_of(bytes, LEN), PATIENCE_MS));
    assert_true(contract_until(&process, "X", PATIENCE_MS));
    assert_int_equal(process.exit_code, 7);
    assert_true(contract_send(&process, span_of(bytes, 100), PATIENCE_MS));
    free(bytes);
    contract_finish(&process);
}

/* --- stop ---------------------------------------------------------------------------------- */

CHECK(term_ends_a_plain_process)
{
    struct contract_process process;

    contract_start(&process, road, opened, "echo up; exec sleep 60");
    assert_true(contract_until(&process, "o", PATIENCE_MS));
    contract_stop(&process, ERRAND_STOP_TERM);
    assert_true(contract_until(&process, "X", PATIENCE_MS));
    contract_finish(&process);
}

CHECK(term_reaches_the_group)
{
    struct contract_process process;

    contract_start(&process, road, opened, "sh -c \"sleep 60\" & echo up; wait");
    assert_true(contract_until(&process, "o", PATIENCE_MS));
    contract_stop(&process, ERRAND_STOP_TERM);
    assert_true(contract_until(&process, "X", PATIENCE_MS));
    if ((road->lacks & CONTRACT_LACKS_GROUPS) == 0)
        assert_true(contract_until(&process, "E", PATIENCE_MS));
    contract_finish(&process);
}

CHECK(term_may_be_ignored_and_kill_not)
{
    struct contract_process process;

    contract_start(&process, road, opened, "trap \"\" TERM; echo up; while :; do sleep 1; done");
    assert_true(contract_until(&process, "o", PATIENCE_MS));
    contract_stop(&process, ERRAND_STOP_TERM);
    if ((road->lacks & CONTRACT_LACKS_TERM) == 0)
        assert_false(contract_until(&process, "X", 200));
    contract_stop(&process, ERRAND_STOP_KILL);
    assert_true(contract_until(&process, "X", PATIENCE_MS));
    contract_finish(&process);
}

CHECK(a_stopped_process_can_be_told_and_killed)
{
    struct contract_process process;

    for (int i = 0; i < 2; i++) {
        contract_start(&process, road, opened, "echo up; kill -STOP $$; sleep 60");
        assert_true(contract_until(&process, "o", PATIENCE_MS));
        assert_false(contract_until(&process, "X", 50));
        contract_stop(&process, i == 0 ? ERRAND_STOP_TERM : ERRAND_STOP_KILL);
        assert_true(contract_until(&process, "X", PATIENCE_MS));
        contract_finish(&process);
    }
}

CHECK(stop_is_harmless_at_any_time)
{
    static const errand_stop ways[] = {ERRAND_STOP_TERM, ERRAND_STOP_KILL};
    struct contract_process process;

    contract_start(&process, road, opened, "exit 0");
    assert_true(contract_until(&process, "X", PATIENCE_MS));
    for (size_t i = 0; i < COUNT(ways); i++)
        contract_stop(&process, ways[i]);
    contract_stop(&process, ERRAND_STOP_CLOSE);
    for (size_t i = 0; i < COUNT(ways); i++)
        contract_stop(&process, ways[i]);
    assert_true(contract_until(&process, "C", PATIENCE_MS));
    for (size_t i = 0; i < COUNT(ways); i++)
        contract_stop(&process, ways[i]);
    contract_stop(&process, ERRAND_STOP_CLOSE);
    assert_false(contract_until(&process, "-", 20));
    contract_finish(&process);
}

CHECK(stop_before_opened_is_heeded)
{
    static const errand_stop ways[] = {ERRAND_STOP_TERM, ERRAND_STOP_KILL};
    struct contract_process process;

    for (size_t i = 0; i < COUNT(ways); i++) {
        contract_start(&process, road, opened, "exec sleep 60");
        contract_stop(&process, ways[i]);
        assert_true(contract_until(&process, "X", PATIENCE_MS));
        contract_finish(&process);
    }
}

/* --- CLOSED -------------------------------------------------------------------------------- */

CHECK(closed_is_the_last)
{
    struct contract_process process;
    struct pollfd fds[FDS_MOST];
    int64_t due_us = 0;

    contract_start(&process, road, opened, "echo out; exit 0");
    assert_true(contract_until(&process, "X", PATIENCE_MS));
    assert_false(contract_until(&process, "C", 50)); /* Not without an order. */
    contract_stop(&process, ERRAND_STOP_CLOSE);
    assert_true(contract_until(&process, "C", PATIENCE_MS));
    for (int i = 0; i < 3; i++)
        assert_int_equal(listen_once(&process), ERRAND_AGAIN);
    errand_process *self = process.process;
    assert_int_equal(self->ops->wants(self, 1, 1, fds, FDS_MOST, &due_us), 0);
    assert_true(due_us == TIME_NEVER);
    assert_string_equal(process.closed, "");
    contract_finish(&process);
}

CHECK(close_ends_what_runs)
{
    static const char *const lines[] = {
        "exec sleep 60", "trap \"\" TERM HUP INT; echo; while :; do sleep 1; done",
        "yes & yes >&2 & while :; do :; done", "kill -STOP $$; sleep 60"};
    struct contract_process process;

    for (size_t i = 0; i < COUNT(lines); i++) {
        contract_start(&process, road, opened, lines[i]);
        assert_true(contract_until(&process, "O", PATIENCE_MS));
        (void)contract_until(&process, "X", 30);
        contract_finish(&process);
    }
}

CHECK(close_before_opened_is_answered)
{
    struct contract_process process;

    contract_start(&process, road, opened, "exec sleep 60");
    contract_stop(&process, ERRAND_STOP_CLOSE);
    assert_true(contract_until(&process, "C", PATIENCE_MS));
    contract_finish(&process);
}

/* --- wants --------------------------------------------------------------------------------- */

static short wanted(struct contract_process *process, int reading, int writing, int64_t *due_us)
{
    struct pollfd fds[FDS_MOST];
    errand_process *self = process->process;
    size_t count = self->ops->wants(self, reading, writing, fds, FDS_MOST, due_us);
    short events = 0;

    assert_true(count <= FDS_MOST);
    assert_int_equal(self->ops->wants(self, reading, writing, NULL, 0, due_us), count);
    for (size_t i = 0; i < count; i++) {
        assert_true(fds[i].fd >= 0);
        assert_int_not_equal(fds[i].events, 0);
        events = (short)(events | fds[i].events);
    }
    return events;
}

CHECK(wants_leaves_out_what_is_not_wanted)
{
    struct contract_process process;
    int64_t due_us = 0;

    contract_start(&process, road, opened, "echo out; exec sleep 60");
    assert_true(contract_until(&process, "o", PATIENCE_MS));
    assert_int_equal(wanted(&process, 0, 0, &due_us), 0);
    assert_true(due_us == TIME_NEVER);
    assert_int_not_equal(wanted(&process, 1, 0, &due_us) & POLLIN, 0);
    assert_int_not_equal(wanted(&process, 0, 1, &due_us), 0);
    contract_stop(&process, ERRAND_STOP_CLOSE);
    assert_int_equal(wanted(&process, 0, 0, &due_us), 0);
    assert_true(due_us == TIME_NEVER);
    contract_finish(&process);
}

CHECK(nothing_blocks)
{
    struct contract_process process;

    contract_start(&process, road, opened, "exec sleep 60");
    assert_true(contract_until(&process, "O", PATIENCE_MS));
    while (listen_once(&process) == ERRAND_OK)
        continue;
    int64_t before_us = contract_now_us();
    for (int i = 0; i < 100; i++)
        assert_int_equal(listen_once(&process), ERRAND_AGAIN);
    assert_true(contract_now_us() - before_us < 1000000);
    contract_finish(&process);
}

/* --- free ---------------------------------------------------------------------------------- */

CHECK(free_works_from_any_state)
{
    static const char story[] = "-OoTKXcC";
    struct contract_process process;

    for (const char *state = story; *state != '\0'; state++) {
        contract_start(&process, road, opened,
                       strchr("XcC", *state) != NULL ? "echo out; exit 0"
                                                     : "echo out; exec sleep 60");
        if (*state != '-')
            assert_true(contract_until(&process, *state == 'O' ? "O" : "o", PATIENCE_MS));
        if (strchr("XcC", *state) != NULL)
            assert_true(contract_until(&process, "X", PATIENCE_MS));
        if (*state == 'T' || *state == 'K')
            contract_stop(&process, *state == 'T' ? ERRAND_STOP_TERM : ERRAND_STOP_KILL);
        if (*state == 'c' || *state == 'C')
            contract_stop(&process, ERRAND_STOP_CLOSE);
        if (*state == 'C')
            assert_true(contract_until(&process, "C", PATIENCE_MS));
        contract_drop(&process);
    }
}

/* --- Many ---------------------------------------------------------------------------------- */

CHECK(many_at_once_do_not_mix)
{
    enum { MANY = 30 };
    static struct contract_process many[MANY];
    char text[32];

    for (size_t i = 0; i < MANY; i++)
        contract_start(&many[i], road, opened, "read x; echo $x; exit 0");
    for (size_t i = 0; i < MANY; i++) {
        assert_true(contract_until(&many[i], "O", PATIENCE_MS));
        (void)snprintf(text, sizeof(text), "number %zu\n", i);
        assert_true(contract_send(&many[i], span_text(text), PATIENCE_MS));
    }
    for (size_t i = 0; i < MANY; i++) {
        (void)snprintf(text, sizeof(text), "number %zu\n", i);
        assert_true(contract_until(&many[i], "E", PATIENCE_MS));
        assert_string_equal(many[i].out, text);
        contract_finish(&many[i]);
    }
}

/* --- The table ----------------------------------------------------------------------------- */

#define LISTED(name) \
    {                \
#name, name  \
    }

const struct contract_check contract_checks[] = {
    LISTED(opened_comes_once_and_first),
    LISTED(opened_comes_while_the_process_is_silent),
    LISTED(out_comes_in_order_through_any_scratch),
    LISTED(err_is_kept_apart_from_out),
    LISTED(every_byte_travels_both_ways),
    LISTED(a_flood_on_one_stream_does_not_hide_the_other),
    LISTED(eof_may_come_before_exited),
    LISTED(exited_comes_while_a_grandchild_holds_the_pipe),
    LISTED(what_was_written_last_comes_before_exited),
    LISTED(exited_comes_although_a_grandchild_floods_the_pipe),
    LISTED(a_signal_is_told),
    LISTED(send_takes_a_prefix_and_the_rest_later),
    LISTED(sending_nothing_is_fine),
    LISTED(what_a_dead_process_can_t_take_is_dropped),
    LISTED(term_ends_a_plain_process),
    LISTED(term_reaches_the_group),
    LISTED(term_may_be_ignored_and_kill_not),
    LISTED(a_stopped_process_can_be_told_and_killed),
    LISTED(stop_is_harmless_at_any_time),
    LISTED(stop_before_opened_is_heeded),
    LISTED(closed_is_the_last),
    LISTED(close_ends_what_runs),
    LISTED(close_before_opened_is_answered),
    LISTED(wants_leaves_out_what_is_not_wanted),
    LISTED(nothing_blocks),
    LISTED(free_works_from_any_state),
    LISTED(many_at_once_do_not_mix),
};
const size_t contract_checks_count = COUNT(contract_checks);

/* --- Balance ------------------------------------------------------------------------------- */

size_t contract_count_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    size_t count = 0;

    assert_non_null(folder);
    while (readdir(folder) != NULL)
        count++;
    assert_int_equal(closedir(folder), 0);
    return count;
}

size_t contract_count_children(void)
{
    char text[65536] = "";
    size_t count = 0;
    FILE *file = fopen("/proc/thread-self/children", "re");

    assert_non_null(file);
    size_t len = fread(text, 1, sizeof(text) - 1, file);
    assert_int_equal(fclose(file), 0);
    for (size_t i = 0; i < len; i++)
        count += text[i] == ' ';
    return count;
}
