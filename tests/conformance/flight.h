/* flight.h - one scenario on its way: its run, its tools, and the text of what it did. */
#ifndef CONFORMANCE_FLIGHT_H
#define CONFORMANCE_FLIGHT_H

#include "base/buf.h"
#include "scenario.h"

struct flight;

/* The run starts, or is refused; then the flight is over at once. record: keep what the run
 * records. */
struct flight *flight_start(const struct scenario *scenario, errand_place *place, bool record,
                            int64_t now_us);
void flight_free(struct flight *flight);
/* Of this flight's run. */
void flight_event(struct flight *flight, const errand_event *event, int64_t now_us);
int64_t flight_due(const struct flight *flight);
void flight_tick(struct flight *flight, int64_t now_us);
bool flight_over(const struct flight *flight);
const struct scenario *flight_scenario(const struct flight *flight);
/* What it did; once it is over. */
const char *flight_text(const struct flight *flight);
errand_span flight_record(const struct flight *flight);

#endif
