/* script.c - from words to steps: when to wait and for what, how a process ends, what its place is
 * like. */
#include "transport/fake/script.h"
#include "base/err.h"
#include "base/mem.h"
#include "transport/fake/parser.h"
#include "transport/fake/speech.h"

enum { SCRIPT_BYTES_MAX = 16 * 1024 * 1024 };

uint64_t errand__fake_hash(uint64_t hash, errand_span bytes)
{
    for (size_t i = 0; i < bytes.len; i++)
        hash = (hash ^ (unsigned char)bytes.ptr[i]) * 0x100000001b3u;
    return hash;
}

/* --- Waiting ------------------------------------------------------------------------------ */

static errand_status await_reply(struct fake_parser *parser)
{
    struct fake_line *line = &parser->line;
    struct fake_step *step = &parser->step;
    errand_status status = ERRAND_OK;

    step->verb = FAKE_AWAIT_REPLY;
    if (!errand__fake_line_takes(line, "last"))
        status = errand__fake_line_number(line, 1, FAKE_NUMBER_MAX, &step->number);
    if (status != ERRAND_OK || line->rest.len == 0)
        return status == ERRAND_OK ? errand__fake_parser_add_step(parser) : status;
    if (errand__fake_line_takes(line, "ok"))
        step->expect = FAKE_EXPECT_OK;
    else if (errand__fake_line_takes(line, "error"))
        step->expect = FAKE_EXPECT_ERROR;
    else
        return errand__fake_parser_fail(parser, "wants: await reply ID [ok|error [PAYLOAD]]");
    struct fake_payload payload;
    status = errand__fake_line_payload(line, &payload);
    if (status != ERRAND_OK || !payload.given)
        return status == ERRAND_OK ? errand__fake_parser_add_step(parser) : status;
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
    return errand__fake_parser_add_step(parser);
}

static errand_status parse_await(struct fake_parser *parser)
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
        errand_status status =
            errand__fake_line_number(line, 1, FAKE_NUMBER_MAX, &parser->step.number);
        return status == ERRAND_OK ? errand__fake_parser_add_step(parser) : status;
    }
    for (size_t i = 0; i < COUNT(facts); i++) {
        if (!errand__fake_line_takes(line, facts[i].name))
            continue;
        parser->step.verb = facts[i].verb;
        errand__fake_parser_part(parser)->awaits_stop |= facts[i].verb == FAKE_AWAIT_STOP;
        errand__fake_parser_part(parser)->awaits_term |= facts[i].verb == FAKE_AWAIT_TERM;
        errand__fake_parser_part(parser)->awaits_kill |= facts[i].verb == FAKE_AWAIT_KILL;
        return errand__fake_parser_add_step(parser);
    }
    return errand__fake_parser_fail(parser,
                                    "awaits boot, stop, ping, asset, term, kill, reply or input");
}

static errand_status parse_wait(struct fake_parser *parser)
{
    errand_status status = errand__fake_line_time(&parser->line, &parser->step.us);

    if (status != ERRAND_OK)
        return status;
    if (parser->step.us > 0)
        parser->fruitful[parser->repeats_count] = true;
    parser->step.verb = FAKE_WAIT;
    return errand__fake_parser_add_step(parser);
}

static errand_status parse_repeat(struct fake_parser *parser)
{
    errand_status status =
        errand__fake_line_number(&parser->line, 1, FAKE_REPEATS_MAX, &parser->step.number);

    if (status != ERRAND_OK)
        return status;
    if (parser->repeats_count == FAKE_REPEATS_DEEP)
        return errand__fake_parser_fail(parser, "repeat is nested more than 8 deep");
    status = errand__fake_parser_add_step(parser);
    if (status != ERRAND_OK)
        return status;
    parser->repeats[parser->repeats_count++] = parser->line.script->steps_count - 1;
    parser->fruitful[parser->repeats_count] = false;
    return ERRAND_OK;
}

static errand_status parse_end(struct fake_parser *parser)
{
    if (parser->repeats_count == 0)
        return errand__fake_parser_fail(parser, "end without repeat");
    if (!parser->fruitful[parser->repeats_count])
        return errand__fake_parser_fail(parser, "what is repeated has to say or wait something");
    parser->step.jump = parser->repeats[--parser->repeats_count];
    parser->fruitful[parser->repeats_count] = true;
    return errand__fake_parser_add_step(parser);
}

