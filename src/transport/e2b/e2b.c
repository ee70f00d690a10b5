/* e2b.c - gets a sandbox, keeps it alive while there is something in it, and lets it go. */
#include "transport/e2b/e2b.h"

#include "base/err.h"
#include "base/mem.h"
#include "transport/cargo.h"
#include "transport/e2b/file.h"
#include "transport/e2b/json.h"
#include "transport/e2b/road.h"
#include "transport/e2b/run.h"

#include <poll.h>
#include <stdio.h>
#include <sys/epoll.h>

enum {
    LEASE_MS = 45 * 1000,
    CLOSE_US = 8 * 1000 * 1000,
    REFRESH_PARTS = 3, /* Of its life, after which it is made longer. */
    REFRESH_AGAIN_US = 2 * 1000 * 1000,
    EXPIRED_US = 1000 * 1000 /* So much sooner than said it may come to its end. */
};

static struct e2b_road *road_of(errand_road *self)
{
    return (struct e2b_road *)(void *)self;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t life_us(const struct e2b_road *road)
{
    return (int64_t)road->config.timeout_s * 1000000;
}

bool errand__e2b_road_expired(const struct e2b_road *road)
{
    return !road->config.debug && road->now_us >= road->expires_us - EXPIRED_US;
}

/* --- Orders ----------------------------------------------------------------------------------- */

struct e2b_order *errand__e2b_road_order(struct e2b_road *road, enum e2b_order_kind kind,
                                         uint32_t pid, const char *mark, struct bell *owner)
{
    struct e2b_order *order = errand__e2b_order_new(
        &road->envd, kind, pid, kind == E2B_ORDER_CLEAR || kind == E2B_ORDER_LOOK ? mark : "",
        &road->bell);

    if (order == NULL)
        return NULL;
    order->owner = owner;
    order->next = road->orders;
    road->orders = order;
    errand__e2b_road_push(road);
    return order;
}

void errand__e2b_road_disown(struct e2b_road *road, struct e2b_order *order)
{
    if (order == NULL)
        return;
    order->owner = NULL;
    order->disowned = true;
    errand__bell_ring(&road->bell);
}

static void tend_orders(struct e2b_road *road)
{
    for (struct e2b_order **at = &road->orders; *at != NULL;) {
        struct e2b_order *order = *at;
        if (!errand__e2b_order_turn(order, road->now_us) || !order->disowned) {
            at = &order->next;
            continue;
        }
        *at = order->next;
        errand__e2b_order_free(order);
    }
}

/* --- Its life --------------------------------------------------------------------------------- */

static void lives_from(struct e2b_road *road, int64_t now_us)
{
    road->expires_us = now_us + life_us(road);
    road->refresh_us = now_us + life_us(road) / REFRESH_PARTS;
}

static void refreshed(struct e2b_road *road)
{
    struct e2b_secrets secrets = errand__e2b_envd_secrets(&road->envd);
    struct e2b_failure failure;

    if (errand__e2b_control_worked(road->refresh)) {
        lives_from(road, road->now_us);
    } else if (road->refresh->status == 404) {
        road->refresh_us = TIME_NEVER; /* Those inside will hear of it. */
    } else {
        errand__e2b_error_judge(&failure, road->refresh, E2B_PLANE_API, &secrets);
        errand__e2b_diary_note(&road->diary, "its life could not be made longer: %.120s",
                               failure.error.text);
        road->refresh_us = road->now_us + REFRESH_AGAIN_US;
    }
    errand__e2b_exchange_free(road->refresh);
    road->refresh = NULL;
}

/* One that was there before us may live longer than we ask for: connecting never makes that less.
 */
static void keep_alive(struct e2b_road *road)
{
    bool used = road->runs != NULL || road->files != NULL;
    enum e2b_verb verb = road->config.id == NULL ? E2B_VERB_TIMEOUT : E2B_VERB_CONNECT;

    if (road->refresh != NULL && road->refresh->over)
        refreshed(road);
    if (road->config.debug || !used || road->closing || road->refresh != NULL ||
        road->now_us < road->refresh_us)
        return;
    road->refresh_us = road->now_us + REFRESH_AGAIN_US;
    road->refresh = errand__e2b_control_ask(&road->control, verb, road->sandbox.id, &road->bell);
}

static int64_t road_due(const struct e2b_road *road)
{
    int64_t due_us =
        least(errand__e2b_http_due(&road->http), errand__e2b_opening_due(&road->opening));

    for (const struct e2b_order *order = road->orders; order != NULL; order = order->next)
        due_us = least(due_us, errand__e2b_order_due(order));
    if (road->opened && road->refresh == NULL && (road->runs != NULL || road->files != NULL) &&
        !road->config.debug)
        due_us = least(due_us, road->refresh_us);
    if (road->closing)
        due_us = least(due_us, least(road->close_due_us, road->kill_us));
    return due_us;
}

void errand__e2b_road_push(struct e2b_road *road)
{
    errand__e2b_http_turn(&road->http, road->now_us);
    if (road_due(road) < road->told_us)
        errand__bell_ring(&road->bell);
}

static void tend(struct e2b_road *road, int64_t now_us)
{
    errand__bell_calm(&road->bell);
    road->now_us = now_us;
    errand__e2b_http_turn(&road->http, now_us);
}

static void road_tend(errand_road *self, int64_t now_us)
{
    struct e2b_road *road = road_of(self);

    tend(road, now_us);
    tend_orders(road);
    keep_alive(road);
    errand__e2b_http_turn(&road->http, now_us); /* What was just asked for goes out at once. */
}

/* --- Opening ---------------------------------------------------------------------------------- */

static errand_status arrive(struct e2b_road *road, int64_t now_us, errand_error *err)
{
    const struct e2b_config *config = &road->config;

    road->opened = true;
    if (!errand__e2b_config_envd_url(config, road->sandbox.id, road->sandbox.domain,
                                     road->envd.url)) {
        road->code = "not_e2b";
        return errand__fail(err, ERRAND_EIO, 0, "e2b: the sandbox's address is too long");
    }
    lives_from(road, now_us);
    return ERRAND_OK;
}

static errand_status road_open(errand_road *self, int64_t now_us, errand_error *err)
{
    struct e2b_road *road = road_of(self);

    if (road->opened)
        return ERRAND_OK;
    tend(road, now_us);
    errand_status status = errand__e2b_opening_step(&road->opening, now_us);
    errand__e2b_http_turn(&road->http, now_us);
    if (status == ERRAND_AGAIN)
        return ERRAND_AGAIN;
    if (status == ERRAND_OK)
        return arrive(road, now_us, err);
    road->code = road->opening.failure.code;
    return errand__e2b_error_give(&road->opening.failure, err);
}

static size_t road_wants(errand_road *self, struct pollfd *fds, size_t fds_max, int64_t *due_us)
{
    struct e2b_road *road = road_of(self);

    *due_us = road->told_us = road_due(road);
    if (fds_max > 0)
        fds[0] = (struct pollfd){road->http.poll_fd, POLLIN, 0};
    return 1;
}

/* --- Leaving ---------------------------------------------------------------------------------- */

static bool is_ours(const struct e2b_road *road)
{
    return road->config.template != NULL && !road->config.debug && !road->config.keep;
}

/* AGAIN: still under way. */
static errand_status kill_sandbox(struct e2b_road *road)
{
    struct e2b_failure failure;

    if (road->kill == NULL) {
        if (road->now_us < road->kill_us)
            return ERRAND_AGAIN;
        road->kill_us = TIME_NEVER;
        road->kill =
            errand__e2b_control_ask(&road->control, E2B_VERB_KILL, road->sandbox.id, &road->bell);
        return road->kill == NULL ? ERRAND_ENOMEM : ERRAND_AGAIN;
    }
    if (!road->kill->over)
        return ERRAND_AGAIN;
    bool gone = errand__e2b_control_worked(road->kill) || road->kill->status == 404;
    if (!gone)
        errand__e2b_error_judge(&failure, road->kill, E2B_PLANE_API, NULL);
    errand__e2b_exchange_free(road->kill);
    road->kill = NULL;
    if (gone)
        return ERRAND_OK;
    failure.unsure = false; /* To kill it twice does no harm. */
    road->kill_us = errand__e2b_patience_again(&road->kill_patience, &failure, road->now_us);
    return road->kill_us == TIME_NEVER ? ERRAND_EIO : ERRAND_AGAIN;
}

/* A sandbox that is being made is waited for: nobody else would let it go. */
static errand_status wait_for_it(struct e2b_road *road)
{
    if (road->opened || !road->opening.made || road->opening.failure.code != NULL)
        return ERRAND_OK;
    errand_status status = errand__e2b_opening_step(&road->opening, road->now_us);
    return status == ERRAND_AGAIN ? ERRAND_AGAIN : ERRAND_OK;
}

static errand_status leave(struct e2b_road *road)
{
    errand_status status = wait_for_it(road);

    if (status != ERRAND_OK)
        return status;
    tend_orders(road);
    if (road->orders != NULL && !is_ours(road))
        return ERRAND_AGAIN;
    if (road->sandbox.id[0] == '\0' || !is_ours(road) || road->dead)
        return ERRAND_OK;
    return kill_sandbox(road);
}

static errand_status road_close(errand_road *self, int64_t now_us, errand_error *err)
{
    struct e2b_road *road = road_of(self);

    if (!road->closing) {
        road->closing = true;
        road->close_due_us = now_us + CLOSE_US;
        road->kill_us = now_us;
        errand__e2b_patience_init(&road->kill_patience, road->close_due_us);
    }
    tend(road, now_us);
    errand_status status = leave(road);
    errand__e2b_http_turn(&road->http, now_us);
    if (status == ERRAND_AGAIN && now_us >= road->close_due_us)
        return errand__fail(err, ERRAND_EIO, 0,
                            "e2b: the sandbox could not be cleared or deleted in time");
    return status;
}

static const char *road_code(errand_road *self)
{
    return road_of(self)->code;
}

static int road_fact(errand_road *self, errand_span *line)
{
    const char *text = errand__e2b_diary_take(&road_of(self)->diary);

    *line = span_text(text);
    return text != NULL;
}

static errand_status road_launch(errand_road *self, const errand_launch *launch, int64_t now_us,
                                 errand_process **out, errand_error *err)
{
    struct e2b_road *road = road_of(self);

    road->now_us = road->http.now_us = now_us;
    return errand__e2b_run_new(out, road, launch, err);
}

/* Names that no message of the service can carry go through a shell's standard input. */
static errand_status road_carry(errand_road *self, const errand_cargo *cargo, int64_t now_us,
                                errand_carrier **out, errand_error *err)
{
    struct e2b_road *road = road_of(self);

    road->now_us = road->http.now_us = now_us;
    if (!errand__e2b_json_carries(cargo->path))
        return errand__channel_new(out, self, cargo, now_us, err);
    return errand__e2b_file_new(out, road, cargo, err);
}

static void road_free(errand_road *self)
{
    struct e2b_road *road = road_of(self);

    if (road == NULL)
        return;
    errand__e2b_opening_deinit(&road->opening);
    while (road->orders != NULL) {
        struct e2b_order *next = road->orders->next;
        errand__e2b_order_free(road->orders);
        road->orders = next;
    }
    errand__e2b_exchange_free(road->refresh);
    errand__e2b_exchange_free(road->kill);
    errand__e2b_http_deinit(&road->http);
    errand__bell_deinit(&road->bell);
    errand__e2b_sandbox_deinit(&road->sandbox);
    errand__e2b_config_deinit(&road->config);
    errand__mem_free(road);
}

static const errand_road_ops road_ops = {.size = sizeof(errand_road_ops),
                                         .name = "e2b",
                                         .open = road_open,
                                         .launch = road_launch,
                                         .close = road_close,
                                         .wants = road_wants,
                                         .free = road_free,
                                         .lease_ms = LEASE_MS,
                                         .delivery = ERRAND_DELIVERY_FILE,
                                         .tend = road_tend,
                                         .code = road_code,
                                         .carry = road_carry,
                                         .fact = road_fact,
                                         .reattaches = 1};

/* --- Making ----------------------------------------------------------------------------------- */

bool errand__e2b_address(const char *address)
{
    return strncmp(address, "e2b:", 4) == 0;
}

static void join_parts(struct e2b_road *road)
{
    road->control = (struct e2b_control){.config = &road->config, .http = &road->http};
    road->envd = (struct e2b_envd){.config = &road->config,
                                   .sandbox = &road->sandbox,
                                   .http = &road->http,
                                   .json = road->config.codec == ERRAND_E2B_CODEC_JSON};
    road->opening = (struct e2b_opening){.control = &road->control,
                                         .sandbox = &road->sandbox,
                                         .diary = &road->diary,
                                         .bell = &road->bell,
                                         .again_us = TIME_NEVER};
    road->told_us = road->refresh_us = road->expires_us = road->kill_us = TIME_NEVER;
}

static errand_status open_descriptors(struct e2b_road *road, errand_error *err)
{
    struct epoll_event event = {.events = EPOLLIN};
    errand_status status = errand__e2b_http_init(&road->http, &road->diary, err);

    if (status != ERRAND_OK)
        return status;
    if (!errand__bell_init(&road->bell))
        return errand__fail(err, ERRAND_EIO, 0, "e2b: no descriptor");
    event.data.fd = road->bell.fd;
    return epoll_ctl(road->http.poll_fd, EPOLL_CTL_ADD, road->bell.fd, &event) == 0
               ? ERRAND_OK
               : errand__fail(err, ERRAND_EIO, 0, "e2b: no descriptor");
}

errand_status errand__e2b_road_new(errand_road **out, char **name, const char *address,
                                   const errand_e2b_options *options, errand_error *err)
{
    struct e2b_road *road = errand__mem_new(1, sizeof(*road));

    *out = NULL;
    *name = NULL;
    if (road == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "e2b: no memory");
    road->base.ops = &road_ops;
    road->bell.fd = road->http.poll_fd = -1;
    errand_status status = errand__e2b_config_init(&road->config, address, options, err);
    if (status == ERRAND_OK)
        status = open_descriptors(road, err);
    AUTO_FREE char *text = status == ERRAND_OK ? errand__e2b_config_text(&road->config) : NULL;
    if (status == ERRAND_OK && text == NULL)
        status = errand__fail(err, ERRAND_ENOMEM, 0, "e2b: no memory");
    if (status != ERRAND_OK) {
        road_free(&road->base);
        return status;
    }
    join_parts(road);
    *name = steal(&text);
    *out = &road->base;
    return ERRAND_OK;
}
