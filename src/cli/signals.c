/* signals.c - signalfd; a signal that was ignored at the start stays so, as nohup wants. */
#include "cli/signals.h"
#include "base/err.h"

#include <errno.h>
#include <sys/signalfd.h>
#include <unistd.h>

void signals_ignore_writes(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};

    (void)sigaction(SIGPIPE, &ignore, NULL);
    (void)sigaction(SIGXFSZ, &ignore, NULL);
}

errand_status signals_open(int *fd, sigset_t *before, errand_error *err)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t ours;

    (void)sigemptyset(&ours);
    for (size_t i = 0; i < COUNT(numbers); i++) {
        struct sigaction now;
        /* A signal that is held back would come out of the descriptor though it is ignored. */
        if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            (void)sigaddset(&ours, numbers[i]);
    }
    if (sigprocmask(SIG_BLOCK, &ours, before) != 0)
        return errand__fail(err, ERRAND_EIO, errno, "signals can't be held back");
    *fd = signalfd(-1, &ours, SFD_NONBLOCK | SFD_CLOEXEC);
    if (*fd < 0)
        return errand__fail(err, ERRAND_EIO, errno, "signals can't be polled");
    return ERRAND_OK;
}

int signals_next(int fd)
{
    struct signalfd_siginfo info;

    if (read(fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
        return 0;
    return (int)info.ssi_signo;
}

const char *signals_name(int number)
{
    switch (number) {
    case SIGINT:
        return "SIGINT";
    case SIGTERM:
        return "SIGTERM";
    case SIGHUP:
        return "SIGHUP";
    default:
        return NULL;
    }
}

void signals_reset(const sigset_t *mask)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};

    (void)sigaction(SIGPIPE, &plain, NULL);
    (void)sigaction(SIGXFSZ, &plain, NULL);
    (void)sigprocmask(SIG_SETMASK, mask, NULL);
}
