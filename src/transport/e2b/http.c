/* http.c - libcurl's multi interface behind one epoll.
 *
 * Nothing of libcurl's calls back into anything but the exchange at hand: callbacks fill its
 * buffers and ring its bell. libcurl may send a request again by itself when a connection that
 * lay idle proves dead; a body comes from a function that can't be rewound, so that it does so
 * only where none of it had left. */
#include "transport/e2b/http.h"

#include "base/err.h"
#include "base/mem.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    EVENTS_AT_ONCE = 64,
    ROUNDS_MOST = 4, /* Then others get their turn. */
    OUT_MOST = 1024 * 1024,
    CONNECT_MS = 20 * 1000,
    TCP_IDLE_S = 30,
    TCP_INTERVAL_S = 15,
    CONNECTIONS_KEPT = 32
};

/* --- What libcurl calls ----------------------------------------------------------------------- */

/* socket_ctx: not NULL where the epoll has the socket already. */
static int on_socket(CURL *easy, curl_socket_t fd, int what, void *ctx, void *socket_ctx)
{
    struct e2b_http *http = ctx;
    struct epoll_event event = {.data.fd = fd};

    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        (void)epoll_ctl(http->poll_fd, EPOLL_CTL_DEL, fd, NULL);
        return 0;
    }
    event.events =
        ((what & CURL_POLL_IN) != 0 ? EPOLLIN : 0U) | ((what & CURL_POLL_OUT) != 0 ? EPOLLOUT : 0U);
    (void)epoll_ctl(http->poll_fd, socket_ctx == NULL ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event);
    if (socket_ctx == NULL)
        (void)curl_multi_assign(http->multi, fd, http);
    return 0;
}

