/* config.c - one place that reads the environment, and says what in it makes no sense. Values
 * are never repeated where they could be a key. */
#include "transport/e2b/config.h"

#include "base/err.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { TIMEOUT_S = 300, TIMEOUT_LEAST_S = 1, KEY_MOST = 512, NAME_MOST = 256, LIST_MOST = 256 };

static const char hosted[] = "e2b.app";
/* Where one name serves all sandboxes, and headers say which. */
static const char *const shared_domains[] = {"e2b.app", "e2b.dev", "e2b.pro", "e2b-staging.dev"};

static errand_status no_memory(errand_error *err)
{
    return errand__fail(err, ERRAND_ENOMEM, 0, "e2b: no memory");
}

/* --- Words ------------------------------------------------------------------------------------ */

/* What the options say, else the environment; NULL: neither. */
static const char *told(const char *given, const char *variable)
{
    const char *value = given != NULL ? given : getenv(variable);

    return value != NULL && value[0] != '\0' ? value : NULL;
}

static bool is_printable(const char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text <= ' ' || (unsigned char)*text >= 0x7f)
            return false;
    }
    return true;
}

static bool is_shared(const char *domain)
{
    for (size_t i = 0; i < COUNT(shared_domains); i++) {
        if (strcmp(shared_domains[i], domain) == 0)
            return true;
    }
    return false;
}

static errand_status keep_text(char **to, const char *text, errand_error *err)
{
    if (text == NULL)
        return ERRAND_OK;
    *to = errand__mem_copy(text, strlen(text));
    return *to == NULL ? no_memory(err) : ERRAND_OK;
}

static errand_status keep_url(char **to, const char *text, const char *name, errand_error *err)
{
    size_t len = text == NULL ? 0 : strlen(text);

    if (text == NULL)
        return ERRAND_OK;
    if ((strncmp(text, "http://", 7) != 0 && strncmp(text, "https://", 8) != 0) ||
        !is_printable(text) || len >= E2B_URL_BASE)
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "e2b: %s is no address that begins with http:// or https://", name);
    if (strchr(text, '@') != NULL)
        return errand__fail(err, ERRAND_EINVAL, 0, "e2b: %s must not hold a login", name);
    while (len > 0 && text[len - 1] == '/')
        len--;
    *to = errand__mem_copy(text, len);
    return *to == NULL ? no_memory(err) : ERRAND_OK;
}

static errand_status keep_list(char ***to, const char *const *list, const char *name, bool pairs,
                               errand_error *err)
{
    size_t count = 0;

    while (list != NULL && list[count] != NULL && count <= LIST_MOST)
        count++;
    if (count == 0)
        return ERRAND_OK;
    if (count > LIST_MOST)
        return errand__fail(err, ERRAND_EINVAL, 0, "e2b: %s: more than %d", name, LIST_MOST);
    *to = errand__mem_new(count + 1, sizeof(**to));
    if (*to == NULL)
        return no_memory(err);
    for (size_t i = 0; i < count; i++) {
        if (pairs && (list[i][0] == '=' || strchr(list[i], '=') == NULL))
            return errand__fail(err, ERRAND_EINVAL, 0, "e2b: %s: wants NAME=VALUE", name);
        errand_status status = keep_text(&(*to)[i], list[i], err);
        if (status != ERRAND_OK)
            return status;
    }
    return ERRAND_OK;
}

/* --- The address ------------------------------------------------------------------------------ */

static bool is_name(errand_span text, const char *more)
{
    if (text.len == 0 || text.len > NAME_MOST)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!plain && strchr(more, c) == NULL)
            return false;
    }
    return text.ptr[0] != '-' && text.ptr[0] != '.';
}

static errand_status take_timeout(struct e2b_config *config, errand_span value, errand_error *err)
{
    uint64_t number = 0;

    for (size_t i = 0; i < value.len && number < INT32_MAX; i++) {
        if (value.ptr[i] < '0' || value.ptr[i] > '9')
            return errand__fail(err, ERRAND_EINVAL, 0,
                                "e2b: timeout wants a number of seconds, such as timeout=300");
        number = number * 10 + (uint64_t)(value.ptr[i] - '0');
    }
    if (number < TIMEOUT_LEAST_S || number > INT32_MAX)
        return errand__fail(err, ERRAND_EINVAL, 0, "e2b: timeout wants 1 to %d seconds", INT32_MAX);
    config->timeout_s = number;
    return ERRAND_OK;
}

static errand_status take_codec(struct e2b_config *config, errand_span value, errand_error *err)
{
    static const char *const names[] = {"auto", "proto", "json"};

    for (size_t i = 0; i < COUNT(names); i++) {
        if (!span_is(value, names[i]))
            continue;
        config->codec = (errand_e2b_codec)i;
        return ERRAND_OK;
    }
    return errand__fail(err, ERRAND_EINVAL, 0, "e2b: codec wants auto, proto or json");
}

