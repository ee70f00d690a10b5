/* ferry.h - carries the streams of a process that knows of no breaks over a way that has them.
 *
 * Speaks the runner's part of segments on its behalf: bare until hello is over, then what it says
 * in numbered pieces, kept until home has it. Knows the lines of docs/protocol.md, section 8, and
 * hello; knows no other frame, no script and no time.
 */
#ifndef ERRAND_FAKE_FERRY_H
#define ERRAND_FAKE_FERRY_H

#include <errand/transport.h>

#include "base/base.h"

/* inner is taken, also on failure. Its DROPPED and ATTACHED break the way and mend it; between
 * them it may say OUT, which is kept, and ERR, which is lost. line: as it was launched. */
errand_status errand__fake_ferry_new(errand_process **out, errand_process *inner, const char *line,
                                     errand_error *err) ERRAND_CHECKED;
/* Whether what home sends next is bare: a prefix may be taken. Else all of it or nothing. */
bool errand__fake_ferry_bare(const errand_process *ferry);

#endif
