/* noise.h - what was printed past the frames: how it began, how it ended, how much it was. */
#ifndef ERRAND_NOISE_H
#define ERRAND_NOISE_H

#include "base/buf.h"

enum { NOISE_HEAD_MAX = 2048 };

struct noise {
    char head[NOISE_HEAD_MAX];
    size_t head_len, head_max;
    struct buf tail;
    size_t tail_max;
    struct buf fresh; /* Not yet handed out as an event. */
    size_t lent;      /* Of fresh: handed out, and not yet given back. */
    uint64_t total;
};

void errand__noise_init(struct noise *noise, uint64_t head_max, uint64_t tail_max);
void errand__noise_deinit(struct noise *noise);
errand_status errand__noise_add(struct noise *noise, errand_span bytes) ERRAND_CHECKED;
/* All that is fresh; empty: nothing. Borrowed until errand__noise_give_back(). */
errand_span errand__noise_lend(struct noise *noise);
void errand__noise_give_back(struct noise *noise);
errand_span errand__noise_head(const struct noise *noise);
/* The last tail_max bytes at most. */
errand_span errand__noise_tail(const struct noise *noise);
/* Whether the tail holds the words with which V8 gives up for want of memory. */
bool errand__noise_tells_out_of_memory(const struct noise *noise);
/* Whether it holds those of an assertion that failed: an abort for another reason. */
bool errand__noise_tells_assertion(const struct noise *noise);

#endif
