/* item.c - what an honest runner would have said, and nothing else: who shows an item need not
 * look whether its members are there. */
#include "core/item.h"
#include "base/base64.h"
#include "base/mem.h"
#include "core/json.h"

/* --- Is it one ---------------------------------------------------------------------------- */

/* The members that mean something here; all others are carried unread. */
struct members {
    errand_span type, text, mime, name, encoding, data, size, content;
};

static bool no(const char **why, const char *text)
{
    *why = text;
    return false;
}

/* false: a member stands there twice, so that two readers may see two items. */
static bool read_members(errand_span json, struct members *out)
{
    const struct {
        const char *name;
        errand_span *value;
    } known[] = {{"type", &out->type},       {"text", &out->text},         {"mimeType", &out->mime},
                 {"name", &out->name},       {"encoding", &out->encoding}, {"data", &out->data},
                 {"byteLength", &out->size}, {"content", &out->content}};
    struct json_members members;
    errand_span key;
    errand_span value;

    errand__json_members_init(&members, json);
    while (errand__json_members_next(&members, &key, &value)) {
        for (size_t i = 0; i < COUNT(known); i++) {
            if (!errand__json_string_is(key, known[i].name))
                continue;
            if (known[i].value->len > 0)
                return false;
            *known[i].value = value;
        }
    }
    return true;
}

/* A JSON string that is base64 as it stands there; *size: how many bytes it stands for. */
static bool is_base64(errand_span string, size_t *size)
{
    return errand__json_is_string(string) &&
           errand__base64_is(span_of(string.ptr + 1, string.len - 2), size);
}

static bool is_text(const struct members *members, const char **why)
{
    return errand__json_is_string(members->text) || no(why, "a text item without text");
}

static bool is_image(const struct members *members, const char **why)
{
    size_t size = 0;

    if (!errand__json_is_string(members->mime) || !is_base64(members->data, &size) || size == 0)
        return no(why, "an image item without an image");
    return true;
}

static bool is_file(const struct members *members, const char **why)
{
    size_t size = 0;
    uint64_t told = 0;

    if (members->name.len > 0 && !errand__json_is_string(members->name))
        return no(why, "a file item whose name is none");
    if (!errand__json_is_string(members->mime) ||
        !errand__json_string_is(members->encoding, "base64") || !is_base64(members->data, &size))
        return no(why, "a file item without a file");
    if (!errand__json_uint(members->size, UINT64_C(1) << 53, &told) || told != size)
        return no(why, "a file item of another size than it says");
    return true;
}

static bool is_content(const struct members *members, const char **why)
{
    static const char *const blocks[] = {"text", "image", "audio", "resource", "resource_link"};
    struct members inner = {0};

    if (!errand__json_is_object(members->content) || !read_members(members->content, &inner))
        return no(why, "a content item without a content block");
    for (size_t i = 0; i < COUNT(blocks); i++) {
        if (inner.type.len > 0 && errand__json_string_is(inner.type, blocks[i]))
            return true;
    }
    return no(why, "a content item of no known kind");
}

const char *errand__item_type(errand_span json, const char **why)
{
    static const struct {
        const char *type;
        bool (*is)(const struct members *members, const char **why);
    } types[] = {
        {"text", is_text}, {"image", is_image}, {"file", is_file}, {"content", is_content}};
    struct members members = {0};

    *why = "an item of no known type";
    if (!errand__json_is_object(json) || !read_members(json, &members) || members.type.len == 0)
        return NULL;
    for (size_t i = 0; i < COUNT(types); i++) {
        if (errand__json_string_is(members.type, types[i].type))
            return types[i].is(&members, why) ? types[i].type : NULL;
    }
    return NULL;
}

/* --- Those that were collected ------------------------------------------------------------ */

void errand__items_init(struct items *items, uint64_t max)
{
    *items = (struct items){0};
    errand__buf_init(&items->text, max > SIZE_MAX / 2 ? SIZE_MAX / 2 : (size_t)max);
}

void errand__items_deinit(struct items *items)
{
    errand__buf_deinit(&items->text);
    errand__mem_free(items->list);
    items->list = NULL;
    items->count = items->room = 0;
}

static errand_status make_room(struct items *items)
{
    if (items->count < items->room)
        return ERRAND_OK;
    size_t room = items->room == 0 ? 16 : items->room * 2;
    errand_item *list = errand__mem_resize(items->list, room * sizeof(*list));
    if (list == NULL)
        return ERRAND_ENOMEM;
    items->list = list;
    items->room = room;
    return ERRAND_OK;
}

errand_status errand__items_add(struct items *items, const errand_item *item)
{
    if (items->count == ITEMS_MAX)
        return ERRAND_ELIMIT;
    errand_status status = make_room(items);
    size_t offset = items->text.end - items->text.start;
    if (status == ERRAND_OK)
        status = errand__buf_push(&items->text, item->json);
    if (status != ERRAND_OK)
        return status;
    items->list[items->count] = *item;
    items->list[items->count++].json.ptr = (const char *)offset;
    return ERRAND_OK;
}

void errand__items_settle(struct items *items, bool cut, uint64_t head)
{
    errand_span all = errand__buf_peek(&items->text);

    if (cut && head < items->count)
        items->count = (size_t)head;
    for (size_t i = 0; i < items->count; i++)
        items->list[i].json.ptr = all.ptr + (uintptr_t)items->list[i].json.ptr;
}
