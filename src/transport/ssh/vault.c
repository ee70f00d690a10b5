/* vault.c - a few entries, wiped when they go. */
#include "transport/ssh/vault.h"

#include "base/mem.h"
#include "transport/ssh/desk.h"

static size_t index_of(const struct ssh_vault *vault, const char *name)
{
    size_t i = 0;

    while (i < vault->count && strcmp(vault->entries[i].name, name) != 0)
        i++;
    return i;
}

const char *errand__ssh_vault_find(const struct ssh_vault *vault, const char *name)
{
    size_t at = index_of(vault, name);

    return at == vault->count ? NULL : vault->entries[at].secret;
}

void errand__ssh_vault_put(struct ssh_vault *vault, const char *name, const char *secret)
{
    size_t at = index_of(vault, name);
    char *copy = secret == NULL ? NULL : errand__ssh_secret_copy(secret);

    if (at < vault->count) {
        errand__ssh_secret_free(vault->entries[at].secret);
        vault->entries[at].secret = copy;
        return;
    }
    if (copy == NULL || at == SSH_VAULT_MOST)
        return errand__ssh_secret_free(copy);
    vault->entries[at].name = errand__mem_copy(name, strlen(name));
    vault->entries[at].secret = copy;
    if (vault->entries[at].name != NULL)
        vault->count++;
    else
        errand__ssh_secret_free(copy);
}

void errand__ssh_vault_deinit(struct ssh_vault *vault)
{
    for (size_t i = 0; i < vault->count; i++) {
        errand__mem_free(vault->entries[i].name);
        errand__ssh_secret_free(vault->entries[i].secret);
    }
    vault->count = 0;
}
