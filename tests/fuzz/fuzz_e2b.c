/* Any bytes as what a sandbox's service or its API answers: streams of both codecs, lists,
 * sandboxes and dates. What is lent stays inside of what came. */
#include "fuzz.h"

#include "transport/e2b/calendar.h"
#include "transport/e2b/control.h"
#include "transport/e2b/envelope.h"
#include "transport/e2b/error.h"
#include "transport/e2b/json.h"
#include "transport/e2b/proto.h"

static bool is_inside(errand_span part, errand_span whole)
{
    return part.len == 0 || (part.ptr >= whole.ptr && part.len <= whole.len &&
                             (size_t)(part.ptr - whole.ptr) <= whole.len - part.len);
}

static void read_end(const struct e2b_event *event)
{
    int exit_code = 0, exit_signal = 0;

    errand__e2b_event_exit(event, &exit_code, &exit_signal);
    MUST(exit_code >= -1 && exit_signal >= 0 && exit_signal <= 64);
}

static void read_proto(errand_span payload)
{
    struct e2b_event event;

    if (!errand__e2b_proto_event(&event, payload))
        return;
    MUST(is_inside(event.bytes, payload) && is_inside(event.status, payload) &&
         is_inside(event.error, payload));
    read_end(&event);
}

static void read_json(errand_span payload)
{
    struct e2b_event event;
    json_t *root = NULL;

    if (errand__e2b_json_event(&event, &root, payload)) {
        MUST(event.bytes.len <= payload.len);
        read_end(&event);
    }
    json_decref(root);
}

static void read_stream(errand_span bytes, bool json)
{
    struct e2b_envelope envelope;

    while (errand__e2b_envelope_read(&envelope, bytes) == ERRAND_OK) {
        MUST(envelope.len >= E2B_ENVELOPE_HEAD && envelope.len <= bytes.len);
        MUST(is_inside(envelope.payload, bytes));
        if (json)
            read_json(envelope.payload);
        else
            read_proto(envelope.payload);
        bytes = span_after(bytes, envelope.len);
    }
}

static void read_answers(errand_span bytes)
{
    struct e2b_sandbox sandbox, list[4];
    struct e2b_metrics metrics;

    (void)errand__e2b_sandbox_parse(&sandbox, bytes);
    errand__e2b_sandbox_deinit(&sandbox);
    int count = errand__e2b_control_list(list, COUNT(list), bytes);
    MUST(count <= (int)COUNT(list));
    for (int i = 0; i < count; i++)
        errand__e2b_sandbox_deinit(&list[i]);
    (void)!errand__e2b_control_metrics(&metrics, bytes);
    (void)errand__e2b_proto_find(bytes, SPAN_LITERAL("mark"));
    (void)errand__e2b_json_find(bytes, SPAN_LITERAL("mark"));
}

static void read_words(errand_span bytes)
{
    struct e2b_failure failure;
    char env[] = "NAME=hidden value";
    char *const pairs[] = {env, NULL};
    struct e2b_secrets secrets = {"secret-key", "token", pairs};
    char text[64] = "";
    size_t len = bytes.len < sizeof(text) - 1 ? bytes.len : sizeof(text) - 1;

    if (len > 0)
        memcpy(text, bytes.ptr, len);
    MUST(errand__e2b_calendar_read(text) >= -1);
    int64_t after_us = errand__e2b_error_after_us(text, text);
    MUST(after_us >= 0 && after_us <= (int64_t)60 * 1000 * 1000);
    errand__e2b_error_trailer(&failure, span_head(bytes, 20), bytes, &secrets);
    MUST(failure.code != NULL && strstr(failure.error.text, secrets.key) == NULL &&
         strstr(failure.error.text, "hidden value") == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    errand_span bytes = span_of(data, size);

    read_stream(bytes, false);
    read_stream(bytes, true);
    read_proto(bytes);
    read_json(bytes);
    read_answers(bytes);
    read_words(bytes);
    return 0;
}
