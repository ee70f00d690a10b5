/* error.c - one table of what servers say, and what it means. Reads bodies of any kind: JSON
 * with a code that is a number or a word, plain text, a page, nothing. */
#include "transport/e2b/error.h"

#include "base/err.h"
#include "transport/e2b/calendar.h"
#include "transport/e2b/json.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum {
    WORDS_MOST = 140,
    AFTER_MOST_S = 60, /* Whoever says more is not waited for that long. */
    OK_HIGH = 299
};

/* --- What stands for what --------------------------------------------------------------------- */

enum {
    ANY = 0,
    API = 1 << E2B_PLANE_API,
    EDGE = 1 << E2B_PLANE_UNARY | 1 << E2B_PLANE_STREAM | 1 << E2B_PLANE_FILE
};
enum { RETRY = 1, UNSURE = 2, NOT_FOUND = 4 };

/* The first row that fits counts. words: a part of what the server said; NULL: whatever. */
static const struct row {
    unsigned planes, flags;
    long status; /* Of HTTP; 0: a Connect code, in words. */
    const char *words, *code;
} rows[] = {
    {API, 0, 400, "emplate", "template_not_found"},
    {API, 0, 404, "emplate", "template_not_found"},
    {API, 0, 403, "emplate", "template_not_found"},
    {API, 0, 400, "imeout", "plan_limit"},
    {API, 0, 400, NULL, "bad_request"},
    {API, 0, 401, NULL, "auth_failed"},
    {API, 0, 403, NULL, "auth_failed"},
    {API, 0, 402, NULL, "plan_limit"},
    {API, NOT_FOUND, 404, NULL, "sandbox_gone"},
    {API, RETRY, 409, NULL, "transitioning"},
    {API, 0, 429, "maximum number of concurrent", "team_limit"},
    {API, RETRY, 429, NULL, "rate_limited"},
    {API, RETRY, 500, "lace sandbox", "no_capacity"},
    {API, RETRY, 502, NULL, "bad_gateway"},
    {API, RETRY, 503, NULL, "no_capacity"},
    {API, RETRY, 504, NULL, "no_capacity"},
    {EDGE, NOT_FOUND, 400, "nvalid sandbox", "sandbox_gone"},
    {EDGE, 0, 400, NULL, "bad_request"},
    {EDGE, RETRY, 401, "not initialized", "transitioning"},
    {EDGE, 0, 401, NULL, "auth_failed"},
    {EDGE, 0, 403, NULL, "auth_failed"},
    {1 << E2B_PLANE_STREAM, 0, 404, NULL, "not_e2b"}, /* It has no processes. */
    {EDGE, NOT_FOUND, 404, NULL, "not_found"},
    {EDGE, RETRY, 409, NULL, "transitioning"},
    {EDGE, 0, 415, NULL, "codec_refused"},
    {EDGE, 0, 429, "maximum number of concurrent", "team_limit"},
    {EDGE, RETRY, 429, "connections", "connection_limit"},
    {EDGE, RETRY, 429, NULL, "rate_limited"},
    {EDGE, RETRY, 502, "port is not open", "port_closed"},
    {EDGE, NOT_FOUND, 502, "was not found", "sandbox_gone"},
    {EDGE, RETRY | UNSURE, 502, NULL, "bad_gateway"},
    {EDGE, RETRY | UNSURE, 503, NULL, "bad_gateway"},
    {EDGE, UNSURE, 504, NULL, "bad_gateway"},
    {EDGE, 0, 507, NULL, "no_space"},
    {ANY, 0, 0, "invalid username", "no_user"},
    {ANY, 0, 0, "invalid_argument cwd", "bad_cwd"},
    {ANY, NOT_FOUND, 0, "not_found", "not_found"},
    {ANY, 0, 0, "unimplemented", "codec_refused"},
    {ANY, 0, 0, "invalid_argument", "spawn_failed"},
    {ANY, 0, 0, "resource_exhausted", "spawn_failed"},
    {ANY, 0, 0, "unauthenticated", "auth_failed"},
    {ANY, 0, 0, "permission_denied", "auth_failed"},
};

static const struct row *find_row(enum e2b_plane plane, long status, const char *words)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (rows[i].status == status &&
            (rows[i].planes == ANY || (rows[i].planes & 1U << plane) != 0) &&
            (rows[i].words == NULL || strstr(words, rows[i].words) != NULL))
            return &rows[i];
    }
    return NULL;
}

/* --- Words of others -------------------------------------------------------------------------- */

