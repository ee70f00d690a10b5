/* script.c - from words to steps. One table lists every step; what a step says is made
 * into bytes here, once, so that a process has only to copy them. */
#include "transport/fake/script.h"
#include "base/err.h"
#include "base/mem.h"
#include "transport/fake/line.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    SCRIPT_BYTES_MAX = 16 * 1024 * 1024,
    STEPS_MAX = 100000, /* repeat does the rest. */
    PARTS_MAX = 1000,
    REPEATS_MAX = 1000000000,
    HEADER_ROOM = 128
};
#define NUMBER_MAX ((UINT64_C(1) << 53) - 1)

struct parser {
    struct fake_line line;
    struct fake_step step; /* The one that is being read. */
    size_t repeats[FAKE_REPEATS_DEEP];
    size_t repeats_count;
    bool fruitful[FAKE_REPEATS_DEEP + 1]; /* The body said or waited something. */
    bool said;                            /* In this part. */
};

typedef errand_status (*parse_fn)(struct parser *parser);

struct word {
    const char *name;
    parse_fn parse;
    enum fake_verb verb;
};

uint64_t errand__fake_hash(uint64_t hash, errand_span bytes)
{
    for (size_t i = 0; i < bytes.len; i++)
        hash = (hash ^ (unsigned char)bytes.ptr[i]) * 0x100000001b3u;
    return hash;
}

static struct fake_part *part(struct parser *parser)
{
    struct fake_script *script = parser->line.script;
    return &script->parts[script->parts_count - 1];
}

static errand_status fail(struct parser *parser, const char *what)
{
    return errand__fake_line_fail(&parser->line, what);
}

static errand_status add_step(struct parser *parser)
{
    struct fake_script *script = parser->line.script;
    size_t count = script->steps_count;

    if (count == STEPS_MAX)
        return fail(parser, "too many steps");
    if ((count & (count - 1)) == 0) { /* Room doubles. */
        struct fake_step *steps = errand__mem_resize(script->steps, (count == 0 ? 1 : count * 2) *
                                                                        sizeof(script->steps[0]));
        if (steps == NULL)
            return errand__fail(parser->line.err, ERRAND_ENOMEM, 0, "fake: no memory");
        script->steps = steps;
    }
    script->steps[script->steps_count++] = parser->step;
    part(parser)->end = script->steps_count;
    return ERRAND_OK;
}

static errand_status add_part(struct parser *parser)
{
    struct fake_script *script = parser->line.script;

    if (script->parts_count == PARTS_MAX)
        return fail(parser, "too many runs");
    struct fake_part *parts =
        errand__mem_resize(script->parts, (script->parts_count + 1) * sizeof(script->parts[0]));
    if (parts == NULL)
        return errand__fail(parser->line.err, ERRAND_ENOMEM, 0, "fake: no memory");
    script->parts = parts;
    parts[script->parts_count++] =
        (struct fake_part){.first = script->steps_count, .end = script->steps_count};
    parser->said = false;
    return ERRAND_OK;
}

/* --- What is said ------------------------------------------------------------------------- */

static errand_status add_say(struct parser *parser)
{
    const struct fake_say *say = &parser->step.say;
    uint64_t round = 0;
    uint64_t all = 0;

    if (__builtin_mul_overflow((uint64_t)say->piece.len, say->times, &round) ||
        __builtin_mul_overflow(round + say->lead.len + say->head.len + say->open.len + 64,
                               say->rounds, &all) ||
        all > NUMBER_MAX)
        return fail(parser, "that is more than can be said");
    parser->said = true;
    parser->fruitful[parser->repeats_count] = true;
    parser->step.verb = FAKE_SAY;
    return add_step(parser);
}

static errand_status put_words(struct parser *parser, const char *format, uint64_t size,
                               struct fake_text *out) __attribute__((format(printf, 2, 0)));
static errand_status put_words(struct parser *parser, const char *format, uint64_t size,
                               struct fake_text *out)
{
    char header[HEADER_ROOM];
    int len = snprintf(header, sizeof(header), format, size);
    assert(len > 0);
    assert((size_t)len < sizeof(header));
    return errand__fake_line_put(&parser->line, span_of(header, (size_t)len), out);
}

