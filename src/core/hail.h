/* hail.h - the first word of the far side, found among whatever a login prints before it.
 *
 * Knows the mark and the three lines that carry it; decides nothing.
 */
#ifndef ERRAND_HAIL_H
#define ERRAND_HAIL_H

#include "base/base.h"

enum {
    HAIL_FAIL_MAX = 4096,         /* Of the rest of a fail line. */
    HAIL_GREETING_MAX = 16 * 1024 /* A hello says a few words; more is no runner of ours. */
};

enum hail_type {
    HAIL_NONE,  /* Nothing yet: the first noise bytes can never become part of it. */
    HAIL_HELLO, /* A header; its payload, of size bytes, follows. */
    HAIL_WANT,
    HAIL_FAIL,
    HAIL_BAD /* The mark of this run, and no sense behind it. */
};

struct hail {
    enum hail_type type;
    size_t noise; /* What stands before it. */
    size_t len;   /* Its own length. */
    uint64_t size;
    errand_span code, text; /* Of fail; borrowed. */
};

/* last: no more bytes will come, so that a line may end without its newline. */
void errand__hail_read(errand_span bytes, errand_span mark, bool last, struct hail *out);

/* What the payload of hello says. node is a JSON string, with quotes; borrowed. */
struct greeting {
    uint64_t protocol, pid, group;
    errand_span node;
    bool cut_off; /* It sees no way out of its network. */
};
/* false: *why says what is wrong. With another protocol, nothing but protocol is read. */
bool errand__greeting_read(errand_span payload, struct greeting *out, const char **why);

#endif
