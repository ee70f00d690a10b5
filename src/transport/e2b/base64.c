/* base64.c - writes one form and reads all of them. */
#include "transport/e2b/base64.h"
#include "base/base64.h"

enum { LETTERS = 4, PIECE = 3 * 256 };

errand_status errand__e2b_base64_put(struct buf *out, errand_span bytes)
{
    char piece[PIECE / 3 * LETTERS];

    while (bytes.len > 0) {
        errand_span head = span_head(bytes, PIECE);
        errand__base64_encode(piece, head);
        errand_status status = errand__buf_push(out, span_of(piece, errand__base64_len(head.len)));
        if (status != ERRAND_OK)
            return status;
        bytes = span_after(bytes, head.len);
    }
    return ERRAND_OK;
}

static int value_of(char letter)
{
    if (letter >= 'A' && letter <= 'Z')
        return letter - 'A';
    if (letter >= 'a' && letter <= 'z')
        return letter - 'a' + 26;
    if (letter >= '0' && letter <= '9')
        return letter - '0' + 52;
    if (letter == '+' || letter == '-')
        return 62;
    return letter == '/' || letter == '_' ? 63 : -1;
}

bool errand__e2b_base64_take(char *text, size_t len, size_t *decoded)
{
    uint32_t bits = 0;
    unsigned held = 0;
    size_t used = 0;

    while (len > 0 && text[len - 1] == '=')
        len--;
    if (len % LETTERS == 1)
        return false;
    for (size_t i = 0; i < len; i++) {
        int value = value_of(text[i]);
        if (value < 0)
            return false;
        bits = bits << 6 | (uint32_t)value;
        held += 6;
        if (held < 8)
            continue;
        held -= 8;
        text[used++] = (char)(bits >> held & 0xff);
    }
    *decoded = used;
    return true;
}
