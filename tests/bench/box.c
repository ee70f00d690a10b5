/* box.c - starts the host and writes configurations. */
#include "box.h"

#include "clock.h"
#include "road.h"

#include "base/mem.h"

#include <stdlib.h>

void box_start(struct box *box)
{
    box->node = test_node(0);
    (void)unsetenv("SSH_AUTH_SOCK");
    sshd_start(&box->sshd, "Subsystem sftp internal-sftp");
    sshd_know(&box->sshd, "known_bench", "bench", "key_ed25519");
    box_configure(box, "near", box->sshd.port);
}

void box_end(struct box *box)
{
    sshd_end(&box->sshd);
    errand__mem_free(box->node);
}

void box_configure(struct box *box, const char *name, unsigned port)
{
    const struct sshd *sshd = &box->sshd;

    sshd_write(sshd, name, 0600,
               "Host box\n HostName 127.0.0.1\n Port %u\n User %s\n IdentityFile %s\n"
               " IdentitiesOnly yes\n IdentityAgent none\n UserKnownHostsFile %s\n"
               " GlobalKnownHostsFile /dev/null\n HostKeyAlias bench\n StrictHostKeyChecking yes\n",
               port, sshd->user, sshd_file(sshd, "id_ed25519"), sshd_file(sshd, "known_bench"));
}

void box_open(const struct box *box, struct host *host, const char *config)
{
    errand_place_options options = ERRAND_PLACE_OPTIONS_INIT;
    errand_ssh_options ssh = ERRAND_SSH_OPTIONS_INIT;
    errand_error err = {0};

    ssh.config_file = sshd_file(&box->sshd, config);
    options.ssh = &ssh;
    options.node = box->node;
    if (errand_loop_new(&host->loop, &err) != ERRAND_OK ||
        errand_place_open(&host->place, host->loop, "ssh://box", &options, &err) != ERRAND_OK)
        give_up(err.text);
}
