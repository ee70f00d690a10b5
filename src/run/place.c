/* place.c - opens a road once, tells the runs that wait for it, and closes it after them. */
#include "run/place.h"

#include "base/err.h"
#include "base/mem.h"
#include "run/loop.h"
#include "run/run.h"
#include "run/sized.h"
#include "run/trace.h"
#include "run/transfer.h"
#include "transport/address.h"

/* A road of somebody else's may know fewer of them. */
#define HAS_OP(ops, member) \
    ((ops)->size >= offsetof(errand_road_ops, member) + sizeof((ops)->member) && (ops)->member != 0)

/* --- Turns ---------------------------------------------------------------------------------- */

static void wake_runs(const errand_place *place)
{
    for (errand_run *run = place->runs; run != NULL; run = run->next_of_place)
        errand__loop_ready(&run->source);
    errand__transfers_wake(place);
}

static void open_road(errand_place *place, int64_t now_us)
{
    errand_error error = {0};
    errand_status status = place->road->ops->open(place->road, now_us, &error);

    if (status == ERRAND_AGAIN)
        return;
    if (status == ERRAND_OK) {
        place->state = PLACE_OPEN;
    } else {
        place->state = PLACE_FAILED;
        place->error = error;
        if (HAS_OP(place->road->ops, code))
            place->error_code = place->road->ops->code(place->road);
        if (place->error_code == NULL)
            place->error_code = "place_failed";
    }
    wake_runs(place);
}

static void close_road(errand_place *place, int64_t now_us)
{
    errand_error error = {0};

    if (place->runs_going > 0 || place->transfers_going > 0 ||
        place->road->ops->close(place->road, now_us, &error) == ERRAND_AGAIN)
        return;
    place->state = PLACE_CLOSED;
}

/* The road's own words may change before the event is looked at. */
static bool hand_out_question(errand_place *place, errand_event *event)
{
    errand_ask ask = {0};

    if (place->state > PLACE_OPEN || !HAS_OP(place->road->ops, ask) ||
        place->road->ops->ask(place->road, &ask) == 0)
        return false;
    size_t len = strlen(ask.prompt);
    len = len < sizeof(place->prompt) ? len : sizeof(place->prompt) - 1;
    memcpy(place->prompt, ask.prompt, len);
    place->prompt[len] = '\0';
    event->type = ERRAND_EVENT_ASK;
    event->place = place;
    event->as.ask = ask;
    event->as.ask.prompt = place->prompt;
    return true;
}

/* To all runs, since they share the road; kept for the first one while there is none. */
static void tell_facts(errand_place *place, int64_t now_us)
{
    const errand_road_ops *ops = place->road->ops;
    errand_span line = SPAN_EMPTY;

    while (place->runs != NULL && HAS_OP(ops, fact) && ops->fact(place->road, &line) != 0) {
        for (errand_run *run = place->runs; run != NULL; run = run->next_of_place)
            errand__trace(&run->plan, now_us, ops->name, "%.*s", (int)line.len, line.ptr);
    }
}

static bool place_turn(struct source *source, int64_t now_us, errand_event *event)
{
    errand_place *place = (errand_place *)(void *)source;

    errand__transfers_reap(place);
    if (place->state == PLACE_OPENING)
        open_road(place, now_us);
    else if (place->state != PLACE_CLOSED && place->state != PLACE_FAILED &&
             HAS_OP(place->road->ops, tend))
        place->road->ops->tend(place->road, now_us);
    tell_facts(place, now_us);
    if (hand_out_question(place, event))
        return true;
    if (place->close_asked && place->state < PLACE_CLOSING)
        place->state = PLACE_CLOSING;
    if (place->state == PLACE_CLOSING)
        close_road(place, now_us);
    if (place->state != PLACE_CLOSED || place->closed_told)
        return false;
    place->closed_told = true;
    place->loop->busy--;
    event->type = ERRAND_EVENT_PLACE_CLOSED;
    event->place = place;
    return true;
}

static size_t place_wants(struct source *source, struct pollfd *fds, size_t fds_max,
                          int64_t *due_us)
{
    errand_place *place = (errand_place *)(void *)source;

    *due_us = TIME_NEVER;
    if (place->state == PLACE_CLOSED || place->road->ops->wants == NULL)
        return 0;
    return place->road->ops->wants(place->road, fds, fds_max, due_us);
}

static const struct source_ops place_source = {.turn = place_turn, .wants = place_wants};

void errand__place_run_ended(errand_place *place)
{
    assert(place->runs_going > 0);
    place->runs_going--;
    errand__loop_ready(&place->source);
}

/* --- Life ------------------------------------------------------------------------------------ */

/* Whether what is made for this place has no network from its making on. */
static bool makes_cut_off(const char *name, const errand_e2b_options *e2b)
{
    if (e2b == NULL || !span_starts(span_text(name), SPAN_LITERAL("e2b://")))
        return false;
    errand_e2b_options given = ERRAND_E2B_OPTIONS_INIT;
    errand_error ignored = {0};
    if (errand__sized_copy(&given, sizeof(given), e2b, "e2b options", &ignored) != ERRAND_OK)
        return false;
    return given.no_internet != 0 && (given.allow_out == NULL || given.allow_out[0] == NULL);
}

