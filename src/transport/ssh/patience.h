/* patience.h - waiting that a dialling thread does: cut short by time or by who dialled. */
#ifndef ERRAND_SSH_PATIENCE_H
#define ERRAND_SSH_PATIENCE_H

#include "base/base.h"

#include <poll.h>

struct ssh_patience {
    int timer_fd;  /* Readable once the current step took too long. */
    int cancel_fd; /* Readable once nobody wants the connection any more. */
};

errand_status errand__ssh_patience_init(struct ssh_patience *patience,
                                        errand_error *err) ERRAND_CHECKED;
void errand__ssh_patience_deinit(struct ssh_patience *patience);
/* A new step begins, which may take so long. */
void errand__ssh_patience_start(const struct ssh_patience *patience, int ms);
/* Any thread. */
void errand__ssh_patience_cancel(const struct ssh_patience *patience);

enum ssh_waited { SSH_WAITED_READY, SSH_WAITED_TIMEOUT, SSH_WAITED_CANCELLED };
/* fds_count is at most SSH_PATIENCE_FDS. */
enum { SSH_PATIENCE_FDS = 4 };
enum ssh_waited errand__ssh_patience_wait(const struct ssh_patience *patience, struct pollfd *fds,
                                          size_t fds_count);
/* The error of a wait that did not end well: what is what was waited for. */
errand_status errand__ssh_patience_fail(enum ssh_waited waited, const char *what,
                                        errand_error *err);

#endif
