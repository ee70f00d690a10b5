/* login.c - keys first, without asking which ways the host offers: that saves a round trip
 * whenever a key is taken. */
#include "transport/ssh/login.h"

#include "base/err.h"
#include "base/mem.h"
#include "transport/ssh/agent.h"
#include "transport/ssh/identity.h"

#include <stdio.h>
#include <unistd.h>

enum {
    STEP_MS = 30 * 1000, /* One answer of the host. */
    TRIES = 3,           /* Of a person. */
    AGENT_KEYS_TRIED = 5 /* Hosts hang up after six vain tries. */
};

/* The turns in which keys of an agent are tried. */
enum turn { TURN_NAMED, TURN_OTHERS, TURN_WEAK, TURNS };

/* --- Steps ---------------------------------------------------------------------------------- */

/* true: the call that said EAGAIN may be made again. */
static bool may_go_on(struct ssh_login *login)
{
    login->waited = SSH_WAITED_READY;
    if (login->wire->broken || login->wire->deaf)
        return false;
    login->waited = errand__ssh_wire_wait(login->wire, login->patience);
    return login->waited == SSH_WAITED_READY;
}

#define AWAIT(login, rc, call)                                    \
    do {                                                          \
        errand__ssh_patience_start((login)->patience, STEP_MS);   \
        do                                                        \
            (rc) = (call);                                        \
        while ((rc) == LIBSSH2_ERROR_EAGAIN && may_go_on(login)); \
        if ((rc) == LIBSSH2_ERROR_OUT_OF_BOUNDARY)                \
            (login)->too_long = true;                             \
    } while (0)

/* Whether there is any sense in going on with another way. */
static bool is_over(const struct ssh_login *login)
{
    return login->wire->broken || login->wire->deaf || login->too_long ||
           login->waited != SSH_WAITED_READY;
}

static void add_tried(struct ssh_login *login, const char *what)
{
    size_t used = strlen(login->tried);

    errand__ssh_diary_note(login->diary, "not taken: %.150s", what);
    (void)snprintf(login->tried + used, sizeof(login->tried) - used, "%s%s", used == 0 ? "" : ", ",
                   what);
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? path : slash + 1;
}

/* From 1.11 on, libssh2 signs for RSA keys with SHA-2. */
static bool signs_weakly(const char *type)
{
    return strcmp(type, "ssh-rsa") == 0 && libssh2_version(0x010b00) == NULL;
}

/* --- The agent ------------------------------------------------------------------------------ */

struct signing {
    struct ssh_login *login;
    struct ssh_agent *agent;
    errand_span blob;
    bool wanted; /* The host would take the key. */
};

/* As libssh2 calls it, once the host has said that it would take the key. */
static int sign_by_agent(LIBSSH2_SESSION *session, unsigned char **signature, size_t *signature_len,
                         const unsigned char *data, size_t data_len, void **abstract)
{
    struct signing *signing = *abstract;
    char *bytes = NULL;

    (void)session;
    signing->wanted = true;
    errand__ssh_patience_start(signing->login->patience, 4 * STEP_MS); /* It may ask a person. */
    if (errand__ssh_agent_sign(signing->agent, signing->blob, span_of(data, data_len), &bytes,
                               signature_len, &signing->login->note) != ERRAND_OK)
        return -1;
    *signature = (unsigned char *)bytes;
    return 0;
}

static void type_of(char *type, size_t room, errand_span blob)
{
    size_t len = blob.len < 4 ? 0 : (unsigned char)blob.ptr[3];

    type[0] = '\0';
    if (len > 0 && len < room && blob.len >= 4 + len) {
        memcpy(type, blob.ptr + 4, len);
        type[len] = '\0';
    }
}

static void add_agent_key(struct ssh_login *login, const struct ssh_agent_key *key,
                          const char *more)
{
    char words[80];

    (void)snprintf(words, sizeof(words), "agent's %.*s%s",
                   (int)(key->comment.len < 30 ? key->comment.len : 30), key->comment.ptr, more);
    add_tried(login, words);
}

