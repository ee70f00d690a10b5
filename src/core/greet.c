/* greet.c - what comes before the first frame: noise, a failure, a want, and at last hello. */
#include "core/hail.h"
#include "core/json.h"
#include "core/life.h"
#include "core/utf8.h"

#include <inttypes.h>

void errand__add_noise(struct core *core, errand_span bytes)
{
    static const struct ending ending = {ERRAND_KIND_WORKER_EXIT, "boot_noise", "boot_noise_bytes",
                                         "a shell startup file prints output"};

    if (errand__noise_add(&core->noise, bytes) != ERRAND_OK && !core->decided)
        errand__decide_memory(core);
    if (core->heard || core->decided || core->noise.total <= core->setup.limits.boot_noise_bytes)
        return;
    char clean[NOISE_HEAD_MAX];
    size_t len = errand__utf8_clean_line(clean, sizeof(clean),
                                         errand__json_trim(errand__noise_head(&core->noise)));
    errand__decide(core, &ending,
                   "more than %" PRIu64 " bytes were printed before the runner spoke; they begin: "
                   "%.*s",
                   core->setup.limits.boot_noise_bytes, (int)len, clean);
}

/* --- Lines with the mark ------------------------------------------------------------------ */

static const struct fail {
    const char *code;
    const char *text;
    const char *hint;
} fails[] = {
    {"node_not_found", "no node was found over there",
     "install node 18 or later there, or name its path"},
    {"node_too_old", "node over there is too old", "node 18 or later is needed"},
    {"node_not_run", "node over there could not be run", "see that this path is a node that runs"},
    {"stdin_eaten", "something over there reads standard input before the runner",
     "a shell startup file or wrapper eats its input"},
    {"stdin_closed", "standard input over there is closed",
     "the command that reaches the place must pass its input on"},
    {"bad_digest", "the runner did not arrive as it was sent",
     "something on the way changes bytes, such as a terminal"},
    {"runner_broken", "the runner could not start", NULL},
};

static const struct fail *fail_of(errand_span code)
{
    for (size_t i = 0; i < COUNT(fails); i++) {
        if (span_is(code, fails[i].code))
            return &fails[i];
    }
    return NULL;
}

static void hear_fail(struct core *core, const struct hail *hail)
{
    const struct fail *fail = fail_of(hail->code);
    char clean[NOISE_HEAD_MAX];

    if (fail == NULL) {
        errand__refuse(core, "a failure of no known code", hail->code);
        return;
    }
    const struct ending ending = {ERRAND_KIND_WORKER_EXIT, fail->code, NULL, fail->hint};
    size_t len = errand__utf8_clean(clean, sizeof(clean), errand__json_trim(hail->text));
    errand__decide(core, &ending, "%s%s%.*s", fail->text, len > 0 ? ": " : "", (int)len, clean);
}

static void hear_want(struct core *core)
{
    if (core->wanted || core->setup.runner.len == 0) {
        errand__refuse(core, "a want that nothing can answer", SPAN_EMPTY);
        return;
    }
    core->wanted = true;
    if (errand__say_raw(core, core->setup.runner) != ERRAND_OK)
        errand__decide_memory(core);
}

static void hear_hail(struct core *core)
{
    errand_span bytes = errand__inbox_unread(core);
    struct hail hail;

    errand__hail_read(bytes, core->setup.mark, core->eof || core->believed, &hail);
    /* Behind a break it may be the middle of anything. */
    if (core->outcome.drops == 0)
        errand__add_noise(core, span_head(bytes, hail.noise));
    if (core->decided) {
        errand__buf_consume(&core->inbox, hail.noise);
        return;
    }
    switch (hail.type) {
    case HAIL_NONE:
        break;
    case HAIL_HELLO:
        core->hailed = true;
        core->hello_size = hail.size;
        if (hail.size > HAIL_GREETING_MAX)
            errand__refuse(core, "a hello over its size", span_after(bytes, hail.noise));
        break;
    case HAIL_WANT:
        hear_want(core);
        break;
    case HAIL_FAIL:
        hear_fail(core, &hail);
        break;
    case HAIL_BAD:
        errand__refuse(core, "a hello that makes no sense", span_after(bytes, hail.noise));
        break;
    }
    if (!core->deaf)
        errand__buf_consume(&core->inbox, hail.noise + hail.len);
}

/* --- Hello -------------------------------------------------------------------------------- */

static bool hear_hello(struct core *core, errand_event *out)
{
    static const struct ending version = {ERRAND_KIND_WORKER_EXIT, "protocol_version", NULL,
                                          "the runner over there is not the one of this library"};
    errand_span payload = span_head(errand__inbox_unread(core), (size_t)core->hello_size);
    struct greeting greeting;
    const char *why;

    if (errand__inbox_unread(core).ptr[payload.len] != '\n') {
        errand__refuse(core, "a payload that does not end where its header says", payload);
        return false;
    }
    if (!errand__greeting_read(payload, &greeting, &why)) {
        errand__refuse(core, why, payload);
        return false;
    }
    if (greeting.protocol != 1) {
        errand__decide(core, &version, "the runner speaks protocol %" PRIu64 ", home speaks 1",
                       greeting.protocol);
        errand__inbox_shut(core);
        return false;
    }
    out->type = ERRAND_EVENT_STARTED;
    out->as.started.pid = (int64_t)greeting.pid;
    out->as.started.hello = payload;
    if (!errand__inbox_text(core, greeting.node, &out->as.started.node)) {
        errand__decide_memory(core);
        return false;
    }
    core->heard = true;
    core->cut_off = core->setup.cut_off || greeting.cut_off;
    core->heard_us = core->word_us = core->life_us = core->ping_us = core->now_us;
    core->outcome.frames_received++;
    core->lent += payload.len + 1;
    /* Segments have begun, or begin: what else is bare, such as a second hello, is none of them. */
    if (errand__segments_on(&core->segments))
        core->lent += errand__inbox_unread(core).len - core->behind_hello;
    return true;
}

/* --- One after another -------------------------------------------------------------------- */

bool errand__greet(struct core *core, errand_event *out)
{
    if (core->decided) {
        errand__add_noise(core, errand__inbox_unread(core));
        errand__buf_consume(&core->inbox, errand__inbox_unread(core).len);
        return false;
    }
    if (core->hailed)
        return hear_hello(core, out);
    hear_hail(core);
    return false;
}

bool errand__greet_ready(const struct core *core, errand_span bytes)
{
    struct hail hail;

    if (core->decided)
        return true;
    if (core->hailed)
        return bytes.len > core->hello_size;
    errand__hail_read(bytes, core->setup.mark, core->eof || core->believed, &hail);
    return hail.type != HAIL_NONE || hail.noise > 0;
}

bool errand__greet_waits(const struct core *core)
{
    errand_span bytes = errand__inbox_unread(core);
    struct hail hail;

    if (core->hailed)
        return bytes.len > core->hello_size;
    errand__hail_read(bytes, core->setup.mark, false, &hail);
    if (hail.type == HAIL_WANT) { /* And all at once, as only a liar is so quick. */
        bytes = span_after(bytes, hail.noise + hail.len);
        errand__hail_read(bytes, core->setup.mark, false, &hail);
    }
    if (hail.type != HAIL_HELLO)
        return hail.type != HAIL_NONE;
    return span_after(bytes, hail.noise + hail.len).len > hail.size;
}

void errand__greet_anew(struct core *core)
{
    assert(core->lent == 0);
    core->behind_hello = 0;
    errand__buf_keep(&core->inbox, 0); /* What was none is noise already. */
    core->hailed = false;
}