/* By itself libcurl would hand its sockets on to children of this process. */
static curl_socket_t on_open(void *ctx, curlsocktype purpose, struct curl_sockaddr *address)
{
    (void)ctx;
    (void)purpose;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static int on_timer(CURLM *multi, long ms, void *ctx)
{
    struct e2b_http *http = ctx;

    (void)multi;
    http->due_us = ms < 0 ? TIME_NEVER : http->now_us + (int64_t)ms * 1000;
    return 0;
}

static size_t on_answer(char *bytes, size_t size, size_t count, void *ctx)
{
    struct e2b_exchange *exchange = ctx;
    size_t len = size * count;
    size_t held = errand__buf_peek(&exchange->in).len;

    if (exchange->stream && held >= exchange->answer_most) {
        exchange->reading_paused = true;
        return CURL_WRITEFUNC_PAUSE;
    }
    exchange->heard_us = exchange->http->now_us;
    exchange->received += len;
    if (!exchange->stream && held + len > exchange->answer_most) {
        exchange->too_long = true;
        return 0;
    }
    if (errand__buf_push(&exchange->in, span_of(bytes, len)) != ERRAND_OK) {
        exchange->no_memory = true;
        return 0;
    }
    errand__bell_ring(exchange->bell);
    return len;
}

static size_t on_body(char *room, size_t size, size_t count, void *ctx)
{
    struct e2b_exchange *exchange = ctx;
    errand_span ready = span_head(errand__buf_peek(&exchange->out), size * count);

    if (ready.len == 0 && exchange->body_left > 0) {
        exchange->writing_paused = true;
        errand__bell_ring(exchange->bell); /* There is room. */
        return CURL_READFUNC_PAUSE;
    }
    exchange->touched = exchange->touched || ready.len > 0;
    if (ready.len > 0)
        memcpy(room, ready.ptr, ready.len);
    errand__buf_consume(&exchange->out, ready.len);
    exchange->body_left -= ready.len;
    if (exchange->body_left > 0)
        errand__bell_ring(exchange->bell); /* There is room again. */
    return ready.len;
}

/* libcurl would send the body a second time: that is for us to decide. */
static int on_rewind(void *ctx, curl_off_t offset, int origin)
{
    (void)ctx;
    (void)offset;
    (void)origin;
    return CURL_SEEKFUNC_FAIL;
}

static bool header_is(errand_span line, const char *name, char *value, size_t room)
{
    size_t len = strlen(name);

    if (line.len <= len || line.ptr[len] != ':' || strncasecmp(line.ptr, name, len) != 0)
        return false;
    errand_span rest = span_after(line, len + 1);
    while (rest.len > 0 && (rest.ptr[0] == ' ' || rest.ptr[0] == '\t'))
        rest = span_after(rest, 1);
    while (rest.len > 0 && (unsigned char)rest.ptr[rest.len - 1] <= ' ')
        rest.len--;
    rest = span_head(rest, room - 1);
    memcpy(value, rest.ptr, rest.len);
    value[rest.len] = '\0';
    return true;
}

/* A proxy's answer, or one that only says to go on, stands in front of the one that counts. */
static size_t on_header(char *bytes, size_t size, size_t count, void *ctx)
{
    struct e2b_exchange *exchange = ctx;
    errand_span line = span_of(bytes, size * count);

    exchange->heard_us = exchange->http->now_us;
    if (span_starts(line, SPAN_LITERAL("HTTP/"))) {
        exchange->type[0] = exchange->retry_after[0] = exchange->range[0] = '\0';
        exchange->modified[0] = exchange->length[0] = '\0';
        (void)curl_easy_getinfo(exchange->easy, CURLINFO_RESPONSE_CODE, &exchange->status);
    }
    const struct {
        const char *name;
        char *value;
        size_t room;
    } known[] = {{"Content-Type", exchange->type, sizeof(exchange->type)},
                 {"Retry-After", exchange->retry_after, sizeof(exchange->retry_after)},
                 {"Content-Range", exchange->range, sizeof(exchange->range)},
                 {"Content-Length", exchange->length, sizeof(exchange->length)},
                 {"Last-Modified", exchange->modified, sizeof(exchange->modified)},
                 {"X-Next-Token", exchange->next_page, sizeof(exchange->next_page)},
                 {"Date", exchange->date, sizeof(exchange->date)}};
    for (size_t i = 0; i < COUNT(known); i++) {
        if (header_is(line, known[i].name, known[i].value, known[i].room))
            break;
    }
    return line.len;
}

/* --- One exchange ----------------------------------------------------------------------------- */

/* Headers may hold a key. */
static void wipe_headers(struct curl_slist *headers)
{
    for (struct curl_slist *at = headers; at != NULL; at = at->next)
        explicit_bzero(at->data, strlen(at->data));
    curl_slist_free_all(headers);
}

static bool add_header(struct e2b_exchange *exchange, const char *line)
{
    struct curl_slist *longer = curl_slist_append(exchange->headers, line);

    exchange->headers = longer == NULL ? exchange->headers : longer;
    return longer != NULL;
}

static bool add_headers(struct e2b_exchange *exchange, const char *const *lines)
{
    /* By itself libcurl would wait for leave to send a body. */
    bool added = add_header(exchange, "Expect:");

    for (size_t i = 0; added && lines != NULL && lines[i] != NULL; i++)
        added = add_header(exchange, lines[i]);
    return added;
}

static CURL *take_easy(struct e2b_http *http)
{
    return http->idle_count > 0 ? http->idle[--http->idle_count] : curl_easy_init();
}

static void give_back(struct e2b_http *http, CURL *easy)
{
    if (easy == NULL)
        return;
    if (http->idle_count == E2B_HTTP_IDLE) {
        curl_easy_cleanup(easy);
        return;
    }
    curl_easy_reset(easy);
    http->idle[http->idle_count++] = easy;
}

static void set_ways(const struct e2b_exchange *exchange)
{
    CURL *easy = exchange->easy;

    (void)curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
    (void)curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    (void)curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L); /* No join of a thread that resolves. */
    (void)curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    (void)curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    (void)curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    (void)curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    (void)curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    (void)curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, (long)TCP_IDLE_S);
    (void)curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, (long)TCP_INTERVAL_S);
    if (exchange->http->ca_file != NULL)
        (void)curl_easy_setopt(easy, CURLOPT_CAINFO, exchange->http->ca_file);
    if (exchange->lone) {
        (void)curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
        (void)curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
    }
}

static void set_callbacks(struct e2b_exchange *exchange)
{
    CURL *easy = exchange->easy;

    (void)curl_easy_setopt(easy, CURLOPT_PRIVATE, exchange);
    (void)curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, exchange->error);
    (void)curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_answer);
    (void)curl_easy_setopt(easy, CURLOPT_WRITEDATA, exchange);
    (void)curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    (void)curl_easy_setopt(easy, CURLOPT_HEADERDATA, exchange);
    (void)curl_easy_setopt(easy, CURLOPT_READFUNCTION, on_body);
    (void)curl_easy_setopt(easy, CURLOPT_READDATA, exchange);
    (void)curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, on_rewind);
    (void)curl_easy_setopt(easy, CURLOPT_SEEKDATA, exchange);
    (void)curl_easy_setopt(easy, CURLOPT_HTTPHEADER, exchange->headers);
}

