/* print.h - what a run says, for people or as JSON lines. The only place that knows both. */
#ifndef ERRAND_PRINT_H
#define ERRAND_PRINT_H

#include "cli/item.h"
#include "cli/program.h"
#include "cli/sink.h"
#include "cli/status.h"

enum { PRINT_SANDBOX = 80 };

struct print {
    struct sink out, err;
    struct status status;
    bool json, quiet;
    int64_t first_us; /* When the first event came: at_ms counts from there. */
    bool first_seen;
    const struct program *program; /* For the line of an error; or NULL. */
    char sandbox[PRINT_SANDBOX];   /* One that will stay there; "": none. */
};

/* An answer that was given to a call. */
struct reply {
    uint64_t id;
    bool ok;
    errand_span value;   /* Or empty. */
    errand_span message; /* Of a rejection. */
    const char *code;
    int64_t at_us, took_us;
};

/* What became of a file. */
struct printed_file {
    bool ok;
    uint64_t bytes;
    const char *code, *error; /* "" where it is ok. */
    int64_t at_us;
};

void print_init(struct print *print, bool json, bool quiet);
void print_deinit(struct print *print);
/* STARTED, LOG, CALL and NOISE; the others have their own functions. */
void print_event(struct print *print, const errand_event *event);
/* file: where it was written, or NULL. */
void print_item(struct print *print, const errand_event *event, const struct item_view *item,
                const char *file);
void print_reply(struct print *print, const struct reply *reply);
/* A tool did not do what it should: for people alone. */
void print_tool(struct print *print, errand_span words);
/* People are told of failures alone, also when quiet. */
void print_file(struct print *print, bool put, const char *local, const char *remote,
                const struct printed_file *what);
/* The value is borrowed until the sink is empty. */
void print_end(struct print *print, const errand_outcome *outcome, int64_t at_us, int exit_code);
/* "errand: ..." on standard error, also when quiet. */
void print_note(struct print *print, const char *format, ...) __attribute__((format(printf, 2, 3)));
void print_flush(struct print *print);
/* Whether nothing is left for anybody to read. */
bool print_is_empty(const struct print *print);
/* Until a reader takes something more, or a signal comes from signal_fd (-1: none does); returns
 * its number, or 0. */
int print_wait(const struct print *print, int signal_fd);
/* Readers are behind: whoever makes text should wait. */
bool print_is_full(const struct print *print);

/* "weather", "mail.send". */
void print_tool_name(struct buf *text, const char *space, const char *function);

#endif
