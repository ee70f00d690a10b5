/* cmd_replay.c - errand replay: what a recorded run said, again, without running anything.
 *
 * It prints what the run printed but for the line of the program that an error points at: a
 * record does not hold the program. */
#include "base/err.h"
#include "base/mem.h"
#include "cli/cmd.h"
#include "cli/ending.h"
#include "cli/need.h"
#include "cli/opt.h"
#include "cli/print.h"
#include "cli/say.h"
#include "cli/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

enum replay_option { OPT_JSON = 1, OPT_QUIET, OPT_HELP };

static const struct opt replay_options[] = {
    {OPT_JSON, 0, "json", NULL, "everything on stdout, as one JSON object a line"},
    {OPT_QUIET, 0, "quiet", NULL, "no logs, no warnings"},
    {OPT_HELP, 'h', "help", NULL, "this text"},
};

enum { ARRIVALS = 65536 };

struct playback {
    const char *path;
    bool json, quiet, help;
    char *text;
    size_t len;
    errand_replay *replay;
    struct print print;
    int exit_code;
    /* When calls came, by the low bits of their ids, which rise: a call that waits longer than
     * so many others gets no time. */
    int64_t *arrived_us;
};

static errand_status parse(struct playback *playback, int argc, char **argv, errand_error *err)
{
    struct opt_scan scan = {replay_options, COUNT(replay_options), argc, argv, 0, false, NULL};

    for (int option = opt_next(&scan, err); option != OPT_END; option = opt_next(&scan, err)) {
        if (option == OPT_BAD)
            return ERRAND_EINVAL;
        if (option == OPT_WORD && playback->path != NULL)
            return errand__fail(err, ERRAND_EINVAL, 0, "one record at a time; %s is one too many",
                                scan.value);
        if (option == OPT_WORD)
            playback->path = scan.value;
        playback->json = playback->json || option == OPT_JSON;
        playback->quiet = playback->quiet || option == OPT_QUIET;
        playback->help = playback->help || option == OPT_HELP;
    }
    if (playback->path == NULL && !playback->help)
        return errand__fail(err, ERRAND_EINVAL, 0, "errand replay wants a RECORD");
    return ERRAND_OK;
}

static errand_status read_record(struct playback *playback, errand_error *err)
{
    assert(playback->path != NULL);
    AUTO_CLOSE int fd = open(playback->path, O_RDONLY | O_CLOEXEC);
    struct stat facts;

    if (fd < 0 || fstat(fd, &facts) != 0)
        return errand__fail(err, ERRAND_EINVAL, errno, "record: %s", playback->path);
    if (!S_ISREG(facts.st_mode))
        return errand__fail(err, ERRAND_EINVAL, 0, "record: %s is no regular file", playback->path);
    size_t size = (size_t)facts.st_size;
    playback->text = need_new(size + 1, 1);
    if (!whole_read(fd, playback->text, size, &playback->len))
        return errand__fail(err, ERRAND_EINVAL, errno, "record: %s", playback->path);
    if (playback->len == 0)
        return errand__fail(err, ERRAND_EINVAL, 0, "record: %s: no run is recorded in it",
                            playback->path);
    return ERRAND_OK;
}

static errand_span text_of(const json_t *object, const char *name)
{
    const json_t *text = json_object_get(object, name);
    return span_of(json_string_value(text), json_string_length(text));
}

static void show_answer(struct playback *playback, const errand_event *event)
{
    struct reply reply = {.id = event->as.answer.id,
                          .ok = event->as.answer.ok != 0,
                          .at_us = event->at_us,
                          .code = ""};

    reply.took_us = event->at_us - playback->arrived_us[reply.id % ARRIVALS];
    if (reply.ok) {
        reply.value = event->as.answer.json;
        print_reply(&playback->print, &reply);
        return;
    }
    json_auto_t *error =
        json_loadb(event->as.answer.json.ptr, event->as.answer.json.len, JSON_ALLOW_NUL, NULL);
    reply.message = text_of(error, "message");
    if (text_of(error, "code").len > 0)
        reply.code = text_of(error, "code").ptr;
    print_reply(&playback->print, &reply);
}

