/* api.c - asks, falls back to what older servers have, and tries again what may be asked twice,
 * which all of these verbs may. */
#include "transport/e2b/api.h"

#include "base/err.h"
#include "base/mem.h"

#include <stdio.h>

enum { PATIENCE_US = 20 * 1000 * 1000 };

errand_status errand__e2b_api_init(struct e2b_api *api, const char *id,
                                   const errand_e2b_options *options, errand_error *err)
{
    char address[E2B_SANDBOX_WORD + 8];

    *api = (struct e2b_api){.again_us = TIME_NEVER};
    api->http.poll_fd = -1;
    int len = snprintf(address, sizeof(address), "e2b:%s", id == NULL ? "" : id);
    if (id != NULL && ((size_t)len >= sizeof(address) || strpbrk(id, "?/") != NULL))
        return errand__fail(err, ERRAND_EINVAL, 0, "e2b: that is no sandbox: %.60s", id);
    errand_status status =
        errand__e2b_config_init(&api->config, id == NULL ? NULL : address, options, err);
    if (status == ERRAND_OK)
        status = errand__e2b_http_init(&api->http, &api->diary, err);
    api->control = (struct e2b_control){.config = &api->config, .http = &api->http};
    return status;
}

void errand__e2b_api_deinit(struct e2b_api *api)
{
    errand__e2b_exchange_free(api->exchange);
    if (api->http.poll_fd >= 0)
        errand__e2b_http_deinit(&api->http);
    errand__mem_free(api->word);
    errand__e2b_config_deinit(&api->config);
}

static errand_status begin(struct e2b_api *api, errand_error *err)
{
    errand__e2b_exchange_free(api->exchange);
    api->again_us = TIME_NEVER;
    api->exchange = errand__e2b_control_ask(&api->control, api->verb, api->word, NULL);
    return api->exchange == NULL ? errand__fail(err, ERRAND_ENOMEM, 0, "e2b: no memory")
                                 : ERRAND_OK;
}

errand_status errand__e2b_api_ask(struct e2b_api *api, enum e2b_verb verb, const char *word,
                                  int64_t now_us, errand_error *err)
{
    errand__mem_free(api->word);
    api->word = errand__mem_copy(word, strlen(word));
    if (api->word == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "e2b: no memory");
    api->verb = verb;
    api->http.now_us = now_us;
    errand__e2b_patience_init(&api->patience, now_us + PATIENCE_US);
    return begin(api, err);
}

/* true: it is asked anew, in the way of older servers. */
static bool falls_back(struct e2b_api *api)
{
    long status = api->exchange->status;

    if (errand__e2b_control_is_older(&api->control, api->verb, api->exchange)) {
        api->control.old = true;
        return true;
    }
    if (api->verb != E2B_VERB_CONNECT || !api->control.old || (status != 404 && status != 405))
        return false;
    api->verb = E2B_VERB_RESUME; /* There are servers without either. */
    return true;
}

static errand_status take_failure(struct e2b_api *api, int64_t now_us, errand_error *err)
{
    struct e2b_secrets secrets = errand__e2b_control_secrets(&api->control);
    struct e2b_failure failure;

    errand__e2b_error_judge(&failure, api->exchange, E2B_PLANE_API, &secrets);
    failure.unsure = false;
    if (span_holds(errand__e2b_api_answer(api), SPAN_LITERAL("already")))
        failure.retryable = false; /* As it is wanted to be, and will not be otherwise soon. */
    api->again_us = errand__e2b_patience_again(&api->patience, &failure, now_us);
    return api->again_us != TIME_NEVER ? ERRAND_AGAIN : errand__e2b_error_give(&failure, err);
}

errand_status errand__e2b_api_step(struct e2b_api *api, int64_t now_us, errand_error *err)
{
    errand_status status = ERRAND_AGAIN;

    errand__e2b_http_turn(&api->http, now_us);
    if (api->again_us <= now_us) {
        status = begin(api, err);
    } else if (api->exchange->over && api->again_us == TIME_NEVER) {
        if (errand__e2b_control_worked(api->exchange))
            return ERRAND_OK;
        status = falls_back(api) ? begin(api, err) : take_failure(api, now_us, err);
    }
    errand__e2b_http_turn(&api->http, now_us);
    return status < 0 ? status : ERRAND_AGAIN;
}

int64_t errand__e2b_api_due(const struct e2b_api *api)
{
    int64_t due_us = errand__e2b_http_due(&api->http);

    if (api->exchange->over && api->again_us == TIME_NEVER)
        return 0;
    return api->again_us < due_us ? api->again_us : due_us;
}

errand_span errand__e2b_api_answer(const struct e2b_api *api)
{
    return errand__buf_peek(&api->exchange->in);
}

errand_status errand__e2b_api_refuse(const struct e2b_api *api, errand_error *err)
{
    struct e2b_secrets secrets = errand__e2b_control_secrets(&api->control);
    struct e2b_failure failure;

    errand__e2b_error_judge(&failure, api->exchange, E2B_PLANE_API, &secrets);
    return errand__e2b_error_give(&failure, err);
}
