/* advice.c - what to do, by the code that a run ended with. The words for a container are those of
 * its client; the codes are those of the transports and of the launch. */
#include "cli/advice.h"

enum client { CLIENT_NONE, CLIENT_DOCKER, CLIENT_PODMAN, CLIENT_KUBECTL, CLIENTS };

static const struct {
    const char *code;
    enum stage stage;
    const char *words;
} advices[] = {
    {"name_not_found", STAGE_NAME, "getent hosts HOST and ssh -G HOST show what the name leads to"},
    {"connect_failed", STAGE_CONNECTION, "ssh -v HOST shows whether an SSH server answers there"},
    {"host_key_unknown", STAGE_HOST_KEY,
     "compare the fingerprint with the host's own, then run that line once"},
    {"host_key_changed", STAGE_HOST_KEY,
     "find out why; if the host is a new one, ssh-keygen -R takes the old key out"},
    {"host_key_revoked", STAGE_HOST_KEY, "somebody barred that key: ask them"},
    {"auth_failed", STAGE_LOGIN, "see that ssh HOST logs in by a key, or run errand on a terminal"},
    {"place_failed", STAGE_START, "see that the place can be reached by hand"},
    {"spawn_failed", STAGE_START, "see that the command of the place is installed and on PATH"},
    {"lost", STAGE_START, "see that the command of the place is installed and on PATH"},
    {"open_timeout", STAGE_START, "see that the place can be reached by hand; --limit open=..."},
    {"shell_not_found", STAGE_SHELL, "use an image that has /bin/sh, such as one with busybox"},
    {"boot_timeout", STAGE_SHELL,
     "see whether the login over there waits for something, such as a password or a key"},
    {"boot_noise", STAGE_SHELL,
     "keep startup files over there from printing so much where no terminal is"},
    {"stdin_eaten", STAGE_SHELL, "a startup file over there reads standard input: keep it from it"},
    {"stdin_closed", STAGE_SHELL,
     "the road does not carry standard input; docker and kubectl exec want -i for it"},
    {"bad_digest", STAGE_SHELL,
     "the road changes bytes; see that there is no terminal in between (ssh -T, no -t)"},
    {"runner_exited", STAGE_SHELL,
     "run the command of the place by hand; the message has its last words"},
    {"node_not_found", STAGE_NODE, "install node 18 or later over there, or name it with --node"},
    {"node_too_old", STAGE_NODE, "install node 18 or later over there, or name it with --node"},
    {"node_not_run", STAGE_NODE, "see that node can be executed over there, or name another"},
    {"runner_broken", STAGE_PROGRAM, "errand run --record FILE keeps what a report needs"},
    {"protocol_version", STAGE_PROGRAM, "the runner over there is of another version of errand"},
};

static const struct {
    const char *code;
    enum stage stage;
    const char *words;
} ssh_advices[] = {
    {"config_failed", STAGE_NAME, "ssh -G HOST says what is wrong with the configuration"},
    {"open_timeout", STAGE_CONNECTION,
     "ssh -v HOST true shows where it waits: for a firewall, a proxy, a question"},
    {"place_failed", STAGE_START,
     "the log of sshd over there tells more; it may allow no sessions (MaxSessions)"},
    {"spawn_failed", STAGE_START, "the log of sshd over there tells more"},
    {"lost", STAGE_SHELL, "try again; ssh -v HOST true shows whether the connection lasts"},
    {"runner_exited", STAGE_SHELL,
     "ssh HOST true should end without a word: see the login shell, its startup files and "
     "ForceCommand over there"},
};

