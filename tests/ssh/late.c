/* late.c - to be preloaded: whoever asks for the time of day is told that of an hour later. */
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { LATE_S = 3600 };

#define SHOWN __attribute__((visibility("default")))

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): theirs are reserved. */
SHOWN int clock_gettime(clockid_t clock, struct timespec *now)
{
    int status = (int)syscall(SYS_clock_gettime, clock, now);

    if (status == 0 && clock == CLOCK_REALTIME)
        now->tv_sec += LATE_S;
    return status;
}

SHOWN int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec exact;
    int status = clock_gettime(CLOCK_REALTIME, &exact);

    (void)zone;
    *now = (struct timeval){.tv_sec = exact.tv_sec, .tv_usec = exact.tv_nsec / 1000};
    return status;
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
