/* cargo.h - what can become of a file on its way, as words; and its way through a channel. */
#ifndef ERRAND_CARGO_H
#define ERRAND_CARGO_H

#include <errand/transport.h>

#include "base/base.h"

/* The stable word for an errno, such as "not_found"; "failed" for all others. */
const char *errand__cargo_code(int os_errno);
/* Fails with "put PATH: WHY over there" and returns EIO. path may be long; detail may be NULL or
 * what else is known. *code: a code of the table in cargo.c. */
errand_status errand__cargo_fail(errand_error *err, const char *path, bool put, const char *code,
                                 const char *detail);
/* A code of the table that this text is; NULL: none. */
const char *errand__cargo_code_named(errand_span text);
/* A code of the table whose typical words this text of a command holds; NULL: none. */
const char *errand__cargo_code_heard(const char *text);

/* Whether a file of this machine has bytes from there on: where its size ends, it grows, or is one
 * that is not stored, as those of /proc. */
bool errand__cargo_goes_on(int fd, uint64_t at);

/* Permission bits from the letters of ls -l, such as "-rw-r--r--"; 0644 where they are none. */
uint32_t errand__cargo_mode(const char *letters);

/* Through a process that the road starts: sh, head, wc, ls, chmod, mv and rm over there. */
errand_status errand__channel_new(errand_carrier **out, errand_road *road,
                                  const errand_cargo *cargo, int64_t now_us,
                                  errand_error *err) ERRAND_CHECKED;
/* Files of this machine. */
errand_status errand__files_new(errand_carrier **out, const errand_cargo *cargo,
                                errand_error *err) ERRAND_CHECKED;

#endif
