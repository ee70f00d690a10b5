/* calendar.h - dates of HTTP. */
#ifndef ERRAND_E2B_CALENDAR_H
#define ERRAND_E2B_CALENDAR_H

#include "base/base.h"

/* Seconds since 1970, such as of "Sun, 06 Nov 1994 08:49:37 GMT"; -1: that is none. */
int64_t errand__e2b_calendar_read(const char *date);
/* How many seconds that date is ahead of this machine's clock; 0: it is none. */
int64_t errand__e2b_calendar_ahead_s(const char *date);

#endif
