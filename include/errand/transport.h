/* transport.h - what a road to a process must be able to do; for those who write their own.
 *
 * Two nouns: a road (errand_road) leads to one place and is opened once; a process
 * (errand_process) is one started runner there. No function here may block, and none may call
 * back. A transport reaches a process; it never decides that a run is over: that is the
 * core's. Stable within a minor version.
 */
#ifndef ERRAND_TRANSPORT_H
#define ERRAND_TRANSPORT_H

#include <errand/errand.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pollfd;

typedef struct errand_road errand_road;
typedef struct errand_process errand_process;

/* What to start. line is one shell command, free of newlines and of single quotes but the
 * outer ones of its words, so that every login shell reads it alike. Borrowed for the call. */
typedef struct errand_launch {
    const char *line;
    const char *mark; /* Its first 16 characters stand among the words of what line starts: by them
                         it is found over there. NULL: none do. */
} errand_launch;

typedef enum errand_notice_type {
    ERRAND_NOTICE_OPENED = 1, /* Of a process: once, first: it runs and takes bytes. */
    ERRAND_NOTICE_OUT,        /* Bytes of its stdout, in order. */
    ERRAND_NOTICE_ERR,        /* Bytes of its stderr. */
    ERRAND_NOTICE_EOF,        /* Once: no more OUT. Before or after EXITED, or never. */
    ERRAND_NOTICE_EXITED,     /* Once: the process itself is known to be gone. */
    ERRAND_NOTICE_CLOSED,     /* Once, last: nothing of it is left on the far side. bytes: a
                                 warning in words, such as what had to be killed, or empty. */
    ERRAND_NOTICE_DROPPED,    /* The way to it broke; it may live on. What was under way in either
                                 direction may be lost, and no bytes are taken until ATTACHED.
                                 bytes: why, in words. Only of a road that reattaches. */
    ERRAND_NOTICE_ATTACHED    /* After DROPPED: bytes are taken again, and OUT goes on somewhere
                                 behind where it stopped. */
} errand_notice_type;

typedef struct errand_notice {
    errand_notice_type type;
    errand_span bytes;          /* OUT, ERR, CLOSED; borrowed until the next call. */
    int exit_code, exit_signal; /* EXITED; -1 and 0 when unknown. */
    int left;                   /* CLOSED, 1: something of it may be left; bytes say so. */
} errand_notice;

typedef enum errand_stop {
    ERRAND_STOP_TERM, /* Tell the process and its group to go. */
    ERRAND_STOP_KILL, /* Make them go. */
    ERRAND_STOP_CLOSE /* Clear the far side: what is left of group and upload; then CLOSED. */
} errand_stop;

/* Room that the loop lends for reading; the same for all its processes. */
typedef struct errand_scratch {
    char *ptr;
    size_t len;
} errand_scratch;

typedef struct errand_process_ops {
    size_t size;
    /* OK and one notice; AGAIN for none now; negative when the road is lost, for good: then
     * nothing more is asked of the process but stop(CLOSE), next and free. err is retryable only
     * where it is certain that nothing was started. */
    errand_status (*next)(errand_process *self, int64_t now_us, errand_scratch scratch,
                          errand_notice *out, errand_error *err);
    /* Takes a prefix of bytes, maybe none. Never called before OPENED. What can no longer be
     * delivered, since the process has gone, is taken and dropped: EXITED tells. */
    errand_status (*send)(errand_process *self, errand_span bytes, size_t *taken,
                          errand_error *err);
    /* A request, not a promise: the answer is EXITED or CLOSED, or silence. */
    errand_status (*stop)(errand_process *self, errand_stop how, int64_t now_us, errand_error *err);
    /* Descriptors to wait for, and an instant not to sleep past (INT64_MAX: none). reading and
     * writing say what the driver wants to do, next and send; without them, the descriptors of
     * those directions stay out, and without reading there is no instant either. Returns how
     * many descriptors it needs; fills in at most fds_max. What it named stays open until a later
     * wants has left it out, or free: so the driver can take it out of epoll in time. */
    size_t (*wants)(errand_process *self, int reading, int writing, struct pollfd *fds,
                    size_t fds_max, int64_t *due_us);
    /* From any state. Memory and descriptors, and for a child of ours also its group: KILL. */
    void (*free)(errand_process *self);
    /* May be NULL. The word by which a run ends since next failed, such as "auth_failed"; NULL:
     * "lost". A literal. */
    const char *(*code)(errand_process *self);
} errand_process_ops;

struct errand_process { /* First member of every implementation. */
    const errand_process_ops *ops;
};

/* One file to carry. Borrowed for the call. */
typedef struct errand_cargo {
    int put;          /* 1: to path over there; 0: from path. */
    const char *path; /* Any bytes, at most ERRAND_CARGO_PATH_MOST of them; never begins with a dash
                         nor ends with a slash. */
    uint64_t size;    /* Put: so many bytes will be sent. Get: a larger file is too_large. */
    uint32_t mode;    /* Put: permission bits, such as 0644. */
} errand_cargo;
#define ERRAND_CARGO_PATH_MOST 4095

