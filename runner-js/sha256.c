/* sha256.c - SHA-256 of bytes in memory (FIPS 180-4).
 *
 * Knows the whole message at once; knows no stream and no file.
 */
#include "sha256.h"

#include <stdint.h>
#include <string.h>

enum { BLOCK = 64 };

static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotated(uint32_t word, unsigned count)
{
    return (word >> count) | (word << (32 - count));
}

static void expand(const unsigned char *block, uint32_t words[64])
{
    for (size_t i = 0; i < 16; i++)
        words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
                   (uint32_t)block[4 * i + 2] << 8 | (uint32_t)block[4 * i + 3];
    for (size_t i = 16; i < 64; i++) {
        uint32_t a = words[i - 15], b = words[i - 2];
        uint32_t low = rotated(a, 7) ^ rotated(a, 18) ^ (a >> 3);
        uint32_t high = rotated(b, 17) ^ rotated(b, 19) ^ (b >> 10);
        words[i] = words[i - 16] + low + words[i - 7] + high;
    }
}

static void absorb(uint32_t state[8], const unsigned char *block)
{
    uint32_t words[64], s[8];
    expand(block, words);
    memcpy(s, state, sizeof(s));
    for (size_t i = 0; i < 64; i++) {
        uint32_t high = rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25);
        uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        uint32_t first = s[7] + high + choice + round_constants[i] + words[i];
        uint32_t low = rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22);
        uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        memmove(s + 1, s, 7 * sizeof(s[0]));
        s[4] += first;
        s[0] = first + low + majority;
    }
    for (size_t i = 0; i < 8; i++)
        state[i] += s[i];
}

void sha256_hex(const unsigned char *bytes, size_t len, char hex[SHA256_HEX_LEN + 1])
{
    static const char digits[] = "0123456789abcdef";
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    size_t whole = len - len % BLOCK;
    for (size_t at = 0; at < whole; at += BLOCK)
        absorb(state, bytes + at);

    unsigned char rest[2 * BLOCK] = {0};
    size_t rest_len = len % BLOCK;
    if (rest_len > 0)
        memcpy(rest, bytes + whole, rest_len);
    rest[rest_len] = 0x80;
    size_t padded = rest_len + 9 <= BLOCK ? BLOCK : 2 * BLOCK;
    uint64_t bits = (uint64_t)len * 8;
    for (size_t i = 0; i < 8; i++)
        rest[padded - 1 - i] = (unsigned char)(bits >> (8 * i));
    for (size_t at = 0; at < padded; at += BLOCK)
        absorb(state, rest + at);

    for (size_t i = 0; i < SHA256_HEX_LEN; i++)
        hex[i] = digits[(state[i / 8] >> (28 - 4 * (i % 8))) & 15];
    hex[SHA256_HEX_LEN] = '\0';
}
