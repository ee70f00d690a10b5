/* ledger.h - what a run has said, metered against output_bytes (docs/protocol.md, section 5).
 *
 * Counts; keeps no bytes. The runner keeps the same ledger over there.
 */
#ifndef ERRAND_LEDGER_H
#define ERRAND_LEDGER_H

#include "base/base.h"

/* "outer output exceeded 18446744073709551615 bytes" and a NUL. */
enum { LEDGER_TEXT_MAX = 64 };

struct ledger {
    uint64_t max, spent;
    uint64_t logs, items;       /* Of either, those that fitted. */
    char text[LEDGER_TEXT_MAX]; /* What an output-limit says, whole. */
    size_t text_len;
    /* The head that an output-limit keeps of logs and items. */
    uint64_t head_max, head_spent, head_logs, head_items;
    bool head_closed;
    bool closed; /* The run is over its limit. */
};

/* How much of one entry each reader gets. Lengths are those of JSON strings with quotes; 0:
 * nothing of it. */
struct ledger_entry {
    bool fits;     /* false: the run is over its limit. */
    size_t headed; /* What an output-limit keeps of it: all, a cut head, or 0. */
};

void errand__ledger_init(struct ledger *ledger, uint64_t max);
uint64_t errand__ledger_left(const struct ledger *ledger);
/* json: a JSON string. */
struct ledger_entry errand__ledger_log(struct ledger *ledger, errand_span json);
/* Whether an item of so many bytes would fit. */
bool errand__ledger_has_room(const struct ledger *ledger, uint64_t len);
/* One that does. An output-limit keeps it whole or not at all. */
void errand__ledger_item(struct ledger *ledger, uint64_t len);
/* A value or a text of so many bytes of JSON. false: it does not fit; nothing was spent. */
bool errand__ledger_spend(struct ledger *ledger, uint64_t len);
/* The run is over its limit: from here on nothing fits. */
void errand__ledger_close(struct ledger *ledger);
/* The text of an output-limit, cut to what the head of the logs leaves. */
errand_span errand__ledger_text(const struct ledger *ledger);

#endif
