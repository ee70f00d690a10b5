/* replay.c - a recorded run through the core, again.
 *
 * Gives the core the same inputs at the same instants, and hands out the same events. It knows
 * records and cores; it reaches nothing and waits for nobody. */
#include "base/err.h"
#include "base/mem.h"
#include "core/core.h"
#include "run/record.h"

#include <stdlib.h>

enum {
    REPLAY_LINE_MOST = 1024,
    REPLAY_SPACES_MOST = 1024,
    REPLAY_FUNCTIONS_MOST = 65536,
    REPLAY_WORDS_MOST = 8,
    REPLAY_LIMITS = (sizeof(errand_limits) - sizeof(size_t)) / sizeof(uint64_t)
};

struct errand_replay {
    char *text;
    size_t len, at, line; /* line: of the text, for errors; counted in lines of the record. */
    errand_limits limits;
    char mark[64];
    size_t sizes[4];
    char *filler; /* As long as the longest of sizes and assets. */
    size_t filler_len;
    struct core_asset assets[CORE_ASSETS_MOST]; /* Payloads: sizes alone, until it begins. */
    size_t assets_count;
    bool collect_logs, reattaches, offline, cut_off;
    struct core_space *spaces;
    size_t spaces_count;
    struct core *core;
    int64_t now_us;
    errand_event event;
    bool waiting; /* event was made by a step and not handed out yet. */
    bool ended;
    bool marked;  /* The record says when each event was taken. */
    size_t early; /* Events handed out before the record said so. */
};

/* One line of a record, in words. */
struct step {
    char line[REPLAY_LINE_MOST];
    char *words[REPLAY_WORDS_MOST];
    size_t count;
};

/* --- Reading ---------------------------------------------------------------------------------- */

static errand_status broken(const errand_replay *replay, const char *what, errand_error *err)
{
    return errand__fail(err, ERRAND_EINVAL, 0, "record: line %zu: %s", replay->line, what);
}

static errand_status read_step(errand_replay *replay, struct step *step, errand_error *err)
{
    const char *from = replay->text + replay->at;
    const char *end = memchr(from, '\n', replay->len - replay->at);
    char *rest = NULL;

    replay->line++;
    step->count = 0;
    if (end == NULL)
        return broken(replay, "ends in the middle of a line", err);
    if ((size_t)(end - from) >= sizeof(step->line))
        return broken(replay, "no line of a record is that long", err);
    memcpy(step->line, from, (size_t)(end - from));
    step->line[end - from] = '\0';
    replay->at += (size_t)(end - from) + 1;
    for (char *word = strtok_r(step->line, " ", &rest); word != NULL;
         word = strtok_r(NULL, " ", &rest)) {
        if (step->count == COUNT(step->words))
            return broken(replay, "too many words", err);
        step->words[step->count++] = word;
    }
    return ERRAND_OK;
}

static bool number(const char *word, uint64_t *out)
{
    char *end = NULL;

    if (word[0] < '0' || word[0] > '9')
        return false;
    *out = strtoull(word, &end, 10);
    return *end == '\0';
}

static bool signed_number(const char *word, int *out)
{
    uint64_t value = 0;
    bool minus = word[0] == '-';

    if (!number(word + (minus ? 1 : 0), &value) || value > INT_MAX)
        return false;
    *out = minus ? -(int)value : (int)value;
    return true;
}

/* The payload whose size the word at index says. */
static errand_status read_payload(errand_replay *replay, const struct step *step, size_t index,
                                  errand_span *out, errand_error *err)
{
    uint64_t size = 0;

    if (index >= step->count || !number(step->words[index], &size))
        return broken(replay, "no size of a payload", err);
    if (size >= replay->len - replay->at || replay->text[replay->at + size] != '\n')
        return broken(replay, "ends in the middle of a payload", err);
    *out = span_of(replay->text + replay->at, (size_t)size);
    replay->at += (size_t)size + 1;
    return ERRAND_OK;
}

static errand_status read_text(errand_replay *replay, const struct step *step, size_t index,
                               char **out, errand_error *err)
{
    errand_span bytes = SPAN_EMPTY;
    errand_status status = read_payload(replay, step, index, &bytes, err);

    if (status != ERRAND_OK)
        return status;
    *out = errand__mem_copy(bytes.ptr, bytes.len);
    return *out == NULL ? errand__fail(err, ERRAND_ENOMEM, 0, "record: out of memory") : ERRAND_OK;
}

/* --- Setting up ------------------------------------------------------------------------ */

