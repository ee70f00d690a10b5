/* control.c - one table of verbs, and the one body that has more than a number in it. */
#include "transport/e2b/control.h"

#include "base/mem.h"
#include "transport/e2b/headers.h"
#include "transport/e2b/json.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    ANSWER_MOST = 4 * 1024 * 1024,
    BODY_MOST = 1024 * 1024,
    /* The server itself works at a request for 70 s. */
    TIMEOUT_US = 75 * 1000 * 1000,
    REFRESH_MOST_S = 3600
};

enum body { BODY_NONE, BODY_CREATE, BODY_TIMEOUT, BODY_DURATION, BODY_EMPTY };

static const struct verb {
    const char *name, *method, *path, *older; /* %s: the sandbox's id. */
    enum body body;
} verbs[] = {
    [E2B_VERB_CREATE] = {"create", "POST", "/v2/sandboxes", "/sandboxes", BODY_CREATE},
    [E2B_VERB_CONNECT] = {"connect", "POST", "/v2/sandboxes/%s/connect", "/sandboxes/%s/connect",
                          BODY_TIMEOUT},
    [E2B_VERB_RESUME] = {"resume", "POST", "/sandboxes/%s/resume", NULL, BODY_TIMEOUT},
    [E2B_VERB_INFO] = {"info", "GET", "/sandboxes/%s", NULL, BODY_NONE},
    [E2B_VERB_LIST] = {"list", "GET", "/v2/sandboxes?state=running,paused%s", "/sandboxes",
                       BODY_NONE},
    [E2B_VERB_TIMEOUT] = {"timeout", "POST", "/sandboxes/%s/timeout", NULL, BODY_TIMEOUT},
    [E2B_VERB_REFRESH] = {"refresh", "POST", "/sandboxes/%s/refreshes", NULL, BODY_DURATION},
    [E2B_VERB_PAUSE] = {"pause", "POST", "/sandboxes/%s/pause", NULL, BODY_EMPTY},
    [E2B_VERB_KILL] = {"kill", "DELETE", "/sandboxes/%s", NULL, BODY_NONE},
    [E2B_VERB_METRICS] = {"metrics", "GET", "/sandboxes/%s/metrics", NULL, BODY_NONE},
};

struct e2b_secrets errand__e2b_control_secrets(const struct e2b_control *control)
{
    return (struct e2b_secrets){control->config->api_key, NULL, control->config->env};
}

const char *errand__e2b_control_name(enum e2b_verb verb)
{
    return verbs[verb].name;
}

/* --- Bodies ----------------------------------------------------------------------------------- */

static json_t *object_of(char *const *pairs)
{
    json_t *object = json_object();

    for (size_t i = 0; pairs[i] != NULL; i++) {
        const char *equals = strchr(pairs[i], '=');
        char *name = errand__mem_copy(pairs[i], (size_t)(equals - pairs[i]));
        if (name != NULL)
            (void)json_object_set_new(object, name, json_string(equals + 1));
        errand__mem_free(name);
    }
    return object;
}

static json_t *array_of(char *const *words)
{
    json_t *array = json_array();

    for (size_t i = 0; words[i] != NULL; i++)
        (void)json_array_append_new(array, json_string(words[i]));
    return array;
}

static json_t *network_of(const struct e2b_config *config)
{
    json_t *network = json_object();

    if (config->allow_out != NULL)
        (void)json_object_set_new(network, "allowOut", array_of(config->allow_out));
    if (config->deny_out != NULL)
        (void)json_object_set_new(network, "denyOut", array_of(config->deny_out));
    return network;
}

static json_t *create_body(const struct e2b_control *control)
{
    const struct e2b_config *config = control->config;
    json_t *body = json_pack("{s:s,s:I}", "templateID", config->template, "timeout",
                             (json_int_t)config->timeout_s);

    /* The newer version always secures what runs inside. */
    if (control->old)
        (void)json_object_set_new(body, "secure", json_true());
    if (config->metadata != NULL)
        (void)json_object_set_new(body, "metadata", object_of(config->metadata));
    if (config->env != NULL)
        (void)json_object_set_new(body, "envVars", object_of(config->env));
    if (config->no_internet)
        (void)json_object_set_new(body, "allow_internet_access", json_false());
    if (config->allow_out != NULL || config->deny_out != NULL)
        (void)json_object_set_new(body, "network", network_of(config));
    return body;
}

static json_t *make_body(const struct e2b_control *control, enum body kind)
{
    uint64_t seconds = control->config->timeout_s;

    switch (kind) {
    case BODY_CREATE:
        return create_body(control);
    case BODY_TIMEOUT:
        return json_pack("{s:I}", "timeout", (json_int_t)seconds);
    case BODY_DURATION:
        return json_pack("{s:I}", "duration",
                         (json_int_t)(seconds < REFRESH_MOST_S ? seconds : REFRESH_MOST_S));
    case BODY_EMPTY:
    case BODY_NONE:
        break;
    }
    return json_object();
}

/* --- Asking ----------------------------------------------------------------------------------- */

