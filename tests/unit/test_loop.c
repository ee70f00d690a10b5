/* test_loop.c - a loop and its places, over a road that leads nowhere much: it opens late, or
 * never, or says no, and its process does nothing until it is told to go. */
#include "test.h"

#include <errand/transport.h>

#include "base/mem.h"
#include "run/loop.h"

#include <poll.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

/* --- A road ---------------------------------------------------------------------------- */

struct toy_process {
    errand_process base;
    bool opened, stopped, exited, close_asked;
};

struct toy_road {
    errand_road base;
    int opens_after; /* How often open() says AGAIN; negative: for ever. */
    bool refuses;    /* Then open() fails. */
    int64_t due_us;
    int launched, freed_processes;
    bool *freed;
};

static struct toy_road *road_of_last; /* The processes report to it. */

static errand_status process_next(errand_process *self, int64_t now_us, errand_scratch scratch,
                                  errand_notice *out, errand_error *err)
{
    struct toy_process *process = (struct toy_process *)self;

    (void)now_us;
    (void)scratch;
    (void)err;
    if (!process->opened) {
        process->opened = true;
        out->type = ERRAND_NOTICE_OPENED;
        return ERRAND_OK;
    }
    if (process->stopped && !process->exited) {
        process->exited = true;
        *out = (errand_notice){.type = ERRAND_NOTICE_EXITED, .exit_code = -1, .exit_signal = 15};
        return ERRAND_OK;
    }
    if (process->close_asked) {
        out->type = ERRAND_NOTICE_CLOSED;
        return ERRAND_OK;
    }
    return ERRAND_AGAIN;
}

static errand_status process_send(errand_process *self, errand_span bytes, size_t *taken,
                                  errand_error *err)
{
    (void)self;
    (void)err;
    *taken = bytes.len;
    return ERRAND_OK;
}

static errand_status process_stop(errand_process *self, errand_stop how, int64_t now_us,
                                  errand_error *err)
{
    struct toy_process *process = (struct toy_process *)self;

    (void)now_us;
    (void)err;
    if (how == ERRAND_STOP_CLOSE)
        process->close_asked = true;
    else
        process->stopped = true;
    return ERRAND_OK;
}

static size_t process_wants(errand_process *self, int reading, int writing, struct pollfd *fds,
                            size_t fds_max, int64_t *due_us)
{
    (void)self;
    (void)reading;
    (void)writing;
    (void)fds;
    (void)fds_max;
    *due_us = INT64_MAX;
    return 0;
}

static void process_free(errand_process *self)
{
    road_of_last->freed_processes++;
    errand__mem_free(self);
}

static const errand_process_ops process_ops = {
    .size = sizeof(process_ops),
    .next = process_next,
    .send = process_send,
    .stop = process_stop,
    .wants = process_wants,
    .free = process_free,
};

static errand_status road_open(errand_road *self, int64_t now_us, errand_error *err)
{
    struct toy_road *road = (struct toy_road *)self;

    if (road->opens_after != 0) {
        road->opens_after--;
        road->due_us = now_us + 1000;
        return ERRAND_AGAIN;
    }
    road->due_us = INT64_MAX;
    if (!road->refuses)
        return ERRAND_OK;
    err->status = ERRAND_EIO;
    (void)strncpy(err->text, "toy: the bridge is up", sizeof(err->text) - 1);
    return ERRAND_EIO;
}

static errand_status road_launch(errand_road *self, const errand_launch *launch, int64_t now_us,
                                 errand_process **out, errand_error *err)
{
    struct toy_road *road = (struct toy_road *)self;
    struct toy_process *process = errand__mem_new(1, sizeof(*process));

    (void)now_us;
    (void)err;
    assert_non_null(strstr(launch->line, "/bin/sh -c"));
    process->base.ops = &process_ops;
    road->launched++;
    *out = &process->base;
    return ERRAND_OK;
}

static errand_status road_close(errand_road *self, int64_t now_us, errand_error *err)
{
    (void)self;
    (void)now_us;
    (void)err;
    return ERRAND_OK;
}

