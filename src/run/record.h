/* record.h - every input of a core as text, so that a run can be played again.
 *
 * A record is lines, some with a payload of a stated size and a line break behind them, as on
 * the wire. It holds what the program said and was answered, so it may hold secrets; but not
 * the boot message, of which only the size matters. replay.c reads it. */
#ifndef ERRAND_RECORD_H
#define ERRAND_RECORD_H

#include "base/base.h"
#include "core/core.h"

#include <errand/transport.h>

#define RECORD_TITLE "errand-record 1"

struct record {
    errand_record_fn write; /* NULL: nothing is recorded. */
    void *ctx;
};

void errand__record_init(struct record *record, errand_record_fn write, void *ctx);
void errand__record_setup(struct record *record, int64_t now_us, const struct core_setup *setup);
void errand__record_notice(struct record *record, int64_t now_us, const errand_notice *notice);
/* in_part: something may be left. */
void errand__record_closed(struct record *record, int64_t now_us, bool in_part,
                           errand_span warning);
void errand__record_lost(struct record *record, int64_t now_us, const char *code,
                         const errand_error *why);
void errand__record_cancel(struct record *record, int64_t now_us, errand_span reason);
/* The caller took an event: what it answers afterwards, it answers in that light. */
void errand__record_event(struct record *record, int64_t now_us);
void errand__record_tick(struct record *record, int64_t now_us);
void errand__record_sent(struct record *record, int64_t now_us, size_t count);
void errand__record_answer(struct record *record, int64_t now_us, uint64_t call, bool ok,
                           errand_span json);
void errand__record_hold(struct record *record, int64_t now_us, uint64_t call, bool held);

#endif
