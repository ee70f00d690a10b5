/* error.h - what went wrong, as a stable word, a line for people, and what may be done about
 * it: from an answer of the API, of the edge in front of a sandbox, or of its own service. */
#ifndef ERRAND_E2B_ERROR_H
#define ERRAND_E2B_ERROR_H

#include "base/base.h"
#include "transport/e2b/http.h"

enum e2b_plane {
    E2B_PLANE_API,    /* Sandboxes as such. */
    E2B_PLANE_UNARY,  /* A sandbox's own service, or the edge in front of it. */
    E2B_PLANE_STREAM, /* The same, where the answer should have been a stream. */
    E2B_PLANE_FILE
};

struct e2b_failure {
    const char *code; /* A literal; NULL: nothing went wrong. */
    bool retryable;   /* The same may work soon. */
    bool unsure;      /* It may have been obeyed all the same, so that it must not be repeated. */
    bool not_found;   /* What was asked about is not there. */
    int64_t after_us; /* How long to wait at least, as far as the server said. */
    errand_error error;
};

/* Words that must not appear in any message, where they have four letters at least. NULL: none. */
struct e2b_secrets {
    const char *key, *token;
    char *const *env; /* "NAME=VALUE", NULL-terminated: the values. */
};

/* An exchange that is over, and was no success. */
void errand__e2b_error_judge(struct e2b_failure *out, const struct e2b_exchange *exchange,
                             enum e2b_plane plane, const struct e2b_secrets *secrets);
/* The error of a stream's last envelope; empty code: none stood there. */
void errand__e2b_error_trailer(struct e2b_failure *out, errand_span code, errand_span words,
                               const struct e2b_secrets *secrets);
void errand__e2b_error_set(struct e2b_failure *out, const char *code, const char *words);
/* The failure as an errand_error; returns its status. err may be NULL. */
errand_status errand__e2b_error_give(const struct e2b_failure *failure, errand_error *err);
/* Retry-After as seconds, or as a date beside the server's own; 0: neither. */
int64_t errand__e2b_error_after_us(const char *retry_after, const char *date);

#endif
