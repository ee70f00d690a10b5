/* envelope.c - five bytes in front: flags, and a length that is believed once it is small. */
#include "transport/e2b/envelope.h"

errand_status errand__e2b_envelope_read(struct e2b_envelope *out, errand_span bytes)
{
    const unsigned char *head = (const unsigned char *)bytes.ptr;

    if (bytes.len == 0)
        return ERRAND_AGAIN;
    /* No compression was asked for. */
    if ((head[0] & ~(unsigned)E2B_ENVELOPE_TRAILER) != 0)
        return ERRAND_EIO;
    if (bytes.len < E2B_ENVELOPE_HEAD)
        return ERRAND_AGAIN;
    size_t len = (size_t)head[1] << 24 | (size_t)head[2] << 16 | (size_t)head[3] << 8 | head[4];
    if (len > E2B_ENVELOPE_MOST)
        return ERRAND_EIO;
    if (bytes.len - E2B_ENVELOPE_HEAD < len)
        return ERRAND_AGAIN;
    *out = (struct e2b_envelope){.flags = head[0],
                                 .payload = span_of(bytes.ptr + E2B_ENVELOPE_HEAD, len),
                                 .len = E2B_ENVELOPE_HEAD + len};
    return ERRAND_OK;
}

void errand__e2b_envelope_head(char head[static E2B_ENVELOPE_HEAD], unsigned flags, size_t len)
{
    head[0] = (char)flags;
    head[1] = (char)(len >> 24 & 0xff);
    head[2] = (char)(len >> 16 & 0xff);
    head[3] = (char)(len >> 8 & 0xff);
    head[4] = (char)(len & 0xff);
}
