/* agent.h - the keys of an ssh-agent, and its signatures. Waits only as long as its patience
 * does. */
#ifndef ERRAND_SSH_AGENT_H
#define ERRAND_SSH_AGENT_H

#include "base/base.h"
#include "base/buf.h"
#include "transport/ssh/patience.h"

enum { SSH_AGENT_KEYS = 64 };

struct ssh_agent_key {
    errand_span blob, comment; /* Borrowed from the agent's list. */
};

struct ssh_agent {
    int fd; /* -1: none. */
    const struct ssh_patience *patience;
    struct buf list;
    struct ssh_agent_key keys[SSH_AGENT_KEYS];
    size_t count;
};

/* Asks for the keys. Negative: there is no agent that answers; err says why. */
errand_status errand__ssh_agent_open(struct ssh_agent *agent, const char *path,
                                     const struct ssh_patience *patience,
                                     errand_error *err) ERRAND_CHECKED;
/* *signature: as it travels, without the name of its kind; the caller's to free. */
errand_status errand__ssh_agent_sign(struct ssh_agent *agent, errand_span blob, errand_span data,
                                     char **signature, size_t *signature_len,
                                     errand_error *err) ERRAND_CHECKED;
void errand__ssh_agent_close(struct ssh_agent *agent);

#endif
