/* drive.c - a small driver: asks a process for what it has, and sleeps as it wants. */
#include "test.h"

#include "drive.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>

enum {
    KEPT_MOST = 1 << 20, /* Of each stream. */
    SCRATCH_LEN = 64 * 1024,
    FDS_MOST = 8
};

int64_t drive_now_us(void)
{
    struct timespec now;

    assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &now), 0);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

bool drive_heard(const struct drive *drive, char letter)
{
    return memchr(drive->story, letter, drive->story_len) != NULL;
}

static void tell(struct drive *drive, char letter)
{
    bool again = drive->story_len > 0 && drive->story[drive->story_len - 1] == letter;

    if (again && (letter == 'o' || letter == 'e'))
        return;
    if (letter != 'o' && letter != 'e' && drive_heard(drive, letter))
        fail_msg("%s: %c came twice, after %s", drive->road->name, letter, drive->story);
    if (drive_heard(drive, 'C'))
        fail_msg("%s: %c came after CLOSED", drive->road->name, letter);
    if (letter != 'O' && letter != 'C' && !drive_heard(drive, 'O'))
        fail_msg("%s: %c came before OPENED", drive->road->name, letter);
    if (letter == 'o' && drive_heard(drive, 'E'))
        fail_msg("%s: OUT came after EOF", drive->road->name);
    /* A flood on both streams alternates for long. */
    if (drive->story_len + 8 > sizeof(drive->story) && (letter == 'o' || letter == 'e'))
        return;
    assert_true(drive->story_len + 1 < sizeof(drive->story));
    drive->story[drive->story_len++] = letter;
}

static void keep(char **kept, size_t *kept_len, size_t *total, errand_span bytes)
{
    size_t room = KEPT_MOST - *kept_len;
    size_t count = bytes.len < room ? bytes.len : room;

    if (*kept == NULL)
        *kept = calloc(1, KEPT_MOST + 1);
    assert_non_null(*kept);
    memcpy(*kept + *kept_len, bytes.ptr, count);
    *kept_len += count;
    (*kept)[*kept_len] = '\0';
    *total += bytes.len;
}

static void hear(struct drive *drive, const errand_notice *notice)
{
    switch (notice->type) {
    case ERRAND_NOTICE_OPENED:
        tell(drive, 'O');
        break;
    case ERRAND_NOTICE_OUT:
        tell(drive, 'o');
        assert_true(notice->bytes.len > 0);
        keep(&drive->out, &drive->out_len, &drive->out_total, notice->bytes);
        break;
    case ERRAND_NOTICE_ERR:
        tell(drive, 'e');
        assert_true(notice->bytes.len > 0);
        keep(&drive->err, &drive->err_len, &drive->err_total, notice->bytes);
        break;
    case ERRAND_NOTICE_EOF:
        tell(drive, 'E');
        break;
    case ERRAND_NOTICE_EXITED:
        tell(drive, 'X');
        drive->exit_code = notice->exit_code;
        drive->exit_signal = notice->exit_signal;
        break;
    case ERRAND_NOTICE_CLOSED:
        tell(drive, 'C');
        assert_true(notice->bytes.len < sizeof(drive->closed));
        memcpy(drive->closed, notice->bytes.ptr, notice->bytes.len);
        drive->closed[notice->bytes.len] = '\0';
        break;
    case ERRAND_NOTICE_DROPPED:
        tell(drive, 'D');
        break;
    case ERRAND_NOTICE_ATTACHED:
        tell(drive, 'A');
        break;
    }
}

errand_status drive_listen(struct drive *drive)
{
    static char room[SCRATCH_LEN];
    errand_scratch scratch = {room, drive->scratch_len == 0 ? sizeof(room) : drive->scratch_len};
    errand_notice notice = {0};
    errand_error error = {0};
    errand_process *self = drive->process;
    errand_status status = self->ops->next(self, drive_now_us(), scratch, &notice, &error);

    if (status == ERRAND_OK)
        hear(drive, &notice);
    if (status < 0) {
        assert_int_equal(error.status, status);
        drive->failure = error;
    }
    return status;
}

static bool tends(const errand_road *road)
{
    return road->ops->size >= offsetof(errand_road_ops, tend) + sizeof(road->ops->tend) &&
           road->ops->tend != NULL;
}

/* What an open road wants of its own; nothing where it has nothing to tend. */
static size_t road_wants(errand_road *road, struct pollfd *fds, size_t fds_max, int64_t *due_us)
{
    int64_t own_due_us = INT64_MAX;
    size_t count = 0;

    if (tends(road))
        count = road->ops->wants(road, fds, fds_max, &own_due_us);
    if (own_due_us < *due_us)
        *due_us = own_due_us;
    assert_true(count <= fds_max);
    return count;
}

static void tend(errand_road *road)
{
    if (tends(road))
        road->ops->tend(road, drive_now_us());
}

