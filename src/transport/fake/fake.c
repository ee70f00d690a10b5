/* fake.c - the road: opens when its script says so, and launches one part of it after the other. */
#include "transport/fake/fake.h"

#include "base/err.h"
#include "base/mem.h"
#include "transport/fake/ferry.h"
#include "transport/fake/process.h"
#include "transport/fake/script.h"

#include <poll.h>

struct fake_road {
    errand_road road;
    errand_road_ops ops; /* Its own, since lease and delivery are facts of the script. */
    struct fake_script script;
    size_t launched;
    int64_t open_us; /* TIME_NEVER: not asked to yet. */
    bool opened;
};

static errand_status road_open(errand_road *road, int64_t now_us, errand_error *err)
{
    struct fake_road *self = (struct fake_road *)(void *)road;

    if (self->open_us == TIME_NEVER)
        self->open_us = now_us + self->script.open_after_us;
    if (now_us < self->open_us)
        return ERRAND_AGAIN;
    self->opened = true;
    if (!self->script.open_fails)
        return ERRAND_OK;
    struct fake_text text = self->script.open_failure;
    return errand__fail(err, ERRAND_EIO, 0, "%.*s", (int)text.len,
                        text.len == 0 ? ""
                                      : errand__buf_peek(&self->script.bytes).ptr + text.start);
}

static errand_status road_launch(errand_road *road, const errand_launch *launch, int64_t now_us,
                                 errand_process **out, errand_error *err)
{
    struct fake_road *self = (struct fake_road *)(void *)road;
    const struct fake_script *script = &self->script;
    size_t index = self->launched < script->parts_count ? self->launched : script->parts_count - 1;
    const struct fake_part *part = &script->parts[index];

    self->launched++;
    if (part->refused)
        return errand__fail(err, ERRAND_EIO, 0, "%.*s", (int)part->refusal.len,
                            errand__buf_peek(&script->bytes).ptr + part->refusal.start);
    errand_status status = errand__fake_process_new(out, script, part, launch->line, now_us, err);
    if (status != ERRAND_OK)
        return status;
    return script->reattaches ? errand__fake_ferry_new(out, *out, launch->line, err) : ERRAND_OK;
}

static errand_status road_close(errand_road *road, int64_t now_us, errand_error *err)
{
    (void)road;
    (void)now_us;
    (void)err;
    return ERRAND_OK;
}

static size_t road_wants(errand_road *road, struct pollfd *fds, size_t fds_max, int64_t *due_us)
{
    const struct fake_road *self = (const struct fake_road *)(void *)road;

    (void)fds;
    (void)fds_max;
    *due_us = self->opened ? TIME_NEVER : self->open_us;
    return 0;
}

static void road_free(errand_road *road)
{
    struct fake_road *self = (struct fake_road *)(void *)road;

    errand__fake_script_deinit(&self->script);
    errand__mem_free(self);
}

errand_status errand__fake_road_new(errand_road **out, const char *script, errand_error *err)
{
    struct fake_road *self = errand__mem_new(1, sizeof(*self));

    if (self == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "fake: no memory");
    errand_status status = errand__fake_script_init(&self->script, script, err);
    if (status != ERRAND_OK) {
        errand__mem_free(self);
        return status;
    }
    self->ops = (errand_road_ops){
        .size = sizeof(errand_road_ops),
        .name = "fake",
        .open = road_open,
        .launch = road_launch,
        .close = road_close,
        .wants = road_wants,
        .free = road_free,
        .lease_ms = self->script.lease_ms,
        .delivery = self->script.delivery,
        .reattaches = self->script.reattaches,
    };
    self->road.ops = &self->ops;
    self->open_us = TIME_NEVER;
    *out = &self->road;
    return ERRAND_OK;
}
