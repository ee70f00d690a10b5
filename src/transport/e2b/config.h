/* config.h - which API, which key, which sandbox: from the address, the options and the
 * environment, in this order. */
#ifndef ERRAND_E2B_CONFIG_H
#define ERRAND_E2B_CONFIG_H

#include "base/base.h"

enum { E2B_URL_MOST = 1024, E2B_URL_BASE = 512, E2B_ENVD_PORT = 49983 };

struct e2b_config {
    char *api_key;          /* NULL: none, since none is needed. */
    char *api_url, *domain; /* No slash at their ends. */
    char *sandbox_url;      /* NULL: as the domain has it. */
    char *user;             /* NULL: the sandbox's own default. */
    char *template;         /* What to create; NULL: attach to id. */
    char *id;
    bool debug, keep, no_internet;
    uint64_t timeout_s;
    errand_e2b_codec codec;
    char **metadata, **env, **allow_out, **deny_out; /* NULL-terminated, or NULL. */
};

/* address: "e2b://…" or "e2b:…", or NULL: no sandbox is meant. options: complete, or NULL. EINVAL
 * or EAUTH says what is wrong; the config is to be deinitialised in any case. */
errand_status errand__e2b_config_init(struct e2b_config *config, const char *address,
                                      const errand_e2b_options *options,
                                      errand_error *err) ERRAND_CHECKED;
void errand__e2b_config_deinit(struct e2b_config *config);
/* The address as understood, without a secret; NULL: no memory. */
char *errand__e2b_config_text(const struct e2b_config *config);
/* Where the sandbox's own service answers. domain: of the sandbox, or NULL: the configured one.
 * false: it does not fit. */
bool errand__e2b_config_envd_url(const struct e2b_config *config, const char *id,
                                 const char *domain, char url[static E2B_URL_BASE]);
/* Wipes it first. NULL is fine. */
void errand__e2b_config_free_secret(char *secret);

#endif
