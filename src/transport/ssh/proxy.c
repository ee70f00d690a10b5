/* proxy.c - spawns the command, keeps its last words, and kills its group at the end. */
#include "transport/ssh/proxy.h"

#include "base/err.h"
#include "base/mem.h"
#include "transport/orphans.h"
#include "transport/spawn.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { COMMAND_MOST = 4096, READS_MOST = 64, LAST_WORDS_MS = 1000 };

bool errand__ssh_proxy_is_wanted(const struct ssh_config *config)
{
    return config->proxy_command != NULL || config->proxy_jump != NULL;
}

/* --- The command ---------------------------------------------------------------------------- */

static bool add(struct words *words, const char *word)
{
    return errand__words_add(words, word, NULL) == ERRAND_OK;
}

/* Splits "[ssh://]user@host:port" for ssh, which takes that form with -p alone. */
static bool add_jump(struct words *words, const char *jump, const char *target)
{
    char host[256], port[16] = "";
    const char *colon = strrchr(jump, ':');
    const char *bracket = strrchr(jump, ']');
    bool has_port =
        colon != NULL && (bracket != NULL ? colon > bracket : strchr(jump, ':') == colon);
    size_t len = has_port ? (size_t)(colon - jump) : strlen(jump);

    if (len == 0 || len >= sizeof(host) || jump[0] == '-' ||
        (has_port && strlen(colon + 1) >= sizeof(port)))
        return false;
    memcpy(host, jump, len);
    host[len] = '\0';
    if (has_port)
        memcpy(port, colon + 1, strlen(colon + 1) + 1);
    return (!has_port || (add(words, "-p") && add(words, port))) && add(words, "-W") &&
           add(words, target) && add(words, "--") && add(words, host);
}

/* ssh -W [HOST]:PORT through the last of the jumps, to which -J leads through the others. */
static bool jump_words(struct words *words, const struct ssh_config *config,
                       const char *config_file)
{
    char target[COMMAND_MOST];
    const char *comma = strrchr(config->proxy_jump, ',');
    const char *last = comma == NULL ? config->proxy_jump : comma + 1;
    AUTO_FREE char *others =
        comma == NULL ? NULL
                      : errand__mem_copy(config->proxy_jump, (size_t)(comma - config->proxy_jump));
    int len = snprintf(target, sizeof(target), "[%s]:%u", config->hostname, config->port);

    if (len < 0 || (size_t)len >= sizeof(target) || (comma != NULL && others == NULL))
        return false;
    if (span_starts(span_text(last), SPAN_LITERAL("ssh://")))
        last += strlen("ssh://");
    return add(words, "ssh") && add(words, "-oBatchMode=yes") && add(words, "-oLogLevel=ERROR") &&
           (config_file == NULL || (add(words, "-F") && add(words, config_file))) &&
           (others == NULL || (add(words, "-J") && add(words, others))) &&
           add_jump(words, last, target);
}

static bool command_words(struct words *words, const struct ssh_config *config)
{
    char line[COMMAND_MOST + 8];
    AUTO_FREE char *command = errand__ssh_config_expand(config, config->proxy_command);

    if (command == NULL)
        return false;
    int len = snprintf(line, sizeof(line), "exec %s", command);
    return len > 0 && (size_t)len < sizeof(line) && add(words, "/bin/sh") && add(words, "-c") &&
           add(words, line);
}

errand_status errand__ssh_proxy_start(struct ssh_proxy *proxy, const struct ssh_config *config,
                                      const char *config_file, int *in, int *out, errand_error *err)
{
    struct words words = {0};
    struct spawned spawned = {0};

    *proxy = (struct ssh_proxy){.err = -1};
    bool sound = config->proxy_command != NULL ? command_words(&words, config)
                                               : jump_words(&words, config, config_file);
    proxy->grave = errand__mem_new(1, sizeof(*proxy->grave));
    errand_status status =
        !sound ? errand__fail(
                     err, ERRAND_EINVAL, 0, "ssh: no such ProxyJump or ProxyCommand: %.150s",
                     config->proxy_command != NULL ? config->proxy_command : config->proxy_jump)
        : proxy->grave == NULL ? errand__fail(err, ERRAND_ENOMEM, 0, "ssh: no memory")
                               : errand__spawn(&spawned, (const char *const *)words.list, err);
    errand__words_deinit(&words);
    if (status != ERRAND_OK) {
        errand__mem_free(proxy->grave);
        *proxy = (struct ssh_proxy){.err = -1};
        return status;
    }
    proxy->pid = spawned.pid;
    proxy->err = spawned.err;
    *in = spawned.out;
    *out = spawned.in;
    errand__auto_close(&spawned.leader);
    errand__auto_close(&spawned.verdict); /* What can't be started hangs up. */
    return ERRAND_OK;
}

/* --- Its words ------------------------------------------------------------------------------ */

/* Keeps the last line that says anything. */
static void keep_words(struct ssh_proxy *proxy, const char *text, size_t len)
{
    while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == '\r'))
        len--;
    size_t from = len;
    while (from > 0 && text[from - 1] != '\n')
        from--;
    len -= from;
    if (len == 0)
        return;
    len = len < sizeof(proxy->words) - 1 ? len : sizeof(proxy->words) - 1;
    memcpy(proxy->words, text + from, len);
    proxy->words[len] = '\0';
}

void errand__ssh_proxy_listen(struct ssh_proxy *proxy)
{
    char text[4096];

    for (int i = 0; proxy->pid != 0 && proxy->err >= 0 && i < READS_MOST; i++) {
        ssize_t got = read(proxy->err, text, sizeof(text));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return;
        if (got == 0) {
            (void)close(steal_fd(&proxy->err));
            return;
        }
        keep_words(proxy, text, (size_t)got);
    }
}

void errand__ssh_proxy_hear_out(struct ssh_proxy *proxy, const struct ssh_patience *patience)
{
    errand__ssh_patience_start(patience, LAST_WORDS_MS);
    errand__ssh_proxy_listen(proxy);
    while (proxy->pid != 0 && proxy->err >= 0) {
        struct pollfd ready = {proxy->err, POLLIN, 0};
        if (errand__ssh_patience_wait(patience, &ready, 1) != SSH_WAITED_READY)
            return;
        errand__ssh_proxy_listen(proxy);
    }
}

const char *errand__ssh_proxy_words(struct ssh_proxy *proxy)
{
    errand__ssh_proxy_listen(proxy);
    return proxy->pid == 0 ? "" : proxy->words;
}

void errand__ssh_proxy_end(struct ssh_proxy *proxy)
{
    if (proxy->pid == 0)
        return;
    (void)kill(-proxy->pid, SIGKILL);
    (void)kill(proxy->pid, SIGKILL);
    errand__orphans_take(proxy->grave, proxy->pid);
    errand__auto_close(&proxy->err);
    *proxy = (struct ssh_proxy){.err = -1};
}
