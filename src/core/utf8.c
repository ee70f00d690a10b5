/* utf8.c - strict: no overlong forms, no surrogates, nothing above U+10FFFF. */
#include "core/utf8.h"

static bool tail(unsigned char byte)
{
    return (byte & 0xc0) == 0x80;
}

/* The second byte carries all that is special about a lead: see table 3-7 of Unicode. */
static bool second(unsigned char lead, unsigned char byte)
{
    switch (lead) {
    case 0xe0:
        return byte >= 0xa0 && byte <= 0xbf;
    case 0xed:
        return byte >= 0x80 && byte <= 0x9f;
    case 0xf0:
        return byte >= 0x90 && byte <= 0xbf;
    case 0xf4:
        return byte >= 0x80 && byte <= 0x8f;
    default:
        return tail(byte);
    }
}

size_t errand__utf8_step(errand_span bytes)
{
    const unsigned char *at = (const unsigned char *)bytes.ptr;

    if (bytes.len == 0)
        return 0;
    if (at[0] < 0x80)
        return 1;
    if (at[0] < 0xc2 || at[0] > 0xf4)
        return 0;
    size_t len = at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    if (bytes.len < len || !second(at[0], at[1]))
        return 0;
    for (size_t i = 2; i < len; i++) {
        if (!tail(at[i]))
            return 0;
    }
    return len;
}

bool errand__utf8_valid(errand_span bytes, size_t *at)
{
    errand_span rest = bytes;

    while (rest.len > 0) {
        size_t step = errand__utf8_step(rest);
        if (step == 0) {
            if (at != NULL)
                *at = bytes.len - rest.len;
            return false;
        }
        rest = span_after(rest, step);
    }
    return true;
}

size_t errand__utf8_cut(errand_span text, size_t room)
{
    if (text.len <= room)
        return text.len;
    while (room > 0 && tail((unsigned char)text.ptr[room]))
        room--;
    return room;
}

size_t errand__utf8_write(char *out, uint32_t point)
{
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (char)(0xc0 | point >> 6);
        out[1] = (char)(0x80 | (point & 0x3f));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (char)(0xe0 | point >> 12);
        out[1] = (char)(0x80 | (point >> 6 & 0x3f));
        out[2] = (char)(0x80 | (point & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | point >> 18);
    out[1] = (char)(0x80 | (point >> 12 & 0x3f));
    out[2] = (char)(0x80 | (point >> 6 & 0x3f));
    out[3] = (char)(0x80 | (point & 0x3f));
    return 4;
}

size_t errand__utf8_clean(char *out, size_t room, errand_span bytes)
{
    static const char replacement[] = "\xef\xbf\xbd";
    size_t len = 0;

    while (bytes.len > 0) {
        size_t step = errand__utf8_step(bytes);
        const char *from = step == 0 ? replacement : bytes.ptr;
        size_t width = step == 0 ? 3 : step;
        unsigned char first = (unsigned char)from[0];
        if (width > room - len)
            break;
        if ((first < 0x20 && first != '\n') || first == 0x7f)
            out[len] = ' ';
        else
            memcpy(out + len, from, width);
        len += width;
        bytes = span_after(bytes, step == 0 ? 1 : step);
    }
    return len;
}

size_t errand__utf8_clean_line(char *out, size_t room, errand_span bytes)
{
    size_t len = errand__utf8_clean(out, room, bytes);

    for (size_t i = 0; i < len; i++) {
        if (out[i] == '\n')
            out[i] = ' ';
    }
    return len;
}