/* Pointers and sizes are copied by libcurl. false: no memory. */
static bool set_request(struct e2b_exchange *exchange, const struct e2b_request *request)
{
    CURL *easy = exchange->easy;
    bool posts = strcmp(request->method, "POST") == 0;

    if (curl_easy_setopt(easy, CURLOPT_URL, request->url) != CURLE_OK)
        return false;
    if (!posts)
        return strcmp(request->method, "GET") == 0 ||
               curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request->method) == CURLE_OK;
    (void)curl_easy_setopt(easy, CURLOPT_POST, 1L);
    (void)curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_len);
    return errand__buf_push(&exchange->out, request->body) == ERRAND_OK;
}

static void link_exchange(struct e2b_http *http, struct e2b_exchange *exchange)
{
    exchange->next = http->exchanges;
    if (http->exchanges != NULL)
        http->exchanges->previous = exchange;
    http->exchanges = exchange;
    http->exchanges_count++;
}

static void unlink_exchange(struct e2b_exchange *exchange)
{
    struct e2b_http *http = exchange->http;

    if (exchange->previous != NULL)
        exchange->previous->next = exchange->next;
    else
        http->exchanges = exchange->next;
    if (exchange->next != NULL)
        exchange->next->previous = exchange->previous;
    http->exchanges_count--;
}

struct e2b_exchange *errand__e2b_exchange_new(struct e2b_http *http,
                                              const struct e2b_request *request)
{
    struct e2b_exchange *exchange = errand__mem_new(1, sizeof(*exchange));

    if (exchange == NULL)
        return NULL;
    exchange->http = http;
    exchange->name = request->name;
    exchange->bell = request->bell;
    exchange->began_us = http->now_us;
    exchange->body_len = request->body_len;
    exchange->stream = request->stream;
    exchange->lone = request->lone;
    exchange->answer_most = request->answer_most;
    exchange->body_left = request->body_len;
    exchange->heard_us = http->now_us;
    exchange->due_us = request->timeout_us == 0 ? TIME_NEVER : http->now_us + request->timeout_us;
    errand__buf_init(&exchange->out, OUT_MOST);
    /* libcurl hands over what it holds in pieces: one may go over the mark. */
    errand__buf_init(&exchange->in, request->answer_most + CURL_MAX_WRITE_SIZE);
    link_exchange(http, exchange);
    exchange->easy = take_easy(http);
    bool made = exchange->easy != NULL && add_headers(exchange, request->headers) &&
                set_request(exchange, request);
    if (made) {
        set_ways(exchange);
        set_callbacks(exchange);
        made = curl_multi_add_handle(http->multi, exchange->easy) == CURLM_OK;
    }
    if (!made) {
        exchange->over = true; /* It is in no multi. */
        errand__e2b_exchange_free(exchange);
        return NULL;
    }
    return exchange;
}

void errand__e2b_exchange_free(struct e2b_exchange *exchange)
{
    if (exchange == NULL)
        return;
    if (!exchange->over)
        (void)curl_multi_remove_handle(exchange->http->multi, exchange->easy);
    unlink_exchange(exchange);
    give_back(exchange->http, exchange->easy);
    wipe_headers(exchange->headers);
    errand__buf_deinit(&exchange->out);
    errand__buf_deinit(&exchange->in);
    errand__mem_free(exchange);
}

size_t errand__e2b_exchange_feed(struct e2b_exchange *exchange, errand_span bytes)
{
    size_t held = errand__buf_peek(&exchange->out).len;
    uint64_t missing = exchange->body_left - held;

    bytes = span_head(bytes, held < OUT_MOST / 2 ? OUT_MOST / 2 : 0);
    bytes = span_head(bytes, missing < bytes.len ? (size_t)missing : bytes.len);
    if (exchange->over || bytes.len == 0 || errand__buf_push(&exchange->out, bytes) != ERRAND_OK)
        return 0;
    if (exchange->writing_paused) {
        exchange->writing_paused = false;
        (void)curl_easy_pause(exchange->easy,
                              exchange->reading_paused ? CURLPAUSE_RECV : CURLPAUSE_CONT);
    }
    return bytes.len;
}

void errand__e2b_exchange_resume(struct e2b_exchange *exchange)
{
    if (!exchange->reading_paused || exchange->over ||
        errand__buf_peek(&exchange->in).len > exchange->answer_most / 2)
        return;
    exchange->reading_paused = false;
    exchange->heard_us = exchange->http->now_us;
    /* What libcurl holds already comes before this returns. */
    (void)curl_easy_pause(exchange->easy,
                          exchange->writing_paused ? CURLPAUSE_SEND : CURLPAUSE_CONT);
}

/* --- All of them ------------------------------------------------------------------------------ */

