/* host.c - asks for the kinds of keys that are known for the host, then judges the one that
 * came. */
#include "transport/ssh/host.h"

#include "base/err.h"
#include "transport/ssh/digest.h"

#include <stdio.h>

enum {
    GREETING_MS = 30 * 1000,
    GREETING_BYTES = 256 * 1024, /* Keys take a few thousand; the rest is room for banners. */
    LIST_MOST = 2048,
    LINE_MOST = 120,
    FINGERPRINT_LEN = 32
};

/* --- Which ways ----------------------------------------------------------------------------- */

/* What nobody should use any more, and kinds of keys that can't be looked up. */
static const char *const barred[] = {"arcfour", "blowfish", "cast128", "3des",    "cbc",      "md5",
                                     "ripemd",  "-96",      "-sha1",   "ssh-dss", "-cert-v01"};

static bool is_barred(const char *name, int method)
{
    for (size_t i = 0; i < COUNT(barred); i++) {
        /* HMAC with SHA-1 still stands where nothing else is offered. */
        bool mac = method == LIBSSH2_METHOD_MAC_CS || method == LIBSSH2_METHOD_MAC_SC;
        if (strstr(name, barred[i]) != NULL && !(mac && strcmp(barred[i], "-sha1") == 0))
            return true;
    }
    return false;
}

static void add_name(char list[static LIST_MOST], const char *name)
{
    size_t used = strlen(list);

    (void)snprintf(list + used, LIST_MOST - used, "%s%s", used == 0 ? "" : ",", name);
}

/* The kind of key that an algorithm signs with. */
static const char *key_type(const char *algorithm)
{
    return strncmp(algorithm, "rsa-sha2-", 9) == 0 ? "ssh-rsa" : algorithm;
}

static int rank(const struct ssh_host *host, const char *name, int method)
{
    if (method != LIBSSH2_METHOD_HOSTKEY)
        return 0;
    bool known = errand__ssh_known_has_type(host->known, key_type(name));
    return (known ? 0 : 2) + (strcmp(name, "ssh-ed25519") == 0 ? 0 : 1);
}

/* libssh2's own order, but for host keys: those of known kinds first. */
static void prefer(const struct ssh_host *host, int method)
{
    LIBSSH2_SESSION *session = host->wire->session;
    const char **names = NULL;
    char list[LIST_MOST] = "";
    int count = libssh2_session_supported_algs(session, method, &names);

    for (int wanted = 0; wanted < 4; wanted++) {
        for (int i = 0; i < count; i++) {
            if (!is_barred(names[i], method) && rank(host, names[i], method) == wanted)
                add_name(list, names[i]);
        }
    }
    if (count > 0)
        libssh2_free(session, (void *)names);
    if (list[0] != '\0')
        (void)libssh2_session_method_pref(session, method, list);
}

static bool may_go_on(struct ssh_host *host, enum ssh_waited *waited)
{
    *waited = SSH_WAITED_READY;
    if (host->wire->broken || host->wire->deaf)
        return false;
    *waited = errand__ssh_wire_wait(host->wire, host->patience);
    return *waited == SSH_WAITED_READY;
}

/* What it said in place of a greeting, as one printable line; "": nothing. */
static void line_of(const struct ssh_host *host, char line[static LINE_MOST])
{
    const char *said = libssh2_session_banner_get(host->wire->session);
    bool greets = said == NULL || strncmp(said, "SSH-", 4) == 0;

    (void)snprintf(line, LINE_MOST, "%s", greets ? "" : said);
    for (; *line != '\0'; line++)
        *line = (char)(*line < 0x20 || *line == 0x7f ? ' ' : *line);
}

/* It hung up before a greeting, as hosts do to which too many come at once: some say nothing, some
 * name the setting. */
static bool is_busy(struct ssh_host *host)
{
    char line[LINE_MOST];

    line_of(host, line);
    return (host->wire->heard == 0 || strstr(line, "MaxStartups") != NULL) &&
           errand__ssh_proxy_words(&host->wire->proxy)[0] == '\0';
}

