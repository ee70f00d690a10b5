/* print_end.c - how a run ended: the value, or what went wrong and where. */
#include "cli/excerpt.h"
#include "cli/print.h"
#include "cli/text.h"

#include <stdio.h>
#include <sys/resource.h>

enum { NAMES_SHOWN = 8 };

/* --- For people ------------------------------------------------------------------------------ */

static void words_of_error(const struct print *print, struct buf *text, errand_span words)
{
    if (print->err.tty)
        text_guarded(text, words);
    else
        text_add(text, words);
}

/* Without what it quotes of the far side's noise where people have just read that. */
static errand_span unquoted(const struct print *print, const errand_outcome *outcome)
{
    static const char *const quotes[] = {
        "; its last words: ", "; what it printed begins: ", "; they begin: "};
    errand_span message = outcome->message;

    if (print->quiet || outcome->noise_total == 0 || outcome->kind != ERRAND_KIND_WORKER_EXIT)
        return message;
    for (size_t i = 0; i < COUNT(quotes); i++) {
        const char *at = memmem(message.ptr, message.len, quotes[i], strlen(quotes[i]));
        if (at != NULL)
            message = span_head(message, (size_t)(at - message.ptr));
    }
    return message;
}

static void human_error_text(struct print *print, const errand_outcome *outcome)
{
    struct buf *err = &print->err.queue;

    text_words(err, "errand: ");
    if (outcome->stack.len > 0) {
        words_of_error(print, err, outcome->stack);
    } else if (outcome->message.len > 0) {
        if (outcome->name.len > 0) {
            words_of_error(print, err, outcome->name);
            text_words(err, ": ");
        }
        words_of_error(print, err, unquoted(print, outcome));
    } else {
        text_format(err, "%s (%s)", errand_kind_name(outcome->kind), outcome->code);
    }
    text_words(err, "\n");
}

static void human_excerpt(struct print *print, const errand_outcome *outcome)
{
    if (print->program == NULL || outcome->line == 0)
        return;
    errand_span line = program_line(print->program, outcome->line);
    if (line.len == 0)
        return;
    excerpt_add(&print->err.queue, &(struct excerpt){.number = outcome->line,
                                                     .line = line,
                                                     .column = outcome->column,
                                                     .masked = print->err.tty});
}

/* "invalid-output" and "invalid_output". */
static bool says_the_same(const char *kind, const char *code)
{
    for (; *kind != '\0' && *code != '\0'; kind++, code++) {
        if (*kind != *code && !(*kind == '-' && *code == '_'))
            return false;
    }
    return *code == '\0';
}

/* What the words of the error do not say by themselves. */
static void human_classify(struct print *print, const errand_outcome *outcome)
{
    struct buf *err = &print->err.queue;

    if (outcome->kind == ERRAND_KIND_EXCEPTION && outcome->limit == NULL)
        return;
    text_format(err, "errand: ended as %s", errand_kind_name(outcome->kind));
    if (!says_the_same(errand_kind_name(outcome->kind), outcome->code))
        text_format(err, ", %s", outcome->code);
    if (outcome->limit != NULL)
        text_format(err, "; the limit was %s", outcome->limit);
    text_words(err, "\n");
}

/* What a process of ours, or this one, dies of without a word that would help. */
static void human_hint(struct print *print, const errand_outcome *outcome)
{
    enum { FILES_NEEDED = 64 };
    struct buf *err = &print->err.queue;
    struct rlimit files = {0};

    if (outcome->hint.len > 0) {
        text_words(err, "errand: hint: ");
        words_of_error(print, err, outcome->hint);
        text_words(err, "\n");
        return;
    }
    if (outcome->kind != ERRAND_KIND_WORKER_EXIT || getrlimit(RLIMIT_NOFILE, &files) != 0 ||
        files.rlim_cur >= FILES_NEEDED)
        return;
    text_format(err,
                "errand: hint: only %llu files may be open here at once, and %d are needed: raise "
                "ulimit -n\n",
                (unsigned long long)files.rlim_cur, FILES_NEEDED);
}