static void note(const struct e2b_exchange *exchange)
{
    char status[16] = "no answer";

    if (exchange->status != 0)
        (void)snprintf(status, sizeof(status), "HTTP %ld", exchange->status);
    errand__e2b_diary_note(
        exchange->http->diary, "%s: %s, %llu bytes out, %llu in, %lld ms%s%s", exchange->name,
        status, (unsigned long long)exchange->body_len, (unsigned long long)exchange->received,
        (long long)(exchange->http->now_us - exchange->began_us) / 1000,
        exchange->result == CURLE_OK ? "" : ": ",
        exchange->result == CURLE_OK ? "" : curl_easy_strerror(exchange->result));
}

static void finish(struct e2b_exchange *exchange, CURLcode result)
{
    (void)curl_multi_remove_handle(exchange->http->multi, exchange->easy);
    exchange->over = true;
    exchange->result = result;
    note(exchange);
    errand__bell_ring(exchange->bell);
}

static void reap(struct e2b_http *http)
{
    CURLMsg *message = NULL;
    int left = 0;

    while ((message = curl_multi_info_read(http->multi, &left)) != NULL) {
        struct e2b_exchange *exchange = NULL;
        CURLcode result = message->data.result;
        if (message->msg != CURLMSG_DONE)
            continue;
        (void)curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&exchange);
        finish(exchange, result);
    }
}

static void end_the_late(struct e2b_http *http)
{
    for (struct e2b_exchange *at = http->exchanges; at != NULL; at = at->next) {
        if (at->over || at->due_us > http->now_us)
            continue;
        at->late = true;
        finish(at, CURLE_OPERATION_TIMEDOUT);
    }
}

static int drive_sockets(struct e2b_http *http)
{
    struct epoll_event events[EVENTS_AT_ONCE];
    int count = epoll_wait(http->poll_fd, events, COUNT(events), 0);
    int running = 0;

    for (int i = 0; i < count; i++) {
        int mask = ((events[i].events & EPOLLIN) != 0 ? CURL_CSELECT_IN : 0) |
                   ((events[i].events & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0) |
                   ((events[i].events & (EPOLLERR | EPOLLHUP)) != 0 ? CURL_CSELECT_ERR : 0);
        (void)curl_multi_socket_action(http->multi, events[i].data.fd, mask, &running);
    }
    return count;
}

void errand__e2b_http_turn(struct e2b_http *http, int64_t now_us)
{
    bool moved = true;

    http->now_us = now_us;
    for (int round = 0; moved && round < ROUNDS_MOST; round++) {
        int running = 0;
        moved = drive_sockets(http) > 0;
        if (http->due_us <= now_us) {
            http->due_us = TIME_NEVER;
            moved = true;
            (void)curl_multi_socket_action(http->multi, CURL_SOCKET_TIMEOUT, 0, &running);
        }
        reap(http);
    }
    end_the_late(http);
}

int64_t errand__e2b_http_due(const struct e2b_http *http)
{
    int64_t due_us = http->due_us;

    for (const struct e2b_exchange *at = http->exchanges; at != NULL; at = at->next) {
        if (!at->over && at->due_us < due_us)
            due_us = at->due_us;
    }
    return due_us;
}

/* --- Life ------------------------------------------------------------------------------------- */

static void start_libcurl(void)
{
    (void)curl_global_init(CURL_GLOBAL_DEFAULT);
}

/* As the command of the same name does; the library alone looks at none of them. */
static const char *ca_file(void)
{
    const char *file = getenv("CURL_CA_BUNDLE");

    return file != NULL && file[0] != '\0' ? file : getenv("SSL_CERT_FILE");
}

errand_status errand__e2b_http_init(struct e2b_http *http, struct e2b_diary *diary,
                                    errand_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, start_libcurl);
    *http = (struct e2b_http){.due_us = TIME_NEVER, .ca_file = ca_file(), .diary = diary};
    http->poll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (http->poll_fd < 0)
        return errand__fail(err, ERRAND_EIO, errno, "e2b: no descriptor");
    http->multi = curl_multi_init();
    if (http->multi == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "e2b: no memory");
    (void)curl_multi_setopt(http->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    (void)curl_multi_setopt(http->multi, CURLMOPT_SOCKETDATA, http);
    (void)curl_multi_setopt(http->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    (void)curl_multi_setopt(http->multi, CURLMOPT_TIMERDATA, http);
    (void)curl_multi_setopt(http->multi, CURLMOPT_MAXCONNECTS, (long)CONNECTIONS_KEPT);
    return ERRAND_OK;
}

void errand__e2b_http_deinit(struct e2b_http *http)
{
    assert(http->exchanges == NULL);
    while (http->idle_count > 0)
        curl_easy_cleanup(http->idle[--http->idle_count]);
    (void)curl_multi_cleanup(http->multi);
    errand__auto_close(&http->poll_fd);
}