static errand_status no_greeting(struct ssh_host *host, enum ssh_waited waited, int rc,
                                 errand_error *err)
{
    const struct ssh_config *config = host->config;
    char why[160], line[LINE_MOST];

    host->code = "connect_failed";
    line_of(host, line);
    if (waited != SSH_WAITED_READY)
        return errand__ssh_patience_fail(
            waited, "connected, but the host says nothing; is it an SSH server", err);
    if (host->wire->deaf)
        return errand__fail(err, ERRAND_EIO, 0,
                            "ssh: %.80s port %u says %d KiB and no greeting of SSH; is it another "
                            "server",
                            config->hostname, config->port, GREETING_BYTES / 1024);
    if (rc == LIBSSH2_ERROR_KEX_FAILURE && !host->wire->broken)
        return errand__fail(
            err, ERRAND_EIO, 0,
            "ssh: %.80s and libssh2 %s have no way of encryption or no kind of host "
            "key in common",
            config->hostname, libssh2_version(0));
    if (host->wire->broken && line[0] != '\0')
        return errand__fail(err, ERRAND_EIO, 0, "ssh: %.80s port %u hangs up; it says: %s",
                            config->hostname, config->port, line);
    if (host->wire->broken)
        return errand__fail(err, ERRAND_EIO, 0, "ssh: %.80s port %u: %s", config->hostname,
                            config->port, errand__ssh_wire_why(host->wire, why, sizeof(why)));
    return errand__fail(err, ERRAND_EIO, 0, "ssh: %.80s port %u is no SSH server for us (%d)",
                        config->hostname, config->port, rc);
}

static void note_ways(const struct ssh_host *host)
{
    LIBSSH2_SESSION *session = host->wire->session;

    errand__ssh_diary_note(host->diary, "agreed on %.40s, %.40s, %.40s",
                           libssh2_session_methods(session, LIBSSH2_METHOD_KEX),
                           libssh2_session_methods(session, LIBSSH2_METHOD_HOSTKEY),
                           libssh2_session_methods(session, LIBSSH2_METHOD_CRYPT_CS));
}

errand_status errand__ssh_host_greet(struct ssh_host *host, errand_error *err)
{
    static const int methods[] = {LIBSSH2_METHOD_KEX,      LIBSSH2_METHOD_HOSTKEY,
                                  LIBSSH2_METHOD_CRYPT_CS, LIBSSH2_METHOD_CRYPT_SC,
                                  LIBSSH2_METHOD_MAC_CS,   LIBSSH2_METHOD_MAC_SC};
    enum ssh_waited waited = SSH_WAITED_READY;
    int rc = 0;

    for (size_t i = 0; i < COUNT(methods); i++)
        prefer(host, methods[i]);
    host->wire->may_hear = GREETING_BYTES;
    errand__ssh_patience_start(host->patience, GREETING_MS);
    do
        rc = libssh2_session_handshake(host->wire->session, host->wire->in);
    while (rc == LIBSSH2_ERROR_EAGAIN && may_go_on(host, &waited));
    if (rc == 0)
        return note_ways(host), ERRAND_OK;
    if (host->wire->broken)
        errand__ssh_proxy_hear_out(&host->wire->proxy, host->patience);
    if (host->wire->broken && is_busy(host)) {
        (void)no_greeting(host, waited, rc, err);
        errand__err_retryable(err, 0);
        return ERRAND_AGAIN;
    }
    return no_greeting(host, waited, rc, err);
}

/* --- Which host ----------------------------------------------------------------------------- */

static void fingerprint_of(struct ssh_host *host, char *room, size_t room_len)
{
    char text[64] = "";
    const char *hash = libssh2_hostkey_hash(host->wire->session, LIBSSH2_HOSTKEY_HASH_SHA256);

    if (hash != NULL &&
        errand__ssh_base64_encode(text, sizeof(text), span_of(hash, FINGERPRINT_LEN)))
        text[strcspn(text, "=")] = '\0';
    (void)snprintf(room, room_len, "SHA256:%s", text);
}

static void type_of(char *type, size_t room, errand_span blob)
{
    size_t len = blob.len < 4 ? 0 : (unsigned char)blob.ptr[3];

    (void)snprintf(type, room, "%.*s", (int)(len + 4 <= blob.len ? len : 0), blob.ptr + 4);
}

