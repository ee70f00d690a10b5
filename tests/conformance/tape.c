/* tape.c - cuts a record at its lines and payloads. */
#include "tape.h"

#include <stdlib.h>

static errand_span first_word(errand_span text)
{
    const char *end = memchr(text.ptr, ' ', text.len);
    return end == NULL ? text : span_head(text, (size_t)(end - text.ptr));
}

static errand_span behind_word(errand_span text)
{
    size_t len = first_word(text).len;
    return span_after(text, len + (len < text.len));
}

/* Whether the line ends with the size of a payload that stands behind it. */
static bool payload_follows(const struct entry *entry)
{
    static const char *const verbs[] = {"out",    "err",    "closed", "closed-in-part",
                                        "cancel", "answer", "lost"};
    static const char *const heads[] = {"asset", "space", "function"};

    for (size_t i = 0; i < COUNT(verbs); i++) {
        if (entry_is(entry, verbs[i]))
            return true;
    }
    for (size_t i = 0; i < COUNT(heads); i++) {
        if (span_is(entry->stamp, heads[i]))
            return true;
    }
    return false;
}

bool tape_next(errand_span *record, struct entry *out)
{
    if (record->len == 0)
        return false;
    const char *end = memchr(record->ptr, '\n', record->len);
    assert(end != NULL);
    out->line = span_head(*record, (size_t)(end - record->ptr));
    out->stamp = first_word(out->line);
    out->payload = span_of(end + 1, 0);
    size_t len = out->line.len + 1;
    if (payload_follows(out)) {
        const char *last = memrchr(out->line.ptr, ' ', out->line.len);
        out->payload.len = strtoull(last + 1, NULL, 10);
        len += out->payload.len + 1;
    }
    assert(len <= record->len);
    out->whole = span_head(*record, len);
    *record = span_after(*record, len);
    return true;
}

bool entry_is(const struct entry *entry, const char *verb)
{
    bool timed = entry->stamp.len > 0 && entry->stamp.ptr[0] >= '0' && entry->stamp.ptr[0] <= '9';
    return timed && span_is(first_word(behind_word(entry->line)), verb);
}

int64_t entry_number(const struct entry *entry, size_t at)
{
    errand_span rest = behind_word(behind_word(entry->line));
    while (at-- > 0)
        rest = behind_word(rest);
    return strtoll(rest.ptr, NULL, 10); /* The line's newline ends it. */
}
