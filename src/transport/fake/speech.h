/* speech.h - the words of a script that make a process say something. */
#ifndef ERRAND_FAKE_SPEECH_H
#define ERRAND_FAKE_SPEECH_H

#include "transport/fake/parser.h"

/* NULL: it is no word of these. */
const struct fake_word *errand__fake_speech_find(errand_span name);

#endif
