/* sshd.h - a real sshd on loopback for the tests: keys, files and configuration of its own, in a
 * folder that goes with it. A missing sshd fails the test. */
#ifndef SSH_TEST_SSHD_H
#define SSH_TEST_SSHD_H

#include <errand/errand.h>

#include <stdbool.h>
#include <sys/types.h>

enum { SSHD_PATH = 300 };

struct sshd {
    char dir[SSHD_PATH];
    pid_t pid; /* Of sshd. */
    unsigned port;
    char user[64];  /* Who logs in: made for it where we are root, with /bin/sh; else we. */
    bool made_user; /* Removed at the end. */
};

/* lines: more lines for sshd_config, or "". Keys, known_hosts and a client's configuration
 * ("config", with the host "box") are there afterwards. */
void sshd_start(struct sshd *host, const char *lines);
/* Ends sshd and those that it has forked, and starts it again on the same port. */
void sshd_restart(struct sshd *host, const char *lines);
void sshd_end(struct sshd *host);
/* A file of its folder; valid until the seventh call after it. */
const char *sshd_file(const struct sshd *host, const char *name);
void sshd_write(const struct sshd *host, const char *name, unsigned mode, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Appends to its known_hosts, from its own key: pattern "box %s" with the key for %s. */
void sshd_know(const struct sshd *host, const char *file, const char *name, const char *key);
char *sshd_read(const struct sshd *host, const char *name); /* The caller's to free(). */
/* "ssh://me@127.0.0.1:PORT" */
const char *sshd_address(const struct sshd *host);
/* Runs a command to its end; true: with 0. Words end with NULL. */
bool sshd_command(const char *const *argv);
/* The words of all processes that hold text, which are not this one; how many. */
unsigned sshd_count_processes(const char *text);
/* Where node is. */
const char *sshd_node(void);

#endif
