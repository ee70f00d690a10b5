/* drive.h - drives one process of a road, as the library's own driver would, and keeps its story.
 */
#ifndef ERRAND_DRIVE_H
#define ERRAND_DRIVE_H

#include <errand/transport.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DRIVE_PATIENCE_MS = 20000 /* What never takes so long; a busy machine may be slow. */ };

struct drive_road {
    const char *name;
    /* Makes a road that is not opened yet. */
    errand_road *(*make)(const struct drive_road *self);
    unsigned lacks;      /* Of the contract. */
    const char *address; /* For make. */
    unsigned patience;   /* Factor on all times; 0: 1. For roads with round trips. */
};

/* What happened to one process so far. */
struct drive {
    const struct drive_road *road;
    errand_process *process;
    errand_road *opened;
    char story[64]; /* A letter for each notice: O o e E X C; repeated o and e count once. */
    size_t story_len;
    char *out, *err; /* NUL-terminated, as far as they were kept. */
    size_t out_len, err_len;
    size_t out_total, err_total;
    int exit_code, exit_signal;
    char closed[512];
    errand_error failure; /* Status and words of a negative next. */
    size_t scratch_len;   /* 0: 64 KiB. */
};

errand_road *drive_open(const struct drive_road *road);
void drive_close(errand_road *road);
int64_t drive_now_us(void);

/* Starts line; a failed launch fails the test. */
void drive_start(struct drive *drive, const struct drive_road *road, errand_road *opened,
                 const char *line);
/* Listens until the story has one of the letters or ms have passed. */
bool drive_until(struct drive *drive, const char *letters, int ms);
/* Sends all, listening as well; false: it took longer than ms. */
bool drive_send(struct drive *drive, errand_span bytes, int ms);
void drive_stop(struct drive *drive, errand_stop how);
/* Stops it for good and frees it. */
void drive_finish(struct drive *drive);
/* Frees it as it is. */
void drive_drop(struct drive *drive);
bool drive_heard(const struct drive *drive, char letter);

/* A step at a time: when it is ms from now, with the road's patience; */
int64_t drive_deadline(const struct drive *drive, int ms);
errand_status drive_listen(struct drive *drive);
/* how much was taken; */
size_t drive_send_once(struct drive *drive, errand_span bytes);
/* sleeps as wants says, and not past until_us. */
void drive_sleep(struct drive *drive, bool writing, int64_t until_us);

#endif