static bool try_agent_key(struct ssh_login *login, struct ssh_agent *agent,
                          const struct ssh_agent_key *key)
{
    struct signing signing = {login, agent, key->blob, false};
    void *abstract = &signing;
    char type[64];
    int rc = 0;

    AWAIT(login, rc,
          libssh2_userauth_publickey(login->wire->session, login->config->user,
                                     (const unsigned char *)key->blob.ptr, key->blob.len,
                                     sign_by_agent, &abstract));
    if (rc == 0)
        return true;
    type_of(type, sizeof(type), key->blob);
    login->weak_rsa = login->weak_rsa || signs_weakly(type);
    add_agent_key(login, key, "");
    return false;
}

/* What libssh2 can't do anything with. */
static const char *reason_against(const char *type)
{
    return strstr(type, "-cert-v01") != NULL ? " (a certificate: not by libssh2)"
           : strncmp(type, "sk-", 3) == 0    ? " (a security key: not by libssh2)"
                                             : NULL;
}

/* Whether a key of the agent is one of those that the configuration names. */
static bool is_named(const struct ssh_login *login, errand_span blob)
{
    bool named = false;

    for (size_t i = 0; i < login->config->identities.count && !named; i++) {
        struct ssh_identity identity;
        if (errand__ssh_identity_look(&identity, login->config->identities.list[i], NULL) !=
            ERRAND_OK)
            continue;
        named =
            identity.blob != NULL && span_equal(span_of(identity.blob, identity.blob_len), blob);
        errand__ssh_identity_deinit(&identity);
    }
    return named;
}

/* Those that the configuration names come first: hosts count vain tries. Those of a kind that this
 * libssh2 signs for badly come last. */
static bool suits(struct ssh_login *login, const struct ssh_agent_key *key, enum turn turn)
{
    char type[64];
    bool named_only = login->config->identities_only || login->config->identities_given;

    type_of(type, sizeof(type), key->blob);
    const char *reason = reason_against(type);
    if (reason != NULL && turn == TURN_NAMED)
        add_agent_key(login, key, reason);
    if (reason != NULL || signs_weakly(type) != (turn == TURN_WEAK))
        return false;
    bool named = is_named(login, key->blob);
    return turn == TURN_WEAK    ? named || !named_only
           : turn == TURN_NAMED ? named
                                : !named && !named_only;
}

static bool try_agent(struct ssh_login *login)
{
    struct ssh_agent agent;
    errand_error why = {0};
    bool done = false;
    size_t tried = 0;

    if (login->config->agent == NULL)
        return false;
    errand__ssh_patience_start(login->patience, STEP_MS);
    if (errand__ssh_agent_open(&agent, login->config->agent, login->patience, &why) != ERRAND_OK) {
        errand__ssh_diary_note(login->diary, "there was no agent: %.120s", why.text);
        add_tried(login, "no agent");
        return false;
    }
    errand__ssh_diary_note(login->diary, "the agent had %zu keys", agent.count);
    for (enum turn turn = TURN_NAMED; turn < TURNS; turn++) {
        for (size_t i = 0; i < agent.count && !done && !is_over(login); i++) {
            const struct ssh_agent_key *key = &agent.keys[i];
            if (tried == AGENT_KEYS_TRIED || !suits(login, key, turn))
                continue;
            tried++;
            done = try_agent_key(login, &agent, key);
        }
    }
    errand__ssh_agent_close(&agent);
    return done;
}

/* --- Files ---------------------------------------------------------------------------------- */

