/* patience.c - a timer and a cancelling flag as descriptors, so that one poll knows all. */
#include "transport/ssh/patience.h"

#include "base/err.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

errand_status errand__ssh_patience_init(struct ssh_patience *patience, errand_error *err)
{
    patience->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    patience->cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (patience->timer_fd >= 0 && patience->cancel_fd >= 0)
        return ERRAND_OK;
    errand_status status = errand__fail(err, ERRAND_EIO, errno, "ssh: no descriptor");
    errand__ssh_patience_deinit(patience);
    return status;
}

void errand__ssh_patience_deinit(struct ssh_patience *patience)
{
    errand__auto_close(&patience->timer_fd);
    errand__auto_close(&patience->cancel_fd);
    *patience = (struct ssh_patience){-1, -1};
}

void errand__ssh_patience_start(const struct ssh_patience *patience, int ms)
{
    const struct itimerspec in = {
        .it_value = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000L}};

    (void)timerfd_settime(patience->timer_fd, 0, &in, NULL);
}

void errand__ssh_patience_cancel(const struct ssh_patience *patience)
{
    uint64_t one = 1;

    (void)!write(patience->cancel_fd, &one, sizeof(one));
}

enum ssh_waited errand__ssh_patience_wait(const struct ssh_patience *patience, struct pollfd *fds,
                                          size_t fds_count)
{
    struct pollfd all[SSH_PATIENCE_FDS + 2] = {{patience->cancel_fd, POLLIN, 0},
                                               {patience->timer_fd, POLLIN, 0}};

    assert(fds_count <= SSH_PATIENCE_FDS);
    if (fds_count > 0)
        memcpy(all + 2, fds, fds_count * sizeof(*fds));
    while (poll(all, (nfds_t)fds_count + 2, -1) < 0 && errno == EINTR)
        continue;
    if (fds_count > 0)
        memcpy(fds, all + 2, fds_count * sizeof(*fds));
    if (all[0].revents != 0)
        return SSH_WAITED_CANCELLED;
    for (size_t i = 0; i < fds_count; i++) {
        if (fds[i].revents != 0)
            return SSH_WAITED_READY;
    }
    return SSH_WAITED_TIMEOUT;
}

errand_status errand__ssh_patience_fail(enum ssh_waited waited, const char *what, errand_error *err)
{
    if (waited == SSH_WAITED_CANCELLED)
        return errand__fail(err, ERRAND_EIO, 0, "ssh: given up while dialling");
    return errand__fail(err, ERRAND_EIO, ETIMEDOUT, "ssh: %s", what);
}
