/* e2b.h - the sandboxes of an account: which there are, how they do, and what becomes of them.
 *
 * Programs go to a sandbox by errand_place_open(); this is for whoever looks after sandboxes. Each
 * function asks the service that the options and the environment name, as a place "e2b:" would, and
 * returns when it has answered: it blocks, for 90 seconds at most. What was certainly not obeyed,
 * and what may be asked twice, is tried again for 20 s. Any thread; no call shares anything with
 * another, nor with any place.
 *
 * options may be NULL. No error holds the key, or a value of the environment in options. EINVAL: an
 * argument or option makes no sense, and nothing was asked. EAUTH: the key, or the certificate.
 * EIO: the service said no, in words that the error quotes, or could not be reached; retryable and
 * retry_after_ms of the error say whether it may work later.
 */
#ifndef ERRAND_E2B_H
#define ERRAND_E2B_H

#include <errand/errand.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As the service tells of it. Text is never NULL; empty: it does not say. 0: neither. The library
 * owns it; it may grow at the end. */
typedef struct errand_sandbox {
    const char *id, *template_id, *alias;
    const char *state;               /* "running" or "paused". */
    const char *started_at, *end_at; /* Dates, as in RFC 3339. */
    const char *envd_version;        /* Of what runs inside. */
    const char *metadata;            /* JSON object, in ASCII. */
    uint64_t cpu_count, memory_mb, disk_mb;
} errand_sandbox;

typedef struct errand_sandboxes errand_sandboxes;

/* Those that run or are paused, all of them up to 10,000. *out is the caller's to free. */
ERRAND_API errand_status errand_sandboxes_list(errand_sandboxes **out,
                                               const errand_e2b_options *options,
                                               errand_error *err) ERRAND_CHECKED;
/* The one with this id, alone. */
ERRAND_API errand_status errand_sandboxes_find(errand_sandboxes **out, const char *id,
                                               const errand_e2b_options *options,
                                               errand_error *err) ERRAND_CHECKED;
/* NULL: none. */
ERRAND_API size_t errand_sandboxes_count(const errand_sandboxes *sandboxes);
/* NULL: there is none at that index. Borrowed as long as sandboxes live. */
ERRAND_API const errand_sandbox *errand_sandboxes_at(const errand_sandboxes *sandboxes,
                                                     size_t index);
/* NULL is fine. */
ERRAND_API void errand_sandboxes_free(errand_sandboxes *sandboxes);

/* How busy it was when it last said so. Bytes. */
typedef struct errand_sandbox_usage {
    size_t size; /* sizeof, by ERRAND_SANDBOX_USAGE_INIT. */
    double cpu_percent;
    uint64_t cpu_count, memory_used, memory_total, disk_used, disk_total;
} errand_sandbox_usage;
#define ERRAND_SANDBOX_USAGE_INIT                      \
    {                                                  \
        sizeof(errand_sandbox_usage), 0, 0, 0, 0, 0, 0 \
    }

/* AGAIN: it has not said anything yet. */
ERRAND_API errand_status errand_sandbox_metrics(errand_sandbox_usage *usage, const char *id,
                                                const errand_e2b_options *options,
                                                errand_error *err) ERRAND_CHECKED;

/* It ends so long from now, sooner or later than it would have. In whole seconds, 1 at least. */
ERRAND_API errand_status errand_sandbox_timeout(const char *id, uint64_t timeout_ms,
                                                const errand_e2b_options *options,
                                                errand_error *err) ERRAND_CHECKED;
/* It ends so long from now at the earliest; an hour at most. */
ERRAND_API errand_status errand_sandbox_refresh(const char *id, uint64_t timeout_ms,
                                                const errand_e2b_options *options,
                                                errand_error *err) ERRAND_CHECKED;
/* Its memory and files are kept, and nothing in it goes on. Runs in it are lost. */
ERRAND_API errand_status errand_sandbox_pause(const char *id, const errand_e2b_options *options,
                                              errand_error *err) ERRAND_CHECKED;
/* It goes on where it was paused, for timeout_ms of the options at least. */
ERRAND_API errand_status errand_sandbox_resume(const char *id, const errand_e2b_options *options,
                                               errand_error *err) ERRAND_CHECKED;
/* It ends at once, with all in it, paused or not. */
ERRAND_API errand_status errand_sandbox_kill(const char *id, const errand_e2b_options *options,
                                             errand_error *err) ERRAND_CHECKED;

#ifdef __cplusplus
}
#endif

#endif
