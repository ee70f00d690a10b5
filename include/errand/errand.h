/* errand.h - send a program somewhere else, answer its questions, bring its result home.
 *
 * A place is where programs run: this machine, a container, a host. A run is one program in
 * one fresh process there. A loop drives any number of places and runs from one thread.
 *
 * Pointers passed in are borrowed for the call unless a comment says "taken" or "copied".
 * Pointers handed out are borrowed until the next call of errand_loop_next() on the same loop
 * unless a comment says otherwise.
 *
 * One thread a loop: its functions, and those of its places and runs, are called from one
 * thread at a time. Those marked "any thread" may be called from any thread while the object
 * lives.
 *
 * A function that could not do its job returns a negative errand_status and fills in the
 * caller's errand_error, which may be NULL. A run that went badly is not an error: it has
 * ended, and its errand_outcome is data.
 */
#ifndef ERRAND_H
#define ERRAND_H

#include <stddef.h>
#include <stdint.h>

#include <errand/export.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct errand_loop errand_loop;
typedef struct errand_place errand_place;
typedef struct errand_run errand_run;

/* Borrowed bytes; not NUL-terminated. */
typedef struct errand_span {
    const char *ptr;
    size_t len;
} errand_span;

/* --- Errors: a call could not do its job ----------------------------------------------- */

typedef enum errand_status {
    ERRAND_OK = 0,
    ERRAND_AGAIN = 1,   /* Nothing yet; not an error. */
    ERRAND_EINVAL = -1, /* An argument or option makes no sense. */
    ERRAND_ENOMEM = -2,
    ERRAND_ELIMIT = -3, /* Over a cap, such as the size of a reply. */
    ERRAND_ESTATE = -4, /* Right call, wrong moment: the call is answered, the run is over. */
    ERRAND_EIO = -5,    /* The system, the network or the far side said no. */
    ERRAND_EAUTH = -6,  /* Who we are, or who they are, could not be shown. */
    ERRAND_ENOSYS = -7  /* Built without it, or an option newer than this library. */
} errand_status;

typedef struct errand_error {
    errand_status status;
    int os_errno;           /* 0 when the system had no part in it. */
    char text[240];         /* One line, "area: what"; no secret, no full stop. */
    int retryable;          /* 1: nothing came of it, and the same may work later. */
    int64_t retry_after_ms; /* Not before so long; 0: nobody said so. */
} errand_error;

/* "OK", "EINVAL", ... */
ERRAND_API const char *errand_status_name(errand_status status);
/* The version of the library that is linked, such as "0.1.0". */
ERRAND_API const char *errand_version(void);

/* --- Limits ---------------------------------------------------------------------------- */

#define ERRAND_UNLIMITED UINT64_MAX

/* Zero means the default, in every field, for ever. Times in milliseconds, sizes in bytes
 * where the name does not say otherwise. A time may be at most 2147483647 or
 * ERRAND_UNLIMITED. The defaults and the reason of each stand in docs/embedding.md. */
