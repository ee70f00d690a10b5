/* script.h - the script of a fake place as a list of steps.
 *
 * Knows the words of the script and the frames they stand for; knows no time and no process.
 * A script is read once and shared by all processes of its place.
 */
#ifndef ERRAND_FAKE_SCRIPT_H
#define ERRAND_FAKE_SCRIPT_H

#include "base/base.h"
#include "base/buf.h"

enum {
    FAKE_MARK_LEN = 32,
    FAKE_REPEATS_DEEP = 8 /* Nesting of repeat; a process keeps one counter for each. */
};

/* A piece of the script's store of bytes. */
struct fake_text {
    size_t start, len;
};

enum fake_verb {
    FAKE_START,
    FAKE_SAY,
    FAKE_ECHO_LAUNCH,
    FAKE_WAIT,
    FAKE_AWAIT_BOOT,
    FAKE_AWAIT_STOP,
    FAKE_AWAIT_PING,
    FAKE_AWAIT_ASSET,
    FAKE_AWAIT_TERM,
    FAKE_AWAIT_KILL,
    FAKE_AWAIT_INPUT,
    FAKE_AWAIT_REPLY,
    FAKE_HANG,
    FAKE_REPEAT,
    FAKE_REPEAT_END,
    FAKE_EOF,
    FAKE_EXIT,
    FAKE_LOSE,
    FAKE_DROP,
    FAKE_ATTACH,
    FAKE_CUT,
    FAKE_CUT_AT,
    FAKE_TAKE,
    FAKE_HOLD_PIPE,
    FAKE_IGNORE_STOP,
    FAKE_IGNORE_TERM,
    FAKE_IGNORE_KILL,
    FAKE_IGNORE_PING,
    FAKE_LEAVE_AFTER,
    FAKE_DIE_AFTER,
    FAKE_NEVER_CLOSE,
    FAKE_CLOSE_AFTER,
    FAKE_CLOSE_WARNS
};

/* Bytes to say: rounds times (lead, maybe the next call's id, head, open, times pieces, close).
 * So floods and large values need no memory. */
struct fake_say {
    struct fake_text lead, head, open, piece, close;
    uint64_t times, rounds;
    bool numbered; /* An id of the process's own counting stands behind lead. */
    bool err;      /* On stderr. */
};

enum fake_expect { FAKE_EXPECT_ANY, FAKE_EXPECT_OK, FAKE_EXPECT_ERROR };

struct fake_step {
    enum fake_verb verb;
    unsigned line;
    uint64_t number; /* Id, count, chunk, exit code, byte; 0: last, all or off. */
    uint64_t jump;   /* Of a repeat's end: its beginning. */
    int64_t us;      /* Of waits and paces. */
    int signal;      /* Of FAKE_EXIT. */
    bool speaks;     /* Of FAKE_SAY: it is the runner's first word. */
    struct fake_text text;
    struct fake_say say;
    enum fake_expect expect;
    bool exact; /* Of FAKE_AWAIT_REPLY: size and hash are those of the payload awaited. */
    uint64_t size, hash;
};

/* What one run follows: steps [first, end). */
struct fake_part {
    size_t first, end;
    bool starts; /* There is a start: the process does not run before it. */
    bool awaits_stop, awaits_term, awaits_kill;
    bool refused;
    struct fake_text refusal;
};

struct fake_script {
    struct buf bytes; /* All texts, without the marks: their places are listed. */
    size_t *marks;    /* Offsets in bytes where the run's mark belongs. */
    size_t marks_count;
    struct fake_step *steps;
    size_t steps_count;
    struct fake_part *parts;
    size_t parts_count;
    int64_t open_after_us;
    bool open_fails;
    struct fake_text open_failure;
    uint64_t lease_ms;
    errand_delivery delivery;
    bool reattaches; /* The way to its processes may break and be found again. */
};

/* EINVAL names the line. On failure there is nothing to deinit. */
errand_status errand__fake_script_init(struct fake_script *script, const char *text,
                                       errand_error *err) ERRAND_CHECKED;
void errand__fake_script_deinit(struct fake_script *script);

/* FNV-1a, by which a payload heard is told from the one awaited. */
uint64_t errand__fake_hash(uint64_t hash, errand_span bytes);
#define FAKE_HASH_FIRST 0xcbf29ce484222325u

#endif
