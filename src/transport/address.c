/* address.c - one table of schemes; each makes the words of a command, and none of them can be
 * talked into an option of that command. */
#include "transport/address.h"

#include "base/err.h"
#include "base/mem.h"
#include "transport/container/address.h"
#include "transport/e2b/e2b.h"
#include "transport/exec.h"
#include "transport/jail.h"
#include "transport/ssh/ssh.h"
#include "transport/words.h"

typedef errand_status parse_fn(struct words *words, const char *rest, errand_error *err);

static errand_status parse_words(struct words *words, const char *rest, errand_error *err)
{
    errand_status status = errand__words_split(words, rest, err);

    if (status == ERRAND_OK && (words->count == 0 || words->list[0][0] == '\0'))
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "place: no command after the colon, such as \"docker exec -i box\"");
    return status;
}

static const struct scheme {
    const char *text;
    enum exec_kind kind;
    parse_fn *parse;
} schemes[] = {
    {"exec:", EXEC_WORDS, parse_words},
    {"shell:", EXEC_SHELL, parse_words},
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
    /* Short, so that an error has room for all of it. */
    static const char known[] =
        "local[?jail], exec:ARGV, shell:ARGV, ssh://[USER@]HOST, docker://NAME, "
        "docker+run://IMAGE, the same of podman, k8s://NAMESPACE/POD, e2b://TEMPLATE, e2b:ID";
    int len = (int)strcspn(address, ": \t\n");

    if (len == 0)
        return errand__fail(err, ERRAND_EINVAL, 0, "place: no address was given; it can be %s",
                            known);
    return errand__fail(err, ERRAND_EINVAL, 0,
                        "place: \"%.*s%s\" is not a kind of place; it can be %s",
                        len > 30 ? 30 : len, address, address[len] == ':' ? ":" : "", known);
}

static errand_status container_road(errand_road **out, char **name, const char *address,
                                    errand_error *err)
{
    struct container container;
    AUTO_FREE char *text = NULL;
    errand_status status = errand__container_parse(&container, &text, address, err);

    if (status == ERRAND_OK)
        status = errand__container_road_new(out, &container, err);
    if (status == ERRAND_OK)
        *name = steal(&text);
    return status;
}

static errand_status jail_road(errand_road **out, char **name, const char *address,
                               const char *node, errand_error *err)
{
    struct jail jail;
    struct words words = {0};
    errand_status status = errand__jail_parse(&jail, address, err);

    if (status != ERRAND_OK)
        return status;
    jail.node = node;
    status = errand__jail_words(&words, &jail, err);
    const char *text = jail.network ? "local?jail&network" : "local?jail";
    AUTO_FREE char *copy = errand__mem_copy(text, strlen(text));
    if (status == ERRAND_OK && copy == NULL)
        status = errand__fail(err, ERRAND_ENOMEM, 0, "place: no memory");
    if (status != ERRAND_OK) {
        errand__words_deinit(&words);
        return status;
    }
    status = errand__exec_road_new(out, EXEC_JAIL, &words, err);
    if (status == ERRAND_OK)
        *name = steal(&copy);
    return status;
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
    address = address == NULL ? "" : address;
    if (span_starts(span_text(address), SPAN_LITERAL(ssh_scheme)))
        return errand__ssh_road_new(out, name, address + strlen(ssh_scheme),
                                    options == NULL ? NULL : options->ssh, err);
    if (errand__e2b_address(address))
        return errand__e2b_road_new(out, name, address, options == NULL ? NULL : options->e2b, err);
    if (errand__container_address(address))
        return container_road(out, name, address, err);
    if (errand__jail_address(address))
        return jail_road(out, name, address, options == NULL ? NULL : options->node, err);
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
