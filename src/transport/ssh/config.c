/* config.c - defaults, the lines of "ssh -G", and what the caller insists on. */
#include "transport/ssh/config.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

enum { VALUE_MOST = 4096, DEFAULT_PORT = 22 };

static errand_status no_memory(errand_error *err)
{
    return errand__fail(err, ERRAND_ENOMEM, 0, "ssh: no memory");
}

static bool put(char **to, const char *text)
{
    char *copy = errand__mem_copy(text, strlen(text));

    if (copy == NULL)
        return false;
    errand__mem_free(*to);
    *to = copy;
    return true;
}

/* --- Expanding ------------------------------------------------------------------------------ */

static const char *token_of(const struct ssh_config *config, char letter, const char *port)
{
    switch (letter) {
    case 'h':
        return config->hostname;
    case 'n':
        return config->host;
    case 'p':
        return port;
    case 'r':
        return config->user;
    case 'd':
        return config->home;
    case 'u':
        return config->here;
    case '%':
        return "%";
    default:
        return NULL;
    }
}

char *errand__ssh_config_expand(const struct ssh_config *config, const char *text)
{
    struct buf out;
    char port[16];
    errand_status status = ERRAND_OK;

    errand__buf_init(&out, VALUE_MOST);
    (void)snprintf(port, sizeof(port), "%u", config->port);
    if (text[0] == '~' && (text[1] == '/' || text[1] == '\0')) {
        status = errand__buf_push(&out, span_text(config->home));
        text++;
    }
    while (*text != '\0' && status == ERRAND_OK) {
        size_t len = strcspn(text, "%");
        status = errand__buf_push(&out, span_of(text, len));
        text += len;
        if (*text == '\0' || status != ERRAND_OK)
            break;
        const char *value = token_of(config, text[1], port);
        status = errand__buf_push(&out, value == NULL ? span_of(text, 1) : span_text(value));
        text += value == NULL ? 1 : 2;
    }
    errand_span all = errand__buf_peek(&out);
    char *copy =
        status == ERRAND_OK ? errand__mem_copy(all.len == 0 ? "" : all.ptr, all.len) : NULL;
    errand__buf_deinit(&out);
    return copy;
}

static bool add_path(const struct ssh_config *config, struct words *words, const char *text)
{
    AUTO_FREE char *path = errand__ssh_config_expand(config, text);

    return path != NULL && errand__words_add(words, path, NULL) == ERRAND_OK;
}

/* --- Defaults ------------------------------------------------------------------------------- */

static bool learn_who_we_are(struct ssh_config *config)
{
    char room[8192];
    struct passwd entry;
    struct passwd *found = NULL;

    if (getpwuid_r(getuid(), &entry, room, sizeof(room), &found) == 0 && found != NULL)
        return put(&config->home, found->pw_dir) && put(&config->here, found->pw_name);
    return put(&config->home, "/") && put(&config->here, "nobody");
}

static bool add_default_paths(struct ssh_config *config)
{
    static const char *const identities[] = {"~/.ssh/id_ed25519", "~/.ssh/id_ecdsa",
                                             "~/.ssh/id_rsa"};

    for (size_t i = 0; i < COUNT(identities); i++) {
        if (!add_path(config, &config->identities, identities[i]))
            return false;
    }
    config->user_files = 1;
    return add_path(config, &config->known_files, "~/.ssh/known_hosts") &&
           add_path(config, &config->known_files, "/etc/ssh/ssh_known_hosts");
}

errand_status errand__ssh_config_init(struct ssh_config *config, const struct ssh_target *target,
                                      const char *agent, errand_error *err)
{
    *config = (struct ssh_config){.port = target->port == 0 ? DEFAULT_PORT : target->port};
    bool done = learn_who_we_are(config) && put(&config->host, target->host) &&
                put(&config->hostname, target->host) &&
                put(&config->user, target->user == NULL ? config->here : target->user) &&
                (agent == NULL || *agent == '\0' || put(&config->agent, agent)) &&
                add_default_paths(config);
    return done ? ERRAND_OK : no_memory(err);
}

/* --- What ssh -G printed -------------------------------------------------------------------- */

static bool set_number(unsigned *to, const char *value)
{
    unsigned number = 0;

    for (; *value >= '0' && *value <= '9' && number < 1000000; value++)
        number = number * 10 + (unsigned)(*value - '0');
    *to = number; /* "none" is 0, which stands for our own. */
    return true;
}

static bool set_files(struct ssh_config *config, const char *value, bool of_user)
{
    struct words list = {0};
    bool done = errand__words_split(&list, value, NULL) == ERRAND_OK;

    for (size_t i = 0; done && i < list.count; i++) {
        if (strcmp(list.list[i], "none") == 0)
            continue;
        done = add_path(config, &config->known_files, list.list[i]);
        config->user_files += of_user ? 1 : 0;
    }
    errand__words_deinit(&list);
    return done;
}

static bool set_agent(struct ssh_config *config, const char *value)
{
    if (strcmp(value, "none") == 0) {
        errand__mem_free(config->agent);
        config->agent = NULL;
        return true;
    }
    if (strcmp(value, "SSH_AUTH_SOCK") == 0 || value[0] == '$')
        return true; /* The one that it is anyhow. */
    errand__mem_free(config->agent);
    config->agent = errand__ssh_config_expand(config, value);
    return config->agent != NULL;
}