static size_t road_wants(errand_road *self, struct pollfd *fds, size_t fds_max, int64_t *due_us)
{
    (void)fds;
    (void)fds_max;
    *due_us = ((struct toy_road *)self)->due_us;
    return 0;
}

static void road_free(errand_road *self)
{
    struct toy_road *road = (struct toy_road *)self;

    if (road->freed != NULL)
        *road->freed = true;
    errand__mem_free(road);
}

static const errand_road_ops road_ops = {
    .size = sizeof(road_ops),
    .name = "toy",
    .open = road_open,
    .launch = road_launch,
    .close = road_close,
    .wants = road_wants,
    .free = road_free,
};

/* --- What tests begin with -------------------------------------------------------------------- */

struct stage {
    errand_loop *loop;
    errand_place *place;
    errand_run *run;
    struct toy_road *road;
    errand_error err;
};

static void given(struct stage *stage, int opens_after, bool refuses)
{
    *stage = (struct stage){0};
    stage->road = errand__mem_new(1, sizeof(*stage->road));
    stage->road->base.ops = &road_ops;
    stage->road->opens_after = opens_after;
    stage->road->refuses = refuses;
    stage->road->due_us = INT64_MAX;
    road_of_last = stage->road;
    assert_int_equal(errand_loop_new(&stage->loop, &stage->err), ERRAND_OK);
    assert_int_equal(errand_place_open_road(&stage->place, stage->loop, &stage->road->base, "toy",
                                            NULL, &stage->err),
                     ERRAND_OK);
    errand_run_options options = ERRAND_RUN_OPTIONS_INIT;
    options.program = SPAN_LITERAL("return 1");
    assert_int_equal(errand_run_start(&stage->run, stage->place, &options, &stage->err), ERRAND_OK);
}

static void done_with(struct stage *stage)
{
    errand_run_free(stage->run);
    errand_place_free(stage->place);
    errand_loop_free(stage->loop);
}

static const errand_event *next_event(struct stage *stage, errand_event_type type)
{
    const errand_event *event = NULL;

    assert_int_equal(errand_loop_next(stage->loop, 5000, &event, &stage->err), ERRAND_OK);
    assert_int_equal(event->type, type);
    return event;
}

static void nothing_happens(struct stage *stage, int timeout_ms)
{
    const errand_event *event = NULL;

    assert_int_equal(errand_loop_next(stage->loop, timeout_ms, &event, &stage->err), ERRAND_AGAIN);
    assert_null(event);
}

/* --- Tests ----------------------------------------------------------------------------- */

static void test_loop__with_nothing_to_do_says_so_at_once(void **state)
{
    const errand_event *event = NULL;
    errand_loop *loop = NULL;
    errand_error err;

    (void)state;
    assert_int_equal(errand_loop_new(&loop, &err), ERRAND_OK);
    assert_int_equal(errand_loop_next(loop, -1, &event, &err), ERRAND_AGAIN);
    assert_null(event);
    assert_int_equal(errand_loop_timeout_ms(loop), -1);
    errand_loop_free(loop);
}

static void test_loop__a_late_road_is_waited_for(void **state)
{
    struct stage stage;

    (void)state;
    given(&stage, 5, false);
    nothing_happens(&stage, 50);
    assert_int_equal(stage.road->launched, 1);
    errand_run_cancel(stage.run, NULL);
    const errand_event *event = next_event(&stage, ERRAND_EVENT_END);
    assert_int_equal(event->as.end->kind, ERRAND_KIND_ABORT);
    assert_ptr_equal(event->run, stage.run);
    done_with(&stage);
}

static void test_loop__a_road_that_fails_fails_its_runs(void **state)
{
    struct stage stage;

    (void)state;
    given(&stage, 1, true);
    const errand_event *event = next_event(&stage, ERRAND_EVENT_END);
    assert_string_equal(event->as.end->code, "place_failed");
    assert_span(event->as.end->message, "toy: the bridge is up");
    assert_int_equal(errand_outcome_exit_code(event->as.end), 4);
    assert_int_equal(event->as.end->outcome_unknown, 0);
    assert_int_equal(stage.road->launched, 0);
    done_with(&stage);
}

