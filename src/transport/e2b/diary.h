/* diary.h - what was asked of whom and what came of it, a line for each, for whoever traces.
 * Holds no secret: nobody writes one. */
#ifndef ERRAND_E2B_DIARY_H
#define ERRAND_E2B_DIARY_H

#include "base/base.h"

enum { E2B_DIARY_LINE = 200, E2B_DIARY_LINES = 64 };

struct e2b_diary {
    char lines[E2B_DIARY_LINES][E2B_DIARY_LINE];
    size_t first, count;
};

/* One fact, past tense, made one printable line. The oldest goes where there is no room. */
void errand__e2b_diary_note(struct e2b_diary *diary, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same of a process. words: what it goes by, or empty. */
void errand__e2b_diary_note_process(struct e2b_diary *diary, uint32_t pid, const char *what,
                                    const char *words);
/* NULL: nothing that was not taken yet. Borrowed until the next note. */
const char *errand__e2b_diary_take(struct e2b_diary *diary);

#endif
