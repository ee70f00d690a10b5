/* calls.h - which questions are open, since when, and what the outcome tells of them.
 *
 * Knows ids, spans of time and records; knows neither frames nor answers' bytes.
 */
#ifndef ERRAND_CALLS_H
#define ERRAND_CALLS_H

#include "base/base.h"

enum call_state {
    CALL_OPEN,
    CALL_OVER, /* The caller has not been told yet that its answer is no longer wanted. */
    CALL_GONE
};

struct call {
    uint64_t id;
    enum call_state state;
    bool held;
    int64_t began_us, held_us, held_since_us;
    const char *why; /* Of CALL_OVER; static. */
    size_t record;   /* Its place among the records; SIZE_MAX: it has none. */
};

/* How long something lasted in all, and since when it lasts now. */
struct stretch {
    int64_t sum_us, since_us;
    bool on;
};

struct calls {
    struct call *items; /* By rising id; some GONE. */
    size_t count, room, gone;
    size_t open, held, overs; /* In those states; held are open too. */
    size_t over_at;           /* No CALL_OVER stands before it. */
    uint64_t last_id, total;
    errand_call_record *records;
    size_t records_count, records_room;
    uint64_t records_max;
    struct stretch waiting, holding; /* At least one call open; at least one held. */
    int64_t call_us, approval_us;    /* Limits; TIME_NEVER: off. */
    int64_t due_us;                  /* No call is due before. */
};

void errand__calls_init(struct calls *calls, int64_t call_us, int64_t approval_us,
                        uint64_t records_max);
void errand__calls_deinit(struct calls *calls);
/* record: id, names and args_bytes; the id is above all before. Opens a call. */
errand_status errand__calls_open(struct calls *calls, int64_t now_us,
                                 const errand_call_record *record) ERRAND_CHECKED;
/* NULL: no such call is open. Borrowed until the next call of any function here. */
struct call *errand__calls_find(struct calls *calls, uint64_t id);
/* An open call got its answer. */
void errand__calls_answered(struct calls *calls, struct call *call, int64_t now_us,
                            errand_call_status status, uint64_t reply_bytes);
/* An open call will get none from the caller: CALL_OVER, with that word. */
void errand__calls_over(struct calls *calls, struct call *call, int64_t now_us,
                        errand_call_status status, const char *why);
/* All that are open. */
void errand__calls_end(struct calls *calls, int64_t now_us);
void errand__calls_hold(struct calls *calls, struct call *call, int64_t now_us, bool held);
/* The next call of which the caller must hear that it is over, which then is GONE. */
bool errand__calls_take_over(struct calls *calls, uint64_t *id, const char **why);
/* From *at on, the next open call whose time is up, and by which word; at starts at 0. NULL:
 * none, and due_us is right again. */
struct call *errand__calls_expired(struct calls *calls, int64_t now_us, size_t *at,
                                   const char **why);
int64_t errand__stretch_us(const struct stretch *stretch, int64_t now_us);

#endif
