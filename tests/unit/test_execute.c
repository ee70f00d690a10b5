/* test_execute.c - the blocking call, over this machine and its node. */
#include "test.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

struct seen {
    pthread_t caller;
    size_t calls, logs, items, log_bytes, noise_bytes;
    bool other_thread;
    int delay_ms;
    pthread_t helper;
    errand_run *run;
    uint64_t call;
};

static void pause_ms(int ms)
{
    const struct timespec time = {ms / 1000, (long)(ms % 1000) * 1000000};
    (void)nanosleep(&time, NULL);
}

static void note_thread(struct seen *seen)
{
    seen->other_thread = seen->other_thread || !pthread_equal(seen->caller, pthread_self());
}

static void on_call(void *ctx, errand_run *run, const errand_call *call)
{
    struct seen *seen = ctx;

    note_thread(seen);
    seen->calls++;
    pause_ms(seen->delay_ms);
    assert_string_equal(call->space, "tools");
    assert_string_equal(call->function, "echo");
    assert_int_equal(errand_run_reply(run, call->id, call->args, NULL), ERRAND_OK);
    errand_error err;
    assert_int_equal(errand_run_reply(run, call->id, call->args, &err), ERRAND_ESTATE);
}

static void on_log(void *ctx, const char *level, errand_span text)
{
    struct seen *seen = ctx;

    note_thread(seen);
    assert_string_equal(level, "log");
    seen->logs++;
    seen->log_bytes += text.len;
    pause_ms(seen->delay_ms);
}

static void on_noise(void *ctx, errand_span bytes)
{
    ((struct seen *)ctx)->noise_bytes += bytes.len;
}

static const char *const functions[] = {"echo", NULL};
static const errand_namespace tools = {.name = "tools", .functions = functions};

static errand_run_options options_for(const char *program)
{
    errand_run_options options = ERRAND_RUN_OPTIONS_INIT;

    options.program = span_text(program);
    options.language = ERRAND_LANGUAGE_JS;
    options.namespaces = &tools;
    options.namespaces_count = 1;
    return options;
}

static errand_handlers handlers_for(struct seen *seen)
{
    errand_handlers handlers = ERRAND_HANDLERS_INIT;

    seen->caller = pthread_self();
    handlers.ctx = seen;
    handlers.call = on_call;
    handlers.log = on_log;
    handlers.noise = on_noise;
    return handlers;
}

static errand_execution *execute(const char *program, const errand_handlers *handlers)
{
    errand_run_options options = options_for(program);
    errand_execution *execution = NULL;
    errand_error err;

    if (errand_execute(&execution, "local", NULL, &options, handlers, &err) != ERRAND_OK)
        fail_msg("%s", err.text);
    return execution;
}

static void test_execute__handlers_run_on_the_calling_thread(void **state)
{
    struct seen seen = {0};
    errand_handlers handlers = handlers_for(&seen);

    (void)state;
    errand_execution *execution = execute(
        "console.log('one'); const a = await tools.echo({n: 1}); return [a, await tools.echo()];",
        &handlers);
    const errand_outcome *outcome = errand_execution_outcome(execution);
    assert_int_equal(outcome->kind, ERRAND_KIND_INVALID_OUTPUT); /* undefined in an array. */
    assert_int_equal(seen.calls, 2);
    assert_int_equal(seen.logs, 1);
    assert_false(seen.other_thread);
    assert_int_equal(outcome->calls_count, 2);
    assert_int_equal(outcome->calls[0].status, ERRAND_CALL_OK);
    errand_execution_free(execution);
}

static void on_item(void *ctx, const errand_item *item)
{
    struct seen *seen = ctx;

    note_thread(seen);
    /* One stands between two logs. */
    assert_int_equal(item->logs_before, seen->logs);
    if (seen->items++ == 0) {
        assert_string_equal(item->type, "text");
        assert_span(item->json, "{\"type\":\"text\",\"text\":\"two\"}");
        return;
    }
    assert_string_equal(item->type, "file");
    assert_int_equal(item->json.len, 4 * 1024 * 1024 + 118);
}

static void test_execute__items_come_in_their_order(void **state)
{
    struct seen seen = {0};
    errand_handlers handlers = handlers_for(&seen);
    errand_run_options options =
        options_for("console.log('one'); text('two'); console.log('three'); "
                    "file('four', new Uint8Array(3 << 20)); store('a', load('b')); exit()");
    errand_execution *execution = NULL;
    errand_error err;

    (void)state;
    handlers.item = on_item;
    options.collect_logs = 1;
    options.store = SPAN_LITERAL("{\"b\":[1]}");
    if (errand_execute(&execution, "local", NULL, &options, &handlers, &err) != ERRAND_OK)
        fail_msg("%s", err.text);
    const errand_outcome *outcome = errand_execution_outcome(execution);
    assert_int_equal(outcome->kind, ERRAND_KIND_VALUE);
    assert_int_equal(outcome->value.len, 0);
    assert_int_equal(seen.logs, 2);
    assert_int_equal(seen.items, 2);
    assert_false(seen.other_thread);
    assert_int_equal(outcome->items_count, 2);
    assert_int_equal(outcome->items_total, 2);
    assert_int_equal(outcome->items[1].logs_before, 2);
    assert_span(outcome->store, "{\"set\":{\"a\":[1]},\"delete\":[]}");
    errand_execution_free(execution);
}

