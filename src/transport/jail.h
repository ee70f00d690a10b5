/* jail.h - the command that runs another one under bubblewrap, away from the rest of this machine.
 */
#ifndef ERRAND_JAIL_H
#define ERRAND_JAIL_H

#include "transport/words.h"

struct jail {
    bool network;     /* It has this machine's. */
    const char *node; /* A path that is to be there too, or NULL. */
};

/* Whether address is "local" with parameters. */
bool errand__jail_address(const char *address);
/* EINVAL names a parameter that there is not. */
errand_status errand__jail_parse(struct jail *jail, const char *address,
                                 errand_error *err) ERRAND_CHECKED;
/* The words in front of the command, added to words. */
errand_status errand__jail_words(struct words *words, const struct jail *jail,
                                 errand_error *err) ERRAND_CHECKED;
/* EIO: there is no bubblewrap here; says what to do. */
errand_status errand__jail_ready(errand_error *err) ERRAND_CHECKED;

#endif
