/* stay.h - a place that is open for a while, and runs on it whose calls are echoed. */
#ifndef SSH_TEST_STAY_H
#define SSH_TEST_STAY_H

#include "base/base.h"

enum { STAY_PATIENCE_MS = 120000, STAY_STEP_MS = 300 };

struct stay {
    errand_loop *loop;
    errand_place *place;
};

/* The host "box" of that configuration of the ssh client. */
void stay_begin(struct stay *stay, const char *config);
/* Closes the place and waits for that. */
void stay_end(struct stay *stay);
/* Just goes. */
void stay_drop(struct stay *stay);
/* lease_ms 0: as the place has it; else the steps of the ladder are short, too. */
errand_run *stay_run(struct stay *stay, const char *program, uint64_t lease_ms);
/* The next event of that type, calls being answered with what they brought; another end than a
 * wanted one fails the test. */
const errand_event *stay_await(struct stay *stay, errand_event_type type);
/* Runs one program to its end, which is to be text. */
void stay_brings(struct stay *stay, const char *program, const char *text);

int64_t stay_now_ms(void);
void stay_rest_ms(long ms);

#endif