static errand_status read_limits(errand_replay *replay, errand_error *err)
{
    char *field = (char *)&replay->limits + sizeof(size_t);

    replay->limits.size = sizeof(replay->limits);
    for (size_t i = 0; i < REPLAY_LIMITS; i++, field += sizeof(uint64_t)) {
        struct step step;
        uint64_t value = 0;
        errand_status status = read_step(replay, &step, err);
        if (status != ERRAND_OK)
            return status;
        if (step.count != 2 || strcmp(step.words[0], "limit") != 0 ||
            !number(step.words[1], &value))
            return broken(replay, "a limit is missing; another version wrote this", err);
        memcpy(field, &value, sizeof(value));
    }
    return ERRAND_OK;
}

/* What a record knows the size of alone: that many bytes of filler will do. */
static errand_status read_size(errand_replay *replay, const struct step *step, size_t index,
                               size_t *out, errand_error *err)
{
    uint64_t size = 0;

    if (index >= step->count || !number(step->words[index], &size) || size > INT_MAX)
        return broken(replay, "no such sizes", err);
    *out = (size_t)size;
    if (replay->filler_len > *out)
        return ERRAND_OK;
    errand__mem_free(replay->filler);
    replay->filler_len = *out + 1;
    replay->filler = errand__mem_new(replay->filler_len, 1);
    return replay->filler == NULL ? errand__fail(err, ERRAND_ENOMEM, 0, "record: out of memory")
                                  : ERRAND_OK;
}

static errand_status read_sizes(errand_replay *replay, const struct step *step, errand_error *err)
{
    errand_status status = ERRAND_OK;

    for (size_t i = 0; status == ERRAND_OK && i < COUNT(replay->sizes); i++)
        status = read_size(replay, step, i + 1, &replay->sizes[i], err);
    return status;
}

static errand_status read_asset(errand_replay *replay, const struct step *step, errand_error *err)
{
    char *name = NULL;

    if (replay->assets_count == COUNT(replay->assets))
        return broken(replay, "too many assets", err);
    struct core_asset *asset = &replay->assets[replay->assets_count];
    errand_status status = read_size(replay, step, 1, &asset->payload.len, err);
    if (status == ERRAND_OK)
        status = read_text(replay, step, 2, &name, err);
    if (status != ERRAND_OK)
        return status;
    asset->name = span_text(name);
    replay->assets_count++;
    return ERRAND_OK;
}

static errand_status read_space(errand_replay *replay, const struct step *step, errand_error *err)
{
    if (replay->spaces_count == REPLAY_SPACES_MOST)
        return broken(replay, "too many namespaces", err);
    size_t count = replay->spaces_count + 1;
    struct core_space *spaces = errand__mem_resize(replay->spaces, count * sizeof(*spaces));
    if (spaces == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "record: out of memory");
    replay->spaces = spaces;
    spaces[count - 1] = (struct core_space){0};
    replay->spaces_count = count;
    return read_text(replay, step, 1, (char **)&spaces[count - 1].name, err);
}

static errand_status read_function(errand_replay *replay, const struct step *step,
                                   errand_error *err)
{
    if (replay->spaces_count == 0)
        return broken(replay, "a function of no namespace", err);
    struct core_space *space = &replay->spaces[replay->spaces_count - 1];
    if (space->functions_count == REPLAY_FUNCTIONS_MOST)
        return broken(replay, "too many functions", err);
    size_t count = space->functions_count + 1;
    char **functions = errand__mem_resize((void *)space->functions, count * sizeof(*functions));
    if (functions == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "record: out of memory");
    space->functions = (const char *const *)functions;
    functions[count - 1] = NULL;
    space->functions_count = count;
    return read_text(replay, step, 1, &functions[count - 1], err);
}

static errand_status read_mark(errand_replay *replay, const struct step *step, errand_error *err)
{
    if (step->count != 2 || strlen(step->words[1]) >= sizeof(replay->mark))
        return broken(replay, "no such mark", err);
    memcpy(replay->mark, step->words[1], strlen(step->words[1]) + 1);
    return ERRAND_OK;
}

static errand_status begin(errand_replay *replay, const struct step *step, errand_error *err)
{
    uint64_t now_us = 0;

    if (step->count != 2 || !number(step->words[1], &now_us) || replay->filler == NULL)
        return broken(replay, "begins without a setup", err);
    replay->now_us = (int64_t)now_us;
    for (size_t i = 0; i < replay->assets_count; i++)
        replay->assets[i].payload.ptr = replay->filler;
    struct core_setup setup = {
        .limits = replay->limits,
        .mark = span_text(replay->mark),
        .head = span_of(replay->filler, replay->sizes[0]),
        .boot = span_of(replay->filler, replay->sizes[1]),
        .tail = span_of(replay->filler, replay->sizes[2]),
        .runner = span_of(replay->filler, replay->sizes[3]),
        .assets = replay->assets,
        .assets_count = replay->assets_count,
        .spaces = replay->spaces,
        .spaces_count = replay->spaces_count,
        .collect_logs = replay->collect_logs,
        .reattaches = replay->reattaches,
        .offline = replay->offline,
        .cut_off = replay->cut_off,
    };
    return errand__core_new(&replay->core, &setup, replay->now_us, err);
}

