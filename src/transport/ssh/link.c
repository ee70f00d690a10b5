/* link.c - what every turn of a connection does, in order: send, hear, open, close, ping. */
#include "transport/ssh/link.h"

#include "base/err.h"
#include "base/mem.h"

#include <stdio.h>

enum {
    PACKET = 32 * 1024,
    HEAR_MOST = 8 * 1024 * 1024,     /* A turn; then others have theirs. */
    ALIVE_US = 15 * 1000 * 1000,     /* Silence after which a sign of life is asked for. */
    DEAD_US = 45 * 1000 * 1000,      /* Silence after which nobody is there. */
    PING_LEAST_US = 5 * 1000 * 1000, /* How long an answer may take at the least. */
    YOUNG_US = 10 * 1000 * 1000,     /* Who dies so soon would again. */
    FREE_TRIES = 8,
    RETRY_US = 50 * 1000, /* Twice as long each time. */
    REFUSALS_MOST = 6
};

errand_status errand__ssh_link_new(struct ssh_link **out, const struct ssh_dialled *dialled,
                                   int64_t now_us, errand_error *err)
{
    struct ssh_link *link = errand__mem_new(1, sizeof(*link));

    *out = NULL;
    if (link == NULL) {
        errand__ssh_wire_free(dialled->wire);
        return errand__fail(err, ERRAND_ENOMEM, 0, "ssh: no memory");
    }
    link->wire = dialled->wire;
    errand__ssh_warden_init(&link->warden);
    link->heard = link->wire->heard;
    link->heard_us = link->born_us = now_us;
    link->alive_us = dialled->alive_s == 0 ? ALIVE_US : (int64_t)dialled->alive_s * 1000000;
    link->dead_us = dialled->alive_s == 0 || dialled->alive_count == 0
                        ? DEAD_US
                        : link->alive_us * ((int64_t)dialled->alive_count + 1);
    *out = link;
    return ERRAND_OK;
}

/* --- Counting ------------------------------------------------------------------------------- */

static size_t count_of(const struct ssh_link *link, enum ssh_use use)
{
    size_t count = 0;

    for (size_t i = 0; i < SSH_LINK_CHANNELS; i++)
        count += link->channels[i].raw != NULL && link->channels[i].use == use;
    return count;
}

static size_t count_open(const struct ssh_link *link)
{
    size_t count = 0;

    for (size_t i = 0; i < SSH_LINK_CHANNELS; i++)
        count += link->channels[i].raw != NULL;
    return count;
}

bool errand__ssh_link_is_idle(const struct ssh_link *link)
{
    return count_of(link, SSH_USE_RUN) == 0;
}

bool errand__ssh_link_listens(const struct ssh_link *link)
{
    return !link->wire->broken && (link->opening || count_open(link) > 0);
}

bool errand__ssh_link_is_dead(const struct ssh_link *link)
{
    return link->failure.status != ERRAND_OK;
}

bool errand__ssh_link_is_in_vain(const struct ssh_link *link, int64_t now_us)
{
    return errand__ssh_link_is_dead(link) && !link->fertile && now_us - link->born_us < YOUNG_US;
}

void errand__ssh_link_fail(struct ssh_link *link)
{
    char why[160];

    (void)errand__fail(&link->failure, ERRAND_EIO, 0, "ssh: the connection is lost%s: %s",
                       link->fertile ? "" : " after the login, before any channel",
                       errand__ssh_wire_why(link->wire, why, sizeof(why)));
}

/* --- Opening and closing -------------------------------------------------------------------- */

static struct ssh_channel *free_place(struct ssh_link *link)
{
    for (size_t i = 0; i < SSH_LINK_CHANNELS; i++) {
        if (link->channels[i].raw == NULL)
            return &link->channels[i];
    }
    return NULL;
}

static bool wants_warden(const struct ssh_link *link)
{
    return link->keeps && link->warden.raw == NULL && link->warden.tried < SSH_WARDEN_TRIES;
}

/* Somebody waits for one. */
static bool is_pressed(const struct ssh_link *link)
{
    return link->wanted > 0 || (wants_warden(link) && errand__buf_peek(&link->warden.out).len > 0);
}

