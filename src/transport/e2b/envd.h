/* envd.h - what can be asked of the service inside of a sandbox. */
#ifndef ERRAND_E2B_ENVD_H
#define ERRAND_E2B_ENVD_H

#include "transport/e2b/config.h"
#include "transport/e2b/error.h"
#include "transport/e2b/http.h"
#include "transport/e2b/message.h"
#include "transport/e2b/sandbox.h"

enum {
    /* A stream pauses its reading where so much of it is held. */
    E2B_ENVD_HELD = 1024 * 1024,
    E2B_ENVD_KEEPALIVE_S = 15,
    E2B_ENVD_SILENCE_US = 3 * E2B_ENVD_KEEPALIVE_S * 1000 * 1000,
    E2B_ENVD_FIRST_US = 30 * 1000 * 1000 /* Until the first word of a stream. */
};

struct e2b_envd {
    const struct e2b_config *config;
    const struct e2b_sandbox *sandbox;
    struct e2b_http *http;
    char url[E2B_URL_BASE];
    bool json; /* It is spoken to in JSON. */
};

/* Each: NULL: no memory. Streams are read by stream.h. lone: over a connection of its own. */
struct e2b_exchange *errand__e2b_envd_start(const struct e2b_envd *envd,
                                            const struct e2b_start *start, bool lone,
                                            struct bell *bell);
struct e2b_exchange *errand__e2b_envd_connect(const struct e2b_envd *envd, uint32_t pid,
                                              struct bell *bell);
struct e2b_exchange *errand__e2b_envd_input(const struct e2b_envd *envd, uint32_t pid,
                                            errand_span bytes, struct bell *bell);
struct e2b_exchange *errand__e2b_envd_signal(const struct e2b_envd *envd, uint32_t pid, int number,
                                             struct bell *bell);
struct e2b_exchange *errand__e2b_envd_list(const struct e2b_envd *envd, struct bell *bell);
struct e2b_exchange *errand__e2b_envd_health(const struct e2b_envd *envd, struct bell *bell);

/* Answer of list: the pid of the process one of whose words holds mark; 0: none does. */
uint32_t errand__e2b_envd_find(const struct e2b_envd *envd, const struct e2b_exchange *list,
                               errand_span mark);
/* As whom everything is asked for; NULL: the sandbox says. Older ones have nobody of their own. */
const char *errand__e2b_envd_user(const struct e2b_envd *envd);
struct e2b_secrets errand__e2b_envd_secrets(const struct e2b_envd *envd);
/* The exchange is over and was a success. */
bool errand__e2b_envd_worked(const struct e2b_exchange *exchange);

/* The headers of all requests, with those that say who asks and for which sandbox. */
struct e2b_headers;
void errand__e2b_envd_headers(const struct e2b_envd *envd, struct e2b_headers *headers);

#endif
