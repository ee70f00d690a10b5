/* target.c - parses an address; knows no configuration and no network. */
#include "transport/ssh/target.h"

#include "base/err.h"
#include "base/mem.h"

#include <stdio.h>

enum { PART_MOST = 255, PORT_MOST = 65535 };

/* Not an option of ssh, and nothing that a shell or a terminal would act on. */
static bool is_plain(errand_span part)
{
    if (part.len == 0 || part.len > PART_MOST || part.ptr[0] == '-')
        return false;
    for (size_t i = 0; i < part.len; i++) {
        unsigned char c = (unsigned char)part.ptr[i];
        if (c <= 0x20 || c == 0x7f || strchr("'\"`$\\;&<>|(){}!*?/", c) != NULL)
            return false;
    }
    return true;
}

static bool read_port(const char *text, unsigned *port)
{
    unsigned value = 0;

    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9')
            return false;
        value = value * 10 + (unsigned)(*text - '0');
        if (value > PORT_MOST)
            return false;
    }
    *port = value;
    return value > 0;
}

/* Sets host and what follows it: "" or ":PORT". false: neither. */
static bool split_host(const char *text, errand_span *host, const char **after)
{
    if (text[0] == '[') {
        const char *end = strchr(text, ']');
        if (end == NULL)
            return false;
        *host = span_of(text + 1, (size_t)(end - text - 1));
        *after = end + 1;
        return memchr(host->ptr, ':', host->len) != NULL;
    }
    size_t len = strcspn(text, ":");
    *host = span_of(text, len);
    *after = text + len;
    return strchr(*after + (**after == ':'), ':') == NULL; /* IPv6 wants brackets. */
}

static errand_status refuse(const char *what, errand_error *err)
{
    return errand__fail(err, ERRAND_EINVAL, 0,
                        "place: %s; ssh://[USER@]HOST[:PORT] is wanted, an IPv6 address in "
                        "brackets",
                        what);
}

errand_status errand__ssh_target_parse(struct ssh_target *target, const char *rest,
                                       errand_error *err)
{
    const char *at = strrchr(rest, '@');
    const char *after = NULL;
    errand_span user = SPAN_EMPTY;
    errand_span host = SPAN_EMPTY;

    *target = (struct ssh_target){0};
    if (at != NULL)
        user = span_of(rest, (size_t)(at - rest));
    if (at != NULL && memchr(user.ptr, ':', user.len) != NULL)
        return refuse("a password does not belong into an address", err);
    if (at != NULL && !is_plain(user))
        return refuse("that user is none", err);
    if (!split_host(at == NULL ? rest : at + 1, &host, &after) || !is_plain(host))
        return refuse("that host is none", err);
    size_t slash = strlen(after);
    if (slash > 0 && (after[0] != ':' || !read_port(after + 1, &target->port)))
        return refuse("that port is none", err);
    target->host = errand__mem_copy(host.ptr, host.len);
    target->user = at == NULL ? NULL : errand__mem_copy(user.ptr, user.len);
    if (target->host != NULL && (at == NULL || target->user != NULL))
        return ERRAND_OK;
    errand__ssh_target_deinit(target);
    return errand__fail(err, ERRAND_ENOMEM, 0, "ssh: no memory");
}

static bool copy_text(char **to, const char *from)
{
    if (from == NULL || *from == '\0')
        return true;
    *to = errand__mem_copy(from, strlen(from));
    return *to != NULL;
}

errand_status errand__ssh_target_adopt(struct ssh_target *target, const errand_ssh_options *options,
                                       errand_error *err)
{
    if (options == NULL)
        return ERRAND_OK;
    target->accept_new = options->accept_new_host_key != 0;
    if (!copy_text(&target->known_hosts, options->known_hosts_file) ||
        !copy_text(&target->identity, options->identity_file) ||
        !copy_text(&target->config, options->config_file))
        return errand__fail(err, ERRAND_ENOMEM, 0, "ssh: no memory");
    return ERRAND_OK;
}

errand_status errand__ssh_target_copy(struct ssh_target *to, const struct ssh_target *from,
                                      errand_error *err)
{
    *to = (struct ssh_target){.port = from->port, .accept_new = from->accept_new};
    if (copy_text(&to->user, from->user) && copy_text(&to->host, from->host) &&
        copy_text(&to->known_hosts, from->known_hosts) &&
        copy_text(&to->identity, from->identity) && copy_text(&to->config, from->config))
        return ERRAND_OK;
    errand__ssh_target_deinit(to);
    return errand__fail(err, ERRAND_ENOMEM, 0, "ssh: no memory");
}

char *errand__ssh_target_text(const struct ssh_target *target)
{
    char text[2 * PART_MOST + 32];
    char port[16] = "";
    bool is_v6 = strchr(target->host, ':') != NULL;

    if (target->port != 0)
        (void)snprintf(port, sizeof(port), ":%u", target->port);
    int len = snprintf(text, sizeof(text), "ssh://%s%s%s%s%s%s",
                       target->user == NULL ? "" : target->user, target->user == NULL ? "" : "@",
                       is_v6 ? "[" : "", target->host, is_v6 ? "]" : "", port);
    return errand__mem_copy(text, (size_t)len);
}

void errand__ssh_target_deinit(struct ssh_target *target)
{
    errand__mem_free(target->user);
    errand__mem_free(target->host);
    errand__mem_free(target->known_hosts);
    errand__mem_free(target->identity);
    errand__mem_free(target->config);
    *target = (struct ssh_target){0};
}
