/* story.h - what happened as lines of text, the same every time. */
#ifndef ERRAND_TEST_STORY_H
#define ERRAND_TEST_STORY_H

#include "base/base.h"

struct story {
    char *text;
    size_t len, room;
};

void story_deinit(struct story *story);
void story_add(struct story *story, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "1500ms", "0.5ms". Of a ring of a few. */
const char *story_time(int64_t us);
void story_event(struct story *story, const errand_event *event, unsigned run);
void story_hide_marks(struct story *story);

#endif