static errand_status parse_start(struct fake_parser *parser)
{
    if (parser->said || errand__fake_parser_part(parser)->starts)
        return errand__fake_parser_fail(parser, "start comes once, before anything is said");
    errand__fake_parser_part(parser)->starts = true;
    return errand__fake_parser_add_step(parser);
}

/* --- Endings, and how things go ----------------------------------------------------------- */

static errand_status parse_plain(struct fake_parser *parser)
{
    return errand__fake_parser_add_step(parser);
}

static errand_status parse_text(struct fake_parser *parser)
{
    struct fake_line *line = &parser->line;
    errand_status status = errand__fake_line_put(line, line->rest, &parser->step.text);

    line->rest = SPAN_EMPTY;
    return status == ERRAND_OK ? errand__fake_parser_add_step(parser) : status;
}

/* Bytes go in segments as soon as one of these stands in the script. */
static errand_status parse_drop(struct fake_parser *parser)
{
    parser->said = true;
    parser->line.script->reattaches = true;
    return parse_text(parser);
}

static errand_status parse_attach(struct fake_parser *parser)
{
    parser->said = true;
    parser->line.script->reattaches = true;
    return errand__fake_parser_add_step(parser);
}

static errand_status parse_exit(struct fake_parser *parser)
{
    errand_status status = errand__fake_line_number(&parser->line, 0, 255, &parser->step.number);
    return status == ERRAND_OK ? errand__fake_parser_add_step(parser) : status;
}

static errand_status parse_killed(struct fake_parser *parser)
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
    return status == ERRAND_OK ? errand__fake_parser_add_step(parser) : status;
}

/* N, and at what pace. */
static errand_status paced(struct fake_parser *parser)
{
    errand_status status =
        errand__fake_line_number(&parser->line, 1, FAKE_REPEATS_MAX, &parser->step.number);

    if (status == ERRAND_OK && errand__fake_line_takes(&parser->line, "every"))
        status = errand__fake_line_time(&parser->line, &parser->step.us);
    return status == ERRAND_OK ? errand__fake_parser_add_step(parser) : status;
}

static errand_status parse_cut(struct fake_parser *parser)
{
    if (errand__fake_line_takes(&parser->line, "off"))
        return errand__fake_parser_add_step(parser);
    if (!errand__fake_line_takes(&parser->line, "at"))
        return paced(parser);
    parser->step.verb = FAKE_CUT_AT;
    errand_status status =
        errand__fake_line_number(&parser->line, 1, FAKE_NUMBER_MAX, &parser->step.number);
    return status == ERRAND_OK ? errand__fake_parser_add_step(parser) : status;
}

static errand_status parse_take(struct fake_parser *parser)
{
    parser->step.number = UINT64_MAX;
    return errand__fake_line_takes(&parser->line, "all") ? errand__fake_parser_add_step(parser)
                                                         : paced(parser);
}

static errand_status parse_hold(struct fake_parser *parser)
{
    return errand__fake_line_takes(&parser->line, "pipe")
               ? errand__fake_parser_add_step(parser)
               : errand__fake_parser_fail(parser, "wants: hold pipe");
}

static errand_status parse_ignore(struct fake_parser *parser)
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
            return errand__fake_parser_add_step(parser);
        }
    }
    return errand__fake_parser_fail(parser, "ignores stop, term, kill or ping");
}

static errand_status parse_after(struct fake_parser *parser)
{
    if (!errand__fake_line_takes(&parser->line, "after"))
        return errand__fake_parser_fail(parser, "wants: after TIME");
    errand_status status = errand__fake_line_time(&parser->line, &parser->step.us);
    return status == ERRAND_OK ? errand__fake_parser_add_step(parser) : status;
}

static errand_status parse_never(struct fake_parser *parser)
{
    return errand__fake_line_takes(&parser->line, "close")
               ? errand__fake_parser_add_step(parser)
               : errand__fake_parser_fail(parser, "wants: never close");
}

