/* ladder.c - the end of stdin is no rung: it means that home is lost. */
#include "core/ladder.h"

#include <stddef.h>

static const struct rung rungs[] = {
    [RUNG_ASK] = {CORE_ORDER_NONE, true, offsetof(errand_limits, leave_ms), "leave_ms"},
    [RUNG_TELL] = {CORE_ORDER_TERM, true, offsetof(errand_limits, kill_grace_ms), "kill_grace_ms"},
    [RUNG_KILL] = {CORE_ORDER_KILL, false, offsetof(errand_limits, reap_ms), "reap_ms"},
};

const struct rung *errand__ladder_rung(enum ladder_rung rung)
{
    assert(rung < RUNG_GIVE_UP);
    return &rungs[rung];
}
