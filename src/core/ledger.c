/* ledger.c - two sums side by side: of all that was said, and of the head that would be kept if
 * the next word were one too many. */
#include "core/ledger.h"
#include "core/json.h"

#include <inttypes.h>
#include <stdio.h>

enum { BRACKETS = 2, QUOTES = 2 };

void errand__ledger_init(struct ledger *ledger, uint64_t max)
{
    *ledger = (struct ledger){.max = max, .spent = BRACKETS, .head_spent = BRACKETS};
    int len = snprintf(ledger->text, sizeof(ledger->text),
                       "outer output exceeded %" PRIu64 " bytes", max);
    assert(len > 0);
    ledger->text_len = (size_t)len;
    uint64_t reserved = ledger->text_len + QUOTES;
    ledger->head_max = max > reserved ? max - reserved : 0;
}

uint64_t errand__ledger_left(const struct ledger *ledger)
{
    return ledger->max > ledger->spent ? ledger->max - ledger->spent : 0;
}

bool errand__ledger_spend(struct ledger *ledger, uint64_t len)
{
    if (len > errand__ledger_left(ledger))
        return false;
    ledger->spent += len;
    return true;
}

/* What the head has room for, comma paid. */
static size_t headed(struct ledger *ledger, errand_span json)
{
    if (ledger->head_closed)
        return 0;
    uint64_t comma = ledger->head_logs > 0 ? 1 : 0;
    uint64_t room = ledger->head_max > ledger->head_spent + comma
                        ? ledger->head_max - ledger->head_spent - comma
                        : 0;
    size_t len = room >= json.len ? json.len : errand__json_string_cut(json, (size_t)room);
    ledger->head_closed = len < json.len;
    if (ledger->head_closed && len <= QUOTES)
        return 0;
    ledger->head_spent += len + comma;
    ledger->head_logs++;
    return len;
}

struct ledger_entry errand__ledger_log(struct ledger *ledger, errand_span json)
{
    struct ledger_entry entry = {.headed = headed(ledger, json)};

    entry.fits = errand__ledger_spend(ledger, json.len + (ledger->logs > 0 ? 1U : 0U));
    if (entry.fits)
        ledger->logs++;
    return entry;
}

void errand__ledger_close(struct ledger *ledger)
{
    ledger->closed = true;
    ledger->head_closed = true;
    ledger->spent = ledger->max;
}

errand_span errand__ledger_text(const struct ledger *ledger)
{
    uint64_t used = ledger->head_spent + QUOTES;
    uint64_t room = ledger->max > used ? ledger->max - used : 0;

    return span_of(ledger->text, room < ledger->text_len ? (size_t)room : ledger->text_len);
}
