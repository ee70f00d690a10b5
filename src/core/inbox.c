/* inbox.c - what came and is not read yet, and the end of reading. */
#include "core/json.h"
#include "core/life.h"

errand_span errand__inbox_unread(const struct core *core)
{
    return span_after(errand__buf_peek(&core->inbox), core->lent);
}

void errand__inbox_shut(struct core *core)
{
    core->deaf = true;
    core->skip = 0;
    core->lent = 0;
    errand__buf_keep(&core->inbox, 0);
}

bool errand__inbox_text(struct core *core, errand_span string, errand_span *text)
{
    errand_span body = span_of(string.ptr + 1, string.len - 2);

    *text = body;
    if (body.len == 0 || memchr(body.ptr, '\\', body.len) == NULL)
        return true;
    if (errand__buf_reserve(&core->text, string.len) != ERRAND_OK)
        return false;
    char *out = core->text.bytes + core->text.end;
    *text = span_of(out, errand__json_decode(out, string));
    core->text.end += text->len;
    return true;
}

void errand__refuse(struct core *core, const char *why, errand_span line)
{
    static const struct ending ending = {
        ERRAND_KIND_WORKER_EXIT, "protocol", NULL,
        "something over there writes to the runner's own descriptor, or is no runner"};
    const char *newline = line.len == 0 ? NULL : memchr(line.ptr, '\n', line.len);

    if (newline != NULL)
        line = span_head(line, (size_t)(newline - line.ptr));
    struct excerpt excerpt = errand__excerpt(line);
    errand__decide(core, &ending, "the far side sent %s: \"%s\"", why, excerpt.text);
    errand__inbox_shut(core);
}