static errand_status read_setup_step(errand_replay *replay, const struct step *step,
                                     errand_error *err)
{
    const char *verb = step->count == 0 ? "" : step->words[0];

    if (strcmp(verb, "mark") == 0)
        return read_mark(replay, step, err);
    if (strcmp(verb, "sizes") == 0)
        return read_sizes(replay, step, err);
    if (strcmp(verb, "asset") == 0)
        return read_asset(replay, step, err);
    if (strcmp(verb, "space") == 0)
        return read_space(replay, step, err);
    if (strcmp(verb, "function") == 0)
        return read_function(replay, step, err);
    if (strcmp(verb, "begin") == 0)
        return begin(replay, step, err);
    if (strcmp(verb, "collect") == 0 && step->count == 2) {
        replay->collect_logs = strcmp(step->words[1], "1") == 0;
        return ERRAND_OK;
    }
    if (strcmp(verb, "reattaches") == 0 && step->count == 2) {
        replay->reattaches = strcmp(step->words[1], "1") == 0;
        return ERRAND_OK;
    }
    if (strcmp(verb, "offline") == 0 && step->count == 2) {
        replay->offline = true;
        replay->cut_off = strcmp(step->words[1], "1") == 0;
        return ERRAND_OK;
    }
    return broken(replay, "no such word in a setup", err);
}

static errand_status read_setup(errand_replay *replay, errand_error *err)
{
    const errand_span title = SPAN_LITERAL(RECORD_TITLE "\n");

    if (!span_starts(span_of(replay->text, replay->len), title))
        return errand__fail(err, ERRAND_EINVAL, 0, "record: does not begin with \"%s\"",
                            RECORD_TITLE);
    replay->at = title.len;
    replay->line = 1;
    errand_status status = read_limits(replay, err);
    while (status == ERRAND_OK && replay->core == NULL) {
        struct step step;
        status = read_step(replay, &step, err);
        if (status == ERRAND_OK)
            status = read_setup_step(replay, &step, err);
    }
    return status;
}

/* --- Taking events --------------------------------------------------------------------- */

/* The next step, if its verb is that one: what follows the verb. NULL: it is another. */
static const char *next_is(const errand_replay *replay, const char *verb)
{
    errand_span rest = span_of(replay->text + replay->at, replay->len - replay->at);
    const char *blank = rest.len == 0 ? NULL : memchr(rest.ptr, ' ', rest.len);
    size_t len = strlen(verb);

    if (blank == NULL)
        return NULL;
    rest = span_after(rest, (size_t)(blank + 1 - rest.ptr));
    if (!span_starts(rest, span_text(verb)) || rest.len == len)
        return NULL;
    return rest.ptr[len] == ' ' || rest.ptr[len] == '\n' ? rest.ptr + len : NULL;
}

/* Between an event that was taken and what the caller made of it, nothing more was looked for;
 * nor before an answer went out, unless looking made what was sent. Otherwise it was: a core
 * takes no bytes while it has events. */
static bool may_look(const errand_replay *replay)
{
    static const char *const callers[] = {"answer", "hold", "cancel"};

    if (next_is(replay, "event") != NULL)
        return false;
    if (!replay->marked)
        return true;
    for (size_t i = 0; i < COUNT(callers); i++) {
        if (next_is(replay, callers[i]) != NULL)
            return false;
    }
    const char *sent = next_is(replay, "sent"); /* The text ends with a NUL. */
    return sent == NULL || strtoull(sent, NULL, 10) > errand__core_outbox(replay->core).len;
}

static bool look(errand_replay *replay)
{
    replay->event = (errand_event){0};
    if (!errand__core_event(replay->core, &replay->event))
        return false;
    replay->event.at_us = replay->now_us;
    replay->ended = replay->event.type == ERRAND_EVENT_END;
    return true;
}

static errand_status play_event(errand_replay *replay, errand_error *err)
{
    replay->marked = true;
    if (replay->early > 0) {
        replay->early--; /* It was handed out already. */
        return ERRAND_OK;
    }
    replay->waiting = look(replay);
    return replay->waiting ? ERRAND_OK : broken(replay, "no such event", err);
}