/* In quotes, where a shell would not take it as it stands. */
static const char *quote_for(const char *word)
{
    return strpbrk(word, " []*?!$&;<>|(){}\\\"`~#") == NULL ? "" : "'";
}

/* The line to run, or as much of it as there is room for: half a line would mislead. */
static void advise(const struct ssh_host *host, char *room, size_t room_len)
{
    const char *config = host->target->config == NULL ? "" : host->target->config;
    AUTO_FREE char *address = errand__ssh_target_text(host->target);
    const char *to = address == NULL ? "" : address;

    int len = snprintf(room, room_len, "errand doctor --accept-new-host-key%s%s%s%s --on %s%s%s",
                       config[0] == '\0' ? "" : " --ssh-config ", quote_for(config), config,
                       quote_for(config), quote_for(to), to, quote_for(to));
    if (address == NULL || len < 0 || (size_t)len >= room_len)
        (void)snprintf(room, room_len, "%s", "--accept-new-host-key records it");
}

static errand_status not_known(struct ssh_host *host, errand_span blob, errand_error *err)
{
    const struct ssh_config *config = host->config;
    static const char right[] = "; if that is right: ";
    char type[64], fingerprint[80], facts[200], advice[sizeof(err->text)];

    type_of(type, sizeof(type), blob);
    fingerprint_of(host, fingerprint, sizeof(fingerprint));
    if (host->target->accept_new && config->known_files.count > 0) {
        errand__ssh_diary_note(host->diary, "its key is recorded: %s %s", type, fingerprint);
        return errand__ssh_known_add(config->known_files.list[0], host->known_name, blob,
                                     config->hash_hosts, err);
    }
    host->code = "host_key_unknown";
    (void)snprintf(facts, sizeof(facts), "ssh: no key of %.60s is known; it has %.40s %.60s",
                   host->known_name, type, fingerprint);
    size_t room = sizeof(advice) - strlen(facts) - strlen(right);
    advise(host, advice, room);
    return errand__fail(err, ERRAND_EAUTH, 0, "%s%s%s", facts, right, advice);
}

/* Of a path that is long, the end tells more. */
static const char *end_of(const char *path, size_t most)
{
    size_t len = strlen(path);

    return len > most ? path + len - most : path;
}

static errand_status changed(struct ssh_host *host, errand_span blob,
                             const struct ssh_known_key *known, errand_error *err)
{
    char type[64], fingerprint[80];

    type_of(type, sizeof(type), blob);
    fingerprint_of(host, fingerprint, sizeof(fingerprint));
    host->code = "host_key_changed";
    return errand__fail(err, ERRAND_EAUTH, 0,
                        "ssh: the key of %.45s changed: now %s %s, and not that of %s:%u; if "
                        "that is meant, take that line out",
                        host->known_name, type, fingerprint, end_of(known->file, 60), known->line);
}

errand_status errand__ssh_host_verify(struct ssh_host *host, errand_error *err)
{
    const struct ssh_known_key *which = NULL;
    size_t len = 0;
    int type = 0;
    const char *bytes = libssh2_session_hostkey(host->wire->session, &len, &type);
    errand_span blob = span_of(bytes, bytes == NULL ? 0 : len);

    if (blob.len == 0)
        return errand__fail(err, ERRAND_EAUTH, 0, "ssh: the host showed no key");
    switch (errand__ssh_known_judge(host->known, blob, &which)) {
    case SSH_KNOWN_SAME:
        errand__ssh_diary_note(host->diary, "its key stands in %.150s:%u", which->file,
                               which->line);
        return ERRAND_OK;
    case SSH_KNOWN_NOT:
        return not_known(host, blob, err);
    case SSH_KNOWN_CHANGED:
        return changed(host, blob, which, err);
    case SSH_KNOWN_REVOKED:
        break;
    }
    host->code = "host_key_revoked";
    return errand__fail(err, ERRAND_EAUTH, 0, "ssh: the key of %.80s is revoked by %s:%u",
                        host->known_name, end_of(which->file, 100), which->line);
}
