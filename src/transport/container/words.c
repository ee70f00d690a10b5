/* words.c - one table. The words are those of docker, podman and kubectl; which of them
 * spoke does not matter, and what is in none of the lines stays what it was: an exit. */
#include "transport/container/words.h"

#include "base/err.h"

enum {
    CLIENT_FAILED = 1,
    DAEMON_FAILED = 125, /* docker run and podman: the client or the daemon, not the command. */
    NOT_EXECUTED = 126,
    NOT_FOUND = 127,
    KUBECTL_FAILED = 255
};

static const struct {
    const char *heard, *code, *words;
    bool passes; /* It may be otherwise soon. */
} meanings[] = {
    {"permission denied while trying to connect", "daemon_denied",
     "this user may not talk to the daemon", false},
    {"Got permission denied", "daemon_denied", "this user may not talk to the daemon", false},
    {"(Forbidden)", "daemon_denied", "this user may not do that", false},
    {"(Unauthorized)", "daemon_denied", "the server wants a login", false},
    {"Cannot connect to the Docker daemon", "daemon_unreachable", "the daemon does not answer",
     true},
    {"Is the docker daemon running", "daemon_unreachable", "the daemon does not answer", true},
    {"failed to connect to the docker API", "daemon_unreachable", "the daemon does not answer",
     true},
    {"error during connect", "daemon_unreachable", "the daemon does not answer", true},
    {"unable to resolve docker endpoint", "daemon_unreachable",
     "DOCKER_HOST or its context leads to no daemon", false},
    {"Cannot connect to Podman", "daemon_unreachable", "the service does not answer", true},
    {"unable to connect to Podman", "daemon_unreachable", "the service does not answer", true},
    {"connection to the server", "daemon_unreachable", "the server does not answer", true},
    {"Unable to connect to the server", "daemon_unreachable", "the server does not answer", true},
    {"error: context \"", "daemon_unreachable", "its configuration names no such cluster", false},
    {"Error in configuration: context", "daemon_unreachable",
     "its configuration names no such cluster", false},
    {"No such container", "container_not_found", "there is no such container", false},
    {"no container with name or ID", "container_not_found", "there is no such container", false},
    {"(NotFound): namespaces", "container_not_found", "there is no such namespace", false},
    {"(NotFound)", "container_not_found", "there is no such pod", false},
    {"is not valid for pod", "container_not_found", "the pod has no such container", false},
    {"not found in pod", "container_not_found", "the pod has no such container", false},
    {"is paused", "container_paused", "the container is paused", false},
    {"is not running", "container_stopped", "the container is not running", false},
    {"is restarting", "container_stopped", "the container is not running", true},
    {"container state improper", "container_stopped", "the container is not running", false},
    {"on running containers", "container_stopped", "the container is not running", false},
    {"connection: container not found", "container_stopped", "the container is not running", false},
    {"a completed pod", "container_stopped", "the pod has ended", false},
    {"not have a host assigned", "container_stopped", "the pod has not started yet", true},
    {"No such image", "image_not_found", "there is no such image on that machine", false},
    {"image not known", "image_not_found", "there is no such image on that machine", false},
    {"repository does not exist", "image_not_found", "there is no such image", false},
    {"/bin/sh: no such file", "shell_not_found", "there is no /bin/sh in the container", false},
    {"\"/bin/sh\": executable file not found", "shell_not_found",
     "there is no /bin/sh in the container", false},
    {"`/bin/sh` not found", "shell_not_found", "there is no /bin/sh in the container", false},
    {"OCI permission denied", "shell_not_found", "/bin/sh in the container may not be run", false},
    {"\"/bin/sh\": permission denied", "shell_not_found", "/bin/sh in the container may not be run",
     false},
};

void errand__container_hear(struct container_said *said, errand_span bytes)
{
    size_t room = CONTAINER_SAID_MOST - said->len;
    size_t count = bytes.len < room ? bytes.len : room;

    if (count > 0)
        memcpy(said->text + said->len, bytes.ptr, count);
    said->len += count;
    said->text[said->len] = '\0';
    said->total += bytes.len;
}

/* The last line that is none of those that only send on to a manual. */
static errand_span last_line(const struct container_said *said)
{
    errand_span best = SPAN_EMPTY;

    for (const char *at = said->text; *at != '\0';) {
        errand_span line = span_of(at, strcspn(at, "\n"));
        if (line.len > 0 && !span_starts(line, SPAN_LITERAL("See '")) &&
            !span_starts(line, SPAN_LITERAL("Run '")))
            best = line;
        at += line.len;
        at += *at == '\n';
    }
    return best;
}

/* The message names the client already. */
static errand_span without_speaker(errand_span line)
{
    static const char *const speakers[] = {"docker: ", "Error response from daemon: ", "Error: "};

    for (size_t i = 0; i < COUNT(speakers); i++) {
        if (span_starts(line, span_text(speakers[i])))
            line = span_after(line, strlen(speakers[i]));
    }
    return line;
}

const char *errand__container_meaning(const struct container_said *said, int exit_code,
                                      const char *client, const char *name, errand_error *err)
{
    bool is_clients = exit_code == CLIENT_FAILED || exit_code == DAEMON_FAILED ||
                      exit_code == NOT_EXECUTED || exit_code == NOT_FOUND ||
                      exit_code == KUBECTL_FAILED;

    /* Whoever says more than that is no client that failed. */
    if (!is_clients || said->total > CONTAINER_SAID_MOST)
        return NULL;
    for (size_t i = 0; i < COUNT(meanings); i++) {
        if (strstr(said->text, meanings[i].heard) == NULL)
            continue;
        (void)errand__fail(err, ERRAND_EIO, 0, "%s: %.120s: %s", client, name, meanings[i].words);
        if (meanings[i].passes)
            errand__err_retryable(err, 0);
        return meanings[i].code;
    }
    if (exit_code != DAEMON_FAILED)
        return NULL;
    errand_span line = without_speaker(last_line(said));
    (void)errand__fail(err, ERRAND_EIO, 0, "%s: %.60s: %.*s", client, name,
                       (int)span_head(line, 150).len, line.ptr == NULL ? "" : line.ptr);
    return "place_failed";
}

/* What kubectl says where the pod has several containers, and of every process that did not exit
 * with 0; the runner never does, since it kills its group. */
static bool is_chatter(errand_span line)
{
    static const char *const beginnings[] = {"Defaulted container ", "Defaulting container name ",
                                             "command terminated with exit code "};

    for (size_t i = 0; i < COUNT(beginnings); i++) {
        if (span_starts(line, span_text(beginnings[i])))
            return true;
    }
    return false;
}

static size_t first_line(errand_span bytes)
{
    const char *end = memchr(bytes.ptr, '\n', bytes.len);

    return end == NULL ? bytes.len : (size_t)(end - bytes.ptr) + 1;
}

static size_t final_line(errand_span bytes)
{
    size_t at = bytes.len - 1;

    while (at > 0 && bytes.ptr[at - 1] != '\n')
        at--;
    return at;
}

errand_span errand__container_hush(const char *client, errand_span bytes)
{
    if (strcmp(client, "kubectl") != 0)
        return bytes;
    while (bytes.len > 0 && is_chatter(bytes))
        bytes = span_after(bytes, first_line(bytes));
    while (bytes.len > 0 && is_chatter(span_after(bytes, final_line(bytes))))
        bytes = span_head(bytes, final_line(bytes));
    return bytes;
}
