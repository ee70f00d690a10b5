/* login.h - shows the host who we are: agent, key files, then what a person says.
 *
 * Blocks, as far as its patience lets it. */
#ifndef ERRAND_SSH_LOGIN_H
#define ERRAND_SSH_LOGIN_H

#include "base/base.h"
#include "transport/ssh/config.h"
#include "transport/ssh/desk.h"
#include "transport/ssh/diary.h"
#include "transport/ssh/patience.h"
#include "transport/ssh/vault.h"
#include "transport/ssh/wire.h"

enum { SSH_LOGIN_TRIED = 120 };

struct ssh_login {
    struct ssh_wire *wire;
    const struct ssh_config *config;
    struct ssh_patience *patience;
    struct ssh_desk *desk;
    struct ssh_diary *diary;
    struct ssh_vault *vault;
    char tried[SSH_LOGIN_TRIED]; /* What was refused, in words. */
    errand_error note;           /* The first thing that would have to be mended. */
    bool weak_rsa;               /* A key was refused that libssh2 signs for with SHA-1. */
    bool too_long;               /* It sent a packet that libssh2 does not take. */
    bool prompted;               /* The host asked something in its last interactive try. */
    bool asked;                  /* A person was asked, and said no. */
    enum ssh_waited waited;      /* Of the last step. */
};

errand_status errand__ssh_login(struct ssh_login *login, errand_error *err) ERRAND_CHECKED;

#endif