static bool wants_another(const struct ssh_link *link)
{
    /* One for the next run, and one for the warden. */
    size_t aim = link->wanted + (link->keeps ? 1 : 0) + (wants_warden(link) ? 1 : 0);

    if (link->full || link->wire->broken || count_open(link) == SSH_LINK_CHANNELS)
        return false;
    return link->opening || count_of(link, SSH_USE_SPARE) < aim;
}

/* A host may count one that was just closed for a moment longer. */
static void refuse_channel(struct ssh_link *link, int64_t now_us)
{
    char *words = NULL;

    link->full = true;
    link->retry_us = now_us + (RETRY_US << link->refused);
    if (link->refused < REFUSALS_MOST) {
        link->refused++;
        return;
    }
    if (count_open(link) > 0)
        return;
    (void)libssh2_session_last_error(link->wire->session, &words, NULL, 0);
    (void)errand__fail(&link->failure, ERRAND_EIO, 0, "ssh: the host opens no channel: %s",
                       words == NULL ? "" : words);
}

static void open_some(struct ssh_link *link, int64_t now_us)
{
    static const char type[] = "session";

    if (link->full && now_us >= link->retry_us && is_pressed(link))
        link->full = false;
    while (wants_another(link)) {
        LIBSSH2_CHANNEL *raw = libssh2_channel_open_ex(link->wire->session, type, sizeof(type) - 1,
                                                       SSH_WINDOW, PACKET, NULL, 0);
        int rc = raw == NULL ? libssh2_session_last_errno(link->wire->session) : 0;
        link->opening = rc == LIBSSH2_ERROR_EAGAIN;
        if (link->opening)
            return;
        if (raw == NULL && !link->wire->broken)
            refuse_channel(link, now_us);
        if (raw == NULL)
            return;
        link->refused = 0;
        link->fertile = true;
        *free_place(link) = (struct ssh_channel){raw, SSH_USE_SPARE};
    }
}

static void bury_some(struct ssh_link *link)
{
    for (size_t i = 0; i < SSH_LINK_CHANNELS; i++) {
        struct ssh_channel *channel = &link->channels[i];
        if (channel->raw == NULL || channel->use != SSH_USE_DYING ||
            libssh2_channel_free(channel->raw) == LIBSSH2_ERROR_EAGAIN)
            continue;
        *channel = (struct ssh_channel){0};
        link->full = false;
    }
}

static LIBSSH2_CHANNEL *take(struct ssh_link *link, enum ssh_use use)
{
    for (size_t i = 0; i < SSH_LINK_CHANNELS; i++) {
        struct ssh_channel *channel = &link->channels[i];
        if (channel->raw == NULL || channel->use != SSH_USE_SPARE)
            continue;
        channel->use = use;
        return channel->raw;
    }
    return NULL;
}

LIBSSH2_CHANNEL *errand__ssh_link_take(struct ssh_link *link)
{
    /* A run that can't be told to go is worse than one that waits. */
    if (wants_warden(link) && !errand__ssh_link_is_idle(link))
        return NULL;
    LIBSSH2_CHANNEL *raw = take(link, SSH_USE_RUN);
    link->keeps = link->keeps || raw != NULL;
    return raw;
}

size_t errand__ssh_link_room(const struct ssh_link *link)
{
    size_t spare = count_of(link, SSH_USE_SPARE);
    size_t taken = count_open(link) - spare + (link->warden.raw == NULL ? 1 : 0);

    if (errand__ssh_link_is_dead(link))
        return 0;
    if (!link->full)
        return SSH_LINK_CHANNELS > taken ? SSH_LINK_CHANNELS - taken : 0;
    if (count_open(link) == 0)
        return 1; /* It is asked again. */
    return spare > 0 && (link->warden.raw != NULL || errand__ssh_link_is_idle(link)) ? spare : 0;
}

static void post_warden(struct ssh_link *link)
{
    if (errand__ssh_warden_is_over(&link->warden)) {
        link->warden.tried++;
        errand__ssh_link_give_back(link, steal(&link->warden.raw));
    }
    if (!wants_warden(link) || (errand__ssh_link_is_idle(link) && !is_pressed(link)))
        return;
    LIBSSH2_CHANNEL *raw = take(link, SSH_USE_WARDEN);
    if (raw != NULL)
        errand__ssh_warden_start(&link->warden, raw);
}

