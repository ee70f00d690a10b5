/* ssh.c - dials, shares channels out among those that wait, dials again where there are too few,
 * and tends what it has. One epoll holds all descriptors, so that whoever drives it waits for
 * one. */
#include "transport/ssh/ssh.h"

#include "base/err.h"
#include "base/mem.h"
#include "transport/cargo.h"
#include "transport/orphans.h"
#include "transport/ssh/file.h"
#include "transport/ssh/road.h"
#include "transport/ssh/run.h"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>

enum {
    LINKS_MOST = 16, /* Of nine runs each. */
    LEASE_MS = 45 * 1000,
    REDIAL_US = 1000 * 1000, /* Twice as long after each that was in vain. */
    REDIALS_MOST = 4,
    CLOSE_US = 5 * 1000 * 1000,
    ORPHANS_PATIENCE_MS = 200
};

static struct ssh_road *road_of(errand_road *self)
{
    return (struct ssh_road *)(void *)self;
}

/* --- Waking --------------------------------------------------------------------------------- */

void errand__ssh_road_wake(struct ssh_road *road)
{
    errand__bell_ring(&road->bell);
}

static void tell_all(struct ssh_road *road, const struct ssh_link *link, const struct ssh_run *but)
{
    for (struct ssh_run *run = road->runs; run != NULL; run = run->next) {
        if (run->link == link && run != but)
            errand__ssh_run_wake(run);
    }
}

void errand__ssh_road_tell(struct ssh_road *road, const struct ssh_link *link)
{
    tell_all(road, link, NULL);
}

void errand__ssh_road_settle(struct ssh_road *road, struct ssh_link *link,
                             const struct ssh_run *but)
{
    if (link == NULL)
        return;
    if (link->wire->heard != link->told) {
        link->told = link->wire->heard;
        tell_all(road, link, but);
    }
    if (link->wire->broken || link->wire->deaf || errand__buf_peek(&link->wire->waiting).len > 0)
        errand__ssh_road_wake(road);
}

static void list(struct ssh_road *road, int fd, uint32_t events, bool *listed, bool wanted)
{
    struct epoll_event event = {.events = events};

    if (*listed == wanted)
        return;
    (void)epoll_ctl(road->poll_fd, wanted ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, fd, &event);
    *listed = wanted;
}

/* A socket that is read and written is two in the epoll: its second is a copy. */
static void list_link(struct ssh_road *road, struct ssh_link *link)
{
    bool dead = errand__ssh_link_is_dead(link);
    bool reads = !dead && errand__ssh_link_listens(link) && !link->wire->deaf;
    bool writes = !dead && errand__buf_peek(&link->wire->waiting).len > 0;

    if (link->wire->in != link->wire->out) {
        list(road, link->wire->in, EPOLLIN, &link->read_listed, reads);
        list(road, link->wire->out, EPOLLOUT, &link->write_listed, writes);
        return;
    }
    if (link->read_listed == reads && link->write_listed == writes)
        return;
    struct epoll_event event = {.events = (reads ? EPOLLIN : 0U) | (writes ? EPOLLOUT : 0U)};
    bool was = link->read_listed || link->write_listed;
    bool is = reads || writes;
    (void)epoll_ctl(road->poll_fd,
                    was && is ? EPOLL_CTL_MOD
                    : is      ? EPOLL_CTL_ADD
                              : EPOLL_CTL_DEL,
                    link->wire->in, &event);
    link->read_listed = reads;
    link->write_listed = writes;
}

/* --- Dialling ------------------------------------------------------------------------------- */

static errand_status dial(struct ssh_road *road, errand_error *err)
{
    struct epoll_event event = {.events = EPOLLIN};
    errand_status status = errand__ssh_dial_start(&road->dial, &road->target, &road->vault, err);

    errand__ssh_diary_note(&road->diary, "a connection was begun");
    if (status == ERRAND_OK)
        (void)epoll_ctl(road->poll_fd, EPOLL_CTL_ADD, errand__ssh_dial_fd(road->dial), &event);
    return status;
}

