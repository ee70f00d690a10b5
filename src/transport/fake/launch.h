/* launch.h - what a fake process reads off the line that launched it. */
#ifndef ERRAND_FAKE_LAUNCH_H
#define ERRAND_FAKE_LAUNCH_H

#include "transport/fake/script.h"

struct fake_launch {
    char mark[FAKE_MARK_LEN];
    uint64_t runner_size; /* What home sends for want. */
};

/* false: it is no launch line of ours. */
bool errand__fake_launch_read(const char *line, struct fake_launch *out);

#endif
