/* record.h - the file of --record: ours alone, since it holds everything that travelled. */
#ifndef ERRAND_RECORD_H
#define ERRAND_RECORD_H

#include "base/base.h"

struct record {
    const char *path;
    int fd;           /* -1: none. */
    bool emptied;     /* What it held before is gone. */
    bool begun;       /* Something was written. */
    bool ours;        /* It was made here. */
    int failed_errno; /* Why it ends early. */
};

/* Made with mode 0600, or given that mode where it is a regular file of ours that is empty or holds
 * a record. It is emptied by record_begin(), or when something is written. */
errand_status record_open(struct record *record, const char *path,
                          errand_error *err) ERRAND_CHECKED;
/* Whether path names the same file. */
bool record_is(const struct record *record, const char *path);
/* An errand_record_fn; ctx is the record. */
void record_write(void *ctx, errand_span bytes);
/* What it held before is gone, also where nothing comes of the run. */
void record_begin(struct record *record);
/* One that was made here and into which nothing was written is removed. */
void record_close(struct record *record);

#endif