static void human_in_flight(struct print *print, const errand_outcome *outcome)
{
    struct buf *err = &print->err.queue;
    size_t shown = 0;

    if (!outcome->outcome_unknown)
        return;
    text_words(err, "errand: nobody knows how far the program got");
    for (size_t i = 0; i < outcome->calls_count && shown < NAMES_SHOWN; i++) {
        if (outcome->calls[i].status != ERRAND_CALL_CANCELLED)
            continue;
        text_words(err, shown++ == 0 ? "; calls in flight: " : ", ");
        print_tool_name(err, outcome->calls[i].space, outcome->calls[i].function);
    }
    text_words(err, shown == NAMES_SHOWN ? ", ...\n" : "\n");
}

static void human_warnings(struct print *print, const errand_outcome *outcome)
{
    if (print->quiet)
        return;
    for (size_t i = 0; i < outcome->warnings_count; i++)
        print_note(print, "warning: %s", outcome->warnings[i]);
    if (strcmp(outcome->network, "advisory") == 0)
        print_note(print, "warning: the network was only hidden from the program (advisory): this "
                          "place could not cut it off");
}

static void human_end(struct print *print, const errand_outcome *outcome)
{
    struct buf *out = &print->out.queue;

    status_hide(&print->status, &print->err);
    if (print->status.mid_line)
        text_words(&print->err.queue, "\n");
    print->status.mid_line = false;
    if (outcome->value.len > 0) {
        if (print->out.tty)
            text_guarded(out, outcome->value);
        else
            sink_lend(&print->out, outcome->value);
        text_words(out, "\n");
    }
    if (outcome->kind != ERRAND_KIND_VALUE) {
        human_error_text(print, outcome);
        human_excerpt(print, outcome);
        human_hint(print, outcome);
        human_classify(print, outcome);
    }
    human_in_flight(print, outcome);
    human_warnings(print, outcome);
    if (print->sandbox[0] != '\0' && !print->quiet)
        print_note(print, "kept: --on e2b:%s goes there, errand sandbox kill %s ends it",
                   print->sandbox, print->sandbox);
}

/* --- As JSON --------------------------------------------------------------------------------- */

static void member(struct buf *out, const char *name, errand_span words, bool *first)
{
    if (words.len == 0)
        return;
    text_format(out, "%s\"%s\":", *first ? "" : ",", name);
    text_json_string(out, words);
    *first = false;
}

static void json_error(struct buf *out, const errand_outcome *outcome)
{
    bool first = true;

    text_words(out, ",\"error\":{");
    member(out, "name", outcome->name, &first);
    member(out, "message", outcome->message, &first);
    member(out, "stack", outcome->stack, &first);
    member(out, "hint", outcome->hint, &first);
    if (outcome->line > 0)
        text_format(out, "%s\"line\":%u,\"column\":%u", first ? "" : ",", (unsigned)outcome->line,
                    (unsigned)outcome->column);
    text_words(out, "}");
}

static const char *call_status(errand_call_status status)
{
    switch (status) {
    case ERRAND_CALL_OK:
        return "ok";
    case ERRAND_CALL_ERROR:
        return "error";
    case ERRAND_CALL_CANCELLED:
        return "cancelled";
    }
    return "";
}

static double ms(int64_t us)
{
    return (double)us / 1000.0;
}

