/* desk.h - where a dialling thread puts a question and waits, and a loop brings the answer.
 *
 * Knows neither what is asked nor who answers. An answer is wiped once it was used. */
#ifndef ERRAND_SSH_DESK_H
#define ERRAND_SSH_DESK_H

#include <errand/transport.h>

#include "base/base.h"

#include <pthread.h>

enum { SSH_PROMPT_MOST = 512 };

struct ssh_desk {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    int wake_fd; /* Borrowed: made readable when a question came. */
    uint64_t id; /* Of the question that stands; 0: none. */
    bool told, answered, closed;
    const char *kind;
    bool echo;
    char prompt[SSH_PROMPT_MOST];
    char *answer; /* NULL: declined. */
};

void errand__ssh_desk_init(struct ssh_desk *desk, int wake_fd);
void errand__ssh_desk_deinit(struct ssh_desk *desk);

/* The dialling thread: blocks until there is an answer, which errand__ssh_secret_free() frees;
 * NULL: declined, or nobody is there any more. prompt is cut and made one line. */
char *errand__ssh_desk_ask(struct ssh_desk *desk, const char *kind, errand_span prompt, bool echo);

/* The loop: true once for each question. It stays valid until it is answered. */
bool errand__ssh_desk_next(struct ssh_desk *desk, errand_ask *out);
/* false: no such question stands. text NULL declines. Any thread. */
bool errand__ssh_desk_answer(struct ssh_desk *desk, uint64_t id, const char *text);
/* Whoever waits is told no, and so is every question that follows. */
void errand__ssh_desk_close(struct ssh_desk *desk);

char *errand__ssh_secret_copy(const char *text);
void errand__ssh_secret_free(char *text);

#endif
