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

/* Every entry but the first pays a comma. */
static uint64_t comma(const struct ledger *ledger)
{
    return ledger->logs + ledger->items > 0 ? 1 : 0;
}

static uint64_t head_comma(const struct ledger *ledger)
{
    return ledger->head_logs + ledger->head_items > 0 ? 1 : 0;
}

/* What the head has room for, comma paid. */
static uint64_t head_room(const struct ledger *ledger)
{
    uint64_t used = ledger->head_spent + head_comma(ledger);

    return ledger->head_max > used ? ledger->head_max - used : 0;
}

static size_t headed(struct ledger *ledger, errand_span json)
{
    if (ledger->head_closed)
        return 0;
    uint64_t room = head_room(ledger);
    size_t len = room >= json.len ? json.len : errand__json_string_cut(json, (size_t)room);
    ledger->head_closed = len < json.len;
    if (ledger->head_closed && len <= QUOTES)
        return 0;
    ledger->head_spent += len + head_comma(ledger);
    ledger->head_logs++;
    return len;
}

struct ledger_entry errand__ledger_log(struct ledger *ledger, errand_span json)
{
    struct ledger_entry entry = {.headed = headed(ledger, json)};

    entry.fits = errand__ledger_spend(ledger, json.len + comma(ledger));
    if (entry.fits)
        ledger->logs++;
    return entry;
}

bool errand__ledger_has_room(const struct ledger *ledger, uint64_t len)
{
    uint64_t left = errand__ledger_left(ledger);

    return left >= comma(ledger) && len <= left - comma(ledger);
}

void errand__ledger_item(struct ledger *ledger, uint64_t len)
{
    assert(errand__ledger_has_room(ledger, len));
    ledger->spent += len + comma(ledger);
    ledger->items++;
    ledger->head_closed = ledger->head_closed || len > head_room(ledger);
    if (ledger->head_closed)
        return;
    ledger->head_spent += len + head_comma(ledger);
    ledger->head_items++;
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
