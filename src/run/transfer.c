/* transfer.c - carries the bytes of one file between a file here and a carrier.
 *
 * Knows the near end, the order of things and when nothing moves any more; how the far end works
 * is the carrier's. */
#include "run/transfer.h"

#include "base/err.h"
#include "base/mem.h"
#include "run/loop.h"
#include "run/sized.h"
#include "transport/beside.h"
#include "transport/cargo.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    TRANSFERS_MOST = 64, /* Of one place; each holds a process over there. */
    PIECES_A_TURN = 4,   /* Before others get theirs. */
    STALL_MS = 60000
};
#define MAX_BYTES ((uint64_t)4 << 30)

struct transfer {
    struct source source;
    errand_loop *loop;
    errand_place *place;
    struct transfer *next_of_place;
    uint64_t id;
    bool put;
    char *local, *remote;
    int from;               /* Put: the file here; else -1. */
    struct beside into;     /* Get. */
    uint64_t size, carried; /* size of a get: at most, until the far end is ready. */
    uint32_t mode;
    int64_t stall_us, moved_us;
    errand_carrier *carrier;
    bool started, ready, stopped, over, told;
    const char *code; /* NULL: nothing went wrong. */
    errand_error error;
};

static struct transfer *transfer_of(struct source *source)
{
    return (struct transfer *)(void *)source;
}

/* --- What goes wrong -------------------------------------------------------------------------- */

/* The first cause stands. */
static void blame(struct transfer *transfer, const char *code, const errand_error *why)
{
    if (transfer->code != NULL)
        return;
    transfer->code = code;
    transfer->error = *why;
}

/* What stands under that name is not replaced (EINVAL); or it is as the system says. */
static errand_status fail_into(const struct transfer *transfer, int failure, errand_error *err)
{
    if (failure == EINVAL)
        return errand__fail(err, ERRAND_EIO, 0, "get %.150s: that is no regular file",
                            transfer->local);
    return errand__fail(err, ERRAND_EIO, failure, "get %.150s", transfer->local);
}

static void blame_home(struct transfer *transfer, int os_errno)
{
    errand_error error = {0};

    if (transfer->put)
        (void)errand__fail(&error, ERRAND_EIO, os_errno, "put %.150s", transfer->local);
    else
        (void)fail_into(transfer, os_errno, &error);
    blame(transfer, "local_file", &error);
}

static void blame_code(struct transfer *transfer, const char *code)
{
    errand_error error = {0};

    (void)errand__cargo_fail(&error, transfer->remote, transfer->put, code, NULL);
    blame(transfer, code, &error);
}

/* The carrier clears up and says when it has. */
static void stop(struct transfer *transfer, int64_t now_us)
{
    if (transfer->stopped)
        return;
    transfer->stopped = true;
    if (transfer->carrier == NULL)
        transfer->over = true;
    else
        transfer->carrier->ops->stop(transfer->carrier, now_us);
}

/* --- Carrying --------------------------------------------------------------------------------- */

static void start(struct transfer *transfer, int64_t now_us)
{
    const errand_place *place = transfer->place;
    const errand_road_ops *ops = place->road->ops;
    const errand_cargo cargo = {transfer->put, transfer->remote, transfer->size, transfer->mode};
    errand_error error = {0};
    errand_status status = ERRAND_OK;

    if (transfer->started || place->state == PLACE_OPENING)
        return;
    transfer->started = true;
    transfer->moved_us = now_us;
    if (place->state != PLACE_OPEN) {
        transfer->over = true;
        blame(transfer, place->error_code == NULL ? "place_failed" : place->error_code,
              &place->error);
        return;
    }
    if (ops->size > offsetof(errand_road_ops, carry) && ops->carry != NULL)
        status = ops->carry(place->road, &cargo, now_us, &transfer->carrier, &error);
    else
        status = errand__channel_new(&transfer->carrier, place->road, &cargo, now_us, &error);
    if (status == ERRAND_OK)
        return;
    transfer->carrier = NULL;
    transfer->over = true;
    blame(transfer, "failed", &error);
}

/* true: bytes moved. */
static bool pour(struct transfer *transfer)
{
    char *scratch = transfer->loop->scratch;
    uint64_t left = transfer->size - transfer->carried;
    size_t want = left < LOOP_SCRATCH ? (size_t)left : LOOP_SCRATCH;
    errand_error error = {0};
    size_t taken = 0;
    ssize_t got = 0;

    if (!transfer->put || !transfer->ready || transfer->code != NULL || left == 0)
        return false;
    do
        got = pread(transfer->from, scratch, want, (off_t)transfer->carried);
    while (got < 0 && errno == EINTR);
    if (got < 0) {
        blame_home(transfer, errno);
        return false;
    }
    if (got == 0 ||
        ((uint64_t)got == left && errand__cargo_goes_on(transfer->from, transfer->size))) {
        blame_code(transfer, "changed");
        return false;
    }
    /* What went wrong there, next tells. */
    if (transfer->carrier->ops->send(transfer->carrier, span_of(scratch, (size_t)got), &taken,
                                     &error) < 0)
        return false;
    transfer->carried += taken;
    return taken > 0;
}

