/* client.c - one short-lived child, whose output is all that counts. */
#include "transport/ssh/client.h"

#include "base/err.h"
#include "transport/child.h"
#include "transport/words.h"

#include <stdio.h>

enum { SCRATCH = 16 * 1024, FIRST_WORDS = 160 };

struct hearing {
    errand_process *child;
    struct buf *text;
    bool opened, exited;
    char words[FIRST_WORDS]; /* Of its stderr. */
    size_t words_len;
};

static bool add(struct words *words, const char *word)
{
    return errand__words_add(words, word, NULL) == ERRAND_OK;
}

static bool make_words(struct words *words, const struct ssh_target *target)
{
    char port[16];

    (void)snprintf(port, sizeof(port), "%u", target->port);
    return add(words, "ssh") && add(words, "-G") &&
           (target->config == NULL || (add(words, "-F") && add(words, target->config))) &&
           (target->port == 0 || (add(words, "-p") && add(words, port))) &&
           (target->user == NULL || (add(words, "-l") && add(words, target->user))) &&
           add(words, "--") && add(words, target->host);
}

static void keep_words(struct hearing *hearing, errand_span bytes)
{
    size_t room = FIRST_WORDS - 1 - hearing->words_len;
    size_t len = bytes.len < room ? bytes.len : room;

    memcpy(hearing->words + hearing->words_len, bytes.ptr, len);
    hearing->words_len += len;
    hearing->words[hearing->words_len] = '\0';
}

static errand_status hear(struct hearing *hearing, const errand_notice *notice, errand_error *err)
{
    switch (notice->type) {
    case ERRAND_NOTICE_OPENED:
        hearing->opened = true;
        break;
    case ERRAND_NOTICE_OUT:
        if (errand__buf_push(hearing->text, notice->bytes) != ERRAND_OK)
            return errand__fail(err, ERRAND_ELIMIT, 0, "ssh: \"ssh -G\" prints too much");
        break;
    case ERRAND_NOTICE_ERR:
        keep_words(hearing, notice->bytes);
        break;
    case ERRAND_NOTICE_EXITED:
        hearing->exited = true;
        break;
    case ERRAND_NOTICE_EOF: /* It may still say why there is nothing. */
    case ERRAND_NOTICE_CLOSED:
    case ERRAND_NOTICE_DROPPED:
    case ERRAND_NOTICE_ATTACHED:
        break;
    }
    return ERRAND_OK;
}

static errand_status listen_to(struct hearing *hearing, const struct ssh_patience *patience,
                               errand_error *err)
{
    char room[SCRATCH];

    for (;;) {
        errand_notice notice = {0};
        errand_scratch scratch = {room, sizeof(room)};
        errand_process *child = hearing->child;
        errand_status status = child->ops->next(child, 0, scratch, &notice, NULL);
        if (status < 0 && !hearing->opened)
            return ERRAND_AGAIN;
        if (status == ERRAND_OK)
            status = hear(hearing, &notice, err);
        if (status < 0)
            return errand__fail(err, status, 0, "ssh: \"ssh -G\" can't be heard");
        if (status != ERRAND_AGAIN)
            continue;
        if (hearing->exited)
            return ERRAND_OK;
        struct pollfd fds[SSH_PATIENCE_FDS];
        int64_t due_us = 0;
        size_t count = child->ops->wants(child, 1, 0, fds, COUNT(fds), &due_us);
        enum ssh_waited waited =
            errand__ssh_patience_wait(patience, fds, count < COUNT(fds) ? count : COUNT(fds));
        if (waited != SSH_WAITED_READY)
            return errand__ssh_patience_fail(waited, "\"ssh -G\" does not end", err);
    }
}

static const char *words_of(struct hearing *hearing)
{
    size_t len = hearing->words_len;

    while (len > 0 && (unsigned char)hearing->words[len - 1] <= ' ')
        len--;
    hearing->words[len] = '\0';
    return len == 0 ? "nothing" : hearing->words;
}

errand_status errand__ssh_client_ask(const struct ssh_target *target,
                                     const struct ssh_patience *patience, struct buf *text,
                                     errand_error *err)
{
    struct words words = {0};
    struct hearing hearing = {.text = text};
    errand_status status =
        make_words(&words, target)
            ? errand__child_new(&hearing.child, (const char *const *)words.list, err)
            : errand__fail(err, ERRAND_ENOMEM, 0, "ssh: no memory");

    errand__words_deinit(&words);
    if (status != ERRAND_OK)
        return status;
    assert(hearing.child != NULL);
    status = listen_to(&hearing, patience, err);
    hearing.child->ops->free(hearing.child);
    if (status == ERRAND_OK && errand__buf_peek(text).len == 0)
        return errand__fail(err, ERRAND_EINVAL, 0, "ssh: \"ssh -G\" says: %.150s",
                            words_of(&hearing));
    return status;
}
