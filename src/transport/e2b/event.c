/* event.c - reads exit codes and signals out of end events: -1 with words, 128 and the signal
 * with its name, neither, or nothing at all. */
#include "transport/e2b/event.h"

enum { SIGNALLED = 128, SIGNAL_MOST = 64 };

static const struct {
    const char *words; /* Of Go, and the signal's own name. */
    const char *name;
    int number;
} signals[] = {{"hangup", "SIGHUP", 1},
               {"interrupt", "SIGINT", 2},
               {"quit", "SIGQUIT", 3},
               {"illegal instruction", "SIGILL", 4},
               {"trace/breakpoint trap", "SIGTRAP", 5},
               {"aborted", "SIGABRT", 6},
               {"bus error", "SIGBUS", 7},
               {"floating point exception", "SIGFPE", 8},
               {"killed", "SIGKILL", 9},
               {"user defined signal 1", "SIGUSR1", 10},
               {"segmentation fault", "SIGSEGV", 11},
               {"user defined signal 2", "SIGUSR2", 12},
               {"broken pipe", "SIGPIPE", 13},
               {"alarm clock", "SIGALRM", 14},
               {"terminated", "SIGTERM", 15},
               {"CPU time limit exceeded", "SIGXCPU", 24},
               {"file size limit exceeded", "SIGXFSZ", 25},
               {"bad system call", "SIGSYS", 31}};

static int number_of(errand_span words)
{
    for (size_t i = 0; i < COUNT(signals); i++) {
        if (span_starts(words, span_text(signals[i].words)) ||
            span_starts(words, span_text(signals[i].name)))
            return signals[i].number;
    }
    return 0;
}

/* "signal: killed", also with " (core dumped)" behind it. */
static int signal_of(errand_span status)
{
    errand_span prefix = SPAN_LITERAL("signal: ");

    return span_starts(status, prefix) ? number_of(span_after(status, prefix.len)) : 0;
}

/* "exit status 3", where the number itself is missing. */
static int code_in(errand_span status)
{
    errand_span prefix = SPAN_LITERAL("exit status ");
    int code = -1;

    if (!span_starts(status, prefix))
        return -1;
    for (size_t i = prefix.len; i < status.len && i < prefix.len + 3; i++) {
        if (status.ptr[i] < '0' || status.ptr[i] > '9')
            break;
        code = (code < 0 ? 0 : code) * 10 + (status.ptr[i] - '0');
    }
    return code;
}

void errand__e2b_event_exit(const struct e2b_event *end, int *exit_code, int *exit_signal)
{
    *exit_code = -1;
    *exit_signal = signal_of(end->status);
    if (*exit_signal == 0)
        *exit_signal = signal_of(end->error);
    if (*exit_signal != 0)
        return;
    if (end->has_code && end->exit_code > SIGNALLED && end->exit_code <= SIGNALLED + SIGNAL_MOST &&
        number_of(end->status) == end->exit_code - SIGNALLED) {
        *exit_signal = end->exit_code - SIGNALLED;
        return;
    }
    if (end->has_code && end->exit_code != 0) {
        *exit_code = end->exit_code >= 0 ? end->exit_code : -1;
        return;
    }
    /* Without a code it is a zero that was left out, unless words say that nobody knows. */
    *exit_code = code_in(end->status);
    if (*exit_code < 0 && (end->exited || end->error.len == 0))
        *exit_code = 0;
}
