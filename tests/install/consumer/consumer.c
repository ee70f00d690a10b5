/* consumer.c - the smallest program that uses the installed library for what it is there for. */
#include <errand/errand.h>
#include <stdio.h>

int main(void)
{
    static const char program[] = "return 6 * 7;";
    errand_run_options options = ERRAND_RUN_OPTIONS_INIT;
    errand_execution *execution;
    errand_error err;

    options.program.ptr = program;
    options.program.len = sizeof program - 1;
    if (errand_execute(&execution, "local", NULL, &options, NULL, &err) != ERRAND_OK)
        return fprintf(stderr, "%s\n", err.text), 1;
    const errand_outcome *outcome = errand_execution_outcome(execution);
    printf("errand %s: %.*s\n", errand_version(), (int)outcome->value.len, outcome->value.ptr);
    errand_execution_free(execution);
    return 0;
}