typedef struct errand_limits {
    size_t size;            /* sizeof(errand_limits), by ERRAND_LIMITS_INIT. */
    uint64_t open_ms;       /* 60,000: until the place is open and the process started. */
    uint64_t boot_ms;       /* 30,000: from launch to the runner's first word. */
    uint64_t wall_ms;       /* 600,000: from launch to the program's end, less held time. */
    uint64_t compute_ms;    /* 60,000: busy time of the program's thread, measured over there. */
    uint64_t idle_ms;       /* Off: nothing in flight, and no word from the program. */
    uint64_t call_ms;       /* Off: one call, from its arrival to its answer, less held time. */
    uint64_t approval_ms;   /* 3,600,000: how long one call may be held. */
    uint64_t leave_ms;      /* 1,000: asked to leave. */
    uint64_t kill_grace_ms; /* 2,000: told to (TERM). */
    uint64_t reap_ms;       /* 5,000: killed; then abandoned. */
    uint64_t close_ms;      /* 10,000: clearing the far side. */
    uint64_t lease_ms;      /* The place's own (off on local, exec and containers): silence
                               after which each side takes the other for lost. */
    uint64_t output_bytes;  /* 64 MiB, at least 4: value or error text, and logs. */
    uint64_t frame_bytes;   /* 256 MiB, at least 1 KiB and output_bytes: a call, reply or value. */
    uint64_t noise_bytes;   /* 1 MiB: how much of the tail of raw output is kept. */
    uint64_t boot_noise_bytes; /* 256 KiB: what a login may print before the runner speaks. */
    uint64_t heap_mb;          /* 512, in MiB: what V8 is asked to keep to. */
    uint64_t rss_mb;           /* 4 x heap_mb, 64 at least: resident memory of its process. */
    uint64_t calls;            /* 10,000,000: calls of one run, all together. */
    uint64_t calls_open;       /* 65,536: calls of one run in flight. */
    uint64_t call_records;     /* 10,000: calls of which the outcome tells; the rest is counted. */
    uint64_t replay_bytes;     /* 4 MiB: what each side keeps until the other has it, on places
                                  that outlive a broken stream. */
} errand_limits;
#define ERRAND_LIMITS_INIT                                                                      \
    {                                                                                           \
        sizeof(errand_limits), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/* Sets the limit called name, such as "wall", "wall_ms" or "output", from text: a number with
 * an optional unit (ms s m h for times; B KiB MiB GiB and kB MB GB for sizes; none: the unit of
 * the field), or "off" where no limit is allowed. EINVAL names what is wrong. */
ERRAND_API errand_status errand_limits_set(errand_limits *limits, const char *name,
                                           const char *text, errand_error *err) ERRAND_CHECKED;

/* --- Programs and what they may call --------------------------------------------------- */

/* What a program, and a model that writes one, may know about a function. Each may be NULL. */
typedef struct errand_about {
    const char *description;
    const char *input_schema;  /* JSON Schema, a JSON text: of its argument. */
    const char *output_schema; /* Of its result. */
} errand_about;

/* How the program learns that a call failed. */
typedef enum errand_failures {
    ERRAND_FAILURES_THROW = 0, /* The call rejects with the namespace's error class. */
    ERRAND_FAILURES_VALUE      /* It resolves to {ok:false,error}, and to {ok:true,data} else. */
} errand_failures;

/* A global object of the program whose functions run at home. */
typedef struct errand_namespace {
    const char *name;             /* An identifier; no global of the engine, no reserved word. */
    const char *const *functions; /* NULL-terminated; any non-empty UTF-8 names, each once. The
                                     program calls "then" as then_, since what has a then is
                                     taken for a promise. */
    const char *error_class;      /* Class of a rejection, visible to the program by this name;
                                     NULL: "ToolError". */
    const char *error_member;     /* Property of it that holds the function's name;
                                     NULL: "tool". */
    const errand_about *abouts;   /* As many as functions, or NULL. tools.search() finds them. */
    errand_failures failures;
    int spread; /* 1: all arguments travel, as one array; else the first alone. */
    int bare;   /* 1: the functions themselves are globals, or members of one where the name is
                   two identifiers with a dot between; name is for home alone. */
} errand_namespace;

/* Declarations in TypeScript of all that a program with these namespaces may call, such as a
 * model or an editor is told: the same namespaces give the same bytes. They are checked as
 * errand_run_start() would. *out is the caller's to free with errand_declarations_free(). */
ERRAND_API errand_status errand_declarations(const errand_namespace *namespaces, size_t count,
                                             char **out, errand_error *err) ERRAND_CHECKED;
ERRAND_API void errand_declarations_free(char *declarations);

/* A source that the program may import by its name. */
typedef struct errand_module {
    const char *name; /* As in import(NAME). */
    errand_span source;
} errand_module;

typedef enum errand_language {
    ERRAND_LANGUAGE_AUTO = 0, /* As TypeScript; if it is none, as JavaScript. */
    ERRAND_LANGUAGE_JS,
    ERRAND_LANGUAGE_TS
} errand_language;

typedef enum errand_delivery {
    ERRAND_DELIVERY_AUTO = 0, /* What suits the place best. */
    ERRAND_DELIVERY_STDIN,    /* The runner travels in front of the program, every time. */
    ERRAND_DELIVERY_FILE      /* It is kept over there under its digest, and sent if missing. */
} errand_delivery;

typedef enum errand_values {
    ERRAND_VALUES_STRICT = 0, /* Lossless JSON, or the path of what is none. */
    ERRAND_VALUES_JSON,       /* What JSON.stringify makes of it. */
    ERRAND_VALUES_RICH        /* Dates, maps, bytes and their kin as tagged JSON: errand/value.h. */
} errand_values;

typedef enum errand_accept {
    ERRAND_ACCEPT_LENIENT = 0, /* Also what a model writes around a program: docs/programs.md. */
    ERRAND_ACCEPT_EXACT        /* The body of an async function, and nothing else. */
} errand_accept;

typedef enum errand_globals {
    ERRAND_GLOBALS_NODE = 0, /* All that node has. */
    ERRAND_GLOBALS_PURE      /* The language and the bridge alone. */
} errand_globals;

typedef enum errand_network {
    ERRAND_NETWORK_PLACE = 0, /* What the place has. */
    ERRAND_NETWORK_OFF        /* None; outcome.network says how sure that is. */
} errand_network;

/* Both are called while the loop works: they must return soon, and call no function of this
 * header.
 *
 * One fact, past tense, without payloads, in areas run, core, wire, exec, place, boot, ssh,
 * e2b. */
typedef void (*errand_trace_fn)(void *ctx, int64_t at_us, const char *area, errand_span line);
/* The next bytes of a record, for errand_replay_new(); holds payloads. */
typedef void (*errand_record_fn)(void *ctx, errand_span bytes);

typedef struct errand_run_options {
    size_t size;         /* sizeof, by ERRAND_RUN_OPTIONS_INIT. */
    errand_span program; /* UTF-8; the body of an async function. */
    const char *name;    /* Its name in stacks, as one line; NULL: "program". */
    errand_language language;
    const errand_namespace *namespaces; /* namespaces_count of them. */
    size_t namespaces_count;
    const char *const *env;      /* NULL-terminated "NAME=VALUE": process.env. */
    const errand_limits *limits; /* NULL: all defaults. */
    errand_values values;
    int collect_logs; /* 1: the outcome also carries the logs that the
                         ledger keeps. */
    errand_trace_fn trace;
    void *trace_ctx;
    errand_record_fn record;
    void *record_ctx;
    void *user; /* errand_run_user() gives it back. */
    errand_accept accept;
    int last_value; /* 1: a text that ends in an expression returns its value. */
    errand_globals globals;
    errand_network network;
    errand_span input; /* JSON text: the program's global input, frozen; empty: undefined. */
    errand_span store; /* JSON object: what load() finds; empty: nothing. */
    const errand_module *modules; /* modules_count of them. */
    size_t modules_count;
    int check_only; /* 1: the text and the modules are compiled, nothing of them runs, and an end
                       without a value says that they are fine. What they would see stays here. */
} errand_run_options;
#define ERRAND_RUN_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(errand_run_options), {0, 0}, 0, ERRAND_LANGUAGE_AUTO, 0, 0, 0, 0,                   \
            ERRAND_VALUES_STRICT, 0, 0, 0, 0, 0, 0, ERRAND_ACCEPT_LENIENT, 0, ERRAND_GLOBALS_NODE, \
            ERRAND_NETWORK_PLACE, {0, 0}, {0, 0}, 0, 0, 0                                          \
    }

