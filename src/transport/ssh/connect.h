/* connect.h - from a name to a socket: every address in turn. Blocks in the name lookup,
 * otherwise only as long as its patience does. */
#ifndef ERRAND_SSH_CONNECT_H
#define ERRAND_SSH_CONNECT_H

#include "base/base.h"
#include "transport/ssh/config.h"
#include "transport/ssh/diary.h"
#include "transport/ssh/patience.h"

/* *code: the word of an ending, a literal. */
errand_status errand__ssh_connect(const struct ssh_config *config, struct ssh_patience *patience,
                                  struct ssh_diary *diary, int *fd, const char **code,
                                  errand_error *err) ERRAND_CHECKED;

#endif