static errand_status adopt(struct ssh_road *road, const struct ssh_dialled *dialled, int64_t now_us,
                           errand_error *err)
{
    struct ssh_link *link = NULL;

    if (dialled->wire == NULL) {
        if (err != NULL)
            *err = dialled->error;
        return dialled->error.status < 0 ? dialled->error.status : ERRAND_EIO;
    }
    errand_status status = errand__ssh_link_new(&link, dialled, now_us, err);
    if (status != ERRAND_OK)
        return status;
    link->next = road->links;
    road->links = link;
    road->links_count++;
    errand__ssh_diary_note(&road->diary, "connections: %zu", road->links_count);
    return ERRAND_OK;
}

static void keep_facts(struct ssh_road *road)
{
    char line[SSH_DIARY_LINE];

    while (errand__ssh_dial_fact(road->dial, line))
        errand__ssh_diary_note(&road->diary, "%s", line);
}

/* AGAIN: still under way. Otherwise there is no dial any more. */
static errand_status end_dial(struct ssh_road *road, int64_t now_us, const char **code,
                              errand_error *err)
{
    struct ssh_dialled dialled;
    int fd = errand__ssh_dial_fd(road->dial);
    struct epoll_event event = {.events = EPOLLIN};

    (void)epoll_ctl(road->poll_fd, EPOLL_CTL_DEL, fd, NULL);
    keep_facts(road);
    if (errand__ssh_dial_result(road->dial, &road->vault, &dialled) == ERRAND_AGAIN) {
        (void)epoll_ctl(road->poll_fd, EPOLL_CTL_ADD, fd, &event);
        return ERRAND_AGAIN;
    }
    road->dial = NULL;
    *code = dialled.code;
    if (dialled.wire == NULL)
        errand__ssh_diary_note(&road->diary, "that road was none: %.150s", dialled.error.text);
    return adopt(road, &dialled, now_us, err);
}

static errand_status road_open(errand_road *self, int64_t now_us, errand_error *err)
{
    struct ssh_road *road = road_of(self);
    errand_status status = ERRAND_OK;

    if (road->opened)
        return ERRAND_OK;
    if (road->dial == NULL)
        status = dial(road, err);
    if (status == ERRAND_OK)
        status = end_dial(road, now_us, &road->code, err);
    road->opened = status == ERRAND_OK;
    if (road->opened)
        errand__ssh_road_wake(road);
    return status;
}

/* --- Sharing out ---------------------------------------------------------------------------- */

/* The oldest first: they stand at the end of the list. */
static struct ssh_run *first_waiting(struct ssh_road *road, size_t *count)
{
    struct ssh_run *first = NULL;

    *count = 0;
    for (struct ssh_run *run = road->runs; run != NULL; run = run->next) {
        if (!errand__ssh_run_is_waiting(run))
            continue;
        first = run;
        (*count)++;
    }
    return first;
}

/* true: it has a channel now. */
static bool serve(struct ssh_road *road, struct ssh_run *run)
{
    for (struct ssh_link *link = road->links; link != NULL; link = link->next) {
        LIBSSH2_CHANNEL *raw = errand__ssh_link_is_dead(link) ? NULL : errand__ssh_link_take(link);
        if (raw == NULL)
            continue;
        errand__ssh_run_start(run, link, raw);
        return true;
    }
    return false;
}

void errand__ssh_road_serve(struct ssh_road *road, struct ssh_run *run, int64_t now_us)
{
    size_t count = 0;

    (void)now_us;
    if (first_waiting(road, &count) == run)
        (void)serve(road, run);
}

/* Spreads what is still waited for over the connections; returns what fits on none. */
static size_t spread(struct ssh_road *road, size_t waiting)
{
    for (struct ssh_link *link = road->links; link != NULL; link = link->next) {
        size_t room = errand__ssh_link_room(link);
        link->wanted = waiting < room ? waiting : room;
        waiting -= link->wanted;
    }
    return waiting;
}