/* --- How a run ended ------------------------------------------------------------------- */

typedef enum errand_kind {
    ERRAND_KIND_VALUE = 0,      /* The program returned. */
    ERRAND_KIND_EXCEPTION,      /* It threw, did not compile, or waits for nothing. */
    ERRAND_KIND_TIMEOUT,        /* A time limit; limit names it. */
    ERRAND_KIND_ABORT,          /* errand_run_cancel(). */
    ERRAND_KIND_WORKER_EXIT,    /* The process, the place or the road failed it. */
    ERRAND_KIND_INVALID_OUTPUT, /* It returned what is no lossless JSON. */
    ERRAND_KIND_OUTPUT_LIMIT    /* It said more than output_bytes. */
} errand_kind;

/* "value", "exception", "timeout", "abort", "worker-exit", "invalid-output", "output-limit". */
ERRAND_API const char *errand_kind_name(errand_kind kind);

typedef struct errand_log {
    const char *level; /* "debug" "log" "info" "warn" "error" "stdout" "stderr". */
    errand_span text;  /* UTF-8; a lone surrogate has become U+FFFD. */
} errand_log;

/* Something to show: a JSON object, of which docs/protocol.md, section 9, lists the kinds. */
typedef struct errand_item {
    const char *type;     /* "text" "image" "file" "content". */
    errand_span json;     /* The whole object. */
    uint64_t logs_before; /* Its place among the logs. */
} errand_item;

