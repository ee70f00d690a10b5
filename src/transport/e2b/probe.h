/* probe.h - after a loss: is the sandbox dead, alive, or can't that be known? */
#ifndef ERRAND_E2B_PROBE_H
#define ERRAND_E2B_PROBE_H

#include "transport/e2b/control.h"
#include "transport/e2b/envd.h"

enum e2b_verdict {
    E2B_VERDICT_NONE, /* Not yet. */
    E2B_VERDICT_DEAD,
    E2B_VERDICT_PAUSED,
    E2B_VERDICT_ALIVE,
    E2B_VERDICT_UNKNOWN
};

struct e2b_probe {
    struct e2b_exchange *info, *health; /* NULL: not asked. */
    int64_t due_us;
};

void errand__e2b_probe_begin(struct e2b_probe *probe, const struct e2b_control *control,
                             const struct e2b_envd *envd, struct bell *bell);
enum e2b_verdict errand__e2b_probe_look(struct e2b_probe *probe, int64_t now_us);
void errand__e2b_probe_deinit(struct e2b_probe *probe);

#endif