static const struct {
    const char *code;
    enum stage stage;
    const char *words;
} e2b_advices[] = {
    {"name_not_found", STAGE_NAME, "see E2B_DOMAIN and E2B_API_URL, and whether DNS works here"},
    {"connect_failed", STAGE_CONNECTION,
     "see E2B_DOMAIN and E2B_API_URL, a proxy (https_proxy), a firewall"},
    {"no_answer", STAGE_CONNECTION, "a proxy or firewall may hold the answers back; try again"},
    {"stream_lost", STAGE_CONNECTION, "a proxy may cut what lasts; try again"},
    {"tls_failed", STAGE_HOST_KEY,
     "see this machine's clock, and its certificates (SSL_CERT_FILE, CURL_CA_BUNDLE)"},
    {"not_e2b", STAGE_HOST_KEY, "see that E2B_API_URL and E2B_DOMAIN lead to such a service"},
    {"auth_failed", STAGE_LOGIN, "copy the key from the service's own page into E2B_API_KEY"},
    {"rate_limited", STAGE_LOGIN, "wait a little, and ask for less at once"},
    {"team_limit", STAGE_CLIENT, "end sandboxes that nobody needs, or ask for more of them"},
    {"plan_limit", STAGE_CLIENT, "ask for a shorter life: e2b://TEMPLATE?timeout=SECONDS"},
    {"no_capacity", STAGE_CLIENT, "the service has no room just now: try again later"},
    {"template_not_found", STAGE_CLIENT, "e2b template list, or the service's page, names yours"},
    {"bad_request", STAGE_CLIENT, "see what the message names: metadata, environment, networks"},
    {"sandbox_gone", STAGE_CLIENT, "it has ended: make another with e2b://TEMPLATE"},
    {"sandbox_expired", STAGE_CLIENT, "it came to its end: ask for a longer one with ?timeout="},
    {"envd_too_old", STAGE_DAEMON, "build the template anew"},
    {"port_closed", STAGE_DAEMON, "the service inside does not run: make another sandbox"},
    {"transitioning", STAGE_DAEMON, "it is being paused or resumed: try again"},
    {"connection_limit", STAGE_DAEMON, "run less at once in one sandbox"},
    {"bad_gateway", STAGE_HOST_KEY, "the service is in trouble: try again later"},
    {"server_error", STAGE_HOST_KEY, "the service is in trouble: try again later"},
    {"no_user", STAGE_START, "that user is not known inside of the template"},
    {"spawn_failed", STAGE_START, "see that the template has /bin/sh, and is not out of processes"},
    {"lost", STAGE_START, "try again; errand run --trace e2b -e 0 --on PLACE shows what happens"},
};

#define KUBE_PODS "kubectl get pods -n NAMESPACE lists what there is and how it is"

static const struct {
    const char *code;
    enum stage stage;
    const char *words[CLIENTS];
} container_advices[] = {
    {"spawn_failed",
     STAGE_CLIENT,
     {[CLIENT_DOCKER] = "install the docker client (package docker.io or docker-cli), on PATH",
      [CLIENT_PODMAN] = "install podman, on PATH",
      [CLIENT_KUBECTL] = "install kubectl, on PATH"}},
    {"daemon_unreachable",
     STAGE_DAEMON,
     {[CLIENT_DOCKER] =
          "start the daemon (systemctl start docker), or name another with DOCKER_HOST",
      [CLIENT_PODMAN] = "start its service (podman machine start), or name another with "
                        "CONTAINER_HOST; podman info shows more",
      [CLIENT_KUBECTL] = "kubectl cluster-info shows what is asked; choose another with KUBECONFIG "
                         "or kubectl config use-context"}},
    {"daemon_denied",
     STAGE_DAEMON,
     {[CLIENT_DOCKER] = "add this user to the group of the daemon's socket (usermod -aG docker "
                        "NAME), log in anew",
      [CLIENT_PODMAN] = "podman info shows what this user may not",
      [CLIENT_KUBECTL] = "kubectl auth can-i create pods --subresource=exec -n NAMESPACE tells; "
                         "ask for that right, or log in"}},
    {"container_not_found",
     STAGE_START,
     {[CLIENT_DOCKER] = "docker ps -a lists what there is",
      [CLIENT_PODMAN] = "podman ps -a lists what this user has",
      [CLIENT_KUBECTL] = KUBE_PODS}},
    {"container_stopped",
     STAGE_START,
     {[CLIENT_DOCKER] = "docker start NAME starts it; docker logs NAME shows why it ended",
      [CLIENT_PODMAN] = "podman start NAME starts it; podman logs NAME shows why it ended",
      [CLIENT_KUBECTL] = KUBE_PODS}},
    {"container_paused",
     STAGE_START,
     {[CLIENT_DOCKER] = "docker unpause NAME lets it go on",
      [CLIENT_PODMAN] = "podman unpause NAME lets it go on",
      [CLIENT_KUBECTL] = KUBE_PODS}},
    {"image_not_found",
     STAGE_START,
     {[CLIENT_DOCKER] = "docker pull IMAGE, or add ?pull=missing to the address",
      [CLIENT_PODMAN] = "podman pull IMAGE, or add ?pull=missing to the address",
      [CLIENT_KUBECTL] = KUBE_PODS}},
};

