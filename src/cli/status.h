/* status.h - the one line on a terminal that tells how a run is getting on. */
#ifndef ERRAND_STATUS_H
#define ERRAND_STATUS_H

#include "cli/sink.h"

struct status {
    bool on;         /* There is a terminal that can erase a line, and nobody wants quiet. */
    bool color;      /* And NO_COLOR is not set. */
    bool shown;      /* The line stands there now. */
    bool mid_line;   /* The program's own words do not end at a line's end. */
    int64_t next_us; /* When it is to be drawn again. */
};

/* What it shows. */
struct status_facts {
    const char *place, *phase;
    uint64_t calls;
    size_t calls_open;
    int64_t elapsed_us;
};

void status_init(struct status *status, const struct sink *err, bool quiet);
/* Takes the line away, so that something else can be written. */
void status_hide(struct status *status, struct sink *err);
void status_show(struct status *status, struct sink *err, const struct status_facts *facts,
                 int64_t now_us);

#endif
