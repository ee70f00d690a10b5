/* record.h - the file of --record: ours alone, since it holds everything that travelled. */
#ifndef ERRAND_RECORD_H
#define ERRAND_RECORD_H

#include "cli/request.h"

struct record {
    const char *path;
    int fd;           /* -1: none. */
    bool emptied;     /* What it held before is gone. */
    bool begun;       /* Something was written. */
    bool ours;        /* It was made here. */
    int failed_errno; /* Why it ends early. */
};

/* The file that the request names for it: made with mode 0600, or given that mode where it is a
 * regular file of ours that is empty or holds a record, and that nothing else of the request names.
 * It is emptied by record_begin(), or when something is written. */
errand_status record_open(struct record *record, const struct request *request,
                          errand_error *err) ERRAND_CHECKED;
/* An errand_record_fn; ctx is the record. */
void record_write(void *ctx, errand_span bytes);
/* What it held before is gone, also where nothing comes of the run. */
void record_begin(struct record *record);
/* The same where a start failed, and returns that status: an older run is not to be taken for this
 * one. But words that are wrong (EINVAL) do no harm. */
errand_status record_settle(struct record *record, errand_status status) ERRAND_CHECKED;
/* One that was made here and into which nothing was written is removed. */
void record_close(struct record *record);

#endif
