/* base64.c - by tables, whole groups at a time. */
#include "base/base64.h"

enum { GROUP = 3, LETTERS = 4, ODD = 0x80 };

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void errand__base64_encode(char *out, errand_span bytes)
{
    const unsigned char *from = (const unsigned char *)bytes.ptr;
    size_t left = bytes.len;

    for (; left >= GROUP; left -= GROUP, from += GROUP, out += LETTERS) {
        uint32_t bits = (uint32_t)from[0] << 16 | (uint32_t)from[1] << 8 | from[2];
        out[0] = letters[bits >> 18];
        out[1] = letters[bits >> 12 & 63];
        out[2] = letters[bits >> 6 & 63];
        out[3] = letters[bits & 63];
    }
    if (left == 0)
        return;
    uint32_t bits = (uint32_t)from[0] << 16 | (left > 1 ? (uint32_t)from[1] << 8 : 0);
    out[0] = letters[bits >> 18];
    out[1] = letters[bits >> 12 & 63];
    out[2] = '=';
    if (left > 1)
        out[2] = letters[bits >> 6 & 63];
    out[3] = '=';
}

bool errand__base64_size(errand_span text, size_t *size)
{
    if (text.len % LETTERS != 0)
        return false;
    *size = text.len / LETTERS * GROUP;
    for (size_t pads = 0; pads < 2 && text.len > pads && text.ptr[text.len - 1 - pads] == '=';
         pads++)
        --*size;
    return true;
}

static void fill(unsigned char table[static 256])
{
    memset(table, ODD, 256);
    for (unsigned i = 0; i < sizeof(letters) - 1; i++)
        table[(unsigned char)letters[i]] = (unsigned char)i;
}

bool errand__base64_is(errand_span text, size_t *size)
{
    unsigned char value[256];
    unsigned odd = 0;

    if (!errand__base64_size(text, size))
        return false;
    fill(value);
    size_t pads = text.len / LETTERS * GROUP - *size;
    for (size_t i = 0; i < text.len - pads; i++)
        odd |= value[(unsigned char)text.ptr[i]];
    return (odd & ODD) == 0;
}

bool errand__base64_decode(unsigned char *out, errand_span text)
{
    unsigned char value[256];
    size_t size = 0;

    if (!errand__base64_size(text, &size))
        return false;
    fill(value);
    const unsigned char *from = (const unsigned char *)text.ptr;
    unsigned odd = 0;
    for (; size >= GROUP; size -= GROUP, from += LETTERS, out += GROUP) {
        unsigned char a = value[from[0]], b = value[from[1]], c = value[from[2]],
                      d = value[from[3]];
        odd |= a | b | c | d;
        out[0] = (unsigned char)(a << 2 | b >> 4);
        out[1] = (unsigned char)(b << 4 | c >> 2);
        out[2] = (unsigned char)(c << 6 | d);
    }
    if (size > 0) {
        unsigned char a = value[from[0]], b = value[from[1]], c = size > 1 ? value[from[2]] : 0;
        odd |= a | b | c;
        out[0] = (unsigned char)(a << 2 | b >> 4);
        if (size > 1)
            out[1] = (unsigned char)(b << 4 | c >> 2);
    }
    return (odd & ODD) == 0;
}
