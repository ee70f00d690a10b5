/* run.h - the driver of one run: the only code that knows a core, a process and a clock. */
#ifndef ERRAND_RUN_H
#define ERRAND_RUN_H

#include "base/base.h"
#include "core/core.h"
#include "run/launch.h"
#include "run/plan.h"
#include "run/record.h"
#include "run/source.h"

#include <errand/transport.h>

struct errand_run {
    struct source source;
    errand_loop *loop;
    errand_place *place;
    errand_run *next_of_place;
    struct plan plan;
    char mark[LAUNCH_MARK_LEN + 1];
    struct launch launch;
    struct core *core;
    enum core_phase traced; /* The last phase that was told of. */
    struct record record;
    errand_process *process; /* NULL: not launched yet, or in vain. */
    bool launched;           /* Or tried to. */
    bool lost;               /* Nothing but CLOSE may be asked of the process. */
    bool close_asked;
    bool silent; /* next() has nothing more to tell: CLOSED, or lost after CLOSE. */
    bool paused; /* Events stay where they are, and so does what follows. */
    bool ended;
};

/* With the lock held. */
void errand__run_cancel(errand_run *run, int64_t now_us, errand_span reason);
/* While paused a run hands out no events and reads nothing more; its clocks go on, home still
 * pings, and the far side feels the pressure. */
void errand__run_pause(errand_run *run, bool paused);

#endif