static errand_status take_query(struct e2b_config *config, errand_span pair, errand_error *err)
{
    const char *equals = memchr(pair.ptr, '=', pair.len);
    size_t name_len = equals == NULL ? pair.len : (size_t)(equals - pair.ptr);
    errand_span name = span_head(pair, name_len);
    errand_span value = equals == NULL ? SPAN_EMPTY : span_after(pair, name_len + 1);

    if (span_is(name, "timeout"))
        return take_timeout(config, value, err);
    if (span_is(name, "codec"))
        return take_codec(config, value, err);
    if (span_is(name, "keep") && value.len == 0) {
        config->keep = true;
        return ERRAND_OK;
    }
    return errand__fail(err, ERRAND_EINVAL, 0,
                        "e2b: after the question mark there may be timeout=SECONDS, keep and "
                        "codec=auto|proto|json, with & between");
}

static errand_status take_queries(struct e2b_config *config, errand_span text, errand_error *err)
{
    errand_status status = ERRAND_OK;

    while (text.len > 0 && status == ERRAND_OK) {
        const char *end = memchr(text.ptr, '&', text.len);
        size_t len = end == NULL ? text.len : (size_t)(end - text.ptr);
        status = take_query(config, span_head(text, len), err);
        text = span_after(text, len < text.len ? len + 1 : len);
    }
    return status;
}

static errand_status take_address(struct e2b_config *config, const char *address, errand_error *err)
{
    bool creates = strncmp(address, "e2b://", 6) == 0;
    errand_span text = span_text(address + (creates ? 6 : 4));
    const char *query = memchr(text.ptr, '?', text.len);
    errand_span name = span_head(text, query == NULL ? text.len : (size_t)(query - text.ptr));

    if (query != NULL) {
        errand_status status = take_queries(config, span_after(text, name.len + 1), err);
        if (status != ERRAND_OK)
            return status;
    }
    if (creates && !is_name(name, "-_./:"))
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "e2b: that names no template, as e2b://base would");
    if (!creates && !is_name(name, "-_"))
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "e2b: that is no sandbox; e2b:ID goes to one that is there, "
                            "e2b://TEMPLATE makes one");
    char **to = creates ? &config->template : &config->id;
    *to = errand__mem_copy(name.ptr, name.len);
    return *to == NULL ? no_memory(err) : ERRAND_OK;
}

/* --- The key ---------------------------------------------------------------------------------- */

static bool has_hosted_shape(const char *key)
{
    return strncmp(key, "e2b_", 4) == 0 && key[4] != '\0' &&
           strspn(key + 4, "0123456789abcdef") == strlen(key + 4);
}

/* Others that speak this API have keys of their own shapes: only where the service is the one
 * whose keys are known, a slip is told before it travels. */
static errand_status check_key(const struct e2b_config *config, bool api_given, errand_error *err)
{
    const char *validate = getenv("E2B_VALIDATE_API_KEY");
    bool waived = validate != NULL && strcmp(validate, "false") == 0;
    const char *key = config->api_key;

    if (config->debug)
        return ERRAND_OK;
    if (key == NULL)
        return errand__fail(err, ERRAND_EAUTH, 0,
                            "e2b: there is no key: set E2B_API_KEY to that of your account");
    if (!is_printable(key) || strlen(key) > KEY_MOST)
        return errand__fail(err, ERRAND_EAUTH, 0,
                            "e2b: the key holds a blank, a line break or another character that "
                            "no key has");
    if (!api_given && is_shared(config->domain) && !waived && !has_hosted_shape(key))
        return errand__fail(err, ERRAND_EAUTH, 0,
                            "e2b: the key has another shape than those of %s, e2b_ and hex "
                            "digits; E2B_VALIDATE_API_KEY=false sends it all the same",
                            config->domain);
    return ERRAND_OK;
}

/* --- All of it -------------------------------------------------------------------------------- */

static errand_status default_api(struct e2b_config *config, errand_error *err)
{
    char url[E2B_URL_MOST];

    if (config->api_url != NULL)
        return ERRAND_OK;
    if (config->debug)
        return keep_text(&config->api_url, "http://localhost:3000", err);
    (void)snprintf(url, sizeof(url), "https://api.%s", config->domain);
    return keep_text(&config->api_url, url, err);
}

