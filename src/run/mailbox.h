/* mailbox.h - events on their way from the thread that keeps a run going to the one that
 * handles them: copied, in order, and no more than a cap of them. */
#ifndef ERRAND_MAILBOX_H
#define ERRAND_MAILBOX_H

#include "base/base.h"

#include <pthread.h>

struct letter {
    struct letter *next;
    errand_event event; /* Its spans point behind the letter. */
    size_t size;
};

struct mailbox {
    pthread_mutex_t lock;
    pthread_cond_t arrived;
    struct letter *first, **end;
    size_t bytes, cap;
    bool closed;
};

void errand__mailbox_init(struct mailbox *mailbox, size_t cap);
void errand__mailbox_deinit(struct mailbox *mailbox);
/* Copies event. *full: over its cap now; nothing should be put until it has room. */
errand_status errand__mailbox_put(struct mailbox *mailbox, const errand_event *event,
                                  bool *full) ERRAND_CHECKED;
/* At most half full. */
bool errand__mailbox_has_room(struct mailbox *mailbox);
/* No more will come. */
void errand__mailbox_close(struct mailbox *mailbox);
/* Waits for the next letter, the caller's to free with errand__mem_free(); NULL: closed and
 * empty. *drained: it has room, and had none before. */
struct letter *errand__mailbox_take(struct mailbox *mailbox, bool *drained);

#endif
