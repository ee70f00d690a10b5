/* ending.c - the library's exit codes, and those that it can't know. */
#include "cli/ending.h"

#include <signal.h>

static const struct cancelling {
    int signal;
    const char *reason;
} cancelling[] = {{SIGINT, "cancelled by SIGINT"},
                  {SIGTERM, "cancelled by SIGTERM"},
                  {SIGHUP, "cancelled by SIGHUP"}};

const char *ending_reason(int signal)
{
    for (size_t i = 0; i < COUNT(cancelling); i++) {
        if (cancelling[i].signal == signal)
            return cancelling[i].reason;
    }
    return cancelling[0].reason;
}

int ending_code(const errand_outcome *outcome)
{
    if (outcome->kind != ERRAND_KIND_ABORT)
        return errand_outcome_exit_code(outcome);
    for (size_t i = 0; i < COUNT(cancelling); i++) {
        if (span_is(outcome->message, cancelling[i].reason))
            return EXIT_SIGNAL + cancelling[i].signal;
    }
    return errand_outcome_exit_code(outcome);
}

int ending_code_of_status(errand_status status)
{
    switch (status) {
    case ERRAND_OK:
    case ERRAND_AGAIN:
        return EXIT_FINE;
    case ERRAND_EINVAL:
    case ERRAND_ELIMIT:
    case ERRAND_ENOSYS:
        return EXIT_USAGE;
    case ERRAND_ENOMEM:
    case ERRAND_ESTATE:
    case ERRAND_EIO:
    case ERRAND_EAUTH:
        return EXIT_PLACE;
    }
    return EXIT_PLACE;
}

errand_outcome ending_unstarted(const char *code, errand_span message)
{
    return (errand_outcome){.kind = ERRAND_KIND_WORKER_EXIT,
                            .code = code,
                            .message = message,
                            .exit_code = -1,
                            .network = ""};
}

errand_outcome ending_of_error(const errand_error *err)
{
    const char *code = err->status == ERRAND_EAUTH    ? "auth_failed"
                       : err->status == ERRAND_ENOMEM ? "internal"
                                                      : "place_failed";
    return ending_unstarted(code, span_text(err->text));
}