static errand_status take_words(struct e2b_config *config, const errand_e2b_options *options,
                                errand_error *err)
{
    const char *domain = told(options->domain, "E2B_DOMAIN");
    const char *debug = getenv("E2B_DEBUG");
    const char *api_url = told(options->api_url, "E2B_API_URL");

    config->debug = options->debug != 0 || (debug != NULL && strcmp(debug, "true") == 0);
    domain = domain == NULL ? hosted : domain;
    if (!is_name(span_text(domain), "-.:"))
        return errand__fail(err, ERRAND_EINVAL, 0, "e2b: the domain is no name, as %s is", hosted);
    errand_status status = keep_text(&config->domain, domain, err);
    if (status == ERRAND_OK)
        status = keep_text(&config->api_key, told(options->api_key, "E2B_API_KEY"), err);
    if (status == ERRAND_OK)
        status = keep_url(&config->api_url, api_url, "the address of the API", err);
    if (status == ERRAND_OK)
        status = default_api(config, err);
    if (status == ERRAND_OK)
        status = keep_url(&config->sandbox_url, told(options->sandbox_url, "E2B_SANDBOX_URL"),
                          "the address of the sandbox", err);
    if (status == ERRAND_OK && options->user != NULL && !is_name(span_text(options->user), "-_."))
        status = errand__fail(err, ERRAND_EINVAL, 0, "e2b: the user is no name");
    if (status == ERRAND_OK)
        status = keep_text(&config->user, options->user, err);
    return status == ERRAND_OK ? check_key(config, api_url != NULL, err) : status;
}

static errand_status take_lists(struct e2b_config *config, const errand_e2b_options *options,
                                errand_error *err)
{
    errand_status status = keep_list(&config->metadata, options->metadata, "metadata", true, err);

    if (status == ERRAND_OK)
        status = keep_list(&config->env, options->env, "env", true, err);
    if (status == ERRAND_OK)
        status = keep_list(&config->allow_out, options->allow_out, "allow_out", false, err);
    if (status == ERRAND_OK)
        status = keep_list(&config->deny_out, options->deny_out, "deny_out", false, err);
    return status;
}

errand_status errand__e2b_config_init(struct e2b_config *config, const char *address,
                                      const errand_e2b_options *options, errand_error *err)
{
    static const errand_e2b_options none = ERRAND_E2B_OPTIONS_INIT;

    options = options == NULL ? &none : options;
    *config = (struct e2b_config){.keep = options->keep != 0,
                                  .no_internet = options->no_internet != 0,
                                  .codec = options->codec,
                                  .timeout_s = TIMEOUT_S};
    if (options->codec > ERRAND_E2B_CODEC_JSON)
        return errand__fail(err, ERRAND_EINVAL, 0, "e2b: no such codec (%d)", (int)options->codec);
    if (options->timeout_ms > (uint64_t)INT32_MAX * 1000)
        return errand__fail(err, ERRAND_EINVAL, 0, "e2b: the timeout wants 1 to %d seconds",
                            INT32_MAX);
    if (options->timeout_ms != 0)
        config->timeout_s = (options->timeout_ms + 999) / 1000;
    errand_status status = address == NULL ? ERRAND_OK : take_address(config, address, err);
    if (status == ERRAND_OK)
        status = take_lists(config, options, err);
    return status == ERRAND_OK ? take_words(config, options, err) : status;
}

static void free_list(char **list)
{
    for (size_t i = 0; list != NULL && list[i] != NULL; i++)
        errand__e2b_config_free_secret(list[i]);
    errand__mem_free(list);
}

void errand__e2b_config_free_secret(char *secret)
{
    if (secret != NULL)
        explicit_bzero(secret, strlen(secret));
    errand__mem_free(secret);
}

void errand__e2b_config_deinit(struct e2b_config *config)
{
    errand__e2b_config_free_secret(config->api_key);
    errand__mem_free(config->api_url);
    errand__mem_free(config->domain);
    errand__mem_free(config->sandbox_url);
    errand__mem_free(config->user);
    errand__mem_free(config->template);
    errand__mem_free(config->id);
    free_list(config->metadata);
    free_list(config->env);
    free_list(config->allow_out);
    free_list(config->deny_out);
    *config = (struct e2b_config){0};
}

char *errand__e2b_config_text(const struct e2b_config *config)
{
    const char *name = config->template != NULL ? config->template : config->id;
    char text[NAME_MOST + 16];

    int len = snprintf(text, sizeof(text), "e2b:%s%s", config->template != NULL ? "//" : "", name);
    return errand__mem_copy(text, (size_t)len);
}

bool errand__e2b_config_envd_url(const struct e2b_config *config, const char *id,
                                 const char *domain, char url[static E2B_URL_BASE])
{
    int len = 0;

    domain = domain == NULL || domain[0] == '\0' ? config->domain : domain;
    if (config->sandbox_url != NULL)
        len = snprintf(url, E2B_URL_BASE, "%s", config->sandbox_url);
    else if (config->debug)
        len = snprintf(url, E2B_URL_BASE, "http://localhost:%d", E2B_ENVD_PORT);
    else if (is_shared(domain))
        len = snprintf(url, E2B_URL_BASE, "https://sandbox.%s", domain);
    else
        len = snprintf(url, E2B_URL_BASE, "https://%d-%s.%s", E2B_ENVD_PORT, id, domain);
    return len > 0 && len < E2B_URL_BASE;
}
