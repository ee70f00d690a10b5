/* brand.c - the number, and the words of a shell that take it on. */
#include "transport/brand.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>

enum { DIGITS = 12 }; /* Hexadecimal, of the mark: exact also for who counts with doubles. */

void errand__brand_of(char text[static BRAND_TEXT], const char *mark)
{
    const uint64_t floor = UINT64_C(1) << 4 * DIGITS; /* Above what anybody would set. */
    uint64_t number = 0;

    text[0] = '\0';
    for (size_t i = 0; i < DIGITS; i++) {
        const char *digits = "0123456789abcdef";
        const char *at = mark == NULL || mark[i] == '\0' ? NULL : strchr(digits, mark[i]);
        if (at == NULL)
            return;
        number = number << 4 | (uint64_t)(at - digits);
    }
    (void)snprintf(text, BRAND_TEXT, "%" PRIu64, floor + number);
}

char *errand__brand_line(const char *mark, const char *line)
{
    char brand[BRAND_TEXT], head[128] = "";

    errand__brand_of(brand, mark);
    /* dash and busybox call it w, bash x. */
    if (brand[0] != '\0')
        (void)snprintf(head, sizeof(head),
                       "ulimit -S -w %s 2>/dev/null||ulimit -S -x %s 2>/dev/null;", brand, brand);
    size_t head_len = strlen(head), len = strlen(line);
    char *whole = errand__mem_new(head_len + len + 1, 1);
    if (whole != NULL) {
        memcpy(whole, head, head_len);
        memcpy(whole + head_len, line, len + 1);
    }
    return whole;
}
