/* Any bytes as a header, from both sides: what is read is written back the same. */
#include "fuzz.h"

#include "core/frame.h"
#include "core/hail.h"

enum { CAP = 1 << 20 };

static void read_and_write(errand_span bytes, enum frame_side side)
{
    struct frame frame;
    char line[FRAME_HEADER_MAX + 2];
    const char *why = NULL;
    enum frame_found found = errand__frame_read(bytes, side, CAP, &frame, &why);

    MUST((found == FRAME_BAD) == (why != NULL));
    if (found == FRAME_TORN)
        MUST(bytes.len <= FRAME_HEADER_MAX);
    if (found != FRAME_FOUND)
        return;
    MUST(frame.header_len <= FRAME_HEADER_MAX + 1);
    MUST(frame.size <= CAP);
    size_t len = errand__frame_write(line, &frame);
    MUST(len == frame.header_len);
    MUST(memcmp(line, bytes.ptr, len) == 0);
    /* Every head of a header that was read waits. */
    for (size_t head = 0; head < len; head++)
        MUST(errand__frame_read(span_head(bytes, head), side, CAP, &frame, &why) == FRAME_TORN);
}

static void read_hail(errand_span bytes, bool last)
{
    static const char mark[] = "00112233445566778899aabbccddeeff";
    struct hail hail;

    errand__hail_read(bytes, SPAN_LITERAL(mark), last, &hail);
    MUST(hail.noise <= bytes.len);
    MUST(hail.len <= bytes.len - hail.noise);
    MUST(hail.type == HAIL_NONE || hail.len > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    errand_span bytes = span_of(data, size);
    struct greeting greeting;
    const char *why;

    read_and_write(bytes, FRAME_FROM_HOME);
    read_and_write(bytes, FRAME_FROM_RUNNER);
    read_hail(bytes, false);
    read_hail(bytes, true);
    (void)errand__greeting_read(bytes, &greeting, &why);
    return 0;
}
