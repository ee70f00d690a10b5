/* address.c - names of containers as the words of a client, and none of them can be
 * talked into an option of that client. */
#include "transport/container/address.h"

#include "base/err.h"
#include "base/mem.h"
#include "transport/keeper.h"

#include <errno.h>
#include <stdio.h>
#include <sys/random.h>

enum {
    NAME_MOST = 253, /* Longest name that a container, a namespace or a pod can have. */
    IMAGE_MOST = 512,
    VALUE_MOST = 128
};

#define LETTERS  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS   "0123456789"
#define IN_NAMES LETTERS DIGITS "_.-"

typedef errand_status parse_fn(struct container *container, const char *rest, errand_error *err);

static errand_status add_all(struct words *words, const char *const *list, errand_error *err)
{
    errand_status status = ERRAND_OK;

    for (; status == ERRAND_OK && *list != NULL; list++)
        status = errand__words_add(words, *list, err);
    return status;
}

/* Starts with a letter or a digit, so that it is never an option. */
static bool is_word(const char *text, const char *letters, size_t most)
{
    size_t len = strspn(text, letters);

    return len > 0 && len <= most && text[len] == '\0' && strchr(LETTERS DIGITS, text[0]) != NULL;
}

static errand_status keep_name(struct container *container, const char *name, errand_error *err)
{
    container->name = errand__mem_copy(name, strlen(name));
    return container->name == NULL ? errand__fail(err, ERRAND_ENOMEM, 0, "place: no memory")
                                   : ERRAND_OK;
}

/* --- A container that runs ------------------------------------------------------------------- */

static errand_status parse_running(struct container *container, const char *rest, errand_error *err)
{
    const char *client = container->client;

    if (!is_word(rest, IN_NAMES, NAME_MOST))
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "place: \"%.80s\" is no name of a container: letters, digits, _ . - "
                            "are, such as %s://box",
                            rest, client);
    errand_status status = keep_name(container, rest, err);
    return status == ERRAND_OK
               ? add_all(&container->exec, (const char *const[]){client, "exec", "-i", rest, NULL},
                         err)
               : status;
}

enum { POD_PARTS_MOST = 3 };

/* Splits NAMESPACE/POD[/CONTAINER]; 0: it is something else. */
static size_t split_pod(char parts[POD_PARTS_MOST][NAME_MOST + 1], const char *rest)
{
    for (size_t count = 0; count < POD_PARTS_MOST;) {
        size_t len = strcspn(rest, "/");
        if (len > NAME_MOST)
            return 0;
        memcpy(parts[count], rest, len);
        parts[count][len] = '\0';
        if (!is_word(parts[count++], IN_NAMES, NAME_MOST))
            return 0;
        if (rest[len] == '\0')
            return count;
        rest += len + 1;
    }
    return 0;
}

static errand_status parse_pod(struct container *container, const char *rest, errand_error *err)
{
    char parts[POD_PARTS_MOST][NAME_MOST + 1];
    size_t count = split_pod(parts, rest);

    if (count < 2)
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "place: \"%.80s\" is no pod: k8s://NAMESPACE/POD or "
                            "k8s://NAMESPACE/POD/CONTAINER is",
                            rest);
    struct words *exec = &container->exec;
    const char *const words[] = {"kubectl", "exec", "-i", "-n", parts[0], parts[1], NULL};
    errand_status status = keep_name(container, rest, err);
    if (status == ERRAND_OK)
        status = add_all(exec, words, err);
    if (status == ERRAND_OK && count == POD_PARTS_MOST)
        status = add_all(exec, (const char *const[]){"-c", parts[2], NULL}, err);
    return status == ERRAND_OK ? errand__words_add(exec, "--", err) : status;
}

/* --- A container that is started -------------------------------------------------------------- */

static bool is_memory(const char *value)
{
    size_t len = strspn(value, DIGITS);

    return len > 0 && len <= 15 &&
           (value[len] == '\0' || (strchr("bkmg", value[len]) != NULL && value[len + 1] == '\0'));
}

static bool is_count(const char *value)
{
    size_t len = strspn(value, DIGITS);

    return len > 0 && len <= 9 && value[len] == '\0';
}

static bool is_fraction(const char *value)
{
    size_t whole = strspn(value, DIGITS);

    if (value[whole] != '.')
        return is_count(value);
    size_t part = strspn(value + whole + 1, DIGITS);
    return whole > 0 && part > 0 && whole + part <= 9 && value[whole + 1 + part] == '\0';
}

static bool is_network(const char *value)
{
    return is_word(value, IN_NAMES, VALUE_MOST - 1);
}

static bool is_user(const char *value)
{
    return is_word(value, IN_NAMES ":", VALUE_MOST - 1);
}

static bool is_pull(const char *value)
{
    return strcmp(value, "never") == 0 || strcmp(value, "missing") == 0 ||
           strcmp(value, "always") == 0;
}

/* What the address may say of the container, and how it is said to the client. */
static const struct setting {
    const char *name, *option, *wants, *otherwise; /* otherwise NULL: not said. */
    bool (*fits)(const char *value);
} settings[] = {
    {"memory", "--memory", "a size such as 256m", NULL, is_memory},
    {"cpus", "--cpus", "a number such as 1.5", NULL, is_fraction},
    {"pids", "--pids-limit", "a number such as 64", NULL, is_count},
    {"network", "--network", "none, bridge or the name of a network", "none", is_network},
    {"user", "--user", "a user such as 1000 or 1000:1000", NULL, is_user},
    {"pull", "--pull", "never, missing or always", "never", is_pull},
};

