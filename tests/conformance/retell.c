/* retell.c - makes a script of a record, and flies the scenario on the place that follows it.
 *
 * The script says what the far side said, when it said it, and not before home has sent as much
 * as it had by then: answers, pings and all. What the scenario's tools do and when it is
 * cancelled is decided anew, by the same code as on any road.
 */
#include "retell.h"

#include "base/mem.h"
#include "check.h"
#include "flight.h"
#include "tape.h"

#include <errand/fake.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MARK_LEN = 32,
    SPELLED_MAX = 16384, /* Bytes of one step. */
    PIECE_MAX = 8,       /* Bytes that repeat are said once, and how often, */
    TIMES_MIN = 64,      /* from so many times on. */
    EVENTS_MAX = 1 << 20 /* No scenario has more. */
};

/* --- The script ------------------------------------------------------------------------ */

struct script {
    FILE *to;
    errand_span mark; /* The recorded run's; the next one has its own. */
    int64_t now_us;
    int64_t sent; /* What home has sent so far. */
    int64_t awaited;
};

static void spell_byte(FILE *to, unsigned char byte)
{
    if (byte < 0x20 || byte == 0x7f || byte == '"' || byte == '\\')
        (void)fprintf(to, "\\x%02x", byte);
    else
        (void)fputc(byte, to);
}

/* Whether bytes begin with a short piece that is repeated for long; 0: no. */
static size_t repeated_piece(errand_span bytes, size_t *times)
{
    for (size_t piece = 1; piece <= PIECE_MAX; piece++) {
        size_t len = piece;
        while (len < bytes.len && bytes.ptr[len] == bytes.ptr[len - piece])
            len++;
        *times = len / piece;
        if (*times >= TIMES_MIN)
            return piece;
    }
    return 0;
}

static bool repeats(errand_span bytes)
{
    size_t times = 0;
    return repeated_piece(span_head(bytes, (size_t)PIECE_MAX * TIMES_MIN), &times) > 0;
}

static size_t spell_repeated(struct script *script, errand_span bytes, size_t piece, size_t times)
{
    for (size_t i = 0; i < piece; i++)
        spell_byte(script->to, (unsigned char)bytes.ptr[i]);
    (void)fprintf(script->to, "\" times %zu\n", times);
    return piece * times;
}

/* As much as one step takes; returns how much that was. */
static size_t spell(struct script *script, const char *verb, errand_span bytes)
{
    size_t times = 0, len = 0, piece = repeated_piece(bytes, &times);
    (void)fprintf(script->to, "%s \"", verb);
    if (piece > 0)
        return spell_repeated(script, bytes, piece, times);
    while (len < bytes.len && len < SPELLED_MAX) {
        errand_span rest = span_after(bytes, len);
        bool marked = span_starts(rest, script->mark);
        if (!marked && repeats(rest))
            break;
        if (marked)
            (void)fputs("\\M", script->to);
        else
            spell_byte(script->to, (unsigned char)rest.ptr[0]);
        len += marked ? MARK_LEN : 1;
    }
    (void)fputs("\"\n", script->to);
    return len;
}

/* Goes on at the entry's time, and when home has sent what it had sent by then. */
static void wait_for(struct script *script, const struct entry *entry)
{
    int64_t at_us = strtoll(entry->stamp.ptr, NULL, 10);
    if (at_us > script->now_us)
        (void)fprintf(script->to, "+%" PRId64 "us\n", at_us - script->now_us);
    if (script->sent > script->awaited)
        (void)fprintf(script->to, "await input %" PRId64 "\n", script->sent);
    script->now_us = at_us;
    script->awaited = script->sent;
}

static void say(struct script *script, const struct entry *entry, const char *verb)
{
    errand_span rest = entry->payload;
    wait_for(script, entry);
    while (rest.len > 0)
        rest = span_after(rest, spell(script, verb, rest));
}

static void end_output(struct script *script, const struct entry *entry)
{
    wait_for(script, entry);
    (void)fputs("eof\n", script->to);
}