typedef enum errand_call_status {
    ERRAND_CALL_OK = 0,
    ERRAND_CALL_ERROR,
    ERRAND_CALL_CANCELLED /* The run ended before an answer came. */
} errand_call_status;

typedef struct errand_call_record {
    uint64_t id;
    const char *space, *function; /* As given in the options. */
    errand_call_status status;
    int64_t began_us, took_us; /* On the loop's clock; held time is part of it. */
    int64_t held_us;
    uint64_t args_bytes, reply_bytes;
} errand_call_record;

/* Microseconds. open: until the process was started. boot: until the runner spoke. run: until
 * the terminal fact. waiting: of run, with a call in flight. held: of run, with a call held.
 * drain: from there until the process was known to be gone. */
typedef struct errand_timing {
    int64_t open_us, boot_us, run_us, waiting_us, held_us, drain_us;
} errand_timing;

typedef struct errand_outcome {
    errand_kind kind;
    const char *code;  /* "" for a value, else a stable word: docs/embedding.md lists them. */
    const char *limit; /* The limit that fired, such as "wall_ms", or NULL. */
    errand_span value; /* JSON text; empty where the program returned nothing. */
    /* What went wrong, UTF-8; all empty for a value. line and column are those of the submitted
     * text, counted from 1; 0 where there are none. */
    errand_span name, message, stack, hint;
    uint32_t line, column;
    errand_span error;      /* The runner's whole error object, JSON text, or empty. */
    int abandoned;          /* 1: nobody could show that the process is gone. */
    int outcome_unknown;    /* 1: calls were in flight, or the program may have gone on, when the
                               road was lost. */
    int exit_code;          /* Of the process; -1 when unknown. */
    int exit_signal;        /* 0 when none. */
    const errand_log *logs; /* With collect_logs: what the ledger kept. */
    size_t logs_count;
    uint64_t logs_kept;  /* Entries kept, the cut one included; with or without collecting. */
    uint64_t logs_total; /* Entries that arrived. */
    const errand_call_record *calls;
    size_t calls_count;
    uint64_t calls_total;
    errand_timing timing;
    errand_span stats; /* The runner's own figures, JSON text; told, not measured here. */
    errand_span noise; /* Tail of what was printed past console: children, node itself. */
    uint64_t noise_total;
    uint64_t bytes_sent, bytes_received, frames_sent, frames_received;
    const char *const *warnings;
    size_t warnings_count;
    uint64_t drops; /* How often the way to the process broke, on places that can find it again. */
    const errand_item *items; /* With collect_logs: what the ledger kept. */
    size_t items_count;
    uint64_t items_total; /* That arrived. */
    errand_span store;    /* JSON text {"set":{…},"delete":[…]}; empty where nothing was stored,
                             or the run did not succeed. */
    const char *network;  /* With ERRAND_NETWORK_OFF: "enforced" by the place, or "advisory": the
                             runner hides it from a program that does not insist. Else, and where
                             no runner came to speak, "". */
    int retryable;        /* 1: nothing of the program ran, and the same may work later. */
    int64_t retry_after_ms;     /* Not before so long; 0: nobody said so. */
    int process_may_be_running; /* 1: nobody could show that nothing of it is left over there. */
} errand_outcome;

/* The exit code of the command for this outcome: 0 value; 1 the program's own ending; 3 a
 * limit; 4 the place or the road; 5 protocol; 130 cancelled. */
ERRAND_API int errand_outcome_exit_code(const errand_outcome *outcome);