/* Secrets are asked for once a place. NULL: declined. */
static char *secret_for(struct ssh_login *login, const char *name, const char *kind,
                        const char *prompt)
{
    const char *known = errand__ssh_vault_find(login->vault, name);

    errand__ssh_diary_note(login->diary, "a %s was %s", kind,
                           known == NULL ? "asked for" : "said before");
    if (known != NULL)
        return errand__ssh_secret_copy(known);
    char *secret = errand__ssh_desk_ask(login->desk, kind, span_text(prompt), false);
    login->asked = login->asked || secret == NULL;
    return secret;
}

static int present(struct ssh_login *login, const struct ssh_identity *identity,
                   const char *passphrase)
{
    int rc = 0;

    AWAIT(login, rc,
          libssh2_userauth_publickey_fromfile_ex(login->wire->session, login->config->user,
                                                 (unsigned)strlen(login->config->user), NULL,
                                                 identity->path, passphrase));
    return rc;
}

/* The key could not be read: another passphrase may help. */
static bool is_locked(int rc)
{
    return rc == LIBSSH2_ERROR_FILE || rc == LIBSSH2_ERROR_KEYFILE_AUTH_FAILED ||
           rc == LIBSSH2_ERROR_METHOD_NONE || rc == LIBSSH2_ERROR_ALLOC;
}

static int present_locked(struct ssh_login *login, const struct ssh_identity *identity)
{
    char prompt[SSH_PROMPT_MOST];
    int rc = LIBSSH2_ERROR_FILE;

    (void)snprintf(prompt, sizeof(prompt), "Passphrase of key %s: ", identity->path);
    for (int i = 0; i < TRIES && is_locked(rc) && !is_over(login); i++) {
        char *secret = secret_for(login, identity->path, "passphrase", prompt);
        if (secret == NULL) {
            (void)errand__fail(&login->note, ERRAND_EAUTH, 0,
                               "ssh: key %.100s has a passphrase, and nobody said it; ssh-add it "
                               "to an agent, or run where somebody can be asked",
                               identity->path);
            return rc;
        }
        rc = present(login, identity, secret);
        errand__ssh_vault_put(login->vault, identity->path, is_locked(rc) ? NULL : secret);
        errand__ssh_secret_free(secret);
    }
    if (is_locked(rc))
        (void)errand__fail(&login->note, ERRAND_EAUTH, 0,
                           "ssh: that is not the passphrase of key %.150s", identity->path);
    return rc;
}

static void add_file(struct ssh_login *login, const struct ssh_identity *identity)
{
    char path[4096], words[160];
    const char *reason = reason_against(identity->type);
    bool certified =
        reason == NULL &&
        snprintf(path, sizeof(path), "%s-cert.pub", identity->path) < (int)sizeof(path) &&
        access(path, F_OK) == 0;

    (void)snprintf(words, sizeof(words), "%.80s%s", file_name(identity->path),
                   reason != NULL ? reason
                   : certified    ? " (without its certificate: not by libssh2)"
                                  : "");
    add_tried(login, words);
}

static bool try_file(struct ssh_login *login, const struct ssh_identity *identity)
{
    int rc = identity->encrypted ? present_locked(login, identity) : present(login, identity, NULL);

    if (rc == 0)
        return true;
    if (is_locked(rc) && !identity->encrypted)
        (void)errand__fail(&login->note, ERRAND_EAUTH, 0,
                           "ssh: key %.120s can't be read by libssh2 %s", identity->path,
                           libssh2_version(0));
    login->weak_rsa = login->weak_rsa || signs_weakly(identity->type);
    add_file(login, identity);
    return false;
}

static bool try_files(struct ssh_login *login)
{
    const struct words *paths = &login->config->identities;
    bool done = false;

    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < paths->count && !done && !is_over(login); i++) {
            struct ssh_identity identity;
            errand_error *note = round == 0 ? &login->note : NULL;
            if (errand__ssh_identity_look(&identity, paths->list[i], note) != ERRAND_OK)
                continue;
            if (identity.missing && login->config->identities_given)
                (void)errand__fail(note, ERRAND_EAUTH, 0, "ssh: there is no %skey %.150s",
                                   identity.blob == NULL ? "" : "private ", paths->list[i]);
            bool usable = reason_against(identity.type) == NULL;
            if (!usable && !identity.missing && round == 0)
                add_file(login, &identity);
            if (!identity.missing && usable && signs_weakly(identity.type) == (round == 1))
                done = try_file(login, &identity);
            errand__ssh_identity_deinit(&identity);
        }
    }
    return done;
}