static enum client client_of(const char *address)
{
    static const struct {
        const char *scheme;
        enum client client;
    } schemes[] = {{"docker://", CLIENT_DOCKER},
                   {"docker+run://", CLIENT_DOCKER},
                   {"podman://", CLIENT_PODMAN},
                   {"podman+run://", CLIENT_PODMAN},
                   {"k8s://", CLIENT_KUBECTL}};

    for (size_t i = 0; i < COUNT(schemes); i++) {
        if (span_starts(span_text(address), span_text(schemes[i].scheme)))
            return schemes[i].client;
    }
    return CLIENT_NONE;
}

static bool is_ssh(const char *address)
{
    return span_starts(span_text(address), SPAN_LITERAL("ssh://"));
}

static bool is_e2b(const char *address)
{
    return span_starts(span_text(address), SPAN_LITERAL("e2b:"));
}

static const struct {
    const char *code;
    enum stage stage;
    const char *words;
} jail_advices[] = {
    {"place_failed", STAGE_START, "install the package bubblewrap, so that bwrap is on PATH"},
    {"runner_exited", STAGE_SHELL,
     "allow user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, "
     "kernel.apparmor_restrict_unprivileged_userns); bwrap --unshare-all --ro-bind / / true tries"},
};

static bool is_jail(const char *address)
{
    return span_starts(span_text(address), SPAN_LITERAL("local?"));
}

struct advice advice_for(const char *address, const char *code)
{
    static const char look[] = "errand run --trace all -e 0 --on PLACE shows what happens";
    enum client client = client_of(address);

    if (code == NULL)
        return (struct advice){STAGE_PROGRAM, look};
    for (size_t i = 0; is_ssh(address) && i < COUNT(ssh_advices); i++) {
        if (strcmp(ssh_advices[i].code, code) == 0)
            return (struct advice){ssh_advices[i].stage, ssh_advices[i].words};
    }
    for (size_t i = 0; is_e2b(address) && i < COUNT(e2b_advices); i++) {
        if (strcmp(e2b_advices[i].code, code) == 0)
            return (struct advice){e2b_advices[i].stage, e2b_advices[i].words};
    }
    for (size_t i = 0; client != CLIENT_NONE && i < COUNT(container_advices); i++) {
        if (strcmp(container_advices[i].code, code) == 0)
            return (struct advice){container_advices[i].stage, container_advices[i].words[client]};
    }
    for (size_t i = 0; is_jail(address) && i < COUNT(jail_advices); i++) {
        if (strcmp(jail_advices[i].code, code) == 0)
            return (struct advice){jail_advices[i].stage, jail_advices[i].words};
    }
    for (size_t i = 0; i < COUNT(advices); i++) {
        if (strcmp(advices[i].code, code) == 0)
            return (struct advice){advices[i].stage, advices[i].words};
    }
    return (struct advice){STAGE_SHELL, look};
}

const char *const *advice_stages(const char *address)
{
    static const char *const plain[] = {[STAGE_START] = "process",
                                        [STAGE_SHELL] = "shell",
                                        [STAGE_NODE] = "node",
                                        [STAGE_PROGRAM] = "program"};
    static const char *const container[] = {
        [STAGE_CLIENT] = "client", [STAGE_DAEMON] = "daemon", [STAGE_START] = "container",
        [STAGE_SHELL] = "shell",   [STAGE_NODE] = "node",     [STAGE_PROGRAM] = "program"};
    static const char *const ssh[] = {
        [STAGE_NAME] = "name",   [STAGE_CONNECTION] = "connection", [STAGE_HOST_KEY] = "host key",
        [STAGE_LOGIN] = "login", [STAGE_START] = "channel",         [STAGE_SHELL] = "shell",
        [STAGE_NODE] = "node",   [STAGE_PROGRAM] = "program"};

    static const char *const e2b[] = {
        [STAGE_NAME] = "name",      [STAGE_CONNECTION] = "connection", [STAGE_HOST_KEY] = "service",
        [STAGE_LOGIN] = "key",      [STAGE_CLIENT] = "template",       [STAGE_DAEMON] = "envd",
        [STAGE_START] = "process",  [STAGE_SHELL] = "shell",           [STAGE_NODE] = "node",
        [STAGE_PROGRAM] = "program"};

    if (is_e2b(address))
        return e2b;
    if (client_of(address) != CLIENT_NONE)
        return container;
    return is_ssh(address) ? ssh : plain;
}
