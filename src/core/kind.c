/* kind.c - the kinds of endings: what each is called, and as which number it leaves a command. */
#include "base/base.h"

const char *errand_kind_name(errand_kind kind)
{
    switch (kind) {
    case ERRAND_KIND_VALUE:
        return "value";
    case ERRAND_KIND_EXCEPTION:
        return "exception";
    case ERRAND_KIND_TIMEOUT:
        return "timeout";
    case ERRAND_KIND_ABORT:
        return "abort";
    case ERRAND_KIND_WORKER_EXIT:
        return "worker-exit";
    case ERRAND_KIND_INVALID_OUTPUT:
        return "invalid-output";
    case ERRAND_KIND_OUTPUT_LIMIT:
        return "output-limit";
    }
    return "unknown";
}

/* Codes of worker-exit for which not the place is to blame. */
static int worker_exit_code(const char *code)
{
    static const struct {
        const char *code;
        int exit_code;
    } codes[] = {
        {"exited_early", 1}, {"out_of_memory", 3}, {"protocol", 5}, {"protocol_version", 5}};

    for (size_t i = 0; i < COUNT(codes); i++) {
        if (strcmp(code, codes[i].code) == 0)
            return codes[i].exit_code;
    }
    return 4;
}

int errand_outcome_exit_code(const errand_outcome *outcome)
{
    switch (outcome->kind) {
    case ERRAND_KIND_VALUE:
        return 0;
    case ERRAND_KIND_EXCEPTION:
    case ERRAND_KIND_INVALID_OUTPUT:
        return 1;
    case ERRAND_KIND_TIMEOUT:
    case ERRAND_KIND_OUTPUT_LIMIT:
        return 3;
    case ERRAND_KIND_ABORT:
        return 130;
    case ERRAND_KIND_WORKER_EXIT:
        return worker_exit_code(outcome->code);
    }
    return 4;
}
