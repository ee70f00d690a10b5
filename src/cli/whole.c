/* whole.c - again and again, since a write may take less than it was given. */
#include "cli/whole.h"

#include <errno.h>
#include <unistd.h>

bool whole_write(int fd, errand_span bytes)
{
    while (bytes.len > 0) {
        ssize_t count = write(fd, bytes.ptr, bytes.len);
        if (count < 0 && errno != EINTR)
            return false;
        bytes = span_after(bytes, count > 0 ? (size_t)count : 0);
    }
    return true;
}