typedef char setting_values[COUNT(settings)][VALUE_MOST];

static errand_status take_setting(setting_values values, const char *text, size_t len,
                                  errand_error *err)
{
    char value[VALUE_MOST] = "";
    size_t name_len = strcspn(text, "=");

    for (size_t i = 0; i < COUNT(settings); i++) {
        if (name_len >= len || !span_is(span_of(text, name_len), settings[i].name))
            continue;
        size_t value_len = len - name_len - 1;
        if (value_len < sizeof(value))
            memcpy(value, text + name_len + 1, value_len);
        if (value_len >= sizeof(value) || !settings[i].fits(value))
            return errand__fail(err, ERRAND_EINVAL, 0, "place: %.*s: wants %s",
                                (int)(len < 80 ? len : 80), text, settings[i].wants);
        memcpy(values[i], value, sizeof(value));
        return ERRAND_OK;
    }
    return errand__fail(err, ERRAND_EINVAL, 0,
                        "place: \"%.*s\" is no setting of a container: memory=, cpus=, pids=, "
                        "network=, user=, pull= are",
                        (int)(len < 80 ? len : 80), text);
}

static errand_status take_settings(setting_values values, const char *text, errand_error *err)
{
    errand_status status = ERRAND_OK;

    while (status == ERRAND_OK && *text != '\0') {
        size_t len = strcspn(text, "&");
        status = take_setting(values, text, len, err);
        text += len;
        text += *text == '&';
    }
    return status;
}

static errand_status draw_name(char *name, size_t room, errand_error *err)
{
    uint64_t chance = 0;

    if (getrandom(&chance, sizeof(chance), 0) != (ssize_t)sizeof(chance))
        return errand__fail(err, ERRAND_EIO, errno, "place: no random bytes");
    (void)snprintf(name, room, "errand-%016llx", (unsigned long long)chance);
    return ERRAND_OK;
}

static errand_status say_start(struct container *container, setting_values values,
                               const char *image, const char *name, errand_error *err)
{
    struct words *start = &container->start;
    const char *const head[] = {container->client, "run", "--rm", "-i", "--name", name, NULL};
    const char *const tail[] = {"--entrypoint",        "/bin/sh", image, "-c",
                                errand__keeper_script, NULL};
    errand_status status = add_all(start, head, err);

    for (size_t i = 0; status == ERRAND_OK && i < COUNT(settings); i++) {
        const char *value = values[i][0] != '\0' ? values[i] : settings[i].otherwise;
        if (value != NULL)
            status = add_all(start, (const char *const[]){settings[i].option, value, NULL}, err);
    }
    return status == ERRAND_OK ? add_all(start, tail, err) : status;
}

static errand_status parse_image(struct container *container, const char *rest, errand_error *err)
{
    setting_values values = {{0}};
    char image[IMAGE_MOST + 1], name[64];
    const char *client = container->client;
    size_t len = strcspn(rest, "?");

    memcpy(image, rest, len <= IMAGE_MOST ? len : 0);
    image[len <= IMAGE_MOST ? len : 0] = '\0';
    if (!is_word(image, IN_NAMES "/:@", IMAGE_MOST))
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "place: \"%.80s\" is no name of an image; %s+run://node:22-slim is",
                            rest, client);
    errand_status status = take_settings(values, rest + len + (rest[len] == '?'), err);
    if (status == ERRAND_OK)
        status = draw_name(name, sizeof(name), err);
    if (status == ERRAND_OK)
        status = keep_name(container, image, err);
    if (status == ERRAND_OK)
        status = say_start(container, values, image, name, err);
    if (status == ERRAND_OK)
        status =
            add_all(&container->clear, (const char *const[]){client, "rm", "-f", name, NULL}, err);
    return status == ERRAND_OK
               ? add_all(&container->exec, (const char *const[]){client, "exec", "-i", name, NULL},
                         err)
               : status;
}

/* --- The schemes ------------------------------------------------------------------------------ */

static const struct scheme {
    const char *text, *client;
    parse_fn *parse;
} schemes[] = {
    {"docker://", "docker", parse_running},   {"podman://", "podman", parse_running},
    {"k8s://", "kubectl", parse_pod},         {"docker+run://", "docker", parse_image},
    {"podman+run://", "podman", parse_image},
};

static const struct scheme *find_scheme(const char *address)
{
    for (size_t i = 0; i < COUNT(schemes); i++) {
        if (span_starts(span_text(address), span_text(schemes[i].text)))
            return &schemes[i];
    }
    return NULL;
}

bool errand__container_address(const char *address)
{
    return find_scheme(address) != NULL;
}

errand_status errand__container_parse(struct container *container, char **name, const char *address,
                                      errand_error *err)
{
    const struct scheme *scheme = find_scheme(address);

    *container = (struct container){.client = scheme->client};
    *name = NULL;
    errand_status status = scheme->parse(container, address + strlen(scheme->text), err);
    if (status == ERRAND_OK) {
        *name = errand__mem_copy(address, strlen(address));
        if (*name == NULL)
            status = errand__fail(err, ERRAND_ENOMEM, 0, "place: no memory");
    }
    if (status != ERRAND_OK)
        errand__container_deinit(container);
    return status;
}
