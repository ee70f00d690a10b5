/* stay.c - the public interface, with patience for a busy machine. */
#include "test.h"

#include "stay.h"

#include "sshd.h"

#include <time.h>

void stay_rest_ms(long ms)
{
    (void)nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

int64_t stay_now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void stay_begin(struct stay *stay, const char *config)
{
    errand_place_options options = ERRAND_PLACE_OPTIONS_INIT;
    errand_ssh_options ssh = ERRAND_SSH_OPTIONS_INIT;
    errand_error error = {0};

    ssh.config_file = config;
    options.ssh = &ssh;
    options.node = sshd_node();
    assert_int_equal(errand_loop_new(&stay->loop, &error), ERRAND_OK);
    if (errand_place_open(&stay->place, stay->loop, "ssh://box", &options, &error) != ERRAND_OK)
        fail_msg("%s", error.text);
}

void stay_end(struct stay *stay)
{
    const errand_event *event = NULL;
    errand_error error = {0};

    errand_place_close(stay->place);
    do
        assert_int_equal(errand_loop_next(stay->loop, STAY_PATIENCE_MS, &event, &error), ERRAND_OK);
    while (event->type != ERRAND_EVENT_PLACE_CLOSED);
    stay_drop(stay);
}

void stay_drop(struct stay *stay)
{
    errand_place_free(stay->place);
    errand_loop_free(stay->loop);
}

errand_run *stay_run(struct stay *stay, const char *program, uint64_t lease_ms)
{
    static const char *const functions[] = {"echo", NULL};
    static const errand_namespace tools = {.name = "tools", .functions = functions};
    errand_run_options options = ERRAND_RUN_OPTIONS_INIT;
    errand_limits limits = ERRAND_LIMITS_INIT;
    errand_error error = {0};
    errand_run *run = NULL;

    limits.open_ms = limits.boot_ms = STAY_PATIENCE_MS;
    limits.close_ms = STAY_PATIENCE_MS; /* A busy machine takes its time. */
    if (lease_ms > 0) {
        limits.lease_ms = lease_ms;
        /* Who is lost is not waited for. */
        limits.leave_ms = limits.kill_grace_ms = limits.reap_ms = STAY_STEP_MS;
        limits.close_ms = STAY_STEP_MS;
    }
    options.program = span_text(program);
    options.limits = &limits;
    options.namespaces = &tools;
    options.namespaces_count = 1;
    if (errand_run_start(&run, stay->place, &options, &error) != ERRAND_OK)
        fail_msg("%s", error.text);
    return run;
}

static void answer(const errand_event *event)
{
    errand_error error = {0};

    assert_int_equal(errand_run_reply(event->run, event->as.call.id, event->as.call.args, &error),
                     ERRAND_OK);
}

const errand_event *stay_await(struct stay *stay, errand_event_type type)
{
    const errand_event *event = NULL;
    errand_error error = {0};
    int64_t until_ms = stay_now_ms() + STAY_PATIENCE_MS;

    while (stay_now_ms() < until_ms) {
        errand_status status = errand_loop_next(stay->loop, STAY_PATIENCE_MS, &event, &error);
        if (status < 0)
            fail_msg("%s", error.text);
        if (status != ERRAND_OK)
            continue;
        if (event->type == ERRAND_EVENT_CALL)
            answer(event);
        if (event->type == type)
            return event;
        if (event->type == ERRAND_EVENT_END)
            fail_msg("ended: %s: %.*s", event->as.end->code, (int)event->as.end->message.len,
                     event->as.end->message.ptr);
    }
    fail_msg("event %d never came", (int)type);
    return NULL;
}

void stay_brings(struct stay *stay, const char *program, const char *text)
{
    errand_run *run = stay_run(stay, program, 0);
    const errand_outcome *end = stay_await(stay, ERRAND_EVENT_END)->as.end;

    if (end->kind != ERRAND_KIND_VALUE || end->warnings_count > 0)
        fail_msg("%s: %.*s %s", end->code, (int)end->message.len, end->message.ptr,
                 end->warnings_count > 0 ? end->warnings[0] : "");
    assert_span(end->value, text);
    errand_run_free(run);
}