/* --- Playing --------------------------------------------------------------------------- */

static errand_status play_bytes(errand_replay *replay, const struct step *step, errand_error *err)
{
    const char *verb = step->words[1];
    errand_span bytes = SPAN_EMPTY;
    errand_status status = read_payload(replay, step, 2, &bytes, err);

    if (status != ERRAND_OK)
        return status;
    if (strcmp(verb, "out") == 0)
        errand__core_out(replay->core, replay->now_us, bytes);
    else if (strcmp(verb, "err") == 0)
        errand__core_err(replay->core, replay->now_us, bytes);
    else if (strcmp(verb, "closed") == 0)
        errand__core_closed(replay->core, replay->now_us, bytes);
    else if (strcmp(verb, "closed-in-part") == 0)
        errand__core_closed_in_part(replay->core, replay->now_us, bytes);
    else if (strcmp(verb, "dropped") == 0)
        errand__core_dropped(replay->core, replay->now_us, bytes);
    else
        errand__core_cancel(replay->core, replay->now_us, bytes);
    return ERRAND_OK;
}

enum { LOST_WORDS_ONCE = 5, LOST_WORDS = 7 }; /* Older records say nothing about a second try. */

/* false: it says so in words that nobody writes. */
static bool read_prospects(const struct step *step, errand_error *why)
{
    int after_ms = 0;

    why->retryable = 0;
    if (step->count == LOST_WORDS_ONCE)
        return true;
    if (!signed_number(step->words[4], &why->retryable) ||
        !signed_number(step->words[5], &after_ms))
        return false;
    why->retry_after_ms = after_ms;
    return true;
}

static errand_status play_lost(errand_replay *replay, struct step *step, errand_error *err)
{
    errand_error why = {0};
    errand_span text = SPAN_EMPTY;
    int status_of_loss = 0;
    errand_status status = read_payload(replay, step, step->count - 1, &text, err);

    if (status != ERRAND_OK)
        return status;
    if (!signed_number(step->words[3], &status_of_loss) || status_of_loss >= 0)
        return broken(replay, "no such status", err);
    (void)errand__fail(&why, (errand_status)status_of_loss, 0, "%.*s", (int)text.len, text.ptr);
    if (!read_prospects(step, &why))
        return broken(replay, "no such prospects", err);
    errand__core_lost(replay->core, replay->now_us,
                      strcmp(step->words[2], "-") == 0 ? NULL : step->words[2], &why);
    return ERRAND_OK;
}

static errand_status play_answer(errand_replay *replay, const struct step *step, errand_error *err)
{
    errand_span json = SPAN_EMPTY;
    uint64_t call = 0;
    errand_status status = read_payload(replay, step, 4, &json, err);

    if (status != ERRAND_OK)
        return status;
    if (!number(step->words[2], &call))
        return broken(replay, "no such call", err);
    bool ok = strcmp(step->words[3], "ok") == 0;
    status = errand__core_answer(replay->core, replay->now_us, call, ok, json, NULL);
    if (status == ERRAND_ELIMIT) {
        ok = false;
        json = json.len > replay->limits.frame_bytes
                   ? SPAN_LITERAL("{\"message\":\"the answer is over frame_bytes\","
                                  "\"code\":\"value_too_large\"}")
                   : SPAN_LITERAL("{\"message\":\"too many bytes of answers wait to be read\","
                                  "\"code\":\"queue_full\"}");
    } else if (status != ERRAND_OK) {
        return ERRAND_OK; /* What it said then it says now: nobody needs to hear it again. */
    }
    replay->event = (errand_event){.type = ERRAND_EVENT_ANSWER, .at_us = replay->now_us};
    replay->event.as.answer.id = call;
    replay->event.as.answer.ok = ok ? 1 : 0;
    replay->event.as.answer.json = json;
    replay->waiting = true;
    return ERRAND_OK;
}

static errand_status play_numbers(errand_replay *replay, const struct step *step, errand_error *err)
{
    const char *verb = step->words[1];
    uint64_t count = 0;
    int code = 0;
    int signal = 0;

    if (strcmp(verb, "exited") == 0 && step->count == 4 && signed_number(step->words[2], &code) &&
        signed_number(step->words[3], &signal)) {
        errand__core_exited(replay->core, replay->now_us, code, signal);
        return ERRAND_OK;
    }
    if (step->count < 3 || !number(step->words[2], &count))
        return broken(replay, "no such step", err);
    if (strcmp(verb, "sent") == 0 && count <= errand__core_outbox(replay->core).len) {
        errand__core_sent(replay->core, (size_t)count);
        return ERRAND_OK;
    }
    if (strcmp(verb, "hold") == 0 && step->count == 4) {
        (void)!errand__core_hold(replay->core, replay->now_us, count,
                                 strcmp(step->words[3], "1") == 0, NULL);
        return ERRAND_OK;
    }
    return broken(replay, "no such step", err);
}

