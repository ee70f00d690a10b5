/* whole.c - again and again, since a write may take less than it was given, and a read give less
 * than it was asked for. */
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

bool whole_read(int fd, char *bytes, size_t size, size_t *len)
{
    *len = 0;
    while (*len < size) {
        ssize_t count = read(fd, bytes + *len, size - *len);
        if (count < 0 && errno != EINTR)
            return false;
        if (count == 0)
            break;
        *len += count > 0 ? (size_t)count : 0;
    }
    return true;
}
