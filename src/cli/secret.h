/* secret.h - asks the person at the terminal for what a place wants to know: a password, a
 * passphrase. What is typed is not shown, not kept, and never comes from a command line. */
#ifndef ERRAND_SECRET_H
#define ERRAND_SECRET_H

#include "cli/print.h"

#include <termios.h>

enum { SECRET_MAX = 1024, SECRET_PROMPT = 512 };

struct secret {
    int tty;        /* -1: nobody was asked yet, or there is no terminal. */
    uint64_t asked; /* The question that stands there; 0: none. */
    bool hidden;    /* The terminal shows nothing of what is typed. */
    bool alone;     /* Nobody looks after signals: Ctrl-C declines. */
    struct termios before;
    char line[SECRET_MAX];
    size_t len;
    /* Where several connections ask the same: what was said is given again, once to each. */
    bool recalls, given;
    char prompt[SECRET_PROMPT], known[SECRET_MAX]; /* Or "". */
};

void secret_init(struct secret *secret);
/* From now on another connection asks. */
void secret_renew(struct secret *secret);
/* Leaves the terminal as it was. */
void secret_deinit(struct secret *secret);
/* Shows the question; without a terminal it is declined. print may be NULL. */
void secret_ask(struct secret *secret, errand_place *place, const errand_ask *ask,
                struct print *print);
/* Reads what was typed, and answers once a line is whole. */
void secret_step(struct secret *secret, errand_place *place);

#endif
