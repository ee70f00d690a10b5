/* outcome.c - how a run ends: the first cause is kept, what it says is metered, and what came
 * after it is a warning. Needs no memory to say that there is none. */
#include "base/mem.h"
#include "core/json.h"
#include "core/life.h"
#include "core/utf8.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { LAST_WORDS_MAX = 1024 };

/* --- Words -------------------------------------------------------------------------------- */

struct excerpt errand__excerpt(errand_span bytes)
{
    struct excerpt excerpt;
    size_t len = errand__utf8_clean_line(excerpt.text, sizeof(excerpt.text) - 4,
                                         span_head(bytes, EXCERPT_MAX));

    memcpy(excerpt.text + len, "...", 4);
    if (bytes.len <= EXCERPT_MAX)
        excerpt.text[len] = '\0';
    return excerpt;
}

/* --- Warnings ----------------------------------------------------------------------------- */

static bool room_for_warning(struct warnings *warnings)
{
    size_t room = warnings->room == 0 ? 4 : warnings->room * 2;

    if (warnings->count < warnings->room)
        return true;
    /* Once one was dropped, none comes behind it. */
    if (warnings->room == LIFE_WARNINGS_MAX || warnings->dropped > 0)
        return false;
    struct warning *lines = errand__mem_resize(warnings->lines, room * sizeof(*lines));
    if (lines == NULL)
        return false;
    warnings->lines = lines;
    warnings->room = room;
    return true;
}

/* The far side can repeat itself for ever: what was said already is counted. */
static bool said_already(struct warnings *warnings, const char *text)
{
    for (size_t i = 0; i < warnings->count; i++) {
        if (strcmp(warnings->lines[i].text, text) != 0)
            continue;
        warnings->lines[i].times++;
        return true;
    }
    return false;
}

void errand__warn(struct core *core, const char *format, ...)
{
    struct warnings *warnings = &core->warnings;
    char raw[LIFE_WARNING_LEN + 1];
    char line[LIFE_WARNING_LEN + 1];
    va_list args;

    if (core->phase == CORE_ENDED)
        return;
    va_start(args, format);
    (void)vsnprintf(raw, sizeof(raw), format, args);
    va_end(args);
    line[errand__utf8_clean_line(line, LIFE_WARNING_LEN, span_text(raw))] = '\0';
    if (said_already(warnings, line))
        return;
    if (!room_for_warning(warnings)) {
        warnings->dropped++;
        return;
    }
    struct warning *warning = &warnings->lines[warnings->count++];
    memcpy(warning->text, line, sizeof(line));
    warning->times = 1;
}

static void finish_warnings(struct core *core)
{
    struct warnings *warnings = &core->warnings;
    size_t count = warnings->count;

    for (size_t i = 0; i < count; i++) {
        struct warning *warning = &warnings->lines[i];
        size_t len = strlen(warning->text);
        if (warning->times > 1)
            (void)snprintf(warning->text + len, sizeof(warning->text) - len, " (×%" PRIu64 ")",
                           warning->times);
        warnings->texts[i] = warning->text;
    }
    if (warnings->dropped > 0) {
        (void)snprintf(warnings->more, sizeof(warnings->more), "%" PRIu64 " more warnings",
                       warnings->dropped);
        warnings->texts[count++] = warnings->more;
    }
    core->outcome.warnings = warnings->texts;
    core->outcome.warnings_count = count;
}

/* --- Who was left ------------------------------------------------------------------------- */

void errand__note_left(struct core *core, const struct frame *frame)
{
    struct left *left = &core->left;
    size_t len = strlen(left->names);
    char one[FRAME_NAME_MAX + 32];

    if (frame->number > left->total)
        left->total = frame->number;
    int more = snprintf(one, sizeof(one), "%s%.*s (%" PRIu64 ")", len == 0 ? "" : ", ",
                        (int)frame->name.len, frame->name.ptr, frame->pid);
    if (left->named == LIFE_LEFT_NAMED_MAX || (size_t)more >= sizeof(left->names) - len)
        return;
    memcpy(left->names + len, one, (size_t)more + 1);
    left->named++;
}

static void finish_left(struct core *core)
{
    const struct left *left = &core->left;

    if (left->named == 0)
        return;
    if (left->total > left->named)
        errand__warn(core, "killed what had left the group: %s and %" PRIu64 " more", left->names,
                     left->total - left->named);
    else
        errand__warn(core, "killed what had left the group: %s", left->names);
}

/* --- Deciding ----------------------------------------------------------------------------- */

static void set_ending(struct core *core, const struct ending *ending)
{
    errand_outcome *outcome = &core->outcome;

    outcome->kind = ending->kind;
    (void)snprintf(core->code, sizeof(core->code), "%s", ending->code);
    outcome->code = core->code;
    outcome->limit = ending->limit;
    outcome->hint = span_text(ending->hint);
}

