/* speech.c - from words to frames and other bytes, made once, so that a process has only to copy
 * them. */
#include "transport/fake/speech.h"
#include "base/err.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>

enum { HEADER_ROOM = 128 };

static errand_status add_say(struct fake_parser *parser)
{
    const struct fake_say *say = &parser->step.say;
    uint64_t round = 0;
    uint64_t all = 0;

    if (__builtin_mul_overflow((uint64_t)say->piece.len, say->times, &round) ||
        __builtin_mul_overflow(round + say->lead.len + say->head.len + say->open.len + 64,
                               say->rounds, &all) ||
        all > FAKE_NUMBER_MAX)
        return errand__fake_parser_fail(parser, "that is more than can be said");
    parser->said = true;
    parser->fruitful[parser->repeats_count] = true;
    parser->step.verb = FAKE_SAY;
    return errand__fake_parser_add_step(parser);
}

static errand_status put_words(struct fake_parser *parser, const char *format, uint64_t size,
                               struct fake_text *out) __attribute__((format(printf, 2, 0)));
static errand_status put_words(struct fake_parser *parser, const char *format, uint64_t size,
                               struct fake_text *out)
{
    char header[HEADER_ROOM];
    int len = snprintf(header, sizeof(header), format, size);
    assert(len > 0);
    assert((size_t)len < sizeof(header));
    return errand__fake_line_put(&parser->line, span_of(header, (size_t)len), out);
}

/* Words that stand in the store since start, then the payload's size. */
static errand_status say_frame(struct fake_parser *parser, size_t start,
                               const struct fake_payload *payload)
{
    struct fake_say *say = &parser->step.say;
    struct fake_text text;
    errand_status status = put_words(parser, " %" PRIu64 "\n", payload->size, &text);

    if (status != ERRAND_OK)
        return status;
    say->head = errand__fake_line_since(&parser->line, start);
    say->open = payload->open;
    say->piece = payload->piece;
    say->times = payload->times;
    say->close = payload->close;
    say->rounds = 1;
    return add_say(parser);
}

/* The payload is read first: its texts may not stand among the header's words. */
static errand_status say_words(struct fake_parser *parser, const char *words)
{
    struct fake_payload payload;
    struct fake_text text;
    errand_status status = errand__fake_line_payload(&parser->line, &payload);
    size_t start = errand__fake_line_store_end(&parser->line);

    if (status == ERRAND_OK)
        status = errand__fake_line_put(&parser->line, span_text(words), &text);
    return status == ERRAND_OK ? say_frame(parser, start, &payload) : status;
}

static errand_status parse_hello(struct fake_parser *parser)
{
    static const char usual[] =
        "{\"protocol\":1,\"node\":\"v22.0.0\",\"pid\":4711,\"group\":4711,\"digest\":"
        "\"0000000000000000000000000000000000000000000000000000000000000000\"}";
    struct fake_payload payload;
    struct fake_text text;

    if (parser->line.rest.len == 0)
        parser->line.rest = span_text(usual);
    errand_status status = errand__fake_line_payload(&parser->line, &payload);
    size_t start = errand__fake_line_store_end(&parser->line);
    if (status == ERRAND_OK)
        status = errand__fake_line_put(&parser->line, SPAN_LITERAL("hello "), &text);
    if (status == ERRAND_OK)
        status = errand__fake_line_put_mark(&parser->line);
    parser->step.speaks = true;
    return status == ERRAND_OK ? say_frame(parser, start, &payload) : status;
}

/* A line of stdout with the mark in it: "WORD MARK rest". */
static errand_status say_marked_line(struct fake_parser *parser, errand_span word)
{
    struct fake_line *line = &parser->line;
    struct fake_say *say = &parser->step.say;
    size_t start = errand__fake_line_store_end(line);
    struct fake_text text;
    errand_status status = errand__fake_line_put(line, word, &text);

    if (status == ERRAND_OK)
        status = errand__fake_line_put_mark(line);
    if (status == ERRAND_OK && line->rest.len > 0)
        status = errand__fake_line_put(line, SPAN_LITERAL(" "), &text);
    if (status == ERRAND_OK)
        status = errand__fake_line_put(line, line->rest, &text);
    line->rest = SPAN_EMPTY;
    if (status == ERRAND_OK)
        status = errand__fake_line_put(line, SPAN_LITERAL("\n"), &text);
    if (status != ERRAND_OK)
        return status;
    say->head = errand__fake_line_since(line, start);
    say->rounds = 1;
    return add_say(parser);
}

static errand_status parse_want(struct fake_parser *parser)
{
    errand_status status = errand__fake_line_over(&parser->line);
    parser->step.number = 1; /* A runner will come in. */
    return status == ERRAND_OK ? say_marked_line(parser, SPAN_LITERAL("want ")) : status;
}

