/* number.c - by the C library, with the point of its locale put in and taken out again. */
#include "value/number.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SAFE_END 9007199254740992.0

enum { DIGITS_ENOUGH = 17, DIGITS_FIRST = 15, STACK_ROOM = 512, POINT_ROOM = 16 };

static bool plain(char c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == 'e';
}

/* The decimal point of this thread's locale; it may take several bytes. */
static size_t read_point(char point[static POINT_ROOM])
{
    char half[POINT_ROOM + 4];
    int len = snprintf(half, sizeof(half), "%.1f", 0.5);
    size_t count = len > 2 && len < (int)sizeof(half) ? (size_t)len - 2 : 1;

    memcpy(point, len > 2 ? half + 1 : ".", count);
    return count;
}

size_t errand__number_write(char out[static NUMBER_ROOM], double value)
{
    char text[NUMBER_ROOM + POINT_ROOM];
    size_t used = 0;

    for (int digits = DIGITS_FIRST; digits <= DIGITS_ENOUGH; digits++) {
        (void)snprintf(text, sizeof(text), "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    for (size_t i = 0; text[i] != '\0' && used < NUMBER_ROOM; i++) {
        if (plain(text[i]))
            out[used++] = text[i];
        else if (used > 0 && out[used - 1] != '.')
            out[used++] = '.';
    }
    /* It is this double, and no integer that a double might not hold. */
    if (fabs(value) >= SAFE_END && memchr(out, 'e', used) == NULL) {
        memcpy(out + used, "e0", 2);
        used += 2;
    }
    return used;
}

errand_status errand__number_read(errand_span text, double *out)
{
    char near[STACK_ROOM];
    char point[POINT_ROOM];
    AUTO_FREE char *far = NULL;
    size_t point_len = read_point(point);
    bool fits = text.len + POINT_ROOM + 1 <= sizeof(near);
    size_t used = 0;

    if (!fits)
        far = errand__mem_new(text.len + POINT_ROOM + 1, 1);
    char *copy = fits ? near : far;
    if (copy == NULL)
        return ERRAND_ENOMEM;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] != '.') {
            copy[used++] = text.ptr[i];
            continue;
        }
        memcpy(copy + used, point, point_len);
        used += point_len;
    }
    copy[used] = '\0';
    *out = strtod(copy, NULL);
    return ERRAND_OK;
}

bool errand__number_whole(errand_span text, int64_t *out)
{
    bool minus = text.ptr[0] == '-';
    uint64_t most = minus ? (uint64_t)INT64_MAX + 1 : INT64_MAX;
    uint64_t sum = 0;

    for (size_t i = minus ? 1 : 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
        uint64_t digit = (uint64_t)(text.ptr[i] - '0');
        if (sum > (most - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    *out = minus ? (int64_t)(0 - sum) : (int64_t)sum;
    return true;
}
