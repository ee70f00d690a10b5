/* host.h - the first words with a host: which ways of encryption, and whether it is the host
 * that it should be. Blocks, as far as its patience lets it. */
#ifndef ERRAND_SSH_HOST_H
#define ERRAND_SSH_HOST_H

#include "base/base.h"
#include "transport/ssh/config.h"
#include "transport/ssh/diary.h"
#include "transport/ssh/known.h"
#include "transport/ssh/patience.h"
#include "transport/ssh/wire.h"

struct ssh_host {
    struct ssh_wire *wire;
    const struct ssh_config *config;
    const struct ssh_target *target;
    const struct ssh_known *known;
    const char *known_name;
    struct ssh_patience *patience;
    struct ssh_diary *diary;
    const char *code; /* Of an ending, once something failed; a literal or NULL. */
};

/* Agrees on keys. AGAIN: it hung up before its first word, as busy hosts do. */
errand_status errand__ssh_host_greet(struct ssh_host *host, errand_error *err) ERRAND_CHECKED;
/* Strict: what is not known is not accepted, unless the target says so and nothing is known. */
errand_status errand__ssh_host_verify(struct ssh_host *host, errand_error *err) ERRAND_CHECKED;

#endif