static errand_status adopt_options(errand_place *place, const errand_place_options *options,
                                   errand_error *err)
{
    errand_place_options given = ERRAND_PLACE_OPTIONS_INIT;

    if (options != NULL) {
        errand_status status =
            errand__sized_copy(&given, sizeof(given), options, "place options", err);
        if (status != ERRAND_OK)
            return status;
    }
    if (given.delivery > ERRAND_DELIVERY_FILE)
        return errand__fail(err, ERRAND_EINVAL, 0, "delivery: no such way (%d)",
                            (int)given.delivery);
    place->reattaches = HAS_OP(place->road->ops, reattaches);
    place->cut_off = makes_cut_off(place->name, given.e2b);
    place->delivery = given.delivery != ERRAND_DELIVERY_AUTO ? given.delivery
                      : place->road->ops->delivery != ERRAND_DELIVERY_AUTO
                          ? place->road->ops->delivery
                          : ERRAND_DELIVERY_STDIN;
    if (given.node == NULL)
        return ERRAND_OK;
    place->node = errand__mem_copy(given.node, strlen(given.node));
    return place->node == NULL ? errand__fail(err, ERRAND_ENOMEM, 0, "place: out of memory")
                               : ERRAND_OK;
}

/* The road is taken. */
static errand_status place_new(errand_place **out, errand_loop *loop, errand_road *road,
                               errand_error *err)
{
    errand_place *place = errand__mem_new(1, sizeof(*place));

    if (place == NULL || errand__loop_add(loop, &place->source, &place_source) != ERRAND_OK) {
        errand__mem_free(place);
        road->ops->free(road);
        return errand__fail(err, ERRAND_ENOMEM, 0, "place: out of memory");
    }
    place->loop = loop;
    place->road = road;
    *out = place;
    return ERRAND_OK;
}

errand_status errand_place_open_road(errand_place **out, errand_loop *loop, errand_road *road,
                                     const char *name, const errand_place_options *options,
                                     errand_error *err)
{
    errand_place *place = NULL;

    errand__err_clear(err);
    *out = NULL;
    errand__loop_lock(loop);
    errand_status status = place_new(&place, loop, road, err);
    if (place != NULL) {
        place->name = errand__mem_copy(name, strlen(name));
        status = place->name == NULL ? errand__fail(err, ERRAND_ENOMEM, 0, "place: out of memory")
                                     : adopt_options(place, options, err);
        errand__loop_ready(&place->source);
    }
    errand__loop_unlock(loop);
    if (status != ERRAND_OK) {
        errand_place_free(place);
        return status;
    }
    *out = place;
    return ERRAND_OK;
}

/* Complete copies, since roads may be newer than who fills in their options. */
struct complete_options {
    errand_place_options place;
    errand_ssh_options ssh;
    errand_e2b_options e2b;
};

static errand_status complete(struct complete_options *to, const errand_place_options *options,
                              errand_error *err)
{
    *to = (struct complete_options){ERRAND_PLACE_OPTIONS_INIT, ERRAND_SSH_OPTIONS_INIT,
                                    ERRAND_E2B_OPTIONS_INIT};
    errand_status status = options == NULL ? ERRAND_OK
                                           : errand__sized_copy(&to->place, sizeof(to->place),
                                                                options, "place options", err);
    if (status == ERRAND_OK && to->place.ssh != NULL)
        status = errand__sized_copy(&to->ssh, sizeof(to->ssh), to->place.ssh, "ssh options", err);
    if (status == ERRAND_OK && to->place.e2b != NULL)
        status = errand__sized_copy(&to->e2b, sizeof(to->e2b), to->place.e2b, "e2b options", err);
    to->place.ssh = &to->ssh;
    to->place.e2b = &to->e2b;
    return status;
}

errand_status errand_place_open(errand_place **out, errand_loop *loop, const char *address,
                                const errand_place_options *options, errand_error *err)
{
    AUTO_FREE char *name = NULL;
    errand_road *road = NULL;

    errand__err_clear(err);
    *out = NULL;
    if (loop == NULL)
        return errand__fail(err, ERRAND_EINVAL, 0, "place: no loop was given");
    struct complete_options given;
    errand_status status = complete(&given, options, err);
    if (status == ERRAND_OK)
        status = errand__road_from_address(&road, &name, address, &given.place, err);
    if (status != ERRAND_OK)
        return status;
    return errand_place_open_road(out, loop, road, name, &given.place, err);
}

const char *errand_place_name(const errand_place *place)
{
    return place->name;
}

errand_status errand_place_answer(errand_place *place, uint64_t ask, const char *text,
                                  errand_error *err)
{
    errand_status status = ERRAND_ESTATE;

    errand__err_clear(err);
    errand__loop_lock(place->loop);
    if (HAS_OP(place->road->ops, answer))
        status = place->road->ops->answer(place->road, ask, text, err);
    else
        status = errand__fail(err, status, 0, "place: %s asks nothing", place->name);
    errand__loop_unlock(place->loop);
    return status;
}

void errand_place_close(errand_place *place)
{
    errand__loop_lock(place->loop);
    if (!place->close_asked) {
        int64_t now_us = errand__loop_now(place->loop);
        place->close_asked = true;
        place->loop->busy++;
        for (errand_run *run = place->runs; run != NULL; run = run->next_of_place)
            errand__run_cancel(run, now_us, SPAN_LITERAL("the place is being closed"));
        errand__transfers_cancel(place, now_us);
        errand__loop_ready(&place->source);
    }
    errand__loop_unlock(place->loop);
}

void errand_place_free(errand_place *place)
{
    if (place == NULL)
        return;
    errand_loop *loop = place->loop;
    assert(place->runs == NULL);
    errand__loop_lock(loop);
    if (place->close_asked && !place->closed_told)
        loop->busy--;
    errand__transfers_free(place);
    errand__loop_remove(&place->source);
    errand__loop_unlock(loop);
    place->road->ops->free(place->road);
    errand__mem_free(place->name);
    errand__mem_free(place->node);
    errand__mem_free(place);
}
