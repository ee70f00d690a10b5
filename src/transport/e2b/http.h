/* http.h - requests and their answers, many at once, none of which blocks.
 *
 * One epoll stands for all sockets, so that whoever drives it waits for one descriptor. Knows
 * libcurl; knows neither sandboxes nor what the bytes mean. */
#ifndef ERRAND_E2B_HTTP_H
#define ERRAND_E2B_HTTP_H

#include "base/base.h"
#include "base/buf.h"
#include "transport/bell.h"
#include "transport/e2b/diary.h"

#include <curl/curl.h>

enum { E2B_HTTP_TYPE = 64, E2B_HTTP_PAGE = 256, E2B_HTTP_IDLE = 16 };

struct e2b_http {
    CURLM *multi;
    int poll_fd;
    int64_t now_us;            /* Of the last turn, or of who asked for something since. */
    int64_t due_us;            /* When libcurl wants to be called at the latest. */
    CURL *idle[E2B_HTTP_IDLE]; /* Handles for the next requests. */
    size_t idle_count;
    const char *ca_file;     /* Borrowed from the environment; NULL: what libcurl knows. */
    struct e2b_diary *diary; /* Borrowed: what was asked, and what came of it. */
    struct e2b_exchange *exchanges;
    size_t exchanges_count;
};

/* What to ask for. Everything is copied. */
struct e2b_request {
    const char *name;   /* For the diary. */
    const char *method; /* "GET", "POST", "DELETE". */
    const char *url;
    const char *const *headers; /* NULL-terminated "Name: value". */
    errand_span body;
    uint64_t body_len;  /* Larger than the body at hand: the rest follows by feed. */
    bool stream;        /* No end in sight: it is read as it comes. */
    bool lone;          /* Over a connection of its own. */
    size_t answer_most; /* Of a stream: where reading pauses; otherwise a longer one fails. */
    int64_t timeout_us; /* 0: none. */
    struct bell *bell;  /* Rung at news; NULL: nobody's. */
};

/* A request under way, and what came of it. */
struct e2b_exchange {
    struct e2b_http *http;
    const char *name;
    int64_t began_us;
    uint64_t body_len;
    struct e2b_exchange *next, *previous;
    CURL *easy;
    struct curl_slist *headers;
    struct bell *bell;
    struct buf out, in; /* Still to send; what came and was not consumed. */
    uint64_t body_left; /* Of the body, not yet asked for by libcurl. */
    size_t answer_most;
    int64_t due_us;   /* When it has taken too long. */
    int64_t heard_us; /* When bytes came last, or it began. */
    uint64_t received;
    bool stream, lone, reading_paused, writing_paused;
    bool touched; /* Bytes of the body may have left: it may have been obeyed. */
    bool over;    /* Nothing more will come. */
    bool too_long, late, no_memory;
    CURLcode result;
    long status; /* 0: no answer yet. */
    char type[E2B_HTTP_TYPE];
    char retry_after[E2B_HTTP_TYPE], date[E2B_HTTP_TYPE], range[E2B_HTTP_TYPE];
    char modified[E2B_HTTP_TYPE], length[E2B_HTTP_TYPE]; /* Of the body, as it was announced. */
    char next_page[E2B_HTTP_PAGE]; /* Of a list, as the API names it; or empty. */
    char error[CURL_ERROR_SIZE];
};

errand_status errand__e2b_http_init(struct e2b_http *http, struct e2b_diary *diary,
                                    errand_error *err) ERRAND_CHECKED;
/* After its exchanges. */
void errand__e2b_http_deinit(struct e2b_http *http);
/* Lets everything move that can. */
void errand__e2b_http_turn(struct e2b_http *http, int64_t now_us);
/* When the next turn must come at the latest. */
int64_t errand__e2b_http_due(const struct e2b_http *http);

/* NULL: no memory. It moves with the next turn. */
struct e2b_exchange *errand__e2b_exchange_new(struct e2b_http *http,
                                              const struct e2b_request *request);
/* Lets the connection go where it is not over. NULL is fine. */
void errand__e2b_exchange_free(struct e2b_exchange *exchange);
/* More of the body; takes a prefix, maybe none. */
size_t errand__e2b_exchange_feed(struct e2b_exchange *exchange, errand_span bytes);
/* After bytes of in were consumed: reads on, where it had paused. */
void errand__e2b_exchange_resume(struct e2b_exchange *exchange);

#endif
