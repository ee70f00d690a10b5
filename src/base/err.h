/* err.h - how a function says why it could not. */
#ifndef ERRAND_ERR_H
#define ERRAND_ERR_H

#include "base/base.h"

/* Fills in err, unless it is NULL or tells of an earlier cause already, and returns status. A
 * status of ERRAND_OK inside err marks it as untouched: callers zero it first. The text gets
 * ": strerror" appended when os_errno is not 0. */
errand_status errand__fail(errand_error *err, errand_status status, int os_errno,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));
/* What err tells of may work later, as it is; not before after_ms, where that is not 0. NULL is
 * fine. errand__fail marks by itself what the system's number says: no room, or no way, for now. */
void errand__err_retryable(errand_error *err, int64_t after_ms);
/* Makes err untouched, where it is not NULL. Every public function starts with it. */
void errand__err_clear(errand_error *err);

#endif
