/* digest.h - SHA-1 as known_hosts hides names with it, and base64. Protects nothing else. */
#ifndef ERRAND_SSH_DIGEST_H
#define ERRAND_SSH_DIGEST_H

#include "base/base.h"

enum { SSH_SHA1_LEN = 20 };

void errand__ssh_hmac_sha1(unsigned char out[static SSH_SHA1_LEN], errand_span key,
                           errand_span text);
/* Bytes written, or SIZE_MAX: it is no base64, or more than room. */
size_t errand__ssh_base64_decode(unsigned char *out, size_t room, errand_span text);
/* NUL-terminated, with padding; false: more than room. */
bool errand__ssh_base64_encode(char *out, size_t room, errand_span bytes);

#endif
