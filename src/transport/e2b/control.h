/* control.h - what can be asked of the API that makes, finds and ends sandboxes. */
#ifndef ERRAND_E2B_CONTROL_H
#define ERRAND_E2B_CONTROL_H

#include "transport/e2b/config.h"
#include "transport/e2b/error.h"
#include "transport/e2b/http.h"
#include "transport/e2b/sandbox.h"

enum e2b_verb {
    E2B_VERB_CREATE,
    E2B_VERB_CONNECT, /* Also resumes; makes its end later, never sooner. */
    E2B_VERB_RESUME,  /* What servers had before CONNECT. */
    E2B_VERB_INFO,
    E2B_VERB_LIST,
    E2B_VERB_TIMEOUT, /* Sets its end. */
    E2B_VERB_REFRESH, /* Makes its end later. */
    E2B_VERB_PAUSE,
    E2B_VERB_KILL,
    E2B_VERB_METRICS
};

struct e2b_control {
    const struct e2b_config *config;
    struct e2b_http *http;
    bool old; /* The server has only the first version of CREATE and CONNECT. */
};

struct e2b_metrics {
    double cpu_percent;
    uint64_t cpu_count, memory_used, memory_total, disk_used, disk_total; /* Bytes. */
};

/* id: of all verbs but CREATE; of LIST, what the query ends with. NULL: no memory. */
struct e2b_exchange *errand__e2b_control_ask(const struct e2b_control *control, enum e2b_verb verb,
                                             const char *id, struct bell *bell);
struct e2b_secrets errand__e2b_control_secrets(const struct e2b_control *control);
const char *errand__e2b_control_name(enum e2b_verb verb);
/* The exchange is over and was a success of its verb. */
bool errand__e2b_control_worked(const struct e2b_exchange *exchange);
/* true: the server has no such route; the older one is to be tried. */
bool errand__e2b_control_is_older(const struct e2b_control *control, enum e2b_verb verb,
                                  const struct e2b_exchange *exchange);
/* How many entries an answer of LIST has. */
size_t errand__e2b_control_count(errand_span bytes);
/* Answer of LIST: up to most of them, to be deinitialised; -1: that is none. */
int errand__e2b_control_list(struct e2b_sandbox *sandboxes, size_t most, errand_span bytes);
/* Answer of METRICS, the newest. AGAIN: there is none yet. EIO: that is none. */
errand_status errand__e2b_control_metrics(struct e2b_metrics *metrics,
                                          errand_span bytes) ERRAND_CHECKED;

#endif
