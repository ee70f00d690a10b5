/* launch.h - the shell command that brings a runner to life, and the bytes that follow it.
 *
 * Knows the shell text, stage-0 and what is embedded; knows no transport, and of cores only what
 * they call an asset.
 */
#ifndef ERRAND_LAUNCH_H
#define ERRAND_LAUNCH_H

#include "base/base.h"
#include "core/core.h"

/* 32 hex digits and a NUL. Over there MARK is put together from two halves of 16. */
enum { LAUNCH_MARK_LEN = 32 };

struct launch {
    char *line; /* One shell command, NUL-terminated. */
    char *head; /* Goes in front of the boot frame: lines for the shell, maybe the runner. */
    size_t head_len;
    char *tail; /* Goes behind the boot frame. */
    size_t tail_len;
};

struct launch_wishes {
    bool file;        /* delivery = file. */
    const char *node; /* Its path over there, or NULL: looked for. */
    uint64_t heap_mb; /* Of the program's thread, which starts before the boot message is read. */
    bool offline;     /* In a network namespace of its own, where that can be had. */
};

/* EINVAL: a node path that no shell could be given. */
errand_status errand__launch_init(struct launch *launch, const char mark[static LAUNCH_MARK_LEN],
                                  const struct launch_wishes *wishes,
                                  errand_error *err) ERRAND_CHECKED;
/* Head and tail have been copied elsewhere. */
void errand__launch_forget_bytes(struct launch *launch);
void errand__launch_deinit(struct launch *launch);

/* Embedded at build time. */
extern const errand_span errand__runner;        /* Packed: deflated (raw), base64 where so told. */
extern const char *const errand__runner_sha256; /* Of those bytes, 64 hex digits. */
/* Optional parts of the runner, sent when asked for: "amaro", the TypeScript compiler for what
 * node's own stripper can't do, and "acorn", a parser of JavaScript; those that this was built
 * with. A payload is a JSON string; a name ends with a NUL. */
extern const struct core_asset errand__assets[];
extern const char *const errand__assets_sha256[]; /* Of the bytes of each, unpacked. */
extern const size_t errand__assets_count;

#endif
