/* ear.h - what a fake process hears from home, read as the protocol says.
 *
 * Knows the frames that home may send and keeps their facts, not their payloads; knows no
 * script. It trusts home no more than home trusts a runner: what is no frame is an error.
 */
#ifndef ERRAND_FAKE_EAR_H
#define ERRAND_FAKE_EAR_H

#include "base/base.h"
#include "base/buf.h"

enum {
    FAKE_HEADER_MAX = 256,
    FAKE_ANSWERS_MAX = 65536 /* Answers heard and not yet awaited; older ones are forgotten. */
};

struct fake_answer {
    uint64_t id; /* 0: taken. */
    uint64_t size, hash;
    bool ok;
};

enum fake_listening {
    FAKE_LISTEN_BOOT,   /* Skips what is for the shell, up to the boot frame. */
    FAKE_LISTEN_HEADER, /* In a header line. */
    FAKE_LISTEN_PAYLOAD /* left bytes of it to come, and a line break. */
};

enum fake_heard { FAKE_HEARD_BOOT, FAKE_HEARD_REPLY, FAKE_HEARD_ASSET };

struct fake_ear {
    enum fake_listening listening;
    enum fake_heard hearing; /* The frame whose payload is being heard. */
    char header[FAKE_HEADER_MAX];
    size_t header_len;
    size_t boot_matched; /* How much of "boot " stands before. */
    uint64_t left;
    uint64_t runner_left; /* Bytes of runner that follow the first write. */
    struct fake_answer answer;
    struct buf answers; /* struct fake_answer each. */
    uint64_t call_last; /* Calls up to this id were asked. */
    /* Facts. */
    uint64_t total, pings, ping, assets, stop_ms;
    bool booted, half, stopped;
};

void errand__fake_ear_init(struct fake_ear *ear);
void errand__fake_ear_deinit(struct fake_ear *ear);
/* EINVAL: home broke the protocol; the text says how. */
errand_status errand__fake_ear_hear(struct fake_ear *ear, errand_span bytes,
                                    errand_error *err) ERRAND_CHECKED;
/* The answer to call id, which is forgotten thereby; false: not heard yet. */
bool errand__fake_ear_answer(struct fake_ear *ear, uint64_t id, struct fake_answer *out);
bool errand__fake_ear_has_answer(const struct fake_ear *ear, uint64_t id);

#endif
