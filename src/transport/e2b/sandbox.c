/* sandbox.c - takes what it knows and lets the rest be; a host name is only believed if it
 * could be one, since a token will travel there. */
#include "transport/e2b/sandbox.h"

#include "base/mem.h"
#include "transport/e2b/config.h"
#include "transport/e2b/json.h"

#include <stdio.h>

enum { TOKEN_MOST = 4096 };

/* Letters, digits, and the marks of more; nothing else. */
static bool is_made_of(const char *text, const char *more)
{
    for (; *text != '\0'; text++) {
        char c = *text;
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!plain && strchr(more, c) == NULL)
            return false;
    }
    return true;
}

static bool take(char to[static E2B_SANDBOX_WORD], const json_t *object, const char *name,
                 const char *more)
{
    const char *text = errand__e2b_json_text(object, name);

    to[0] = '\0';
    if (text == NULL)
        return true;
    if (strlen(text) >= E2B_SANDBOX_WORD || !is_made_of(text, more))
        return false;
    (void)snprintf(to, E2B_SANDBOX_WORD, "%s", text);
    return true;
}

/* The same of what is shown and nothing else: what can't be is not said. */
static void take_shown(char to[static E2B_SANDBOX_WORD], const json_t *object, const char *name,
                       const char *more)
{
    if (!take(to, object, name, more))
        to[0] = '\0';
}

static bool take_token(struct e2b_sandbox *sandbox, const json_t *object)
{
    const char *token = errand__e2b_json_text(object, "envdAccessToken");

    if (token == NULL || token[0] == '\0')
        return true;
    if (strlen(token) > TOKEN_MOST)
        return false;
    for (const char *at = token; *at != '\0'; at++) {
        if ((unsigned char)*at <= ' ' || (unsigned char)*at >= 0x7f)
            return false;
    }
    sandbox->token = errand__mem_copy(token, strlen(token));
    return sandbox->token != NULL;
}

static uint64_t number(const json_t *object, const char *name)
{
    json_int_t value = json_integer_value(json_object_get(object, name));

    return value < 0 ? 0 : (uint64_t)value;
}

static bool take_metadata(struct e2b_sandbox *sandbox, const json_t *object)
{
    const json_t *metadata = json_object_get(object, "metadata");
    const size_t flags = JSON_COMPACT | JSON_ENSURE_ASCII;

    if (!json_is_object(metadata))
        return true;
    size_t len = json_dumpb(metadata, NULL, 0, flags);
    sandbox->metadata = errand__mem_new(len + 1, 1);
    return sandbox->metadata != NULL && json_dumpb(metadata, sandbox->metadata, len, flags) == len;
}

bool errand__e2b_sandbox_read(struct e2b_sandbox *sandbox, const json_t *object)
{
    *sandbox = (struct e2b_sandbox){0};
    if (!take(sandbox->id, object, "sandboxID", "-_") || sandbox->id[0] == '\0' ||
        !take(sandbox->domain, object, "domain", "-.:") ||
        !take(sandbox->version_text, object, "envdVersion", "-.+"))
        return false;
    take_shown(sandbox->state, object, "state", "-_");
    take_shown(sandbox->template, object, "templateID", "-_./:");
    take_shown(sandbox->alias, object, "alias", "-_./:");
    take_shown(sandbox->started_at, object, "startedAt", "-:.+");
    take_shown(sandbox->end_at, object, "endAt", "-:.+");
    sandbox->version = errand__e2b_version_read(sandbox->version_text);
    sandbox->cpu_count = number(object, "cpuCount");
    sandbox->memory_mb = number(object, "memoryMB");
    sandbox->disk_mb = number(object, "diskSizeMB");
    return take_metadata(sandbox, object) && take_token(sandbox, object);
}

bool errand__e2b_sandbox_parse(struct e2b_sandbox *sandbox, errand_span bytes)
{
    json_auto_t *root = json_loadb(bytes.ptr, bytes.len, 0, NULL);

    *sandbox = (struct e2b_sandbox){0};
    return json_is_object(root) && errand__e2b_sandbox_read(sandbox, root);
}

void errand__e2b_sandbox_deinit(struct e2b_sandbox *sandbox)
{
    errand__e2b_config_free_secret(sandbox->token);
    errand__mem_free(sandbox->metadata);
    *sandbox = (struct e2b_sandbox){0};
}
