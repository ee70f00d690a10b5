/* embed.c - a host in one file: runs a program on a place and answers its two functions.
 *
 *     cc embed.c $(pkg-config --cflags --libs errand) -o embed && ./embed [PLACE]
 */
#include <stdio.h>
#include <string.h>

#include <errand/errand.h>

static const char program[] = "const city = 'Turin';\n"
                              "const [sky, stock] = await Promise.all([\n"
                              "  home.weather({ city }),\n"
                              "  home.stock({ item: 'umbrella' }),\n"
                              "]);\n"
                              "console.log(`${city}: ${sky.text}, ${stock.count} left`);\n"
                              "return sky.rain && stock.count > 0 ? 'take one' : 'leave it';\n";

static errand_span text_span(const char *text)
{
    errand_span span = {text, strlen(text)};
    return span;
}

/* What the program may call: one function a word, JSON in, JSON out. What the key to the
 * weather service is, and where the stock is kept, never leaves this process. */
static void on_call(void *ctx, errand_run *run, const errand_call *call)
{
    errand_error err;
    errand_status status;
    (void)ctx;
    printf("asked:  %s(%.*s)\n", call->function, (int)call->args.len, call->args.ptr);
    if (strcmp(call->function, "weather") == 0)
        status = errand_run_reply(run, call->id, text_span("{\"text\":\"showers\",\"rain\":true}"),
                                  &err);
    else
        status = errand_run_reply(run, call->id, text_span("{\"count\":3}"), &err);
    if (status != ERRAND_OK)
        (void)fprintf(stderr, "embed: %s\n", err.text);
}

static void on_log(void *ctx, const char *level, errand_span text)
{
    (void)ctx;
    printf("%s:    %.*s\n", level, (int)text.len, text.ptr);
}

int main(int argc, char **argv)
{
    static const char *const functions[] = {"weather", "stock", NULL};
    static const errand_namespace home = {.name = "home", .functions = functions};
    errand_run_options options = ERRAND_RUN_OPTIONS_INIT;
    errand_handlers handlers = ERRAND_HANDLERS_INIT;
    errand_execution *execution;
    errand_error err;

    options.program = text_span(program);
    options.namespaces = &home;
    options.namespaces_count = 1;
    handlers.call = on_call;
    handlers.log = on_log;
    if (errand_execute(&execution, argc > 1 ? argv[1] : "local", NULL, &options, &handlers, &err) !=
        ERRAND_OK) {
        (void)fprintf(stderr, "embed: %s\n", err.text);
        return 2;
    }
    const errand_outcome *outcome = errand_execution_outcome(execution);
    if (outcome->kind == ERRAND_KIND_VALUE)
        printf("value:  %.*s\n", (int)outcome->value.len, outcome->value.ptr);
    else
        (void)fprintf(stderr, "%s: %.*s\n", errand_kind_name(outcome->kind),
                      (int)outcome->message.len, outcome->message.ptr);
    int code = errand_outcome_exit_code(outcome);
    errand_execution_free(execution);
    return code;
}