static bool is_one_of(const char *word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(word, words[i]) == 0)
            return true;
    }
    return false;
}

static errand_status play(errand_replay *replay, struct step *step, errand_error *err)
{
    static const char *const with_bytes[] = {"out",     "err",   "closed", "closed-in-part",
                                             "dropped", "cancel"};
    uint64_t at_us = 0;

    if (step->count < 2 || !number(step->words[0], &at_us) || at_us > INT64_MAX ||
        (int64_t)at_us < replay->now_us)
        return broken(replay, "no step at an instant", err);
    replay->now_us = (int64_t)at_us;
    const char *verb = step->words[1];
    if (is_one_of(verb, with_bytes, COUNT(with_bytes)))
        return play_bytes(replay, step, err);
    if (strcmp(verb, "opened") == 0)
        errand__core_opened(replay->core, replay->now_us);
    else if (strcmp(verb, "attached") == 0)
        errand__core_attached(replay->core, replay->now_us);
    else if (strcmp(verb, "eof") == 0)
        errand__core_eof(replay->core, replay->now_us);
    else if (strcmp(verb, "tick") == 0)
        errand__core_tick(replay->core, replay->now_us);
    else if (strcmp(verb, "event") == 0)
        return play_event(replay, err);
    else if (strcmp(verb, "lost") == 0 &&
             (step->count == LOST_WORDS_ONCE || step->count == LOST_WORDS))
        return play_lost(replay, step, err);
    else if (strcmp(verb, "answer") == 0 && step->count == 5)
        return play_answer(replay, step, err);
    else
        return play_numbers(replay, step, err);
    return ERRAND_OK;
}

/* --- Life ------------------------------------------------------------------------------ */

errand_status errand_replay_new(errand_replay **out, errand_span record, errand_error *err)
{
    errand__err_clear(err);
    *out = NULL;
    if (record.ptr == NULL && record.len > 0)
        return errand__fail(err, ERRAND_EINVAL, 0, "record: no bytes at its pointer");
    errand_replay *replay = errand__mem_new(1, sizeof(*replay));
    if (replay == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "record: out of memory");
    replay->text = errand__mem_copy(record.ptr, record.len);
    replay->len = record.len;
    errand_status status = replay->text == NULL
                               ? errand__fail(err, ERRAND_ENOMEM, 0, "record: out of memory")
                               : read_setup(replay, err);
    if (status != ERRAND_OK) {
        errand_replay_free(replay);
        return status;
    }
    *out = replay;
    return ERRAND_OK;
}

errand_status errand_replay_next(errand_replay *replay, const errand_event **event,
                                 errand_error *err)
{
    errand__err_clear(err);
    *event = NULL;
    while (!replay->ended) {
        while (errand__core_order(replay->core) != CORE_ORDER_NONE)
            continue; /* There is no process to carry them out on. */
        if (may_look(replay) && look(replay)) {
            replay->early++;
            *event = &replay->event;
            return ERRAND_OK;
        }
        if (replay->at == replay->len)
            return errand__fail(err, ERRAND_EINVAL, 0, "record: line %zu: ends before the run did",
                                replay->line);
        struct step step;
        errand_status status = read_step(replay, &step, err);
        if (status == ERRAND_OK)
            status = play(replay, &step, err);
        if (status != ERRAND_OK)
            return status;
        if (replay->waiting) {
            replay->waiting = false;
            *event = &replay->event;
            return ERRAND_OK;
        }
    }
    return ERRAND_AGAIN;
}

void errand_replay_free(errand_replay *replay)
{
    if (replay == NULL)
        return;
    errand__core_free(replay->core);
    for (size_t i = 0; i < replay->spaces_count; i++) {
        struct core_space *space = &replay->spaces[i];
        for (size_t j = 0; j < space->functions_count; j++)
            errand__mem_free((void *)space->functions[j]);
        errand__mem_free((void *)space->functions);
        errand__mem_free((void *)space->name);
    }
    errand__mem_free(replay->spaces);
    for (size_t i = 0; i < replay->assets_count; i++)
        errand__mem_free((void *)replay->assets[i].name.ptr);
    errand__mem_free(replay->filler);
    errand__mem_free(replay->text);
    errand__mem_free(replay);
}
