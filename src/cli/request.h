/* request.h - what `errand run` was asked to do, from its command line. */
#ifndef ERRAND_REQUEST_H
#define ERRAND_REQUEST_H

#include "cli/files.h"
#include "cli/submission.h"
#include "cli/tools.h"

enum { REQUEST_ASKS_MAX = 256, REQUEST_ENV_MAX = 4096, REQUEST_SANDBOX_MAX = 64 };

struct request {
    const char *place;
    const char *of_ssh, *of_e2b; /* An option of such places alone that was given; or NULL. */
    errand_place_options place_options;
    errand_ssh_options ssh_options;
    errand_e2b_options e2b_options;
    /* Of a sandbox that is to be made; each NULL-terminated. */
    const char *metadata[REQUEST_SANDBOX_MAX + 1], *sandbox_env[REQUEST_SANDBOX_MAX + 1];
    const char *allow_out[REQUEST_SANDBOX_MAX + 1], *deny_out[REQUEST_SANDBOX_MAX + 1];
    struct submission submission;
    struct tools tools;
    const char *asks[REQUEST_ASKS_MAX];
    size_t asks_count;
    struct files files;
    errand_limits limits;
    errand_values values;
    errand_network network;
    const char *input_words; /* As given, or NULL. */
    struct program input;    /* JSON; empty where none was given. */
    char **env;              /* NULL-terminated. */
    size_t env_count;
    const char *traces; /* Or NULL. */
    const char *record; /* Or NULL. */
    const char *items;  /* Folder, or NULL. */
    const char *store;  /* File, or NULL. */
    bool json, quiet, help;
    size_t jobs;
};

/* EINVAL: one line says what is wrong. The request is to be freed in any case. */
errand_status request_parse(struct request *request, int argc, char **argv,
                            errand_error *err) ERRAND_CHECKED;
void request_deinit(struct request *request);
void request_print_help(void);

/* EINVAL: the option (NULL: none) is for places of that scheme, and place is another. */
/* Whether a sandbox is made that is to stay there. */
bool request_keeps_sandbox(const struct request *request);
errand_status request_suits(const char *place, const char *scheme, const char *option,
                            errand_error *err) ERRAND_CHECKED;

#endif