static void begin(struct core *core, const struct ending *ending)
{
    assert(!core->decided);
    core->decided = true;
    core->decided_us = core->now_us;
    set_ending(core, ending);
    if (core->heard && !core->done &&
        (core->lost || strcmp(ending->code, "lost") == 0 ||
         (core->leaving && core->calls.open > 0)))
        core->outcome.outcome_unknown = 1;
    errand__calls_end(&core->calls, core->now_us);
}

/* Whatever the ending was: its words, or the value, were too many. */
static void over_limit(struct core *core)
{
    static const struct ending ending = {ERRAND_KIND_OUTPUT_LIMIT, "output_limit", "output_bytes",
                                         NULL};
    errand_outcome *outcome = &core->outcome;

    set_ending(core, &ending);
    errand__ledger_close(&core->ledger);
    outcome->message = errand__ledger_text(&core->ledger);
    outcome->name = outcome->stack = outcome->value = outcome->error = SPAN_EMPTY;
    outcome->line = outcome->column = 0;
}

void errand__decide_output(struct core *core)
{
    static const struct ending ending = {ERRAND_KIND_OUTPUT_LIMIT, "output_limit", "output_bytes",
                                         NULL};

    begin(core, &ending);
    over_limit(core);
}

/* Takes a message that is to be kept, as text; what needs memory and gets none is cut. */
static void keep_message(struct core *core, errand_span message)
{
    enum { WIDEST = 3 }; /* A byte that is no UTF-8 becomes U+FFFD. */
    char *into = core->message;
    size_t room = sizeof(core->message);

    if (message.len > room / WIDEST && message.len <= SIZE_MAX / WIDEST)
        core->reason = errand__mem_new(message.len, WIDEST);
    if (core->reason != NULL) {
        into = core->reason;
        room = message.len * WIDEST;
    }
    core->outcome.message = span_of(into, errand__utf8_clean(into, room, message));
}

static void meter_message(struct core *core)
{
    if (!errand__ledger_spend(&core->ledger, errand__json_encoded_len(core->outcome.message)))
        over_limit(core);
}

void errand__decide_text(struct core *core, const struct ending *ending, errand_span message)
{
    if (core->decided) {
        errand__warn(core, "after the end: %s: %.*s", ending->code,
                     (int)span_head(message, LIFE_WARNING_LEN).len, message.ptr);
        return;
    }
    begin(core, ending);
    if (errand__json_encoded_len(message) > errand__ledger_left(&core->ledger)) {
        over_limit(core);
        return;
    }
    keep_message(core, message);
    meter_message(core);
}

void errand__decide(struct core *core, const struct ending *ending, const char *format, ...)
{
    char message[LIFE_MESSAGE_MAX];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    errand__decide_text(core, ending, span_text(message));
}

void errand__decide_memory(struct core *core)
{
    static const struct ending ending = {ERRAND_KIND_WORKER_EXIT, "internal", NULL, NULL};

    errand__decide_text(core, &ending, SPAN_LITERAL("no memory left at home"));
}

/* The program is through, and did not wait for what it asked: as a rule a forgotten await. */
static void warn_unawaited(struct core *core)
{
    enum { NAMED_MOST = 3, NAME_MOST = 64 };
    const struct calls *calls = &core->calls;
    char names[NAMED_MOST * (2 * NAME_MOST + 4)] = "";
    size_t named = 0;
    size_t len = 0;

    for (size_t i = 0; i < calls->count && named < NAMED_MOST; i++) {
        if (calls->items[i].state != CALL_OPEN || calls->items[i].record == SIZE_MAX)
            continue;
        const errand_call_record *record = &calls->records[calls->items[i].record];
        len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%.*s.%.*s",
                                named++ == 0 ? ": " : ", ", NAME_MOST, record->space, NAME_MOST,
                                record->function);
    }
    if (calls->open > 0)
        errand__warn(core, "%zu call%s not awaited%s%s", calls->open,
                     calls->open == 1 ? " was" : "s were", names,
                     named > 0 && calls->open > named ? ", ..." : "");
}

void errand__decide_value(struct core *core, errand_span value)
{
    static const struct ending ending = {ERRAND_KIND_VALUE, "", NULL, NULL};

    core->done = true;
    warn_unawaited(core);
    begin(core, &ending);
    if (errand__ledger_spend(&core->ledger, value.len))
        core->outcome.value = value;
    else
        over_limit(core);
}

/* --- The runner's own error --------------------------------------------------------------- */

static errand_span decode(char **at, errand_span string)
{
    if (string.len <= 2)
        return SPAN_EMPTY;
    errand_span text = span_of(*at, errand__json_decode(*at, string));
    *at += text.len;
    return text;
}

