/* contract.h - transport.h as a table of checks that every road must pass.
 *
 * The peers are lines for a POSIX shell, so that the same checks serve a child, an SSH login and a
 * sandbox. What only one kind of road can do is tested beside it. */
#ifndef ERRAND_CONTRACT_H
#define ERRAND_CONTRACT_H

#include "drive.h"

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

struct contract_check {
    const char *name;
    void (*run)(const struct drive_road *road, errand_road *opened);
};
extern const struct contract_check contract_checks[];
extern const size_t contract_checks_count;

/* One check on a road that is opened for it, with nothing left behind. */
void contract_run(const struct contract_check *check, const struct drive_road *road);
/* All checks, each over all roads; returns as main() does. begin and end: of the group. */
int contract_main(const char *title, const struct drive_road *roads, size_t roads_count,
                  int (*begin)(void **state), int (*end)(void **state));

#endif
