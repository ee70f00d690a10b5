/* dial.h - one connection on its way: a thread that may block, seen from a loop that may not.
 *
 * Configuration, name, connection or proxy, encryption, host key, login; then the session is
 * handed over and the thread is over. */
#ifndef ERRAND_SSH_DIAL_H
#define ERRAND_SSH_DIAL_H

#include <errand/transport.h>

#include "base/base.h"
#include "transport/ssh/diary.h"
#include "transport/ssh/target.h"
#include "transport/ssh/vault.h"
#include "transport/ssh/wire.h"

struct ssh_dial;

/* What came of it. */
struct ssh_dialled {
    struct ssh_wire *wire; /* Taken; NULL: error says why. */
    errand_error error;
    const char *code; /* A literal, or NULL. */
    unsigned alive_s, alive_count;
};

/* The vault's contents are taken, and come back with the result. */
errand_status errand__ssh_dial_start(struct ssh_dial **out, const struct ssh_target *target,
                                     struct ssh_vault *vault, errand_error *err) ERRAND_CHECKED;
/* Readable when there is a question, a fact or a result. */
int errand__ssh_dial_fd(const struct ssh_dial *dial);
bool errand__ssh_dial_question(struct ssh_dial *dial, errand_ask *out);
/* false: none that was not taken yet. To be asked before the result. */
bool errand__ssh_dial_fact(struct ssh_dial *dial, char line[static SSH_DIARY_LINE]);
bool errand__ssh_dial_answer(struct ssh_dial *dial, uint64_t id, const char *text);
/* OK: it is over; the dial is freed. AGAIN: not yet. */
errand_status errand__ssh_dial_result(struct ssh_dial *dial, struct ssh_vault *vault,
                                      struct ssh_dialled *out);
/* Nobody wants it any more. Never waits for the network. */
void errand__ssh_dial_drop(struct ssh_dial *dial);

#endif
