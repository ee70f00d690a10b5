/* diary.h - what happened on the way to a host, a line for each fact: written by a dialling
 * thread or by a road, read by whoever traces. Holds no secret: nobody writes one. */
#ifndef ERRAND_SSH_DIARY_H
#define ERRAND_SSH_DIARY_H

#include "base/base.h"

#include <pthread.h>

enum { SSH_DIARY_LINE = 200, SSH_DIARY_LINES = 64 };

struct ssh_diary {
    pthread_mutex_t lock;
    int wake_fd; /* Borrowed: made readable by each line. */
    char lines[SSH_DIARY_LINES][SSH_DIARY_LINE];
    size_t first, count;
};

void errand__ssh_diary_init(struct ssh_diary *diary, int wake_fd);
void errand__ssh_diary_deinit(struct ssh_diary *diary);
/* One fact, past tense, made one printable line. The oldest goes where there is no room. */
void errand__ssh_diary_note(struct ssh_diary *diary, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* false: nothing that was not taken yet. */
bool errand__ssh_diary_take(struct ssh_diary *diary, char line[static SSH_DIARY_LINE]);

#endif
