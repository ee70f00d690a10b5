/* digest.c - FIPS 180-4, RFC 2104 and RFC 4648, for short texts. */
#include "transport/ssh/digest.h"

enum { BLOCK = 64, ROUNDS = 80 };

struct sha1 {
    uint32_t state[5];
    unsigned char block[BLOCK];
    uint64_t total;
};

static uint32_t turn(uint32_t value, unsigned count)
{
    return value << count | value >> (32 - count);
}

static void expand(uint32_t words[static ROUNDS], const unsigned char *block)
{
    for (size_t i = 0; i < 16; i++)
        words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
                   (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (size_t i = 16; i < ROUNDS; i++)
        words[i] = turn(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
}

static void mix(struct sha1 *sha1)
{
    uint32_t words[ROUNDS];
    uint32_t a = sha1->state[0], b = sha1->state[1], c = sha1->state[2], d = sha1->state[3],
             e = sha1->state[4];

    expand(words, sha1->block);
    for (size_t i = 0; i < ROUNDS; i++) {
        uint32_t f = i < 20              ? (b & c) | (~b & d)
                     : i < 40 || i >= 60 ? b ^ c ^ d
                                         : (b & c) | (b & d) | (c & d);
        uint32_t k = i < 20   ? 0x5a827999U
                     : i < 40 ? 0x6ed9eba1U
                     : i < 60 ? 0x8f1bbcdcU
                              : 0xca62c1d6U;
        uint32_t next = turn(a, 5) + f + e + k + words[i];
        e = d, d = c, c = turn(b, 30), b = a, a = next;
    }
    sha1->state[0] += a, sha1->state[1] += b, sha1->state[2] += c, sha1->state[3] += d;
    sha1->state[4] += e;
}

static void begin(struct sha1 *sha1)
{
    *sha1 =
        (struct sha1){.state = {0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U, 0xc3d2e1f0U}};
}

static void add(struct sha1 *sha1, errand_span text)
{
    for (size_t i = 0; i < text.len; i++) {
        sha1->block[sha1->total++ % BLOCK] = (unsigned char)text.ptr[i];
        if (sha1->total % BLOCK == 0)
            mix(sha1);
    }
}

static void end(struct sha1 *sha1, unsigned char out[static SSH_SHA1_LEN])
{
    unsigned char size[8];
    uint64_t bits = sha1->total * 8;

    for (size_t i = 0; i < sizeof(size); i++)
        size[i] = (unsigned char)(bits >> (56 - 8 * i));
    add(sha1, span_of("\x80", 1));
    while (sha1->total % BLOCK != BLOCK - sizeof(size))
        add(sha1, span_of("", 1));
    add(sha1, span_of(size, sizeof(size)));
    for (size_t i = 0; i < SSH_SHA1_LEN; i++)
        out[i] = (unsigned char)(sha1->state[i / 4] >> (24 - 8 * (i % 4)));
}

void errand__ssh_hmac_sha1(unsigned char out[static SSH_SHA1_LEN], errand_span key,
                           errand_span text)
{
    unsigned char inner[BLOCK] = {0}, outer[BLOCK] = {0};
    struct sha1 sha1;

    assert(key.len <= BLOCK);
    memcpy(inner, key.ptr, key.len);
    memcpy(outer, key.ptr, key.len);
    for (size_t i = 0; i < BLOCK; i++) {
        inner[i] ^= 0x36;
        outer[i] ^= 0x5c;
    }
    begin(&sha1);
    add(&sha1, span_of(inner, BLOCK));
    add(&sha1, text);
    end(&sha1, out);
    begin(&sha1);
    add(&sha1, span_of(outer, BLOCK));
    add(&sha1, span_of(out, SSH_SHA1_LEN));
    end(&sha1, out);
}

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t errand__ssh_base64_decode(unsigned char *out, size_t room, errand_span text)
{
    uint32_t bits = 0;
    unsigned count = 0;
    size_t len = 0;

    while (text.len > 0 && text.ptr[text.len - 1] == '=')
        text.len--;
    for (size_t i = 0; i < text.len; i++) {
        const char *digit = text.ptr[i] == '\0' ? NULL : strchr(digits, text.ptr[i]);
        if (digit == NULL)
            return SIZE_MAX;
        bits = bits << 6 | (uint32_t)(digit - digits);
        count += 6;
        if (count < 8)
            continue;
        count -= 8;
        if (len == room)
            return SIZE_MAX;
        out[len++] = (unsigned char)(bits >> count);
    }
    return len;
}

bool errand__ssh_base64_encode(char *out, size_t room, errand_span bytes)
{
    size_t len = 0;

    if (room < (bytes.len + 2) / 3 * 4 + 1)
        return false;
    for (size_t i = 0; i < bytes.len; i += 3) {
        uint32_t bits = 0;
        for (size_t k = 0; k < 3; k++)
            bits = bits << 8 | (i + k < bytes.len ? (unsigned char)bytes.ptr[i + k] : 0U);
        for (size_t k = 0; k < 4; k++)
            out[len++] = (char)(i + k <= bytes.len ? digits[bits >> (18 - 6 * k) & 63] : '=');
    }
    out[len] = '\0';
    return true;
}
