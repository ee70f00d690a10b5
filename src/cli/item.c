/* item.c - looks at the members of an item, two levels deep at most. */
#include "cli/item.h"
#include "cli/need.h"
#include "core/json.h"

static void look_at(errand_span object, struct item_view *out, errand_span *inner)
{
    const struct {
        const char *name;
        errand_span *value;
    } known[] = {{"type", &out->kind}, {"text", &out->text}, {"mimeType", &out->mime},
                 {"name", &out->name}, {"uri", &out->uri},   {"data", &out->data},
                 {"blob", &out->data}};
    struct json_members members;
    errand_span key;
    errand_span value;

    errand__json_members_init(&members, object);
    while (errand__json_members_next(&members, &key, &value)) {
        for (size_t i = 0; i < COUNT(known); i++) {
            if (errand__json_string_is(key, known[i].name) && errand__json_is_string(value))
                *known[i].value = value;
        }
        if ((errand__json_string_is(key, "content") || errand__json_string_is(key, "resource")) &&
            errand__json_is_object(value))
            *inner = value;
    }
}

static uint64_t size_of(errand_span data)
{
    size_t pads = 0;

    if (data.len < 6)
        return 0;
    while (pads < 2 && data.ptr[data.len - 2 - pads] == '=')
        pads++;
    return (data.len - 2) / 4 * 3 - pads;
}

void item_look(errand_span json, struct item_view *out)
{
    errand_span next = json;

    *out = (struct item_view){0};
    for (int level = 0; level < 3 && next.len > 0; level++) {
        errand_span inner = SPAN_EMPTY;
        look_at(next, out, &inner);
        next = inner;
    }
    out->size = size_of(out->data);
    if (!errand__json_string_is(out->kind, "text"))
        out->text = SPAN_EMPTY;
}

static int digit_of(unsigned char byte)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = byte == '\0' ? NULL : strchr(digits, byte);

    return at == NULL ? -1 : (int)(at - digits);
}

bool item_decode(errand_span data, char *out)
{
    if (data.len < 2 || data.len % 4 != 2)
        return false;
    errand_span body = span_of(data.ptr + 1, data.len - 2);
    size_t pads = body.len / 4 * 3 - (size_t)size_of(data);

    for (size_t i = 0; i < body.len; i += 4) {
        uint32_t bits = 0;
        for (size_t j = 0; j < 4; j++) {
            bool pad = i + j >= body.len - pads;
            int digit = pad ? 0 : digit_of((unsigned char)body.ptr[i + j]);
            if (digit < 0)
                return false;
            bits = bits << 6 | (uint32_t)digit;
        }
        *out++ = (char)(bits >> 16);
        *out++ = (char)(bits >> 8);
        *out++ = (char)bits;
    }
    return true;
}

char *item_words(errand_span string, size_t *len)
{
    char *words = need_new(string.len + 1, 1);

    *len = string.len < 2 ? 0 : errand__json_decode(words, string);
    words[*len] = '\0';
    return words;
}
