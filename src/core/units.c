/* units.c - one unit at a time; a surrogate without its other half is a unit like any. */
#include "core/units.h"

#include "core/json.h"

uint64_t errand__units_of(errand_span text)
{
    uint64_t units = 0;

    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        units += (byte & 0xc0) == 0x80 ? 0 : byte >= 0xf0 ? 2 : 1;
    }
    return units;
}

uint64_t errand__units_of_string(errand_span string)
{
    uint64_t units = errand__units_of(string) - 2;

    for (size_t i = 1; i + 1 < string.len; i++) {
        if (string.ptr[i] != '\\')
            continue;
        units -= string.ptr[i + 1] == 'u' ? 5 : 1;
        i++;
    }
    return units;
}

/* Where in a string one reads. */
struct place {
    const unsigned char *at;
    const unsigned char *end;
    int32_t low; /* The second half of a pair whose first was given; 0: none. */
};

static struct place head_of(errand_span string)
{
    const unsigned char *start = (const unsigned char *)string.ptr;

    assert(string.len >= 2);
    return (struct place){start + 1, start + string.len - 1, 0};
}

/* -1: no more. */
static int32_t next_unit(struct place *place)
{
    const unsigned char *at = place->at;
    int32_t point = place->low;

    place->low = 0;
    if (point != 0)
        return point;
    if (at == place->end)
        return -1;
    if (at[0] == '\\') {
        uint32_t unit;
        place->at += errand__json_escape(at, &unit);
        return (int32_t)unit;
    }
    size_t len = at[0] < 0x80 ? 1 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    point = len == 1 ? at[0] : at[0] & (0x7f >> len);
    for (size_t i = 1; i < len; i++)
        point = point << 6 | (at[i] & 0x3f);
    place->at += len;
    if (len < 4)
        return point;
    place->low = 0xdc00 | (point & 0x3ff);
    return 0xd800 + ((point - 0x10000) >> 10);
}

int errand__units_compare(errand_span a, errand_span b)
{
    struct place left = head_of(a);
    struct place right = head_of(b);
    int32_t one;
    int32_t other;

    do {
        one = next_unit(&left);
        other = next_unit(&right);
    } while (one == other && one >= 0);
    return (one > other) - (one < other);
}
