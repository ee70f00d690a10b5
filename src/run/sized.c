/* sized.c - the rule of extensible system calls: a larger struct is fine as long as what this
 * library does not know of it is zero. */
#include "run/sized.h"

#include "base/err.h"

enum { SIZED_MOST = 4096 }; /* No struct of ours comes near: a size over it is no size. */

errand_status errand__sized_copy(void *out, size_t out_size, const void *from, const char *what,
                                 errand_error *err)
{
    size_t size = 0;

    if (from == NULL)
        return errand__fail(err, ERRAND_EINVAL, 0, "%s: none were given", what);
    memcpy(&size, from, sizeof(size));
    if (size < sizeof(size) || size > SIZED_MOST)
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "%s: size is %zu; begin with the _INIT of the struct", what, size);
    for (size_t i = out_size; i < size; i++) {
        if (((const char *)from)[i] != 0)
            return errand__fail(err, ERRAND_ENOSYS, 0,
                                "%s: uses an option newer than this library (%s)", what,
                                ERRAND_VERSION);
    }
    memcpy(out, from, size < out_size ? size : out_size);
    memcpy(out, &out_size, sizeof(out_size));
    return ERRAND_OK;
}
