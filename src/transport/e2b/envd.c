/* envd.c - one request a function, in whichever codec the sandbox is spoken to. */
#include "transport/e2b/envd.h"

#include "base/mem.h"
#include "transport/e2b/base64.h"
#include "transport/e2b/envelope.h"
#include "transport/e2b/headers.h"
#include "transport/e2b/json.h"
#include "transport/e2b/proto.h"

#include <stdio.h>

enum {
    BODY_MOST = 256 * 1024,
    ANSWER_MOST = 4 * 1024 * 1024,
    UNARY_US = 30 * 1000 * 1000,
    HEALTH_US = 5 * 1000 * 1000
};

/* --- Requests --------------------------------------------------------------------------------- */

const char *errand__e2b_envd_user(const struct e2b_envd *envd)
{
    if (envd->config->user != NULL)
        return envd->config->user;
    return errand__e2b_version_is_least(envd->sandbox->version, 0, 4, 0) ? NULL : "user";
}

static void add_user(struct e2b_headers *headers, const char *user)
{
    char login[300], value[500];
    struct buf coded;

    if (user == NULL)
        return;
    errand__buf_init(&coded, sizeof(value));
    int len = snprintf(login, sizeof(login), "%s:", user);
    if (errand__e2b_base64_put(&coded, span_of(login, (size_t)len)) == ERRAND_OK) {
        errand_span bytes = errand__buf_peek(&coded);
        (void)snprintf(value, sizeof(value), "Basic %.*s", (int)bytes.len, bytes.ptr);
        errand__e2b_headers_add(headers, "Authorization", value);
    }
    errand__buf_deinit(&coded);
}

void errand__e2b_envd_headers(const struct e2b_envd *envd, struct e2b_headers *headers)
{
    char port[16];

    errand__e2b_headers_init(headers);
    (void)snprintf(port, sizeof(port), "%d", E2B_ENVD_PORT);
    errand__e2b_headers_add(headers, "E2b-Sandbox-Id", envd->sandbox->id);
    errand__e2b_headers_add(headers, "E2b-Sandbox-Port", port);
    errand__e2b_headers_add(headers, "X-Access-Token", envd->sandbox->token);
    add_user(headers, errand__e2b_envd_user(envd));
}

struct ask {
    const char *path;
    errand_span body;
    bool streams; /* The answer comes in envelopes. */
    bool lone;    /* Over a connection of its own. */
    bool patient; /* However long the answer takes. */
    struct bell *bell;
};

static struct e2b_exchange *post(const struct e2b_envd *envd, const struct ask *ask)
{
    char url[E2B_URL_MOST], interval[16];
    struct e2b_headers headers;
    struct e2b_exchange *exchange = NULL;
    const char *codec = envd->json ? "json" : "proto";
    char type[64];

    (void)snprintf(url, sizeof(url), "%s%s", envd->url, ask->path);
    (void)snprintf(type, sizeof(type), "application/%s%s", ask->streams ? "connect+" : "", codec);
    (void)snprintf(interval, sizeof(interval), "%d", E2B_ENVD_KEEPALIVE_S);
    errand__e2b_envd_headers(envd, &headers);
    errand__e2b_headers_add(&headers, "Content-Type", type);
    errand__e2b_headers_add(&headers, "Connect-Protocol-Version", "1");
    errand__e2b_headers_add(&headers, "Keepalive-Ping-Interval", ask->streams ? interval : NULL);
    const struct e2b_request request = {.name = strrchr(ask->path, '/') + 1,
                                        .method = "POST",
                                        .url = url,
                                        .headers = headers.list,
                                        .body = ask->body,
                                        .body_len = ask->body.len,
                                        .stream = ask->streams,
                                        .lone = ask->lone,
                                        .answer_most = ask->streams ? E2B_ENVD_HELD : ANSWER_MOST,
                                        .timeout_us = ask->streams || ask->patient ? 0 : UNARY_US,
                                        .bell = ask->bell};
    if (!headers.too_long)
        exchange = errand__e2b_exchange_new(envd->http, &request);
    errand__e2b_headers_wipe(&headers);
    return exchange;
}

/* A message that status says is whole; it is let go. */
static struct e2b_exchange *post_message(const struct e2b_envd *envd, errand_status status,
                                         struct buf *message, struct ask ask)
{
    struct e2b_exchange *exchange = NULL;

    ask.body = errand__buf_peek(message);
    if (status == ERRAND_OK)
        exchange = post(envd, &ask);
    errand__buf_deinit(message);
    return exchange;
}

/* The request of a stream is one envelope. */
static struct e2b_exchange *post_enveloped(const struct e2b_envd *envd, errand_status status,
                                           struct buf *message, struct ask ask)
{
    struct buf whole;
    char head[E2B_ENVELOPE_HEAD];
    errand_span bytes = errand__buf_peek(message);