void drive_sleep(struct drive *drive, bool writing, int64_t until_us)
{
    struct pollfd fds[2 * FDS_MOST];
    int64_t due_us = 0;
    errand_process *self = drive->process;
    size_t count = self->ops->wants(self, 1, writing, fds, FDS_MOST, &due_us);
    int64_t now_us = drive_now_us();

    assert_true(count <= FDS_MOST);
    count += road_wants(drive->opened, fds + count, FDS_MOST, &due_us);
    if (due_us > until_us)
        due_us = until_us;
    int64_t ms = due_us <= now_us ? 0 : (due_us - now_us + 999) / 1000;
    assert_true(poll(fds, count, ms > 60000 ? 60000 : (int)ms) >= 0 || errno == EINTR);
    tend(drive->opened);
}

static bool heard_any(const struct drive *drive, const char *letters)
{
    for (; *letters != '\0'; letters++) {
        if (drive_heard(drive, *letters))
            return true;
    }
    return false;
}

int64_t drive_deadline(const struct drive *drive, int ms)
{
    unsigned patience = drive->road->patience == 0 ? 1 : drive->road->patience;

    return drive_now_us() + (int64_t)ms * patience * 1000;
}

bool drive_until(struct drive *drive, const char *letters, int ms)
{
    int64_t until_us = drive_deadline(drive, ms);

    for (;;) {
        errand_status status = ERRAND_OK;
        while (!heard_any(drive, letters) && status == ERRAND_OK && drive_now_us() < until_us)
            status = drive_listen(drive);
        if (heard_any(drive, letters))
            return true;
        if (status < 0 || drive_now_us() >= until_us)
            return false;
        drive_sleep(drive, false, until_us);
    }
}

size_t drive_send_once(struct drive *drive, errand_span bytes)
{
    size_t taken = SIZE_MAX;
    errand_error error = {0};
    errand_process *self = drive->process;

    assert_int_equal(self->ops->send(self, bytes, &taken, &error), ERRAND_OK);
    assert_true(taken <= bytes.len);
    return taken;
}

bool drive_send(struct drive *drive, errand_span bytes, int ms)
{
    int64_t until_us = drive_deadline(drive, ms);

    while (bytes.len > 0 && drive_now_us() < until_us) {
        size_t taken = drive_send_once(drive, bytes);
        bytes = span_after(bytes, taken);
        if (taken > 0)
            continue;
        while (drive_listen(drive) == ERRAND_OK && drive_now_us() < until_us)
            continue;
        drive_sleep(drive, true, until_us);
    }
    return bytes.len == 0;
}

void drive_stop(struct drive *drive, errand_stop how)
{
    errand_error error = {0};
    errand_process *self = drive->process;

    assert_int_equal(self->ops->stop(self, how, drive_now_us(), &error), ERRAND_OK);
}

void drive_start(struct drive *drive, const struct drive_road *road, errand_road *opened,
                 const char *line)
{
    errand_error error = {0};
    errand_launch launch = {.line = line};

    *drive = (struct drive){.road = road, .opened = opened, .exit_code = -2, .exit_signal = -2};
    errand_status status =
        opened->ops->launch(opened, &launch, drive_now_us(), &drive->process, &error);
    if (status != ERRAND_OK)
        fail_msg("%s: launch: %s", road->name, error.text);
    assert_non_null(drive->process);
}

void drive_drop(struct drive *drive)
{
    drive->process->ops->free(drive->process);
    free(drive->out);
    free(drive->err);
    *drive = (struct drive){0};
}

void drive_finish(struct drive *drive)
{
    if (!drive_heard(drive, 'C')) {
        drive_stop(drive, ERRAND_STOP_CLOSE);
        if (!drive_until(drive, "C", DRIVE_PATIENCE_MS))
            fail_msg("%s: not closed; story %s", drive->road->name, drive->story);
    }
    drive_drop(drive);
}

errand_road *drive_open(const struct drive_road *road)
{
    errand_road *made = road->make(road);
    errand_error error = {0};
    struct pollfd fds[FDS_MOST];
    int64_t due_us = 0;

    assert_non_null(made);
    for (;;) {
        errand_status status = made->ops->open(made, drive_now_us(), &error);
        if (status == ERRAND_OK)
            return made;
        if (status < 0)
            fail_msg("%s: open: %s", road->name, error.text);
        size_t count = made->ops->wants(made, fds, FDS_MOST, &due_us);
        assert_true(count <= FDS_MOST);
        (void)poll(fds, count, 100);
    }
}

void drive_close(errand_road *road)
{
    errand_error error = {0};
    struct pollfd fds[FDS_MOST];
    int64_t due_us = 0;
    errand_status status = ERRAND_AGAIN;

    while ((status = road->ops->close(road, drive_now_us(), &error)) == ERRAND_AGAIN) {
        size_t count = road->ops->wants(road, fds, FDS_MOST, &due_us);
        (void)poll(fds, count, 100);
    }
    assert_int_equal(status, ERRAND_OK);
    road->ops->free(road);
}
