/* files.h - what --put and --get name, and how far they have got. */
#ifndef ERRAND_FILES_H
#define ERRAND_FILES_H

#include "cli/print.h"

enum { FILES_MAX = 256, FILES_AT_ONCE = 16 };

struct file {
    char *local, *remote;
    bool put;
    uint64_t id;
};

struct files {
    struct file *list;
    size_t count;
    /* Of one direction, since files_start(). */
    bool put;
    size_t next, going;
    bool failed;
    char error[256]; /* Of the first that failed. */
};

/* words: LOCAL:REMOTE of a put, REMOTE:LOCAL of a get. The first colon parts them; "\:" is a colon
 * of a name. EINVAL names what does not parse. */
errand_status files_add(struct files *files, bool put, const char *words,
                        errand_error *err) ERRAND_CHECKED;
/* Whether what is here can be read or written, as far as that can be seen before it is. EINVAL
 * names the first that can't. */
errand_status files_check(const struct files *files, errand_error *err) ERRAND_CHECKED;
/* Whether any is to be there before the run. */
bool files_any_puts(const struct files *files);
void files_deinit(struct files *files);

/* Starts all of one direction, some at a time. */
void files_start(struct files *files, bool put, errand_place *place, struct print *print,
                 int64_t now_us);
/* true: the event was that of a file of ours. */
bool files_event(struct files *files, const errand_event *event, struct print *print);
bool files_are_over(const struct files *files);
void files_cancel(struct files *files, errand_place *place);

#endif