static void keep_fault(struct core *core, const struct fault *fault, errand_span payload)
{
    errand_outcome *outcome = &core->outcome;
    char *at = core->fault_text;

    outcome->name = decode(&at, fault->name);
    outcome->message = decode(&at, fault->message);
    outcome->stack = decode(&at, fault->stack);
    outcome->hint = decode(&at, fault->hint);
    outcome->line = fault->line;
    outcome->column = fault->column;
    outcome->error = payload;
    if (fault->kind == ERRAND_KIND_TIMEOUT && outcome->message.len == 0) {
        int len = snprintf(core->message, sizeof(core->message),
                           "compute budget exhausted (%" PRIu64 "ms busy)",
                           core->setup.limits.compute_ms);
        outcome->message = span_of(core->message, (size_t)len);
    }
}

void errand__decide_fault(struct core *core, const struct fault *fault, errand_span payload)
{
    const struct ending ending = {fault->kind, fault->code, fault->limit, NULL};
    size_t room = fault->name.len + fault->message.len + fault->stack.len + fault->hint.len;

    core->done = true;
    if (fault->kind == ERRAND_KIND_OUTPUT_LIMIT ||
        !errand__ledger_spend(&core->ledger, errand__fault_text(fault).len)) {
        errand__decide_output(core);
        return;
    }
    core->fault_text = errand__mem_new(1, room + 1);
    if (core->fault_text == NULL) {
        errand__decide_memory(core);
        return;
    }
    if (fault->kind == ERRAND_KIND_INVALID_OUTPUT)
        warn_unawaited(core);
    begin(core, &ending);
    keep_fault(core, fault, payload);
}

/* --- An exit without a word --------------------------------------------------------------- */

void errand__decide_exit(struct core *core)
{
    static const struct ending ending = {ERRAND_KIND_WORKER_EXIT, "runner_exited", NULL, NULL};

    core->leaving = true;
    begin(core, &ending);
    /* What it said last, maybe even done, may have been lost on the way. */
    if (core->heard && core->dropped)
        core->outcome.outcome_unknown = 1;
}

static bool died_of_memory(const struct core *core)
{
    enum { ABORTED = 6, KILLED = 9, SHELL_SIGNALS = 128 };

    if (!core->exited)
        return false;
    if (core->exit_signal == ABORTED || core->exit_code == SHELL_SIGNALS + ABORTED)
        return errand__noise_tells_out_of_memory(&core->noise) ||
               !errand__noise_tells_assertion(&core->noise);
    return (core->exit_signal == KILLED || core->exit_code == SHELL_SIGNALS + KILLED) &&
           errand__noise_tells_out_of_memory(&core->noise);
}

/* ", its last words: ..." or nothing. */
static void write_last_words(const struct core *core, char *out, size_t room)
{
    errand_span tail = errand__json_trim(errand__noise_tail(&core->noise));

    out[0] = '\0';
    if (tail.len == 0)
        return;
    if (tail.len > LAST_WORDS_MAX)
        tail = span_after(tail, tail.len - LAST_WORDS_MAX);
    /* The cut may have torn a sequence. */
    while (tail.len > 0 && ((unsigned char)tail.ptr[0] & 0xc0) == 0x80)
        tail = span_after(tail, 1);
    char clean[LAST_WORDS_MAX];
    size_t len = errand__utf8_clean_line(clean, sizeof(clean), tail);
    (void)snprintf(out, room, "; its last words: %.*s", (int)len, clean);
}

static void write_exit(const struct core *core, char *out, size_t room)
{
    if (core->exited && core->exit_signal != 0)
        (void)snprintf(out, room, "signal %d", core->exit_signal);
    else if (core->exited && core->exit_code >= 0)
        (void)snprintf(out, room, "exit code %d", core->exit_code);
    else
        (void)snprintf(out, room, "exit code unknown");
}

/* The exit code may have come after the decision, so the words come last. */
static void finish_exit(struct core *core)
{
    enum { NOT_FOUND = 127 };
    char how[48];
    char words[LAST_WORDS_MAX + 32];
    char message[LIFE_MESSAGE_MAX];
    const char *what = core->heard ? "the runner exited before the program was done"
                                   : "the process exited before the runner spoke";

    if (core->outcome.kind != ERRAND_KIND_WORKER_EXIT)
        return;
    if (died_of_memory(core)) {
        static const struct ending ending = {ERRAND_KIND_WORKER_EXIT, "out_of_memory", "heap_mb",
                                             NULL};
        set_ending(core, &ending);
        what = "the runner ran out of memory";
    } else if (!core->heard && core->exited && core->exit_code == NOT_FOUND) {
        what = "the command was not found over there";
        core->outcome.hint =
            SPAN_LITERAL("see that the command that reaches the place, and what it starts, exist");
    }
    write_exit(core, how, sizeof(how));
    write_last_words(core, words, sizeof(words));
    int len = snprintf(message, sizeof(message), "%s (%s)%s", what, how, words);
    keep_message(core, span_of(message, (size_t)len));
    meter_message(core);
}

