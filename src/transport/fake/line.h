/* line.h - one line of a fake's script, word by word, and the store its texts go to.
 *
 * Knows words, numbers, times, quoted bytes and payloads; knows no step.
 */
#ifndef ERRAND_FAKE_LINE_H
#define ERRAND_FAKE_LINE_H

#include "transport/fake/script.h"

struct fake_line {
    struct fake_script *script;
    errand_span rest; /* Without blanks at either end. */
    unsigned number;
    errand_error *err;
};

/* What can be sent: open, times pieces, close. */
struct fake_payload {
    struct fake_text open, piece, close;
    uint64_t times, size;
    bool given;
};

errand_status errand__fake_line_fail(struct fake_line *line, const char *what);
/* The next word, maybe empty, and what follows it without blanks. */
errand_span errand__fake_line_word(struct fake_line *line);
/* Takes the word if it is the next one. */
bool errand__fake_line_takes(struct fake_line *line, const char *word);
errand_status errand__fake_line_number(struct fake_line *line, uint64_t min, uint64_t max,
                                       uint64_t *out) ERRAND_CHECKED;
errand_status errand__fake_line_time(struct fake_line *line, int64_t *us) ERRAND_CHECKED;
errand_status errand__fake_line_over(struct fake_line *line) ERRAND_CHECKED;

/* Into the store. */
errand_status errand__fake_line_put(struct fake_line *line, errand_span bytes,
                                    struct fake_text *out) ERRAND_CHECKED;
errand_status errand__fake_line_put_mark(struct fake_line *line) ERRAND_CHECKED;
/* A text that ended up in pieces one behind the other, from start to the store's end. */
struct fake_text errand__fake_line_since(const struct fake_line *line, size_t start);
size_t errand__fake_line_store_end(const struct fake_line *line);
/* A quoted text, its escapes resolved. */
errand_status errand__fake_line_quoted(struct fake_line *line,
                                       struct fake_text *out) ERRAND_CHECKED;
/* "times N", or once. */
errand_status errand__fake_line_times(struct fake_line *line, uint64_t *times) ERRAND_CHECKED;
/* The rest of the line; not given where it is empty. */
errand_status errand__fake_line_payload(struct fake_line *line,
                                        struct fake_payload *out) ERRAND_CHECKED;

#endif