typedef enum errand_carrier_notice_type {
    ERRAND_CARRIER_READY = 1, /* Once, first. Put: it takes bytes. Get: size and mode are known. */
    ERRAND_CARRIER_BYTES,     /* Get: the next ones. */
    ERRAND_CARRIER_DONE       /* Once, last. Put: it stands under its name. Get: all bytes came. */
} errand_carrier_notice_type;

typedef struct errand_carrier_notice {
    errand_carrier_notice_type type;
    errand_span bytes; /* BYTES; borrowed until the next call. */
    uint64_t size;     /* READY of a get. */
    uint32_t mode;
} errand_carrier_notice;

typedef struct errand_carrier errand_carrier;

/* The far end of one file. What is put is written beside its place and renamed when it is
 * complete; what is left of it after a failure is removed. Nothing blocks, nothing calls back. */
typedef struct errand_carrier_ops {
    size_t size;
    /* OK and one notice; AGAIN for none now; negative: it failed for good, and nothing is asked
     * any more but code and free. */
    errand_status (*next)(errand_carrier *self, int64_t now_us, errand_scratch scratch,
                          errand_carrier_notice *out, errand_error *err);
    /* Put: takes a prefix of bytes, maybe none. Only after READY, and never more than size. */
    errand_status (*send)(errand_carrier *self, errand_span bytes, size_t *taken,
                          errand_error *err);
    /* Nobody wants it any more: it clears up, and next ends with a negative status. */
    void (*stop)(errand_carrier *self, int64_t now_us);
    /* As that of errand_process_ops. */
    size_t (*wants)(errand_carrier *self, int reading, int writing, struct pollfd *fds,
                    size_t fds_max, int64_t *due_us);
    void (*free)(errand_carrier *self); /* From any state. */
    /* The word for what went wrong, such as "not_found"; NULL: "failed". A literal. */
    const char *(*code)(errand_carrier *self);
} errand_carrier_ops;

struct errand_carrier { /* First member of every implementation. */
    const errand_carrier_ops *ops;
};

typedef struct errand_road_ops {
    size_t size;      /* sizeof(errand_road_ops). */
    const char *name; /* "local", "exec", "fake", ... */
    /* Takes the first or a further step towards a usable place: OK when launch may be called,
     * AGAIN to be called again when a descriptor of wants is ready, negative for good. */
    errand_status (*open)(errand_road *self, int64_t now_us, errand_error *err);
    /* Starts one process; OPENED follows from its next. *out is taken by the caller. */
    errand_status (*launch)(errand_road *self, const errand_launch *launch, int64_t now_us,
                            errand_process **out, errand_error *err);
    /* A step towards leaving nothing behind: OK when done, AGAIN, or negative: given up. */
    errand_status (*close)(errand_road *self, int64_t now_us, errand_error *err);
    size_t (*wants)(errand_road *self, struct pollfd *fds, size_t fds_max, int64_t *due_us);
    /* After its processes. Memory and descriptors only. */
    void (*free)(errand_road *self);
    /* Facts of the road. */
    uint64_t lease_ms;        /* Default of the limit; 0: off. */
    errand_delivery delivery; /* What AUTO stands for. */
    /* Any of these may be NULL.
     * What an open road has to do of its own, such as a sign of life; called when a descriptor or
     * an instant of wants came. */
    void (*tend)(errand_road *self, int64_t now_us);
    /* 1: *out is a question that was not handed out yet; borrowed until the next call. */
    int (*ask)(errand_road *self, errand_ask *out);
    /* text NULL: declined. ESTATE: it is not asked any more. */
    errand_status (*answer)(errand_road *self, uint64_t ask, const char *text, errand_error *err);
    /* The word by which runs end since open failed; NULL: "place_failed". A literal. */
    const char *(*code)(errand_road *self);
    /* Starts to carry one file, once the road is open. *out is taken by the caller. NULL: files
     * go through a process that launch starts. */
    errand_status (*carry)(errand_road *self, const errand_cargo *cargo, int64_t now_us,
                           errand_carrier **out, errand_error *err);
    /* 1: *line is a fact for the trace that was not handed out yet, past tense, without a secret;
     * borrowed until the next call. Its area is the road's name. */
    int (*fact)(errand_road *self, errand_span *line);
    /* 1: its processes may say DROPPED, and both streams travel in segments with offsets. */
    int reattaches;
} errand_road_ops;

struct errand_road { /* First member of every implementation. */
    const errand_road_ops *ops;
};

/* A place reached by a road of your own. The road is taken, also on failure. name is copied. */
ERRAND_API errand_status errand_place_open_road(errand_place **out, errand_loop *loop,
                                                errand_road *road, const char *name,
                                                const errand_place_options *options,
                                                errand_error *err) ERRAND_CHECKED;

#ifdef __cplusplus
}
#endif

#endif
