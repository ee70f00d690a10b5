/* json.h - JSON texts as bytes: are they well-formed, and what stands at their top.
 *
 * Builds no tree and rewrites nothing. All but errand__json_valid() want a text that it has
 * called valid.
 */
#ifndef ERRAND_JSON_H
#define ERRAND_JSON_H

#include "base/base.h"

/* One bit a level on the stack; far above what programs return, far below what harms. */
enum { JSON_DEPTH_MAX = 10000 };

/* Exactly one JSON text (RFC 8259) in strict UTF-8, with blanks around it at most. at (may be
 * NULL) gets the offset of the first byte that is wrong. */
bool errand__json_valid(errand_span text, size_t *at);
/* The same; lossy gets the offset of the first integer, written without fraction and exponent,
 * that is beyond 2^53 - 1 either way, so that a reader that keeps numbers as doubles would take
 * another for it. SIZE_MAX: there is none. */
bool errand__json_valid_exact(errand_span text, size_t *at, size_t *lossy);

/* Without the blanks around it. */
errand_span errand__json_trim(errand_span text);
bool errand__json_is_string(errand_span text);
bool errand__json_is_object(errand_span text);
/* An integer from 0 to max, written without fraction and exponent. */
bool errand__json_uint(errand_span text, uint64_t max, uint64_t *out);

/* The value that starts at the head of text, which may go on behind it. */
errand_span errand__json_head(errand_span text);

/* Walks over the members of an object. */
struct json_members {
    errand_span rest;
};
void errand__json_members_init(struct json_members *members, errand_span object);
/* key: the string as it stands there, with quotes. false: no more. */
bool errand__json_members_next(struct json_members *members, errand_span *key, errand_span *value);
/* The same over the elements of an array. */
void errand__json_elements_init(struct json_members *elements, errand_span array);
bool errand__json_elements_next(struct json_members *elements, errand_span *value);
/* Whether a JSON string (with quotes) stands for this short ASCII text, however escaped. */
bool errand__json_string_is(errand_span string, const char *text);

/* The UTF-16 unit that one escape stands for; at stands on the backslash. Returns its length. */
size_t errand__json_escape(const unsigned char *at, uint32_t *out);
/* string: with quotes. out has room for string.len - 2 bytes and may be string.ptr + 1. A lone
 * surrogate becomes U+FFFD. Returns the length in UTF-8. */
size_t errand__json_decode(char *out, errand_span string);
/* The length of the longest head of string, still with both quotes around it, that is at most
 * room bytes and tears neither a code point nor an escape (nor a pair of them). 0: not even the
 * quotes. */
size_t errand__json_string_cut(errand_span string, size_t room);
/* What text costs as a JSON string, with quotes; what is not UTF-8 counts as U+FFFD. */
size_t errand__json_encoded_len(errand_span text);
/* Writes those bytes. */
size_t errand__json_encode(char *out, errand_span text);

#endif
