/* sha256.h - SHA-256 of bytes in memory, for the build alone. */
#ifndef ERRAND_SHA256_H
#define ERRAND_SHA256_H

#include <stddef.h>

enum { SHA256_HEX_LEN = 64 };

/* Writes 64 hex digits and a NUL. */
void sha256_hex(const unsigned char *bytes, size_t len, char hex[SHA256_HEX_LEN + 1]);

#endif