/* --- Events ---------------------------------------------------------------------------- */

typedef enum errand_event_type {
    ERRAND_EVENT_STARTED = 1, /* The runner spoke; the program begins. */
    ERRAND_EVENT_LOG,
    ERRAND_EVENT_CALL,      /* Answer with errand_run_reply() or _reject(). */
    ERRAND_EVENT_CALL_OVER, /* The answer is no longer wanted: call_ms, or the run ends. */
    ERRAND_EVENT_NOISE,
    ERRAND_EVENT_END,           /* Of a run: always its last, always exactly one. */
    ERRAND_EVENT_PLACE_CLOSED,  /* Of a place, after errand_place_close(). */
    ERRAND_EVENT_ANSWER,        /* Of a replay alone: what home said to a call then. */
    ERRAND_EVENT_ASK,           /* Of a place: answer with errand_place_answer(). */
    ERRAND_EVENT_TRANSFER_OVER, /* Of a place: errand_place_put() or _get() is done with. */
    ERRAND_EVENT_ITEM
} errand_event_type;

/* What a place wants to know from a person before it opens. */
typedef struct errand_ask {
    uint64_t id;
    const char *kind;   /* "passphrase" of a key, "password", or "interactive": as the host asks. */
    const char *prompt; /* One line, UTF-8 as far as the host's is; guard it before showing it. */
    int echo;           /* 0: what is typed is not to be shown. */
} errand_ask;

/* The library owns events; they may grow at the end. */
typedef struct errand_event {
    errand_event_type type;
    errand_run *run; /* NULL for a place's own event. */
    errand_place *place;
    int64_t at_us; /* On the loop's clock. */
    union {
        struct {
            errand_span node;  /* "v22.4.1" */
            int64_t pid;       /* Over there. */
            errand_span hello; /* JSON text; told, not measured here. */
        } started;
        struct {
            const char *level;
            errand_span text; /* UTF-8; a lone surrogate has become U+FFFD. */
            errand_span json; /* The same as the JSON string that travelled. */
        } log;
        struct {
            uint64_t id;
            size_t space_index, function_index;
            const char *space, *function;
            errand_span args; /* JSON text; empty: undefined. */
        } call;
        struct {
            uint64_t id;
            const char *why; /* "call_timeout", "approval_timeout", "ended". */
        } call_over;
        errand_span noise;
        const errand_outcome *end; /* Lives until errand_run_free(). */
        struct {
            uint64_t id;
            int ok;
            errand_span json; /* The value or nothing; or the error object. */
        } answer;
        errand_ask ask;
        struct {
            uint64_t id;
            int ok;
            uint64_t bytes;    /* That were carried. */
            const char *code;  /* "", or a stable word: docs/embedding.md lists them. */
            const char *error; /* "", or one line. */
            int retryable;     /* As those of errand_error. */
            int64_t retry_after_ms;
        } transfer_over;
        errand_item item;
    } as;
} errand_event;

/* --- Loops ----------------------------------------------------------------------------- */

ERRAND_API errand_status errand_loop_new(errand_loop **out, errand_error *err) ERRAND_CHECKED;
/* Places and runs first. NULL is fine. */
ERRAND_API void errand_loop_free(errand_loop *loop);
/* OK and the next event; or, when nothing happened for timeout_ms (-1: for ever, 0: look
 * only), AGAIN and NULL. With neither run nor closing place, AGAIN at once. */
ERRAND_API errand_status errand_loop_next(errand_loop *loop, int timeout_ms,
                                          const errand_event **event,
                                          errand_error *err) ERRAND_CHECKED;
/* For a loop inside another: wait until this descriptor is readable or this many milliseconds
 * passed (-1: no need), then call errand_loop_next(loop, 0, ...) until it says AGAIN. The
 * descriptor stays the same for the loop's life. Ask for the timeout after each AGAIN. */
ERRAND_API int errand_loop_fd(const errand_loop *loop);
ERRAND_API int errand_loop_timeout_ms(errand_loop *loop);
/* Any thread, any signal handler: makes errand_loop_next() return soon. */
ERRAND_API void errand_loop_wake(errand_loop *loop);
/* What this loop takes for now, in microseconds from an arbitrary start; never goes back. */
ERRAND_API int64_t errand_loop_now_us(errand_loop *loop);

