/* whole.h - bytes into a file, all of them. */
#ifndef ERRAND_WHOLE_H
#define ERRAND_WHOLE_H

#include "base/base.h"

/* Blocks until all is written. false: errno says why not; a part may have been. */
bool whole_write(int fd, errand_span bytes);

#endif
