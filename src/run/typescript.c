/* typescript.c - what may stand in a comment is anything but its end; what is no identifier is
 * quoted as JSON quotes it. */
#include "run/typescript.h"

#include "base/mem.h"
#include "core/json.h"
#include "run/binding.h"

errand_status errand__ts_line(struct buf *out, size_t indent)
{
    errand_status status = errand__buf_push(out, SPAN_LITERAL("\n"));

    for (size_t i = 0; status == ERRAND_OK && i < indent; i++)
        status = errand__buf_push(out, SPAN_LITERAL("  "));
    return status;
}

static bool is_blank(char byte)
{
    return (unsigned char)byte <= ' ';
}

static errand_span trimmed(errand_span text)
{
    while (text.len > 0 && is_blank(text.ptr[0]))
        text = span_after(text, 1);
    while (text.len > 0 && is_blank(text.ptr[text.len - 1]))
        text = span_head(text, text.len - 1);
    return text;
}

/* Takes the first line off text; blanks at its end are dropped. */
static errand_span take_line(errand_span *text)
{
    const char *end = memchr(text->ptr, '\n', text->len);
    errand_span line = end == NULL ? *text : span_of(text->ptr, (size_t)(end - text->ptr));

    *text = end == NULL ? SPAN_EMPTY : span_after(*text, line.len + 1);
    while (line.len > 0 && is_blank(line.ptr[line.len - 1]))
        line = span_head(line, line.len - 1);
    return line;
}

static errand_status push_words(struct buf *out, errand_span line)
{
    errand_status status = ERRAND_OK;

    for (size_t i = 0; status == ERRAND_OK && i < line.len; i++) {
        bool ends = i > 0 && line.ptr[i] == '/' && line.ptr[i - 1] == '*';
        bool control = is_blank(line.ptr[i]) || line.ptr[i] == 0x7f;
        if (ends)
            status = errand__buf_push(out, SPAN_LITERAL("\\"));
        if (status == ERRAND_OK)
            status = errand__buf_push(out, control ? SPAN_LITERAL(" ") : span_of(line.ptr + i, 1));
    }
    return status;
}

static errand_status push_line(struct buf *out, errand_span line, size_t indent)
{
    errand_status status = errand__ts_line(out, indent);

    if (status == ERRAND_OK)
        status = errand__buf_push(out, line.len == 0 ? SPAN_LITERAL(" *") : SPAN_LITERAL(" * "));
    return status == ERRAND_OK ? push_words(out, line) : status;
}

errand_status errand__ts_comment(struct buf *out, errand_span text, size_t indent)
{
    errand_span rest = trimmed(text);
    errand_status status = errand__buf_push(out, SPAN_LITERAL("/**"));

    if (memchr(rest.ptr, '\n', rest.len) == NULL) {
        if (status == ERRAND_OK)
            status = errand__buf_push(out, SPAN_LITERAL(" "));
        if (status == ERRAND_OK)
            status = push_words(out, rest);
        return status == ERRAND_OK ? errand__buf_push(out, SPAN_LITERAL(" */")) : status;
    }
    while (status == ERRAND_OK && rest.len > 0)
        status = push_line(out, take_line(&rest), indent);
    if (status == ERRAND_OK)
        status = errand__ts_line(out, indent);
    return status == ERRAND_OK ? errand__buf_push(out, SPAN_LITERAL(" */")) : status;
}

errand_status errand__ts_key(struct buf *out, const char *key)
{
    errand_span text = span_text(key);

    if (errand__binding_is_identifier(key))
        return errand__buf_push(out, text);
    size_t len = errand__json_encoded_len(text);
    AUTO_FREE char *quoted = errand__mem_new(len + 1, 1);
    if (quoted == NULL)
        return ERRAND_ENOMEM;
    (void)errand__json_encode(quoted, text);
    return errand__buf_push(out, span_of(quoted, len));
}