/* --- Places ---------------------------------------------------------------------------- */

/* How ssh:// gets there. NULL and zero: as the ssh client of this machine would, but that a host
 * whose key is not known is never accepted. */
typedef struct errand_ssh_options {
    size_t size;                  /* sizeof, by ERRAND_SSH_OPTIONS_INIT. */
    int accept_new_host_key;      /* 1: the key of a host of which none is known is recorded. */
    const char *known_hosts_file; /* In place of all others. */
    const char *identity_file;    /* The private key to log in with, and no other. */
    const char *config_file;      /* In place of ~/.ssh/config and the system's. */
} errand_ssh_options;
#define ERRAND_SSH_OPTIONS_INIT                \
    {                                          \
        sizeof(errand_ssh_options), 0, 0, 0, 0 \
    }

typedef enum errand_e2b_codec {
    ERRAND_E2B_CODEC_AUTO = 0, /* Binary, and JSON once a server has no binary. */
    ERRAND_E2B_CODEC_PROTO,
    ERRAND_E2B_CODEC_JSON
} errand_e2b_codec;

/* How e2b:// gets its sandbox. NULL and zero: as the environment says, in the words of the
 * official clients (E2B_API_KEY and its kin), else what is said here. */
typedef struct errand_e2b_options {
    size_t size;             /* sizeof, by ERRAND_E2B_OPTIONS_INIT. */
    const char *api_key;     /* E2B_API_KEY. Wiped after use; in no message, no trace, no argv. */
    const char *domain;      /* E2B_DOMAIN, or e2b.app. */
    const char *api_url;     /* E2B_API_URL, or https://api.DOMAIN. */
    const char *sandbox_url; /* E2B_SANDBOX_URL, or as the domain has it. */
    int debug;               /* E2B_DEBUG=true: envd alone, at localhost. */
    const char *user;        /* Who programs run as; the sandbox's own default. */
    uint64_t timeout_ms;     /* 300,000: a sandbox that nobody refreshes dies by itself. */
    int keep;                /* 1: a sandbox that was created is not deleted at close. */
    errand_e2b_codec codec;
    /* Of a sandbox that is created; NULL-terminated. */
    const char *const *metadata;  /* "NAME=VALUE". */
    const char *const *env;       /* "NAME=VALUE": of all its processes, but not of programs. */
    int no_internet;              /* 1: it reaches nothing outside. */
    const char *const *allow_out; /* Addresses, networks or names that it may reach. */
    const char *const *deny_out;  /* And that it may not. */
} errand_e2b_options;
#define ERRAND_E2B_OPTIONS_INIT                                                                  \
    {                                                                                            \
        sizeof(errand_e2b_options), 0, 0, 0, 0, 0, 0, 0, 0, ERRAND_E2B_CODEC_AUTO, 0, 0, 0, 0, 0 \
    }

typedef struct errand_place_options {
    size_t size;
    const char *node; /* Path of node over there; NULL: it is looked for. */
    errand_delivery delivery;
    const errand_ssh_options *ssh; /* Copied; of use to ssh:// alone. May be NULL. */
    const errand_e2b_options *e2b; /* Copied; of use to e2b:// and e2b: alone. May be NULL. */
} errand_place_options;
#define ERRAND_PLACE_OPTIONS_INIT                                   \
    {                                                               \
        sizeof(errand_place_options), 0, ERRAND_DELIVERY_AUTO, 0, 0 \
    }

/* address: "local", "exec:ARGV", "shell:ARGV", "docker://NAME", "podman://NAME",
 * "k8s://NAMESPACE/POD[/CONTAINER]", "ssh://[USER@]HOST[:PORT]", "e2b://TEMPLATE" (a sandbox is
 * created, and deleted at close), "e2b:SANDBOX" (one that is there, and stays). ARGV is split at
 * blanks; '…', "…" and \ quote as in sh. EINVAL names what does not parse. options may be NULL. */
