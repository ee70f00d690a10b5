/* ferry.h - a road around a bare one whose way breaks where it is told to.
 *
 * Both streams go in segments, of which the road inside knows nothing; so whatever is told over
 * it must come out the same, wherever the way breaks. */
#ifndef ERRAND_TEST_FERRY_H
#define ERRAND_TEST_FERRY_H

#include <errand/transport.h>

#include "base/base.h"

enum ferry_side {
    FERRY_WHOLE, /* It never breaks. */
    FERRY_HOME,  /* Once that many bytes to home were read; of the rest a half is read by nobody. */
    FERRY_FAR    /* With that piece from home, counted from 1. */
};

struct ferry {
    /* What is to happen to each process. */
    enum ferry_side side;
    uint64_t at;
    bool twice;
    uint64_t again;  /* So many bytes, or pieces, later once more. */
    bool arrives;    /* Of FERRY_FAR: that piece. */
    int64_t away_us; /* How long each break takes; TIME_NEVER: for good. */
    /* What has happened, to all of them. */
    unsigned breaks;
    uint64_t bytes, pieces;  /* Of the process that had the most. */
    uint64_t hello, resumed; /* Where these words began first; UINT64_MAX: nowhere. */
    unsigned segments;       /* Processes that began to speak in them. */
    bool slow;               /* A piece was refused: the process does not read at once. */
    char fault[120];         /* The first breach of transport.h by home, or empty. */
};

/* inner is taken. */
errand_road *ferry_road_new(errand_road *inner, struct ferry *ferry);

#endif
