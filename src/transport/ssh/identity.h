/* identity.h - what the file of a key shows from outside. Decrypts nothing. */
#ifndef ERRAND_SSH_IDENTITY_H
#define ERRAND_SSH_IDENTITY_H

#include "base/base.h"

struct ssh_identity {
    const char *path; /* Borrowed. */
    bool missing; /* No private key is there: the public half may be, for an agent that has it. */
    bool encrypted;
    char type[64]; /* "ssh-rsa", or "" where it does not show. */
    char *blob;    /* The public half, or NULL. */
    size_t blob_len;
};

/* Negative: it is there and no good; err says what to do. */
errand_status errand__ssh_identity_look(struct ssh_identity *identity, const char *path,
                                        errand_error *err) ERRAND_CHECKED;
void errand__ssh_identity_deinit(struct ssh_identity *identity);

#endif
