/* proxy.h - a command of this machine that leads to the host: ProxyCommand, ProxyJump. */
#ifndef ERRAND_SSH_PROXY_H
#define ERRAND_SSH_PROXY_H

#include "base/base.h"
#include "transport/ssh/config.h"
#include "transport/ssh/patience.h"

#include <sys/types.h>

enum { SSH_PROXY_WORDS = 160 };

struct orphan;

struct ssh_proxy {
    pid_t pid; /* 0: none. */
    int err;
    struct orphan *grave;
    char words[SSH_PROXY_WORDS]; /* What it said last on its stderr. */
};

/* Whether the configuration wants one. */
bool errand__ssh_proxy_is_wanted(const struct ssh_config *config);
/* config_file: as for ssh -F, or NULL. *in and *out lead to the command. */
errand_status errand__ssh_proxy_start(struct ssh_proxy *proxy, const struct ssh_config *config,
                                      const char *config_file, int *in, int *out,
                                      errand_error *err) ERRAND_CHECKED;
/* Reads what it says, so that it is never held up by it. */
void errand__ssh_proxy_listen(struct ssh_proxy *proxy);
/* After it hung up: waits a moment for what it has to say, which it may say last. */
void errand__ssh_proxy_hear_out(struct ssh_proxy *proxy, const struct ssh_patience *patience);
/* One line; empty: it said nothing. */
const char *errand__ssh_proxy_words(struct ssh_proxy *proxy);
void errand__ssh_proxy_end(struct ssh_proxy *proxy);

#endif
