/* visit.c - errand_execute() with one binding, home.now(x), which answers x. */
#include "test.h"

#include "cloud.h"
#include "visit.h"

#include <stdio.h>

static void keep(char *to, size_t room, errand_span text)
{
    size_t len = text.len < room - 1 ? text.len : room - 1;

    if (len > 0)
        memcpy(to, text.ptr, len);
    to[len] = '\0';
}

struct visit visit_to(const char *address, const char *program)
{
    struct visit visit = {.address = address,
                          .program = program,
                          .e2b = ERRAND_E2B_OPTIONS_INIT,
                          .limits = ERRAND_LIMITS_INIT,
                          .node = cloud_node()};

    if (strcmp(visit.node, "node") == 0)
        visit.node = NULL;
    return visit;
}

static void on_call(void *ctx, errand_run *run, const errand_call *call)
{
    const struct visit *visit = ctx;

    if (visit->at_call != NULL)
        visit->at_call();
    (void)!errand_run_reply(run, call->id, call->args, NULL);
}

static void on_fact(void *ctx, int64_t at_us, const char *area, errand_span line)
{
    struct visit *visit = ctx;
    size_t room = sizeof(visit->facts) - visit->facts_len;

    (void)at_us;
    if (strcmp(area, "e2b") != 0 || line.len + 2 > room)
        return;
    visit->facts_len +=
        (size_t)snprintf(visit->facts + visit->facts_len, room, "%.*s\n", (int)line.len, line.ptr);
}

static void read_outcome(struct visit *visit, const errand_outcome *outcome)
{
    visit->kind = outcome->kind;
    (void)snprintf(visit->code, sizeof(visit->code), "%s", outcome->code);
    keep(visit->value, sizeof(visit->value), outcome->value);
    keep(visit->message, sizeof(visit->message), outcome->message);
    if (outcome->warnings_count > 0)
        (void)snprintf(visit->warning, sizeof(visit->warning), "%s", outcome->warnings[0]);
    visit->unknown = outcome->outcome_unknown != 0;
    visit->abandoned = outcome->abandoned != 0;
    visit->drops = outcome->drops;
    visit->retryable = outcome->retryable != 0;
    visit->may_be_running = outcome->process_may_be_running != 0;
    visit->retry_after_ms = outcome->retry_after_ms;
}

void visit_go(struct visit *visit)
{
    static const char *const functions[] = {"now", NULL};
    static const errand_namespace home = {.name = "home", .functions = functions};
    errand_place_options place = ERRAND_PLACE_OPTIONS_INIT;
    errand_run_options run = ERRAND_RUN_OPTIONS_INIT;
    errand_handlers handlers = ERRAND_HANDLERS_INIT;
    errand_execution *execution = NULL;
    errand_error error = {0};

    place.e2b = &visit->e2b;
    place.node = visit->node;
    run.program = span_text(visit->program);
    run.namespaces = &home;
    run.namespaces_count = 1;
    run.limits = &visit->limits;
    run.trace = on_fact;
    run.trace_ctx = visit;
    handlers.ctx = visit;
    handlers.call = on_call;
    visit->status = errand_execute(&execution, visit->address, &place, &run, &handlers, &error);
    if (visit->status == ERRAND_OK)
        read_outcome(visit, errand_execution_outcome(execution));
    else
        (void)snprintf(visit->message, sizeof(visit->message), "%s", error.text);
    errand_execution_free(execution);
    /* Whatever happens, no key is told. */
    if (strstr(visit->message, "0123456789abcdef0123456789abcdef") != NULL ||
        strstr(visit->facts, "0123456789abcdef0123456789abcdef") != NULL)
        fail_msg("a key was told: %s", visit->message);
}

void visit_brings(struct visit *visit, const char *text)
{
    visit_go(visit);
    if (visit->status != ERRAND_OK || visit->kind != ERRAND_KIND_VALUE ||
        strcmp(visit->value, text) != 0)
        fail_msg("%s: %s \"%s\" %s; facts:\n%s", visit->address, visit->code, visit->message,
                 visit->value, visit->facts);
}

void visit_fails(struct visit *visit, const char *code, const char *words)
{
    visit_go(visit);
    if (strcmp(visit->code, code) != 0 || strstr(visit->message, words) == NULL)
        fail_msg("%s: wanted %s \"%s\", got %s \"%s\" %s; facts:\n%s", visit->address, code, words,
                 visit->code, visit->message, visit->value, visit->facts);
}