static void take_bytes(struct transfer *transfer, errand_span bytes)
{
    if (transfer->code != NULL)
        return;
    if (!transfer->ready || bytes.len > transfer->size - transfer->carried) {
        blame_code(transfer, "too_large");
        return;
    }
    int failure = errand__beside_write(&transfer->into, bytes);
    if (failure != 0)
        blame_home(transfer, failure);
    else
        transfer->carried += bytes.len;
}

static void take_done(struct transfer *transfer)
{
    transfer->over = true;
    if (transfer->code != NULL)
        return;
    if (!transfer->ready || transfer->carried != transfer->size) {
        blame_code(transfer, "changed");
        return;
    }
    int failure = transfer->put ? 0 : errand__beside_finish(&transfer->into, transfer->mode);
    if (failure != 0)
        blame_home(transfer, failure);
}

static void take_ready(struct transfer *transfer, const errand_carrier_notice *notice)
{
    transfer->ready = true;
    if (transfer->put)
        return;
    if (notice->size > transfer->size) {
        blame_code(transfer, "too_large");
        return;
    }
    transfer->size = notice->size;
    transfer->mode = notice->mode;
}

/* true: something was heard. */
static bool listen_once(struct transfer *transfer, int64_t now_us)
{
    const errand_carrier_ops *ops = transfer->carrier->ops;
    errand_scratch scratch = {transfer->loop->scratch, LOOP_SCRATCH};
    errand_carrier_notice notice = {0};
    errand_error error = {0};
    errand_status status = ops->next(transfer->carrier, now_us, scratch, &notice, &error);

    if (status == ERRAND_AGAIN)
        return false;
    if (status < 0) {
        const char *code = ops->code == NULL ? NULL : ops->code(transfer->carrier);
        blame(transfer, code == NULL ? "failed" : code, &error);
        transfer->over = true;
        return true;
    }
    if (notice.type == ERRAND_CARRIER_READY)
        take_ready(transfer, &notice);
    else if (notice.type == ERRAND_CARRIER_BYTES)
        take_bytes(transfer, notice.bytes);
    else
        take_done(transfer);
    return true;
}

static void watch_the_clock(struct transfer *transfer, int64_t now_us, bool moved)
{
    if (moved || !transfer->started)
        transfer->moved_us = now_us;
    else if (now_us - transfer->moved_us >= transfer->stall_us)
        blame_code(transfer, "stalled");
    if (transfer->code != NULL && !transfer->over)
        stop(transfer, now_us);
}

/* --- Turns ------------------------------------------------------------------------------------ */

static void free_ends(struct transfer *transfer)
{
    if (transfer->carrier != NULL)
        transfer->carrier->ops->free(transfer->carrier);
    transfer->carrier = NULL;
    errand__auto_close(&transfer->from);
    transfer->from = -1;
    errand__beside_deinit(&transfer->into);
}

static void tell(struct transfer *transfer, errand_event *event)
{
    bool ok = transfer->code == NULL;

    /* Before anybody is told: what was not finished is not there any more. */
    free_ends(transfer);
    transfer->told = true;
    event->type = ERRAND_EVENT_TRANSFER_OVER;
    event->place = transfer->place;
    event->as.transfer_over.id = transfer->id;
    event->as.transfer_over.ok = ok;
    event->as.transfer_over.bytes = transfer->carried;
    event->as.transfer_over.code = ok ? "" : transfer->code;
    event->as.transfer_over.error = ok ? "" : transfer->error.text;
    event->as.transfer_over.retryable = ok ? 0 : transfer->error.retryable;
    event->as.transfer_over.retry_after_ms = ok ? 0 : transfer->error.retry_after_ms;
    transfer->loop->busy--;
    transfer->place->transfers_going--;
    /* It clears away this transfer in its turn, and goes on closing. */
    errand__loop_ready(&transfer->place->source);
}

static bool transfer_turn(struct source *source, int64_t now_us, errand_event *event)
{
    struct transfer *transfer = transfer_of(source);
    bool moved = false, moves = true;

    if (transfer->told)
        return false;
    start(transfer, now_us);
    for (int i = 0; i < PIECES_A_TURN && transfer->carrier != NULL && !transfer->over && moves;
         i++) {
        bool poured = pour(transfer);
        bool heard = listen_once(transfer, now_us);
        moves = transfer->code == NULL && (poured || heard);
        moved = moved || poured || heard;
    }
    watch_the_clock(transfer, now_us, moved);
    if (!transfer->over) {
        /* No descriptor tells of what the carrier has taken in already. */
        if (moves && transfer->carrier != NULL)
            errand__loop_ready(source);
        return false;
    }
    tell(transfer, event);
    return true;
}