static void json_calls(struct buf *out, const errand_outcome *outcome)
{
    struct buf name;

    errand__buf_init(&name, TEXT_BYTES_MAX);
    text_words(out, ",\"calls\":[");
    for (size_t i = 0; i < outcome->calls_count; i++) {
        const errand_call_record *call = &outcome->calls[i];
        text_format(out, "%s{\"id\":%llu,\"tool\":", i == 0 ? "" : ",",
                    (unsigned long long)call->id);
        print_tool_name(&name, call->space, call->function);
        text_json_string(out, errand__buf_peek(&name));
        errand__buf_consume(&name, errand__buf_peek(&name).len);
        text_format(out,
                    ",\"status\":\"%s\",\"ms\":%.3f,\"held_ms\":%.3f,\"args_bytes\":%llu,"
                    "\"reply_bytes\":%llu}",
                    call_status(call->status), ms(call->took_us), ms(call->held_us),
                    (unsigned long long)call->args_bytes, (unsigned long long)call->reply_bytes);
    }
    text_format(out, "],\"calls_total\":%llu,\"items\":%llu",
                (unsigned long long)outcome->calls_total, (unsigned long long)outcome->items_total);
    errand__buf_deinit(&name);
}

static const char *truth(int flag)
{
    return flag ? "true" : "false";
}

static void json_rest(const struct print *print, struct buf *out, const errand_outcome *outcome,
                      int exit_code)
{
    const errand_timing *timing = &outcome->timing;

    text_format(out,
                ",\"timing\":{\"open_ms\":%.3f,\"boot_ms\":%.3f,\"run_ms\":%.3f,"
                "\"waiting_ms\":%.3f,\"held_ms\":%.3f,\"drain_ms\":%.3f}",
                ms(timing->open_us), ms(timing->boot_us), ms(timing->run_us),
                ms(timing->waiting_us), ms(timing->held_us), ms(timing->drain_us));
    if (outcome->stats.len > 0) {
        text_words(out, ",\"stats\":");
        text_json(out, outcome->stats);
    }
    if (outcome->store.len > 0) {
        text_words(out, ",\"store\":");
        text_json(out, outcome->store);
    }
    text_words(out, ",\"warnings\":[");
    for (size_t i = 0; i < outcome->warnings_count; i++) {
        text_words(out, i == 0 ? "" : ",");
        text_json_string(out, span_text(outcome->warnings[i]));
    }
    text_format(out, "],\"abandoned\":%s,\"outcome_unknown\":%s", truth(outcome->abandoned),
                truth(outcome->outcome_unknown));
    text_format(out, ",\"retryable\":%s,\"retry_after_ms\":%lld,\"process_may_be_running\":%s",
                truth(outcome->retryable), (long long)outcome->retry_after_ms,
                truth(outcome->process_may_be_running));
    if (outcome->network[0] != '\0')
        text_format(out, ",\"network\":\"%s\"", outcome->network);
    if (print->sandbox[0] != '\0')
        text_format(out, ",\"sandbox\":\"%s\"", print->sandbox);
    text_format(out, ",\"exit\":%d}\n", exit_code);
}

static bool is_one_line(errand_span json)
{
    return memchr(json.ptr, '\n', json.len) == NULL && memchr(json.ptr, '\r', json.len) == NULL;
}

static void json_end(struct print *print, const errand_outcome *outcome, int64_t at_us,
                     int exit_code)
{
    struct buf *out = &print->out.queue;
    int64_t from_us = print->first_seen ? print->first_us : at_us;

    text_format(out, "{\"event\":\"end\",\"at_ms\":%lld,\"kind\":\"%s\",\"code\":\"%s\"",
                (long long)((at_us - from_us) / 1000), errand_kind_name(outcome->kind),
                outcome->code);
    if (outcome->value.len > 0) {
        text_words(out, ",\"value\":");
        if (is_one_line(outcome->value))
            sink_lend(&print->out, outcome->value);
        else
            text_json(out, outcome->value);
    }
    if (outcome->kind != ERRAND_KIND_VALUE)
        json_error(out, outcome);
    if (outcome->limit != NULL)
        text_format(out, ",\"limit\":\"%s\"", outcome->limit);
    json_calls(out, outcome);
    json_rest(print, out, outcome, exit_code);
}

void print_end(struct print *print, const errand_outcome *outcome, int64_t at_us, int exit_code)
{
    if (print->json)
        json_end(print, outcome, at_us, exit_code);
    else
        human_end(print, outcome);
}
