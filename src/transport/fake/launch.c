/* launch.c - the words behind the script of a launch line: both halves of the mark, which are
 * its only words of 16 hex digits, and the runner's size. */
#include "transport/fake/launch.h"

static bool is_hex(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f');
}

static bool is_wordly(char byte)
{
    return is_hex(byte) || (byte >= 'g' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           byte == '_';
}

/* How many hex digits a word of nothing else has; 0: another word. len: how long it is. */
static size_t hex_word(const char *at, size_t *len)
{
    bool hex = true;

    for (*len = 0; is_wordly(at[*len]); (*len)++)
        hex = hex && is_hex(at[*len]);
    return hex ? *len : 0;
}

bool errand__fake_launch_read(const char *line, struct fake_launch *out)
{
    enum { HALF = FAKE_MARK_LEN / 2 };
    size_t halves = 0;
    const char *at = line;

    *out = (struct fake_launch){.runner_size = 0};
    while (*at != '\0' && halves < 2) {
        size_t len = 0;
        if (hex_word(at, &len) == HALF)
            memcpy(out->mark + HALF * halves++, at, HALF);
        at += len == 0 ? 1 : len;
    }
    for (at += *at == ' '; *at >= '0' && *at <= '9' && out->runner_size < UINT32_MAX; at++)
        out->runner_size = out->runner_size * 10 + (uint64_t)(*at - '0');
    return halves == 2;
}