static bool make_url(const struct e2b_control *control, enum e2b_verb verb, const char *id,
                     char url[static E2B_URL_MOST])
{
    const struct verb *row = &verbs[verb];
    const char *path = control->old && row->older != NULL ? row->older : row->path;
    const char *slot = strstr(path, "%s");
    int head = slot == NULL ? (int)strlen(path) : (int)(slot - path);
    int len = snprintf(url, E2B_URL_MOST, "%s%.*s%s%s", control->config->api_url, head, path,
                       slot == NULL ? "" : id, slot == NULL ? "" : slot + 2);

    return len > 0 && len < E2B_URL_MOST;
}

static struct e2b_exchange *ask(const struct e2b_control *control, enum e2b_verb verb,
                                const char *url, errand_span body, struct bell *bell)
{
    struct e2b_headers headers;
    struct e2b_exchange *exchange = NULL;
    bool posts = strcmp(verbs[verb].method, "POST") == 0;

    errand__e2b_headers_init(&headers);
    errand__e2b_headers_add(&headers, "X-API-Key", control->config->api_key);
    errand__e2b_headers_add(&headers, "Content-Type", posts ? "application/json" : NULL);
    const struct e2b_request request = {.name = verbs[verb].name,
                                        .method = verbs[verb].method,
                                        .url = url,
                                        .headers = headers.list,
                                        .body = body,
                                        .body_len = body.len,
                                        .answer_most = ANSWER_MOST,
                                        .timeout_us = TIMEOUT_US,
                                        .bell = bell};
    if (!headers.too_long)
        exchange = errand__e2b_exchange_new(control->http, &request);
    errand__e2b_headers_wipe(&headers);
    return exchange;
}

struct e2b_exchange *errand__e2b_control_ask(const struct e2b_control *control, enum e2b_verb verb,
                                             const char *id, struct bell *bell)
{
    char url[E2B_URL_MOST];
    struct e2b_exchange *exchange = NULL;
    struct buf body;
    errand_status status = ERRAND_OK;

    if (!make_url(control, verb, id, url))
        return NULL;
    errand__buf_init(&body, BODY_MOST);
    if (verbs[verb].body != BODY_NONE)
        status = errand__e2b_json_put(&body, make_body(control, verbs[verb].body));
    if (status == ERRAND_OK)
        exchange = ask(control, verb, url, errand__buf_peek(&body), bell);
    errand__buf_deinit(&body);
    return exchange;
}

/* Nothing, or JSON: whatever stands between us and the service answers with a page, and with 200.
 */
static bool says_nothing_else(errand_span body)
{
    json_auto_t *root = json_loadb(body.len == 0 ? "" : body.ptr, body.len, JSON_DECODE_ANY, NULL);

    return body.len == 0 || root != NULL;
}

bool errand__e2b_control_worked(const struct e2b_exchange *exchange)
{
    return exchange->over && exchange->result == CURLE_OK &&
           (exchange->status == 200 || exchange->status == 201 || exchange->status == 204) &&
           says_nothing_else(errand__buf_peek(&exchange->in));
}

bool errand__e2b_control_is_older(const struct e2b_control *control, enum e2b_verb verb,
                                  const struct e2b_exchange *exchange)
{
    errand_span body = errand__buf_peek(&exchange->in);
    /* Whoever speaks of a sandbox has the route, and misses the sandbox. */
    bool missed = verb == E2B_VERB_CONNECT && span_holds(body, SPAN_LITERAL("andbox"));

    return !control->old && verbs[verb].older != NULL && !missed &&
           (exchange->status == 404 || exchange->status == 405);
}

/* --- Answers ---------------------------------------------------------------------------------- */

size_t errand__e2b_control_count(errand_span bytes)
{
    json_auto_t *root = json_loadb(bytes.ptr, bytes.len, 0, NULL);

    return json_array_size(root);
}

int errand__e2b_control_list(struct e2b_sandbox *sandboxes, size_t most, errand_span bytes)
{
    json_auto_t *root = json_loadb(bytes.ptr, bytes.len, 0, NULL);
    size_t count = 0;

    if (!json_is_array(root))
        return -1;
    for (size_t i = 0; i < json_array_size(root) && count < most; i++) {
        if (errand__e2b_sandbox_read(&sandboxes[count], json_array_get(root, i)))
            count++;
        else
            errand__e2b_sandbox_deinit(&sandboxes[count]);
    }
    return (int)count;
}

static uint64_t number(const json_t *object, const char *name)
{
    json_int_t value = json_integer_value(json_object_get(object, name));

    return value < 0 ? 0 : (uint64_t)value;
}

errand_status errand__e2b_control_metrics(struct e2b_metrics *metrics, errand_span bytes)
{
    json_auto_t *root = json_loadb(bytes.ptr, bytes.len, 0, NULL);
    size_t count = json_array_size(root);
    const json_t *last = count == 0 ? NULL : json_array_get(root, count - 1);

    if (json_is_array(root) && count == 0)
        return ERRAND_AGAIN;
    if (!json_is_object(last))
        return ERRAND_EIO;
    *metrics =
        (struct e2b_metrics){.cpu_percent = json_number_value(json_object_get(last, "cpuUsedPct")),
                             .cpu_count = number(last, "cpuCount"),
                             .memory_used = number(last, "memUsed"),
                             .memory_total = number(last, "memTotal"),
                             .disk_used = number(last, "diskUsed"),
                             .disk_total = number(last, "diskTotal")};
    return ERRAND_OK;
}
