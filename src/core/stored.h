/* stored.h - what a program stored: a frame's payload, checked; nothing of it is kept here. */
#ifndef ERRAND_STORED_H
#define ERRAND_STORED_H

#include "base/base.h"

/* In UTF-16 units, as the runner counts: of one value's JSON, and of all keys and values. */
enum { STORED_VALUE_MAX = 262144, STORED_MAX = 1048576 };
/* A unit takes nine bytes at most: that of a key to be deleted, with quotes and a comma. */
enum { STORED_UNIT_BYTES = 9, STORED_BYTES_MAX = STORED_UNIT_BYTES * STORED_MAX + 64 };

/* json: a valid JSON text. false: *why says what is wrong. */
bool errand__stored_check(errand_span json, const char **why);

#endif
