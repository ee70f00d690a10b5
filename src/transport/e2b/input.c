/* input.c - one request in flight; what comes meanwhile waits with whoever has it and goes out
 * together. A pipe over there that is full holds the answer up: that is the back pressure. */
#include "transport/e2b/input.h"

enum { SEND_MOST = 32 * 1024, RETRY_US = 20 * 1000 * 1000 };

void errand__e2b_input_init(struct e2b_input *input, const struct e2b_envd *envd, struct bell *bell)
{
    *input = (struct e2b_input){.envd = envd, .bell = bell, .again_us = TIME_NEVER};
    errand__buf_init(&input->held, SEND_MOST);
    errand__e2b_patience_init(&input->patience, TIME_NEVER);
}

void errand__e2b_input_deinit(struct e2b_input *input)
{
    errand__e2b_exchange_free(input->exchange);
    input->exchange = NULL;
    errand__buf_deinit(&input->held);
}

static void settle(struct e2b_input *input)
{
    errand__e2b_exchange_free(input->exchange);
    input->exchange = NULL;
    input->again_us = TIME_NEVER;
    errand__buf_consume(&input->held, errand__buf_peek(&input->held).len);
}

void errand__e2b_input_forget(struct e2b_input *input)
{
    settle(input);
}

/* false: no memory. */
static bool begin(struct e2b_input *input)
{
    input->again_us = TIME_NEVER;
    input->exchange = errand__e2b_envd_input(input->envd, input->pid,
                                             errand__buf_peek(&input->held), input->bell);
    return input->exchange != NULL;
}

size_t errand__e2b_input_send(struct e2b_input *input, errand_span bytes)
{
    if (input->gone)
        return bytes.len;
    if (errand__buf_peek(&input->held).len > 0 || bytes.len == 0)
        return 0;
    bytes = span_head(bytes, SEND_MOST);
    if (errand__buf_push(&input->held, bytes) != ERRAND_OK)
        return 0;
    input->patience.tries = 0;
    input->patience.until_us = input->envd->http->now_us + RETRY_US;
    if (!begin(input)) {
        settle(input);
        return 0;
    }
    return bytes.len;
}

/* The process has gone, or has closed its end. */
static bool takes_none(const struct e2b_exchange *exchange)
{
    errand_span body = errand__buf_peek(&exchange->in);

    return exchange->status >= 500 && (span_holds(body, SPAN_LITERAL("stdin")) ||
                                       span_holds(body, SPAN_LITERAL("broken pipe")));
}

static enum e2b_input_news conclude(struct e2b_input *input, int64_t now_us)
{
    struct e2b_secrets secrets = errand__e2b_envd_secrets(input->envd);
    const struct e2b_exchange *exchange = input->exchange;
    struct e2b_failure *failure = &input->failure;

    if (errand__e2b_envd_worked(exchange)) {
        settle(input);
        return E2B_INPUT_ROOM;
    }
    errand__e2b_error_judge(failure, exchange, E2B_PLANE_UNARY, &secrets);
    if (strcmp(failure->code, "not_found") == 0 || takes_none(exchange)) {
        settle(input);
        input->gone = true;
        return E2B_INPUT_GONE;
    }
    int64_t again_us = errand__e2b_patience_again(&input->patience, failure, now_us);
    if (again_us == TIME_NEVER) {
        settle(input);
        return E2B_INPUT_UNKNOWN;
    }
    errand__e2b_exchange_free(input->exchange);
    input->exchange = NULL;
    input->again_us = again_us;
    return E2B_INPUT_QUIET;
}

enum e2b_input_news errand__e2b_input_turn(struct e2b_input *input, int64_t now_us)
{
    if (input->again_us <= now_us && !begin(input)) {
        errand__e2b_error_set(&input->failure, "place_failed", "no memory");
        settle(input);
        return E2B_INPUT_UNKNOWN;
    }
    if (input->exchange == NULL || !input->exchange->over)
        return E2B_INPUT_QUIET;
    return conclude(input, now_us);
}

int64_t errand__e2b_input_due(const struct e2b_input *input)
{
    return input->again_us;
}
