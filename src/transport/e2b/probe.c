/* probe.c - asks who manages the sandbox, and the sandbox itself; the former's word counts
 * more. */
#include "transport/e2b/probe.h"

enum { TIMEOUT_US = 5 * 1000 * 1000 };

void errand__e2b_probe_begin(struct e2b_probe *probe, const struct e2b_control *control,
                             const struct e2b_envd *envd, struct bell *bell)
{
    errand__e2b_probe_deinit(probe);
    if (!control->config->debug)
        probe->info = errand__e2b_control_ask(control, E2B_VERB_INFO, envd->sandbox->id, bell);
    probe->health = errand__e2b_envd_health(envd, bell);
    probe->due_us = control->http->now_us + TIMEOUT_US;
}

void errand__e2b_probe_deinit(struct e2b_probe *probe)
{
    errand__e2b_exchange_free(probe->info);
    errand__e2b_exchange_free(probe->health);
    *probe = (struct e2b_probe){0};
}

static enum e2b_verdict read_info(const struct e2b_exchange *info)
{
    struct e2b_sandbox sandbox = {0};
    enum e2b_verdict verdict = E2B_VERDICT_NONE;

    if (info == NULL || !info->over)
        return E2B_VERDICT_NONE;
    if (info->status == 404)
        return E2B_VERDICT_DEAD;
    if (errand__e2b_control_worked(info) &&
        errand__e2b_sandbox_parse(&sandbox, errand__buf_peek(&info->in)))
        verdict = strcmp(sandbox.state, "paused") == 0 ? E2B_VERDICT_PAUSED : E2B_VERDICT_ALIVE;
    errand__e2b_sandbox_deinit(&sandbox);
    return verdict;
}

static enum e2b_verdict read_health(const struct e2b_exchange *health)
{
    struct e2b_failure failure;

    if (health == NULL || !health->over)
        return E2B_VERDICT_NONE;
    if (errand__e2b_envd_worked(health))
        return E2B_VERDICT_ALIVE;
    errand__e2b_error_judge(&failure, health, E2B_PLANE_UNARY, NULL);
    return strcmp(failure.code, "sandbox_gone") == 0 ? E2B_VERDICT_DEAD : E2B_VERDICT_NONE;
}

enum e2b_verdict errand__e2b_probe_look(struct e2b_probe *probe, int64_t now_us)
{
    enum e2b_verdict verdict = read_info(probe->info);
    bool pending = (probe->info != NULL && !probe->info->over) ||
                   (probe->health != NULL && !probe->health->over);

    if (verdict != E2B_VERDICT_NONE)
        return verdict;
    if (pending && now_us < probe->due_us)
        return E2B_VERDICT_NONE;
    verdict = read_health(probe->health);
    return verdict != E2B_VERDICT_NONE ? verdict : E2B_VERDICT_UNKNOWN;
}