static void test_execute__a_slow_handler_loses_nothing(void **state)
{
    struct seen seen = {.delay_ms = 1};
    errand_handlers handlers = handlers_for(&seen);

    (void)state;
    /* Twelve times what waits between the threads. */
    errand_execution *execution = execute(
        "for (let i = 0; i < 120; i++) console.log('x'.repeat(100000)); return 7;", &handlers);
    const errand_outcome *outcome = errand_execution_outcome(execution);
    assert_int_equal(outcome->kind, ERRAND_KIND_VALUE);
    assert_span(outcome->value, "7");
    assert_int_equal(seen.logs, 120);
    assert_int_equal(seen.log_bytes, 120 * 100000);
    errand_execution_free(execution);
}

/* What the trace says of a defect, and under which word. */
struct defects {
    char id[9], line[200];
};

static void on_defect_trace(void *ctx, int64_t at_us, const char *area, errand_span line)
{
    struct defects *defects = ctx;

    (void)at_us;
    if (strcmp(area, "run") != 0 || !span_starts(line, SPAN_LITERAL("call 1 failed")))
        return;
    assert_true(line.len < sizeof(defects->line));
    memcpy(defects->line, line.ptr, line.len);
}

static void on_defect_call(void *ctx, errand_run *run, const errand_call *call)
{
    struct defects *defects = ctx;
    errand_error err;

    assert_int_equal(
        errand_run_defect(run, call->id, "no table\n\x1b[31msecrets", defects->id, &err),
        ERRAND_OK);
    assert_int_equal(errand_run_defect(run, call->id, NULL, NULL, &err), ERRAND_ESTATE);
}

static void test_execute__of_a_defect_the_program_is_told_a_word(void **state)
{
    struct defects defects = {"", ""};
    errand_run_options options = options_for(
        "try { await tools.echo(1) } catch (e) { return [e.name, e.code, e.tool, e.message] }");
    errand_handlers handlers = ERRAND_HANDLERS_INIT;
    errand_execution *execution = NULL;
    char expected[200];
    errand_error err;

    (void)state;
    handlers.ctx = &defects;
    handlers.call = on_defect_call;
    options.trace = on_defect_trace;
    options.trace_ctx = &defects;
    assert_int_equal(errand_execute(&execution, "local", NULL, &options, &handlers, &err),
                     ERRAND_OK);
    assert_int_equal(strspn(defects.id, "0123456789abcdef"), 8);
    (void)snprintf(expected, sizeof(expected),
                   "[\"ToolError\",\"internal\",\"echo\",\"Internal tool error [%s]\"]",
                   defects.id);
    assert_span(errand_execution_outcome(execution)->value, expected);
    (void)snprintf(expected, sizeof(expected), "call 1 failed at home [%s]: no table  [31msecrets",
                   defects.id);
    assert_string_equal(defects.line, expected);
    errand_execution_free(execution);
}

static void on_call_reject_oddly(void *ctx, errand_run *run, const errand_call *call)
{
    errand_error err;

    (void)ctx;
    assert_int_equal(errand_run_reject(run, call->id, "no", NULL, "odd",
                                       SPAN_LITERAL("1,\"code\":\"internal\""), &err),
                     ERRAND_EINVAL);
    assert_string_equal(err.text, "reject: the data is no JSON text at byte 1");
    assert_int_equal(errand_run_reject(run, call->id, "no", NULL, "odd", SPAN_LITERAL("[]}"), &err),
                     ERRAND_EINVAL);
    assert_int_equal(
        errand_run_reject(run, call->id, "no", NULL, "odd", SPAN_LITERAL(" [1] "), &err),
        ERRAND_OK);
}

static void test_execute__the_data_of_a_rejection_is_one_text(void **state)
{
    errand_handlers handlers = ERRAND_HANDLERS_INIT;

    (void)state;
    handlers.call = on_call_reject_oddly;
    errand_execution *execution =
        execute("try { await tools.echo(1) } catch (e) { return [e.code, e.data] }", &handlers);
    assert_span(errand_execution_outcome(execution)->value, "[\"odd\",[1]]");
    errand_execution_free(execution);
}

