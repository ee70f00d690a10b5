/* vault.h - what a person said once, for the further connections of the same place. */
#ifndef ERRAND_SSH_VAULT_H
#define ERRAND_SSH_VAULT_H

#include "base/base.h"

enum { SSH_VAULT_MOST = 8 };

struct ssh_vault {
    struct {
        char *name, *secret;
    } entries[SSH_VAULT_MOST];
    size_t count;
};

/* Borrowed until the next put; NULL: nothing was said. */
const char *errand__ssh_vault_find(const struct ssh_vault *vault, const char *name);
/* Where there is no room or no memory, it will be asked for again. NULL forgets. */
void errand__ssh_vault_put(struct ssh_vault *vault, const char *name, const char *secret);
void errand__ssh_vault_deinit(struct ssh_vault *vault);

#endif
