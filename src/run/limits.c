/* limits.c - the table of limits: the only place where zero becomes a number. */
#include "run/limits.h"

#include "base/err.h"
#include "run/sized.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum unit { UNIT_MS, UNIT_BYTES, UNIT_MB, UNIT_COUNT };

struct limit {
    const char *name;
    size_t offset;
    enum unit unit;
    bool may_be_off;
    uint64_t standard, least, most;
};

#define MS_MOST   2147483647 /* As node's timers. */
#define KIB       UINT64_C(1024)
#define MIB       (1024 * KIB)
#define BYTES_MAX (UINT64_C(1) << 40) /* Nobody holds more than a TiB in memory. */

#define FIELD(field) #field, offsetof(errand_limits, field)

static const struct limit table[] = {
    {FIELD(open_ms), UNIT_MS, false, 60000, 1, MS_MOST},
    {FIELD(boot_ms), UNIT_MS, false, 30000, 1, MS_MOST},
    {FIELD(wall_ms), UNIT_MS, true, 600000, 1, MS_MOST},
    {FIELD(compute_ms), UNIT_MS, true, 60000, 1, MS_MOST},
    {FIELD(idle_ms), UNIT_MS, true, ERRAND_UNLIMITED, 1, MS_MOST},
    {FIELD(call_ms), UNIT_MS, true, ERRAND_UNLIMITED, 1, MS_MOST},
    {FIELD(approval_ms), UNIT_MS, true, 3600000, 1, MS_MOST},
    {FIELD(leave_ms), UNIT_MS, false, 1000, 1, MS_MOST},
    {FIELD(kill_grace_ms), UNIT_MS, false, 2000, 1, MS_MOST},
    {FIELD(reap_ms), UNIT_MS, false, 5000, 1, MS_MOST},
    {FIELD(close_ms), UNIT_MS, false, 10000, 1, MS_MOST},
    /* A tenth of a second is the least that a busy machine keeps to. */
    {FIELD(lease_ms), UNIT_MS, true, 0, 100, MS_MOST},
    /* The least is an empty list of logs and an empty text. */
    {FIELD(output_bytes), UNIT_BYTES, false, 64 * MIB, 4, BYTES_MAX},
    /* Less could not carry the words of most errors. */
    {FIELD(frame_bytes), UNIT_BYTES, false, 256 * MIB, KIB, BYTES_MAX},
    {FIELD(noise_bytes), UNIT_BYTES, false, MIB, 1, BYTES_MAX},
    {FIELD(boot_noise_bytes), UNIT_BYTES, false, 256 * KIB, 1, BYTES_MAX},
    /* V8 does not start in less than a few. */
    {FIELD(heap_mb), UNIT_MB, false, 512, 8, UINT64_C(1) << 22},
    {FIELD(rss_mb), UNIT_MB, true, 0, 64, UINT64_C(1) << 22},
    {FIELD(calls), UNIT_COUNT, true, 10000000, 1, UINT64_C(1) << 53},
    {FIELD(calls_open), UNIT_COUNT, false, 65536, 1, UINT64_C(1) << 24},
    {FIELD(replay_bytes), UNIT_BYTES, false, 4 * MIB, 64 * KIB, UINT64_C(1) << 30},
    {FIELD(call_records), UNIT_COUNT, false, 10000, 1, UINT64_C(1) << 24},
};

static uint64_t *field_of(errand_limits *limits, const struct limit *limit)
{
    return (uint64_t *)(void *)((char *)limits + limit->offset);
}

static const struct limit *limit_at(size_t offset)
{
    for (size_t i = 0; i < COUNT(table); i++) {
        if (table[i].offset == offset)
            return &table[i];
    }
    return NULL;
}

/* --- Completing ------------------------------------------------------------------------- */