static size_t transfer_wants(struct source *source, struct pollfd *fds, size_t fds_max,
                             int64_t *due_us)
{
    struct transfer *transfer = transfer_of(source);

    *due_us = TIME_NEVER;
    if (transfer->told || transfer->carrier == NULL)
        return 0;
    bool pours = transfer->put && transfer->ready && transfer->code == NULL &&
                 transfer->carried < transfer->size;
    size_t count = transfer->carrier->ops->wants(transfer->carrier, 1, pours, fds, fds_max, due_us);
    int64_t now_us = errand__loop_now(transfer->loop);
    int64_t stall_us = transfer->moved_us + transfer->stall_us;
    if (!transfer->stopped && stall_us < *due_us)
        *due_us = stall_us;
    /* Work that never has to wait: but others look at their descriptors in between. */
    if (*due_us <= now_us)
        *due_us = now_us + 1;
    return count;
}

static const struct source_ops transfer_source = {.turn = transfer_turn, .wants = transfer_wants};

/* --- Life ------------------------------------------------------------------------------------- */

static void transfer_free(struct transfer *transfer)
{
    if (transfer == NULL)
        return;
    free_ends(transfer);
    errand__mem_free(transfer->local);
    errand__mem_free(transfer->remote);
    errand__mem_free(transfer);
}

static errand_status check_remote(const char *remote, errand_error *err)
{
    size_t len = strlen(remote);

    if (len == 0)
        return errand__fail(err, ERRAND_EINVAL, 0, "files: no path over there");
    if (len > ERRAND_CARGO_PATH_MOST - 2)
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "files: a path over there of %zu bytes; %d is the most", len,
                            ERRAND_CARGO_PATH_MOST - 2);
    if (remote[len - 1] == '/')
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "files: %.120s names a folder; a file is carried", remote);
    return ERRAND_OK;
}

/* What begins with a dash could be taken for an option. */
static char *safe_path(const char *path)
{
    size_t len = strlen(path);
    char *safe = errand__mem_new(len + 3, 1);

    if (safe == NULL)
        return NULL;
    (void)snprintf(safe, len + 3, "%s%s", path[0] == '-' ? "./" : "", path);
    return safe;
}

static errand_status open_from(struct transfer *transfer, uint64_t max_bytes, errand_error *err)
{
    const char *path = transfer->local;
    struct stat facts;

    transfer->from = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (transfer->from < 0 || fstat(transfer->from, &facts) != 0)
        return errand__fail(err, ERRAND_EIO, errno, "put %.150s", path);
    if (!S_ISREG(facts.st_mode))
        return errand__fail(err, ERRAND_EIO, 0, "put %.150s: %s", path,
                            S_ISDIR(facts.st_mode) ? "that is a folder"
                                                   : "that is no regular file");
    if ((uint64_t)facts.st_size > max_bytes)
        return errand__fail(err, ERRAND_ELIMIT, 0, "put %.150s: over %" PRIu64 " bytes", path,
                            max_bytes);
    transfer->size = (uint64_t)facts.st_size;
    transfer->mode = (uint32_t)facts.st_mode & 0777;
    if (errand__cargo_goes_on(transfer->from, transfer->size))
        return errand__fail(err, ERRAND_EIO, 0, "put %.150s: it holds more than its size says",
                            path);
    return ERRAND_OK;
}

static errand_status open_into(struct transfer *transfer, uint64_t max_bytes, errand_error *err)
{
    int failure = errand__beside_open(&transfer->into, transfer->local);

    transfer->size = max_bytes;
    return failure == 0 ? ERRAND_OK : fail_into(transfer, failure, err);
}

/* What was asked for. Borrowed. */
struct order {
    bool put;
    const char *local, *remote;
    const errand_transfer_options *options; /* Or NULL. */
};

static errand_status fill_in(struct transfer *transfer, const struct order *order,
                             errand_error *err)
{
    errand_transfer_options options = ERRAND_TRANSFER_OPTIONS_INIT;

    if (order->remote == NULL || order->local == NULL)
        return errand__fail(err, ERRAND_EINVAL, 0, "files: no path %s",
                            order->remote == NULL ? "over there" : "here");
    errand_status status = check_remote(order->remote, err);

    if (status == ERRAND_OK && order->options != NULL)
        status =
            errand__sized_copy(&options, sizeof(options), order->options, "transfer options", err);
    if (status != ERRAND_OK)
        return status;
    uint64_t max_bytes = options.max_bytes == 0 ? MAX_BYTES : options.max_bytes;
    uint64_t stall_ms = options.stall_ms == 0 ? STALL_MS : options.stall_ms;
    if (max_bytes > INT64_MAX || stall_ms > INT32_MAX)
        return errand__fail(err, ERRAND_EINVAL, 0, "files: %s is too much",
                            max_bytes > INT64_MAX ? "max_bytes" : "stall_ms");
    transfer->stall_us = (int64_t)stall_ms * 1000;
    transfer->local = errand__mem_copy(order->local, strlen(order->local));
    transfer->remote = safe_path(order->remote);
    if (transfer->local == NULL || transfer->remote == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "files: out of memory");
    return transfer->put ? open_from(transfer, max_bytes, err)
                         : open_into(transfer, max_bytes, err);
}

