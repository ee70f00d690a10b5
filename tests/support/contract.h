/* contract.h - transport.h as a table of checks that every road must pass.
 *
 * The peers are lines for a POSIX shell, so that the same checks serve a child, an SSH login and a
 * sandbox. What only one kind of road can do is tested beside it. */
#ifndef ERRAND_CONTRACT_H
#define ERRAND_CONTRACT_H

#include <errand/transport.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Some roads can't tell all: what they lack is said here and not silently passed over. */
enum contract_lacks {
    CONTRACT_LACKS_NOTHING = 0,
    CONTRACT_LACKS_EXIT_SIGNAL = 1 << 0, /* Death by a signal looks like an exit. */
    CONTRACT_LACKS_GROUPS = 1 << 1,      /* Signals reach the process alone. */
    CONTRACT_LACKS_EXIT_ZERO = 1 << 2,   /* An exit with 0 is known once the pipes are closed. */
    CONTRACT_LACKS_EXIT_HELD = 1 << 3,   /* Any exit is, or once the process was told to go. */
    CONTRACT_LACKS_EOF_FIRST = 1 << 4,   /* Who says little and ends: EXITED comes before EOF. */
    CONTRACT_LACKS_TERM = 1 << 5 /* TERM ends what leads there, whatever the process does. */
};

struct contract_road {
    const char *name;
    /* Makes a road that is not opened yet. */
    errand_road *(*make)(const struct contract_road *self);
    unsigned lacks;
    const char *address; /* For make. */
    unsigned patience;   /* Factor on all times; 0: 1. For roads with round trips. */
};

/* What happened to one process so far. */
struct contract_process {
    const struct contract_road *road;
    errand_process *process;
    errand_road *opened;
    char story[64]; /* A letter for each notice: O o e E X C; repeated o and e count once. */
    size_t story_len;
    char *out, *err; /* NUL-terminated, as far as they were kept. */
    size_t out_len, err_len;
    size_t out_total, err_total;
    int exit_code, exit_signal;
    char closed[512];
    errand_error failure; /* Status and words of a negative next. */
    size_t scratch_len;   /* 0: 64 KiB. */
};

/* Starts line; a failed launch fails the test. */
void contract_start(struct contract_process *process, const struct contract_road *road,
                    errand_road *opened, const char *line);
/* Listens, as a driver would, until the story has one of the letters or ms have passed. */
bool contract_until(struct contract_process *process, const char *letters, int ms);
/* Sends all, listening as well; false: it took longer than ms. */
bool contract_send(struct contract_process *process, errand_span bytes, int ms);
void contract_stop(struct contract_process *process, errand_stop how);
/* Stops it for good and frees it. */
void contract_finish(struct contract_process *process);
/* Frees it as it is. */
void contract_drop(struct contract_process *process);
bool contract_heard(const struct contract_process *process, char letter);

errand_road *contract_open(const struct contract_road *road);
void contract_close(errand_road *road);
int64_t contract_now_us(void);

struct contract_check {
    const char *name;
    void (*run)(const struct contract_road *road, errand_road *opened);
};
extern const struct contract_check contract_checks[];
extern const size_t contract_checks_count;

/* Open descriptors and children (zombies too) of this process, for a balance. */
size_t contract_count_descriptors(void);
size_t contract_count_children(void);

#endif