void errand__ssh_link_give_back(struct ssh_link *link, LIBSSH2_CHANNEL *raw)
{
    for (size_t i = 0; i < SSH_LINK_CHANNELS; i++) {
        if (raw != NULL && link->channels[i].raw == raw)
            link->channels[i].use = SSH_USE_DYING;
    }
    bury_some(link);
}

/* --- Life signs ----------------------------------------------------------------------------- */

static LIBSSH2_CHANNEL *any_channel(const struct ssh_link *link)
{
    LIBSSH2_CHANNEL *raw = NULL;

    for (size_t i = 0; i < SSH_LINK_CHANNELS; i++) {
        if (link->channels[i].raw == NULL || link->channels[i].use == SSH_USE_DYING)
            continue;
        raw = link->channels[i].raw;
        if (link->channels[i].use == SSH_USE_SPARE)
            break;
    }
    return raw;
}

/* A read of nothing makes libssh2 take in what has come. Not on a channel of which more than a
 * quarter of the window was read: there it would send something. */
static void hear(struct ssh_link *link)
{
    char nothing[1];

    for (size_t i = 0; i < SSH_LINK_CHANNELS; i++) {
        if (link->channels[i].raw == NULL)
            continue;
        (void)libssh2_channel_read_ex(link->channels[i].raw, 0, nothing, 0);
        return;
    }
}

/* A request that every host answers, if only by no; its answer is taken in by libssh2, unlike
 * that of its own keepalive, which 1.10 keeps for ever. */
static void ping(struct ssh_link *link, int64_t now_us)
{
    static const char name[] = "ERRAND_ALIVE";
    LIBSSH2_CHANNEL *raw = any_channel(link);

    if (raw == NULL)
        return;
    if (!link->pinging)
        link->ping_us = now_us;
    link->pinging =
        libssh2_channel_setenv_ex(raw, name, sizeof(name) - 1, "1", 1) == LIBSSH2_ERROR_EAGAIN;
}

static void judge_silence(struct ssh_link *link, int64_t now_us)
{
    if (link->wire->heard != link->heard) {
        link->heard = link->wire->heard;
        link->heard_us = now_us;
    }
    int64_t silence_us = now_us - link->heard_us;
    if (link->pinging || silence_us >= link->alive_us)
        ping(link, now_us);
    if (!link->pinging || silence_us < link->dead_us || now_us - link->ping_us < PING_LEAST_US)
        return;
    (void)errand__fail(&link->failure, ERRAND_EIO, 0, "ssh: no word from the host for %d s",
                       (int)(silence_us / 1000000));
}

int64_t errand__ssh_link_due(const struct ssh_link *link, int64_t now_us)
{
    if (errand__ssh_link_is_dead(link))
        return TIME_NEVER;
    if (link->full && is_pressed(link))
        return link->retry_us;
    if (!errand__ssh_link_listens(link))
        return TIME_NEVER;
    if (link->wire->deaf && errand__buf_peek(&link->wire->waiting).len == 0)
        return now_us; /* It had its share; now others had theirs. */
    if (!link->pinging)
        return link->heard_us + link->alive_us;
    int64_t dead_us = link->heard_us + link->dead_us;
    int64_t least_us = link->ping_us + PING_LEAST_US;
    return dead_us > least_us ? dead_us : least_us;
}

/* --- Turns ---------------------------------------------------------------------------------- */

void errand__ssh_link_turn(struct ssh_link *link, int64_t now_us)
{
    if (errand__ssh_link_is_dead(link))
        return;
    errand__ssh_wire_turn(link->wire, HEAR_MOST);
    hear(link);
    open_some(link, now_us);
    post_warden(link);
    bury_some(link);
    judge_silence(link, now_us);
    if (link->wire->broken)
        errand__ssh_link_fail(link);
}

void errand__ssh_link_free(struct ssh_link *link)
{
    if (link == NULL)
        return;
    for (int i = 0; !link->wire->broken && i < FREE_TRIES; i++) {
        if (libssh2_session_disconnect_ex(link->wire->session, SSH_DISCONNECT_BY_APPLICATION,
                                          "done", "") != LIBSSH2_ERROR_EAGAIN)
            break;
    }
    errand__ssh_wire_flush(link->wire);
    errand__ssh_wire_free(link->wire);
    errand__ssh_warden_deinit(&link->warden);
    errand__mem_free(link);
}
