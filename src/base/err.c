/* err.c - the first cause wins: cleanup code can't overwrite what went wrong. */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Text that came from outside must stay one printable line. */
static void flatten(char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = ' ';
    }
}

/* A cut may fall inside a UTF-8 sequence: drops its head. */
static void drop_torn_tail(char *text)
{
    size_t len = strlen(text);
    size_t start = len;

    while (start > 0 && len - start < 3 && ((unsigned char)text[start - 1] & 0xc0) == 0x80)
        start--;
    if (start == 0)
        return;
    unsigned char lead = (unsigned char)text[start - 1];
    size_t need = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    if (need > 1 && len - (start - 1) < need)
        text[start - 1] = '\0';
}

/* No room, or no way there, for now. */
static bool passes_by(errand_status status, int os_errno)
{
    static const int passing[] = {EAGAIN,       ENOMEM,    EMFILE,     ENFILE,      ENOBUFS,
                                  ECONNREFUSED, ETIMEDOUT, ECONNRESET, ENETUNREACH, EHOSTUNREACH};

    for (size_t i = 0; i < COUNT(passing); i++) {
        if (passing[i] == os_errno)
            return status != ERRAND_EAUTH;
    }
    return status == ERRAND_ENOMEM && os_errno == 0;
}

errand_status errand__fail(errand_error *err, errand_status status, int os_errno,
                           const char *format, ...)
{
    assert(status < 0);
    if (err == NULL || err->status != ERRAND_OK)
        return status;
    err->status = status;
    err->os_errno = os_errno;
    err->retryable = passes_by(status, os_errno);

    va_list args;
    va_start(args, format);
    int written = vsnprintf(err->text, sizeof(err->text), format, args);
    va_end(args);
    size_t used = written < 0 ? 0 : (size_t)written;
    if (os_errno != 0 && used + 3 < sizeof(err->text)) {
        char words[128];
        /* The GNU strerror_r returns its text, which may not be in words. */
        const char *text = strerror_r(os_errno, words, sizeof(words));
        (void)snprintf(err->text + used, sizeof(err->text) - used, ": %s", text);
    }
    flatten(err->text);
    drop_torn_tail(err->text);
    return status;
}

void errand__err_retryable(errand_error *err, int64_t after_ms)
{
    if (err == NULL)
        return;
    err->retryable = 1;
    err->retry_after_ms = after_ms;
}

void errand__err_clear(errand_error *err)
{
    if (err != NULL)
        *err = (errand_error){.status = ERRAND_OK};
}

const char *errand_status_name(errand_status status)
{
    switch (status) {
    case ERRAND_OK:
        return "OK";
    case ERRAND_AGAIN:
        return "AGAIN";
    case ERRAND_EINVAL:
        return "EINVAL";
    case ERRAND_ENOMEM:
        return "ENOMEM";
    case ERRAND_ELIMIT:
        return "ELIMIT";
    case ERRAND_ESTATE:
        return "ESTATE";
    case ERRAND_EIO:
        return "EIO";
    case ERRAND_EAUTH:
        return "EAUTH";
    case ERRAND_ENOSYS:
        return "ENOSYS";
    }
    return "unknown status";
}

const char *errand_version(void)
{
    return ERRAND_VERSION;
}