static void fail_waiting(struct ssh_road *road, const errand_error *why, const char *code)
{
    for (struct ssh_run *run = road->runs; run != NULL; run = run->next) {
        if (errand__ssh_run_is_waiting(run))
            errand__ssh_run_fail(run, why, code == NULL ? "place_failed" : code);
    }
}

/* With other connections alive, those that wait may still get theirs. */
static void dial_failed(struct ssh_road *road, int64_t now_us, const errand_error *why,
                        const char *code)
{
    road->redial_us = now_us + ((int64_t)REDIAL_US << road->redials);
    road->redials += road->redials < REDIALS_MOST ? 1 : 0;
    if (road->links == NULL)
        fail_waiting(road, why, code);
}

static void go_on_dialling(struct ssh_road *road, int64_t now_us)
{
    errand_error why = {0};
    const char *code = NULL;

    if (road->dial == NULL)
        return;
    errand_status status = end_dial(road, now_us, &code, &why);
    if (status < 0)
        dial_failed(road, now_us, &why, code);
    if (status == ERRAND_OK)
        road->redials = 0;
}

static void share_out(struct ssh_road *road, int64_t now_us)
{
    errand_error why = {0};
    size_t waiting = 0;
    struct ssh_run *run = first_waiting(road, &waiting);

    while (run != NULL && serve(road, run))
        run = first_waiting(road, &waiting);
    size_t over = spread(road, waiting);
    if (over > 0 && errand__ssh_sftp_yield(&road->sftp)) {
        errand__ssh_road_wake(road); /* What it had is free. */
        return;
    }
    bool may_dial = road->links_count < LINKS_MOST && !road->leaving &&
                    (road->links == NULL || now_us >= road->redial_us);
    if (over == 0 || road->dial != NULL || !may_dial)
        return;
    if (dial(road, &why) != ERRAND_OK)
        dial_failed(road, now_us, &why, NULL);
}

/* --- Tending -------------------------------------------------------------------------------- */

static void tend_link(struct ssh_road *road, struct ssh_link *link, int64_t now_us)
{
    bool was_full = errand__ssh_wire_is_full(link->wire);
    bool was_dead = errand__ssh_link_is_dead(link);
    errand__ssh_link_turn(link, now_us);
    if ((was_full && !errand__ssh_wire_is_full(link->wire)) ||
        was_dead != errand__ssh_link_is_dead(link))
        errand__ssh_road_tell(road, link);
}

static void hear_wardens(struct ssh_road *road)
{
    unsigned id = 0;
    int status = 0;

    for (struct ssh_link *link = road->links; link != NULL; link = link->next) {
        while (!errand__ssh_link_is_dead(link) &&
               errand__ssh_warden_next(&link->warden, &id, &status))
            errand__ssh_order_answered(road->orders, link, id, status);
    }
}

static void tend_orders(struct ssh_road *road, int64_t now_us)
{
    hear_wardens(road);
    for (struct ssh_order **at = &road->orders; *at != NULL;) {
        struct ssh_order *order = *at;
        if (!errand__ssh_order_is_over(order, now_us)) {
            at = &order->next;
            continue;
        }
        *at = order->next;
        if (order->owned)
            errand__ssh_road_tell(road, order->link);
        order->listed = false;
        if (!order->owned)
            errand__mem_free(order);
    }
}

static bool is_used(const struct ssh_road *road, const struct ssh_link *link)
{
    for (const struct ssh_run *run = road->runs; run != NULL; run = run->next) {
        if (run->link == link)
            return true;
    }
    for (const struct ssh_order *order = road->orders; order != NULL; order = order->next) {
        if (order->link == link)
            return true;
    }
    return false;
}

