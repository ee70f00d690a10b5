/* print.c - events as they come. Their ending stands in print_end.c. */
#include "cli/print.h"
#include "base/mem.h"
#include "cli/signals.h"
#include "cli/text.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void print_init(struct print *print, bool json, bool quiet)
{
    *print = (struct print){.json = json, .quiet = quiet};
    sink_init(&print->out, STDOUT_FILENO);
    sink_init(&print->err, STDERR_FILENO);
    status_init(&print->status, &print->err, quiet);
}

void print_deinit(struct print *print)
{
    sink_deinit(&print->out);
    sink_deinit(&print->err);
}

void print_flush(struct print *print)
{
    /* Words about a run stand in front of its value where both go to one terminal. */
    sink_flush(&print->err);
    sink_flush(&print->out);
}

bool print_is_empty(const struct print *print)
{
    return sink_is_empty(&print->out) && sink_is_empty(&print->err);
}

int print_wait(const struct print *print, int signal_fd)
{
    struct pollfd fds[] = {
        {.fd = signal_fd, .events = POLLIN},
        {.fd = sink_is_empty(&print->out) ? -1 : print->out.fd, .events = POLLOUT},
        {.fd = sink_is_empty(&print->err) ? -1 : print->err.fd, .events = POLLOUT}};

    (void)poll(fds, COUNT(fds), -1);
    return signal_fd < 0 ? 0 : signals_next(signal_fd);
}

bool print_is_full(const struct print *print)
{
    return sink_is_full(&print->out) || sink_is_full(&print->err);
}

/* What a terminal is shown is guarded; a file gets it as it is. */
static void add_far_text(struct sink *sink, errand_span text)
{
    if (sink->tty)
        text_guarded(&sink->queue, text);
    else
        text_add(&sink->queue, text);
}

static void begin_line(struct print *print)
{
    status_hide(&print->status, &print->err);
    if (print->status.mid_line)
        text_words(&print->err.queue, "\n");
    print->status.mid_line = false;
}

void print_note(struct print *print, const char *format, ...)
{
    char words[512];
    va_list args;

    va_start(args, format);
    int written = vsnprintf(words, sizeof(words), format, args);
    va_end(args);
    if (written < 0)
        return;
    begin_line(print);
    text_words(&print->err.queue, "errand: ");
    text_guarded(&print->err.queue, span_text(words));
    text_words(&print->err.queue, "\n");
}

void print_tool(struct print *print, errand_span words)
{
    if (print->json || print->quiet)
        return;
    begin_line(print);
    text_words(&print->err.queue, "errand: tool ");
    add_far_text(&print->err, words);
    text_words(&print->err.queue, "\n");
}

static const char *level_color(const char *level)
{
    if (strcmp(level, "error") == 0)
        return "\033[31m";
    if (strcmp(level, "warn") == 0)
        return "\033[33m";
    return strcmp(level, "debug") == 0 ? "\033[2m" : "";
}

static void print_log(struct print *print, const char *level, errand_span text)
{
    /* Raw writes bring their own line breaks. */
    bool raw = strcmp(level, "stdout") == 0 || strcmp(level, "stderr") == 0;
    const char *color = print->status.color ? level_color(level) : "";

    status_hide(&print->status, &print->err);
    if (!raw)
        begin_line(print);
    text_words(&print->err.queue, color);
    add_far_text(&print->err, text);
    text_words(&print->err.queue, color[0] == '\0' ? "" : "\033[0m");
    if (!raw)
        text_words(&print->err.queue, "\n");
    else if (text.len > 0)
        print->status.mid_line = text.ptr[text.len - 1] != '\n';
}

static void add_far_string(struct sink *sink, errand_span string)
{
    size_t len = 0;
    char *words = item_words(string, &len);

    add_far_text(sink, span_of(words, len));
    errand__mem_free(words);
}

/* A string as it stands in the JSON, so on one line. */
static void add_far_label(struct sink *sink, const char *before, errand_span string)
{
    if (string.len <= 2)
        return;
    text_words(&sink->queue, before);
    add_far_text(sink, span_of(string.ptr + 1, string.len - 2));
}

static void add_size(struct buf *out, uint64_t size)
{
    static const uint64_t kib = 1024, mib = UINT64_C(1024) * 1024, small = 10;

    if (size < small * kib)
        text_format(out, "%llu byte%s", (unsigned long long)size, size == 1 ? "" : "s");
    else if (size < small * mib)
        text_format(out, "%llu KiB", (unsigned long long)(size / kib));
    else
        text_format(out, "%llu MiB", (unsigned long long)(size / mib));
}

/* A text as logs are; of all else, what it is: [image image/png, 12 KiB]. */
static void human_item(struct print *print, const struct item_view *item, const char *file)
{
    struct sink *err = &print->err;

    begin_line(print);
    if (item->text.len > 0) {
        add_far_string(err, item->text);
        text_words(&err->queue, "\n");
        return;
    }
    add_far_label(err, "[", item->kind);
    add_far_label(err, " ", item->name);
    add_far_label(err, " ", item->mime);
    add_far_label(err, " ", item->uri);
    if (item->data.len > 0) {
        text_words(&err->queue, ", ");
        add_size(&err->queue, item->size);
    }
    text_words(&err->queue, "]");
    if (file != NULL) {
        text_words(&err->queue, " ");
        text_guarded(&err->queue, span_text(file));
    }
    text_words(&err->queue, "\n");
}

