/* config.h - how a host is reached, as a person's ssh would read it. Opens nothing. */
#ifndef ERRAND_SSH_CONFIG_H
#define ERRAND_SSH_CONFIG_H

#include "base/base.h"
#include "transport/ssh/target.h"
#include "transport/words.h"

struct ssh_config {
    char *home; /* Of the user here. */
    char *here; /* The name of the user here. */
    char *host; /* As the caller named it. */
    char *hostname, *user;
    unsigned port;
    char *key_alias;          /* Or NULL. */
    struct words identities;  /* Paths. */
    struct words known_files; /* The user's own first; those are user_files many. */
    size_t user_files;
    char *proxy_jump, *proxy_command; /* Or NULL. */
    char *agent;                      /* A socket's path; NULL: none. */
    unsigned connect_s;               /* 0: our own. */
    unsigned alive_s, alive_count;    /* 0: our own. */
    bool identities_only, identities_given, hash_hosts;
};

/* What holds without any configuration. agent: SSH_AUTH_SOCK, or NULL. */
errand_status errand__ssh_config_init(struct ssh_config *config, const struct ssh_target *target,
                                      const char *agent, errand_error *err) ERRAND_CHECKED;
/* What "ssh -G" printed takes the place of the defaults. EINVAL: it is no such text. */
errand_status errand__ssh_config_read(struct ssh_config *config, errand_span text,
                                      errand_error *err) ERRAND_CHECKED;
/* What the caller said goes over all of it. */
errand_status errand__ssh_config_override(struct ssh_config *config,
                                          const struct ssh_target *target,
                                          errand_error *err) ERRAND_CHECKED;
/* text with ~ at its start and %h %p %r %d %u %% filled in; NULL: no memory, or too long. */
char *errand__ssh_config_expand(const struct ssh_config *config, const char *text);
/* The name under which the host's keys are known: the alias, "host" or "[host]:2222". */
char *errand__ssh_config_known_name(const struct ssh_config *config);
void errand__ssh_config_deinit(struct ssh_config *config);

#endif