static void show_call_over(struct playback *playback, const errand_event *event)
{
    const char *why = event->as.call_over.why;
    struct reply reply = {.id = event->as.call_over.id, .at_us = event->at_us, .code = why};

    if (strcmp(why, "ended") == 0)
        return;
    reply.message = span_text(why);
    reply.took_us = event->at_us - playback->arrived_us[reply.id % ARRIVALS];
    print_reply(&playback->print, &reply);
}

/* Waits for its readers: there is nothing else to do. false: standard output is lost. */
static bool flush_all(struct print *print)
{
    for (;;) {
        print_flush(print);
        if (print->out.failed_errno != 0)
            return false;
        if (print_is_empty(print))
            return true;
        (void)print_wait(print, -1);
    }
}

static void show_item(struct playback *playback, const errand_event *event)
{
    struct item_view item;

    item_look(event->as.item.json, &item);
    print_item(&playback->print, event, &item, NULL);
}

static void show(struct playback *playback, const errand_event *event)
{
    switch (event->type) {
    case ERRAND_EVENT_CALL:
        playback->arrived_us[event->as.call.id % ARRIVALS] = event->at_us;
        FALLTHROUGH;
    case ERRAND_EVENT_STARTED:
    case ERRAND_EVENT_LOG:
    case ERRAND_EVENT_NOISE:
        print_event(&playback->print, event);
        break;
    case ERRAND_EVENT_ITEM:
        show_item(playback, event);
        break;
    case ERRAND_EVENT_CALL_OVER:
        show_call_over(playback, event);
        break;
    case ERRAND_EVENT_ANSWER:
        show_answer(playback, event);
        break;
    case ERRAND_EVENT_END:
        playback->exit_code = ending_code(event->as.end);
        print_end(&playback->print, event->as.end, event->at_us, playback->exit_code);
        (void)flush_all(&playback->print); /* While the value is there. */
        break;
    case ERRAND_EVENT_ASK:
    case ERRAND_EVENT_TRANSFER_OVER:
    case ERRAND_EVENT_PLACE_CLOSED:
        break;
    }
}

static errand_status play(struct playback *playback, errand_error *err)
{
    errand_status status =
        errand_replay_new(&playback->replay, span_of(playback->text, playback->len), err);

    while (status == ERRAND_OK) {
        const errand_event *event = NULL;
        status = errand_replay_next(playback->replay, &event, err);
        if (status == ERRAND_OK)
            show(playback, event);
        if (print_is_full(&playback->print) && !flush_all(&playback->print))
            break;
    }
    return status < 0 ? status : ERRAND_OK;
}

static int replay(struct playback *playback)
{
    errand_error err = {0};

    errand_status status = read_record(playback, &err);
    if (status != ERRAND_OK)
        return say(EXIT_USAGE, "%s", err.text);
    playback->arrived_us = need_new(ARRIVALS, sizeof(*playback->arrived_us));
    print_init(&playback->print, playback->json, playback->quiet);
    playback->print.status.on = false;
    status = play(playback, &err);
    if (!flush_all(&playback->print))
        playback->exit_code = say(EXIT_USAGE, "standard output: %s",
                                  strerrordesc_np(playback->print.out.failed_errno));
    if (status != ERRAND_OK)
        playback->exit_code = say(EXIT_USAGE, "%s", err.text);
    print_deinit(&playback->print);
    errand_replay_free(playback->replay);
    errand__mem_free(playback->arrived_us);
    return playback->exit_code;
}

int cmd_replay(int argc, char **argv)
{
    struct playback playback = {.exit_code = EXIT_USAGE};
    errand_error err = {0};
    int code = EXIT_FINE;

    errand_status status = parse(&playback, argc, argv, &err);
    if (status != ERRAND_OK)
        return say(EXIT_USAGE, "%s", err.text);
    if (playback.help) {
        (void)fputs("Usage: errand replay [options] RECORD\n"
                    "\n"
                    "Shows what a run with --record said, and exits as it did. Nothing runs.\n"
                    "A record knows nothing of --put and --get.\n"
                    "\n",
                    stdout);
        opt_print_help(stdout, replay_options, COUNT(replay_options));
        return EXIT_FINE;
    }
    code = replay(&playback);
    errand__mem_free(playback.text);
    return code;
}