static errand_status check(const struct limit *limit, uint64_t value, errand_error *err)
{
    if (value == ERRAND_UNLIMITED && limit->may_be_off)
        return ERRAND_OK;
    if (value == ERRAND_UNLIMITED)
        return errand__fail(err, ERRAND_EINVAL, 0, "limits: %s can't be off", limit->name);
    if (value < limit->least || value > limit->most)
        return errand__fail(err, ERRAND_EINVAL, 0, "limits: %s must be from %llu to %llu, got %llu",
                            limit->name, (unsigned long long)limit->least,
                            (unsigned long long)limit->most, (unsigned long long)value);
    return ERRAND_OK;
}

static uint64_t within(const struct limit *limit, uint64_t value)
{
    if (value < limit->least)
        return limit->least;
    return value > limit->most ? limit->most : value;
}

/* Defaults that follow from other limits. */
static void derive(errand_limits *limits, uint64_t road_lease_ms)
{
    const struct limit *frame = limit_at(offsetof(errand_limits, frame_bytes));
    const struct limit *output = limit_at(offsetof(errand_limits, output_bytes));
    const struct limit *heap = limit_at(offsetof(errand_limits, heap_mb));
    const struct limit *rss = limit_at(offsetof(errand_limits, rss_mb));

    if (limits->frame_bytes == 0)
        limits->frame_bytes =
            limits->output_bytes > frame->standard ? limits->output_bytes : frame->standard;
    if (limits->output_bytes == 0)
        limits->output_bytes =
            limits->frame_bytes < output->standard ? limits->frame_bytes : output->standard;
    if (limits->heap_mb == 0)
        limits->heap_mb = heap->standard;
    if (limits->rss_mb == 0)
        limits->rss_mb = within(rss, 4 * within(heap, limits->heap_mb));
    if (limits->lease_ms == 0)
        limits->lease_ms = road_lease_ms == 0 ? ERRAND_UNLIMITED : road_lease_ms;
}

errand_status errand__limits_complete(errand_limits *out, const errand_limits *given,
                                      uint64_t road_lease_ms, errand_error *err)
{
    errand_limits limits = ERRAND_LIMITS_INIT;

    if (given != NULL) {
        errand_status status = errand__sized_copy(&limits, sizeof(limits), given, "limits", err);
        if (status != ERRAND_OK)
            return status;
    }
    derive(&limits, road_lease_ms);
    for (size_t i = 0; i < COUNT(table); i++) {
        uint64_t *field = field_of(&limits, &table[i]);
        if (*field == 0)
            *field = table[i].standard;
        errand_status status = check(&table[i], *field, err);
        if (status != ERRAND_OK)
            return status;
    }
    if (limits.frame_bytes < limits.output_bytes)
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "limits: frame_bytes (%llu) must be at least output_bytes (%llu)",
                            (unsigned long long)limits.frame_bytes,
                            (unsigned long long)limits.output_bytes);
    if (limits.lease_ms == ERRAND_UNLIMITED)
        limits.lease_ms = 0;
    *out = limits;
    return ERRAND_OK;
}

/* --- Setting one by its name -------------------------------------------------------------- */

static const struct {
    enum unit unit;
    const char *suffix;
    uint64_t factor;
} suffixes[] = {
    {UNIT_MS, "ms", 1},
    {UNIT_MS, "s", 1000},
    {UNIT_MS, "m", 60000},
    {UNIT_MS, "h", 3600000},
    {UNIT_BYTES, "B", 1},
    {UNIT_BYTES, "KiB", KIB},
    {UNIT_BYTES, "MiB", MIB},
    {UNIT_BYTES, "GiB", UINT64_C(1) << 30},
    {UNIT_BYTES, "kB", 1000},
    {UNIT_BYTES, "MB", 1000000},
    {UNIT_BYTES, "GB", 1000000000},
    {UNIT_MB, "MiB", 1},
    {UNIT_MB, "GiB", 1024},
};

static const char *units_of(enum unit unit)
{
    switch (unit) {
    case UNIT_MS:
        return "ms, s, m or h";
    case UNIT_BYTES:
        return "B, KiB, MiB, GiB, kB, MB or GB";
    case UNIT_MB:
        return "MiB or GiB";
    case UNIT_COUNT:
        break;
    }
    return NULL;
}