static void test_loop__cancel_before_the_road_is_open(void **state)
{
    struct stage stage;

    (void)state;
    given(&stage, -1, false);
    nothing_happens(&stage, 10);
    errand_run_cancel(stage.run, "not today");
    const errand_event *event = next_event(&stage, ERRAND_EVENT_END);
    assert_int_equal(event->as.end->kind, ERRAND_KIND_ABORT);
    assert_span(event->as.end->message, "not today");
    assert_int_equal(stage.road->launched, 0);
    done_with(&stage);
}

static void test_loop__closing_a_place_ends_its_runs_first(void **state)
{
    struct stage stage;
    bool freed = false;
    errand_run *late = NULL;
    errand_run_options options = ERRAND_RUN_OPTIONS_INIT;

    (void)state;
    given(&stage, 0, false);
    stage.road->freed = &freed;
    nothing_happens(&stage, 10);
    errand_place_close(stage.place);
    assert_int_equal(errand_run_start(&late, stage.place, &options, &stage.err), ERRAND_ESTATE);
    const errand_event *event = next_event(&stage, ERRAND_EVENT_END);
    assert_int_equal(event->as.end->kind, ERRAND_KIND_ABORT);
    event = next_event(&stage, ERRAND_EVENT_PLACE_CLOSED);
    assert_ptr_equal(event->place, stage.place);
    nothing_happens(&stage, -1);
    done_with(&stage);
    assert_true(freed);
}

static void test_loop__freeing_a_run_frees_its_process(void **state)
{
    struct stage stage;

    (void)state;
    given(&stage, 0, false);
    nothing_happens(&stage, 10);
    assert_int_equal(stage.road->launched, 1);
    errand_run_free(stage.run);
    stage.run = NULL;
    assert_int_equal(stage.road->freed_processes, 1);
    nothing_happens(&stage, -1);
    done_with(&stage);
}

static void *wake_soon(void *ctx)
{
    const struct timespec moment = {0, 20 * 1000 * 1000};

    (void)nanosleep(&moment, NULL);
    errand_loop_wake(ctx);
    return NULL;
}

static void test_loop__wakes_from_another_thread(void **state)
{
    struct stage stage;
    pthread_t thread;

    (void)state;
    given(&stage, 0, false);
    nothing_happens(&stage, 1);
    assert_int_equal(pthread_create(&thread, NULL, wake_soon, stage.loop), 0);
    int64_t before_us = errand_loop_now_us(stage.loop);
    nothing_happens(&stage, 10000);
    assert_true(errand_loop_now_us(stage.loop) - before_us < 5000000);
    assert_int_equal(pthread_join(thread, NULL), 0);
    done_with(&stage);
}

static void *cancel_soon(void *ctx)
{
    const struct timespec moment = {0, 20 * 1000 * 1000};

    (void)nanosleep(&moment, NULL);
    errand_run_cancel(ctx, "from afar");
    return NULL;
}

static void test_loop__inside_another_loop(void **state)
{
    struct stage stage;
    pthread_t thread;

    (void)state;
    given(&stage, 0, false);
    nothing_happens(&stage, 0);
    assert_in_range(errand_loop_timeout_ms(stage.loop), 1, 600000);
    struct pollfd fd = {.fd = errand_loop_fd(stage.loop), .events = POLLIN};
    assert_int_equal(poll(&fd, 1, 0), 0);
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, stage.run), 0);
    assert_int_equal(poll(&fd, 1, 5000), 1); /* The cancel. */
    bool ended = false;
    for (int i = 0; i < 100 && !ended; i++) {
        const errand_event *event = NULL;
        while (errand_loop_next(stage.loop, 0, &event, &stage.err) == ERRAND_OK)
            ended = ended || event->type == ERRAND_EVENT_END;
        if (!ended)
            (void)poll(&fd, 1, errand_loop_timeout_ms(stage.loop)); /* The ladder's patience. */
    }
    assert_true(ended);
    assert_int_equal(pthread_join(thread, NULL), 0);
    done_with(&stage);
}

/* --- Descriptors -------------------------------------------------------------------------- */

/* Waits for one end of a pipe, and may change it in its turn. */
struct listener {
    struct source source;
    int fd;
    int next_fd; /* What fd is to become with the next turn; -1: closed. */
    bool changes;
    int turns;
};