static errand_status parse_fail(struct fake_parser *parser)
{
    if (parser->line.rest.len == 0)
        return errand__fake_parser_fail(parser, "fail wants a code");
    return say_marked_line(parser, SPAN_LITERAL("fail "));
}

/* bytes as a JSON string and a line break behind it. */
static errand_status put_json_string(struct fake_parser *parser, errand_span bytes,
                                     struct fake_text *out)
{
    struct fake_line *line = &parser->line;
    size_t start = errand__fake_line_store_end(line);
    struct fake_text text;
    errand_status status = errand__fake_line_put(line, SPAN_LITERAL("\""), &text);

    for (size_t i = 0; i < bytes.len && status == ERRAND_OK; i++) {
        unsigned char byte = (unsigned char)bytes.ptr[i];
        char escape[8] = {(char)byte, '\0'};
        if (byte == '"' || byte == '\\')
            (void)snprintf(escape, sizeof(escape), "\\%c", byte);
        else if (byte < 0x20)
            (void)snprintf(escape, sizeof(escape), "\\u%04x", byte);
        status = errand__fake_line_put(line, span_text(escape), &text);
    }
    if (status == ERRAND_OK)
        status = errand__fake_line_put(line, SPAN_LITERAL("\"\n"), &text);
    *out = errand__fake_line_since(line, start);
    return status;
}

/* Quoted bytes go through the store, which may move: a copy of its own is read. */
static errand_status log_text(struct fake_parser *parser, struct fake_text *out)
{
    struct fake_line *line = &parser->line;

    if (line->rest.len == 0 || line->rest.ptr[0] != '"') {
        errand_status status = put_json_string(parser, line->rest, out);
        line->rest = SPAN_EMPTY;
        return status;
    }
    struct fake_text quoted;
    errand_status status = errand__fake_line_quoted(line, &quoted);
    if (status == ERRAND_OK)
        status = errand__fake_line_over(line);
    if (status != ERRAND_OK)
        return status;
    AUTO_FREE char *copy =
        errand__mem_copy(errand__buf_peek(&line->script->bytes).ptr + quoted.start, quoted.len);
    if (copy == NULL)
        return errand__fail(line->err, ERRAND_ENOMEM, 0, "fake: no memory");
    return put_json_string(parser, span_of(copy, quoted.len), out);
}

static errand_status parse_log(struct fake_parser *parser)
{
    struct fake_line *line = &parser->line;
    errand_span level = errand__fake_line_word(line);
    struct fake_payload payload = {.given = true};
    struct fake_text text;
    errand_status status;

    if (level.len == 0)
        return errand__fake_parser_fail(parser, "log wants a level and a text");
    if (span_starts(line->rest, SPAN_LITERAL("text \""))) {
        status = errand__fake_line_payload(line, &payload);
    } else {
        status = log_text(parser, &payload.open);
        payload.size = payload.open.len - 1;
    }
    size_t start = errand__fake_line_store_end(line);
    if (status == ERRAND_OK)
        status = errand__fake_line_put(line, SPAN_LITERAL("log "), &text);
    if (status == ERRAND_OK)
        status = errand__fake_line_put(line, level, &text);
    return status == ERRAND_OK ? say_frame(parser, start, &payload) : status;
}

/* N logs of SIZE bytes, quotes not counted. */
static errand_status parse_flood(struct fake_parser *parser)
{
    struct fake_line *line = &parser->line;
    struct fake_say *say = &parser->step.say;
    uint64_t size = 0;
    errand_status status = errand__fake_line_number(line, 1, FAKE_REPEATS_MAX, &say->rounds);

    if (status == ERRAND_OK)
        status = errand__fake_line_number(line, 1, FAKE_REPEATS_MAX, &size);
    if (status == ERRAND_OK)
        status = errand__fake_line_over(line);
    if (status == ERRAND_OK)
        status = put_words(parser, "log log %" PRIu64 "\n\"", size + 2, &say->head);
    if (status == ERRAND_OK)
        status = errand__fake_line_put(line, SPAN_LITERAL("x"), &say->piece);
    if (status == ERRAND_OK)
        status = errand__fake_line_put(line, SPAN_LITERAL("\"\n"), &say->close);
    say->times = size;
    return status == ERRAND_OK ? add_say(parser) : status;
}