ERRAND_API errand_status errand_place_open(errand_place **out, errand_loop *loop,
                                           const char *address, const errand_place_options *options,
                                           errand_error *err) ERRAND_CHECKED;
/* The address as understood, such as "exec:docker exec -i box"; lives as long as the place. */
ERRAND_API const char *errand_place_name(const errand_place *place);
/* Any thread. Answers ERRAND_EVENT_ASK; text is copied and wiped after use; NULL: nobody will say.
 * ESTATE: it is not asked any more. */
ERRAND_API errand_status errand_place_answer(errand_place *place, uint64_t ask, const char *text,
                                             errand_error *err) ERRAND_CHECKED;
/* Cancels what runs or travels there and clears it up; PLACE_CLOSED comes when that is done. */
ERRAND_API void errand_place_close(errand_place *place);
/* From any state, after its runs are freed; what was not closed is left to itself. */
ERRAND_API void errand_place_free(errand_place *place);

/* --- Files: to a place and from it ----------------------------------------------------- */

typedef struct errand_transfer_options {
    size_t size;        /* sizeof, by ERRAND_TRANSFER_OPTIONS_INIT. */
    uint64_t max_bytes; /* 4 GiB: a larger file is refused. */
    uint64_t stall_ms;  /* 60,000: so long without a byte, and it has failed. */
} errand_transfer_options;
#define ERRAND_TRANSFER_OPTIONS_INIT          \
    {                                         \
        sizeof(errand_transfer_options), 0, 0 \
    }

/* Carries the file local to the path remote over there, or the file remote to the path local
 * here. Size and permission bits are kept; it is written beside under another name and renamed
 * when it is complete, so what stands under its name is never a part of it. A relative path
 * starts over there where a run would. Paths are copied, options may be NULL, *id names the
 * transfer. Many may go on at once, also while programs run; ERRAND_EVENT_TRANSFER_OVER comes
 * once for each. What can be seen at home at once, such as a file that is not there, is an error
 * of the call. ELIMIT: 64 go on already. */
ERRAND_API errand_status errand_place_put(errand_place *place, const char *local,
                                          const char *remote,
                                          const errand_transfer_options *options, uint64_t *id,
                                          errand_error *err) ERRAND_CHECKED;
ERRAND_API errand_status errand_place_get(errand_place *place, const char *remote,
                                          const char *local, const errand_transfer_options *options,
                                          uint64_t *id, errand_error *err) ERRAND_CHECKED;
/* TRANSFER_OVER still comes, with code "cancelled" unless it was done. Unknown ids are let be. */
ERRAND_API void errand_place_transfer_cancel(errand_place *place, uint64_t id);

/* --- Runs ------------------------------------------------------------------------------ */

/* Everything in options is copied but the user, trace_ctx and record_ctx pointers. */
ERRAND_API errand_status errand_run_start(errand_run **out, errand_place *place,
                                          const errand_run_options *options,
                                          errand_error *err) ERRAND_CHECKED;
/* Any thread. Answers a call; json is one JSON text, or empty for undefined. EINVAL: it is
 * none, or ERRAND_VALUES_STRICT and it has an integer beyond 2^53 - 1, which the program would
 * take for another; the text says where, and the call stays open. ELIMIT: over frame_bytes; the
 * call has been rejected with value_too_large instead. Or frame_bytes of answers wait for a far
 * side that does not read them: with queue_full. ESTATE: no such call is open (answered already, or
 * CALL_OVER). */
ERRAND_API errand_status errand_run_reply(errand_run *run, uint64_t call, errand_span json,
                                          errand_error *err) ERRAND_CHECKED;
/* Any thread. Rejects a call. message: UTF-8. name and code may be NULL; data is a JSON text
 * or empty. Errors as above. */
ERRAND_API errand_status errand_run_reject(errand_run *run, uint64_t call, const char *message,
                                           const char *name, const char *code, errand_span data,
                                           errand_error *err) ERRAND_CHECKED;
/* Any thread. Answers a call that a fault at home kept from being done: the program sees
 * "Internal tool error [ID]", code "internal", also where failures are values it is thrown, and
 * nothing of detail, which goes to the trace, area run, under the same ID: eight hex digits. id
 * (may be NULL) gets them with a NUL behind, 9 bytes. */
