/* played.h - how a play begins in most tests, and what they ask of it. */
#ifndef ERRAND_PLAYED_H
#define ERRAND_PLAYED_H

#include "play.h"

#define PLAY_VALUE "done ok 1\n7\n"

/* Opened; then also hello. */
struct play play_begun_opened(const struct core_setup *setup);
struct play play_begun(const struct core_setup *setup);
/* With all limits as their defaults. */
struct play play_begun_plainly(void);
/* As a caller does. */
void play_answer(struct play *play, uint64_t id, const char *json);

bool play_says(const struct play *play, const char *text);
void assert_says(const struct play *play, const char *words);
/* Once, and so. */
void assert_ended(const struct play *play, errand_kind kind, const char *code);
#define assert_outcome(play, kind, code) assert_ended((play), ERRAND_KIND_##kind, (code))

#endif