static errand_status parse_call(struct fake_parser *parser)
{
    struct fake_line *line = &parser->line;
    struct fake_say *say = &parser->step.say;
    struct fake_payload payload;
    struct fake_text text;
    uint64_t space = 0;
    uint64_t function = 0;
    errand_status status = ERRAND_OK;

    if (errand__fake_line_takes(line, "next"))
        parser->step.number = 0;
    else
        status = errand__fake_line_number(line, 1, FAKE_NUMBER_MAX, &parser->step.number);
    if (status == ERRAND_OK)
        status = errand__fake_line_number(line, 0, FAKE_NUMBER_MAX, &space);
    if (status == ERRAND_OK)
        status = errand__fake_line_number(line, 0, FAKE_NUMBER_MAX, &function);
    if (status == ERRAND_OK)
        status = errand__fake_line_payload(line, &payload);
    if (status == ERRAND_OK)
        status = errand__fake_line_put(line, SPAN_LITERAL("call "), &say->lead);
    size_t start = errand__fake_line_store_end(line);
    if (status == ERRAND_OK)
        status = put_words(parser, " %" PRIu64, space, &text);
    if (status == ERRAND_OK)
        status = put_words(parser, " %" PRIu64, function, &text);
    say->numbered = true;
    return status == ERRAND_OK ? say_frame(parser, start, &payload) : status;
}

/* What was put since start, the word that is left and the end of the line. */
static errand_status say_last_word(struct fake_parser *parser, size_t start)
{
    struct fake_line *line = &parser->line;
    struct fake_say *say = &parser->step.say;
    struct fake_text text;
    errand_status status = errand__fake_line_put(line, errand__fake_line_word(line), &text);

    if (status == ERRAND_OK)
        status = errand__fake_line_put(line, SPAN_LITERAL("\n"), &text);
    if (status == ERRAND_OK)
        status = errand__fake_line_over(line);
    say->head = errand__fake_line_since(line, start);
    say->rounds = 1;
    return status == ERRAND_OK ? add_say(parser) : status;
}

static errand_status parse_need(struct fake_parser *parser)
{
    size_t start = errand__fake_line_store_end(&parser->line);
    struct fake_text text;
    errand_status status = errand__fake_line_put(&parser->line, SPAN_LITERAL("need "), &text);

    return status == ERRAND_OK ? say_last_word(parser, start) : status;
}

static errand_status parse_beat(struct fake_parser *parser)
{
    uint64_t number = 0;
    errand_status status = errand__fake_line_number(&parser->line, 0, FAKE_NUMBER_MAX, &number);

    if (status == ERRAND_OK)
        status = errand__fake_line_over(&parser->line);
    if (status == ERRAND_OK)
        status = put_words(parser, "beat %" PRIu64 "\n", number, &parser->step.say.head);
    parser->step.say.rounds = 1;
    return status == ERRAND_OK ? add_say(parser) : status;
}

static errand_status parse_left(struct fake_parser *parser)
{
    struct fake_line *line = &parser->line;
    size_t start = errand__fake_line_store_end(line);
    struct fake_text text;
    uint64_t total = 0;
    uint64_t pid = 0;
    errand_status status = errand__fake_line_number(line, 0, FAKE_NUMBER_MAX, &total);

    if (status == ERRAND_OK)
        status = errand__fake_line_number(line, 0, FAKE_NUMBER_MAX, &pid);
    if (status == ERRAND_OK && line->rest.len == 0)
        return errand__fake_parser_fail(parser, "wants: left TOTAL PID NAME");
    if (status == ERRAND_OK)
        status = put_words(parser, "left %" PRIu64, total, &text);
    if (status == ERRAND_OK)
        status = put_words(parser, " %" PRIu64 " ", pid, &text);
    return status == ERRAND_OK ? say_last_word(parser, start) : status;
}

static errand_status parse_stats(struct fake_parser *parser)
{
    return parser->line.rest.len == 0 ? errand__fake_parser_fail(parser, "stats wants a payload")
                                      : say_words(parser, "stats");
}

static errand_status parse_item(struct fake_parser *parser)
{
    return parser->line.rest.len == 0 ? errand__fake_parser_fail(parser, "item wants a payload")
                                      : say_words(parser, "item");
}

static errand_status parse_store(struct fake_parser *parser)
{
    return parser->line.rest.len == 0 ? errand__fake_parser_fail(parser, "store wants a payload")
                                      : say_words(parser, "store");
}

static errand_status parse_done(struct fake_parser *parser)
{
    if (errand__fake_line_takes(&parser->line, "ok"))
        return say_words(parser, "done ok");
    if (errand__fake_line_takes(&parser->line, "error") && parser->line.rest.len > 0)
        return say_words(parser, "done error");
    return errand__fake_parser_fail(parser, "wants: done ok [PAYLOAD], or done error PAYLOAD");
}

/* The words of a header, up to "|" or the end; MARK stands for the mark. */
static errand_status put_header_words(struct fake_parser *parser, bool *payload_follows)
{
    struct fake_line *line = &parser->line;
    struct fake_text text;
    errand_status status = ERRAND_OK;

    *payload_follows = false;
    for (size_t count = 0; line->rest.len > 0 && status == ERRAND_OK; count++) {
        errand_span word = errand__fake_line_word(line);
        if (span_is(word, "|")) {
            *payload_follows = true;
            return ERRAND_OK;
        }
        if (count > 0)
            status = errand__fake_line_put(line, SPAN_LITERAL(" "), &text);
        if (status == ERRAND_OK && span_is(word, "MARK"))
            status = errand__fake_line_put_mark(line);
        else if (status == ERRAND_OK)
            status = errand__fake_line_put(line, word, &text);
    }
    return status;
}

