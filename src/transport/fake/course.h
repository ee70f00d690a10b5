/* course.h - what happens in a process: the steps of its script, and what it does unless the
 * script says otherwise.
 *
 * Knows when which step is due, and no driver; what the steps say is made in speech.c and voice.c,
 * what home says is heard by ear.c. */
#ifndef ERRAND_FAKE_COURSE_H
#define ERRAND_FAKE_COURSE_H

#include "transport/fake/process.h"

/* A text of the script, with the run's mark in it. */
errand_span errand__fake_course_text(const struct fake_process *self, struct fake_text text);
/* Unless it dies sooner. */
void errand__fake_course_die_at(struct fake_process *self, int64_t us, int signal_number);
/* Takes note of what home ordered. true: it has just died of it. */
bool errand__fake_course_heed(struct fake_process *self);
/* A ping is to be answered. */
bool errand__fake_course_pinged(const struct fake_process *self);
/* Does the next step; false: it has to wait, or there is none. */
bool errand__fake_course_advance(struct fake_process *self);
/* When the step that waits may go on; 0: at once. */
int64_t errand__fake_course_due(const struct fake_process *self);

#endif
