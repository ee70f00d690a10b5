/* logs.c - the block may move while it grows, so entries are offsets until nothing more comes. */
#include "core/logs.h"
#include "base/mem.h"

void errand__logs_init(struct logs *logs, uint64_t max)
{
    *logs = (struct logs){0};
    errand__buf_init(&logs->text, max > SIZE_MAX / 2 ? SIZE_MAX / 2 : (size_t)max);
}

void errand__logs_deinit(struct logs *logs)
{
    errand__buf_deinit(&logs->text);
    errand__mem_free(logs->items);
    logs->items = NULL;
    logs->count = logs->room = 0;
}

static errand_status make_room(struct logs *logs)
{
    if (logs->count < logs->room)
        return ERRAND_OK;
    size_t room = logs->room == 0 ? 16 : logs->room * 2;
    errand_log *items = errand__mem_resize(logs->items, room * sizeof(*items));
    if (items == NULL)
        return ERRAND_ENOMEM;
    logs->items = items;
    logs->room = room;
    return ERRAND_OK;
}

errand_status errand__logs_add(struct logs *logs, const char *level, errand_span text, bool in_head,
                               size_t headed)
{
    if (logs->count == LOGS_MAX)
        return ERRAND_ELIMIT;
    errand_status status = make_room(logs);
    size_t offset = logs->text.end - logs->text.start;
    if (status == ERRAND_OK)
        status = errand__buf_push(&logs->text, text);
    if (status != ERRAND_OK)
        return status;
    logs->items[logs->count++] =
        (errand_log){.level = level, .text = span_of((const char *)offset, text.len)};
    if (in_head)
        logs->head_last = headed;
    return ERRAND_OK;
}

void errand__logs_settle(struct logs *logs, bool cut, uint64_t head)
{
    errand_span all = errand__buf_peek(&logs->text);

    if (cut && head < logs->count)
        logs->count = (size_t)head;
    if (cut && logs->count == head && logs->count > 0)
        logs->items[logs->count - 1].text.len = logs->head_last;
    for (size_t i = 0; i < logs->count; i++) {
        errand_span *text = &logs->items[i].text;
        text->ptr = text->len == 0 ? NULL : all.ptr + (uintptr_t)text->ptr;
    }
}
