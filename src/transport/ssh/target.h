/* target.h - whom ssh:// leads to, and what its caller said about the way; as given. */
#ifndef ERRAND_SSH_TARGET_H
#define ERRAND_SSH_TARGET_H

#include "base/base.h"

struct ssh_target {
    char *user;    /* NULL: not named. */
    char *host;    /* Without brackets. */
    unsigned port; /* 0: not named. */
    bool accept_new;
    char *known_hosts, *identity, *config; /* NULL: as ssh would. */
};

/* rest: what follows "ssh://". EINVAL names what does not parse. On failure there is nothing to
 * release. */
errand_status errand__ssh_target_parse(struct ssh_target *target, const char *rest,
                                       errand_error *err) ERRAND_CHECKED;
/* Copied; options may be NULL. */
errand_status errand__ssh_target_adopt(struct ssh_target *target, const errand_ssh_options *options,
                                       errand_error *err) ERRAND_CHECKED;
errand_status errand__ssh_target_copy(struct ssh_target *to, const struct ssh_target *from,
                                      errand_error *err) ERRAND_CHECKED;
/* "ssh://me@host:22" with what is named; the caller's to free. */
char *errand__ssh_target_text(const struct ssh_target *target);
void errand__ssh_target_deinit(struct ssh_target *target);

#endif
