/* client.h - asks the ssh client of this machine how it would reach a host. */
#ifndef ERRAND_SSH_CLIENT_H
#define ERRAND_SSH_CLIENT_H

#include "base/base.h"
#include "base/buf.h"
#include "transport/ssh/patience.h"
#include "transport/ssh/target.h"

/* Puts what "ssh -G" prints into text. AGAIN: there is no ssh client here. */
errand_status errand__ssh_client_ask(const struct ssh_target *target,
                                     const struct ssh_patience *patience, struct buf *text,
                                     errand_error *err) ERRAND_CHECKED;

#endif