/* --- The last strokes --------------------------------------------------------------------- */

/* What failed it, and left nobody to ask, says more than that; any other ending, a value too, is
 * not to be relied on while the program may still run. */
static void finish_abandoned(struct core *core)
{
    static const struct ending ending = {ERRAND_KIND_WORKER_EXIT, "abandoned", NULL, NULL};
    static const char message[] = "nobody could show that the process is gone";
    errand_outcome *outcome = &core->outcome;

    if (core->closed)
        return;
    outcome->abandoned = 1;
    if (core->heard && !core->done)
        outcome->outcome_unknown = 1;
    if (outcome->kind == ERRAND_KIND_WORKER_EXIT) {
        errand__warn(core, "abandoned: %s", message);
    } else {
        if (outcome->kind == ERRAND_KIND_VALUE)
            errand__warn(core, "abandoned; it had ended as a value");
        else
            errand__warn(core, "abandoned; it had ended as %s %s: %.*s",
                         errand_kind_name(outcome->kind), outcome->code,
                         (int)span_head(outcome->message, LIFE_WARNING_LEN).len,
                         outcome->message.ptr == NULL ? "" : outcome->message.ptr);
        set_ending(core, &ending);
        outcome->message = SPAN_LITERAL(message);
    }
    if (outcome->hint.len == 0)
        outcome->hint = SPAN_LITERAL("look for the process over there: it may still run");
}

/* What may have run is not to be done twice. */
static void finish_prospects(struct core *core)
{
    errand_outcome *outcome = &core->outcome;

    outcome->process_may_be_running = outcome->abandoned || core->remains;
    outcome->retryable = core->may_work_later && !core->heard && !outcome->process_may_be_running;
    outcome->retry_after_ms = outcome->retryable ? core->later_ms : 0;
}

static void finish_timing(struct core *core)
{
    errand_timing *timing = &core->outcome.timing;
    int64_t opened =
        core->opened && core->opened_us < core->decided_us ? core->opened_us : core->decided_us;
    int64_t heard = core->heard ? core->heard_us : core->decided_us;

    timing->open_us = opened - core->born_us;
    timing->boot_us = heard - opened;
    timing->run_us = core->decided_us - heard;
    timing->waiting_us = core->calls.waiting.sum_us;
    timing->held_us = core->calls.holding.sum_us;
    timing->drain_us = core->gone_us - core->decided_us;
}

static void finish_logs(struct core *core)
{
    errand_outcome *outcome = &core->outcome;
    bool cut = core->ledger.closed;

    outcome->logs_kept = cut ? core->ledger.head_logs : core->ledger.logs;
    if (core->logs.count < outcome->logs_kept && core->setup.collect_logs)
        errand__warn(core, "of %" PRIu64 " logs the first %zu were collected", outcome->logs_kept,
                     core->logs.count);
    errand__logs_settle(&core->logs, cut, core->ledger.head_logs);
    outcome->logs = core->logs.items;
    outcome->logs_count = core->logs.count;
}

static void finish_items(struct core *core)
{
    errand_outcome *outcome = &core->outcome;
    bool cut = core->ledger.closed;
    uint64_t kept = cut ? core->ledger.head_items : core->ledger.items;

    if (core->items.count < kept && core->setup.collect_logs)
        errand__warn(core, "of %" PRIu64 " items the first %zu were collected", kept,
                     core->items.count);
    errand__items_settle(&core->items, cut, core->ledger.head_items);
    outcome->items = core->items.list;
    outcome->items_count = core->items.count;
}

/* Before hello nothing of the program ran. */
static void finish_network(struct core *core)
{
    core->outcome.network = "";
    if (core->setup.offline && core->heard)
        core->outcome.network = core->cut_off ? "enforced" : "advisory";
}

void errand__outcome_finish(struct core *core)
{
    errand_outcome *outcome = &core->outcome;

    outcome->exit_code = core->exited ? core->exit_code : -1;
    outcome->exit_signal = core->exited ? core->exit_signal : 0;
    if (core->leaving)
        finish_exit(core);
    finish_left(core);
    finish_abandoned(core);
    finish_network(core);
    finish_prospects(core);
    finish_timing(core);
    finish_logs(core);
    finish_items(core);
    if (outcome->kind == ERRAND_KIND_VALUE)
        outcome->store = span_text(core->store);
    outcome->calls = core->calls.records;
    outcome->calls_count = core->calls.records_count;
    outcome->calls_total = core->calls.total;
    outcome->stats = span_text(core->stats);
    outcome->noise = errand__noise_tail(&core->noise);
    outcome->noise_total = core->noise.total;
    finish_warnings(core);
}
