/* json.c - Connect's JSON, in which zeros are left out and bytes are base64. */
#include "transport/e2b/json.h"

#include "base/mem.h"
#include "transport/e2b/base64.h"

#include <stdio.h>

static int put_piece(const char *text, size_t len, void *ctx)
{
    struct buf *out = ctx;

    return errand__buf_push(out, span_of(text, len)) == ERRAND_OK ? 0 : -1;
}

errand_status errand__e2b_json_put(struct buf *out, json_t *taken)
{
    int failed = taken == NULL ? -1 : json_dump_callback(taken, put_piece, out, JSON_COMPACT);

    json_decref(taken);
    return failed == 0 ? ERRAND_OK : ERRAND_ENOMEM;
}

const char *errand__e2b_json_text(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

bool errand__e2b_json_carries(const char *text)
{
    json_auto_t *value = json_string(text);

    return value != NULL;
}

/* --- Writing ---------------------------------------------------------------------------------- */

errand_status errand__e2b_json_start(struct buf *out, const struct e2b_start *start)
{
    json_t *args = json_array();

    for (size_t i = 0; start->args[i] != NULL; i++)
        (void)json_array_append_new(args, json_string(start->args[i]));
    return errand__e2b_json_put(out, json_pack("{s:{s:s,s:o},s:b}", "process", "cmd", start->cmd,
                                               "args", args, "stdin", start->input ? 1 : 0));
}

errand_status errand__e2b_json_select(struct buf *out, uint32_t pid)
{
    char text[64];
    int len = snprintf(text, sizeof(text), "{\"process\":{\"pid\":%u}}", (unsigned)pid);

    return errand__buf_push(out, span_of(text, (size_t)len));
}

errand_status errand__e2b_json_input(struct buf *out, uint32_t pid, errand_span bytes)
{
    char text[96];
    int len = snprintf(text, sizeof(text), "{\"process\":{\"pid\":%u},\"input\":{\"stdin\":\"",
                       (unsigned)pid);
    errand_status status = errand__buf_push(out, span_of(text, (size_t)len));

    if (status == ERRAND_OK)
        status = errand__e2b_base64_put(out, bytes);
    return status == ERRAND_OK ? errand__buf_push(out, SPAN_LITERAL("\"}}")) : status;
}

errand_status errand__e2b_json_signal(struct buf *out, uint32_t pid, int number)
{
    char text[128];
    int len = snprintf(text, sizeof(text), "{\"process\":{\"pid\":%u},\"signal\":\"%s\"}",
                       (unsigned)pid, number == 9 ? "SIGNAL_SIGKILL" : "SIGNAL_SIGTERM");

    return errand__buf_push(out, span_of(text, (size_t)len));
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* The bytes take the place of their letters inside of the value, which is ours alone. */
static bool read_bytes(struct e2b_event *out, const json_t *value)
{
    char *letters = (char *)(uintptr_t)json_string_value(value);
    size_t len = 0;

    if (letters == NULL || !errand__e2b_base64_take(letters, json_string_length(value), &len))
        return false;
    out->bytes = span_of(letters, len);
    return true;
}

static bool read_data(struct e2b_event *out, const json_t *data)
{
    const json_t *value = json_object_get(data, "stdout");

    out->type = value != NULL ? E2B_EVENT_OUT : E2B_EVENT_ERR;
    value = value != NULL ? value : json_object_get(data, "stderr");
    if (value == NULL) {
        out->type = E2B_EVENT_NONE;
        return true;
    }
    return read_bytes(out, value);
}

static bool read_end(struct e2b_event *out, const json_t *end)
{
    const json_t *code = json_object_get(end, "exitCode");

    out->type = E2B_EVENT_END;
    out->has_code = json_is_integer(code);
    out->exit_code = out->has_code ? (int32_t)json_integer_value(code) : 0;
    out->exited = json_is_true(json_object_get(end, "exited"));
    out->status = span_text(errand__e2b_json_text(end, "status"));
    out->error = span_text(errand__e2b_json_text(end, "error"));
    return true;
}

static bool read_event(struct e2b_event *out, const json_t *event)
{
    const json_t *start = json_object_get(event, "start");
    const json_t *data = json_object_get(event, "data");
    const json_t *end = json_object_get(event, "end");

    if (json_is_object(start)) {
        out->type = E2B_EVENT_START;
        out->pid = (uint32_t)json_integer_value(json_object_get(start, "pid"));
    }
    if (json_is_object(data))
        return read_data(out, data);
    return json_is_object(end) ? read_end(out, end) : true;
}

bool errand__e2b_json_event(struct e2b_event *out, json_t **root, errand_span bytes)
{
    *out = (struct e2b_event){.type = E2B_EVENT_NONE};
    *root = json_loadb(bytes.ptr, bytes.len, 0, NULL);
    if (!json_is_object(*root))
        return false;
    return read_event(out, json_object_get(*root, "event"));
}

static bool config_holds(const json_t *config, errand_span mark)
{
    const json_t *args = json_object_get(config, "args");

    for (size_t i = 0; i < json_array_size(args); i++) {
        const json_t *arg = json_array_get(args, i);
        const char *text = json_string_value(arg);
        if (span_holds(span_of(text, json_string_length(arg)), mark))
            return true;
    }
    return false;
}

uint32_t errand__e2b_json_find(errand_span list, errand_span mark)
{
    json_auto_t *root = json_loadb(list.ptr, list.len, 0, NULL);
    const json_t *processes = json_object_get(root, "processes");

    for (size_t i = 0; i < json_array_size(processes); i++) {
        const json_t *process = json_array_get(processes, i);
        if (config_holds(json_object_get(process, "config"), mark))
            return (uint32_t)json_integer_value(json_object_get(process, "pid"));
    }
    return 0;
}
