/* process.h - a process that follows a part of a script. */
#ifndef ERRAND_FAKE_PROCESS_H
#define ERRAND_FAKE_PROCESS_H

#include <errand/transport.h>

#include "base/base.h"
#include "transport/fake/ear.h"
#include "transport/fake/script.h"
#include "transport/fake/voice.h"

struct fake_process {
    errand_process process;
    const struct fake_script *script;
    const struct fake_part *part;
    char *line;           /* As launched, with a line break, for echo. */
    char *bytes;          /* The script's, with the mark in its places; NULL: the script's own. */
    uint64_t runner_size; /* What home sends for want. */
    struct fake_ear ear;
    struct fake_voice voice;
    char digits[24];
    int64_t now_us;
    /* Where in the script. */
    size_t at;
    bool waiting;
    int64_t wait_us;
    uint64_t repeats_left[FAKE_REPEATS_DEEP];
    size_t repeats_count;
    uint64_t call_last;
    /* Told to the driver. */
    bool opened_told, eof_told, exit_told, closed_told, lost_told, drop_told;
    /* What has happened here. */
    bool started, eof, gone, lost, helloed, stop_seen, termed, killed;
    bool broken, end_known; /* The way to it; and it died by an order, which goes another way. */
    int exit_code, exit_signal;
    int64_t exit_us; /* A death that is due; TIME_NEVER: none. */
    int exit_us_signal;
    errand_error loss;
    uint64_t pings_answered, assets_awaited, pings_awaited;
    struct fake_text break_words;
    /* How things go. */
    bool hold_pipe, ignore_stop, ignore_term, ignore_kill, ignore_ping, never_close, close_set;
    int64_t leave_us, die_us, close_after_us;
    struct fake_text close_warning;
    uint64_t cut, cut_at, out_total;
    int64_t cut_every_us, cut_next_us;
    uint64_t take, taken;
    int64_t take_every_us, take_next_us;
    bool refused;     /* Home has bytes that were not taken. */
    int64_t close_us; /* TIME_NEVER: not asked to, or never. */
    bool close_asked;
};

/* script and part are borrowed, line is copied. EINVAL: the line has no mark. */
errand_status errand__fake_process_new(errand_process **out, const struct fake_script *script,
                                       const struct fake_part *part, const char *line,
                                       int64_t now_us, errand_error *err) ERRAND_CHECKED;

#endif