static errand_status too_much(const struct limit *limit, const char *text, errand_error *err)
{
    return errand__fail(err, ERRAND_EINVAL, 0, "limit %s: %.40s is too much", limit->name, text);
}

/* "wall" and "wall_ms" are the same limit. */
static bool is_called(const struct limit *limit, const char *name)
{
    const char *unit = strrchr(limit->name, '_');
    size_t len = strlen(name);

    if (strcmp(limit->name, name) == 0)
        return true;
    return unit != NULL && limit->unit != UNIT_COUNT && len == (size_t)(unit - limit->name) &&
           strncmp(limit->name, name, len) == 0;
}

static errand_status no_such_limit(const char *name, errand_error *err)
{
    char names[200] = "";
    size_t used = 0;

    for (size_t i = 0; i < COUNT(table) && used < sizeof(names); i++) {
        const char *unit = strrchr(table[i].name, '_');
        int len = unit == NULL || table[i].unit == UNIT_COUNT ? (int)strlen(table[i].name)
                                                              : (int)(unit - table[i].name);
        used += (size_t)snprintf(names + used, sizeof(names) - used, " %.*s", len, table[i].name);
    }
    return errand__fail(err, ERRAND_EINVAL, 0, "no limit is called %.32s; there are%s", name,
                        names);
}

static errand_status scale(const struct limit *limit, const char *text, const char *suffix,
                           uint64_t *number, errand_error *err)
{
    for (size_t i = 0; i < COUNT(suffixes); i++) {
        if (suffixes[i].unit != limit->unit || strcmp(suffixes[i].suffix, suffix) != 0)
            continue;
        if (*number > UINT64_MAX / 2 / suffixes[i].factor)
            return too_much(limit, text, err);
        *number *= suffixes[i].factor;
        return ERRAND_OK;
    }
    const char *units = units_of(limit->unit);
    return errand__fail(err, ERRAND_EINVAL, 0, "limit %s: %.40s: it takes no unit%s%s", limit->name,
                        text, units == NULL ? "" : " but ", units == NULL ? "" : units);
}

static errand_status parse(const struct limit *limit, const char *text, uint64_t *out,
                           errand_error *err)
{
    char *end = NULL;

    if (strcmp(text, "off") == 0) {
        *out = ERRAND_UNLIMITED;
        return ERRAND_OK;
    }
    if (text[0] < '0' || text[0] > '9')
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "limit %s: %.40s is no number; say one such as 30s, 1MiB or 1000",
                            limit->name, text[0] == '\0' ? "(nothing)" : text);
    errno = 0;
    uint64_t number = strtoull(text, &end, 10);
    /* The greatest of all would be taken for "off". */
    if (errno == ERANGE || number == ERRAND_UNLIMITED)
        return too_much(limit, text, err);
    if (*end != '\0') {
        errand_status status = scale(limit, text, end, &number, err);
        if (status != ERRAND_OK)
            return status;
    }
    *out = number;
    return ERRAND_OK;
}

errand_status errand_limits_set(errand_limits *limits, const char *name, const char *text,
                                errand_error *err)
{
    errand__err_clear(err);
    if (name == NULL || text == NULL)
        return errand__fail(err, ERRAND_EINVAL, 0, "limits: no name, or no value, was given");
    for (size_t i = 0; i < COUNT(table); i++) {
        uint64_t number = 0;
        if (!is_called(&table[i], name))
            continue;
        if (table[i].offset + sizeof(number) > limits->size)
            return errand__fail(err, ERRAND_EINVAL, 0,
                                "limits: size is %zu; begin with ERRAND_LIMITS_INIT", limits->size);
        errand_status status = parse(&table[i], text, &number, err);
        if (status == ERRAND_OK)
            status = check(&table[i], number, err);
        if (status == ERRAND_OK)
            *field_of(limits, &table[i]) = number;
        return status;
    }
    return no_such_limit(name, err);
}