static errand_status parse_close(struct fake_parser *parser)
{
    if (!errand__fake_line_takes(&parser->line, "warns"))
        return parse_after(parser);
    parser->step.verb = FAKE_CLOSE_WARNS;
    return parse_text(parser);
}

/* --- The place ---------------------------------------------------------------------------- */

static errand_status parse_open(struct fake_parser *parser)
{
    struct fake_line *line = &parser->line;

    if (errand__fake_line_takes(line, "after"))
        return errand__fake_line_time(line, &line->script->open_after_us);
    if (!errand__fake_line_takes(line, "fails"))
        return errand__fake_parser_fail(parser, "wants: open after TIME, or open fails TEXT");
    line->script->open_fails = true;
    errand_status status = errand__fake_line_put(line, line->rest, &line->script->open_failure);
    line->rest = SPAN_EMPTY;
    return status;
}

static errand_status parse_refuse(struct fake_parser *parser)
{
    struct fake_text text;
    errand_status status = errand__fake_line_put(&parser->line, parser->line.rest, &text);

    parser->line.rest = SPAN_EMPTY;
    errand__fake_parser_part(parser)->refused = true;
    errand__fake_parser_part(parser)->refusal = text;
    return status;
}

static errand_status parse_lease(struct fake_parser *parser)
{
    int64_t us = 0;
    errand_status status = errand__fake_line_time(&parser->line, &us);

    parser->line.script->lease_ms = (uint64_t)us / 1000;
    return status;
}

static errand_status parse_delivery(struct fake_parser *parser)
{
    struct fake_script *script = parser->line.script;

    if (errand__fake_line_takes(&parser->line, "file"))
        script->delivery = ERRAND_DELIVERY_FILE;
    else if (errand__fake_line_takes(&parser->line, "stdin"))
        script->delivery = ERRAND_DELIVERY_STDIN;
    else
        return errand__fake_parser_fail(parser, "delivery is file or stdin");
    return ERRAND_OK;
}

static errand_status parse_reattaches(struct fake_parser *parser)
{
    parser->line.script->reattaches = true;
    return ERRAND_OK;
}

static errand_status parse_next(struct fake_parser *parser)
{
    if (!errand__fake_line_takes(&parser->line, "run"))
        return errand__fake_parser_fail(parser, "wants: next run");
    if (parser->repeats_count > 0)
        return errand__fake_parser_fail(parser, "repeat without end");
    return errand__fake_parser_add_part(parser);
}

/* --- Lines ----------------------------------------------------------------------------- */

static const struct fake_word words[] = {
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

static const struct fake_word *find_word(errand_span name)
{
    for (size_t i = 0; i < COUNT(words); i++) {
        if (span_is(name, words[i].name))
            return &words[i];
    }
    return errand__fake_speech_find(name);
}

static errand_status parse_step(struct fake_parser *parser)
{
    errand_span name = errand__fake_line_word(&parser->line);
    const struct fake_word *word = find_word(name);

    if (word == NULL)
        return errand__fail(parser->line.err, ERRAND_EINVAL, 0, "fake: line %u: no such step: %.*s",
                            parser->line.number, (int)(name.len < 40 ? name.len : 40), name.ptr);
    parser->step = (struct fake_step){.verb = word->verb, .line = parser->line.number};
    errand_status status = word->parse(parser);
    return status == ERRAND_OK ? errand__fake_line_over(&parser->line) : status;
}

static errand_status parse_line(struct fake_parser *parser)
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

static errand_status parse(struct fake_parser *parser, errand_span text)
{
    errand_status status = errand__fake_parser_add_part(parser);

    while (status == ERRAND_OK && text.len > 0) {
        const char *newline = memchr(text.ptr, '\n', text.len);
        size_t len = newline == NULL ? text.len : (size_t)(newline - text.ptr);
        parser->line.number++;
        parser->line.rest = trimmed(span_head(text, len));
        status = parse_line(parser);
        text = span_after(text, newline == NULL ? len : len + 1);
    }
    if (status == ERRAND_OK && parser->repeats_count > 0)
        return errand__fake_parser_fail(parser, "repeat without end");
    return status;
}

errand_status errand__fake_script_init(struct fake_script *script, const char *text,
                                       errand_error *err)
{
    struct fake_parser parser = {.line = {.script = script, .err = err}};

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
