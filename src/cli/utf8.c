/* utf8.c - a decoder that takes what RFC 3629 allows. */
#include "cli/utf8.h"

static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};

static size_t sequence_len(unsigned char lead)
{
    if (lead < 0x80)
        return 1;
    if (lead >= 0xc2 && lead < 0xe0)
        return 2;
    if (lead >= 0xe0 && lead < 0xf0)
        return 3;
    return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

size_t utf8_next(errand_span text, uint32_t *point)
{
    if (text.len == 0)
        return 0;
    unsigned char lead = (unsigned char)text.ptr[0];
    size_t len = sequence_len(lead);
    if (len == 0 || len > text.len)
        return 0;
    uint32_t value = len == 1 ? lead : lead & (0x7fU >> len);
    for (size_t i = 1; i < len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        if ((byte & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (byte & 0x3f);
    }
    if (value < smallest[len] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
        return 0;
    *point = value;
    return len;
}

size_t utf8_valid(errand_span text)
{
    size_t at = 0;

    while (at < text.len) {
        uint32_t point = 0;
        size_t len = utf8_next(span_after(text, at), &point);
        if (len == 0)
            return at;
        at += len;
    }
    return at;
}
