/* known.h - what known_hosts files say about one host.
 *
 * Understands several files and keys, names with patterns, "[host]:port", hashed names, @revoked.
 * Lines of certificate authorities go by: no certificate is ever accepted here. Reads text; the
 * files are opened by errand__ssh_known_load() alone. */
#ifndef ERRAND_SSH_KNOWN_H
#define ERRAND_SSH_KNOWN_H

#include "base/base.h"

enum { SSH_KNOWN_MOST = 256 }; /* Keys of one host; more are not looked at. */

struct ssh_known_key {
    char type[64]; /* "ssh-ed25519". */
    char *blob;    /* As it travels. */
    size_t blob_len;
    bool revoked;
    bool weak;        /* Known without the port: good for yes, not for no. */
    const char *file; /* Borrowed. */
    unsigned line;
};

struct ssh_known {
    struct ssh_known_key keys[SSH_KNOWN_MOST];
    size_t count;
};

enum ssh_known_verdict {
    SSH_KNOWN_SAME,
    SSH_KNOWN_NOT,     /* Nothing is known of the host. */
    SSH_KNOWN_CHANGED, /* Other keys are. */
    SSH_KNOWN_REVOKED
};

/* name: "host" or "[host]:2222". file is borrowed for the life of known. false: no memory. */
bool errand__ssh_known_read(struct ssh_known *known, errand_span text, const char *file,
                            const char *name);
/* The same from a file; one that is not there says nothing. */
errand_status errand__ssh_known_load(struct ssh_known *known, const char *file, const char *name,
                                     errand_error *err) ERRAND_CHECKED;
/* *which: the line that decided, or NULL. */
enum ssh_known_verdict errand__ssh_known_judge(const struct ssh_known *known, errand_span blob,
                                               const struct ssh_known_key **which);
bool errand__ssh_known_has_type(const struct ssh_known *known, const char *type);
void errand__ssh_known_deinit(struct ssh_known *known);

/* Adds a line to file, which is created (0600) where it is missing, with its folder (0700). */
errand_status errand__ssh_known_add(const char *file, const char *name, errand_span blob,
                                    bool hashed, errand_error *err) ERRAND_CHECKED;

#endif
