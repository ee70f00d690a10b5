/* whole.h - bytes into a file and out of it, all of them. */
#ifndef ERRAND_WHOLE_H
#define ERRAND_WHOLE_H

#include "base/base.h"

/* Blocks until all is written. false: errno says why not; a part may have been. */
bool whole_write(int fd, errand_span bytes);
/* Until size bytes are there or the file ends; len: how many came. false: errno says why not. */
bool whole_read(int fd, char *bytes, size_t size, size_t *len);

#endif