/* The one at index; SPAN_EMPTY: there is none, or too short to be one. false: no more. */
static bool secret_at(const struct e2b_secrets *secrets, size_t index, errand_span *out)
{
    enum { LEAST = 4 };
    const char *text = index == 0 ? secrets->key : secrets->token;

    if (index > 1) {
        const char *pair = secrets->env == NULL ? NULL : secrets->env[index - 2];
        if (pair == NULL)
            return false;
        text = strchr(pair, '=');
        text = text == NULL ? NULL : text + 1;
    }
    *out = span_text(text);
    if (out->len < LEAST)
        *out = SPAN_EMPTY;
    return true;
}

/* How long the longest secret is that stands there, so that none is left in half. */
static size_t longest_at(const char *text, const struct e2b_secrets *secrets)
{
    errand_span secret = SPAN_EMPTY;
    size_t longest = 0, room = strlen(text);

    for (size_t i = 0; secret_at(secrets, i, &secret); i++) {
        if (secret.len > longest && secret.len <= room && memcmp(text, secret.ptr, secret.len) == 0)
            longest = secret.len;
    }
    return longest;
}

static void blot_out(char *text, const struct e2b_secrets *secrets)
{
    for (char *at = text; *at != '\0'; at++) {
        size_t len = longest_at(at, secrets);
        if (len == 0)
            continue;
        memset(at, '*', 3);
        memmove(at + 3, at + len, strlen(at + len) + 1);
        at += 2;
    }
}

/* Where something was cut, the head of a secret may be the end. */
static void blot_out_head(char *text, errand_span secret)
{
    enum { LEAST = 8 }; /* Less than that says nothing, and other words begin so too. */
    size_t end = strlen(text);

    for (size_t part = secret.len < end ? secret.len : end; part >= LEAST; part--) {
        if (memcmp(text + end - part, secret.ptr, part) == 0) {
            (void)snprintf(text + end - part, part, "***");
            return;
        }
    }
}

static void clean(char *text, const struct e2b_secrets *secrets)
{
    errand_span secret = SPAN_EMPTY;

    if (secrets == NULL)
        return;
    blot_out(text, secrets);
    for (size_t i = 0; secret_at(secrets, i, &secret); i++)
        blot_out_head(text, secret);
}

static void set_words(char words[static WORDS_MOST], const char *text, size_t len,
                      const struct e2b_secrets *secrets)
{
    char whole[4096];

    /* Cut only behind this: of a secret in the middle, nothing else would be seen. */
    len = len < sizeof(whole) - 1 ? len : sizeof(whole) - 1;
    memcpy(whole, text, len);
    whole[len] = '\0';
    clean(whole, secrets);
    (void)snprintf(words, WORDS_MOST, "%.*s", WORDS_MOST - 1, whole);
    explicit_bzero(whole, sizeof(whole));
}

/* {"code": 7 or "word", "message": "…"}. */
static bool read_json(char words[static WORDS_MOST], errand_span body,
                      const struct e2b_secrets *secrets)
{
    json_auto_t *root = json_loadb(body.ptr, body.len, 0, NULL);
    const char *message = errand__e2b_json_text(root, "message");
    const char *code = errand__e2b_json_text(root, "error_code");
    char text[1024];

    code = code == NULL ? errand__e2b_json_text(root, "code") : code;
    if (!json_is_object(root) || (message == NULL && code == NULL))
        return false;
    int len = snprintf(text, sizeof(text), "%s%s%s", code == NULL ? "" : code,
                       code == NULL || message == NULL ? "" : " ", message == NULL ? "" : message);
    set_words(words, text, (size_t)len < sizeof(text) ? (size_t)len : sizeof(text) - 1, secrets);
    return true;
}

/* Of a page its title says most. */
static void read_text(char words[static WORDS_MOST], errand_span body,
                      const struct e2b_secrets *secrets)
{
    char text[2048];
    size_t len = body.len < sizeof(text) - 1 ? body.len : sizeof(text) - 1;

    if (len > 0)
        memcpy(text, body.ptr, len);
    text[len] = '\0';
    char *title = strcasestr(text, "<title>");
    char *from = title != NULL ? title + strlen("<title>") : text;
    char *end = title != NULL ? strcasestr(from, "</title>") : NULL;
    if (end != NULL)
        *end = '\0';
    else if (title == NULL && text[strspn(text, " \t\r\n")] == '<')
        from = text + len; /* A page without a title says nothing. */
    set_words(words, from, strlen(from), secrets);
}

static void read_body(char words[static WORDS_MOST], errand_span body,
                      const struct e2b_secrets *secrets)
{
    if (!read_json(words, body, secrets))
        read_text(words, body, secrets);
}

/* --- When again ------------------------------------------------------------------------------- */

