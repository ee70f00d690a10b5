/* base.h - words that every layer uses: spans, counting, lists, cleanup by scope. */
#ifndef ERRAND_BASE_H
#define ERRAND_BASE_H

#include <errand/errand.h>

#include <assert.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define FALLTHROUGH  __attribute__((fallthrough))

/* Takes an item out of the list from head, whose items have the next one in that member; one that
 * is not in it stays as it is. */
#define LIST_DROP(head, item, next)            \
    do {                                       \
        __typeof__(head) *at_ = &(head);       \
        while (*at_ != NULL && *at_ != (item)) \
            at_ = &(*at_)->next;               \
        if (*at_ != NULL)                      \
            *at_ = (*at_)->next;               \
    } while (0)

/* An instant that never comes. */
#define TIME_NEVER INT64_MAX

#define SPAN_LITERAL(text) ((errand_span){(text), sizeof(text) - 1})
#define SPAN_EMPTY         ((errand_span){NULL, 0})

static inline errand_span span_of(const void *ptr, size_t len)
{
    return (errand_span){(const char *)ptr, len};
}

static inline errand_span span_text(const char *text)
{
    return (errand_span){text, text == NULL ? 0 : strlen(text)};
}

static inline errand_span span_after(errand_span span, size_t count)
{
    assert(count <= span.len);
    return count == 0 ? span : (errand_span){span.ptr + count, span.len - count};
}

static inline errand_span span_head(errand_span span, size_t count)
{
    return (errand_span){span.ptr, count < span.len ? count : span.len};
}

static inline bool span_equal(errand_span a, errand_span b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool span_is(errand_span span, const char *text)
{
    return span_equal(span, span_text(text));
}

static inline bool span_starts(errand_span span, errand_span with)
{
    return span.len >= with.len && span_equal(span_head(span, with.len), with);
}

static inline bool span_holds(errand_span span, errand_span part)
{
    return part.len > 0 && span.len >= part.len &&
           memmem(span.ptr, span.len, part.ptr, part.len) != NULL;
}

/* Frees or closes what a local owns when its scope ends; steal() keeps it. */
#define AUTO_FREE  __attribute__((cleanup(errand__auto_free)))
#define AUTO_CLOSE __attribute__((cleanup(errand__auto_close)))
void errand__auto_free(void *pointer_to_pointer);
void errand__auto_close(const int *fd);

static inline void *steal_pointer(void *pointer_to_pointer)
{
    void **from = pointer_to_pointer;
    void *kept = *from;
    *from = NULL;
    return kept;
}
#define steal(pointer_to_pointer) \
    ((__typeof__(*(pointer_to_pointer)))steal_pointer(pointer_to_pointer))

static inline int steal_fd(int *fd)
{
    int kept = *fd;
    *fd = -1;
    return kept;
}

#endif