static errand_status begin(struct transfer *transfer, errand_error *err)
{
    errand_place *place = transfer->place;

    if (errand__loop_add(place->loop, &transfer->source, &transfer_source) != ERRAND_OK)
        return errand__fail(err, ERRAND_ENOMEM, 0, "files: out of memory");
    transfer->id = ++place->transfers_begun;
    transfer->next_of_place = place->transfers;
    place->transfers = transfer;
    place->transfers_going++;
    place->loop->busy++;
    errand__loop_ready(&transfer->source);
    return ERRAND_OK;
}

static errand_status too_many(errand_error *err)
{
    errand_status status =
        errand__fail(err, ERRAND_ELIMIT, 0, "files: %d are on their way already", TRANSFERS_MOST);

    errand__err_retryable(err, 0);
    return status;
}

static errand_status carry(errand_place *place, const struct order *order, uint64_t *id,
                           errand_error *err)
{
    if (place->close_asked)
        return errand__fail(err, ERRAND_ESTATE, 0, "place: %s is closed", place->name);
    if (place->transfers_going == TRANSFERS_MOST)
        return too_many(err);
    struct transfer *transfer = errand__mem_new(1, sizeof(*transfer));
    if (transfer == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "files: out of memory");
    transfer->loop = place->loop;
    transfer->place = place;
    transfer->put = order->put;
    transfer->from = -1;
    transfer->into.fd = -1;
    errand_status status = fill_in(transfer, order, err);
    if (status == ERRAND_OK)
        status = begin(transfer, err);
    if (status != ERRAND_OK) {
        transfer_free(transfer);
        return status;
    }
    if (id != NULL)
        *id = transfer->id;
    return ERRAND_OK;
}

errand_status errand_place_put(errand_place *place, const char *local, const char *remote,
                               const errand_transfer_options *options, uint64_t *id,
                               errand_error *err)
{
    errand__err_clear(err);
    const struct order order = {true, local, remote, options};
    errand__loop_lock(place->loop);
    errand_status status = carry(place, &order, id, err);
    errand__loop_unlock(place->loop);
    return status;
}

errand_status errand_place_get(errand_place *place, const char *remote, const char *local,
                               const errand_transfer_options *options, uint64_t *id,
                               errand_error *err)
{
    errand__err_clear(err);
    const struct order order = {false, local, remote, options};
    errand__loop_lock(place->loop);
    errand_status status = carry(place, &order, id, err);
    errand__loop_unlock(place->loop);
    return status;
}

/* --- From the place --------------------------------------------------------------------------- */

static void cancel(struct transfer *transfer, int64_t now_us)
{
    if (transfer->over)
        return;
    blame_code(transfer, "cancelled");
    stop(transfer, now_us);
    errand__loop_ready(&transfer->source);
}

void errand_place_transfer_cancel(errand_place *place, uint64_t id)
{
    errand__loop_lock(place->loop);
    for (struct transfer *at = place->transfers; at != NULL; at = at->next_of_place) {
        if (at->id == id)
            cancel(at, errand__loop_now(place->loop));
    }
    errand__loop_unlock(place->loop);
}

void errand__transfers_cancel(errand_place *place, int64_t now_us)
{
    for (struct transfer *at = place->transfers; at != NULL; at = at->next_of_place)
        cancel(at, now_us);
}

void errand__transfers_wake(const errand_place *place)
{
    for (struct transfer *at = place->transfers; at != NULL; at = at->next_of_place)
        errand__loop_ready(&at->source);
}

static void reap(errand_place *place, bool all)
{
    struct transfer **at = &place->transfers;

    while (*at != NULL) {
        struct transfer *transfer = *at;
        if (!transfer->told && !all) {
            at = &transfer->next_of_place;
            continue;
        }
        if (!transfer->told)
            place->loop->busy--;
        *at = transfer->next_of_place;
        errand__loop_remove(&transfer->source);
        transfer_free(transfer);
    }
}

void errand__transfers_reap(errand_place *place)
{
    reap(place, false);
}

void errand__transfers_free(errand_place *place)
{
    reap(place, true);
}
