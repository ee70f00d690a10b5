/* record.h - the file of --record: ours alone, since it holds everything that travelled. */
#ifndef ERRAND_RECORD_H
#define ERRAND_RECORD_H

#include "base/base.h"

struct record {
    const char *path;
    int fd;           /* -1: none. */
    int failed_errno; /* Why it ends early. */
};

/* Made with mode 0600, or emptied and given that mode where it is a regular file of ours. */
errand_status record_open(struct record *record, const char *path,
                          errand_error *err) ERRAND_CHECKED;
/* An errand_record_fn; ctx is the record. */
void record_write(void *ctx, errand_span bytes);
void record_close(struct record *record);

#endif
