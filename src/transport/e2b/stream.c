/* stream.c - from bytes to events. What was known when a stream broke stays known: an end
 * counts without what should follow it, and every other ending is one failure. */
#include "transport/e2b/stream.h"

#include "transport/e2b/envelope.h"
#include "transport/e2b/json.h"
#include "transport/e2b/proto.h"

#include <strings.h>

/* What is longer than that would never be read to its end. */
static_assert((int)E2B_ENVELOPE_HEAD + (int)E2B_ENVELOPE_MOST <= (int)E2B_ENVD_HELD,
              "an envelope fits into what is held");

void errand__e2b_stream_init(struct e2b_stream *stream, const struct e2b_envd *envd,
                             struct e2b_exchange *exchange)
{
    *stream = (struct e2b_stream){.exchange = exchange, .envd = envd, .json = envd->json};
    if (exchange == NULL) {
        stream->over = true;
        errand__e2b_error_set(&stream->failure, "place_failed", "no memory");
    }
}

void errand__e2b_stream_deinit(struct e2b_stream *stream)
{
    json_decref(stream->root);
    errand__e2b_exchange_free(stream->exchange);
    *stream = (struct e2b_stream){0};
}

/* --- Endings ---------------------------------------------------------------------------------- */

static enum e2b_stream_news end(struct e2b_stream *stream)
{
    stream->over = true;
    if (stream->ended)
        stream->failure.code = NULL;
    return E2B_STREAM_OVER;
}

static enum e2b_stream_news end_broken(struct e2b_stream *stream, const char *code,
                                       const char *words)
{
    errand__e2b_error_set(&stream->failure, code, words);
    stream->failure.retryable = stream->failure.unsure = true;
    return end(stream);
}

static enum e2b_stream_news end_by_trailer(struct e2b_stream *stream, errand_span payload)
{
    json_auto_t *root = json_loadb(payload.ptr, payload.len, 0, NULL);
    const json_t *error = json_object_get(root, "error");
    const char *code = errand__e2b_json_text(error, "code");
    const char *words = errand__e2b_json_text(error, "message");
    struct e2b_secrets secrets = errand__e2b_envd_secrets(stream->envd);

    errand__e2b_error_trailer(&stream->failure, span_text(code), span_text(words), &secrets);
    return end(stream);
}

static bool is_stream(const struct e2b_exchange *exchange)
{
    return strncasecmp(exchange->type, "application/connect+", 20) == 0;
}

/* The exchange is over, and no envelope is left in it. */
static enum e2b_stream_news end_by_exchange(struct e2b_stream *stream)
{
    struct e2b_secrets secrets = errand__e2b_envd_secrets(stream->envd);
    const struct e2b_exchange *exchange = stream->exchange;

    if (exchange->status == 200 && exchange->result == CURLE_OK && is_stream(exchange))
        return end_broken(stream, "stream_lost",
                          errand__buf_peek(&exchange->in).len > 0
                              ? "the stream ended within a message"
                              : "the stream ended without the process's end");
    errand__e2b_error_judge(&stream->failure, exchange, E2B_PLANE_STREAM, &secrets);
    if (stream->began)
        stream->failure.unsure = true;
    return end(stream);
}

/* --- Events ----------------------------------------------------------------------------------- */

static void take_back(struct e2b_stream *stream)
{
    if (stream->lent == 0)
        return;
    errand__buf_consume(&stream->exchange->in, stream->lent);
    stream->lent = 0;
    json_decref(stream->root);
    stream->root = NULL;
    errand__e2b_exchange_resume(stream->exchange);
}

static bool decode(struct e2b_stream *stream, errand_span payload, struct e2b_event *event)
{
    return stream->json ? errand__e2b_json_event(event, &stream->root, payload)
                        : errand__e2b_proto_event(event, payload);
}

static enum e2b_stream_news read_envelope(struct e2b_stream *stream,
                                          const struct e2b_envelope *envelope,
                                          struct e2b_event *event)
{
    stream->lent = envelope->len;
    if ((envelope->flags & E2B_ENVELOPE_TRAILER) != 0)
        return end_by_trailer(stream, envelope->payload);
    if (!decode(stream, envelope->payload, event))
        return end_broken(stream, "stream_lost", "the stream holds what is no message");
    stream->began = true;
    stream->ended = stream->ended || event->type == E2B_EVENT_END;
    return E2B_STREAM_EVENT;
}

static enum e2b_stream_news look(struct e2b_stream *stream, int64_t now_us, struct e2b_event *event)
{
    struct e2b_exchange *exchange = stream->exchange;
    struct e2b_envelope envelope;
    errand_span bytes = errand__buf_peek(&exchange->in);

    /* Anything else is an answer of its own, which is read once it is whole. */
    if (exchange->status == 200 && bytes.len > 0 && is_stream(exchange)) {
        errand_status status = errand__e2b_envelope_read(&envelope, bytes);
        if (status == ERRAND_OK)
            return read_envelope(stream, &envelope, event);
        if (status < 0)
            return end_broken(stream, "stream_lost", "the stream holds what is no message");
    } else if (bytes.len >= exchange->answer_most) {
        errand__e2b_error_set(&stream->failure, "not_e2b",
                              "that is no E2B server: it answers with something endless");
        return end(stream);
    }
    if (exchange->over)
        return end_by_exchange(stream);
    if (now_us >= errand__e2b_stream_due(stream))
        return end_broken(stream, "silent",
                          stream->began ? "nothing was heard of the sandbox for three keepalives"
                                        : "the sandbox was asked and said nothing for 30 s; a "
                                          "proxy on the way may hold answers back");
    return E2B_STREAM_QUIET;
}

enum e2b_stream_news errand__e2b_stream_next(struct e2b_stream *stream, int64_t now_us,
                                             struct e2b_event *event)
{
    *event = (struct e2b_event){.type = E2B_EVENT_NONE};
    if (stream->over)
        return E2B_STREAM_OVER;
    take_back(stream);
    return look(stream, now_us, event);
}

int64_t errand__e2b_stream_due(const struct e2b_stream *stream)
{
    if (stream->over || stream->exchange->over || stream->exchange->reading_paused)
        return TIME_NEVER;
    return stream->began ? stream->exchange->heard_us + E2B_ENVD_SILENCE_US
                         : stream->exchange->began_us + E2B_ENVD_FIRST_US;
}