/* --- What a person says --------------------------------------------------------------------- */

/* As libssh2 calls it. Answers are freed by libssh2; what is not answered is empty. */
/* NOLINTNEXTLINE(readability-function-size) */
static void answer_prompts(const char *name, int name_len, const char *instruction,
                           int instruction_len, int count,
                           const LIBSSH2_USERAUTH_KBDINT_PROMPT *prompts,
                           LIBSSH2_USERAUTH_KBDINT_RESPONSE *responses, void **abstract)
{
    const struct ssh_wire *wire = *abstract;
    struct ssh_login *login = wire->login;

    (void)name, (void)name_len, (void)instruction, (void)instruction_len;
    login->prompted = login->prompted || count > 0;
    for (int i = 0; i < count; i++) {
        char text[SSH_PROMPT_MOST];
        /* Whose words they are, since a host may ask for what is none of its business. */
        (void)snprintf(text, sizeof(text), "(%.60s@%.120s) %.*s", login->config->user,
                       login->config->host, (int)prompts[i].length, prompts[i].text);
        char *said = login->asked ? NULL
                                  : errand__ssh_desk_ask(login->desk, "interactive",
                                                         span_text(text), prompts[i].echo != 0);
        login->asked = login->asked || said == NULL;
        responses[i].text = said;
        responses[i].length = said == NULL ? 0 : (unsigned)strlen(said);
    }
    errand__ssh_patience_start(login->patience, STEP_MS);
}

static bool try_interactive(struct ssh_login *login)
{
    const struct ssh_config *config = login->config;

    for (int i = 0; i < TRIES && !login->asked && !is_over(login); i++) {
        int rc = 0;
        login->prompted = false;
        AWAIT(login, rc,
              libssh2_userauth_keyboard_interactive_ex(login->wire->session, config->user,
                                                       (unsigned)strlen(config->user),
                                                       answer_prompts));
        if (rc == 0)
            return true;
        if (!login->prompted) /* It would be no different; and hosts count vain tries. */
            break;
    }
    if (!login->asked)
        add_tried(login, "keyboard-interactive");
    return false;
}

static bool try_password(struct ssh_login *login)
{
    const struct ssh_config *config = login->config;
    char prompt[SSH_PROMPT_MOST];

    (void)snprintf(prompt, sizeof(prompt), "Password of %s@%s: ", config->user, config->host);
    for (int i = 0; i < TRIES && !login->asked && !is_over(login); i++) {
        int rc = 0;
        char *secret = secret_for(login, "password", "password", prompt);
        if (secret == NULL)
            break;
        AWAIT(login, rc,
              libssh2_userauth_password_ex(login->wire->session, config->user,
                                           (unsigned)strlen(config->user), secret,
                                           (unsigned)strlen(secret), NULL));
        errand__ssh_vault_put(login->vault, "password", rc == 0 ? secret : NULL);
        errand__ssh_secret_free(secret);
        if (rc == 0)
            return true;
    }
    if (!login->asked)
        add_tried(login, "password");
    return false;
}

/* --- All of it ------------------------------------------------------------------------------ */

/* "publickey,password", in room; empty when the host does not say. */
static void ask_methods(struct ssh_login *login, char *room, size_t room_len)
{
    const struct ssh_config *config = login->config;
    const char *list = NULL;
    int rc = 0;

    room[0] = '\0';
    AWAIT(login, rc,
          (list = libssh2_userauth_list(login->wire->session, config->user,
                                        (unsigned)strlen(config->user))) != NULL
              ? 0
              : libssh2_session_last_errno(login->wire->session));
    if (list != NULL)
        (void)snprintf(room, room_len, "%s", list);
}

