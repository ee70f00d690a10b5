/* calendar.c - dates as HTTP writes them, and today's: how far a server's clock is from ours is
 * a question that the driver's clock, which knows no date, can't answer. */
#include "transport/e2b/calendar.h"

#include <stdio.h>
#include <time.h>

/* Days since 1970, of the Gregorian calendar. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    int64_t era = year / 400;
    int64_t of_era = year - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* "Sun, 06 Nov 1994 08:49:37 GMT". */
int64_t errand__e2b_calendar_read(const char *date)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    unsigned day = 0, year = 0, hour = 0, minute = 0, second = 0;
    char month[4] = "";

    /* cert-err34-c: widths keep the numbers small. */
    if (sscanf(date, "%*3s, %2u %3s %4u %2u:%2u:%2u", /* NOLINT(cert-err34-c) */
               &day, month, &year, &hour, &minute, &second) != 6)
        return -1;
    const char *at = strstr(months, month);
    if (at == NULL || strlen(month) != 3 || (at - months) % 3 != 0 || year < 1970)
        return -1;
    return days_of(year, (at - months) / 3 + 1, day) * 86400 + (int64_t)hour * 3600 +
           (int64_t)minute * 60 + second;
}

int64_t errand__e2b_calendar_ahead_s(const char *date)
{
    struct timespec now;
    int64_t theirs = errand__e2b_calendar_read(date);

    (void)clock_gettime(CLOCK_REALTIME, &now);
    return theirs < 0 ? 0 : theirs - (int64_t)now.tv_sec;
}