static void leave(struct script *script, const struct entry *entry)
{
    int64_t code = entry_number(entry, 0), by = entry_number(entry, 1);
    wait_for(script, entry);
    (void)fprintf(script->to, by > 0 ? "killed %" PRId64 "\n" : "exit %" PRId64 "\n",
                  by > 0 ? by : code);
}

static void tell_entry(struct script *script, const struct entry *entry)
{
    if (span_is(entry->stamp, "mark"))
        script->mark = span_after(entry->line, sizeof("mark ") - 1);
    else if (span_is(entry->stamp, "begin"))
        script->now_us = strtoll(span_after(entry->line, sizeof("begin ") - 1).ptr, NULL, 10);
    else if (entry_is(entry, "opened"))
        (void)fprintf(script->to, "start\n");
    else if (entry_is(entry, "sent"))
        script->sent += entry_number(entry, 0);
    else if (entry_is(entry, "out"))
        say(script, entry, "raw");
    else if (entry_is(entry, "err"))
        say(script, entry, "noise");
    else if (entry_is(entry, "eof"))
        end_output(script, entry);
    else if (entry_is(entry, "exited"))
        leave(script, entry);
}

/* What clearing warned of has to be said first. */
static void tell_warning(FILE *to, errand_span record)
{
    struct entry entry;
    while (tape_next(&record, &entry)) {
        if (entry_is(&entry, "closed") && entry.payload.len > 0)
            (void)fprintf(to, "close warns %.*s\n", (int)entry.payload.len, entry.payload.ptr);
    }
}

static char *script_of(errand_span record)
{
    char *text = NULL;
    size_t len = 0;
    struct entry entry;
    struct script script = {.to = open_memstream(&text, &len)};
    assert(script.to != NULL);
    /* It went as it went: nothing that a fake does by itself. */
    (void)fputs("ignore stop\nignore term\nignore kill\nignore ping\nhold pipe\n", script.to);
    tell_warning(script.to, record);
    while (tape_next(&record, &entry))
        tell_entry(&script, &entry);
    (void)fclose(script.to);
    return text;
}

/* --- The flight ------------------------------------------------------------------------ */

static int wait_ms(const struct flight *flight, errand_loop *loop)
{
    int64_t wait_us = flight_due(flight) - errand_loop_now_us(loop);
    return wait_us <= 0 ? 0 : (int)(wait_us / 1000 + 1);
}

static void fly(struct flight *flight, errand_loop *loop)
{
    const errand_event *event = NULL;
    errand_error err = {0};
    for (size_t i = 0; i < EVENTS_MAX && !flight_over(flight); i++) {
        errand_status status = errand_loop_next(loop, wait_ms(flight, loop), &event, &err);
        if (status == ERRAND_OK && event->run != NULL)
            flight_event(flight, event, errand_loop_now_us(loop));
        flight_tick(flight, errand_loop_now_us(loop));
    }
}

static bool same_text(const struct flight *flight, const char *text)
{
    if (flight_over(flight) && strcmp(flight_text(flight), text) == 0)
        return true;
    (void)printf("FAIL %s: told again over a fake it is another story:\n%s  first time:\n%s",
                 flight_scenario(flight)->name, flight_text(flight), text);
    return false;
}

bool retold_agrees(errand_span record, const char *text, const struct scenario *scenario)
{
    if (record.len == 0) /* Refused before it began. */
        return true;
    AUTO_FREE char *script = script_of(record);
    errand_loop *loop = NULL;
    errand_place *place = NULL;
    errand_error err = {0};
    if (errand_fake_loop_new(&loop, &err) < 0 ||
        errand_fake_place_open(&place, loop, script, &err) < 0) {
        (void)printf("FAIL %s: its record makes no script: %s\n", scenario->name, err.text);
        errand_loop_free(loop);
        return false;
    }
    struct flight *flight = flight_start(scenario, place, false, errand_loop_now_us(loop));
    fly(flight, loop);
    bool same = same_text(flight, text);
    flight_free(flight);
    errand_place_free(place);
    errand_loop_free(loop);
    return same;
}
