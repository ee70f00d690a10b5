/* opening.c - creates, or connects; falls back to what older servers have; tries again what may
 * be tried again. */
#include "transport/e2b/opening.h"

#include "transport/e2b/calendar.h"

#include <stdio.h>

enum { PATIENCE_US = 45 * 1000 * 1000, CLOCK_FAR_S = 300 };

static errand_status fail(struct e2b_opening *opening, const char *code, const char *words)
{
    errand__e2b_error_set(&opening->failure, code, words);
    return opening->failure.error.status;
}

static errand_status ask(struct e2b_opening *opening, enum e2b_verb verb)
{
    errand__e2b_exchange_free(opening->exchange);
    opening->verb = verb;
    opening->again_us = TIME_NEVER;
    opening->exchange = errand__e2b_control_ask(opening->control, verb,
                                                opening->control->config->id, opening->bell);
    if (opening->exchange == NULL)
        return fail(opening, "place_failed", "no memory");
    opening->made = opening->made || verb == E2B_VERB_CREATE;
    return ERRAND_AGAIN;
}

static errand_status begin(struct e2b_opening *opening, int64_t now_us)
{
    const struct e2b_config *config = opening->control->config;

    opening->began = true;
    opening->again_us = TIME_NEVER;
    errand__e2b_patience_init(&opening->patience, now_us + PATIENCE_US);
    if (!config->debug)
        return ask(opening, config->template != NULL ? E2B_VERB_CREATE : E2B_VERB_CONNECT);
    /* Its service alone is there, and knows no names. */
    (void)snprintf(opening->sandbox->id, E2B_SANDBOX_WORD, "%s",
                   config->id == NULL ? "debug_sandbox_id" : config->id);
    return ERRAND_OK;
}

/* --- Answers ---------------------------------------------------------------------------------- */

static void note_clock(struct e2b_opening *opening)
{
    int64_t ahead_s = errand__e2b_calendar_ahead_s(opening->exchange->date);

    if (opening->exchange->date[0] != '\0')
        errand__e2b_diary_note(opening->diary, "clock: the API's was %lld s %s ours",
                               (long long)(ahead_s < 0 ? -ahead_s : ahead_s),
                               ahead_s < 0 ? "behind" : "ahead of");
}

static errand_status adopt(struct e2b_opening *opening)
{
    struct e2b_sandbox *sandbox = opening->sandbox;
    errand_span answer = errand__buf_peek(&opening->exchange->in);

    errand__e2b_sandbox_deinit(sandbox);
    if (!errand__e2b_sandbox_parse(sandbox, answer)) {
        struct e2b_secrets secrets = errand__e2b_control_secrets(opening->control);
        opening->failure = (struct e2b_failure){0};
        errand__e2b_error_judge(&opening->failure, opening->exchange, E2B_PLANE_API, &secrets);
        return opening->failure.error.status;
    }
    errand__e2b_diary_note(opening->diary, "sandbox: %s of %s, envd %s", sandbox->id,
                           sandbox->template[0] == '\0' ? "a template" : sandbox->template,
                           sandbox->version_text[0] == '\0' ? "of unknown version"
                                                            : sandbox->version_text);
    if (!errand__e2b_version_is_least(sandbox->version, 0, 1, 0))
        return fail(opening, "envd_too_old",
                    "what runs inside of the sandbox (envd) is older than 0.1.0: build its "
                    "template anew");
    return ERRAND_OK;
}

static errand_status take_success(struct e2b_opening *opening)
{
    note_clock(opening);
    errand_status status = adopt(opening);
    if (status != ERRAND_OK || opening->verb != E2B_VERB_INFO)
        return status;
    if (strcmp(opening->sandbox->state, "paused") == 0)
        return ask(opening, E2B_VERB_RESUME);
    return ERRAND_OK;
}

static void add_clock(struct e2b_opening *opening)
{
    int64_t ahead_s = errand__e2b_calendar_ahead_s(opening->exchange->date);
    char *text = opening->failure.error.text;
    size_t used = strlen(text);

    if (ahead_s > -CLOCK_FAR_S && ahead_s < CLOCK_FAR_S)
        return;
    (void)snprintf(text + used, sizeof(opening->failure.error.text) - used,
                   "; this machine's clock is %lld s %s the server's",
                   (long long)(ahead_s < 0 ? -ahead_s : ahead_s),
                   ahead_s < 0 ? "ahead of" : "behind");
}

/* What it does over there is the same however often it is asked for. */
static bool is_repeatable(enum e2b_verb verb)
{
    return verb != E2B_VERB_CREATE;
}

static errand_status take_failure(struct e2b_opening *opening, int64_t now_us)
{
    struct e2b_secrets secrets = errand__e2b_control_secrets(opening->control);
    struct e2b_failure *failure = &opening->failure;

    errand__e2b_error_judge(failure, opening->exchange, E2B_PLANE_API, &secrets);
    if (is_repeatable(opening->verb))
        failure->unsure = false;
    int64_t again_us = errand__e2b_patience_again(&opening->patience, failure, now_us);
    if (again_us != TIME_NEVER) {
        errand__e2b_diary_note(opening->diary, "%s in vain, once more in %lld ms: %.120s",
                               errand__e2b_control_name(opening->verb),
                               (long long)((again_us - now_us) / 1000), failure->error.text);
        opening->again_us = again_us;
        return ERRAND_AGAIN;
    }
    add_clock(opening);
    opening->made = opening->made && failure->unsure;
    return failure->error.status;
}

static errand_status take_answer(struct e2b_opening *opening, int64_t now_us)
{
    const struct e2b_exchange *exchange = opening->exchange;

    if (errand__e2b_control_worked(exchange))
        return take_success(opening);
    if (errand__e2b_control_is_older(opening->control, opening->verb, exchange)) {
        opening->control->old = true;
        return ask(opening, opening->verb);
    }
    if (opening->verb == E2B_VERB_CONNECT && opening->control->old &&
        (exchange->status == 404 || exchange->status == 405))
        return ask(opening, E2B_VERB_INFO); /* There are servers without either. */
    return take_failure(opening, now_us);
}

errand_status errand__e2b_opening_step(struct e2b_opening *opening, int64_t now_us)
{
    if (!opening->began)
        return begin(opening, now_us);
    if (opening->again_us <= now_us)
        return ask(opening, opening->verb);
    if (opening->exchange == NULL || !opening->exchange->over)
        return ERRAND_AGAIN;
    if (opening->again_us != TIME_NEVER)
        return ERRAND_AGAIN;
    return take_answer(opening, now_us);
}

int64_t errand__e2b_opening_due(const struct e2b_opening *opening)
{
    return opening->began ? opening->again_us : TIME_NEVER;
}

void errand__e2b_opening_deinit(struct e2b_opening *opening)
{
    errand__e2b_exchange_free(opening->exchange);
    opening->exchange = NULL;
}
