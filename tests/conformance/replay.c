/* replay.c - cuts the recorded stdout of the far side anew and plays the record again. */
#include "replay.h"

#include "base/buf.h"
#include "base/mem.h"
#include "check.h"
#include "tape.h"

#include <stdio.h>

/* How the far side's bytes are cut. Small streams also byte by byte. */
static const size_t cuts[] = {SIZE_MAX, 4096, 61, 7, 1};
enum { SMALL_CUT = 64, SMALL_RECORD = 1 << 16, PLAYS_MAX = 1 << 18 };

static void push(struct buf *buf, errand_span bytes)
{
    errand_status status = errand__buf_push(buf, bytes);
    assert(status == ERRAND_OK);
    (void)status;
}

static void push_out(struct buf *to, errand_span stamp, errand_span bytes, size_t cut)
{
    while (bytes.len > 0) {
        errand_span piece = span_head(bytes, cut);
        char words[32];
        int len = snprintf(words, sizeof(words), " out %zu\n", piece.len);
        assert(len > 0);
        push(to, stamp);
        push(to, span_of(words, (size_t)len));
        push(to, piece);
        push(to, SPAN_LITERAL("\n"));
        bytes = span_after(bytes, piece.len);
    }
}

static void cut_anew(struct buf *to, errand_span record, size_t cut)
{
    struct entry entry;
    while (tape_next(&record, &entry)) {
        if (entry_is(&entry, "out"))
            push_out(to, entry.stamp, entry.payload, cut);
        else
            push(to, entry.whole);
    }
}

/* What only the caller of the first time saw is not in a replay. */
static char *without_notes(const char *text)
{
    char *kept = errand__mem_copy("", 0);
    size_t used = 0;
    kept = errand__mem_resize(kept, strlen(text) + 1);
    assert(kept != NULL);
    while (*text != '\0') {
        size_t len = strcspn(text, "\n") + 1;
        if (strncmp(text, "reply ", 6) != 0) {
            memcpy(kept + used, text, len);
            used += len;
        }
        text += len;
    }
    kept[used] = '\0';
    return kept;
}

/* The canonical text of a record; ends with a complaint where it does not play. */
static char *played(errand_span record, unsigned show)
{
    char *text = NULL;
    size_t len = 0;
    FILE *to = open_memstream(&text, &len);
    assert(to != NULL);
    errand_replay *replay = NULL;
    errand_error err = {0};
    errand_status status = errand_replay_new(&replay, record, &err);
    for (size_t plays = 0; status == ERRAND_OK && plays < PLAYS_MAX; plays++) {
        const errand_event *event = NULL;
        status = errand_replay_next(replay, &event, &err);
        if (status == ERRAND_OK)
            check_event(to, event, show);
    }
    if (status != ERRAND_AGAIN)
        (void)fprintf(to, "does not play: %s\n", err.text);
    errand_replay_free(replay);
    (void)fclose(to);
    return text;
}

static bool agrees(errand_span record, size_t cut, const char *text, unsigned show)
{
    struct buf anew;
    errand__buf_init(&anew, SIZE_MAX / 2);
    cut_anew(&anew, record, cut);
    AUTO_FREE char *again = played(errand__buf_peek(&anew), show);
    errand__buf_deinit(&anew);
    if (strcmp(again, text) == 0)
        return true;
    (void)printf("  replay, cut at %zu:\n%s  first time:\n%s", cut, again, text);
    return false;
}

/* Segments are acknowledged as they come: with others, other bytes would have been sent. */
static bool has_segments(errand_span record)
{
    static const char line[] = "\nreattaches 1\n";

    return memmem(record.ptr, record.len, line, sizeof(line) - 1) != NULL;
}

bool replay_agrees(errand_span record, const char *text, const struct scenario *scenario)
{
    if (record.len == 0) /* Refused before it began. */
        return true;
    AUTO_FREE char *first = without_notes(text);
    size_t count = has_segments(record) ? 1 : COUNT(cuts);
    for (size_t i = 0; i < count; i++) {
        if (cuts[i] < SMALL_CUT && record.len > SMALL_RECORD)
            continue;
        if (agrees(record, cuts[i], first, scenario->show))
            continue;
        (void)printf("FAIL %s: its record gives another story\n", scenario->name);
        return false;
    }
    return true;
}