/* The host hung up in the middle of it. */
static errand_status hung_up(struct ssh_login *login, errand_error *err)
{
    const char *user = login->config->user;
    char why[160];

    if (login->wire->said[0] == '\0')
        return errand__fail(err, ERRAND_EAUTH, 0,
                            "ssh: login as %.40s failed: %.120s; its log may say why", user,
                            errand__ssh_wire_why(login->wire, why, sizeof(why)));
    return errand__fail(err, ERRAND_EAUTH, 0, "ssh: login as %.40s failed: %.80s; tried: %.90s",
                        user, errand__ssh_wire_why(login->wire, why, sizeof(why)), login->tried);
}

static errand_status no_way_in(const struct ssh_login *login, const char *methods,
                               errand_error *err)
{
    const struct ssh_config *config = login->config;
    const char *tried = login->tried[0] == '\0' ? "nothing, there is no key" : login->tried;

    if (login->weak_rsa)
        return errand__fail(err, ERRAND_EAUTH, 0,
                            "ssh: %.40s refuses %.30s; tried: %.60s; for RSA keys libssh2 %s signs "
                            "with SHA-1 only; use an ed25519 key, or libssh2 1.11 or later",
                            config->host, config->user, tried, libssh2_version(0));
    if (login->asked)
        return errand__fail(err, ERRAND_EAUTH, 0,
                            "ssh: %.40s asks %.30s for a password, and nobody answered; log in "
                            "with a key, or run where somebody can be asked; tried: %.60s",
                            config->host, config->user, tried);
    return errand__fail(err, ERRAND_EAUTH, 0,
                        "ssh: %.40s refuses %.30s; it offers %.50s; tried: %.80s", config->host,
                        config->user, methods[0] == '\0' ? "nothing" : methods, tried);
}

static errand_status refused(struct ssh_login *login, const char *methods, errand_error *err)
{
    if (login->wire->broken)
        errand__ssh_proxy_hear_out(&login->wire->proxy, login->patience);
    if (login->waited != SSH_WAITED_READY)
        return errand__ssh_patience_fail(login->waited, "the host does not answer the login", err);
    if (login->wire->deaf)
        return errand__fail(err, ERRAND_EIO, 0, "ssh: the host says too much before the login");
    if (login->too_long)
        return errand__fail(err, ERRAND_EIO, 0,
                            "ssh: before the login, %.80s sends a packet that is too long for "
                            "libssh2 %s; its Banner should have at most 30,000 bytes",
                            login->config->host, libssh2_version(0));
    if (login->note.status != ERRAND_OK)
        return errand__fail(err, ERRAND_EAUTH, 0, "%s", login->note.text);
    return login->wire->broken ? hung_up(login, err) : no_way_in(login, methods, err);
}

errand_status errand__ssh_login(struct ssh_login *login, errand_error *err)
{
    char methods[160] = "";

    login->wire->login = login;
    bool done = try_agent(login) || (!is_over(login) && try_files(login));
    if (!done && !is_over(login)) {
        ask_methods(login, methods, sizeof(methods));
        done = libssh2_userauth_authenticated(login->wire->session) != 0;
    }
    /* Where a key is all that lacks something, a password would only hide it. */
    if (!done && !is_over(login) && strstr(methods, "keyboard-interactive") != NULL)
        done = try_interactive(login);
    if (!done && !is_over(login) && strstr(methods, "password") != NULL)
        done = try_password(login);
    login->wire->login = NULL;
    if (done)
        errand__ssh_diary_note(login->diary, "logged in as %.40s", login->config->user);
    return done ? ERRAND_OK : refused(login, methods, err);
}