/* Those that are dead go once nobody looks at them any more. */
static void bury_links(struct ssh_road *road, int64_t now_us)
{
    for (struct ssh_link **at = &road->links; *at != NULL;) {
        struct ssh_link *link = *at;
        list_link(road, link);
        if (!errand__ssh_link_is_dead(link) || is_used(road, link)) {
            at = &link->next;
            continue;
        }
        *at = link->next;
        road->links_count--;
        errand__ssh_diary_note(&road->diary, "a connection was given up: %.150s",
                               link->failure.text);
        if (errand__ssh_link_is_in_vain(link, now_us))
            dial_failed(road, now_us, &link->failure, NULL);
        errand__ssh_link_free(link);
    }
}

static void road_tend(errand_road *self, int64_t now_us)
{
    struct ssh_road *road = road_of(self);

    errand__bell_calm(&road->bell);
    road->now_us = now_us;
    if (!road->opened)
        return;
    go_on_dialling(road, now_us);
    for (struct ssh_link *link = road->links; link != NULL; link = link->next)
        tend_link(road, link, now_us);
    tend_orders(road, now_us);
    errand__ssh_sftp_turn(&road->sftp, now_us);
    bury_links(road, now_us);
    share_out(road, now_us);
    for (struct ssh_link *link = road->links; link != NULL; link = link->next) {
        if (!link->opening)
            tend_link(road, link, now_us); /* What was just wanted goes out at once. */
        errand__ssh_road_settle(road, link, NULL);
        list_link(road, link);
    }
}

static size_t road_wants(errand_road *self, struct pollfd *fds, size_t fds_max, int64_t *due_us)
{
    struct ssh_road *road = road_of(self);

    *due_us = TIME_NEVER;
    for (const struct ssh_link *link = road->links; link != NULL; link = link->next) {
        int64_t due = errand__ssh_link_due(link, 0);
        *due_us = due < *due_us ? due : *due_us;
    }
    for (const struct ssh_order *order = road->orders; order != NULL; order = order->next) {
        if (order->end == SSH_ORDER_GOING && order->due_us < *due_us)
            *due_us = order->due_us;
    }
    size_t waiting = 0;
    if (first_waiting(road, &waiting) != NULL && road->dial == NULL && road->redials > 0 &&
        road->redial_us < *due_us)
        *due_us = road->redial_us;
    if (road->closing && road->close_due_us < *due_us)
        *due_us = road->close_due_us;
    if (fds_max > 0)
        fds[0] = (struct pollfd){road->poll_fd, POLLIN, 0};
    return 1;
}

/* --- Questions ------------------------------------------------------------------------------ */

static int road_ask(errand_road *self, errand_ask *out)
{
    struct ssh_road *road = road_of(self);

    return road->dial != NULL && errand__ssh_dial_question(road->dial, out);
}

static errand_status road_answer(errand_road *self, uint64_t ask, const char *text,
                                 errand_error *err)
{
    struct ssh_road *road = road_of(self);

    if (road->dial != NULL && errand__ssh_dial_answer(road->dial, ask, text))
        return ERRAND_OK;
    return errand__fail(err, ERRAND_ESTATE, 0, "ssh: that is not asked any more");
}

static int road_fact(errand_road *self, errand_span *line)
{
    struct ssh_road *road = road_of(self);

    if (!errand__ssh_diary_take(&road->diary, road->fact))
        return 0;
    *line = span_text(road->fact);
    return 1;
}

static const char *road_code(errand_road *self)
{
    return road_of(self)->code;
}

/* --- Launching and leaving ------------------------------------------------------------------ */

static errand_status road_launch(errand_road *self, const errand_launch *launch, int64_t now_us,
                                 errand_process **out, errand_error *err)
{
    struct ssh_road *road = road_of(self);
    errand_status status = errand__ssh_run_new(out, road, launch, err);

    if (status == ERRAND_OK)
        road_tend(self, now_us);
    return status;
}

