/* near.h - which word was meant. */
#ifndef ERRAND_NEAR_H
#define ERRAND_NEAR_H

#include <stddef.h>

/* The one of count words that is nearest to word; NULL where none is near enough to be meant. */
const char *near_word(const char *word, const char *const *words, size_t count);

#endif
