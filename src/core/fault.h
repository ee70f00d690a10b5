/* fault.h - the error object of "done error": is it one that an honest runner could have sent. */
#ifndef ERRAND_FAULT_H
#define ERRAND_FAULT_H

#include "base/base.h"

enum { FAULT_STRING_MAX = 64 * 1024 };

/* Strings are JSON strings with quotes, borrowed from the payload; empty: not there. */
struct fault {
    errand_kind kind;
    const char *code;  /* Static. */
    const char *limit; /* Static, or NULL. */
    errand_span name, message, stack, hint;
    uint32_t line, column;
};

/* payload: a valid JSON text. false: *why says what is wrong. */
bool errand__fault_read(errand_span payload, struct fault *out, const char **why);
/* What the ledger meters: the stack, else the message, else two quotes. */
errand_span errand__fault_text(const struct fault *fault);

#endif