    errand__buf_init(&whole, BODY_MOST + E2B_ENVELOPE_HEAD);
    errand__e2b_envelope_head(head, 0, bytes.len);
    if (status == ERRAND_OK)
        status = errand__buf_push(&whole, span_of(head, sizeof(head)));
    if (status == ERRAND_OK)
        status = errand__buf_push(&whole, bytes);
    errand__buf_deinit(message);
    return post_message(envd, status, &whole, ask);
}

/* --- The process service ---------------------------------------------------------------------- */

struct e2b_exchange *errand__e2b_envd_start(const struct e2b_envd *envd,
                                            const struct e2b_start *start, bool lone,
                                            struct bell *bell)
{
    struct buf message;

    errand__buf_init(&message, BODY_MOST);
    errand_status status = envd->json ? errand__e2b_json_start(&message, start)
                                      : errand__e2b_proto_start(&message, start);
    return post_enveloped(
        envd, status, &message,
        (struct ask){
            .path = "/process.Process/Start", .streams = true, .lone = lone, .bell = bell});
}

struct e2b_exchange *errand__e2b_envd_connect(const struct e2b_envd *envd, uint32_t pid,
                                              struct bell *bell)
{
    struct buf message;

    errand__buf_init(&message, BODY_MOST);
    errand_status status = envd->json ? errand__e2b_json_select(&message, pid)
                                      : errand__e2b_proto_select(&message, pid);
    return post_enveloped(
        envd, status, &message,
        (struct ask){
            .path = "/process.Process/Connect", .streams = true, .lone = true, .bell = bell});
}

struct e2b_exchange *errand__e2b_envd_input(const struct e2b_envd *envd, uint32_t pid,
                                            errand_span bytes, struct bell *bell)
{
    struct buf message;

    errand__buf_init(&message, BODY_MOST);
    errand_status status = envd->json ? errand__e2b_json_input(&message, pid, bytes)
                                      : errand__e2b_proto_input(&message, pid, bytes);
    return post_message(
        envd, status, &message,
        (struct ask){.path = "/process.Process/SendInput", .patient = true, .bell = bell});
}

struct e2b_exchange *errand__e2b_envd_signal(const struct e2b_envd *envd, uint32_t pid, int number,
                                             struct bell *bell)
{
    struct buf message;

    errand__buf_init(&message, BODY_MOST);
    errand_status status = envd->json ? errand__e2b_json_signal(&message, pid, number)
                                      : errand__e2b_proto_signal(&message, pid, number);
    return post_message(envd, status, &message,
                        (struct ask){.path = "/process.Process/SendSignal", .bell = bell});
}

struct e2b_exchange *errand__e2b_envd_list(const struct e2b_envd *envd, struct bell *bell)
{
    struct buf message;
    errand_status status = ERRAND_OK;

    errand__buf_init(&message, BODY_MOST);
    if (envd->json)
        status = errand__buf_push(&message, SPAN_LITERAL("{}"));
    return post_message(envd, status, &message,
                        (struct ask){.path = "/process.Process/List", .bell = bell});
}

uint32_t errand__e2b_envd_find(const struct e2b_envd *envd, const struct e2b_exchange *list,
                               errand_span mark)
{
    errand_span bytes = errand__buf_peek(&list->in);

    return envd->json ? errand__e2b_json_find(bytes, mark) : errand__e2b_proto_find(bytes, mark);
}

/* --- The others ------------------------------------------------------------------------------- */

struct e2b_exchange *errand__e2b_envd_health(const struct e2b_envd *envd, struct bell *bell)
{
    char url[E2B_URL_MOST];
    struct e2b_headers headers;
    struct e2b_exchange *exchange = NULL;

    (void)snprintf(url, sizeof(url), "%s/health", envd->url);
    errand__e2b_envd_headers(envd, &headers);
    const struct e2b_request request = {.name = "health",
                                        .method = "GET",
                                        .url = url,
                                        .headers = headers.list,
                                        .answer_most = ANSWER_MOST,
                                        .timeout_us = HEALTH_US,
                                        .bell = bell};
    if (!headers.too_long)
        exchange = errand__e2b_exchange_new(envd->http, &request);
    errand__e2b_headers_wipe(&headers);
    return exchange;
}

struct e2b_secrets errand__e2b_envd_secrets(const struct e2b_envd *envd)
{
    return (struct e2b_secrets){envd->config->api_key, envd->sandbox->token, envd->config->env};
}

bool errand__e2b_envd_worked(const struct e2b_exchange *exchange)
{
    return exchange->over && exchange->result == CURLE_OK && exchange->status >= 200 &&
           exchange->status <= 299;
}