int64_t errand__e2b_error_after_us(const char *retry_after, const char *date)
{
    char *end = NULL;
    int64_t seconds = 0;

    if (isdigit((unsigned char)retry_after[0]) != 0) {
        seconds = strtol(retry_after, &end, 10);
    } else if (retry_after[0] != '\0') {
        int64_t until = errand__e2b_calendar_read(retry_after),
                now = errand__e2b_calendar_read(date);
        seconds = until < 0 || now < 0 ? 0 : until - now;
    }
    seconds = seconds < 0 ? 0 : seconds > AFTER_MOST_S ? AFTER_MOST_S : seconds;
    return seconds * 1000000;
}

/* --- Judging ---------------------------------------------------------------------------------- */

static errand_status status_of(const char *code)
{
    return strcmp(code, "auth_failed") == 0 || strcmp(code, "tls_failed") == 0 ? ERRAND_EAUTH
                                                                               : ERRAND_EIO;
}

static void set(struct e2b_failure *out, const char *code, unsigned flags)
{
    out->code = code;
    out->retryable = (flags & RETRY) != 0;
    out->unsure = (flags & UNSURE) != 0;
    out->not_found = (flags & NOT_FOUND) != 0;
    out->error.status = status_of(code);
}

static void say(struct e2b_failure *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(struct e2b_failure *out, const char *format, ...)
{
    char text[sizeof(out->error.text)];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    out->error.status = ERRAND_OK; /* Untouched, so that it may be filled in. */
    (void)errand__fail(&out->error, status_of(out->code), 0, "e2b: %s", text);
}

void errand__e2b_error_set(struct e2b_failure *out, const char *code, const char *words)
{
    *out = (struct e2b_failure){0};
    set(out, code, 0);
    say(out, "%s", words);
}

static bool is_of(CURLcode result, const CURLcode *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i] == result)
            return true;
    }
    return false;
}

static const char *code_of_result(CURLcode result)
{
    static const CURLcode names[] = {CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY,
                                     CURLE_URL_MALFORMAT};
    static const CURLcode tls[] = {CURLE_SSL_CONNECT_ERROR,     CURLE_PEER_FAILED_VERIFICATION,
                                   CURLE_SSL_CERTPROBLEM,       CURLE_SSL_CIPHER,
                                   CURLE_SSL_CACERT_BADFILE,    CURLE_SSL_ISSUER_ERROR,
                                   CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_INITFAILED};

    if (is_of(result, names, COUNT(names)))
        return "name_not_found";
    if (is_of(result, tls, COUNT(tls)))
        return "tls_failed";
    if (result == CURLE_COULDNT_CONNECT || result == CURLE_PROXY)
        return "connect_failed";
    return "stream_lost";
}

/* Whoever answers in this way never was the API. Behind an edge it may be a moment's fault. */
static bool is_other_server(const struct e2b_exchange *exchange, enum e2b_plane plane)
{
    static const CURLcode results[] = {CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY};

    return plane == E2B_PLANE_API && is_of(exchange->result, results, COUNT(results));
}

/* There was no answer, or not all of it. */
static void judge_result(struct e2b_failure *out, const struct e2b_exchange *exchange,
                         enum e2b_plane plane)
{
    const char *words =
        exchange->error[0] != '\0' ? exchange->error : curl_easy_strerror(exchange->result);

    if (exchange->no_memory || exchange->result == CURLE_OUT_OF_MEMORY) {
        set(out, "place_failed", UNSURE);
        say(out, "no memory");
        return;
    }
    if (exchange->too_long) {
        set(out, "not_e2b", UNSURE);
        say(out, "an answer is over %zu bytes long: that is no E2B server", exchange->answer_most);
        return;
    }
    if (is_other_server(exchange, plane)) {
        set(out, "not_e2b", UNSURE);
        say(out, "that is no E2B server: it does not speak HTTP");
        return;
    }
    const char *code = code_of_result(exchange->result);
    bool early = strcmp(code, "stream_lost") != 0;
    if (!early && !exchange->touched)
        code = "connect_failed";
    if (exchange->late)
        code = "no_answer";
    bool final = strcmp(code, "tls_failed") == 0 || strcmp(code, "name_not_found") == 0;
    set(out, code, (final ? 0U : RETRY) | (exchange->touched ? UNSURE : 0U));
    say(out, "%s", exchange->late ? "no answer came in time" : words);
}

static const char *what_it_is(const struct e2b_exchange *exchange)
{
    if (exchange->status >= 300 && exchange->status < 400)
        return "it sends us elsewhere, which no E2B server does";
    if (strncasecmp(exchange->type, "text/html", 9) == 0)
        return "it answers with a page";
    return errand__buf_peek(&exchange->in).len == 0 ? "its answer is empty"
                                                    : "its answer is none of E2B's";
}