/* Words that stand in the store since start, then the payload's size. */
static errand_status say_frame(struct parser *parser, size_t start,
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
static errand_status say_words(struct parser *parser, const char *words)
{
    struct fake_payload payload;
    struct fake_text text;
    errand_status status = errand__fake_line_payload(&parser->line, &payload);
    size_t start = errand__fake_line_store_end(&parser->line);

    if (status == ERRAND_OK)
        status = errand__fake_line_put(&parser->line, span_text(words), &text);
    return status == ERRAND_OK ? say_frame(parser, start, &payload) : status;
}

static errand_status parse_hello(struct parser *parser)
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
static errand_status say_marked_line(struct parser *parser, errand_span word)
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

static errand_status parse_want(struct parser *parser)
{
    errand_status status = errand__fake_line_over(&parser->line);
    parser->step.number = 1; /* A runner will come in. */
    return status == ERRAND_OK ? say_marked_line(parser, SPAN_LITERAL("want ")) : status;
}

static errand_status parse_fail(struct parser *parser)
{
    if (parser->line.rest.len == 0)
        return fail(parser, "fail wants a code");
    return say_marked_line(parser, SPAN_LITERAL("fail "));
}

/* bytes as a JSON string and a line break behind it. */
static errand_status put_json_string(struct parser *parser, errand_span bytes,
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
static errand_status log_text(struct parser *parser, struct fake_text *out)
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

static errand_status parse_log(struct parser *parser)
{
    struct fake_line *line = &parser->line;
    errand_span level = errand__fake_line_word(line);
    struct fake_payload payload = {.given = true};
    struct fake_text text;
    errand_status status;

    if (level.len == 0)
        return fail(parser, "log wants a level and a text");
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
static errand_status parse_flood(struct parser *parser)
{
    struct fake_line *line = &parser->line;
    struct fake_say *say = &parser->step.say;
    uint64_t size = 0;
    errand_status status = errand__fake_line_number(line, 1, REPEATS_MAX, &say->rounds);

    if (status == ERRAND_OK)
        status = errand__fake_line_number(line, 1, REPEATS_MAX, &size);
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

static errand_status parse_call(struct parser *parser)
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
        status = errand__fake_line_number(line, 1, NUMBER_MAX, &parser->step.number);
    if (status == ERRAND_OK)
        status = errand__fake_line_number(line, 0, NUMBER_MAX, &space);
    if (status == ERRAND_OK)
        status = errand__fake_line_number(line, 0, NUMBER_MAX, &function);
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

static errand_status parse_need(struct parser *parser)
{
    struct fake_line *line = &parser->line;
    struct fake_say *say = &parser->step.say;
    size_t start = errand__fake_line_store_end(line);
    struct fake_text text;
    errand_status status = errand__fake_line_put(line, SPAN_LITERAL("need "), &text);

    if (status == ERRAND_OK)
        status = errand__fake_line_put(line, errand__fake_line_word(line), &text);
    if (status == ERRAND_OK)
        status = errand__fake_line_put(line, SPAN_LITERAL("\n"), &text);
    if (status == ERRAND_OK)
        status = errand__fake_line_over(line);
    say->head = errand__fake_line_since(line, start);
    say->rounds = 1;
    return status == ERRAND_OK ? add_say(parser) : status;
}

static errand_status parse_beat(struct parser *parser)
{
    uint64_t number = 0;
    errand_status status = errand__fake_line_number(&parser->line, 0, NUMBER_MAX, &number);

    if (status == ERRAND_OK)
        status = errand__fake_line_over(&parser->line);
    if (status == ERRAND_OK)
        status = put_words(parser, "beat %" PRIu64 "\n", number, &parser->step.say.head);
    parser->step.say.rounds = 1;
    return status == ERRAND_OK ? add_say(parser) : status;
}

static errand_status parse_left(struct parser *parser)
{
    struct fake_line *line = &parser->line;
    struct fake_say *say = &parser->step.say;
    size_t start = errand__fake_line_store_end(line);
    struct fake_text text;
    uint64_t total = 0;
    uint64_t pid = 0;
    errand_status status = errand__fake_line_number(line, 0, NUMBER_MAX, &total);

    if (status == ERRAND_OK)
        status = errand__fake_line_number(line, 0, NUMBER_MAX, &pid);
    if (status == ERRAND_OK && line->rest.len == 0)
        return fail(parser, "wants: left TOTAL PID NAME");
    if (status == ERRAND_OK)
        status = put_words(parser, "left %" PRIu64, total, &text);
    if (status == ERRAND_OK)
        status = put_words(parser, " %" PRIu64 " ", pid, &text);
    if (status == ERRAND_OK)
        status = errand__fake_line_put(line, errand__fake_line_word(line), &text);
    if (status == ERRAND_OK)
        status = errand__fake_line_put(line, SPAN_LITERAL("\n"), &text);
    if (status == ERRAND_OK)
        status = errand__fake_line_over(line);
    say->head = errand__fake_line_since(line, start);
    say->rounds = 1;
    return status == ERRAND_OK ? add_say(parser) : status;
}

static errand_status parse_stats(struct parser *parser)
{
    return parser->line.rest.len == 0 ? fail(parser, "stats wants a payload")
                                      : say_words(parser, "stats");
}

static errand_status parse_item(struct parser *parser)
{
    return parser->line.rest.len == 0 ? fail(parser, "item wants a payload")
                                      : say_words(parser, "item");
}

static errand_status parse_store(struct parser *parser)
{
    return parser->line.rest.len == 0 ? fail(parser, "store wants a payload")
                                      : say_words(parser, "store");
}

static errand_status parse_done(struct parser *parser)
{
    if (errand__fake_line_takes(&parser->line, "ok"))
        return say_words(parser, "done ok");
    if (errand__fake_line_takes(&parser->line, "error") && parser->line.rest.len > 0)
        return say_words(parser, "done error");
    return fail(parser, "wants: done ok [PAYLOAD], or done error PAYLOAD");
}

/* The words of a header, up to "|" or the end; MARK stands for the mark. */
static errand_status put_header_words(struct parser *parser, bool *payload_follows)
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

static errand_status parse_frame(struct parser *parser)
{
    struct fake_line *line = &parser->line;
    struct fake_say *say = &parser->step.say;
    size_t start = errand__fake_line_store_end(line);
    struct fake_payload payload;
    struct fake_text text;
    bool payload_follows = false;

    if (line->rest.len == 0)
        return fail(parser, "frame wants words");
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

static errand_status say_bytes(struct parser *parser)
{
    struct fake_say *say = &parser->step.say;
    errand_status status = errand__fake_line_quoted(&parser->line, &say->piece);

    if (status == ERRAND_OK)
        status = errand__fake_line_times(&parser->line, &say->times);
    if (status == ERRAND_OK)
        status = errand__fake_line_over(&parser->line);
    if (status == ERRAND_OK && say->piece.len == 0)
        return fail(parser, "there is nothing between the quotes");
    say->rounds = 1;
    return status == ERRAND_OK ? add_say(parser) : status;
}

static errand_status parse_raw(struct parser *parser)
{
    parser->step.exact = true; /* Ids are no longer ours to count. */
    return say_bytes(parser);
}

static errand_status say_line(struct parser *parser)
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

static errand_status parse_noise(struct parser *parser)
{
    parser->step.say.err = true;
    return parser->line.rest.len > 0 && parser->line.rest.ptr[0] == '"' ? say_bytes(parser)
                                                                        : say_line(parser);
}

static errand_status parse_echo(struct parser *parser)
{
    if (!errand__fake_line_takes(&parser->line, "launch"))
        return fail(parser, "wants: echo launch");
    parser->said = true;
    parser->fruitful[parser->repeats_count] = true;
    parser->step.verb = FAKE_ECHO_LAUNCH;
    errand_status status = errand__fake_line_over(&parser->line);
    return status == ERRAND_OK ? add_step(parser) : status;
}

/* --- Waiting ------------------------------------------------------------------------------ */

static errand_status await_reply(struct parser *parser)
{
    struct fake_line *line = &parser->line;
    struct fake_step *step = &parser->step;
    errand_status status = ERRAND_OK;

    step->verb = FAKE_AWAIT_REPLY;
    if (!errand__fake_line_takes(line, "last"))
        status = errand__fake_line_number(line, 1, NUMBER_MAX, &step->number);
    if (status != ERRAND_OK || line->rest.len == 0)
        return status == ERRAND_OK ? add_step(parser) : status;
    if (errand__fake_line_takes(line, "ok"))
        step->expect = FAKE_EXPECT_OK;
    else if (errand__fake_line_takes(line, "error"))
        step->expect = FAKE_EXPECT_ERROR;
    else
        return fail(parser, "wants: await reply ID [ok|error [PAYLOAD]]");
    struct fake_payload payload;
    status = errand__fake_line_payload(line, &payload);
    if (status != ERRAND_OK || !payload.given)
        return status == ERRAND_OK ? add_step(parser) : status;
    const char *bytes = errand__buf_peek(&line->script->bytes).ptr;
    step->exact = true;
    step->size = payload.size;
    step->hash = FAKE_HASH_FIRST;
    step->hash =
        errand__fake_hash(step->hash, span_of(bytes + payload.open.start, payload.open.len));
    for (uint64_t i = 0; i < payload.times; i++)
        step->hash =
            errand__fake_hash(step->hash, span_of(bytes + payload.piece.start, payload.piece.len));
    /* The line break behind it does not belong to it. */
    step->hash =
        errand__fake_hash(step->hash, span_of(bytes + payload.close.start, payload.close.len - 1));
    return add_step(parser);
}

static errand_status parse_await(struct parser *parser)
{
    static const struct {
        const char *name;
        enum fake_verb verb;
    } facts[] = {
        {"boot", FAKE_AWAIT_BOOT},   {"stop", FAKE_AWAIT_STOP}, {"ping", FAKE_AWAIT_PING},
        {"asset", FAKE_AWAIT_ASSET}, {"term", FAKE_AWAIT_TERM}, {"kill", FAKE_AWAIT_KILL},
    };
    struct fake_line *line = &parser->line;

    if (errand__fake_line_takes(line, "reply"))
        return await_reply(parser);
    if (errand__fake_line_takes(line, "input")) {
        parser->step.verb = FAKE_AWAIT_INPUT;
        errand_status status = errand__fake_line_number(line, 1, NUMBER_MAX, &parser->step.number);
        return status == ERRAND_OK ? add_step(parser) : status;
    }
    for (size_t i = 0; i < COUNT(facts); i++) {
        if (!errand__fake_line_takes(line, facts[i].name))
            continue;
        parser->step.verb = facts[i].verb;
        part(parser)->awaits_stop |= facts[i].verb == FAKE_AWAIT_STOP;
        part(parser)->awaits_term |= facts[i].verb == FAKE_AWAIT_TERM;
        part(parser)->awaits_kill |= facts[i].verb == FAKE_AWAIT_KILL;
        return add_step(parser);
    }
    return fail(parser, "awaits boot, stop, ping, asset, term, kill, reply or input");
}

static errand_status parse_wait(struct parser *parser)
{
    errand_status status = errand__fake_line_time(&parser->line, &parser->step.us);

    if (status != ERRAND_OK)
        return status;
    if (parser->step.us > 0)
        parser->fruitful[parser->repeats_count] = true;
    parser->step.verb = FAKE_WAIT;
    return add_step(parser);
}

static errand_status parse_repeat(struct parser *parser)
{
    errand_status status =
        errand__fake_line_number(&parser->line, 1, REPEATS_MAX, &parser->step.number);

    if (status != ERRAND_OK)
        return status;
    if (parser->repeats_count == FAKE_REPEATS_DEEP)
        return fail(parser, "repeat is nested more than 8 deep");
    status = add_step(parser);
    if (status != ERRAND_OK)
        return status;
    parser->repeats[parser->repeats_count++] = parser->line.script->steps_count - 1;
    parser->fruitful[parser->repeats_count] = false;
    return ERRAND_OK;
}

static errand_status parse_end(struct parser *parser)
{
    if (parser->repeats_count == 0)
        return fail(parser, "end without repeat");
    if (!parser->fruitful[parser->repeats_count])
        return fail(parser, "what is repeated has to say or wait something");
    parser->step.jump = parser->repeats[--parser->repeats_count];
    parser->fruitful[parser->repeats_count] = true;
    return add_step(parser);
}

static errand_status parse_start(struct parser *parser)
{
    if (parser->said || part(parser)->starts)
        return fail(parser, "start comes once, before anything is said");
    part(parser)->starts = true;
    return add_step(parser);
}

/* --- Endings, and how things go ----------------------------------------------------------- */

static errand_status parse_plain(struct parser *parser)
{
    return add_step(parser);
}

static errand_status parse_text(struct parser *parser)
{
    struct fake_line *line = &parser->line;
    errand_status status = errand__fake_line_put(line, line->rest, &parser->step.text);

    line->rest = SPAN_EMPTY;
    return status == ERRAND_OK ? add_step(parser) : status;
}

/* Bytes go in segments as soon as one of these stands in the script. */
static errand_status parse_drop(struct parser *parser)
{
    parser->said = true;
    parser->line.script->reattaches = true;
    return parse_text(parser);
}

static errand_status parse_attach(struct parser *parser)
{
    parser->said = true;
    parser->line.script->reattaches = true;
    return add_step(parser);
}

static errand_status parse_exit(struct parser *parser)
{
    errand_status status = errand__fake_line_number(&parser->line, 0, 255, &parser->step.number);
    return status == ERRAND_OK ? add_step(parser) : status;
}

static errand_status parse_killed(struct parser *parser)
{
    static const struct {
        const char *name;
        uint64_t number;
    } signals[] = {
        {"HUP", 1}, {"INT", 2}, {"ABRT", 6}, {"BUS", 7}, {"KILL", 9}, {"SEGV", 11}, {"TERM", 15},
    };
    uint64_t number = 0;
    errand_status status = ERRAND_OK;

    for (size_t i = 0; i < COUNT(signals) && number == 0; i++) {
        if (errand__fake_line_takes(&parser->line, signals[i].name))
            number = signals[i].number;
    }
    if (number == 0)
        status = errand__fake_line_number(&parser->line, 1, 64, &number);
    parser->step.signal = (int)number;
    return status == ERRAND_OK ? add_step(parser) : status;
}

/* N, and at what pace. */
static errand_status paced(struct parser *parser)
{
    errand_status status =
        errand__fake_line_number(&parser->line, 1, REPEATS_MAX, &parser->step.number);

    if (status == ERRAND_OK && errand__fake_line_takes(&parser->line, "every"))
        status = errand__fake_line_time(&parser->line, &parser->step.us);
    return status == ERRAND_OK ? add_step(parser) : status;
}

static errand_status parse_cut(struct parser *parser)
{
    if (errand__fake_line_takes(&parser->line, "off"))
        return add_step(parser);
    if (!errand__fake_line_takes(&parser->line, "at"))
        return paced(parser);
    parser->step.verb = FAKE_CUT_AT;
    errand_status status =
        errand__fake_line_number(&parser->line, 1, NUMBER_MAX, &parser->step.number);
    return status == ERRAND_OK ? add_step(parser) : status;
}

static errand_status parse_take(struct parser *parser)
{
    parser->step.number = UINT64_MAX;
    return errand__fake_line_takes(&parser->line, "all") ? add_step(parser) : paced(parser);
}

static errand_status parse_hold(struct parser *parser)
{
    return errand__fake_line_takes(&parser->line, "pipe") ? add_step(parser)
                                                          : fail(parser, "wants: hold pipe");
}

static errand_status parse_ignore(struct parser *parser)
{
    static const struct {
        const char *name;
        enum fake_verb verb;
    } what[] = {
        {"stop", FAKE_IGNORE_STOP},
        {"term", FAKE_IGNORE_TERM},
        {"kill", FAKE_IGNORE_KILL},
        {"ping", FAKE_IGNORE_PING},
    };

    for (size_t i = 0; i < COUNT(what); i++) {
        if (errand__fake_line_takes(&parser->line, what[i].name)) {
            parser->step.verb = what[i].verb;
            return add_step(parser);
        }
    }
    return fail(parser, "ignores stop, term, kill or ping");
}

static errand_status parse_after(struct parser *parser)
{
    if (!errand__fake_line_takes(&parser->line, "after"))
        return fail(parser, "wants: after TIME");
    errand_status status = errand__fake_line_time(&parser->line, &parser->step.us);
    return status == ERRAND_OK ? add_step(parser) : status;
}

static errand_status parse_never(struct parser *parser)
{
    return errand__fake_line_takes(&parser->line, "close") ? add_step(parser)
                                                           : fail(parser, "wants: never close");
}

static errand_status parse_close(struct parser *parser)
{
    if (!errand__fake_line_takes(&parser->line, "warns"))
        return parse_after(parser);
    parser->step.verb = FAKE_CLOSE_WARNS;
    return parse_text(parser);
}

/* --- The place ---------------------------------------------------------------------------- */

static errand_status parse_open(struct parser *parser)
{
    struct fake_line *line = &parser->line;

    if (errand__fake_line_takes(line, "after"))
        return errand__fake_line_time(line, &line->script->open_after_us);
    if (!errand__fake_line_takes(line, "fails"))
        return fail(parser, "wants: open after TIME, or open fails TEXT");
    line->script->open_fails = true;
    errand_status status = errand__fake_line_put(line, line->rest, &line->script->open_failure);
    line->rest = SPAN_EMPTY;
    return status;
}

static errand_status parse_refuse(struct parser *parser)
{
    struct fake_text text;
    errand_status status = errand__fake_line_put(&parser->line, parser->line.rest, &text);

    parser->line.rest = SPAN_EMPTY;
    part(parser)->refused = true;
    part(parser)->refusal = text;
    return status;
}

static errand_status parse_lease(struct parser *parser)
{
    int64_t us = 0;
    errand_status status = errand__fake_line_time(&parser->line, &us);

    parser->line.script->lease_ms = (uint64_t)us / 1000;
    return status;
}

static errand_status parse_delivery(struct parser *parser)
{
    struct fake_script *script = parser->line.script;

    if (errand__fake_line_takes(&parser->line, "file"))
        script->delivery = ERRAND_DELIVERY_FILE;
    else if (errand__fake_line_takes(&parser->line, "stdin"))
        script->delivery = ERRAND_DELIVERY_STDIN;
    else
        return fail(parser, "delivery is file or stdin");
    return ERRAND_OK;
}

static errand_status parse_reattaches(struct parser *parser)
{
    parser->line.script->reattaches = true;
    return ERRAND_OK;
}

static errand_status parse_next(struct parser *parser)
{
    if (!errand__fake_line_takes(&parser->line, "run"))
        return fail(parser, "wants: next run");
    if (parser->repeats_count > 0)
        return fail(parser, "repeat without end");
    return add_part(parser);
}

/* --- Lines ----------------------------------------------------------------------------- */

static const struct word words[] = {
    {"hello", parse_hello, FAKE_SAY},
    {"want", parse_want, FAKE_SAY},
    {"fail", parse_fail, FAKE_SAY},
    {"log", parse_log, FAKE_SAY},
    {"flood", parse_flood, FAKE_SAY},
    {"call", parse_call, FAKE_SAY},
    {"need", parse_need, FAKE_SAY},
    {"beat", parse_beat, FAKE_SAY},
    {"left", parse_left, FAKE_SAY},
    {"stats", parse_stats, FAKE_SAY},
    {"item", parse_item, FAKE_SAY},
    {"store", parse_store, FAKE_SAY},
    {"done", parse_done, FAKE_SAY},
    {"frame", parse_frame, FAKE_SAY},
    {"raw", parse_raw, FAKE_SAY},
    {"banner", say_line, FAKE_SAY},
    {"noise", parse_noise, FAKE_SAY},
    {"echo", parse_echo, FAKE_ECHO_LAUNCH},
    {"await", parse_await, FAKE_AWAIT_BOOT},
    {"hang", parse_plain, FAKE_HANG},
    {"repeat", parse_repeat, FAKE_REPEAT},
    {"end", parse_end, FAKE_REPEAT_END},
    {"start", parse_start, FAKE_START},
    {"eof", parse_plain, FAKE_EOF},
    {"exit", parse_exit, FAKE_EXIT},
    {"killed", parse_killed, FAKE_EXIT},
    {"lose", parse_text, FAKE_LOSE},
    {"drop", parse_drop, FAKE_DROP},
    {"attach", parse_attach, FAKE_ATTACH},
    {"cut", parse_cut, FAKE_CUT},
    {"take", parse_take, FAKE_TAKE},
    {"deaf", parse_plain, FAKE_TAKE},
    {"hold", parse_hold, FAKE_HOLD_PIPE},
    {"ignore", parse_ignore, FAKE_IGNORE_STOP},
    {"leave", parse_after, FAKE_LEAVE_AFTER},
    {"die", parse_after, FAKE_DIE_AFTER},
    {"never", parse_never, FAKE_NEVER_CLOSE},
    {"close", parse_close, FAKE_CLOSE_AFTER},
    {"open", parse_open, FAKE_HANG},
    {"refuse", parse_refuse, FAKE_HANG},
    {"lease", parse_lease, FAKE_HANG},
    {"delivery", parse_delivery, FAKE_HANG},
    {"reattaches", parse_reattaches, FAKE_HANG},
    {"next", parse_next, FAKE_HANG},
};

static errand_status parse_step(struct parser *parser)
{
    errand_span name = errand__fake_line_word(&parser->line);

    for (size_t i = 0; i < COUNT(words); i++) {
        if (!span_is(name, words[i].name))
            continue;
        parser->step = (struct fake_step){.verb = words[i].verb, .line = parser->line.number};
        errand_status status = words[i].parse(parser);
        return status == ERRAND_OK ? errand__fake_line_over(&parser->line) : status;
    }
    return errand__fail(parser->line.err, ERRAND_EINVAL, 0, "fake: line %u: no such step: %.*s",
                        parser->line.number, (int)(name.len < 40 ? name.len : 40), name.ptr);
}

static errand_status parse_line(struct parser *parser)
{
    struct fake_line *line = &parser->line;

    if (line->rest.len == 0 || line->rest.ptr[0] == '#')
        return ERRAND_OK;
    if (line->rest.ptr[0] != '+')
        return parse_step(parser);
    line->rest = span_after(line->rest, 1);
    parser->step = (struct fake_step){.line = line->number};
    errand_status status = parse_wait(parser);
    return status == ERRAND_OK && line->rest.len > 0 ? parse_step(parser) : status;
}

/* Without blanks at either end. */
static errand_span trimmed(errand_span span)
{
    while (span.len > 0 && strchr(" \t\r", span.ptr[0]) != NULL && span.ptr[0] != '\0')
        span = span_after(span, 1);
    while (span.len > 0 && strchr(" \t\r", span.ptr[span.len - 1]) != NULL)
        span.len--;
    return span;
}

static errand_status parse(struct parser *parser, errand_span text)
{
    errand_status status = add_part(parser);

    while (status == ERRAND_OK && text.len > 0) {
        const char *newline = memchr(text.ptr, '\n', text.len);
        size_t len = newline == NULL ? text.len : (size_t)(newline - text.ptr);
        parser->line.number++;
        parser->line.rest = trimmed(span_head(text, len));
        status = parse_line(parser);
        text = span_after(text, newline == NULL ? len : len + 1);
    }
    if (status == ERRAND_OK && parser->repeats_count > 0)
        return fail(parser, "repeat without end");
    return status;
}

errand_status errand__fake_script_init(struct fake_script *script, const char *text,
                                       errand_error *err)
{
    struct parser parser = {.line = {.script = script, .err = err}};

    *script = (struct fake_script){.delivery = ERRAND_DELIVERY_STDIN};
    errand__buf_init(&script->bytes, SCRIPT_BYTES_MAX);
    errand_status status = parse(&parser, span_text(text));
    if (status != ERRAND_OK)
        errand__fake_script_deinit(script);
    return status;
}

void errand__fake_script_deinit(struct fake_script *script)
{
    errand__buf_deinit(&script->bytes);
    errand__mem_free(script->marks);
    errand__mem_free(script->steps);
    errand__mem_free(script->parts);
    *script = (struct fake_script){.steps_count = 0};
}