static void test_execute__without_a_handler_calls_are_refused(void **state)
{
    errand_handlers handlers = ERRAND_HANDLERS_INIT;

    (void)state;
    errand_execution *execution = execute(
        "try { await tools.echo(1) } catch (e) { return [e.name, e.code, e.tool] }", &handlers);
    assert_span(errand_execution_outcome(execution)->value,
                "[\"ToolError\",\"no_handler\",\"echo\"]");
    errand_execution_free(execution);
}

/* --- Answers and orders from other threads ---------------------------------------------------- */

static void *answer_later(void *ctx)
{
    struct seen *seen = ctx;

    pause_ms(30);
    assert_int_equal(errand_run_reply(seen->run, seen->call, SPAN_LITERAL("\"later\""), NULL),
                     ERRAND_OK);
    return NULL;
}

static void on_call_answer_later(void *ctx, errand_run *run, const errand_call *call)
{
    struct seen *seen = ctx;

    seen->run = run;
    seen->call = call->id;
    assert_int_equal(pthread_create(&seen->helper, NULL, answer_later, seen), 0);
}

static void test_execute__another_thread_may_answer(void **state)
{
    struct seen seen = {0};
    errand_handlers handlers = handlers_for(&seen);

    (void)state;
    handlers.call = on_call_answer_later;
    errand_execution *execution = execute("return await tools.echo(1)", &handlers);
    assert_span(errand_execution_outcome(execution)->value, "\"later\"");
    assert_int_equal(pthread_join(seen.helper, NULL), 0);
    errand_execution_free(execution);
}

static void *cancel_later(void *ctx)
{
    struct seen *seen = ctx;

    pause_ms(300);
    errand_run_cancel(seen->run, "enough");
    return NULL;
}

static void on_started(void *ctx, errand_run *run)
{
    struct seen *seen = ctx;

    seen->run = run;
    assert_int_equal(pthread_create(&seen->helper, NULL, cancel_later, seen), 0);
}

static void test_execute__another_thread_may_cancel(void **state)
{
    struct seen seen = {0};
    errand_handlers handlers = handlers_for(&seen);

    (void)state;
    handlers.started = on_started;
    errand_execution *execution = execute("for (;;);", &handlers);
    const errand_outcome *outcome = errand_execution_outcome(execution);
    assert_int_equal(outcome->kind, ERRAND_KIND_ABORT);
    assert_span(outcome->message, "enough");
    assert_int_equal(outcome->abandoned, 0);
    assert_int_equal(pthread_join(seen.helper, NULL), 0);
    errand_execution_free(execution);
}

/* --- What never starts ----------------------------------------------------------------- */

static void test_execute__misuse_is_an_error(void **state)
{
    errand_run_options options = options_for("return 1");
    errand_execution *execution = NULL;
    errand_error err;

    (void)state;
    assert_int_equal(errand_execute(&execution, "moon", NULL, &options, NULL, &err), ERRAND_EINVAL);
    assert_null(execution);
    assert_true(strlen(err.text) > 0);
    assert_int_equal(errand_execute(&execution, NULL, NULL, &options, NULL, &err), ERRAND_EINVAL);
    assert_non_null(strstr(err.text, "no address was given"));
    assert_int_equal(errand_execute(&execution, "local", NULL, NULL, NULL, &err), ERRAND_EINVAL);
    assert_non_null(strstr(err.text, "run options: none were given"));
    assert_null(errand_execution_outcome(execution));
    options.program = SPAN_LITERAL("\xff");
    assert_int_equal(errand_execute(&execution, "local", NULL, &options, NULL, &err),
                     ERRAND_EINVAL);
    assert_null(execution);
}

static void test_execute__a_command_that_is_not_there(void **state)
{
    errand_run_options options = options_for("return 1");
    errand_execution *execution = NULL;
    errand_error err;

    (void)state;
    assert_int_equal(
        errand_execute(&execution, "exec:no-such-command-here -i", NULL, &options, NULL, &err),
        ERRAND_OK);
    const errand_outcome *outcome = errand_execution_outcome(execution);
    assert_int_equal(errand_outcome_exit_code(outcome), 4);
    assert_non_null(memmem(outcome->message.ptr, outcome->message.len, "no-such-command-here", 20));
    errand_execution_free(execution);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_execute__handlers_run_on_the_calling_thread),
        cmocka_unit_test(test_execute__items_come_in_their_order),
        cmocka_unit_test(test_execute__a_slow_handler_loses_nothing),
        cmocka_unit_test(test_execute__the_data_of_a_rejection_is_one_text),
        cmocka_unit_test(test_execute__without_a_handler_calls_are_refused),
        cmocka_unit_test(test_execute__of_a_defect_the_program_is_told_a_word),
        cmocka_unit_test(test_execute__another_thread_may_answer),
        cmocka_unit_test(test_execute__another_thread_may_cancel),
        cmocka_unit_test(test_execute__misuse_is_an_error),
        cmocka_unit_test(test_execute__a_command_that_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