/* A success that should have been something else, or a failure that no row knows. */
static void judge_strange(struct e2b_failure *out, const struct e2b_exchange *exchange,
                          const char *words)
{
    if (exchange->status >= 500) {
        set(out, "server_error", UNSURE);
        say(out, "the server failed with HTTP %ld%s%s", exchange->status,
            words[0] == '\0' ? "" : ": ", words);
        return;
    }
    set(out, "not_e2b", 0);
    say(out, "that is no E2B server: %s (HTTP %ld)%s%s", what_it_is(exchange), exchange->status,
        words[0] == '\0' ? "" : ": ", words);
}

static bool is_connect_error(const struct e2b_exchange *exchange, const char *words)
{
    /* A sandbox's own service says why in a word of Connect's, with a status that follows it. */
    return strncasecmp(exchange->type, "application/json", 16) == 0 && islower(words[0]) != 0 &&
           strcspn(words, " ") > 4 && (strchr(words, '_') != NULL || strchr(words, ' ') != NULL) &&
           find_row(E2B_PLANE_UNARY, 0, words) != NULL;
}

static const char *hint_for(const char *code)
{
    static const struct {
        const char *code, *words;
    } hints[] = {
        {"auth_failed", "; is the key right, and for this service?"},
        {"template_not_found", "; is its name right, and is it yours or public?"},
        {"plan_limit", "; ask for a shorter timeout"},
    };

    for (size_t i = 0; i < COUNT(hints); i++) {
        if (strcmp(hints[i].code, code) == 0)
            return hints[i].words;
    }
    return "";
}

static void judge_status(struct e2b_failure *out, const struct e2b_exchange *exchange,
                         enum e2b_plane plane, const char *words)
{
    bool connect = plane == E2B_PLANE_UNARY && is_connect_error(exchange, words);
    const struct row *row = find_row(plane, connect ? 0 : exchange->status, words);

    if (row == NULL) {
        judge_strange(out, exchange, words);
        return;
    }
    set(out, row->code, row->flags);
    out->after_us = errand__e2b_error_after_us(exchange->retry_after, exchange->date);
    char hint[80] = "";
    if (out->after_us > 0)
        (void)snprintf(hint, sizeof(hint), "; it may be tried again after %lld s",
                       (long long)(out->after_us / 1000000));
    else if (plane == E2B_PLANE_API)
        (void)snprintf(hint, sizeof(hint), "%s", hint_for(row->code));
    if (words[0] == '\0')
        say(out, "HTTP %ld without a word%s", exchange->status, hint);
    else
        say(out, "%s (HTTP %ld)%s", words, exchange->status, hint);
}

void errand__e2b_error_judge(struct e2b_failure *out, const struct e2b_exchange *exchange,
                             enum e2b_plane plane, const struct e2b_secrets *secrets)
{
    char words[WORDS_MOST] = "";

    *out = (struct e2b_failure){0};
    if (exchange->status == 0 || (exchange->result != CURLE_OK && exchange->status <= OK_HIGH)) {
        judge_result(out, exchange, plane);
        return;
    }
    read_body(words, errand__buf_peek(&exchange->in), secrets);
    if (exchange->status <= OK_HIGH)
        judge_strange(out, exchange, "");
    else
        judge_status(out, exchange, plane, words);
}

void errand__e2b_error_trailer(struct e2b_failure *out, errand_span code, errand_span words,
                               const struct e2b_secrets *secrets)
{
    char text[WORDS_MOST], whole[1024];

    *out = (struct e2b_failure){0};
    int len = snprintf(whole, sizeof(whole), "%.*s %.*s", (int)span_head(code, 64).len, code.ptr,
                       (int)span_head(words, 900).len, words.len == 0 ? "" : words.ptr);
    set_words(text, whole, (size_t)len < sizeof(whole) ? (size_t)len : sizeof(whole) - 1, secrets);
    const struct row *row = code.len == 0 ? NULL : find_row(E2B_PLANE_STREAM, 0, text);
    set(out, row != NULL ? row->code : "stream_lost", row != NULL ? row->flags : RETRY | UNSURE);
    if (code.len == 0)
        say(out, "the stream ended without the process's end");
    else
        say(out, "the sandbox says %s", text);
}

errand_status errand__e2b_error_give(const struct e2b_failure *failure, errand_error *err)
{
    if (err == NULL || err->status != ERRAND_OK)
        return failure->error.status;
    *err = failure->error;
    err->retryable = failure->retryable && !failure->unsure;
    err->retry_after_ms = failure->after_us / 1000;
    return failure->error.status;
}