static void print_noise(struct print *print, errand_span noise)
{
    status_hide(&print->status, &print->err);
    add_far_text(&print->err, noise);
    if (noise.len > 0)
        print->status.mid_line = noise.ptr[noise.len - 1] != '\n';
}

static long long at_ms(struct print *print, int64_t at_us)
{
    if (!print->first_seen)
        print->first_us = at_us;
    print->first_seen = true;
    return (long long)((at_us - print->first_us) / 1000);
}

void print_tool_name(struct buf *text, const char *space, const char *function)
{
    if (strcmp(space, "tools") != 0) {
        text_words(text, space);
        text_words(text, ".");
    }
    text_words(text, function);
}

static void json_tool_name(struct buf *out, const char *space, const char *function)
{
    struct buf name;

    errand__buf_init(&name, TEXT_BYTES_MAX);
    print_tool_name(&name, space, function);
    text_json_string(out, errand__buf_peek(&name));
    errand__buf_deinit(&name);
}

static void json_begin(struct print *print, const char *event, int64_t at_us)
{
    text_format(&print->out.queue, "{\"event\":\"%s\",\"at_ms\":%lld", event, at_ms(print, at_us));
}

static void json_call(struct print *print, const errand_event *event)
{
    struct buf *out = &print->out.queue;

    json_begin(print, "call", event->at_us);
    text_format(out, ",\"id\":%llu,\"tool\":", (unsigned long long)event->as.call.id);
    json_tool_name(out, event->as.call.space, event->as.call.function);
    if (event->as.call.args.len > 0) {
        text_words(out, ",\"args\":");
        text_json(out, event->as.call.args);
    }
    text_words(out, "}\n");
}

static void json_event(struct print *print, const errand_event *event)
{
    struct buf *out = &print->out.queue;

    if (event->type == ERRAND_EVENT_CALL)
        json_call(print, event);
    if (event->type == ERRAND_EVENT_LOG) {
        json_begin(print, "log", event->at_us);
        text_format(out, ",\"level\":\"%s\",\"text\":", event->as.log.level);
        text_json(out, event->as.log.json);
        text_words(out, "}\n");
    }
    if (event->type == ERRAND_EVENT_NOISE) {
        json_begin(print, "noise", event->at_us);
        text_words(out, ",\"text\":");
        text_json_string(out, event->as.noise);
        text_words(out, "}\n");
    }
}

void print_event(struct print *print, const errand_event *event)
{
    (void)at_ms(print, event->at_us);
    if (print->json) {
        json_event(print, event);
        return;
    }
    if (print->quiet)
        return;
    if (event->type == ERRAND_EVENT_LOG)
        print_log(print, event->as.log.level, event->as.log.text);
    if (event->type == ERRAND_EVENT_NOISE)
        print_noise(print, event->as.noise);
}

void print_item(struct print *print, const errand_event *event, const struct item_view *item,
                const char *file)
{
    struct buf *out = &print->out.queue;

    (void)at_ms(print, event->at_us);
    if (!print->json) {
        if (!print->quiet)
            human_item(print, item, file);
        return;
    }
    json_begin(print, "item", event->at_us);
    text_words(out, ",\"item\":");
    text_json(out, event->as.item.json);
    if (file != NULL) {
        text_words(out, ",\"file\":");
        text_json_string(out, span_text(file));
    }
    text_words(out, "}\n");
}

void print_reply(struct print *print, const struct reply *reply)
{
    struct buf *out = &print->out.queue;

    if (!print->json)
        return;
    json_begin(print, "reply", reply->at_us);
    text_format(out, ",\"id\":%llu,\"ok\":%s", (unsigned long long)reply->id,
                reply->ok ? "true" : "false");
    if (reply->ok && reply->value.len > 0) {
        text_words(out, ",\"value\":");
        text_json(out, reply->value);
    }
    if (!reply->ok) {
        text_words(out, ",\"error\":{\"message\":");
        text_json_string(out, reply->message);
        text_words(out, ",\"code\":");
        text_json_string(out, span_text(reply->code));
        text_words(out, "}");
    }
    text_format(out, ",\"ms\":%lld}\n", (long long)(reply->took_us / 1000));
}

void print_file(struct print *print, bool put, const char *local, const char *remote,
                const struct printed_file *what)
{
    struct buf *out = &print->out.queue;

    if (!print->json) {
        if (!what->ok)
            print_note(print, "%s", what->error);
        return;
    }
    json_begin(print, put ? "put" : "get", what->at_us);
    text_words(out, ",\"local\":");
    text_json_string(out, span_text(local));
    text_words(out, ",\"remote\":");
    text_json_string(out, span_text(remote));
    text_format(out, ",\"ok\":%s,\"bytes\":%llu", what->ok ? "true" : "false",
                (unsigned long long)what->bytes);
    if (!what->ok) {
        text_format(out, ",\"code\":\"%s\",\"error\":", what->code);
        text_json_string(out, span_text(what->error));
    }
    text_words(out, "}\n");
}