static errand_status road_carry(errand_road *self, const errand_cargo *cargo, int64_t now_us,
                                errand_carrier **out, errand_error *err)
{
    struct ssh_road *road = road_of(self);

    if (road->sftp.state == SSH_SFTP_NONE)
        return errand__channel_new(out, self, cargo, now_us, err);
    errand_status status = errand__ssh_file_new(out, road, cargo, err);
    if (status == ERRAND_OK)
        road_tend(self, now_us);
    return status;
}

static errand_status road_close(errand_road *self, int64_t now_us, errand_error *err)
{
    struct ssh_road *road = road_of(self);

    (void)err;
    if (!road->closing)
        road->close_due_us = now_us + CLOSE_US;
    road->closing = road->leaving = true;
    errand__ssh_dial_drop(steal(&road->dial));
    road_tend(self, now_us);
    return road->orders != NULL && now_us < road->close_due_us ? ERRAND_AGAIN : ERRAND_OK;
}

static void road_free(errand_road *self)
{
    struct ssh_road *road = road_of(self);

    if (road == NULL)
        return;
    errand__ssh_sftp_deinit(&road->sftp);
    errand__ssh_dial_drop(road->dial);
    while (road->orders != NULL) {
        struct ssh_order *next = road->orders->next;
        errand__mem_free(road->orders);
        road->orders = next;
    }
    while (road->links != NULL) {
        struct ssh_link *next = road->links->next;
        errand__ssh_link_free(road->links);
        road->links = next;
    }
    errand__auto_close(&road->poll_fd);
    errand__bell_deinit(&road->bell);
    errand__ssh_vault_deinit(&road->vault);
    errand__ssh_diary_deinit(&road->diary);
    errand__ssh_target_deinit(&road->target);
    errand__mem_free(road);
    errand__orphans_bury(ORPHANS_PATIENCE_MS);
}

static const errand_road_ops road_ops = {.size = sizeof(errand_road_ops),
                                         .name = "ssh",
                                         .open = road_open,
                                         .launch = road_launch,
                                         .close = road_close,
                                         .wants = road_wants,
                                         .free = road_free,
                                         .lease_ms = LEASE_MS,
                                         .delivery = ERRAND_DELIVERY_STDIN,
                                         .tend = road_tend,
                                         .ask = road_ask,
                                         .answer = road_answer,
                                         .code = road_code,
                                         .fact = road_fact,
                                         .carry = road_carry};

static errand_status open_descriptors(struct ssh_road *road, errand_error *err)
{
    struct epoll_event event = {.events = EPOLLIN};

    road->poll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (road->poll_fd < 0 || !errand__bell_init(&road->bell) ||
        epoll_ctl(road->poll_fd, EPOLL_CTL_ADD, road->bell.fd, &event) != 0)
        return errand__fail(err, ERRAND_EIO, errno, "ssh: no descriptor");
    return ERRAND_OK;
}

errand_status errand__ssh_road_new(errand_road **out, char **name, const char *rest,
                                   const errand_ssh_options *options, errand_error *err)
{
    struct ssh_road *road = errand__mem_new(1, sizeof(*road));

    *out = NULL;
    *name = NULL;
    if (road == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "ssh: no memory");
    road->base.ops = &road_ops;
    road->poll_fd = road->bell.fd = -1;
    errand__ssh_sftp_init(&road->sftp, road);
    errand__ssh_diary_init(&road->diary, -1); /* Its own facts wake nobody: it is awake. */
    errand_status status = errand__ssh_target_parse(&road->target, rest, err);
    if (status == ERRAND_OK)
        status = errand__ssh_target_adopt(&road->target, options, err);
    if (status == ERRAND_OK)
        status = open_descriptors(road, err);
    AUTO_FREE char *text = status == ERRAND_OK ? errand__ssh_target_text(&road->target) : NULL;
    if (status == ERRAND_OK && text == NULL)
        status = errand__fail(err, ERRAND_ENOMEM, 0, "ssh: no memory");
    if (status != ERRAND_OK) {
        road_free(&road->base);
        return status;
    }
    *name = steal(&text);
    *out = &road->base;
    return ERRAND_OK;
}