static bool set_unless_none(char **to, const char *value)
{
    return strcmp(value, "none") == 0 || put(to, value);
}

/* First round: what the second one's paths are made of. */
static bool take_name(struct ssh_config *config, const char *key, const char *value)
{
    if (strcmp(key, "hostname") == 0)
        return put(&config->hostname, value);
    if (strcmp(key, "user") == 0)
        return put(&config->user, value);
    if (strcmp(key, "port") == 0)
        return set_number(&config->port, value);
    if (strcmp(key, "hostkeyalias") == 0)
        return set_unless_none(&config->key_alias, value);
    if (strcmp(key, "userknownhostsfile") == 0)
        return set_files(config, value, true);
    return true;
}

static bool take_rest(struct ssh_config *config, const char *key, const char *value)
{
    if (strcmp(key, "identityfile") == 0)
        return strcmp(value, "none") == 0 || add_path(config, &config->identities, value);
    if (strcmp(key, "globalknownhostsfile") == 0)
        return set_files(config, value, false);
    if (strcmp(key, "proxyjump") == 0)
        return set_unless_none(&config->proxy_jump, value);
    if (strcmp(key, "proxycommand") == 0)
        return set_unless_none(&config->proxy_command, value);
    if (strcmp(key, "identityagent") == 0)
        return set_agent(config, value);
    if (strcmp(key, "connecttimeout") == 0)
        return set_number(&config->connect_s, value);
    if (strcmp(key, "serveraliveinterval") == 0)
        return set_number(&config->alive_s, value);
    if (strcmp(key, "serveralivecountmax") == 0)
        return set_number(&config->alive_count, value);
    if (strcmp(key, "identitiesonly") == 0)
        config->identities_only = strcmp(value, "yes") == 0;
    if (strcmp(key, "hashknownhosts") == 0)
        config->hash_hosts = strcmp(value, "yes") == 0;
    return true;
}

typedef bool take_fn(struct ssh_config *config, const char *key, const char *value);

static bool each_line(struct ssh_config *config, char *text, take_fn *take)
{
    for (char *line = text; line != NULL && *line != '\0';) {
        char *end = strchr(line, '\n');
        char *space = strchr(line, ' ');
        bool has_value = space != NULL && (end == NULL || space < end);
        if (end != NULL)
            *end = '\0';
        if (has_value) {
            *space = '\0';
            bool taken = take(config, line, space + 1);
            *space = ' ';
            if (!taken)
                return false;
        }
        if (end != NULL)
            *end = '\n';
        line = end == NULL ? NULL : end + 1;
    }
    return true;
}

errand_status errand__ssh_config_read(struct ssh_config *config, errand_span text,
                                      errand_error *err)
{
    AUTO_FREE char *copy = errand__mem_copy(text.len == 0 ? "" : text.ptr, text.len);

    if (copy == NULL)
        return no_memory(err);
    if (strlen(copy) != text.len || strstr(copy, "hostname ") == NULL)
        return errand__fail(err, ERRAND_EIO, 0, "ssh: \"ssh -G\" printed no configuration");
    errand__words_deinit(&config->identities);
    errand__words_deinit(&config->known_files);
    config->user_files = 0;
    if (!each_line(config, copy, take_name) || !each_line(config, copy, take_rest))
        return no_memory(err);
    return ERRAND_OK;
}

/* --- What the caller insists on ------------------------------------------------------------- */

errand_status errand__ssh_config_override(struct ssh_config *config,
                                          const struct ssh_target *target, errand_error *err)
{
    if (target->identity != NULL) {
        errand__words_deinit(&config->identities);
        config->identities_given = true;
        if (!add_path(config, &config->identities, target->identity))
            return no_memory(err);
    }
    if (target->known_hosts != NULL) {
        errand__words_deinit(&config->known_files);
        config->user_files = 1;
        if (!add_path(config, &config->known_files, target->known_hosts))
            return no_memory(err);
    }
    for (char *c = config->hostname; *c != '\0'; c++) /* As keys are known. */
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    return ERRAND_OK;
}

char *errand__ssh_config_known_name(const struct ssh_config *config)
{
    char text[VALUE_MOST];

    if (config->key_alias != NULL)
        return errand__mem_copy(config->key_alias, strlen(config->key_alias));
    if (config->port == DEFAULT_PORT)
        return errand__mem_copy(config->hostname, strlen(config->hostname));
    int len = snprintf(text, sizeof(text), "[%s]:%u", config->hostname, config->port);
    return len < 0 || (size_t)len >= sizeof(text) ? NULL : errand__mem_copy(text, (size_t)len);
}

void errand__ssh_config_deinit(struct ssh_config *config)
{
    char *const texts[] = {config->home,       config->here,          config->host,
                           config->hostname,   config->user,          config->key_alias,
                           config->proxy_jump, config->proxy_command, config->agent};

    for (size_t i = 0; i < COUNT(texts); i++)
        errand__mem_free(texts[i]);
    errand__words_deinit(&config->identities);
    errand__words_deinit(&config->known_files);
    *config = (struct ssh_config){0};
}
