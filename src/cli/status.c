/* status.c - drawn four times a second, over itself. */
#include "cli/status.h"
#include "cli/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>

enum { REDRAW_US = 250 * 1000, LINE_BYTES = 256 };

void status_init(struct status *status, const struct sink *err, bool quiet)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    bool able = term != NULL && term[0] != '\0' && strcmp(term, "dumb") != 0;

    *status = (struct status){.on = err->tty && able && !quiet};
    status->color = err->tty && able && (no_color == NULL || no_color[0] == '\0');
}

void status_hide(struct status *status, struct sink *err)
{
    if (status->shown)
        text_words(&err->queue, "\r\033[K");
    status->shown = false;
}

static size_t width(const struct sink *err)
{
    struct winsize size = {0};

    if (ioctl(err->fd, TIOCGWINSZ, &size) != 0 || size.ws_col < 2)
        return 79;
    return size.ws_col - 1U;
}

void status_show(struct status *status, struct sink *err, const struct status_facts *facts,
                 int64_t now_us)
{
    char line[LINE_BYTES];
    struct buf safe;

    if (!status->on || status->mid_line || !sink_is_empty(err) || now_us < status->next_us)
        return;
    (void)snprintf(line, sizeof(line), "%s: %s, %llu call%s (%zu open), %.1f s", facts->place,
                   facts->phase, (unsigned long long)facts->calls, facts->calls == 1 ? "" : "s",
                   facts->calls_open, (double)facts->elapsed_us / 1e6);
    errand__buf_init(&safe, TEXT_BYTES_MAX);
    text_guarded(&safe, span_text(line));
    status_hide(status, err);
    text_words(&err->queue, status->color ? "\033[2m" : "");
    text_add(&err->queue, span_head(errand__buf_peek(&safe), width(err)));
    text_words(&err->queue, status->color ? "\033[0m" : "");
    errand__buf_deinit(&safe);
    status->shown = true;
    status->next_us = now_us + REDRAW_US;
}