static bool listener_turn(struct source *source, int64_t now_us, errand_event *event)
{
    struct listener *listener = (struct listener *)(void *)source;

    (void)now_us;
    (void)event;
    listener->turns++;
    if (listener->changes && listener->next_fd < 0) {
        assert_int_equal(close(listener->fd), 0);
        listener->fd = -1;
    } else if (listener->changes) {
        assert_int_equal(dup2(listener->next_fd, listener->fd), listener->fd);
    }
    listener->changes = false;
    return false;
}

static size_t listener_wants(struct source *source, struct pollfd *fds, size_t fds_max,
                             int64_t *due_us)
{
    const struct listener *listener = (const struct listener *)(const void *)source;

    *due_us = TIME_NEVER;
    if (listener->fd < 0 || fds_max == 0)
        return 0;
    fds[0] = (struct pollfd){.fd = listener->fd, .events = POLLIN};
    return 1;
}

static const struct source_ops listener_ops = {.turn = listener_turn, .wants = listener_wants};

static void listens(struct stage *stage, struct listener *listener, int fd)
{
    assert_int_equal(errand__loop_add(stage->loop, &listener->source, &listener_ops), ERRAND_OK);
    listener->fd = fd;
    errand__loop_ready(&listener->source);
    nothing_happens(stage, 0);
    assert_int_equal(listener->turns, 1);
}

static void changes(struct stage *stage, struct listener *listener, int next_fd)
{
    listener->next_fd = next_fd;
    listener->changes = true;
    errand__loop_ready(&listener->source);
    nothing_happens(stage, 0);
}

/* As in a child that has not called exec yet: epoll goes on telling of the file. */
static void test_loop__a_file_that_lives_on_in_a_child(void **state)
{
    struct stage stage;
    struct listener listener = {0};
    int ends[2];
    (void)state;

    given(&stage, 0, false);
    nothing_happens(&stage, 0);
    assert_int_equal(pipe(ends), 0);
    int of_child = dup(ends[0]);
    listens(&stage, &listener, ends[0]);
    changes(&stage, &listener, -1);
    errand__loop_remove(&listener.source);
    memset(&listener, 0xa5, sizeof(listener));
    assert_int_equal(close(ends[1]), 0);
    nothing_happens(&stage, 0);
    nothing_happens(&stage, 0);
    struct pollfd fd = {.fd = errand_loop_fd(stage.loop), .events = POLLIN};
    assert_int_equal(poll(&fd, 1, 0), 0); /* Nor does that keep anybody awake. */
    assert_int_equal(close(of_child), 0);
    done_with(&stage);
}

static void test_loop__a_number_that_stands_for_another_file(void **state)
{
    struct stage stage;
    struct listener listener = {0};
    int before[2], after[2];
    (void)state;

    given(&stage, 0, false);
    nothing_happens(&stage, 0);
    assert_int_equal(pipe(before), 0);
    assert_int_equal(pipe(after), 0);
    listens(&stage, &listener, before[0]);
    changes(&stage, &listener, after[0]);
    assert_int_equal(listener.turns, 2);
    assert_int_equal(write(after[1], "x", 1), 1);
    nothing_happens(&stage, 0);
    assert_in_range(listener.turns, 3, 10);
    errand__loop_remove(&listener.source);
    assert_int_equal(close(before[0]) + close(before[1]) + close(after[0]) + close(after[1]), 0);
    done_with(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loop__with_nothing_to_do_says_so_at_once),
        cmocka_unit_test(test_loop__a_late_road_is_waited_for),
        cmocka_unit_test(test_loop__a_road_that_fails_fails_its_runs),
        cmocka_unit_test(test_loop__cancel_before_the_road_is_open),
        cmocka_unit_test(test_loop__closing_a_place_ends_its_runs_first),
        cmocka_unit_test(test_loop__freeing_a_run_frees_its_process),
        cmocka_unit_test(test_loop__wakes_from_another_thread),
        cmocka_unit_test(test_loop__inside_another_loop),
        cmocka_unit_test(test_loop__a_file_that_lives_on_in_a_child),
        cmocka_unit_test(test_loop__a_number_that_stands_for_another_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