ERRAND_API errand_status errand_run_defect(errand_run *run, uint64_t call, const char *detail,
                                           char *id, errand_error *err) ERRAND_CHECKED;
/* Any thread. A human has to decide: until the answer or errand_run_resume(), the wall clock
 * and the call's own clock stand still, and approval_ms runs. */
ERRAND_API errand_status errand_run_hold(errand_run *run, uint64_t call,
                                         errand_error *err) ERRAND_CHECKED;
ERRAND_API errand_status errand_run_resume(errand_run *run, uint64_t call,
                                           errand_error *err) ERRAND_CHECKED;
/* Any thread. Ends the run as abort, with this reason as its message (NULL: "cancelled"). A
 * second time skips the ladder's patience and kills. END still comes, once. */
ERRAND_API void errand_run_cancel(errand_run *run, const char *reason);
ERRAND_API void *errand_run_user(const errand_run *run);
/* Its phase, "opening" ... "ended"; and how many of its calls wait for an answer. */
ERRAND_API const char *errand_run_phase(errand_run *run);
ERRAND_API size_t errand_run_calls_open(errand_run *run);
/* NULL is fine. Before END: the process is killed at once and nobody waits for it. */
ERRAND_API void errand_run_free(errand_run *run);

/* --- All in one call ------------------------------------------------------------------- */

typedef struct errand_call {
    uint64_t id;
    size_t space_index, function_index;
    const char *space, *function;
    errand_span args; /* JSON text; empty: undefined. */
} errand_call;

/* Called on the thread that called errand_execute(), one at a time, while a thread of the
 * library keeps the run going: a slow handler never stops it. Any may be NULL. Borrowed for
 * the call of the handler. */
typedef struct errand_handlers {
    size_t size;
    void *ctx;
    /* Answer with errand_run_reply() or _reject(), now or later, here or on another thread. */
    void (*call)(void *ctx, errand_run *run, const errand_call *call);
    void (*call_over)(void *ctx, errand_run *run, uint64_t call, const char *why);
    void (*log)(void *ctx, const char *level, errand_span text);
    void (*noise)(void *ctx, errand_span bytes);
    /* Once, before any other: the run exists, and may be cancelled from any thread. */
    void (*started)(void *ctx, errand_run *run);
    /* Answer with errand_place_answer(), now or later. NULL: every question is declined. */
    void (*ask)(void *ctx, errand_place *place, const errand_ask *ask);
    void (*item)(void *ctx, const errand_item *item);
} errand_handlers;
#define ERRAND_HANDLERS_INIT                            \
    {                                                   \
        sizeof(errand_handlers), 0, 0, 0, 0, 0, 0, 0, 0 \
    }

typedef struct errand_execution errand_execution;

/* Opens the place, runs one program, closes the place. OK: it ended; errand_execution_outcome()
 * says how. Negative: it could not start. *out is the caller's to free, also its outcome. */
ERRAND_API errand_status errand_execute(errand_execution **out, const char *address,
                                        const errand_place_options *place_options,
                                        const errand_run_options *run_options,
                                        const errand_handlers *handlers,
                                        errand_error *err) ERRAND_CHECKED;
ERRAND_API const errand_outcome *errand_execution_outcome(const errand_execution *execution);
ERRAND_API void errand_execution_free(errand_execution *execution);

/* --- Again: a recorded run through the core -------------------------------------------- */

typedef struct errand_replay errand_replay;

/* record: all that the record function of a run was given. Copied. EINVAL: it is no record;
 * the text says where it stops being one. */
ERRAND_API errand_status errand_replay_new(errand_replay **out, errand_span record,
                                           errand_error *err) ERRAND_CHECKED;
/* OK and the next event, at_us being the recorded instant; AGAIN and NULL: no more. run and
 * place are NULL. Borrowed until the next call. */
ERRAND_API errand_status errand_replay_next(errand_replay *replay, const errand_event **event,
                                            errand_error *err) ERRAND_CHECKED;
ERRAND_API void errand_replay_free(errand_replay *replay);

#ifdef __cplusplus
}
#endif

#endif