static errand_status parse_frame(struct fake_parser *parser)
{
    struct fake_line *line = &parser->line;
    struct fake_say *say = &parser->step.say;
    size_t start = errand__fake_line_store_end(line);
    struct fake_payload payload;
    struct fake_text text;
    bool payload_follows = false;

    if (line->rest.len == 0)
        return errand__fake_parser_fail(parser, "frame wants words");
    parser->step.exact = true; /* Ids are no longer ours to count. */
    errand_status status = put_header_words(parser, &payload_follows);
    if (status == ERRAND_OK && !payload_follows) {
        status = errand__fake_line_put(line, SPAN_LITERAL("\n"), &text);
        say->head = errand__fake_line_since(line, start);
        say->rounds = 1;
        return status == ERRAND_OK ? add_say(parser) : status;
    }
    /* The words are the lead, since the payload goes to the store behind them. */
    say->lead = errand__fake_line_since(line, start);
    if (status == ERRAND_OK)
        status = errand__fake_line_payload(line, &payload);
    size_t size_start = errand__fake_line_store_end(line);
    return status == ERRAND_OK ? say_frame(parser, size_start, &payload) : status;
}

static errand_status say_bytes(struct fake_parser *parser)
{
    struct fake_say *say = &parser->step.say;
    errand_status status = errand__fake_line_quoted(&parser->line, &say->piece);

    if (status == ERRAND_OK)
        status = errand__fake_line_times(&parser->line, &say->times);
    if (status == ERRAND_OK)
        status = errand__fake_line_over(&parser->line);
    if (status == ERRAND_OK && say->piece.len == 0)
        return errand__fake_parser_fail(parser, "there is nothing between the quotes");
    say->rounds = 1;
    return status == ERRAND_OK ? add_say(parser) : status;
}

static errand_status parse_raw(struct fake_parser *parser)
{
    parser->step.exact = true; /* Ids are no longer ours to count. */
    return say_bytes(parser);
}

static errand_status say_line(struct fake_parser *parser)
{
    struct fake_line *line = &parser->line;
    struct fake_say *say = &parser->step.say;
    errand_status status = errand__fake_line_put(line, line->rest, &say->head);

    line->rest = SPAN_EMPTY;
    if (status == ERRAND_OK)
        status = errand__fake_line_put(line, SPAN_LITERAL("\n"), &say->close);
    say->rounds = 1;
    return status == ERRAND_OK ? add_say(parser) : status;
}

static errand_status parse_noise(struct fake_parser *parser)
{
    parser->step.say.err = true;
    return parser->line.rest.len > 0 && parser->line.rest.ptr[0] == '"' ? say_bytes(parser)
                                                                        : say_line(parser);
}

static errand_status parse_echo(struct fake_parser *parser)
{
    if (!errand__fake_line_takes(&parser->line, "launch"))
        return errand__fake_parser_fail(parser, "wants: echo launch");
    parser->said = true;
    parser->fruitful[parser->repeats_count] = true;
    parser->step.verb = FAKE_ECHO_LAUNCH;
    errand_status status = errand__fake_line_over(&parser->line);
    return status == ERRAND_OK ? errand__fake_parser_add_step(parser) : status;
}

/* --- All of them ---------------------------------------------------------------------------- */

static const struct fake_word words[] = {
    {"hello", parse_hello, FAKE_SAY}, {"want", parse_want, FAKE_SAY},
    {"fail", parse_fail, FAKE_SAY},   {"log", parse_log, FAKE_SAY},
    {"flood", parse_flood, FAKE_SAY}, {"call", parse_call, FAKE_SAY},
    {"need", parse_need, FAKE_SAY},   {"beat", parse_beat, FAKE_SAY},
    {"left", parse_left, FAKE_SAY},   {"stats", parse_stats, FAKE_SAY},
    {"item", parse_item, FAKE_SAY},   {"store", parse_store, FAKE_SAY},
    {"done", parse_done, FAKE_SAY},   {"frame", parse_frame, FAKE_SAY},
    {"raw", parse_raw, FAKE_SAY},     {"banner", say_line, FAKE_SAY},
    {"noise", parse_noise, FAKE_SAY}, {"echo", parse_echo, FAKE_ECHO_LAUNCH},
};

const struct fake_word *errand__fake_speech_find(errand_span name)
{
    for (size_t i = 0; i < COUNT(words); i++) {
        if (span_is(name, words[i].name))
            return &words[i];
    }
    return NULL;
}
