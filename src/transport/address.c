/* address.c - one table of schemes; each makes the words of a command, and none of them can be
 * talked into an option of that command. */
#include "transport/address.h"

#include "base/err.h"
#include "base/mem.h"
#include "transport/exec.h"
#include "transport/ssh.h"
#include "transport/words.h"

/* Longest name that a container, a namespace or a pod can have. */
enum { NAME_MOST = 253 };

typedef errand_status parse_fn(struct words *words, const char *rest, errand_error *err);

static errand_status add_all(struct words *words, const char *const *list, errand_error *err)
{
    errand_status status = ERRAND_OK;

    for (; status == ERRAND_OK && *list != NULL; list++)
        status = errand__words_add(words, *list, err);
    return status;
}

/* Starts with a letter or a digit, so that it is never an option. */
static bool is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");

    return len > 0 && len <= NAME_MOST && name[len] == '\0' && strchr(letters, name[0]) != NULL;
}

static errand_status parse_words(struct words *words, const char *rest, errand_error *err)
{
    errand_status status = errand__words_split(words, rest, err);

    if (status == ERRAND_OK && (words->count == 0 || words->list[0][0] == '\0'))
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "place: no command after the colon, such as \"docker exec -i box\"");
    return status;
}

static errand_status parse_container(struct words *words, const char *client, const char *name,
                                     errand_error *err)
{
    if (!is_name(name))
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "place: \"%.80s\" is no name of a container: letters, digits, _ . - "
                            "are, such as %s://box",
                            name, client);
    return add_all(words, (const char *const[]){client, "exec", "-i", name, NULL}, err);
}

static errand_status parse_docker(struct words *words, const char *rest, errand_error *err)
{
    return parse_container(words, "docker", rest, err);
}

static errand_status parse_podman(struct words *words, const char *rest, errand_error *err)
{
    return parse_container(words, "podman", rest, err);
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
        if (!is_name(parts[count++]))
            return 0;
        if (rest[len] == '\0')
            return count;
        rest += len + 1;
    }
    return 0;
}

static errand_status parse_k8s(struct words *words, const char *rest, errand_error *err)
{
    char parts[POD_PARTS_MOST][NAME_MOST + 1];
    size_t count = split_pod(parts, rest);

    if (count < 2)
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "place: \"%.80s\" is no pod: k8s://NAMESPACE/POD or "
                            "k8s://NAMESPACE/POD/CONTAINER is",
                            rest);
    const char *const exec[] = {"kubectl", "exec", "-i", "-n", parts[0], parts[1], NULL};
    errand_status status = add_all(words, exec, err);
    if (status == ERRAND_OK && count == 3)
        status = add_all(words, (const char *const[]){"-c", parts[2], NULL}, err);
    return status == ERRAND_OK ? errand__words_add(words, "--", err) : status;
}

static const struct scheme {
    const char *text;
    enum exec_kind kind;
    parse_fn *parse;
} schemes[] = {
    {"exec:", EXEC_WORDS, parse_words},      {"shell:", EXEC_SHELL, parse_words},
    {"docker://", EXEC_WORDS, parse_docker}, {"podman://", EXEC_WORDS, parse_podman},
    {"k8s://", EXEC_WORDS, parse_k8s},
};

static const struct scheme *find_scheme(const char *address)
{
    for (size_t i = 0; i < COUNT(schemes); i++) {
        if (span_starts(span_text(address), span_text(schemes[i].text)))
            return &schemes[i];
    }
    return NULL;
}

/* What follows a scheme may be a secret, such as a password: it is not repeated. */
static errand_status refuse(const char *address, errand_error *err)
{
    static const char known[] = "local, exec:ARGV, shell:ARGV, docker://NAME, podman://NAME, "
                                "k8s://NAMESPACE/POD[/CONTAINER], ssh://[USER@]HOST[:PORT]";
    int len = (int)strcspn(address, ": \t\n");

    if (len == 0)
        return errand__fail(err, ERRAND_EINVAL, 0, "place: no address; there is %s", known);
    return errand__fail(err, ERRAND_EINVAL, 0, "place: \"%.*s%s\" is none; there is %s",
                        len > 40 ? 40 : len, address, address[len] == ':' ? ":" : "", known);
}

errand_status errand__road_from_address(errand_road **out, char **name, const char *address,
                                        const errand_place_options *options, errand_error *err)
{
    static const char ssh_scheme[] = "ssh://";
    struct words words = {0};
    enum exec_kind kind = EXEC_LOCAL;
    errand_status status = ERRAND_OK;
    const char *prefix = "local";

    *out = NULL;
    *name = NULL;
    if (span_starts(span_text(address), SPAN_LITERAL(ssh_scheme)))
        return errand__ssh_road_new(out, name, address + strlen(ssh_scheme),
                                    options == NULL ? NULL : options->ssh, err);
    if (strcmp(address, "local") != 0) {
        const struct scheme *scheme = find_scheme(address);
        if (scheme == NULL)
            return refuse(address, err);
        kind = scheme->kind;
        prefix = kind == EXEC_SHELL ? "shell:" : "exec:";
        status = scheme->parse(&words, address + strlen(scheme->text), err);
    }
    AUTO_FREE char *text = status == ERRAND_OK ? errand__words_text(&words, prefix) : NULL;
    if (status == ERRAND_OK && text == NULL)
        status = errand__fail(err, ERRAND_ENOMEM, 0, "place: no memory");
    if (status != ERRAND_OK) {
        errand__words_deinit(&words);
        return status;
    }
    status = errand__exec_road_new(out, kind, &words, err);
    if (status == ERRAND_OK)
        *name = steal(&text);
    return status;
}
