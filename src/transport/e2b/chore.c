/* chore.c - starts it, over any connection that is free, and once more where that failed. */
#include "transport/e2b/chore.h"

#include "base/mem.h"

bool errand__e2b_chore_init(struct e2b_chore *chore, const struct e2b_envd *envd,
                            const char *script, const char *const *words, struct bell *bell)
{
    *chore = (struct e2b_chore){.envd = envd,
                                .bell = bell,
                                .script = script,
                                .again_us = TIME_NEVER,
                                .due_us = TIME_NEVER,
                                .exit_code = -1};
    errand__buf_init(&chore->said, E2B_CHORE_SAID);
    for (size_t i = 0; words[i] != NULL; i++) {
        assert(i < E2B_CHORE_WORDS);
        chore->words[i] = errand__mem_copy(words[i], strlen(words[i]));
        if (chore->words[i] == NULL)
            return false;
    }
    return true;
}

void errand__e2b_chore_deinit(struct e2b_chore *chore)
{
    if (chore->envd != NULL)
        errand__e2b_stream_deinit(&chore->stream);
    for (size_t i = 0; chore->words[i] != NULL; i++)
        errand__mem_free(chore->words[i]);
    errand__buf_deinit(&chore->said);
    *chore = (struct e2b_chore){0};
}

static void start(struct e2b_chore *chore)
{
    const char *args[E2B_CHORE_WORDS + 3] = {"-c", chore->script};

    for (size_t i = 0; chore->words[i] != NULL; i++)
        args[i + 2] = chore->words[i];
    const struct e2b_start wish = {.cmd = "/bin/sh", .args = args, .input = false};
    errand__e2b_stream_deinit(&chore->stream);
    errand__buf_consume(&chore->said, errand__buf_peek(&chore->said).len);
    chore->last_len = 0;
    chore->again_us = TIME_NEVER;
    errand__e2b_stream_init(&chore->stream, chore->envd,
                            errand__e2b_envd_start(chore->envd, &wish, false, chore->bell));
}

void errand__e2b_chore_begin(struct e2b_chore *chore, int64_t now_us, int64_t timeout_us)
{
    chore->due_us = now_us + timeout_us;
    errand__e2b_patience_init(&chore->patience, chore->due_us);
    start(chore);
}

/* What does not fit is not said. */
static void hear(struct e2b_chore *chore, errand_span bytes)
{
    size_t held = errand__buf_peek(&chore->said).len;

    (void)!errand__buf_push(&chore->said, span_head(bytes, E2B_CHORE_SAID - held));
}

static void hear_last(struct e2b_chore *chore, errand_span bytes)
{
    for (size_t i = 0; i < bytes.len; i++) {
        if (bytes.ptr[i] == '\n' && i + 1 < bytes.len)
            chore->last_len = 0;
        else if (bytes.ptr[i] != '\n' && chore->last_len + 1 < sizeof(chore->last))
            chore->last[chore->last_len++] = bytes.ptr[i];
    }
    chore->last[chore->last_len] = '\0';
}

static void conclude(struct e2b_chore *chore, const struct e2b_event *event)
{
    int exit_signal = 0;

    errand__e2b_event_exit(event, &chore->exit_code, &exit_signal);
    chore->end = E2B_CHORE_EXITED;
}

static void try_again(struct e2b_chore *chore, int64_t now_us)
{
    chore->failure = chore->stream.failure;
    chore->again_us = chore->failure.retryable || chore->failure.unsure
                          ? errand__e2b_patience_next(&chore->patience, now_us)
                          : TIME_NEVER;
    if (chore->again_us == TIME_NEVER)
        chore->end = E2B_CHORE_FAILED;
}

static void follow(struct e2b_chore *chore, int64_t now_us)
{
    struct e2b_event event;
    enum e2b_stream_news news = E2B_STREAM_EVENT;

    while (chore->end == E2B_CHORE_GOING && news == E2B_STREAM_EVENT) {
        news = errand__e2b_stream_next(&chore->stream, now_us, &event);
        if (news == E2B_STREAM_OVER)
            try_again(chore, now_us);
        else if (event.type == E2B_EVENT_OUT)
            hear(chore, event.bytes);
        else if (event.type == E2B_EVENT_ERR)
            hear_last(chore, event.bytes);
        else if (event.type == E2B_EVENT_END)
            conclude(chore, &event);
    }
}

bool errand__e2b_chore_turn(struct e2b_chore *chore, int64_t now_us)
{
    if (chore->end != E2B_CHORE_GOING)
        return true;
    if (now_us >= chore->due_us) {
        errand__e2b_error_set(&chore->failure, "no_answer", "the sandbox took too long");
        chore->end = E2B_CHORE_FAILED;
        return true;
    }
    if (chore->again_us <= now_us)
        start(chore);
    if (chore->again_us == TIME_NEVER)
        follow(chore, now_us);
    return chore->end != E2B_CHORE_GOING;
}

int64_t errand__e2b_chore_due(const struct e2b_chore *chore)
{
    if (chore->end != E2B_CHORE_GOING)
        return TIME_NEVER;
    return chore->again_us < chore->due_us ? chore->again_us : chore->due_us;
}
