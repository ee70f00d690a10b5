/* ending.h - how the command ends: its exit code, and an outcome for what never started. */
#ifndef ERRAND_ENDING_H
#define ERRAND_ENDING_H

#include "base/base.h"

/* What errand_outcome_exit_code() does not say. */
enum {
    EXIT_FINE = 0,
    EXIT_USAGE = 2,   /* Also: something at home could not be read or written. */
    EXIT_PLACE = 4,   /* The place or the road. */
    EXIT_SIGNAL = 128 /* And the signal's number. */
};

/* Of a run; one that was cancelled names the signal that cancelled it. */
int ending_code(const errand_outcome *outcome);
/* Of a call of the library that could not do its job. */
int ending_code_of_status(errand_status status);
/* The reason that a run is cancelled with for a signal; ending_code() reads it back, also from a
 * record. */
const char *ending_reason(int signal);
/* Ends like those of places that fail later. message is borrowed. */
errand_outcome ending_unstarted(const char *code, errand_span message);
/* The same where the library said why. err is borrowed. */
errand_outcome ending_of_error(const errand_error *err);

#endif
